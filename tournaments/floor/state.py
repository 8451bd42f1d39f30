"""The floor of an event: its facts, and its state as a fold over them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Any

from matches.lifecycle.at_tables import Seating
from matches.lifecycle.where import Where
from tournaments.floor.times import Pause
from tournaments.models import Autopilot, FloorKind, Table

# What the state of the floor is derived from: facts, matches, tables and settings, as plain values.


Pair = tuple[int, int]
"""The ids of the two players of a match, by side."""


class Rank(IntEnum):
    """Which brackets get tables first."""

    MAIN = 0
    CONSOLATION = 1
    LAST_CHANCE = 2
    SIDE = 3


class Progress(StrEnum):
    """The state of a match apart from the floor: the values of `Match.State`."""

    UNKNOWN = ""
    """A player is still to be decided."""
    OPEN = "open"
    LIVE = "live"
    CLAIMED = "claimed"
    DISPUTED = "disputed"
    SETTLED = "settled"


@dataclass(frozen=True, slots=True)
class Fact:
    """A row of `FloorEvent`. A fact about a match applies while `pair` are the players of its fixture."""

    id: int
    kind: FloorKind
    at: datetime
    fixture: int | None = None
    pair: Pair | None = None
    table: int | None = None
    player: int | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    undoes: int | None = None


@dataclass(frozen=True, slots=True)
class LengthOffer:
    """A shorter length that is offered to the players of a match. `fact` is the id of the fact that offered it.

    `side` offered it; None: a director. It holds while the match is to `was` points and has the running score `score`.
    """

    fact: int
    side: int | None
    length: int
    was: int
    score: tuple[int, int] | None
    agreed: frozenset[int]
    """The sides that want to play to that length."""

    def stands(self, length: int, score: tuple[int, int] | None) -> bool:
        """Whether the match is as it was when this was offered; otherwise nobody can agree to it any more."""
        return (self.was, self.score) == (length, score)


@dataclass(frozen=True, slots=True)
class EntrantSource:
    """Where an undecided entrant comes from: `winner` or `loser` of a match number, or another source without one."""

    kind: str
    number: int | None = None


@dataclass(frozen=True, slots=True)
class MatchFacts:
    """A fixture of the event with its match. `fixture` is the id, `number` the match number.

    `leads_to` are the ids of the fixtures that wait for it. `stage` groups the fixtures of a stage. `since` is when
    both players were known.
    """

    fixture: int
    number: int
    stage: int
    round: int
    rank: Rank
    length: int
    progress: Progress
    pair: Pair | None = None
    players: tuple[int | None, int | None] = (None, None)
    sources: tuple[EntrantSource, ...] = ()
    leads_to: tuple[int, ...] = ()
    since: datetime | None = None
    begun_at: datetime | None = None
    finished_at: datetime | None = None

    @property
    def state(self) -> str:
        """Its state as a value of `Match.State`, for `where_is`."""
        return self.progress.value

    @property
    def provisional(self) -> bool:
        """Whether its result is provisional: on the floor, a match with any result is over."""
        return False


@dataclass(frozen=True, slots=True)
class TableFacts:
    """A table; tables are filled in this order."""

    table: int
    label: str
    category: Table.Category = Table.Category.NORMAL
    public_id: str = ""


@dataclass(frozen=True, slots=True)
class FloorSettings:
    """The settings of the floor, in minutes. Without `penalty_points` lateness costs nothing."""

    rest: int = 5
    second_call: int = 5
    no_show: int = 15
    penalty_points: bool = False
    penalty_first: int = 5
    penalty_each: int = 5


@dataclass(frozen=True, slots=True)
class FloorFacts:
    """Everything that the state of the floor is derived from, beside the time.

    `away` has the players who are away, each with when they come back, or None if that is unknown. `is_open` is whether
    the floor was opened.
    """

    matches: tuple[MatchFacts, ...]
    tables: tuple[TableFacts, ...]
    facts: tuple[Fact, ...] = ()
    settings: FloorSettings = FloorSettings()
    away: Mapping[int, datetime | None] = field(default_factory=dict)
    is_open: bool = False


# The state of the floor as values: what each match and table is doing, and what to call next.
#
# `tournaments.floor.derivation.floor_state` derives it.


class MatchState(StrEnum):
    """The states of a match on the floor, in the order that it passes through.

    They take some of `matches.lifecycle.where.State` together: what directors do with a match is the same in them.
    """

    WAITING = "waiting"
    READY = "ready"
    CALLED = "called"
    PLAYING = "playing"
    ADJOURNED = "adjourned"
    REPORTED = "reported"
    SETTLED = "settled"


class TableState(StrEnum):
    """What a table is used for now."""

    FREE = "free"
    TAKEN = "taken"
    KEPT = "kept"
    """Free, but only for players who need it."""
    OUT = "out"


class AttentionKind(StrEnum):
    """What needs a director on the floor."""

    SECOND_CALL = "second_call"
    NO_SHOW = "no_show"
    SLOW = "slow"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a match waits, or is suggested: a code of `tournaments.floor.sentences`, with its parameters.

    Parameters are ids of players (`player`), match numbers (`fixture`), times (`until`) and table labels (`table`).
    """

    code: str
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lateness:
    """A player who came late to a match, or is expected to: minutes, and the penalty points that follow."""

    player: int
    minutes: int
    points: int = 0
    loses: bool = False


@dataclass(frozen=True, slots=True)
class MatchOnFloor:
    """A match as it stands on the floor.

    `table` is the id of its table; a settled match has none. `position` is its place in the queue from 1, for matches
    that are ready or only lack a table. `critical_minutes` is the expected length of the longest chain of matches that
    begins with it.
    """

    fixture: int
    number: int
    state: MatchState
    where: Where
    table: int | None = None
    calls: int = 0
    called_at: datetime | None = None
    second_call_at: datetime | None = None
    """When the second call is due; None if the match is not called or was called twice."""
    no_show_at: datetime | None = None
    started_at: datetime | None = None
    minutes: float = 0.0
    """How long it has been played, without pauses."""
    slow_at: datetime | None = None
    score: tuple[int, int] | None = None
    """The running score by side; never a result."""
    lateness: tuple[Lateness, ...] = ()
    reasons: tuple[Reason, ...] = ()
    """Why it waits, or how it was adjourned; empty in other states."""
    position: int | None = None
    pinned: bool = False
    held: bool = False
    critical_minutes: float = 0.0
    clocks: int | None = None
    """The minutes on each clock, if clocks were put on it while it was played."""
    offer: LengthOffer | None = None
    """A shorter length that the players can agree on now."""
    shortened: Fact | None = None
    """The fact that gave it the length it has, if that is shorter than before."""


@dataclass(frozen=True, slots=True)
class TableOnFloor:
    """A table as it stands. `fixture` is the id of the fixture that is played at it, `suggested` one to call to it."""

    table: int
    label: str
    category: Table.Category
    state: TableState
    fixture: int | None = None
    suggested: int | None = None
    reason: str = ""
    """Why it is out of use, as a director typed it."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A match to call to a free table, and why it comes first."""

    fixture: int
    table: int
    reason: Reason


@dataclass(frozen=True, slots=True)
class Attention:
    """A match that needs a director since `since`."""

    kind: AttentionKind
    fixture: int
    since: datetime


@dataclass(frozen=True, slots=True)
class FloorState:
    """The state of the floor at a moment.

    `queue` has the ids of the fixtures whose players are free, in call order; the first of them are ready. `changes_at`
    is when the state changes by itself next (a rest ends, a call is due), if ever.
    """

    matches: Mapping[int, MatchOnFloor]
    tables: Mapping[int, TableOnFloor]
    queue: tuple[int, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    attention: tuple[Attention, ...] = ()
    autopilot: Autopilot = Autopilot.SUGGEST
    pause: Pause | None = None
    """The pause that is on, if any."""
    pauses: tuple[Pause, ...] = ()
    needs_accessible: frozenset[int] = frozenset()
    """Ids of players who need an accessible table. Private: only for directors."""
    changes_at: datetime | None = None


# Folding the facts of the floor, oldest first, into what still holds; without the database.


ABOUT_THE_FIXTURE = (FloorKind.PINNED, FloorKind.HELD, FloorKind.RELEASED)
"""Facts that hold whoever meets in the fixture."""


@dataclass
class Seat:
    """What the facts say about one match."""

    table: int | None = None
    call_times: list[datetime] = field(default_factory=list)
    started_at: datetime | None = None
    score: tuple[int, int] | None = None
    scored: Fact | None = None
    """The fact that gave it its running score."""
    late: dict[int, int] = field(default_factory=dict)
    rest_waived: bool = False
    pinned: bool = False
    held: bool = False
    clocks: int | None = None
    """The minutes on each clock that was put on the match."""
    adjourned: Fact | None = None
    """Why it is not being played, if it is adjourned."""
    interruptions: list[Pause] = field(default_factory=list)
    """The times for which it was adjourned."""
    offer: LengthOffer | None = None
    """The last offer of a shorter length, unless both have agreed to it or it was declined or withdrawn."""
    shortened: Fact | None = None
    """The last fact that made it shorter."""

    def seating(self, labels: Mapping[int, str], waits_for: tuple[str, ...] = ()) -> Seating:
        """Return where the match is, with the label of its table from `labels` and what it waits for."""
        return Seating(
            table=labels.get(self.table, "") if self.table is not None else "",
            called_at=next(iter(self.call_times), None),
            started_at=self.started_at,
            adjourned_at=self.adjourned.at if self.adjourned is not None else None,
            score=self.score,
            waits_for=waits_for,
        )


@dataclass
class Folded:
    """The state of the floor after every fact."""

    seats: dict[int, Seat] = field(default_factory=dict)
    occupants: dict[int, int] = field(default_factory=dict)
    """Table -> the fixture that was last sent to it and has not left."""
    out: dict[int, str] = field(default_factory=dict)
    """Table out of use -> why."""
    pauses: list[Pause] = field(default_factory=list)
    autopilot: Autopilot = Autopilot.SUGGEST
    accessible: set[int] = field(default_factory=set)

    def seat(self, fixture: int) -> Seat:
        """Return the state of a fixture, a new one if no fact is about it yet."""
        return self.seats.setdefault(fixture, Seat())


def fold(facts: Iterable[Fact], pairs: Mapping[int, Pair | None]) -> Folded:
    """Fold the facts that were not undone and are about the players who meet now; `pairs` has these by fixture."""
    folded = Folded()
    for fact in standing(facts):
        if applies(fact, pairs):
            _STEPS[_group(fact.kind)](folded, fact)
    return folded


def standing(facts: Iterable[Fact]) -> list[Fact]:
    """Return the facts that were not undone, in order."""
    rows = sorted(facts, key=lambda fact: fact.id)
    undone = {fact.undoes for fact in rows if fact.kind == FloorKind.UNDONE}
    return [fact for fact in rows if fact.id not in undone and fact.kind != FloorKind.UNDONE]


def applies(fact: Fact, pairs: Mapping[int, Pair | None]) -> bool:
    """Whether a fact still holds: it is about no match, or about two players who still meet in that fixture."""
    if fact.fixture is None:
        return True
    if fact.fixture not in pairs:
        return False
    return fact.kind in ABOUT_THE_FIXTURE or fact.pair == pairs[fact.fixture]


def _group(kind: FloorKind) -> str:
    if kind in (FloorKind.PAUSED, FloorKind.RESUMED):
        return "pause"
    if kind in (FloorKind.CALLED, FloorKind.CALLED_AGAIN, FloorKind.MOVED, FloorKind.FREED):
        return "place"
    if kind in (FloorKind.CLOCKS, FloorKind.ADJOURNED, FloorKind.CONTINUED, FloorKind.SHORTENED):
        return "closing"
    if kind in (FloorKind.TABLE_OUT, FloorKind.TABLE_BACK, FloorKind.AUTOPILOT, FloorKind.NEEDS_ACCESSIBLE):
        return "floor"
    if kind in (
        FloorKind.LENGTH_OFFERED,
        FloorKind.LENGTH_ACCEPTED,
        FloorKind.LENGTH_DECLINED,
        FloorKind.LENGTH_WITHDRAWN,
    ):
        return "offer"
    return "match"


def _fold_pause(folded: Folded, fact: Fact) -> None:
    """Begin a pause, or end the one that is on; a new pause replaces the end of the last one."""
    last = folded.pauses[-1] if folded.pauses else None
    if last is not None and (last.until is None or last.until > fact.at):
        folded.pauses[-1] = Pause(last.since, fact.at)
    if fact.kind == FloorKind.PAUSED:
        until = fact.params.get("until")
        folded.pauses.append(Pause(fact.at, datetime.fromisoformat(until) if until else None))


def _fold_place(folded: Folded, fact: Fact) -> None:
    """Send a match to a table, or take it away from there."""
    if fact.fixture is None:
        return
    seat = folded.seat(fact.fixture)
    if fact.kind == FloorKind.FREED:
        _leave(folded, fact.fixture)
        if seat.started_at is None:
            seat.call_times.clear()
        return
    if fact.kind != FloorKind.MOVED or not seat.call_times:
        seat.call_times.append(fact.at)
    if fact.table is not None:
        _leave(folded, fact.fixture)
        before = folded.occupants.get(fact.table)
        if before is not None:
            folded.seat(before).table = None
        folded.occupants[fact.table] = fact.fixture
        seat.table = fact.table


def _leave(folded: Folded, fixture: int) -> None:
    seat = folded.seat(fixture)
    if seat.table is not None and folded.occupants.get(seat.table) == fixture:
        del folded.occupants[seat.table]
    seat.table = None


def _fold_floor(folded: Folded, fact: Fact) -> None:
    """Take a table out of use or back, switch the autopilot, or note what a player needs."""
    if fact.kind == FloorKind.TABLE_OUT and fact.table is not None:
        folded.out[fact.table] = str(fact.params.get("reason", ""))
    elif fact.kind == FloorKind.TABLE_BACK and fact.table is not None:
        folded.out.pop(fact.table, None)
    elif fact.kind == FloorKind.AUTOPILOT:
        folded.autopilot = Autopilot(fact.params["mode"])
    elif fact.kind == FloorKind.NEEDS_ACCESSIBLE and fact.player is not None:
        (folded.accessible.add if fact.params["needed"] else folded.accessible.discard)(fact.player)


def _fold_match(folded: Folded, fact: Fact) -> None:
    """Note what is known of one match."""
    if fact.fixture is None:
        return
    seat = folded.seat(fact.fixture)
    match fact.kind:
        case FloorKind.STARTED:
            seat.started_at = seat.started_at or fact.at
        case FloorKind.RUNNING_SCORE:
            seat.started_at = seat.started_at or fact.at
            left, right = fact.params["score"]
            seat.score, seat.scored = (left, right), fact
        case FloorKind.LATE if fact.player is not None:
            seat.late[fact.player] = int(fact.params["minutes"])
        case FloorKind.REST_WAIVED:
            seat.rest_waived = True
        case FloorKind.PINNED:
            seat.pinned, seat.held = True, False
        case FloorKind.HELD:
            seat.pinned, seat.held = False, True
        case FloorKind.RELEASED:
            seat.pinned, seat.held = False, False


def _fold_closing(folded: Folded, fact: Fact) -> None:
    """Note that a match got clocks, was adjourned, goes on or is shorter; the match itself has its length."""
    if fact.fixture is None:
        return
    seat = folded.seat(fact.fixture)
    if fact.kind == FloorKind.CLOCKS:
        seat.clocks = int(fact.params["minutes"])
    elif fact.kind == FloorKind.ADJOURNED:
        left, right = fact.params["score"]
        seat.adjourned, seat.score, seat.scored = fact, (left, right), fact
        _leave(folded, fact.fixture)
    elif fact.kind == FloorKind.CONTINUED and seat.adjourned is not None:
        seat.interruptions.append(Pause(seat.adjourned.at, fact.at))
        seat.adjourned = None
    elif fact.kind == FloorKind.SHORTENED:
        seat.shortened = fact


def _fold_offer(folded: Folded, fact: Fact) -> None:
    """Note an offer of a shorter length, who agrees to it, and its end."""
    if fact.fixture is None:
        return
    seat = folded.seat(fact.fixture)
    side = fact.params.get("side")
    if fact.kind == FloorKind.LENGTH_OFFERED:
        score = fact.params["score"]
        seat.offer = LengthOffer(
            fact.id,
            side,
            fact.params["length"],
            fact.params["was"],
            None if score is None else (score[0], score[1]),
            frozenset() if side is None else frozenset({side}),
        )
    elif seat.offer is not None and seat.offer.fact == fact.params["offer"]:
        agreed = seat.offer.agreed | {fact.params["side"]}
        has_ended = fact.kind != FloorKind.LENGTH_ACCEPTED or agreed == {0, 1}
        seat.offer = None if has_ended else replace(seat.offer, agreed=agreed)


_STEPS = {
    "pause": _fold_pause,
    "place": _fold_place,
    "floor": _fold_floor,
    "match": _fold_match,
    "closing": _fold_closing,
    "offer": _fold_offer,
}
