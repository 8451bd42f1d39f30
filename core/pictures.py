"""Pictures that people send: checked and drawn anew. Read in a limited process (`core.limited`)."""

import struct
import zlib
from io import BytesIO

from PIL import Image, ImageOps

from engine.errors import Refused

MAX_KILOBYTES = 200
MAX_PIXELS = 2000
"""The longest side of a picture that is sent."""
SIDE = 384
"""The longest side of the emblem that is kept: four times what pages show."""
QUALITY = 88
SIGNATURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"RIFF")
FORMATS = ("PNG", "JPEG", "WEBP")
BROKEN = (OSError, SyntaxError, ValueError, TypeError, LookupError, struct.error, zlib.error, OverflowError)
"""What Pillow raises for files that are no pictures, or not whole."""


def drawn_anew(data: bytes) -> bytes:
    """Return a picture as a small WebP with the same pixels and nothing else that was in the file.

    Of an animation it is the first frame. The size is checked before the pixels are decoded. Refused: `emblem_bytes`,
    `emblem_format`, `emblem_svg`, `emblem_pixels`, `emblem_broken`.
    """
    if len(data) > MAX_KILOBYTES * 1024:
        raise Refused("emblem_bytes", most=MAX_KILOBYTES)
    if not data.startswith(SIGNATURES):
        raise Refused("emblem_svg" if b"<svg" in data[:4096].lower() else "emblem_format")
    try:
        with Image.open(BytesIO(data), formats=FORMATS) as picture:
            if max(picture.size) > MAX_PIXELS:
                raise Refused("emblem_pixels", most=MAX_PIXELS)
            return _drawn(picture)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise Refused("emblem_pixels", most=MAX_PIXELS) from None
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
