"""Names of people: cleaning, and comparing regardless of case and accents."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any

from django.utils.translation import gettext

from core.text_lengths import MAX_NAME_LENGTH
from engine.errors import Refused

MAX_NAME_KEY_LENGTH = 160

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
INVISIBLE = (
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Unicode's Default_Ignorable_Code_Point, some of which reverse text, and blanks that are no spaces."""
_JOINED = "[\u0600-\u0dff\u1000-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc]"
_EMOJI = "[\u2190-\u27ff\u2900-\u2bff\U0001f000-\U0001faff]"
# Letters of Arabic and Indic scripts join, or do not, in Bengali and Malayalam also at the end of a word. Emoji join,
# and the flags of England, Scotland and Wales are spelled.
_NEEDED = (
    f"(?<={_JOINED})[\u200c\u200d](?={_JOINED})|(?<=[\u09cd\u0d4d])\u200d|(?<={_EMOJI})\ufe0f?\u200d(?={_EMOJI})"
    f"|(?<={_EMOJI})\ufe0f|(?<=\U0001f3f4)[\U000e0020-\U000e007f]+"
)
_NOT_SEEN = re.compile(f"({_NEEDED})|{INVISIBLE}")


def visible(text: str) -> str:
    """Return a text without what is not seen in it; empty if nothing is. Joiners stay where a script needs them.

    >>> visible("An\u00adna\u200b Berg"), visible("\u3164 \u2800"), len(visible("علی\u200cرضا"))
    ('Anna Berg', '', 8)
    """
    seen = _NOT_SEEN.sub(r"\1", text)
    return seen if seen.strip() else ""


@lru_cache(maxsize=4096)
def _in_words(letter: str) -> str:
    """What stands for a letter among the words of a name: itself, nothing for an accent, a space for all else."""
    if unicodedata.combining(letter) >= _ACCENTS_FROM:
        return ""
    return letter if unicodedata.category(letter)[0] in "LNM" else " "


def fold(name: str) -> str:
    """Return a name in the form that is compared; names with the same form are considered equal.

    >>> fold("  Søren  KIERKEGÅRD-Æbe\u200blø ")
    'soren kierkegard aebelo'
    """
    name = re.sub(INVISIBLE, "", name)
    apart = unicodedata.normalize("NFKD", name.casefold().translate(_LETTERS))
    words = "".join(map(_in_words, apart)).split()
    # A name without letters or digits is compared as it is, without NUL, which databases cannot store.
    return (" ".join(words) or name.casefold().replace("\0", "").strip())[:MAX_NAME_KEY_LENGTH]


def initials_of(name: str) -> str:
    """Return the first letters of the first and the last word of a name, in capitals; empty without letters.

    >>> initials_of("Rosa Maria Fernández"), initials_of("G. W."), initials_of("…")
    ('RF', 'GW', '')
    """
    words = [first for word in name.split() if (first := next(filter(str.isalnum, word), ""))]
    return "".join([*words[:1], *words[1:][-1:]]).upper()


def short_name(name: str) -> str:
    """Return the first word of a name with the initials of the later ones, for a narrow place.

    >>> short_name("Rosa Maria Fernández"), short_name("Omar"), short_name("G. W.")
    ('Rosa M. F.', 'Omar', 'G. W.')
    """
    first, *others = name.split() or [""]
    return " ".join([first, *(f"{other[0]}." for other in others)])


def clean_name(name: str, most: int = MAX_NAME_LENGTH) -> str:
    """Return the name on one line with single spaces. Refused: `name_missing`, `name_too_long`."""
    printable = (" " if unicodedata.category(letter) == "Cc" else letter for letter in visible(name))
    tidy = " ".join("".join(printable).split())
    if not tidy:
        raise Refused("name_missing")
    if len(tidy) > most:
        raise Refused("name_too_long", most=most, start=tidy[:20])
    return tidy


def numbered(name: str, number: int) -> str:
    """Return a name with the number of an entry, as in “Bob (2)”; a first entry shows none."""
    return name if number == 1 else gettext("{name} ({number})").format(name=name, number=number)


_BETWEEN = r"[\s_-]+"
"""What may stand between the words of a name."""


def _words(name: str) -> list[str]:
    return [word for word in re.split(_BETWEEN, name) if word]


def _spoken(name: str) -> str:
    """Return a name as masks compare it: its words without regard to case."""
    return " ".join(_words(name.casefold())) or name.strip()


def surname_last(name: str) -> str:
    """Return a name such as “Novák, Jan” as Jan Novák; others as they are.

    >>> surname_last("Novák, Jan"), surname_last("Jan Novák, Jr."), surname_last("Novák,")
    ('Jan Novák', 'Jan Novák, Jr.', 'Novák,')
    """
    last, _comma, first = (part.strip() for part in name.partition(","))
    return f"{first} {last}" if last and first and "," not in first and not has_suffix(name) else name


def has_suffix(name: str) -> bool:
    """Whether what follows the comma of a name is part of it, as in “Jan Novák, Jr.”."""
    return fold(name.partition(",")[2]) in ("jr", "sr", "ii", "iii", "iv")


class SimilarNames:
    """Names that may be other spellings of a name: reordered, shortened, or with a letter more, less or changed."""

    SHORTEST = 5
    """Letters of the shortest name in which one may differ."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names: dict[str, list[str]] = defaultdict(list)
        self.folded: list[str] = list(dict.fromkeys(map(fold, names)))
        for name in self.folded:
            for key in self._keys(name):
                self._names[key].append(name)

    def like(self, name: str) -> list[str]:
        """Return the folded names that this one may be instead, in the order in which they were given."""
        own = fold(name)
        candidates = {other for key in self._keys(own) for other in self._names.get(key, ())} - {own}
        return sorted((other for other in candidates if self._may_be(own, other)), key=self.folded.index)

    @classmethod
    def _keys(cls, name: str) -> Iterator[str]:
        words = name.split()
        yield f"words {' '.join(sorted(words))}"
        for word in {*words[:1], *words[-1:]}:
            yield f"word {word}"
        letters = "".join(words)
        if len(letters) >= cls.SHORTEST:
            yield letters
            yield from {letters[:place] + letters[place + 1 :] for place in range(len(letters))}

    @classmethod
    def _may_be(cls, one: str, other: str) -> bool:
        if re.findall(r"\d+", one) != re.findall(r"\d+", other):
            return False
        words, others = one.split(), other.split()
        if sorted(words) == sorted(others):
            return True
        if 1 in (len(words), len(others)) and len(words) != len(others):
            short, long = sorted((words, others), key=len)
            return short[0] in (long[0], long[-1])
        if len(words) == len(others) and all(map(_abbreviates, words, others)):
            return True
        if len(words) == len(others) and any(
            word != own and len(word) == len(own) == 1 for word, own in zip(words, others, strict=True)
        ):
            return False
        letters, other_letters = "".join(words), "".join(others)
        return min(len(letters), len(other_letters)) >= cls.SHORTEST and _differ_by_one(letters, other_letters)


def _abbreviates(word: str, other: str) -> bool:
    """Whether two words are equal, or one is the first letter of the other."""
    return word == other or (1 in (len(word), len(other)) and word[0] == other[0])


def _differ_by_one(one: str, other: str) -> bool:
    """Whether a letter is missing, added or another one, or two neighbours are exchanged."""
    start = next((place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), len(one))
    rest, other_rest = one[start:], other[start:]
    exchanged = rest[1:2] + rest[:1] + rest[2:]
    return other_rest in (rest[1:], exchanged) or other_rest[1:] in (rest, rest[1:])


class NameMask:
    """Replaces names in texts and JSON values, whatever their case and spacing; falsy if there are none."""

    MIN_PART = 3
    """Shortest name that is replaced inside a longer text; a shorter one is replaced only if it is the whole text."""

    def __init__(self, replacements: Mapping[str, str]) -> None:
        self._replacements = {_spoken(name): shown for name, shown in replacements.items() if _spoken(name)}
        # Folding the case of a name can change its letters (ß to ss), which a pattern would then not find.
        self._spellings = {
            " ".join(_words(spelling)) for name in replacements for spelling in (name, name.lower(), name.casefold())
        }

    def __bool__(self) -> bool:
        return bool(self._replacements)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        long = (name for name in self._spellings if len(name) >= self.MIN_PART)
        names = "|".join(_BETWEEN.join(map(re.escape, name.split())) for name in sorted(long, key=len, reverse=True))
        return re.compile(rf"(?<![^\W_])(?:{names})(?![^\W_])" if names else r"(?!)", re.IGNORECASE)

    def text(self, text: str) -> str:
        replacement = self._replacements.get(_spoken(text))
        return self._pattern.sub(self._replace, text) if replacement is None else replacement

    def _replace(self, match: re.Match[str]) -> str:
        return self._replacements.get(_spoken(match[0]), "")

    def inside(self, value: Any, *, keys: bool = True) -> Any:
        """Replace names in every text of a JSON value, and in its `keys`."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(key) if keys else key: self.inside(inner, keys=keys) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.inside(inner, keys=keys) for inner in value]
        return value
