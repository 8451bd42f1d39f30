"""Matches of a lives stage that are no longer played after an earlier result was corrected.

A paired round is a fact, but a result of an earlier round can be corrected later. An entry that by then had no lives
before a round does not play it: its opponent gets a bye, and if neither had lives, there is no match. A match that was
open when the next round was paired is not played later either. Decided matches stand.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from formats.graph import Bracket, EntryId, FixtureId, Round
from formats.progress import Progress
from formats.states import BYE_SLOT, FixtureState, FixtureStatus, undecided


def without_spent_lives(state: Progress, lives: int) -> Progress:
    """Return the state in which only the last round has open matches, and only for entries with lives left."""
    fixtures: dict[FixtureId, FixtureState] = {}
    for bracket, round_, out in _eliminated_by_round(state, lives):
        states = [_without(state.fixtures[fixture.number], out) for fixture in round_.fixtures]
        if round_ != bracket.rounds[-1]:
            states = [_skipped(fixture) for fixture in states]
        fixtures |= {fixture.number: fixture for fixture in states}
    return Progress(state.graph, fixtures)


def without_spent_pairings(
    state: Progress,
    *,
    taken_back: Collection[FixtureId],
    begun: Collection[FixtureId],
    gone: Collection[EntryId],
    field: Collection[EntryId] | None = None,
    lives: int | None = None,
    missed: Mapping[EntryId, int] | None = None,
) -> Progress:
    """Return the state of a stage without rounds: pairings that are `taken_back` are not played.

    Neither are those of entries that are `gone` or, where they have `lives`, have none left, unless they have `begun`;
    `missed` are lives that missed matches cost. Where the `field` is given, nothing counts of entries that are not in
    it, as if it were taken back.
    """
    losses = Counter(missed or {})
    void = set(taken_back)
    for number, fixture in state.fixtures.items():
        if field is not None and any(slot.entrant not in field for slot in fixture.slots if slot.entrant is not None):
            void.add(number)
        if number not in void:
            losses.update(_losers(fixture))
    out = {*gone, *(entry for entry, lost in losses.items() if lives is not None and lost >= lives)}
    fixtures = {}
    for number, fixture in state.fixtures.items():
        is_open = fixture.status is FixtureStatus.READY or fixture.walkover is not None
        is_spent = is_open and number not in begun and any(slot.entrant in out for slot in fixture.slots)
        if number in void or is_spent:
            fixtures[number] = undecided(number, (BYE_SLOT, BYE_SLOT))
        else:
            fixtures[number] = fixture
    return Progress(state.graph, fixtures)


def without_stopped(state: Progress, stopped: Collection[FixtureId]) -> Progress:
    """Return the state in which matches that were `stopped`, as a director ended the stage, count for nobody."""
    voided = {number: undecided(number, (BYE_SLOT, BYE_SLOT)) for number in stopped if number in state.fixtures}
    return Progress(state.graph, {**state.fixtures, **voided}) if voided else state


def decided_without_lives(state: Progress, lives: int) -> frozenset[FixtureId]:
    """Return the decided matches of entries that had no lives left; they stand, but could not be played now."""
    return frozenset(
        fixture.number
        for _, round_, eliminated in _eliminated_by_round(state, lives)
        for fixture in round_.fixtures
        if state.fixtures[fixture.number].status is FixtureStatus.DECIDED
        and any(slot.entrant in eliminated for slot in state.fixtures[fixture.number].slots)
    )


def _eliminated_by_round(state: Progress, lives: int) -> Iterator[tuple[Bracket, Round, frozenset[EntryId]]]:
    """Yield each round in order, with the entries that had no lives left before it."""
    losses: Counter[EntryId] = Counter()
    for bracket in state.graph.brackets:
        for round_ in bracket.rounds:
            yield bracket, round_, frozenset(entry for entry, lost in losses.items() if lost >= lives)
            losses.update(entry for fixture in round_.fixtures for entry in _losers(state.fixtures[fixture.number]))


def _losers(state: FixtureState) -> tuple[EntryId, ...]:
    """Return the entries that lost a life in a fixture."""
    if state.result is None or state.entrants is None:
        return ()
    return tuple(state.entrants[slot] for slot in state.result.losing_slots)


def _without(state: FixtureState, out: Collection[EntryId]) -> FixtureState:
    if state.status is FixtureStatus.DECIDED or not any(slot.entrant in out for slot in state.slots):
        return state
    first, second = (BYE_SLOT if slot.entrant in out else slot for slot in state.slots)
    return undecided(state.number, (first, second), void=state.void)


def _skipped(state: FixtureState) -> FixtureState:
    return undecided(state.number, (BYE_SLOT, BYE_SLOT)) if state.status is FixtureStatus.READY else state
