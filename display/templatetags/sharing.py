"""Meta tags with the picture of a page, for messengers and social networks."""

from typing import Any

from django import template

from display.sharing.drawing import HEIGHT, WIDTH
from display.sharing.page.picture import share_url

register = template.Library()


@register.inclusion_tag("display/_share_picture.html", takes_context=True)
def share_picture(context: template.Context, kind: str, *places: str) -> dict[str, Any]:
    """Return the picture of this page with its size; no picture for whoever is signed in, since no crawler is.

    What they see may be more than everybody sees, and is never named here.
    """
    request = context["request"]
    path = "" if request.user.is_authenticated else share_url(kind, *places)
    return {
        "picture": request.build_absolute_uri(path) if path else "",
        "page": request.build_absolute_uri(request.path),
        "width": WIDTH,
        "height": HEIGHT,
    }
