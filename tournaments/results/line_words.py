"""The words of typed lines in the reader's language; `tournaments.results.lines` reads them in English."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations

from django.utils.translation import get_language, pgettext

MOST_WORDS = 4
"""Of a line that are taken for words of the language: it has at most two, and names may look like others."""


@cache
def _translated(language: str) -> Mapping[str, Sequence[str]]:
    """Return the words of the active language, in lower case, by the English ones; the first of them is shown."""
    words = {
        "undo": pgettext("typed word", "undo"), "help": pgettext("typed word", "help"),
        "forfeit": pgettext("typed word", "forfeit"), "leader": pgettext("typed word", "leader"),
        "call": pgettext("typed word", "call"), "again": pgettext("typed word", "again"),
        "start": pgettext("typed word", "start"), "pin": pgettext("typed word", "pin"),
        "hold": pgettext("typed word", "hold"), "release": pgettext("typed word", "release"),
        "rest": pgettext("typed word", "rest"), "clocks": pgettext("typed word", "clocks"),
        "adjourn": pgettext("typed word", "adjourn"), "resume": pgettext("typed word", "resume"),
        "run": pgettext("typed word", "run"), "free": pgettext("typed word", "free"),
        "out": pgettext("typed word", "out"), "back": pgettext("typed word", "back"),
        "late": pgettext("typed word", "late"), "accessible": pgettext("typed word", "accessible"),
        "pause": pgettext("typed word", "pause"), "auto": pgettext("typed word", "auto"),
        "both": pgettext("typed word", "both"), "on": pgettext("typed word", "on"),
        "off": pgettext("typed word", "off"),
    }  # fmt: skip
    return {english: word.casefold().split("|") for english, word in words.items()}


@cache
def _english(language: str) -> Mapping[str, str]:
    """Return the English words by those of the active language, without those that are the same."""
    words = _translated(language).items()
    return {word: english for english, own in words for word in own if word != english}


ARGUMENTS = frozenset({"both", "on", "off"})
"""Words that end a line: there they are always taken as such."""


def in_english(line: str, is_read: Callable[[str], bool], takes_argument: Callable[[str], bool]) -> str:
    """Return a line with its words of the active language in English; English lines, and those not read, as they are.

    As few words as possible are taken for such, because names may look like them. `is_read` says whether a line says
    what to do in English, and `takes_argument` whether its last word is an argument.
    """
    words = _english(get_language() or "")
    if not words:
        return line
    with_argument, *others = _candidates(line.split(" "), words)
    if is_read(line) and not takes_argument(with_argument):
        return line
    return next((candidate for candidate in (with_argument, *others) if is_read(candidate)), line)


def _candidates(parts: list[str], words: Mapping[str, str]) -> Iterator[str]:
    if words.get(parts[-1].casefold()) in ARGUMENTS:
        parts = [*parts[:-1], words[parts[-1].casefold()]]
    yield " ".join(parts)
    places = [place for place, part in enumerate(parts) if part.casefold() in words][:MOST_WORDS]
    for count in range(1, len(places) + 1):
        for chosen in combinations(places, count):
            yield " ".join(words[part.casefold()] if place in chosen else part for place, part in enumerate(parts))


def in_own_words(line: str) -> str:
    """Return an English line, such as an example, in the words of the active language."""
    own = _translated(get_language() or "")
    return re.sub(r"[a-z]+", lambda word: own.get(word[0], [word[0]])[0], line)
