"""A pseudo-translation that shows which texts are not marked and which layouts break when texts grow.

`python -m tools.pseudo_locale` writes it to `var/locale`; a server that runs with DEBUG=1 then offers it as a language.
Tests use it too. Every letter gets an accent and every text grows by about 40 %, as in many languages; placeholders
and HTML stay. What a page then shows in plain letters comes from no catalogue. A second one is English from right to
left. The drafts of languages that are not offered yet are written and offered beside them.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import django
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po
from django.utils.translation import to_locale

from core.languages import NAMES, OFFERED
from tools import messages

LANGUAGE, RIGHT_TO_LEFT = "en-xa", "ar-xb"
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


def reversed_text(text: str) -> str:
    """Return a text whose letters are shown from right to left, as its language would be.

    >>> reversed_text("Save %(name)s") == "\u202eSave \u202c%(name)s"
    True
    """
    parts = re.split(f"({KEPT.pattern})", text)
    parts[::2] = [f"\u202e{part}\u202c" if part.strip() else part for part in parts[::2]]
    return "".join(parts)


def sources() -> Iterator[Catalog]:
    """Yield the English catalogues of this project and of the parts of Django that it uses."""
    yield from messages.source_catalogues().values()
    for path in sorted(Path(django.__file__).parent.glob("**/locale/en/LC_MESSAGES/django.po")):
        with path.open("rb") as file:
            yield read_po(file)


def catalogue(language: str) -> Catalog:
    """Return a pseudo-translation of every message; of two with the same id the project's own, which comes first.

    Django's admin has a plural of "entry", for example, which Python 3.11.2 does not find as a singular.
    """
    write_text = pseudo if language == LANGUAGE else reversed_text
    translated = Catalog(locale="en", fuzzy=False)
    for source in sources():
        for message in source:
            ids = message.id if isinstance(message.id, tuple) else (message.id,)
            if message.id and translated.get(ids[0], message.context) is None:
                texts = tuple(write_text(text) for text in ids)
                translated.add(message.id, texts if len(texts) > 1 else texts[0], context=message.context)
    return translated


def write(folder: Path, language: str = LANGUAGE) -> None:
    """Write a pseudo-translation so that `folder` can be one of Django's LOCALE_PATHS."""
    _write(folder, language, messages.compiled(catalogue(language)))


def write_drafts(folder: Path) -> None:
    """Write what is translated into languages that are not offered, with what nobody has reviewed."""
    for language in sorted(set(NAMES) - set(OFFERED)):
        drafts = Catalog(locale=language, fuzzy=False)
        for path in sorted(messages.ROOT.glob(f"*/locale/{language}/LC_MESSAGES/django.po")):
            with path.open("rb") as file:
                for message in read_po(file, locale=language):
                    if message.id:
                        drafts.add(message.id, message.string, context=message.context)
        _write(folder, language, messages.compiled(drafts))


def _write(folder: Path, language: str, content: bytes) -> None:
    path = folder / to_locale(language) / "LC_MESSAGES" / "django.mo"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


if __name__ == "__main__":
    to = Path(sys.argv[1]) if len(sys.argv) > 1 else messages.ROOT / "var" / "locale"
    for code in (LANGUAGE, RIGHT_TO_LEFT):
        write(to, code)
    write_drafts(to)
