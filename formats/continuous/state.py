"""What the pairing without rounds decides from, and its decisions.

All of it is derived from facts (batches, pairings, results, missed matches) and a time; the rule reads no clock.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta, tzinfo
from enum import StrEnum
from typing import Any

from formats.graph import EntryId
from formats.settings import StageSettings

AWAY, ABSENT, BUSY, NO_TABLE = "away", "absent", "busy", "table"
"""Why somebody who plays no match of the stage cannot be paired: away, not checked in, playing elsewhere, or in need of
a table of a kind of which none is free, which is private."""

Reason = tuple[str, dict[str, Any]]
"""A code and its parameters; pages make a sentence of it."""


class PairingStep(StrEnum):
    DRAW_NOW = "draw_now"
    AFTER_WINDOW = "draw_after_window"
    WAIT = "wait"
    WAIT_FOR_TABLE = "wait_for_table"
    WAIT_FOR_SWITCH = "wait_for_switch"
    SWITCH = "switch"
    BLOCKED = "blocked"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class FlowPlayer:
    """An entry of the stage.

    `left` is the number of lives left, or of matches left to play in a Swiss; 0 for who is out or has played all.
    `begun` counts the pairings that stand and the missed matches. `joins_at` is when the entry may be paired again.
    `blocked` is `AWAY`, `ABSENT`, `NO_TABLE`, `BUSY` with the number of the other `match`, or empty. `points` count in
    a Swiss.
    """

    entry: EntryId
    left: int
    begun: int
    joins_at: datetime
    blocked: str = ""
    club: str | None = None
    match: int | None = None
    points: float = 0.0


@dataclass(frozen=True, slots=True)
class FlowMatch:
    """A pairing that stands and is not settled; `counts` says whether others may not get too far ahead of it."""

    number: int
    pair: tuple[EntryId, EntryId]
    counts: bool = True


@dataclass(frozen=True, slots=True)
class SettledMatch:
    """A match that was settled some minutes ago."""

    at: datetime
    pair: tuple[EntryId, EntryId]


@dataclass(frozen=True, slots=True)
class FlowState:
    """A stage at a moment.

    `met` has the places of the meetings of a pair among the pairings of the stage, from 1, of which there are
    `pairings`. `forbidden` are pairs that are kept apart or are entries of one person. `seed` is that of the lots.
    `settled` are matches whose end may have made pairs possible; those that ended a window ago or earlier may be left
    out. From `switch_at` on no pair is made: the bracket is drawn as soon as nobody plays.
    """

    settings: StageSettings
    players: tuple[FlowPlayer, ...]
    playing: tuple[FlowMatch, ...]
    met: Mapping[frozenset[EntryId], tuple[int, ...]]
    forbidden: frozenset[frozenset[EntryId]]
    seed: bytes
    pairings: int = 0
    settled: tuple[SettledMatch, ...] = ()
    switch_at: datetime | None = None

    def is_time_up(self, now: datetime) -> bool:
        """Whether the bracket is drawn at this time, however many are still in."""
        return self.switch_at is not None and self.switch_at <= now


@dataclass(frozen=True, slots=True)
class FlowPair:
    """Two entries to be paired, with the smaller id first.

    `costs` are earlier meetings, the place of the last one, the difference in lives (in a Swiss: of what they may
    still reach, squared), matches begun, whether they are club-mates, and the lot. `joins_at` is since when the one who
    waits longer waits. `why` begins with the main reason.
    """

    first: EntryId
    second: EntryId
    costs: tuple[int, ...]
    joins_at: datetime
    why: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class PairingDecision:
    """What is to be done, and why.

    `pairs` are those to be made, in the order in which they get tables, `byes` the entries that end a Swiss with a bye,
    and `missed` the entries that miss a match because they are away, or because nobody is left to play it.
    `changes_at` is when, though nothing happens, more pairs may be allowed in a Swiss since somebody has waited long
    enough. `pool` has who could be paired, `waits` a reason for everybody who is in and plays no match, and
    `places_left` how many pairs may be made before the bracket. `private` says that a pair was not allowed, or somebody
    was stuck, for a reason that is not public.
    """

    action: PairingStep
    pairs: tuple[FlowPair, ...] = ()
    pool: tuple[EntryId, ...] = ()
    waits: Mapping[EntryId, Reason] = field(default_factory=dict)
    due_at: datetime | None = None
    possible_since: datetime | None = None
    changes_at: datetime | None = None
    missed: tuple[EntryId, ...] = ()
    places_left: int | None = None
    private: bool = False
    stuck: frozenset[EntryId] = frozenset()
    allowed: tuple[tuple[EntryId, EntryId], ...] = ()
    byes: tuple[EntryId, ...] = ()


def moment_of(time_of_day: str, began: datetime, zone: tzinfo) -> datetime | None:
    """Return the first moment after the beginning of a stage at which the clock shows this time.

    `time_of_day` is HH:MM in `zone`, or empty for never.
    """
    if not time_of_day:
        return None
    local = began.astimezone(zone)
    moment = datetime.combine(local.date(), time.fromisoformat(time_of_day), zone)
    return moment if moment > began else moment + timedelta(days=1)
