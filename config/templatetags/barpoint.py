"""Template tags for every page."""

from django import template
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString, mark_safe

from config import modules

register = template.Library()


@register.simple_tag
def import_map() -> SafeString | str:
    """Return the import map of our ES modules; it comes once, in the head, before any module script."""
    text = modules.import_map()
    if not text:
        return ""
    # The JSON contains only our own file names, and the policy has the hash of exactly this text.
    return format_html('<script type="importmap">{}</script>', mark_safe(text))  # noqa: S308


@register.simple_tag
def current(request: HttpRequest, *sections: str) -> SafeString:
    """The `aria-current` of a link in the main navigation whose pages lie below `sections`."""
    if request.path == sections[0]:
        return mark_safe('aria-current="page"')
    return mark_safe('aria-current="true"' if request.path.startswith(sections) else "")  # noqa: S308


@register.simple_tag
def sign_in_url(request: HttpRequest) -> str:
    """The sign-in page, which leads back to this page unless this is the home, sign-in or sign-up page."""
    url = reverse("sign-in")
    if request.path in ("/", url, reverse("sign-up")):
        return url
    return f"{url}?{urlencode({'next': request.get_full_path()})}"
