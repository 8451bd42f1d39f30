"""A pseudo-translation that shows which texts are not marked and which layouts break when texts grow.

`python -m tools.pseudo_locale` writes it to `var/locale`; a server that runs with DEBUG=1 then offers it as a language.
Tests use it too. Every letter gets an accent and every text grows by about 40 %, as in many languages; placeholders
and HTML stay. What a page then shows in plain letters comes from no catalogue.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import django
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from tools import messages

LANGUAGE, FOLDER = "en-xa", "en_XA"
GROWTH = 0.4
ACCENTS = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "ÅƁÇÐÉƑĜĤÎĴĶĻḾÑÖÞǪŔŠŢÛṼŴẊÝŽåƀçðéƒĝĥîĵķļɱñöþǫŕšţûṽŵẋýž"
)
KEPT = re.compile(r"%\(\w+\)[a-z]|%[a-z%]|\{\w+[^{}]*\}|<[^>]+>|&#?\w+;")
"""What a translator leaves as it is: placeholders, tags and entities."""
VOWELS = re.compile(r"[ÅÉÎÖÛÝåéîöûý]")


def pseudo(text: str) -> str:
    """Return a text with accents and about 40 % longer, by doubled vowels and then by more words.

    >>> pseudo("Save %(name)s")
    'Šååṽéé %(name)s'
    """
    parts = re.split(f"({KEPT.pattern})", text)
    letters = sum(len(part) for part in parts[::2])
    missing = round(letters * GROWTH)
    for index in range(0, len(parts), 2):
        accented = parts[index].translate(ACCENTS)
        parts[index] = VOWELS.sub(r"\g<0>\g<0>", accented, count=missing) if missing > 0 else accented
        missing -= len(parts[index]) - len(accented)
    return "".join(parts) + "".join(" ẋẋẋẋ" for _word in range(missing // 5))


def sources() -> Iterator[Catalog]:
    """Yield the English catalogues of this project and of the parts of Django that it uses."""
    paths = sorted(messages.ROOT.glob("*/locale/en/LC_MESSAGES/django.po"))
    paths += sorted(Path(django.__file__).parent.glob("**/locale/en/LC_MESSAGES/django.po"))
    for path in paths:
        with path.open("rb") as file:
            yield read_po(file)


def catalogue() -> Catalog:
    """Return the pseudo-translation of every message; of two with the same id the project's own, which comes first.

    Django's admin has a plural of "entry", for example, which Python 3.11.2 does not find as a singular.
    """
    translated = Catalog(locale="en", fuzzy=False)
    for source in sources():
        for message in source:
            ids = message.id if isinstance(message.id, tuple) else (message.id,)
            if message.id and translated.get(ids[0], message.context) is None:
                texts = tuple(pseudo(text) for text in ids)
                translated.add(message.id, texts if len(texts) > 1 else texts[0], context=message.context)
    return translated


def write(folder: Path) -> None:
    """Write the pseudo-translation so that `folder` can be one of Django's LOCALE_PATHS."""
    path = folder / FOLDER / "LC_MESSAGES" / "django.mo"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(messages.compiled(catalogue()))


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else messages.ROOT / "var" / "locale")
