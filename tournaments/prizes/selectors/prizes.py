"""The prize table of a division: what each place is due, to whom, and what has been paid of it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from tournaments.ledger.selectors.accounts import division_charges, fees_of
from tournaments.models import AgreedSplit, Division, Payment, PoolMember, PrizePlan, SidePool
from tournaments.prizes.selectors.places import standings_of
from tournaments.prizes.shares import CertainPlaces, Pot, Prize, Split, is_applied, pool_standing, prize_table
from tournaments.state.derivation import StageState


@dataclass(frozen=True, slots=True)
class Payout:
    """What was paid to an entry from a pot, and when last."""

    amount: int = 0
    at: datetime | None = None


@dataclass(slots=True)
class PrizeRow:
    """A prize and what has been paid of it; `prize` is None if nothing is due any more."""

    pot: str
    entry: int | None
    prize: Prize | None
    paid: int = 0
    paid_at: datetime | None = None

    @property
    def due(self) -> int:
        """The amount due."""
        return 0 if self.prize is None else self.prize.due

    @property
    def open(self) -> int:
        """What is still to be paid to a known winner; negative if too much was paid."""
        return 0 if self.entry is None else self.due - self.paid


@dataclass(frozen=True, slots=True)
class Fund:
    """Where the prize money of a division comes from."""

    entries: int
    reentries: int
    each: int
    each_reentry: int
    total: int
    added: int
    """What the club adds to reach the guaranteed amount."""


@dataclass(slots=True)
class DivisionPrizes:
    """The prizes of a division and of its side pools."""

    division: Division
    plan: PrizePlan | None
    fund: Fund
    rows: list[PrizeRow] = field(default_factory=list)
    pools: list["PoolPrizes"] = field(default_factory=list)
    splits: list[tuple[AgreedSplit, bool]] = field(default_factory=list)
    """Agreed splits, and whether they apply."""

    @property
    def every_row(self) -> list[PrizeRow]:
        """The prizes of the division and of its side pools."""
        return [*self.rows, *(row for pool in self.pools for row in pool.rows)]


@dataclass(slots=True)
class PoolPrizes:
    """A side pool with its members and prizes."""

    pool: SidePool
    members: list[int]
    total: int
    rows: list[PrizeRow]


def pots_of(plan: PrizePlan) -> list[Pot]:
    """Return the shares of a plan."""
    return [Pot(key, tuple(shares)) for key, shares in plan.shares]


def plan_of(division: Division) -> PrizePlan | None:
    """Return the highest published version of a division's plan, or else its latest draft."""
    return division.prize_plans.order_by("-published", "-version").first()


def fund_of(division: Division, plan: PrizePlan | None) -> Fund:
    """Return the prize money of a division: what its entries owe, whether they have paid or not."""
    fees, charges = fees_of(division, plan), division_charges(division)
    again = sum(charge.is_reentry for charge in charges)
    first = len(charges) - again
    total = fees.fund(first, again, plan.guaranteed if plan else 0)
    return Fund(
        first,
        again,
        fees.prize_money(is_reentry=False),
        fees.prize_money(is_reentry=True),
        total,
        total - fees.fund(first, again),
    )


def prizes_of(
    division: Division, *, plan: PrizePlan | None = None, states: Sequence[StageState] | None = None
) -> DivisionPrizes:
    """Return the prize table; `plan` replaces the plan that counts, and `states` the places, for previews."""
    used = plan or plan_of(division)
    fund = fund_of(division, used)
    prizes = DivisionPrizes(division, used, fund)
    standings = standings_of(division, ties_share=used is not None and used.ties_share, states=states)
    payouts = payouts_of(division)
    if used is not None:
        rows = list(division.agreed_splits.filter(taken_back_at=None))
        splits = [split_of(row) for row in rows]
        table = prize_table(fund.total, pots_of(used), standings, unit=used.unit, splits=splits)
        prizes.rows = _rows(table, payouts)
        prizes.splits = [(row, is_applied(table, split)) for row, split in zip(rows, splits, strict=True)]
    prizes.pools = _pools(division, standings, payouts)
    prizes.rows += [PrizeRow(pot, entry, None, paid.amount, paid.at) for (pot, entry), paid in payouts.items()]
    return prizes


def split_of(row: AgreedSplit) -> Split:
    """Return an agreed split as a value."""
    return Split(row.pot, tuple((entry, amount) for entry, amount in row.amounts), tuple(row.places))


def payouts_of(division: Division) -> dict[tuple[str, int], Payout]:
    """Return (pot, entry) -> what was paid and not taken back."""
    amounts: dict[tuple[str, int], int] = defaultdict(int)
    at: dict[tuple[str, int], datetime] = {}
    rows = Payment.objects.filter(entry__division=division, kind=Payment.Kind.PAYOUT).order_by("at", "pk")
    for row in rows:
        if row.entry_id is not None:
            amounts[row.pot, row.entry_id] -= row.amount
            at[row.pot, row.entry_id] = row.at
    return {key: Payout(amount, at[key]) for key, amount in amounts.items() if amount}


def _rows(table: Sequence[Prize], payouts: dict[tuple[str, int], Payout]) -> list[PrizeRow]:
    """Return the prizes with what was paid of each; their payouts are removed from the mapping."""
    rows = []
    for prize in table:
        payout = payouts.pop((prize.pot, prize.entry), Payout()) if prize.entry is not None else Payout()
        rows.append(PrizeRow(prize.pot, prize.entry, prize, payout.amount, payout.at))
    return rows


def _pools(
    division: Division, standings: Mapping[str, CertainPlaces], payouts: dict[tuple[str, int], Payout]
) -> list[PoolPrizes]:
    """Return the side pools of a division; members who owe no entry fee any more do not count."""
    charged = {charge.entry.pk for charge in division_charges(division)}
    members: dict[int, list[int]] = defaultdict(list)
    joined = PoolMember.objects.filter(pool__division=division, taken_back_at=None)
    for pool, entry in joined.order_by("pk").values_list("pool", "entry"):
        if entry in charged:
            members[pool].append(entry)
    pools = []
    for row in division.side_pools.all():
        own = members[row.pk]
        standing = pool_standing(own, [(key, place) for key, place in row.order], standings)
        total = row.fee * len(own)
        table = prize_table(total, [Pot(row.key, tuple(row.shares))], {row.key: standing}, unit=row.unit)
        pools.append(PoolPrizes(row, own, total, _rows(table, payouts) if own else []))
    return pools
