"""The lines of an evening: at most a few sentences for everybody, chosen so that they are true and kind."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import median
from typing import NamedTuple

from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

MAX_LINES = 5
MAX_DIVISIONS = 2
"""Whose winners are told: those with the most players."""
MAX_UPSET_CHANCE = 0.35
MAX_COMEBACK_CHANCE = 0.10
RARE = 0.05
"""Below it an upset happens less than once in ten times, rounded."""
MIN_TIMED_MATCHES = 5
MIN_LONGEST = 30
"""Minutes."""
LONG = 1.5
"""Times the median."""
MAX_NEWCOMERS = 3
"""With more of them nobody is welcomed: all are new on the first evening of a club, and some would be left out."""


class LineCode(StrEnum):
    """The kinds of lines, in their order."""

    WINNER = "winner"
    UPSET = "upset"
    COMEBACK = "comeback"
    LONGEST = "longest"
    WELCOME = "welcome"


class Deficit(NamedTuple):
    """Where the winner of a match stood worst: their chance to win it (0–1), and the score with their points first."""

    chance: float
    score: str


@dataclass(frozen=True, slots=True)
class FinishedMatch:
    """A match that was played and whose result is final; people are known by their ids."""

    pk: int
    number: int
    winner: int
    loser: int
    score: str
    """With the winner's points first."""
    chance: float | None = None
    """The winner's by the ratings before it (0–1); None if it is not rated or one of the ratings is provisional."""
    minutes: int | None = None
    """From its beginning to its end; None if either is not known."""
    deficit: Deficit | None = None

    @property
    def people(self) -> tuple[int, int]:
        return self.winner, self.loser


@dataclass(frozen=True, slots=True)
class DivisionWon:
    """A division whose first place is certain."""

    pk: int
    name: str
    players: int
    winner: int
    final: int | None = None
    """The match that decided it, if one did."""


@dataclass(frozen=True, slots=True)
class LetterLine:
    """One line: its kind, whom it is about, the match that it tells, and what else its sentence says."""

    code: LineCode
    people: tuple[int, ...]
    match: int | None = None
    values: Mapping[str, str | int] = field(default_factory=dict)
    division: int | None = None

    @property
    def key(self) -> str:
        """What is stored of it: ids and the score, and never a name."""
        about = (self.code, self.division, *self.people, self.values.get("score"))
        return ":".join(str(part) for part in about if part is not None)


def chosen_lines(
    divisions: Iterable[DivisionWon],
    matches: Iterable[FinishedMatch],
    newcomers: Sequence[int] = (),
    left_out: Collection[int] = (),
) -> tuple[LetterLine, ...]:
    """Choose the lines of an evening.

    A match is in one line only, and nobody is the loser of two. What concerns somebody of `left_out` is not told.
    """
    chooser = _Chooser({row.pk: row for row in matches}, left_out)
    chooser.add_winners([row for row in divisions if row.winner not in left_out])
    chooser.add_upset()
    chooser.add_comeback()
    chooser.add_longest()
    welcome = [player for player in newcomers if player not in left_out]
    if 0 < len(newcomers) <= MAX_NEWCOMERS and welcome:
        chooser.lines.append(LetterLine(LineCode.WELCOME, tuple(welcome)))
    return tuple(chooser.lines[:MAX_LINES])


class _Chooser:
    def __init__(self, matches: Mapping[int, FinishedMatch], left_out: Collection[int]) -> None:
        self.matches, self.left_out = matches, left_out
        self.lines: list[LetterLine] = []
        self._losers: set[int] = set()

    def _may_tell(self, match: FinishedMatch) -> bool:
        # So no match is told twice either.
        return match.loser not in self._losers and not {*match.people} & {*self.left_out}

    def _tell(self, code: LineCode, match: FinishedMatch, **values: str | int) -> None:
        self.lines.append(LetterLine(code, match.people, match.pk, {"score": match.score} | values))
        self._losers.add(match.loser)

    def add_winners(self, divisions: Iterable[DivisionWon]) -> None:
        for row in sorted(divisions, key=lambda row: (-row.players, row.pk))[:MAX_DIVISIONS]:
            values: dict[str, str | int] = {"division": row.name, "count": row.players}
            final = self.matches.get(row.final or 0)
            if final is None or final.winner != row.winner or not self._may_tell(final):
                self.lines.append(LetterLine(LineCode.WINNER, (row.winner,), None, values, row.pk))
                continue
            values["score"] = final.score
            self.lines.append(LetterLine(LineCode.WINNER, final.people, final.pk, values, row.pk))
            self._losers.add(final.loser)

    def add_upset(self) -> None:
        rows = [(row.chance, row.number, row.pk) for row in self.matches.values() if row.chance is not None]
        for chance, _number, pk in sorted(rows):
            if chance <= MAX_UPSET_CHANCE and self._may_tell(self.matches[pk]):
                times = 0 if chance < RARE else max(1, int(10 * chance + 0.5))
                return self._tell(LineCode.UPSET, self.matches[pk], times=times)
        return None

    def add_comeback(self) -> None:
        rows = [(row.deficit, row.number, row.pk) for row in self.matches.values() if row.deficit is not None]
        for deficit, _number, pk in sorted(rows):
            if deficit.chance <= MAX_COMEBACK_CHANCE and self._may_tell(self.matches[pk]):
                return self._tell(LineCode.COMEBACK, self.matches[pk], deficit=deficit.score)
        return None

    def add_longest(self) -> None:
        """Only the longest of all is told: the second-longest would not be true."""
        timed = [(row.minutes, -row.number, row.pk) for row in self.matches.values() if row.minutes is not None]
        if len(timed) < MIN_TIMED_MATCHES:
            return
        minutes, _number, pk = max(timed)
        is_long = minutes >= max(MIN_LONGEST, LONG * median(row[0] for row in timed))
        if is_long and self._may_tell(self.matches[pk]):
            self._tell(LineCode.LONGEST, self.matches[pk], minutes=minutes)


def sentence_of(line: LetterLine, names: Mapping[int, str]) -> str:
    """Return a line in the active language, with the names of people by id as everybody may see them."""
    people = [names[player] for player in line.people]
    match line.code:
        case LineCode.WELCOME:
            return _("A first night for %(names)s.") % {"names": get_text_list(people, _("and"))}
        case LineCode.LONGEST:
            return _("%(winner)s and %(loser)s took %(minutes)d minutes.") % _about(line, people)
        case LineCode.COMEBACK:
            return _("%(winner)s was %(deficit)s down and won %(score)s.") % _about(line, people)
        case LineCode.UPSET:
            return _upset(line) % _about(line, people)
    count = int(line.values["count"])
    if line.match is None:
        text = ngettext(
            "%(winner)s won the %(division)s (%(count)d player).",
            "%(winner)s won the %(division)s (%(count)d players).",
            count,
        )
        return text % {**line.values, "winner": people[0]}
    text = ngettext(
        "%(winner)s won the %(division)s (%(count)d player), %(score)s in the final against %(loser)s.",
        "%(winner)s won the %(division)s (%(count)d players), %(score)s in the final against %(loser)s.",
        count,
    )
    return text % _about(line, people)


def _upset(line: LetterLine) -> str:
    times = int(line.values["times"])
    if not times:
        return _("%(winner)s beat %(loser)s %(score)s; by their ratings that happens less than once in 10 times.")
    return ngettext(
        "%(winner)s beat %(loser)s %(score)s; by their ratings that happens once in 10 times.",
        "%(winner)s beat %(loser)s %(score)s; by their ratings that happens %(times)d times in 10.",
        times,
    )


def _about(line: LetterLine, people: Sequence[str]) -> dict[str, str | int]:
    return {**line.values, "winner": people[0], "loser": people[1]}
