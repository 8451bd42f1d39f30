"""The settings of a stage, checked, and converted to and from the JSON of its row.

One class serves all formats; each uses only its own settings. An empty setting means the default of the format (its
usual pattern, its usual tie-breaks), so that the name of the format is enough to define a stage.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date, time
from enum import StrEnum
from typing import Any

from formats.elimination.byes import LowerByes
from formats.elimination.patterns import parse
from formats.elimination.places import MAX_FIELD
from formats.errors import Refused
from formats.forecast.finish_times import MAX_MATCH
from formats.swiss.event import Order
from formats.tables.records import NEWEST, Edition
from formats.tables.round_robin import LeaverRule, Scoring, Unplayed
from formats.tables.tiebreaks import TIEBREAKS

KNOCKOUT = "knockout"
PROGRESSIVE = "progressive"
DOUBLE = "double"
PLACES = "places"
SWISS = "swiss"
LIVES = "lives"
ROUND_ROBIN = "roundrobin"
GROUPS = "groups"
LEAGUE = "league"

FORMATS = (KNOCKOUT, PROGRESSIVE, DOUBLE, PLACES, SWISS, LIVES, ROUND_ROBIN, GROUPS, LEAGUE)
ELIMINATION = (KNOCKOUT, PROGRESSIVE, DOUBLE, PLACES)
"""Formats played in brackets."""
ONE_ORDER = (DOUBLE, PLACES)
"""Those of them whose brackets together have one order of places."""
BY_ROUND = (SWISS, LIVES)
"""Formats whose rounds are paired one by one, each when the round before it is over."""
TABLES = (ROUND_ROBIN, GROUPS, LEAGUE)
"""Formats in which everybody plays everybody and a table ranks them."""

SNAKE, DRAWN = "snake", "drawn"
GROUP_DRAWS = (SNAKE, DRAWN)
MIN_LIVES, MAX_LIVES = 2, 9
MAX_LIVES_WITHOUT_ROUNDS = 5
MAX_MATCHES_WITHOUT_ROUNDS = 15
"""The most matches that each entry of a Swiss without rounds plays."""
MAX_WINDOW = 15
"""In minutes."""
MAX_LEAD = 3
STRICT_LEAD, STRICT_WINDOW = 1, 2
MAX_LATE_FIELD = 64
"""The most players still in from whom on matches can have a length of their own."""
SWITCH_PLACES = (8, 16, 32, 64)
"""The places of the bracket to which lives without rounds can switch."""
MIN_DIVISION, MAX_DIVISION = 4, 12
"""The number of entries of a league division."""
MAX_ROUNDS = 30
MAX_STARTS = 8
"""The rounds, counted from the final, in which the best can start: the round of 256 is the earliest."""
MAX_COUNTDOWN = 3600
"""In seconds."""
MAX_GROUPS = 512
MAX_TABLE_POINTS = 100
MAX_MATCHES = 50_000
"""The most matches of a stage in which everybody plays everybody: about 300 entries."""
MISSED_POINTS = (0.0, 0.5)
SHARED_BY = (2, 4, 8)
"""By how many entries at most places are shared that are not played for."""

DEFAULT_TIEBREAKS: Mapping[str, tuple[str, ...]] = {
    SWISS: ("buchholz_cut_1", "buchholz", "sonneborn_berger", "head_to_head", "lots"),
    ROUND_ROBIN: ("head_to_head", "sonneborn_berger", "wins", "lots"),
    GROUPS: ("head_to_head", "sonneborn_berger", "wins", "lots"),
    LEAGUE: ("head_to_head", "wins", "sonneborn_berger", "lots"),
}
"""Format -> tie-breaks in order, used if the director chooses none."""

_TABLE = frozenset({"lengths", "twice", "tiebreaks", "win", "loss", "leaver_rule"})
_ROUNDS = frozenset({"next_round", "countdown", "pairing", "window", "lead", "late_until", "ended"})
OWN_SETTINGS: Mapping[str, frozenset[str]] = {
    KNOCKOUT: frozenset({"lengths", "starts"}),
    PROGRESSIVE: frozenset({"lengths", "lower_lengths", "last_lengths", "pattern", "last_chance", "lower_byes"}),
    DOUBLE: frozenset({"lengths", "lower_lengths", "final_lengths", "pattern", "second_final", "lower_byes"}),
    PLACES: frozenset({"lengths", "lower_lengths", "played_to", "shared_by"}),
    SWISS: frozenset({"lengths", "rounds", "order", "missed_points", "allow_rematches", "tiebreaks", "edition"})
    | _ROUNDS,
    LIVES: _ROUNDS | {"lengths", "lives", "leader", "switch_time", "late_from", "late_length"},
    ROUND_ROBIN: _TABLE,
    GROUPS: _TABLE | {"groups", "group_draw"},
    LEAGUE: _TABLE | {"until", "join_until", "unplayed", "moving"},
}
"""Format -> its settings, apart from `qualifiers`, which every stage but the last has."""


class PairingMode(StrEnum):
    """Whether a Swiss or lives is paired in rounds, or as soon as suitable players are free."""

    ROUNDS = "rounds"
    CONTINUOUS = "continuous"


class Leader(StrEnum):
    """When two players with unequal lives may meet: if one of them has nobody to wait for, or only if both have."""

    PLAYS = "plays"
    WAITS = "waits"


class NextRound(StrEnum):
    """How the next round of a Swiss or of lives comes about when a round is complete."""

    ASK = "ask"
    DRAFT = "draft"
    PUBLISH = "publish"


@dataclass(frozen=True, slots=True)
class StageSettings:
    """The settings of a stage.

    Match lengths are in points, one for each round; the last applies to all later rounds. `lower_lengths` belong to
    the consolation or lower bracket, `last_lengths` to the last chance, `final_lengths` to the final or finals between
    the upper and the lower winner; an empty tuple means the lengths before it. `pattern` is that of the consolation or
    lower bracket ("": the first proposal for the field), `last_chance` that of the bracket fed by the consolation
    (None: no such bracket). `lower_byes` says how the byes of both are decided. `starts` says how many of the best
    start in the final, in the semi-finals, in the quarter-finals and so on; all others play for the places left.

    Where there is a place for everybody, places behind `played_to` (0: none) are shared by at most `shared_by` entries.

    `rounds` is the number of rounds of a Swiss, or None to play until only one player is unbeaten. `next_round` says
    how the next round comes about: at a director's request, as a draft, or as a draft that is published automatically
    after `countdown` seconds. A late entry gets `missed_points` for each round it missed.

    With `pairing` "continuous" there are no rounds: `rounds` is then the number of matches that everybody plays in a
    Swiss, `window` the minutes between the moment a pair becomes possible and its pairing, `lead` how many matches
    ahead of a match in progress a player may get (0: no limit), and `leader` when unequal lives meet. `qualifiers` of
    lives are then the places of the bracket that follows: one for each life left, but four for three lives and eight
    for five. It is drawn as soon as no more are needed, or at `switch_time` (HH:MM at the event), if it is set, with as
    many places as are needed then. Beside a time it may be left out in a list of stages, see `plans.checked_stages`.
    From `late_from` players still in, new matches go to `late_length` points (0: never). Late entries are possible
    until `late_until` (HH:MM at the event; empty: as long as the rule allows).

    A Swiss or lives that a director `ended` in mid-evening pairs nobody any more and is over with its last match. The
    best `qualifiers` then go on, those with equal lives by lot; a life is no place of the bracket any more.

    `groups` is the number of groups, filled by `group_draw`. `qualifiers` advance to the next stage from each group, or
    from the stage if it has no groups; None for the last stage. `win` and `loss` are the table points of a match. A
    league runs `until` the end of a day (ISO date), when its unplayed matches count as `unplayed`; `moving` entries are
    promoted and relegated between its divisions. `edition` of the regulations defines the unplayed rounds of a Swiss.
    """

    format: str = KNOCKOUT
    lengths: tuple[int, ...] = ()
    lower_lengths: tuple[int, ...] = ()
    last_lengths: tuple[int, ...] = ()
    final_lengths: tuple[int, ...] = ()
    starts: tuple[int, ...] = ()
    pattern: str = ""
    last_chance: str | None = None
    second_final: bool = False
    lower_byes: LowerByes = LowerByes.LINES
    played_to: int = 0
    shared_by: int = SHARED_BY[0]
    rounds: int | None = None
    lives: int = 3
    order: Order = Order.RANDOM
    next_round: NextRound = NextRound.DRAFT
    countdown: int = 180
    pairing: PairingMode = PairingMode.ROUNDS
    window: int = 0
    lead: int = 2
    leader: Leader = Leader.PLAYS
    switch_time: str = ""
    late_from: int = 0
    late_length: int = 0
    late_until: str = ""
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
    ended: bool = False

    @property
    def is_continuous(self) -> bool:
        """Whether the stage is paired without rounds."""
        return self.pairing is PairingMode.CONTINUOUS

    @property
    def is_missed_by_lot(self) -> bool:
        """Whether each match that somebody misses costs a life or not by lot, as it does where nobody gets ahead."""
        return self.is_continuous and self.format == LIVES and self.lead == STRICT_LEAD

    @property
    def tiebreak_order(self) -> tuple[str, ...]:
        """The tie-breaks in order, always ending with lots, so that no place is shared."""
        chosen = self.tiebreaks or DEFAULT_TIEBREAKS.get(self.format, ())
        return chosen if "lots" in chosen or not chosen else (*chosen, "lots")

    @property
    def scoring(self) -> Scoring:
        """The table points of a match."""
        return Scoring(self.win, self.loss, unplayed=self.win / 2 if self.unplayed is Unplayed.HALF else 0.0)

    def length_of_new(self, usual: int, still_in: int) -> int:
        """Return the length of a match that is paired without rounds now, with so many players still in."""
        return self.late_length if 0 < still_in <= self.late_from else usual

    def checked(self, default_lengths: Sequence[int] = ()) -> "StageSettings":
        """Return these settings after checking them; `default_lengths` are the division's match lengths.

        Raises Refused with `no_such_format`, `setting_not_used`, `bad_length`, `unknown_tiebreak`, `bad_setting`, or a
        `pattern_…` code.
        """
        if self.format not in FORMATS:
            raise Refused("no_such_format", name=self.format)
        for name in sorted(self._changed() - OWN_SETTINGS[self.format] - {"qualifiers"}):
            raise Refused("setting_not_used", name=name, format=self.format)
        for length in (*self.lengths, *self.lower_lengths, *self.last_lengths, *self.final_lengths):
            if not 1 <= length <= MAX_MATCH:
                raise Refused("bad_length", most=MAX_MATCH, length=length)
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
        """Return setting -> whether it is out of range."""
        return {
            "starts": not are_starts(self.starts),
            "played_to": not 0 <= self.played_to <= MAX_FIELD,
            "shared_by": self.shared_by not in SHARED_BY,
            "rounds": self.rounds is not None and not 1 <= self.rounds <= MAX_ROUNDS,
            "countdown": not 0 <= self.countdown <= MAX_COUNTDOWN,
            "lives": not MIN_LIVES <= self.lives <= MAX_LIVES,
            "switch_time": bool(self.switch_time) and not (self.qualifiers and _is_time_of_day(self.switch_time)),
            "late_until": bool(self.late_until) and not _is_time_of_day(self.late_until),
            "late_from": not 0 <= self.late_from <= MAX_LATE_FIELD,
            "late_length": not 0 <= self.late_length <= MAX_MATCH or (self.late_length > 0) != (self.late_from > 0),
            "window": not 0 <= self.window <= MAX_WINDOW,
            "lead": not 0 <= self.lead <= MAX_LEAD,
            **(self._faults_without_rounds() if self.is_continuous else {}),
            "groups": not 1 <= self.groups <= MAX_GROUPS,
            "group_draw": self.group_draw not in GROUP_DRAWS,
            "qualifiers": self._has_wrong_qualifiers,
            "missed_points": self.missed_points not in MISSED_POINTS,
            "win": not 0 < self.win <= MAX_TABLE_POINTS,
            "loss": not 0 <= self.loss < self.win,
            "moving": not 0 <= self.moving <= MAX_DIVISION,
            "until": not _is_day(self.until),
            "join_until": not _is_day(self.join_until),
        }

    def _faults_without_rounds(self) -> dict[str, bool]:
        matches = self.rounds is not None and 1 <= self.rounds <= MAX_MATCHES_WITHOUT_ROUNDS
        return {
            "rounds": self.format == SWISS and not matches,
            "lives": not MIN_LIVES <= self.lives <= MAX_LIVES_WITHOUT_ROUNDS,
        }

    @property
    def _has_wrong_qualifiers(self) -> bool:
        if self.qualifiers is None:
            return False
        if self.is_continuous and self.format == LIVES and not self.ended:
            # Drawn by the clock, it has as many places as were needed.
            is_any = bool(self.switch_time) and self.qualifiers > 1 and self.qualifiers.bit_count() == 1
            return self.qualifiers not in SWITCH_PLACES and not is_any
        return self.qualifiers < 1

    def as_data(self) -> dict[str, Any]:
        """Return the settings that differ from the defaults, ready for JSON.

        The edition of the regulations is always included where it applies, so that a new default changes no table.
        """
        pinned = {"edition"} & OWN_SETTINGS[self.format]
        names = [field.name for field in fields(self) if field.name in self._changed() | pinned]
        return {name: _plain(getattr(self, name)) for name in names}

    def _changed(self) -> set[str]:
        """Return the names of the settings that differ from their defaults."""
        defaults = StageSettings(self.format)
        return {field.name for field in fields(self) if getattr(self, field.name) != getattr(defaults, field.name)}

    @classmethod
    def of(cls, format_: str, data: Mapping[str, Any]) -> "StageSettings":
        """Build the settings of a stage from the JSON of its row; ignore unknown names."""
        known = {field.name for field in fields(cls)} - {"format"}
        values = {name: value for name, value in data.items() if name in known}
        for name in LISTS & values.keys():
            values[name] = tuple(values[name])
        for name, choice in CHOICES.items():
            if name in values:
                values[name] = choice(values[name])
        for name in NUMBERS & values.keys():
            if any(isinstance(value, str) for value in (values[name], *(values[name] if name in LISTS else ()))):
                raise TypeError(f"{name} is no number: {values[name]!r}")
        return replace(cls(format_), **values)


CHOICES: Mapping[str, Callable[[str], StrEnum]] = {
    "lower_byes": LowerByes,
    "order": Order,
    "next_round": NextRound,
    "pairing": PairingMode,
    "leader": Leader,
    "leaver_rule": LeaverRule,
    "unplayed": Unplayed,
    "edition": Edition,
}
"""Setting -> the enumeration of its values."""
LISTS = frozenset({"lengths", "lower_lengths", "last_lengths", "final_lengths", "tiebreaks", "starts"})
NUMBERS = LISTS - {"tiebreaks"} | {
    field.name for field in fields(StageSettings) if field.type in (int, float, bool, int | None)
}
"""The settings that are numbers, or lists of them."""


def are_starts(starts: Sequence[int]) -> bool:
    """Whether so many of the best can start in the final, the semi-finals and so on, and leave a place for others.

    >>> are_starts([0, 0, 4, 4, 4]), are_starts([0, 0, 8]), are_starts([0, 0])
    (True, False, False)
    """
    free = 1
    for count in starts:
        free = 2 * free - count
        if count < 0 or free < 1:
            return False
    return len(starts) <= MAX_STARTS and (not starts or starts[-1] > 0)


def strict(settings: StageSettings) -> StageSettings:
    """Return the settings of lives without rounds for an event with a fee or a prize."""
    return replace(settings, lead=STRICT_LEAD, window=STRICT_WINDOW)


def lives_are_places(settings: StageSettings, following: str) -> bool:
    """Whether each life left in a stage without rounds is a place of the bracket that follows.

    In other formats everybody who has lives left has one place.
    """
    return settings.is_continuous and settings.format == LIVES and following == KNOCKOUT and not settings.ended


def check_league_size(entries: int) -> None:
    """Raise Refused("division_size") if a league division cannot have this many entries."""
    if not MIN_DIVISION <= entries <= MAX_DIVISION:
        raise Refused("division_size", least=MIN_DIVISION, most=MAX_DIVISION, entries=entries)


def check_rounds(settings: StageSettings, entrants: int) -> None:
    """Raise Refused("rounds_with_rematches") if a Swiss of this field has more rounds than it can pair.

    Everybody can meet everybody else once; in an odd field each has one bye as well.
    """
    most = entrants - 1 + entrants % 2
    needs_rematches = settings.format == SWISS and settings.rounds is not None and settings.rounds > most
    if needs_rematches and not settings.allow_rematches:
        raise Refused("rounds_with_rematches", rounds=settings.rounds, entries=entrants, most=most)


def check_matches(count: int) -> None:
    """Raise Refused("too_many_matches") if a stage would have more than `MAX_MATCHES`."""
    if count > MAX_MATCHES:
        raise Refused("too_many_matches", matches=count, most=MAX_MATCHES)


def _is_day(text: str) -> bool:
    if not text:
        return True
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _is_time_of_day(text: str) -> bool:
    try:
        return f"{time.fromisoformat(text):%H:%M}" == text
    except ValueError:
        return False


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, StrEnum) else value
