"""Names of people: cleaning, comparing regardless of case and accents, and reading lists."""

import re
import unicodedata

from engine.errors import Refused

LONGEST_NAME = 80
LONGEST_KEY = 160

# Letters that Unicode does not decompose, with the spelling people use without special characters.
_LETTERS = str.maketrans(
    {
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "æ": "ae",
        "œ": "oe",
        "ı": "i",
        "ħ": "h",
        "'": "",
        "’": "",
        "`": "",
    }
)
# Accents have combining classes from here on. Marks of lower classes make another letter: が is not か.
_ACCENTS_FROM = 200
_NUMBERING = re.compile(r"^\s*(?:\d+\s*[.):]|[-*•·])\s+")
# These marks would reverse the text around them.
_DIRECTION = dict.fromkeys([0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF])


def fold(name: str) -> str:
    """Return a name in the form that is compared; names with the same form are considered equal.

    >>> fold("  Søren  KIERKEGÅRD-Æbelø ")
    'soren kierkegard aebelo'
    """
    apart = unicodedata.normalize("NFKD", name.casefold().translate(_LETTERS))
    kept = (letter for letter in apart if unicodedata.combining(letter) < _ACCENTS_FROM)
    words = "".join(letter if unicodedata.category(letter)[0] in "LNM" else " " for letter in kept).split()
    # A name without letters or digits is compared as it is, without NUL, which databases cannot store.
    return (" ".join(words) or name.casefold().replace("\0", "").strip())[:LONGEST_KEY]


def clean_name(name: str, most: int = LONGEST_NAME) -> str:
    """Return the name on one line with single spaces. Refused: `name_missing`, `name_too_long`."""
    printable = (" " if unicodedata.category(letter) == "Cc" else letter for letter in name.translate(_DIRECTION))
    tidy = " ".join("".join(printable).split())
    if not tidy:
        raise Refused("name_missing")
    if len(tidy) > most:
        raise Refused("name_too_long", most=most, start=tidy[:20])
    return tidy


def names_in(text: str) -> list[str]:
    """Return the names of a pasted list, one per line, without numbering and bullets."""
    lines = (_NUMBERING.sub("", line).strip() for line in text.splitlines())
    return [line for line in lines if line]
