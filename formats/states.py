"""The states that a slot and a fixture can be in (`formats.progress` derives them)."""

from dataclasses import dataclass
from enum import StrEnum

from formats.facts import DOUBLE_FORFEIT, FORFEIT, Result
from formats.graph import EntryId, FixtureId


class SlotStatus(StrEnum):
    ENTRY = "entry"
    BYE = "bye"
    WALKOVER = "walkover"
    TO_BE_DECIDED = "to_be_decided"


class FixtureStatus(StrEnum):
    WAITING = "waiting"
    READY = "ready"
    DECIDED = "decided"
    BYE = "bye"
    WALKOVER = "walkover"
    EMPTY = "empty"
    NOT_NEEDED = "not_needed"


@dataclass(frozen=True, slots=True)
class SlotState:
    """The state of a slot: `entry` stands in it; `absent` is the entry that is missing in a walkover, if known."""

    status: SlotStatus
    entry: EntryId | None = None
    absent: EntryId | None = None

    @property
    def settled(self) -> bool:
        """Whether it is known who stands here, or that nobody will."""
        return self.status is not SlotStatus.TO_BE_DECIDED

    @property
    def entrant(self) -> EntryId | None:
        """The entry that stands here or is missing here."""
        return self.entry if self.entry is not None else self.absent


BYE_SLOT = SlotState(SlotStatus.BYE)
OPEN_SLOT = SlotState(SlotStatus.TO_BE_DECIDED)
EMPTY_SLOT = SlotState(SlotStatus.WALKOVER)


@dataclass(frozen=True, slots=True)
class FixtureState:
    """The state of a fixture after the results.

    `winner` and `loser` are the slots that later fixtures receive. `result` is the result that counts, with its sides
    in the order of the slots; `void` means that there is a result, but not between these two entrants.
    """

    number: FixtureId
    slots: tuple[SlotState, SlotState]
    status: FixtureStatus
    winner: SlotState
    loser: SlotState
    result: Result | None = None
    void: bool = False
    one_person: bool = False
    """Whether both are entries of one player: the earlier entry advances, and there is no match."""

    @property
    def entrants(self) -> tuple[EntryId, EntryId] | None:
        """The two entrants, present or absent; None unless there are two, who can play each other."""
        if self.one_person:
            return None
        first, second = (slot.entrant for slot in self.slots)
        return None if first is None or second is None else (first, second)

    @property
    def walkover(self) -> Result | None:
        """The result to record if one or both of the two entrants will not appear; None for any other fixture."""
        if self.entrants is None or self.status not in (FixtureStatus.WALKOVER, FixtureStatus.EMPTY):
            return None
        winner = next((side for side, slot in enumerate(self.slots) if slot.entry is not None), None)
        return Result(winner, None, DOUBLE_FORFEIT if winner is None else FORFEIT, self.entrants)

    @property
    def over(self) -> bool:
        """Whether nothing is left to play here."""
        return self.status not in (FixtureStatus.WAITING, FixtureStatus.READY)


def undecided(number: FixtureId, slots: tuple[SlotState, SlotState], *, void: bool = False) -> FixtureState:
    """Return the state of a fixture that has these slots and no result that counts."""
    kinds = {slot.status for slot in slots}
    if kinds == {SlotStatus.ENTRY}:
        return FixtureState(number, slots, FixtureStatus.READY, OPEN_SLOT, OPEN_SLOT, void=void)
    if SlotStatus.TO_BE_DECIDED in kinds:
        loser = BYE_SLOT if SlotStatus.BYE in kinds else OPEN_SLOT
        return FixtureState(number, slots, FixtureStatus.WAITING, OPEN_SLOT, loser, void=void)
    if SlotStatus.BYE in kinds:
        other = slots[0] if slots[1].status is SlotStatus.BYE else slots[1]
        status = FixtureStatus.BYE if other.entry is not None else FixtureStatus.EMPTY
        return FixtureState(number, slots, status, other, BYE_SLOT, void=void)
    present = [slot for slot in slots if slot.entry is not None]
    absent = [slot.absent for slot in slots if slot.absent is not None]
    # Two absent entries cannot share the one place below, and no rule says which of them would take it.
    loser = SlotState(SlotStatus.ENTRY, absent[0]) if len(absent) == 1 else EMPTY_SLOT
    if not present:
        return FixtureState(number, slots, FixtureStatus.EMPTY, EMPTY_SLOT, loser, void=void)
    return FixtureState(number, slots, FixtureStatus.WALKOVER, present[0], loser, void=void)
