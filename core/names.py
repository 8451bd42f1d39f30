"""Names of people: tidying them, comparing them whatever their capitals and accents, reading lists of them."""

import re
import unicodedata

from engine.errors import Refused

LONGEST_NAME = 80
LONGEST_KEY = 160

# Letters that Unicode does not take apart into a letter and an accent, as people type them without one.
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
# Accents stand above, below or through a letter. The marks of classes under this one make another letter: が is not か.
_ACCENTS_FROM = 200
_NUMBERING = re.compile(r"^\s*(?:\d+\s*[.):]|[-*•·])\s+")
# They would turn the text around them.
_DIRECTION = dict.fromkeys([0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF])


def fold(name: str) -> str:
    """What is compared: two names with the same fold are taken for the same when somebody types one.

    >>> fold("  Søren  KIERKEGÅRD-Æbelø ")
    'soren kierkegard aebelo'
    """
    apart = unicodedata.normalize("NFKD", name.casefold().translate(_LETTERS))
    kept = (letter for letter in apart if unicodedata.combining(letter) < _ACCENTS_FROM)
    words = "".join(letter if unicodedata.category(letter)[0] in "LNM" else " " for letter in kept).split()
    # A name of signs alone is compared as it is, without what a database's text cannot hold.
    return (" ".join(words) or name.casefold().replace("\0", "").strip())[:LONGEST_KEY]


def clean_name(name: str, most: int = LONGEST_NAME) -> str:
    """The name on one line with single spaces. Refused: `name_missing`, `name_too_long`."""
    printable = (" " if unicodedata.category(letter) == "Cc" else letter for letter in name.translate(_DIRECTION))
    tidy = " ".join("".join(printable).split())
    if not tidy:
        raise Refused("name_missing")
    if len(tidy) > most:
        raise Refused("name_too_long", most=most, start=tidy[:20])
    return tidy


def names_in(text: str) -> list[str]:
    """The names of a pasted list, one a line; numbering and bullets before them are dropped."""
    lines = (_NUMBERING.sub("", line).strip() for line in text.splitlines())
    return [line for line in lines if line]
