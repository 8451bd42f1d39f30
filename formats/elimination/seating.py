"""The draw of a round, or of some of its lines, once their entrants are known: who gets the bye, and who plays whom.

1. If one of the lines has a bye, it goes by lot to an entrant with the fewest byes in the stage so far. Lots order the
   entrants, as the plan lists them, and the first one with the fewest byes gets the bye. They change places with the
   entrant for whom the plan intended it.
2. If two entrants would meet who have met before or are to be kept apart, one of them exchanges opponents with the pair
   where that helps most, nearest pairs first. An opponent on a fixed line is not considered, because the lot must not
   depend on whether that line is known by then.

Both steps depend only on the entrants and what they have played, never on the order in which results came in. The same
results therefore give the same round, however often a result is corrected and corrected back.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from formats.graph import BYE, DrawnSeat, EntryId, Fixture, Round
from formats.lots import Lots, lot

MEETING, SAME_GROUP = 2, 1
"""The cost of a pair for each time it has met, and for being kept apart."""

Pair = tuple[int, int]
"""Two seats, counted from 0."""


@dataclass(slots=True)
class Past:
    """The history of the entrants: byes by entry, meetings by pair, and groups to keep apart."""

    byes: Counter[EntryId] = field(default_factory=Counter)
    met: Counter[frozenset[EntryId]] = field(default_factory=Counter)
    apart: tuple[frozenset[EntryId], ...] = ()

    def cost(self, first: EntryId | None, second: EntryId | None) -> int:
        """Return the cost of pairing these two; 0 if one of them is missing."""
        if first is None or second is None:
            return 0
        together = any(first in group and second in group for group in self.apart)
        return MEETING * self.met[frozenset((first, second))] + SAME_GROUP * together


def lots_of(seed: bytes, bracket: str, number: int) -> Lots:
    """Return the lots of one round, which are used for nothing else: no round has more than one bye."""
    return lot(seed, "round", bracket, number)


def seat_entrants(round_: Round, arrived: Sequence[EntryId | None], past: Past, lots: Lots) -> tuple[int, ...]:
    """Return, for every seat, the index of the entrant who takes it; `arrived` has None for a missing entrant.

    >>> from formats.graph import BYE, Fixture
    >>> def seat(number):
    ...     return Seat("lower", 2, number)
    >>> round_ = Round(2, (Fixture(8, (seat(1), seat(2))), Fixture(9, (seat(3), BYE))))
    >>> seat_entrants(round_, [11, 12, 13], Past(byes=Counter([12, 13])), Lots(b"at least sixteen bytes", "example"))
    (2, 1, 0)
    """
    order = list(range(len(arrived)))
    alone = next((seat for fixture in round_.fixtures if BYE in fixture.sources for seat in _seats(fixture)), None)
    if alone is not None:
        taker = _bye_taker(arrived, past, lots)
        order[alone], order[taker] = taker, alone
    pairs = [(seats[0], seats[1]) for seats in map(_seats, round_.fixtures) if len(seats) > 1]
    _keep_apart(order, pairs, arrived, past)
    return tuple(order)


def _seats(fixture: Fixture) -> tuple[int, ...]:
    """Return the seats of a fixture; one if it has a bye or an entrant from a fixed line."""
    return tuple(source.number - 1 for source in fixture.sources if isinstance(source, DrawnSeat))


def _bye_taker(arrived: Sequence[EntryId | None], past: Past, lots: Lots) -> int:
    """Choose one of those with the fewest byes by lot; return the index."""
    byes = {at: past.byes[entry] for at, entry in enumerate(arrived) if entry is not None}
    fewest = min(byes.values(), default=0)
    return next((at for at in lots.shuffled(range(len(arrived))) if byes.get(at) == fewest), 0)


def _keep_apart(order: list[int], pairs: Sequence[Pair], arrived: Sequence[EntryId | None], past: Past) -> None:
    """Exchange opponents, in place, while that lowers the cost of the pairs."""

    def cost(pair: Pair) -> int:
        return past.cost(*(arrived[order[seat]] for seat in pair))

    def after(exchange: Pair, touched: Iterable[Pair]) -> int:
        _exchange(order, exchange)
        total = sum(map(cost, touched))
        _exchange(order, exchange)
        return total

    improved = True
    while improved:
        improved = False
        for at, own in enumerate(pairs):
            if not cost(own):
                continue
            others = sorted((place for place in range(len(pairs)) if place != at), key=lambda place: abs(place - at))
            tried = [
                (after((own[1], seat), (own, pairs[place])) - cost(own) - cost(pairs[place]), rank, (own[1], seat))
                for rank, place in enumerate(others)
                for seat in reversed(pairs[place])
            ]
            gain, _, best = min(tried, default=(0, 0, (0, 0)))
            if gain < 0:
                _exchange(order, best)
                improved = True


def _exchange(order: list[int], seats: Pair) -> None:
    order[seats[0]], order[seats[1]] = order[seats[1]], order[seats[0]]
