"""Pages of which htmx, or one of our scripts, loads a part."""

from django.http import HttpRequest


def is_htmx(request: HttpRequest) -> bool:
    """Return whether only a part of the page is requested."""
    return request.headers.get("HX-Request") == "true"
