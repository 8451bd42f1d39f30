"""Which matches of lives are not played any more, whatever was known when their rounds were paired.

A paired round is a fact, but a result of an earlier round may be corrected after it. Whoever had lost the last life
before a round does not play it: the opponent has a bye, and if both had, nobody plays. A match that was left out when
the next round was paired is not played later either. A match that is decided stays.
"""

from collections import Counter
from collections.abc import Collection

from tournaments.formats.graph import EntryId, FixtureId
from tournaments.formats.progress import BYE_SLOT, FixtureState, FixtureStatus, Progress, undecided


def without_spent_lives(state: Progress, lives: int) -> Progress:
    """The same rounds, of which only the last is still to play, and only by those who had lives left before it."""
    losses: Counter[EntryId] = Counter()
    fixtures: dict[FixtureId, FixtureState] = {}
    for bracket in state.graph.brackets:
        for round_ in bracket.rounds:
            out = {entry for entry, lost in losses.items() if lost >= lives}
            states = [_without(state.fixtures[fixture.number], out) for fixture in round_.fixtures]
            if round_ != bracket.rounds[-1]:
                states = [_left_out(one) for one in states]
            fixtures |= {one.number: one for one in states}
            losses.update(entry for one in states for entry in _losers(one))
    return Progress(state.graph, fixtures)


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
