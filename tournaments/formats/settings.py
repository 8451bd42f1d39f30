"""What a director chooses for one stage, whatever its format; checked, and as plain data for a row.

One class serves all formats: each reads only what it knows. What is empty is chosen by the format itself (the
usual pattern, the usual tie-breaks), so that a stage needs no more than the name of its format.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from enum import StrEnum
from typing import Any

from tournaments.formats.elimination.patterns import parse
from tournaments.formats.errors import Refused
from tournaments.formats.forecast.finish_times import LONGEST_MATCH
from tournaments.formats.swiss.event import Order
from tournaments.formats.tables.records import NEWEST, Edition
from tournaments.formats.tables.round_robin import LeaverRule, Scoring, Unplayed
from tournaments.formats.tables.tiebreaks import TIEBREAKS

KNOCKOUT = "knockout"
PROGRESSIVE = "progressive"
DOUBLE = "double"
SWISS = "swiss"
LIVES = "lives"
ROUND_ROBIN = "roundrobin"
GROUPS = "groups"
LEAGUE = "league"

FORMATS = (KNOCKOUT, PROGRESSIVE, DOUBLE, SWISS, LIVES, ROUND_ROBIN, GROUPS, LEAGUE)
ELIMINATION = (KNOCKOUT, PROGRESSIVE, DOUBLE)
"""Formats in which a bracket says who meets whom."""
BY_ROUND = (SWISS, LIVES)
"""Formats in which a round is paired when the one before it is over."""
TABLES = (ROUND_ROBIN, GROUPS, LEAGUE)
"""Formats in which all play all, and a table says who stands where."""

SNAKE, DRAWN = "snake", "drawn"
GROUP_DRAWS = (SNAKE, DRAWN)
FEWEST_LIVES, MOST_LIVES = 2, 9
LEAST_DIVISION, LARGEST_DIVISION = 4, 12
"""Entries of a division of a league."""
MOST_ROUNDS = 30
LONGEST_COUNTDOWN = 3600
"""Seconds."""
MOST_GROUPS = 512
MOST_TABLE_POINTS = 100
MOST_MATCHES = 50_000
"""Matches of a stage in which all play all: a field of about 300."""
MISSED_POINTS = (0.0, 0.5)

DEFAULT_TIEBREAKS: Mapping[str, tuple[str, ...]] = {
    SWISS: ("buchholz_cut_1", "buchholz", "sonneborn_berger", "head_to_head", "lots"),
    ROUND_ROBIN: ("head_to_head", "sonneborn_berger", "wins", "lots"),
    GROUPS: ("head_to_head", "sonneborn_berger", "wins", "lots"),
    LEAGUE: ("head_to_head", "wins", "sonneborn_berger", "lots"),
}
"""Format -> tie-breaks in order, where the director names none."""

_TABLE = frozenset({"lengths", "twice", "tiebreaks", "win", "loss", "leaver_rule"})
_ROUNDS = frozenset({"next_round", "countdown"})
OWN_SETTINGS: Mapping[str, frozenset[str]] = {
    KNOCKOUT: frozenset({"lengths"}),
    PROGRESSIVE: frozenset({"lengths", "lower_lengths", "last_lengths", "pattern", "last_chance"}),
    DOUBLE: frozenset({"lengths", "lower_lengths", "final_lengths", "pattern", "second_final"}),
    SWISS: frozenset({"lengths", "rounds", "order", "missed_points", "allow_rematches", "tiebreaks", "edition"})
    | _ROUNDS,
    LIVES: _ROUNDS | {"lengths", "lives"},
    ROUND_ROBIN: _TABLE,
    GROUPS: _TABLE | {"groups", "group_draw"},
    LEAGUE: _TABLE | {"until", "join_until", "unplayed", "moving"},
}
"""Format -> the settings that mean something for it, besides `qualifiers`, which any but the last stage has."""


class NextRound(StrEnum):
    """What happens to the next round of a Swiss or of lives when a round is complete."""

    ASK = "ask"
    DRAFT = "draft"
    PUBLISH = "publish"


@dataclass(frozen=True, slots=True)
class StageSettings:
    """The settings of a stage.

    Match lengths by round are in points; the last one goes on. `lower_lengths` are those of the consolation or the
    lower bracket, `last_lengths` of the last chance, `final_lengths` of the final(s) between upper and lower winner;
    where empty, the ones before hold. `pattern` is that of the consolation or lower bracket ("" takes the first one
    proposed for the field), `last_chance` that of the bracket fed by the consolation (None: there is none).

    `rounds` of a Swiss is None for one that ends when one is unbeaten. `next_round` says what happens when a round
    is complete: the next one is asked for by hand, becomes a draft, or a draft that publishes itself after `countdown`
    seconds. `missed_points` go to a late entrant for each round he missed.

    `groups` counts groups, filled by `group_draw`. `qualifiers` go on to the next stage: of each group, or of the
    whole stage; None where this stage is the last. `win` and `loss` are table points of a match. A league is played
    `until` the end of a day (ISO), when matches not played count as `unplayed` says; `moving` go up and down between
    its divisions. `edition` is that of the regulations which say what the unplayed rounds of a Swiss are worth.
    """

    format: str = KNOCKOUT
    lengths: tuple[int, ...] = ()
    lower_lengths: tuple[int, ...] = ()
    last_lengths: tuple[int, ...] = ()
    final_lengths: tuple[int, ...] = ()
    pattern: str = ""
    last_chance: str | None = None
    second_final: bool = False
    rounds: int | None = None
    lives: int = 3
    order: Order = Order.RANDOM
    next_round: NextRound = NextRound.DRAFT
    countdown: int = 180
    missed_points: float = 0.0
    allow_rematches: bool = False
    twice: bool = False
    groups: int = 2
    group_draw: str = DRAWN
    qualifiers: int | None = None
    tiebreaks: tuple[str, ...] = ()
    win: float = 1.0
    loss: float = 0.0
    leaver_rule: LeaverRule = LeaverRule.HALF
    until: str = ""
    join_until: str = ""
    unplayed: Unplayed = Unplayed.NOTHING
    moving: int = 1
    edition: Edition = NEWEST

    @property
    def tiebreak_order(self) -> tuple[str, ...]:
        """The tie-breaks that count, drawing of lots always last, so that a place is one entry's."""
        chosen = self.tiebreaks or DEFAULT_TIEBREAKS.get(self.format, ())
        return chosen if "lots" in chosen or not chosen else (*chosen, "lots")

    @property
    def scoring(self) -> Scoring:
        """Table points of a match."""
        return Scoring(self.win, self.loss, unplayed=self.win / 2 if self.unplayed is Unplayed.HALF else 0.0)

    def checked(self, default_lengths: Sequence[int] = ()) -> "StageSettings":
        """The same settings; `default_lengths` are the division's, where the stage has no match lengths of its own.

        Raises Refused with `no_such_format`, `setting_not_used`, `bad_length`, `unknown_tiebreak`, `bad_setting`, or a
        `pattern_…` code.
        """
        if self.format not in FORMATS:
            raise Refused("no_such_format", name=self.format)
        for name in sorted(self._changed() - OWN_SETTINGS[self.format] - {"qualifiers"}):
            raise Refused("setting_not_used", name=name, format=self.format)
        for length in (*self.lengths, *self.lower_lengths, *self.last_lengths, *self.final_lengths):
            if not 1 <= length <= LONGEST_MATCH:
                raise Refused("bad_length", most=LONGEST_MATCH, length=length)
        for pattern in filter(None, (self.pattern, self.last_chance)):
            parse(pattern)
        self._check_tiebreaks(self.lengths or tuple(default_lengths))
        for name, fault in self._faults().items():
            if fault:
                raise Refused("bad_setting", name=name, value=getattr(self, name))
        return self

    def _check_tiebreaks(self, lengths: Sequence[int]) -> None:
        for name in self.tiebreaks:
            if name not in TIEBREAKS:
                raise Refused("unknown_tiebreak", name=name)
        if "point_difference" in self.tiebreaks and len(set(lengths)) > 1:
            raise Refused("tiebreak_needs_one_length", lengths=", ".join(map(str, lengths)))

    def _faults(self) -> dict[str, bool]:
        """Setting -> whether it is out of range."""
        return {
            "rounds": self.rounds is not None and not 1 <= self.rounds <= MOST_ROUNDS,
            "countdown": not 0 <= self.countdown <= LONGEST_COUNTDOWN,
            "lives": not FEWEST_LIVES <= self.lives <= MOST_LIVES,
            "groups": not 1 <= self.groups <= MOST_GROUPS,
            "group_draw": self.group_draw not in GROUP_DRAWS,
            "qualifiers": self.qualifiers is not None and self.qualifiers < 1,
            "missed_points": self.missed_points not in MISSED_POINTS,
            "win": not 0 < self.win <= MOST_TABLE_POINTS,
            "loss": not 0 <= self.loss < self.win,
            "moving": not 0 <= self.moving <= LARGEST_DIVISION,
            "until": not _is_day(self.until),
            "join_until": not _is_day(self.join_until),
        }

    def as_data(self) -> dict[str, Any]:
        """What differs from the defaults, as JSON takes it.

        The edition of the regulations is always there where it matters: a newer one must not change a table.
        """
        pinned = {"edition"} & OWN_SETTINGS[self.format]
        names = [field.name for field in fields(self) if field.name in self._changed() | pinned]
        return {name: _plain(getattr(self, name)) for name in names}

    def _changed(self) -> set[str]:
        """The names of settings that differ from their defaults."""
        usual = StageSettings(self.format)
        return {field.name for field in fields(self) if getattr(self, field.name) != getattr(usual, field.name)}

    @classmethod
    def of(cls, format_: str, data: Mapping[str, Any]) -> "StageSettings":
        """The settings of a stage from the JSON of its row; unknown names are left out."""
        known = {field.name for field in fields(cls)} - {"format"}
        values = {name: value for name, value in data.items() if name in known}
        for name in ("lengths", "lower_lengths", "last_lengths", "final_lengths", "tiebreaks"):
            if name in values:
                values[name] = tuple(values[name])
        for name, choice in CHOICES.items():
            if name in values:
                values[name] = choice(values[name])
        return replace(cls(format_), **values)


CHOICES: Mapping[str, Callable[[str], StrEnum]] = {
    "order": Order,
    "next_round": NextRound,
    "leaver_rule": LeaverRule,
    "unplayed": Unplayed,
    "edition": Edition,
}
"""Settings that are one of a few."""


def check_league_size(entries: int) -> None:
    """Raises Refused("division_size") for a field that a league division does not hold."""
    if not LEAST_DIVISION <= entries <= LARGEST_DIVISION:
        raise Refused("division_size", least=LEAST_DIVISION, most=LARGEST_DIVISION, entries=entries)


def check_matches(count: int) -> None:
    """Raises Refused("too_many_matches") for a stage that nobody could play, let alone keep."""
    if count > MOST_MATCHES:
        raise Refused("too_many_matches", matches=count, most=MOST_MATCHES)


def _is_day(text: str) -> bool:
    if not text:
        return True
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, StrEnum) else value
