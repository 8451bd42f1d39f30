"""The fonts of pictures that the server draws: DejaVu Sans, which comes with the code (see LICENSE.txt beside this).

They have the letters of Latin, Greek, Cyrillic, Hebrew and Arabic. Text in another script is left out, never drawn as
boxes; whoever draws says what stands in its place.
"""

import unicodedata
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from PIL import ImageFont, features

FOLDER = Path(__file__).parent
REGULAR, BOLD = "DejaVuSans.ttf", "DejaVuSans-Bold.ttf"
ELLIPSIS = "…"
MAX_CHARACTERS = 120
"""Of one text: no line of a picture holds more."""
RIGHT_TO_LEFT = ("R", "AL")
NOT_A_CHARACTER = "\uffff"
"""Has no glyph in any font, so it is drawn as the box that stands for unknown characters."""


class Fitted(NamedTuple):
    text: str
    font: ImageFont.FreeTypeFont


@lru_cache(maxsize=64)
def font(name: str, size: int) -> ImageFont.FreeTypeFont:
    """Return a font in a size in pixels; it sets right-to-left text where Pillow can."""
    layout = ImageFont.Layout.RAQM if _sets_right_to_left() else ImageFont.Layout.BASIC
    return ImageFont.truetype(FOLDER / name, size, layout_engine=layout)


def drawable(text: str, instead: str = "") -> str:
    """Return the characters of a text that the fonts have, on one line; `instead` if no letter or digit is left."""
    kept = "".join(char for char in text if char.isspace() or _has_glyph(char))
    line = " ".join(kept.split())[:MAX_CHARACTERS]
    return line if any(map(str.isalnum, line)) else instead


def fit(text: str, width: int, *, size: int, least: int, name: str = REGULAR) -> Fitted:
    """Return a text in the largest font from `size` down to `least` in which it is at most `width` pixels wide.

    A text that is still too long is cut and ends in an ellipsis.
    """
    for pixels in range(size, least, -2):
        if font(name, pixels).getlength(text) <= width:
            return Fitted(text, font(name, pixels))
    smallest = font(name, least)
    cut = text
    while cut and smallest.getlength(cut + ELLIPSIS) > width:
        cut = cut[:-1].rstrip()
        while cut and unicodedata.combining(cut[-1]):
            cut = cut[:-1]
    return Fitted(text if smallest.getlength(text) <= width else cut + ELLIPSIS, smallest)


def fit_lines(text: str, width: int, *, size: int, least: int, name: str = REGULAR) -> list[Fitted]:
    """Return a text in one line or, if its words do not fit in three quarters of `size`, in two of about one length."""
    one_line = fit(text, width, size=size, least=size * 3 // 4, name=name)
    words = text.split()
    if one_line.text == text or len(words) < 2:
        return [one_line if one_line.text == text else fit(text, width, size=size, least=least, name=name)]
    measure = font(name, size).getlength
    halves = [(" ".join(words[:count]), " ".join(words[count:])) for count in range(1, len(words))]
    best = min(halves, key=lambda half: max(map(measure, half)))
    longer = fit(max(best, key=measure), width, size=size * 3 // 4, least=least, name=name)
    pixels = int(longer.font.size)
    return [fit(line, width, size=pixels, least=pixels, name=name) for line in best]


@lru_cache(maxsize=1)
def _sets_right_to_left() -> bool:
    return bool(features.check("raqm"))


@lru_cache(maxsize=4096)
def _has_glyph(char: str) -> bool:
    if unicodedata.category(char) in ("Cc", "Cf", "Co", "Cs", "Cn"):
        return False
    if unicodedata.bidirectional(char) in RIGHT_TO_LEFT and not _sets_right_to_left():
        return False
    small = font(BOLD, 20)
    box, mask = small.getmask2(NOT_A_CHARACTER)[0], small.getmask2(char)[0]
    return (box.size, bytes(box)) != (mask.size, bytes(mask))
