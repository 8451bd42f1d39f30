"""Which matches of lives are not played any more, whatever was known when their rounds were paired.

A paired round is a fact, but a result of an earlier round may be corrected after it. Whoever had lost the last life
before a round does not play it: the opponent has a bye, and if both had, nobody plays. A match that was left out when
the next round was paired is not played later either. A match that is decided stays.
"""

from collections import Counter
from collections.abc import Collection, Iterator

from tournaments.formats.graph import Bracket, EntryId, FixtureId, Round
from tournaments.formats.progress import BYE_SLOT, FixtureState, FixtureStatus, Progress, undecided


def without_spent_lives(state: Progress, lives: int) -> Progress:
    """The same rounds, of which only the last is still to play, and only by those who had lives left before it."""
    fixtures: dict[FixtureId, FixtureState] = {}
    for bracket, round_, out in _eliminated_by_round(state, lives):
        states = [_without(state.fixtures[fixture.number], out) for fixture in round_.fixtures]
        if round_ != bracket.rounds[-1]:
            states = [_left_out(one) for one in states]
        fixtures |= {one.number: one for one in states}
    return Progress(state.graph, fixtures)


def decided_without_lives(state: Progress, lives: int) -> frozenset[FixtureId]:
    """The decided matches that an entry with no lives left took part in: they stand, but could not be played now."""
    return frozenset(
        fixture.number
        for _, round_, eliminated in _eliminated_by_round(state, lives)
        for fixture in round_.fixtures
        if state.fixtures[fixture.number].status is FixtureStatus.DECIDED
        and any(slot.entrant in eliminated for slot in state.fixtures[fixture.number].slots)
    )


def _eliminated_by_round(state: Progress, lives: int) -> Iterator[tuple[Bracket, Round, frozenset[EntryId]]]:
    """Each round in order, with the entries that had no lives left when it began."""
    losses: Counter[EntryId] = Counter()
    for bracket in state.graph.brackets:
        for round_ in bracket.rounds:
            yield bracket, round_, frozenset(entry for entry, lost in losses.items() if lost >= lives)
            losses.update(entry for fixture in round_.fixtures for entry in _losers(state.fixtures[fixture.number]))


def _losers(state: FixtureState) -> tuple[EntryId, ...]:
    """Who lost a life in a fixture."""
    if state.result is None or state.entrants is None:
        return ()
    return tuple(state.entrants[slot] for slot in state.result.losing_slots)


def _without(state: FixtureState, out: Collection[EntryId]) -> FixtureState:
    if state.status is FixtureStatus.DECIDED or not any(slot.entrant in out for slot in state.slots):
        return state
    first, second = (BYE_SLOT if slot.entrant in out else slot for slot in state.slots)
    return undecided(state.number, (first, second), void=state.void)


def _left_out(state: FixtureState) -> FixtureState:
    return undecided(state.number, (BYE_SLOT, BYE_SLOT)) if state.status is FixtureStatus.READY else state
