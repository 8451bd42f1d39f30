"""The club as an app on a home screen: its manifest, and icons with its face."""

from hashlib import sha256

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import urlencode

from core.access import Who, open_to
from display.sharing.cards import monogram_of
from display.sharing.drawing import CLUB_COLOURS, PAPER, draw_icon
from players.access import club as club_of
from players.models import ClubEmblem

ICONS = {"192": (192, "any"), "512": (512, "any"), "maskable": (512, "maskable")}
"""Name of an icon -> its pixels and its purpose."""
MAX_SHORT_NAME = 12
"""Characters that fit below an icon."""
CACHED_FOR = 3600
"""Seconds."""


@open_to(get=Who.EVERYBODY)
def club_manifest(request: HttpRequest, slug: str) -> HttpResponse:
    """Say how a club is installed: it opens “My matches”."""
    club = club_of(slug)
    body = {
        "id": f"/clubs/{club.slug}/",
        "name": club.name,
        "short_name": club.name if len(club.name) <= MAX_SHORT_NAME else club.initials,
        "start_url": f"{reverse('my-matches')}?{urlencode({'club': club.slug})}",
        "scope": "/",
        "display": "standalone",
        "background_color": "#" + bytes(PAPER).hex(),
        "theme_color": "#" + bytes(CLUB_COLOURS[club.colour]).hex(),
        "icons": [
            {
                "src": reverse(f"club-icon-{name}", args=[club.slug]),
                "sizes": f"{pixels}x{pixels}",
                "type": "image/png",
                "purpose": purpose,
            }
            for name, (pixels, purpose) in ICONS.items()
        ],
    }
    return JsonResponse(body, content_type="application/manifest+json")


@open_to(get=Who.EVERYBODY)
def club_icon(request: HttpRequest, slug: str, icon: str) -> HttpResponse:
    """Draw the emblem of a club, or its initials in its colour."""
    club = club_of(slug)
    pixels, purpose = ICONS[icon]
    face = (club.emblem_version, club.colour, monogram_of(club.name))
    etag = '"{}"'.format(sha256("\n".join(face).encode()).hexdigest()[:16])
    headers = {"Cache-Control": f"public, max-age={CACHED_FOR}", "ETag": etag}
    if (unchanged := get_conditional_response(request, etag=etag)) is not None:
        return unchanged
    row = ClubEmblem.objects.filter(club=club).first()
    emblem = bytes(row.image) if row is not None else b""
    data = draw_icon(
        monogram_of(club.name), CLUB_COLOURS[club.colour], emblem, pixels, is_maskable=purpose == "maskable"
    )
    return HttpResponse(data, content_type="image/png", headers=headers)
