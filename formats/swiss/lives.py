"""Swiss with lives: a player is out after a number of losses, and the last one left wins.

Near the end rematches and second byes cannot be avoided, so only forbidden pairs are excluded. Otherwise costs decide,
each before all later ones: earlier byes of the player with the bye (so nobody gets a second one while another has had
none), earlier meetings, how recent the last one was, the difference in lives, club-mates, lots. A bye costs no life and
is not a win. The last two play until one is out.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from itertools import combinations
from statistics import median_high

from formats.errors import Refused
from formats.graph import EntryId
from formats.lots import Lots, lot
from formats.swiss.event import ByeKind, SwissBye, SwissEvent, SwissPair, SwissRound
from formats.swiss.packing import Packing
from formats.swiss.pairing import DENSE_UP_TO, best_matching

NEIGHBOURS = 24
"""Candidates on each side at first, in a field too large to match over all pairs."""

LOT_RANGE = 1 << 16

MISSED_FOR_A_LIFE = 2
"""How many matches somebody must miss, in a stage without rounds that is not strict, to lose a life."""

LAST_ROUND_FOR_LIVES = 1
"""Number of paired rounds after which a stage with lives and rounds accepts nobody who was not in it."""


def lives_for_missed(in_turn: int, by_lot: int, *, seed: bytes, person: EntryId) -> int:
    """Return the lives that missed matches cost: every second one, and half of the others by lot.

    The lot of somebody's third such match is always the same, whatever is undone and done again: `person` is the first
    of their entries.

    >>> [lives_for_missed(3, count, seed=bytes(32), person=7) for count in (0, 1, 2, 3)]
    [1, 1, 2, 2]
    """
    lost = sum(lot(seed, "missed", person, number).below(2) for number in range(1, by_lot + 1))
    return in_turn // MISSED_FOR_A_LIFE + lost


def missed_while_out(begun: Collection[int], own: int, *, is_strict: bool) -> int:
    """Return how many matches somebody misses who withdraws from a stage without rounds and comes back.

    `begun` has the matches begun by each of the others who are still in, `own` are those of whoever comes back. The
    fewest count, as for a late entry, but if it `is_strict` as many as half of the others have begun at least:
    otherwise it would pay to come back as late as possible.

    >>> missed_while_out([3, 4, 5, 5], 1, is_strict=False), missed_while_out([3, 4, 5, 5], 1, is_strict=True)
    (2, 4)
    """
    if not begun:
        return 0
    return max(0, (median_high(begun) if is_strict else min(begun)) - own)


def lives_left(event: SwissEvent, lives: int) -> dict[EntryId, int]:
    number, spent = event.next_round, event.lives_missed
    left = {p.entry: lives - event.losses[p.entry] - spent.get(p.entry, 0) for p in event.players if p.active(number)}
    return {entry: count for entry, count in left.items() if count > 0}


def lives_over(event: SwissEvent, lives: int) -> bool:
    """Whether only one entry is left, or none after a double forfeit."""
    return len(lives_left(event, lives)) <= 1


def pair_lives(event: SwissEvent, lives: int, *, seed: bytes, draft: int = 1) -> SwissRound:
    """Pair the next round of the entries that have lives left.

    Raises Refused("round_open"), ("too_few_players"), or ("no_legal_pairing") if forbidden pairs leave no pairing.
    """
    event.checked()
    left = lives_left(event, lives)
    if len(left) < 2:
        raise Refused("too_few_players", players=len(left))
    lots = Lots(seed, f"lives:{event.next_round}", draft)
    order = sorted(lots.shuffled(sorted(left)), key=lambda entry: -left[entry])
    costs = _Costs(event, order, left, lots)
    wide = NEIGHBOURS
    while True:
        dense = len(order) <= DENSE_UP_TO or wide >= len(order)
        matching = best_matching(len(order) + len(order) % 2, costs.edges(len(order) if dense else wide))
        if 2 * len(matching) >= len(order):
            return _as_round(order, left, matching)
        if dense:
            raise Refused("no_legal_pairing", round=event.next_round)
        wide *= 2


class _Costs:
    """The cost of each pair of positions; the position after the last is the bye."""

    def __init__(self, event: SwissEvent, order: list[EntryId], left: dict[EntryId, int], lots: Lots) -> None:
        self._event, self._order, self._left, self._lots = event, order, left, lots
        rounds = len(event.rounds)
        byes = max((event.pairing_byes[entry] for entry in order), default=0)
        lives = max(left.values())
        maxima = (byes, rounds, rounds, lives, 1, LOT_RANGE - 1)
        self._packing = Packing(maxima, (len(order) + 1) // 2)

    def edges(self, wide: int) -> Iterable[tuple[int, int, int]]:
        """Yield all pairs of positions at most `wide` apart, and the bye for everybody if the number is odd."""
        size = len(self._order)
        pairs = combinations(range(size), 2) if wide >= size else self._near(wide)
        for a, b in pairs:
            if frozenset((self._order[a], self._order[b])) not in self._event.forbidden:
                yield a, b, self._weight(a, b)
        if size % 2:
            for a in range(size):
                had = self._event.pairing_byes[self._order[a]]
                yield a, size, self._packing.weight((had, 0, 0, 0, 0, self._lots.below(LOT_RANGE)))

    def _near(self, wide: int) -> Iterable[tuple[int, int]]:
        size = len(self._order)
        return ((a, b) for a in range(size) for b in range(a + 1, min(size, a + 1 + wide)))

    def _weight(self, a: int, b: int) -> int:
        first, second = self._order[a], self._order[b]
        met = self._event.meetings.get(frozenset((first, second)), [])
        recent = met[-1] if met else 0
        lives = abs(self._left[first] - self._left[second])
        clubs = [self._event.by_entry[entry].club for entry in (first, second)]
        mates = int(clubs[0] is not None and clubs[0] == clubs[1])
        return self._packing.weight((0, len(met), recent, lives, mates, self._lots.below(LOT_RANGE)))


def _as_round(order: list[EntryId], left: dict[EntryId, int], matching: list[tuple[int, int]]) -> SwissRound:
    size = len(order)
    pairs = [SwissPair(order[a], order[b]) for a, b in matching if b < size]
    pairs.sort(key=lambda pair: (-left[pair.first] - left[pair.second], pair.first))
    return SwissRound(tuple(pairs), tuple(SwissBye(order[a], ByeKind.SIT_OUT) for a, b in matching if b == size))


def lives_places(event: SwissEvent, lives: int) -> tuple[tuple[EntryId, ...], ...]:
    """Return the entries by place: those still in by lives left, then the others by the round they went out in.

    A withdrawn entry ranks with those that went out in the last round it could have played. Without rounds, those who
    are out are ranked by the matches they won, but the runner-up is who lost the last match.
    """
    if event.continuous:
        return _places_without_rounds(event, lives)
    left = lives_left(event, lives)
    lost: dict[EntryId, int] = {}
    out: dict[EntryId, int] = {p.entry: p.left for p in event.players if p.left is not None and p.entry not in left}
    for number, round_ in enumerate(event.rounds, start=1):
        for pair in round_.pairs:
            for entry in pair.losers:
                lost[entry] = lost.get(entry, 0) + 1
                if lost[entry] == lives:
                    out.setdefault(entry, number)
    groups: dict[tuple[int, int], list[EntryId]] = {}
    for player in event.players:
        key = (1, left[player.entry]) if player.entry in left else (0, out.get(player.entry, 0))
        groups.setdefault(key, []).append(player.entry)
    return tuple(tuple(sorted(groups[key])) for key in sorted(groups, reverse=True))


def _places_without_rounds(event: SwissEvent, lives: int) -> tuple[tuple[EntryId, ...], ...]:
    left, won = lives_left(event, lives), Counter[EntryId]()
    decided = [pair for round_ in event.rounds for pair in round_.pairs if pair.result is not None]
    for pair in decided:
        if pair.result is not None and pair.result.winner is not None:
            won[(pair.first, pair.second)[pair.result.winner]] += 1
    last = set(decided[-1].losers) if decided and len(left) <= 1 and not event.has_open_matches else set()
    groups: dict[tuple[int, int], list[EntryId]] = {}
    for player in event.players:
        entry = player.entry
        key = (2, left[entry]) if entry in left else (1, 0) if entry in last else (0, won[entry])
        groups.setdefault(key, []).append(entry)
    return tuple(tuple(sorted(groups[key])) for key in sorted(groups, reverse=True))
