"""The state of the floor as values: what each match and table is doing, and what to call next.

`tournaments.floor.derivation.floor_state` derives it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from matches.lifecycle.where import Where
from tournaments.floor.facts import Fact, LengthOffer
from tournaments.floor.times import Pause
from tournaments.models import Autopilot, Table


class MatchState(StrEnum):
    """The states of a match on the floor, in the order in which it goes through them.

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
    """Why a match waits, or is suggested: a code of `tournaments.floor.explanations`, with its parameters.

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

    `queue` has the ids of the fixtures whose players are free, in the order in which they are called; the first of them
    are ready. `changes_at` is when the state changes by itself next (a rest ends, a call is due), if ever.
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
