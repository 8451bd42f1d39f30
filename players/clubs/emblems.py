"""The emblem of a club: checked, drawn anew by the server and kept in the database."""

import struct
import zlib
from hashlib import sha256
from io import BytesIO

from django.core.files import File
from django.db import transaction
from django.http import Http404
from PIL import Image, ImageOps

from engine.errors import Refused
from players.actors import Actor, log
from players.models import Club, ClubEmblem
from players.people.rows import club_topic, lock_club

MOST_KILOBYTES = 200
MOST_PIXELS = 2000
"""The longest side of a picture that is sent."""
SIDE = 384
"""The longest side of the emblem that is kept: four times what pages show."""
QUALITY = 88
SIGNATURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"RIFF")
FORMATS = ("PNG", "JPEG", "WEBP")
BROKEN = (OSError, SyntaxError, ValueError, TypeError, LookupError, struct.error, zlib.error, OverflowError)
"""What Pillow raises for files that are no pictures, or not whole."""


def picture_data(file: "File[bytes]") -> bytes:
    """Return the bytes of a picture that was sent. Refused: `emblem_bytes`, before the file is read."""
    if (file.size or 0) > MOST_KILOBYTES * 1024:
        raise Refused("emblem_bytes", most=MOST_KILOBYTES)
    return bytes(file.read())


def drawn_anew(data: bytes) -> bytes:
    """Return a picture as a small WebP with the same pixels and nothing else that was in the file.

    Of an animation it is the first frame. The size is checked before the pixels are decoded. Refused: `emblem_bytes`,
    `emblem_format`, `emblem_svg`, `emblem_pixels`, `emblem_broken`.
    """
    if len(data) > MOST_KILOBYTES * 1024:
        raise Refused("emblem_bytes", most=MOST_KILOBYTES)
    if not data.startswith(SIGNATURES):
        raise Refused("emblem_svg" if b"<svg" in data[:4096].lower() else "emblem_format")
    try:
        with Image.open(BytesIO(data), formats=FORMATS) as picture:
            if max(picture.size) > MOST_PIXELS:
                raise Refused("emblem_pixels", most=MOST_PIXELS)
            return _drawn(picture)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise Refused("emblem_pixels", most=MOST_PIXELS) from None
    except BROKEN:
        raise Refused("emblem_broken") from None


def _drawn(picture: Image.Image) -> bytes:
    picture.load()
    upright = ImageOps.exif_transpose(picture)
    upright.thumbnail((SIDE, SIDE))
    pixels = upright.convert("RGBA")
    # A new picture, since a converted one keeps the colour profile and texts of the file.
    emblem = Image.new("RGBA", pixels.size)
    emblem.paste(pixels)
    drawn = BytesIO()
    emblem.save(drawn, "WEBP", quality=QUALITY)
    return drawn.getvalue()


def set_emblem(*, club: Club, data: bytes, by: Actor) -> Club:
    """Replace the emblem of a club. Refused: as `drawn_anew`."""
    image = drawn_anew(data)
    version = sha256(image).hexdigest()[:16]
    with transaction.atomic():
        locked = lock_club(club)
        if locked.emblem_version == version:
            return locked
        ClubEmblem.objects.update_or_create(club=locked, defaults={"image": image})
        locked.emblem_version = version
        locked.save(update_fields=["emblem_version"])
        log(by, "club_emblem_set", club_topic(locked), club=locked, version=version)
    return locked


@transaction.atomic
def remove_emblem(*, club: Club, by: Actor) -> Club:
    """Remove the emblem of a club, if it has one."""
    locked = lock_club(club)
    if not locked.emblem_version:
        return locked
    ClubEmblem.objects.filter(club=locked).delete()
    locked.emblem_version = ""
    locked.save(update_fields=["emblem_version"])
    log(by, "club_emblem_removed", club_topic(locked), club=locked)
    return locked


def emblem_image(slug: str, version: str) -> bytes:
    """Return the emblem of a club in this version. Raises Http404 for any other."""
    row = ClubEmblem.objects.filter(club__slug=slug, club__emblem_version=version).first()
    if row is None:
        raise Http404
    return bytes(row.image)
