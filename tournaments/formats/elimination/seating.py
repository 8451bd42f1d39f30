"""The draw of a round whose entrants have come to be known: who has the bye, and who meets whom.

1. With an odd number, the bye goes by lot to one of those who have had the fewest byes in the stage so far. Lots
   are drawn over all entrants of the round, in the order in which the plan lists them, and the first of those with
   the fewest has the bye. It changes places with the entrant the plan meant for it.
2. Wherever two who have met before, or who are to be kept apart, would then meet, one of them exchanges opponents
   with the pair where that helps most, the nearest first.

Both look only at who arrives and at what they have played, never at the order in which results came in. So the same
results give the same round, however often one of them is corrected and corrected back.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tournaments.formats.graph import EntryId, Round, Seat
from tournaments.formats.lots import Lots, lot

MEETING, SAME_GROUP = 2, 1
"""What a pair costs for each time it has met, and for being one to keep apart."""

Pair = tuple[int, int]
"""Two seats, counted from 0."""


@dataclass(slots=True)
class Past:
    """What the entrants have behind them: byes by entry, and meetings by pair."""

    byes: Counter[EntryId] = field(default_factory=Counter)
    met: Counter[frozenset[EntryId]] = field(default_factory=Counter)
    apart: tuple[frozenset[EntryId], ...] = ()

    def cost(self, first: EntryId | None, second: EntryId | None) -> int:
        """How much is against these two meeting; nothing where one of them is nobody."""
        if first is None or second is None:
            return 0
        together = any(first in group and second in group for group in self.apart)
        return MEETING * self.met[frozenset((first, second))] + SAME_GROUP * together


def lots_of(seed: bytes, bracket: str, number: int) -> Lots:
    """The lots of one round, which decide nothing else."""
    return lot(seed, "round", bracket, number)


def seat_entrants(round_: Round, arrived: Sequence[EntryId | None], past: Past, lots: Lots) -> tuple[int, ...]:
    """For every seat the entrant who takes it, counted from 0; `arrived` are the entrants, None where nobody came.

    >>> from tournaments.formats.graph import BYE, Fixture
    >>> def seat(number):
    ...     return Seat("lower", 2, number)
    >>> round_ = Round(2, (Fixture(8, (seat(1), seat(2))), Fixture(9, (seat(3), BYE))))
    >>> seat_entrants(round_, [11, 12, 13], Past(byes=Counter([12, 13])), Lots(b"at least sixteen bytes", "example"))
    (2, 1, 0)
    """
    order = list(range(len(arrived)))
    alone = next((seats[0] for seats in _seats(round_) if len(seats) == 1), None)
    if alone is not None:
        taker = _bye_taker(arrived, past, lots)
        order[alone], order[taker] = taker, alone
    pairs = [(seats[0], seats[1]) for seats in _seats(round_) if len(seats) > 1]
    _keep_apart(order, pairs, arrived, past)
    return tuple(order)


def _seats(round_: Round) -> list[tuple[int, ...]]:
    """The seats of each fixture: two, or one where there is a bye."""
    return [
        tuple(source.number - 1 for source in fixture.sources if isinstance(source, Seat))
        for fixture in round_.fixtures
    ]


def _bye_taker(arrived: Sequence[EntryId | None], past: Past, lots: Lots) -> int:
    """By lot, among those with the fewest byes; nobody needs none."""
    byes = {at: past.byes[entry] for at, entry in enumerate(arrived) if entry is not None}
    fewest = min(byes.values(), default=0)
    return next((at for at in lots.shuffled(range(len(arrived))) if byes.get(at) == fewest), 0)


def _keep_apart(order: list[int], pairs: Sequence[Pair], arrived: Sequence[EntryId | None], past: Past) -> None:
    """Exchanges opponents, in place, as long as that leaves fewer pairs that should not meet."""

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
