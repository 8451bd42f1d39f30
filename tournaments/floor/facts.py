"""What the state of the floor is derived from: facts, matches, tables and settings, as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Any

from tournaments.models import FloorKind, Table

Pair = tuple[int, int]
"""The ids of the two players of a match, by side."""


class Rank(IntEnum):
    """The order in which brackets get tables."""

    MAIN = 0
    CONSOLATION = 1
    LAST_CHANCE = 2
    SIDE = 3


class Progress(StrEnum):
    """How far a match is without regard to the floor; the values of `Match.State`."""

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
    """A table, in the order in which tables are filled."""

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
