"""The state of every slot and fixture of a graph, derived from the results.

`progress` is a pure function of a plan and of facts, so a correction is the difference between two of its values
(`formats.difference`). A slot is in one of four states: an **entry** stands in it; a **bye** has no entrant, by the
format; a **walkover** should have had an entrant, who withdrew or whom no match produced; **to be decided** means that
the entrant is not known yet.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from formats.elimination.seating import Past, lots_of, seat_entrants
from formats.facts import NOBODY, PLAYED, Result, Withdrawal
from formats.graph import (
    FINAL,
    MAIN,
    ByeSource,
    DrawnSeat,
    EntryId,
    EntrySource,
    Fixture,
    FixtureId,
    Graph,
    LoserOf,
    PlaceOf,
    Round,
    Source,
    WinnerOf,
)
from formats.states import (
    BYE_SLOT,
    EMPTY_SLOT,
    OPEN_SLOT,
    FixtureState,
    FixtureStatus,
    SlotState,
    SlotStatus,
    undecided,
)

STRANGERS = (-1, -1)
"""A pair that matches no fixture."""


@dataclass(frozen=True, slots=True)
class SharedPlace:
    """Places in a bracket, `first` to `last`, which are equal if the place is not shared.

    Where a place for everybody is played for, those who missed their meeting share `only` these places between them.
    """

    first: int
    last: int
    entries: tuple[EntryId, ...]
    only: tuple[int, ...] = ()

    @property
    def places(self) -> tuple[int, ...]:
        return self.only or tuple(range(self.first, self.last + 1))


def numbered(groups: Iterable[Sequence[EntryId]], first: int = 1) -> list[SharedPlace]:
    """Return the places, from `first` on, of groups each of which shares its places, best first.

    >>> [(place.first, place.last) for place in numbered([[7], [8, 9]])]
    [(1, 1), (2, 3)]
    """
    places = []
    for entries in groups:
        places.append(SharedPlace(first, first + len(entries) - 1, tuple(entries)))
        first += len(entries)
    return places


@dataclass(frozen=True)
class Progress:
    """The states of all fixtures of a graph, by number.

    `drawn` has (bracket, round) -> for every seat the index of the entrant who takes it, for rounds drawn by now.
    """

    graph: Graph
    fixtures: Mapping[FixtureId, FixtureState]
    drawn: Mapping[tuple[str, int], tuple[int, ...]] = field(default_factory=dict)

    @cached_property
    def kept_places(self) -> dict[PlaceOf, EntryId | None]:
        """The places kept by results that count; if two contradict each other, the fixture with the lower number wins.

        That does not depend on the order of corrections, so undoing and repeating one restores exactly what was.
        """
        kept: dict[PlaceOf, EntryId | None] = {}
        for number in sorted(self.fixtures, reverse=True):
            result = self.fixtures[number].result
            kept |= dict(result.kept) if result is not None else {}
        return kept

    @cached_property
    def ready(self) -> tuple[FixtureId, ...]:
        """The fixtures with two entries and no result."""
        return self._with(FixtureStatus.READY)

    @cached_property
    def void(self) -> tuple[FixtureId, ...]:
        """The fixtures whose result does not count because their entrants changed."""
        return tuple(number for number, state in self.fixtures.items() if state.void)

    @property
    def over(self) -> bool:
        return all(state.over for state in self.fixtures.values())

    def _with(self, status: FixtureStatus) -> tuple[FixtureId, ...]:
        return tuple(number for number, state in self.fixtures.items() if state.status is status)

    def eliminated(self, bracket: str) -> frozenset[EntryId]:
        """Return the entries that stood in a bracket and do not advance in it."""
        states = (self.fixtures[fixture.number] for fixture in self.graph.bracket(bracket).fixtures)
        return frozenset(entry for state in states if state.over for entry in _eliminated(state))

    def champion(self, bracket: str) -> EntryId | None:
        """Return the winner of a bracket; None while it is open or if nobody won."""
        deciding = self._deciding(bracket)
        return deciding.winner.entry if deciding is not None else None

    def _deciding(self, bracket: str) -> FixtureState | None:
        states = [self.fixtures[fixture.number] for fixture in self.graph.bracket(bracket).fixtures]
        needed = [state for state in states if state.status is not FixtureStatus.NOT_NEEDED]
        return needed[-1] if needed else None

    def places(self, *brackets: str) -> tuple[SharedPlace, ...]:
        """Return the certain places, best first; the first of `brackets` decides the title.

        Of a double elimination these are the final, the lower bracket, and the main bracket for those who do not drop.

        Entries eliminated in the same round share a place that counts all of them: the losers of the semi-finals are
        3rd to 4th even while only one of them is known. Those in a final that nobody won share the first two.
        """
        champion, deciding = self.champion(brackets[0]), self._deciding(brackets[0])
        places = [] if champion is None else [SharedPlace(1, 1, (champion,))]
        seen = {champion}
        first = 1 if champion is None and deciding is not None and deciding.over else 2
        for key in brackets:
            for states in self._rounds_backwards(key):
                counted = [state for state in states if state.over]
                pending = sum(not state.over and not {BYE_SLOT, EMPTY_SLOT} & {*state.slots} for state in states)
                if key == MAIN != brackets[0]:
                    # Who lost here plays on below, unless both forfeited or left.
                    counted, pending = [state for state in counted if state.loser.entry is None], 0
                if key == FINAL and len(counted) < len(states):
                    # Nobody is eliminated in the first of two finals.
                    counted, pending = [], 1
                out = sorted({entry for state in counted for entry in _eliminated(state)} - seen)
                last = first + len(out) + pending - 1
                if out:
                    places.append(SharedPlace(first, last, tuple(out)))
                seen.update(out)
                first = last + 1
        return tuple(places)

    def _rounds_backwards(self, bracket: str) -> list[list[FixtureState]]:
        """Return the states of each round, the last round first; two finals count as one round."""
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
    """Derive the state of every fixture and slot.

    `places` resolves `PlaceOf` sources: a missing key means to be decided, None is a spare place, which is a bye.
    The earlier results of a withdrawn entry still count. Its first match without a result is a walkover, from which it
    drops like a loser if it withdrew from one bracket only. If both sides forfeit, or both are absent, nobody advances
    and nobody drops, because two entries cannot share a slot.
    With `turn` False a result counts only if the entrants stand in the order of `between`. `former` are results that
    were voided when the entrants of their fixture changed: one counts again if the same two return.
    """
    withdrawn = frozenset((item.entry, item.bracket) for item in withdrawals)
    arrivals = _Arrivals(graph, places or {})
    states = arrivals.states
    for number, fixture in graph.fixtures.items():
        raw = (arrivals.of(fixture.sources[0]), arrivals.of(fixture.sources[1]))
        bracket = graph.bracket_of[number]
        result = _standing(results.get(number), (former or {}).get(number, ()), raw, turn=turn)
        state = _state(fixture, raw, result, withdrawn, bracket, states)
        states[number] = _of_one_person(state) if graph.persons and _is_one_person(state, graph) else state
    return Progress(graph, states | _used(states), arrivals.drawn)


def _used(states: dict[FixtureId, FixtureState]) -> dict[FixtureId, FixtureState]:
    """Return the byes, and lines to which nobody else came, whose entrant won or played a match after them and withdrew
    later, as they were before that.
    """
    used: dict[FixtureId, FixtureState] = {}
    went_on: set[EntryId | None] = set()
    for number in reversed(states):
        state, alone = states[number], states[number].winner
        if state.status is FixtureStatus.EMPTY and alone.entry is not None and alone.entry in went_on:
            first, second = (alone if slot.absent == alone.entry else slot for slot in state.slots)
            used[number] = undecided(number, (first, second), void=state.void)
        if state.result is not None:
            was_played = state.result.kind == PLAYED
            went_on |= {
                slot.entry for side, slot in enumerate(state.slots) if was_played or side == state.result.winner
            }
    return used


@dataclass(slots=True)
class _Arrivals:
    """Finds the entrant of a source, before withdrawals; `states` are those of all earlier fixtures."""

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
            case DrawnSeat():
                return self._seated(source)
        if source not in self.places:
            return OPEN_SLOT
        taker = self.places[source]
        return BYE_SLOT if taker is None else SlotState(SlotStatus.ENTRY, taker)

    def _seated(self, seat: DrawnSeat) -> SlotState:
        """Return the entrant of a seat. It is to be decided until all entrants of its round are known."""
        round_ = self.graph.bracket(seat.bracket).rounds[seat.round - 1]
        arriving = [self.of(source) for source in round_.entrants]
        if not all(slot.settled for slot in arriving):
            return OPEN_SLOT
        key = (seat.bracket, seat.round)
        if key not in self.drawn:
            self.drawn[key] = self._draw(seat.bracket, round_, arriving)
        return arriving[self.drawn[key][seat.number - 1]]

    def _draw(self, bracket: str, round_: Round, arriving: Sequence[SlotState]) -> tuple[int, ...]:
        past = Past(apart=(*self.graph.apart, *self.graph.persons))
        for state in self.states.values():
            if BYE_SLOT in state.slots and state.winner.entry is not None:
                past.byes[state.winner.entry] += 1
            elif state.result is not None and state.result.kind == PLAYED:
                past.met[frozenset(slot.entry for slot in state.slots if slot.entry is not None)] += 1
        lots = lots_of(self.graph.seed, bracket, round_.number)
        return seat_entrants(round_, [slot.entry for slot in arriving], past, lots)


def _eliminated(state: FixtureState) -> list[EntryId]:
    """Return the entrants of a fixture, present or absent, that do not advance from it."""
    known = [slot.entrant for slot in state.slots]
    advancing = {state.winner.entry, state.winner.absent}
    return [entry for entry in known if entry is not None and entry not in advancing]


Withdrawn = frozenset[tuple[EntryId, str | None]]


def _state(
    fixture: Fixture,
    raw: tuple[SlotState, SlotState],
    result: Result | None,
    withdrawn: Withdrawn,
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
    slots = (_without_withdrawn(raw[0], withdrawn, bracket), _without_withdrawn(raw[1], withdrawn, bracket))
    state = undecided(fixture.number, slots, void=result is not None)
    if BYE_SLOT in raw and state.winner.absent is not None:
        # A bye is not a match: the entry advances, its later results count, and its first unplayed match is a walkover.
        return replace(state, winner=raw[0] if raw[1] == BYE_SLOT else raw[1])
    if EMPTY_SLOT in raw and any(slot.entry is not None for slot in raw):
        # Neither is a line to which nobody came: what the entry won after it still counts once it has left.
        return replace(state, winner=raw[0] if raw[1] == EMPTY_SLOT else raw[1], loser=EMPTY_SLOT)
    return state


def _is_one_person(state: FixtureState, graph: Graph) -> bool:
    """Whether two entries of one player stand in a fixture."""
    here = {slot.entry for slot in state.slots}
    return state.status is FixtureStatus.READY and any(here <= person for person in graph.persons)


def _of_one_person(state: FixtureState) -> FixtureState:
    """Return the state of a fixture in which two entries of one player stand: the earlier entry advances."""
    earlier = min(slot.entry for slot in state.slots if slot.entry is not None)
    slots = [
        slot if slot.entry == earlier else SlotState(SlotStatus.WALKOVER, absent=slot.entry) for slot in state.slots
    ]
    return replace(undecided(state.number, (slots[0], slots[1]), void=state.void), one_person=True)


def _needed(fixture: Fixture, states: Mapping[FixtureId, FixtureState]) -> bool:
    condition = fixture.needed_if
    if condition is None:
        return True
    first = states[condition.fixture]
    challenger = first.slots[condition.slot].entry
    return challenger is not None and first.winner.entry == challenger


def _standing(
    result: Result | None, former: Sequence[Result], raw: tuple[SlotState, SlotState], *, turn: bool
) -> Result | None:
    """Return the result that counts between these two, or else the one that does not count."""
    if result is not None and not turn and result.between == (raw[1].entry, raw[0].entry):
        result = replace(result, between=STRANGERS)
    if not former or (result is not None and _turned(result, raw) is not None):
        return result
    here = (raw[0].entry, raw[1].entry)
    return next((old for old in reversed(former) if old.between == here), result)


def _turned(result: Result, raw: tuple[SlotState, SlotState]) -> Result | None:
    """Return the result with its sides in the order of the slots; None if it is not between these two."""
    here = (raw[0].entry, raw[1].entry)
    if None in here:
        return None
    if result.between is None or result.between == here:
        return result
    if result.between != (here[1], here[0]):
        return None
    return replace(
        result,
        winner=None if result.winner is None else 1 - result.winner,
        score=None if result.score is None else (result.score[1], result.score[0]),
        between=(result.between[1], result.between[0]),
        advances=result.advances if result.advances in (None, NOBODY) else 1 - result.advances,
    )


def _decided(number: FixtureId, slots: tuple[SlotState, SlotState], result: Result) -> FixtureState:
    side = result.advancing_slot
    winner, loser = (EMPTY_SLOT, EMPTY_SLOT) if side is None else (slots[side], slots[1 - side])
    return FixtureState(number, slots, FixtureStatus.DECIDED, winner, loser, result)


def _without_withdrawn(slot: SlotState, withdrawn: Withdrawn, bracket: str) -> SlotState:
    """Return the slot, as a walkover if its entry has withdrawn."""
    entry = slot.entry
    if entry is not None and ((entry, None) in withdrawn or (entry, bracket) in withdrawn):
        return SlotState(SlotStatus.WALKOVER, absent=entry)
    return slot
