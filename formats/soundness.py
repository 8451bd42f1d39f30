"""Invariants of a stage: faults that no history of results may lead to.

Comparing stored with derived states finds nothing if the derivation itself is wrong. These rules do not rely on it:
they look only at who stands where and who has lost what.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from formats.graph import EntryId
from formats.progress import Progress
from formats.settings import ELIMINATION, LIVES, SWISS, TABLES, StageSettings
from formats.swiss.event import PAIRING_BYES, SwissEvent
from formats.tables.tables import elimination_places


@dataclass(frozen=True, slots=True)
class BrokenInvariant:
    """A broken invariant, with the actual and the expected value."""

    what: str
    actual: object
    expected: object


def faults(settings: StageSettings, state: Progress, event: SwissEvent | None = None) -> Iterator[BrokenInvariant]:
    """Yield every fault of a stage; `event` is given if its rounds are paired one by one."""
    yield from _seats(settings, state)
    yield from _champion(settings, state)
    if event is not None and settings.format == LIVES:
        yield from _lives(settings.lives, event)
    if event is not None and settings.format == SWISS:
        yield from _byes(event)


def _seats(settings: StageSettings, state: Progress) -> Iterator[BrokenInvariant]:
    """Nobody plays themselves, or has two open matches at once in an elimination or a paired round."""
    for number, fixture in state.fixtures.items():
        if fixture.entrants is not None and len(set(fixture.entrants)) == 1:
            yield BrokenInvariant(f"M{number}: one entry on both sides", fixture.entrants[0], None)
    if settings.format in TABLES:
        return
    ready = [entry for number in state.ready for entry in state.fixtures[number].entrants or ()]
    for entry, seats in Counter(ready).items():
        if seats > 1:
            yield BrokenInvariant(f"open matches of entry {entry}", seats, 1)


def _champion(settings: StageSettings, state: Progress) -> Iterator[BrokenInvariant]:
    """The winner of an elimination has no open match in it."""
    if settings.format not in ELIMINATION or not state.fixtures:
        return
    first = next(iter(elimination_places(settings, state).values()))
    champions = {entry for place in first if (place.first, place.last) == (1, 1) for entry in place.entries}
    for number in state.ready:
        for entry in champions & set(state.fixtures[number].entrants or ()):
            yield BrokenInvariant(f"M{number}: open match of the champion", entry, None)


def _lives(lives: int, event: SwissEvent) -> Iterator[BrokenInvariant]:
    """Nobody without lives has an open match, nor has the last player left, and nobody sits twice in a round."""
    lost: Counter[EntryId] = Counter()
    open_matches: list[tuple[int, frozenset[EntryId]]] = []
    for number, round_ in enumerate(event.rounds, start=1):
        seats = Counter(entry for pair in round_.pairs for entry in pair.pair)
        seats.update(bye.entry for bye in round_.byes)
        for entry, count in seats.items():
            if count > 1:
                yield BrokenInvariant(f"seats of entry {entry} in round {number}", count, 1)
        for pair in round_.pairs:
            if pair.result is None:
                open_matches.append((number, pair.pair))
                # Without rounds a match that has begun goes on, whatever is corrected meanwhile.
                spent = [] if event.continuous else [entry for entry in pair.pair if lost[entry] >= lives]
                for entry in sorted(spent):
                    yield BrokenInvariant(f"lives of entry {entry}, who is to play in round {number}", 0, "at least 1")
        lost.update(entry for pair in round_.pairs for entry in pair.losers)
    left = [player.entry for player in event.players if player.left is None and lost[player.entry] < lives]
    if len(left) == 1:
        for number, pair_ in open_matches:
            if left[0] in pair_:
                yield BrokenInvariant(f"open match of the winner in round {number}", left[0], None)


def _byes(event: SwissEvent) -> Iterator[BrokenInvariant]:
    """The pairing gives nobody a second bye, and at most one bye a round.

    Without rounds, whoever has no opponent left at the end has byes instead, but nobody more matches than planned.
    """
    if event.continuous:
        spent = Counter(event.missed) + event.pairing_byes
        spent.update(entry for round_ in event.rounds for pair in round_.pairs for entry in pair.pair)
        for entry, count in spent.items():
            if event.planned is not None and count > event.planned:
                yield BrokenInvariant(f"matches and byes of entry {entry}", count, event.planned)
        return
    for entry, count in event.pairing_byes.items():
        if count > 1:
            yield BrokenInvariant(f"byes given to entry {entry}", count, 1)
    for number, round_ in enumerate(event.rounds, start=1):
        count = sum(bye.kind in PAIRING_BYES for bye in round_.byes)
        if count > 1:
            yield BrokenInvariant(f"byes given in round {number}", count, 1)
