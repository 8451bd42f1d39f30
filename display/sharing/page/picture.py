"""The pictures of shared pages as files, for anybody."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import get_conditional_response

from core.access import Who, open_to
from display.sharing.cards import card_of
from display.sharing.drawing import neutral_picture
from display.sharing.services import stored_picture, version_of

CACHED_FOR = 3600
"""Seconds, since somebody may hide or delete a name that a picture shows."""
CACHED_OLD_FOR = 60
"""Seconds for the picture behind a URL of an earlier version."""


@open_to(get=Who.EVERYBODY)
def share_picture(request: HttpRequest, version: str, kind: str, **places: str) -> HttpResponseBase:
    """The picture of a page as everybody sees it now, whichever version the URL names; 404 for a hidden page.

    Until a worker has drawn it this is the picture of the site, which nobody stores.
    """
    key = "/".join(places.values())
    card = card_of(kind, key)
    data = stored_picture(kind, key, card, timezone.now())
    if data is None:
        return HttpResponse(neutral_picture(), content_type="image/png", headers={"Cache-Control": "no-store"})
    kept = CACHED_FOR if version == card.version else CACHED_OLD_FOR
    headers = {"Cache-Control": f"public, max-age={kept}", "ETag": f'"{card.digest}"'}
    response = HttpResponse(data, content_type="image/png", headers=headers)
    return get_conditional_response(request, etag=headers["ETag"], response=response) or response


def share_url(kind: str, *places: str) -> str:
    """Return the path of the current picture of a page; empty if the page has none."""
    version = version_of(kind, "/".join(places))
    return reverse(f"{kind}-card", args=[version, *places]) if version else ""
