"""What follows from the results: the state of every slot and fixture of a graph.

`progress` is a pure function of a plan and of facts, so a correction is the difference between two of its
values (`formats.difference`). Four things keep four names: an **entry** stands in a slot; a **bye** means nobody
comes, by the format; a **walkover** means somebody should have come and will not, because he has withdrawn
or nobody won; **to be decided** means that it is not known yet.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

from tournaments.formats.elimination.seating import Past, lots_of, seat_entrants
from tournaments.formats.facts import DOUBLE_FORFEIT, FORFEIT, NOBODY, PLAYED, Result, Withdrawal
from tournaments.formats.graph import (
    FINAL,
    ByeSource,
    EntryId,
    EntrySource,
    Fixture,
    FixtureId,
    Graph,
    LoserOf,
    PlaceOf,
    Round,
    Seat,
    Source,
    WinnerOf,
)

__all__ = [
    "DOUBLE_FORFEIT", "FORFEIT", "NOBODY", "PLAYED", "FixtureState", "FixtureStatus", "Progress", "Result",
    "SharedPlace", "SlotState", "SlotStatus", "Withdrawal", "progress",
]  # fmt: skip


class SlotStatus(StrEnum):
    """The four names."""

    ENTRY = "entry"
    BYE = "bye"
    WALKOVER = "walkover"
    TO_BE_DECIDED = "to_be_decided"


class FixtureStatus(StrEnum):
    """Where a fixture stands."""

    WAITING = "waiting"
    READY = "ready"
    DECIDED = "decided"
    BYE = "bye"
    WALKOVER = "walkover"
    EMPTY = "empty"
    NOT_NEEDED = "not_needed"


@dataclass(frozen=True, slots=True)
class SlotState:
    """`entry` stands here; `absent` is the entry that should have come, known only in a walkover."""

    status: SlotStatus
    entry: EntryId | None = None
    absent: EntryId | None = None

    @property
    def settled(self) -> bool:
        """Whether it is known who comes, or that nobody does."""
        return self.status is not SlotStatus.TO_BE_DECIDED

    @property
    def entrant(self) -> EntryId | None:
        """Who stands here, or should have come."""
        return self.entry if self.entry is not None else self.absent


BYE_SLOT = SlotState(SlotStatus.BYE)
OPEN_SLOT = SlotState(SlotStatus.TO_BE_DECIDED)
EMPTY_SLOT = SlotState(SlotStatus.WALKOVER)
STRANGERS = (-1, -1)
"""Two who stand nowhere."""


@dataclass(frozen=True, slots=True)
class FixtureState:
    """A fixture after the results.

    `winner` and `loser` are what its followers receive. `result` is the result that counted, turned to the
    slots as they stand; `void` says that one was given but its two players do not stand here.
    """

    number: FixtureId
    slots: tuple[SlotState, SlotState]
    status: FixtureStatus
    winner: SlotState
    loser: SlotState
    result: Result | None = None
    void: bool = False

    @property
    def entrants(self) -> tuple[EntryId, EntryId] | None:
        """The two who stand here, or should have come; None where there are not two."""
        first, second = (slot.entrant for slot in self.slots)
        return None if first is None or second is None else (first, second)

    @property
    def walkover(self) -> Result | None:
        """The result of a match that one of its two entrants, or both, will not come to; None of any other."""
        if self.entrants is None or self.status not in (FixtureStatus.WALKOVER, FixtureStatus.EMPTY):
            return None
        winner = next((side for side, slot in enumerate(self.slots) if slot.entry is not None), None)
        return Result(winner, None, DOUBLE_FORFEIT if winner is None else FORFEIT, self.entrants)

    @property
    def over(self) -> bool:
        """Whether nothing is left to play here."""
        return self.status not in (FixtureStatus.WAITING, FixtureStatus.READY)


@dataclass(frozen=True, slots=True)
class SharedPlace:
    """A place of a bracket: `first` to `last`, which are equal where one entry has it alone."""

    first: int
    last: int
    entries: tuple[EntryId, ...]


@dataclass(frozen=True)
class Progress:
    """The states of all fixtures of a graph, by number, and which entrant has which seat of a round drawn by now.

    `drawn` has (bracket, round) -> for every seat the number (from 0) of the entrant who takes it.
    """

    graph: Graph
    fixtures: Mapping[FixtureId, FixtureState]
    drawn: Mapping[tuple[str, int], tuple[int, ...]] = field(default_factory=dict)

    @cached_property
    def ready(self) -> tuple[FixtureId, ...]:
        """Fixtures whose two entries stand there and have no result."""
        return self._with(FixtureStatus.READY)

    @cached_property
    def void(self) -> tuple[FixtureId, ...]:
        """Fixtures whose result does not count, because other players stand there now."""
        return tuple(number for number, state in self.fixtures.items() if state.void)

    @property
    def over(self) -> bool:
        """Whether every fixture is over."""
        return all(state.over for state in self.fixtures.values())

    def _with(self, status: FixtureStatus) -> tuple[FixtureId, ...]:
        return tuple(number for number, state in self.fixtures.items() if state.status is status)

    def champion(self, bracket: str) -> EntryId | None:
        """The winner of a bracket, None while that is open or if nobody won."""
        numbers = [fixture.number for fixture in self.graph.bracket(bracket).fixtures]
        needed = [n for n in numbers if self.fixtures[n].status is not FixtureStatus.NOT_NEEDED]
        return self.fixtures[needed[-1]].winner.entry if needed else None

    def places(self, *brackets: str) -> tuple[SharedPlace, ...]:
        """The places that are certain, best first, in brackets of which the first decides (final, then lower, say).

        Those who go out in the same round share a place, counted as if all of them were known: both who lose a
        semi-final are 3rd to 4th, whether or not the other one is known yet.
        """
        champion = self.champion(brackets[0])
        places = [] if champion is None else [SharedPlace(1, 1, (champion,))]
        seen = {champion}
        first = 2
        for key in brackets:
            for states in self._rounds_backwards(key):
                counted = [state for state in states if state.over]
                to_come = sum(not state.over and BYE_SLOT not in state.slots for state in states)
                if key == FINAL and len(counted) < len(states):
                    # The first of two finals sends nobody out for good.
                    counted, to_come = [], 1
                out = sorted({entry for state in counted for entry in _went_out(state)} - seen)
                last = first + len(out) + to_come - 1
                if out:
                    places.append(SharedPlace(first, last, tuple(out)))
                seen.update(out)
                first = last + 1
        return tuple(places)

    def _rounds_backwards(self, bracket: str) -> list[list[FixtureState]]:
        """The states of each round, the last one first; two finals are one."""
        rounds = [
            [self.fixtures[fixture.number] for fixture in round_.fixtures]
            for round_ in reversed(self.graph.bracket(bracket).rounds)
        ]
        return rounds if bracket != FINAL else [[state for states in rounds for state in states]]


def progress(
    graph: Graph,
    results: Mapping[FixtureId, Result],
    withdrawals: Iterable[Withdrawal] = (),
    places: Mapping[PlaceOf, EntryId | None] | None = None,
    *,
    turn: bool = True,
    former: Mapping[FixtureId, Sequence[Result]] | None = None,
) -> Progress:
    """The state of every fixture and slot.

    `places` resolves `PlaceOf` sources: absent means to be decided, None means that nobody took the place.
    A withdrawn entry still passes through results it had before; where it has none it is a walkover, and if
    it withdrew from one bracket only, it drops from there as a loser does. When both forfeit (or two who
    should have come are both known and absent), nobody goes on and nobody drops: two cannot share a slot.
    With `turn` False a result counts only if its two stand in the order of `between`. `former` are results that
    became void because others came to stand in their fixture: one counts again if the same two come back.
    """
    gone = frozenset((item.entry, item.bracket) for item in withdrawals)
    arrivals = _Arrivals(graph, places or {})
    states = arrivals.states
    for number, fixture in graph.fixtures.items():
        raw = (arrivals.of(fixture.sources[0]), arrivals.of(fixture.sources[1]))
        bracket = graph.bracket_of[number]
        result = _standing(results.get(number), (former or {}).get(number, ()), raw, turn=turn)
        states[number] = _state(fixture, raw, result, gone, bracket, states)
    return Progress(graph, states, arrivals.drawn)


@dataclass(slots=True)
class _Arrivals:
    """Who comes from a source, withdrawals not yet considered; `states` are those of all fixtures before."""

    graph: Graph
    places: Mapping[PlaceOf, EntryId | None]
    states: dict[FixtureId, FixtureState] = field(default_factory=dict)
    drawn: dict[tuple[str, int], tuple[int, ...]] = field(default_factory=dict)

    def of(self, source: Source) -> SlotState:
        match source:
            case EntrySource(entry):
                return SlotState(SlotStatus.ENTRY, entry)
            case WinnerOf(fixture):
                return self.states[fixture].winner
            case LoserOf(fixture):
                return self.states[fixture].loser
            case ByeSource():
                return BYE_SLOT
            case Seat():
                return self._seated(source)
        if source not in self.places:
            return OPEN_SLOT
        taker = self.places[source]
        return EMPTY_SLOT if taker is None else SlotState(SlotStatus.ENTRY, taker)

    def _seated(self, seat: Seat) -> SlotState:
        """Nobody is known in a round that is drawn until all its entrants are."""
        round_ = self.graph.bracket(seat.bracket).rounds[seat.round - 1]
        arriving = [self.of(source) for source in round_.entrants]
        if not all(slot.settled for slot in arriving):
            return OPEN_SLOT
        key = (seat.bracket, seat.round)
        if key not in self.drawn:
            self.drawn[key] = self._draw(seat.bracket, round_, arriving)
        return arriving[self.drawn[key][seat.number - 1]]

    def _draw(self, bracket: str, round_: Round, arriving: Sequence[SlotState]) -> tuple[int, ...]:
        past = Past(apart=self.graph.apart)
        for state in self.states.values():
            if state.status is FixtureStatus.BYE and state.winner.entry is not None:
                past.byes[state.winner.entry] += 1
            elif state.result is not None and state.result.kind == PLAYED:
                past.met[frozenset(slot.entry for slot in state.slots if slot.entry is not None)] += 1
        lots = lots_of(self.graph.seed, bracket, round_.number)
        return seat_entrants(round_, [slot.entry for slot in arriving], past, lots)


def _went_out(state: FixtureState) -> list[EntryId]:
    """Entries that came to a fixture, or should have, and do not go on from it."""
    known = [slot.entrant for slot in state.slots]
    onward = {state.winner.entry, state.winner.absent}
    return [entry for entry in known if entry is not None and entry not in onward]


Gone = frozenset[tuple[EntryId, str | None]]


def _state(
    fixture: Fixture,
    raw: tuple[SlotState, SlotState],
    result: Result | None,
    gone: Gone,
    bracket: str,
    states: Mapping[FixtureId, FixtureState],
) -> FixtureState:
    if fixture.needed_if is not None and not _needed(fixture, states):
        decided = states[fixture.needed_if.fixture].winner.settled
        status = FixtureStatus.NOT_NEEDED if decided else FixtureStatus.WAITING
        slot = EMPTY_SLOT if decided else OPEN_SLOT
        return FixtureState(fixture.number, (slot, slot), status, slot, slot, void=result is not None)
    counted = _turned(result, raw) if result is not None else None
    if counted is not None:
        return _decided(fixture.number, raw, counted)
    slots = (_present(raw[0], gone, bracket), _present(raw[1], gone, bracket))
    state = undecided(fixture.number, slots, void=result is not None)
    if BYE_SLOT in raw and state.winner.absent is not None:
        # A bye is no match: what he has played after it counts, and he is missing from the first that he has not.
        return replace(state, winner=raw[0] if raw[1] == BYE_SLOT else raw[1])
    return state


def _needed(fixture: Fixture, states: Mapping[FixtureId, FixtureState]) -> bool:
    condition = fixture.needed_if
    if condition is None:
        return True
    first = states[condition.fixture]
    wanted = first.slots[condition.slot].entry
    return wanted is not None and first.winner.entry == wanted


def _standing(
    result: Result | None, former: Sequence[Result], raw: tuple[SlotState, SlotState], *, turn: bool
) -> Result | None:
    """The result that counts between these two, or the one that does not."""
    if result is not None and not turn and result.between == (raw[1].entry, raw[0].entry):
        result = replace(result, between=STRANGERS)
    if not former or (result is not None and _turned(result, raw) is not None):
        return result
    here = (raw[0].entry, raw[1].entry)
    return next((old for old in reversed(former) if old.between == here), result)


def _turned(result: Result, raw: tuple[SlotState, SlotState]) -> Result | None:
    """The result as seen from the slots as they stand, None if it does not belong to these two."""
    here = (raw[0].entry, raw[1].entry)
    if None in here:
        return None
    if result.between is None or result.between == here:
        return result
    if result.between != (here[1], here[0]):
        return None
    return Result(
        None if result.winner is None else 1 - result.winner,
        None if result.score is None else (result.score[1], result.score[0]),
        result.kind,
        (result.between[1], result.between[0]),
        result.advances if result.advances in (None, NOBODY) else 1 - result.advances,
    )


def _decided(number: FixtureId, slots: tuple[SlotState, SlotState], result: Result) -> FixtureState:
    onward = result.advancing_slot
    winner, loser = (EMPTY_SLOT, EMPTY_SLOT) if onward is None else (slots[onward], slots[1 - onward])
    return FixtureState(number, slots, FixtureStatus.DECIDED, winner, loser, result)


def _present(slot: SlotState, gone: Gone, bracket: str) -> SlotState:
    """The slot after withdrawals: a withdrawn entry is a walkover from here on."""
    entry = slot.entry
    if entry is not None and ((entry, None) in gone or (entry, bracket) in gone):
        return SlotState(SlotStatus.WALKOVER, absent=entry)
    return slot


def undecided(number: FixtureId, slots: tuple[SlotState, SlotState], *, void: bool = False) -> FixtureState:
    """The state of a fixture with these slots and without a result that counts."""
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
    comers = [slot for slot in slots if slot.entry is not None]
    absent = [slot.absent for slot in slots if slot.absent is not None]
    # Only one of two absent could take the single place below, and no rule says which.
    loser = SlotState(SlotStatus.ENTRY, absent[0]) if len(absent) == 1 else EMPTY_SLOT
    if not comers:
        return FixtureState(number, slots, FixtureStatus.EMPTY, EMPTY_SLOT, loser, void=void)
    return FixtureState(number, slots, FixtureStatus.WALKOVER, comers[0], loser, void=void)
