"""Prize money: shares of a fund, ties, rounding, agreed splits and side pools, in whole minor units.

Every function that divides an amount divides all of it: what rounding leaves goes to first place.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from tournaments.ledger.money import WHOLE


@dataclass(frozen=True, slots=True)
class Pot:
    """The prizes of one bracket, table or side pool.

    `shares` belong to the places from first on, in hundredths of a percent of the fund.
    """

    key: str
    shares: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PrizePlacing:
    """Entries that share the places `first` to `last`, or `only` some of these; not all may be known yet."""

    first: int
    last: int
    entries: tuple[int, ...]
    only: tuple[int, ...] = ()

    @property
    def places(self) -> Sequence[int]:
        return self.only or range(self.first, self.last + 1)


@dataclass(frozen=True, slots=True)
class CertainPlaces:
    """The certain places of a pot; `over` means that no other place will be taken."""

    placings: tuple[PrizePlacing, ...] = ()
    over: bool = False


@dataclass(frozen=True, slots=True)
class Split:
    """What the holders of some prizes of a pot agreed to receive instead, by entry."""

    pot: str
    amounts: tuple[tuple[int, int], ...]
    places: tuple[int, ...]
    """The first place of each holder when they agreed, in ascending order."""


@dataclass(frozen=True, slots=True)
class Prize:
    """One prize: `entry` is None while nobody has it."""

    pot: str
    first: int
    last: int
    entry: int | None
    share: Fraction
    """In hundredths of a percent of the fund."""
    exact: Fraction
    """In minor units, before rounding."""
    due: int
    """In minor units."""
    agreed: bool = False
    """Whether a split replaced the amount."""


def is_whole(pots: Sequence[Pot]) -> bool:
    """Return whether the shares make 100 %, none is negative, and first place of the first pot has a share."""
    shares = [share for pot in pots for share in pot.shares]
    return sum(shares) == WHOLE and min(shares) >= 0 and bool(pots[0].shares) and pots[0].shares[0] > 0


def proportional(total: int, weights: Sequence[int]) -> list[int]:
    """Divide an amount in proportion to weights, which are not all 0; units left over go to the first ones.

    >>> proportional(10, [1, 1, 1])
    [4, 3, 3]
    """
    whole = sum(weights)
    parts = [total * weight // whole for weight in weights]
    receivers = [index for index, weight in enumerate(weights) if weight]
    for index in receivers[: total - sum(parts)]:
        parts[index] += 1
    return parts


def prize_table(
    fund: int,
    pots: Sequence[Pot],
    standings: Mapping[str, CertainPlaces],
    *,
    unit: int = 1,
    splits: Iterable[Split] = (),
) -> list[Prize]:
    """Return every prize, in the order of the pots and places; the amounts due add up to the fund.

    Each exact share is rounded down to a multiple of `unit`, and the remainder goes to first place of the first pot.
    Entries that share places share the sum of their prizes equally. A place that nobody takes goes to first place of
    its pot. Raises ValueError unless the shares make 100 %.
    """
    if not is_whole(pots):
        raise ValueError(f"the shares must make 100 %: {pots}")
    prizes = [prize for pot in pots for prize in _prizes(fund, pot, standings.get(pot.key, CertainPlaces()), unit)]
    prizes = _with_remainder(prizes, pots[0].key, fund)
    for split in splits:
        prizes = _with_split(prizes, split, standings.get(split.pot, CertainPlaces()))
    return prizes


def _prizes(fund: int, pot: Pot, standing: CertainPlaces, unit: int) -> list[Prize]:
    shares = _without_free_places(pot.shares, standing)
    prizes: list[Prize] = []
    given: set[int] = set()
    for place in range(1, len(shares) + 1):
        if place in given:
            continue
        shared = next((row for row in standing.placings if place in row.places), PrizePlacing(place, place, ()))
        given.update(shared.places)
        size = len(shared.places)
        share = Fraction(sum(shares[at - 1] for at in shared.places if at <= len(shares)), size)
        if share:
            exact = share * fund / WHOLE
            due = exact // unit * unit
            holders: list[int | None] = [*shared.entries, *[None] * (size - len(shared.entries))]
            prizes += [Prize(pot.key, shared.first, shared.last, entry, share, exact, due) for entry in holders]
    return prizes


def _without_free_places(shares: Sequence[int], standing: CertainPlaces) -> tuple[int, ...]:
    """Move the shares of places that nobody takes to first place, once the pot is over."""
    if not standing.over or not standing.placings:
        return tuple(shares)
    taken = {place for row in standing.placings for place in row.places}
    moved = [share if place in taken else 0 for place, share in enumerate(shares, start=1)]
    if 1 in taken:
        moved[0] += sum(shares) - sum(moved)
        return tuple(moved)
    return tuple(shares)


def _with_remainder(prizes: list[Prize], pot: str, fund: int) -> list[Prize]:
    """Add what rounding left to first place of this pot; entries that share it divide the remainder."""
    winners = [index for index, prize in enumerate(prizes) if prize.pot == pot and prize.first == 1]
    remainder = fund - sum(prize.due for prize in prizes)
    for index, extra in zip(winners, proportional(remainder, [1] * len(winners)), strict=True):
        prizes[index] = replace(prizes[index], due=prizes[index].due + extra)
    return prizes


def _with_split(prizes: list[Prize], split: Split, standing: CertainPlaces) -> list[Prize]:
    """Apply an agreed split while the same entries hold the same places; otherwise it is void.

    If their prizes together have changed since, the new sum is divided in the agreed proportion. Finalists may have
    agreed while second place has no prize of its own: it has a row then.
    """
    agreed = dict(split.amounts)
    held = {entry: row for row in standing.placings for entry in row.entries if entry in agreed}
    if len(held) != len(agreed) or not _are_places(split.places, list(held.values())):
        return prizes
    rows = [prize for prize in prizes if prize.pot == split.pot and prize.entry in agreed]
    without = [entry for entry in held if entry not in {prize.entry for prize in rows}]
    zero = Fraction(0)
    added = [Prize(split.pot, held[entry].first, held[entry].last, entry, zero, zero, 0) for entry in without]
    weights = [agreed[prize.entry] for prize in (*rows, *added) if prize.entry is not None]
    if not rows or not any(weights):
        return prizes
    parts = proportional(sum(prize.due for prize in rows), weights)
    amounts = {prize.entry: part for prize, part in zip((*rows, *added), parts, strict=True)}
    at = prizes.index(rows[-1]) + 1
    return [
        replace(prize, due=amounts[prize.entry], agreed=True)
        if prize.pot == split.pot and prize.entry in amounts
        else prize
        for prize in (*prizes[:at], *added, *prizes[at:])
    ]


def _are_places(places: Sequence[int], held: Sequence[PrizePlacing]) -> bool:
    """Whether these are the places of a split, or all of them share just these, as after a final that nobody won."""
    shares_all = len({(row.first, row.last) for row in held}) == 1
    if shares_all and tuple(places) == tuple(range(held[0].first, held[0].last + 1)):
        return True
    return tuple(sorted(row.first for row in held)) == tuple(places)


def is_applied(prizes: Iterable[Prize], split: Split) -> bool:
    agreed = dict(split.amounts)
    return any(prize.agreed and prize.pot == split.pot and prize.entry in agreed for prize in prizes)


Order = Sequence[tuple[str, int]]
"""Places across brackets, best first, as (pot, place)."""


def published_order(pots: Sequence[Pot]) -> list[tuple[str, int]]:
    """Return the usual order of a side pool: the places with the largest prizes first."""
    places = [(share, pot.key, place) for pot in pots for place, share in enumerate(pot.shares, start=1) if share]
    return [(key, place) for _share, key, place in sorted(places, key=lambda row: -row[0])]


def pool_standing(members: Collection[int], order: Order, standings: Mapping[str, CertainPlaces]) -> CertainPlaces:
    """Rank the members of a side pool by the best of their places in `order`, as far as that is certain.

    Members without any of these places share the places after all others.
    """
    left, placings, place = set(members), [], 1
    for key, number in order:
        standing = standings.get(key, CertainPlaces())
        shared = next((row for row in standing.placings if number in row.places), None)
        if shared is None and standing.over:
            continue
        if not left or shared is None or len(shared.entries) < len(shared.places):
            break
        holders = tuple(entry for entry in shared.entries if entry in left)
        if holders:
            placings.append(PrizePlacing(place, place + len(holders) - 1, holders))
            place += len(holders)
            left -= set(holders)
    else:
        if left:
            placings.append(PrizePlacing(place, place + len(left) - 1, tuple(sorted(left))))
        return CertainPlaces(tuple(placings), over=True)
    return CertainPlaces(tuple(placings), over=not left)
