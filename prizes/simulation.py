"""Random evenings at the cash desk, kept in two ways that must agree: as payments, and as money in pockets.

Fees, re-entries, side pools, refunds, payments taken back, corrections after payouts, agreed splits, rounding and
guarantees all occur. Nothing here reads or writes a database.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from tournaments.ledger.money import CASH, WHOLE, Fees, Movement, count_box
from tournaments.ledger.shares import (
    CertainPlaces,
    Pot,
    Prize,
    PrizePlacing,
    Split,
    pool_standing,
    prize_table,
    proportional,
    published_order,
)

METHODS = (CASH, CASH, "card", "transfer")
KINDS = ("float", "entry", "reentry", "pool", "refund", "payout", "expense")
POOL = "pool"
UNITS = (1, 5, 100, 500)


@dataclass
class CashEvening:
    """An evening: the movements of the ledger, the money itself, and what did not agree."""

    rng: Random
    movements: list[Movement] = field(default_factory=list)
    drawer: int = 0
    bank: int = 0
    pockets: Counter[int] = field(default_factory=Counter)
    """What each player has paid (negative) and received."""
    paid_out: Counter[tuple[str, int]] = field(default_factory=Counter)
    corrections: int = 0
    splits: int = 0
    differences: list[str] = field(default_factory=list)

    def move(self, kind: str, amount: int, player: int | None = None, method: str = CASH) -> None:
        """Move money into the club (positive) or out of it; some payments are first made and taken back."""
        if not amount:
            return
        times = (1, -1, 1) if self.rng.random() < 0.1 else (1,)
        for sign in times:
            self.movements.append(Movement(kind, method, sign * amount))
            if method == CASH:
                self.drawer += sign * amount
            else:
                self.bank += sign * amount
            if player is not None:
                self.pockets[player] -= sign * amount

    def check(self, what: str, left: int, right: int) -> None:
        """Note a difference between two amounts that must be equal."""
        if left != right:
            self.differences.append(f"{what}: {left} is not {right}")


@dataclass(frozen=True, slots=True)
class Totals:
    """The sums over many evenings; `differences` must be empty."""

    evenings: int
    payments: int
    corrections: int
    splits: int
    differences: list[str]


def simulate_evenings(count: int, seed: int) -> Totals:
    """Simulate so many evenings; the same seed gives the same evenings."""
    evenings = [simulate_evening(Random(f"{seed}:{number}")) for number in range(count)]  # noqa: S311, a simulation
    return Totals(
        count,
        sum(len(evening.movements) for evening in evenings),
        sum(evening.corrections for evening in evenings),
        sum(evening.splits for evening in evenings),
        [difference for evening in evenings for difference in evening.differences],
    )


def simulate_evening(rng: Random) -> CashEvening:
    """Simulate one evening, from the float to the closing."""
    evening = CashEvening(rng)
    entry = rng.randrange(0, 5001)
    fees = Fees(entry, rng.randrange(0, entry + 1), rng.choice([None, rng.randrange(0, 5001)]))
    players, again = list(range(1, rng.randrange(3, 33))), rng.randrange(0, 4)
    float_ = rng.randrange(0, 20001)
    evening.move("float", float_)
    kept = _take_fees(evening, fees, players, again)
    guaranteed = rng.choice([0, rng.randrange(0, 100_000)])
    fund = fees.fund(len(players), again, guaranteed)
    pool_fee, members = rng.randrange(1, 2001), [player for player in players if rng.random() < 0.5]
    for member in members:
        evening.move("pool", pool_fee, member, rng.choice(METHODS))
    pots, unit = _pots(rng), rng.choice(UNITS)
    due = _pay_prizes(evening, pots, unit, players, fund, (members, pool_fee))
    expense = rng.randrange(0, 3000)
    evening.move("expense", -expense)
    received = sum(prize.due for prize in due if prize.entry is not None)
    evening.check("payouts", sum(evening.paid_out.values()), received)
    box = count_box(evening.movements, KINDS)
    evening.check("box", box.expected, evening.drawer)
    evening.check("kinds", sum(row.amount for row in box.cash), box.expected)
    evening.check("methods", sum(row.amount for row in box.other), evening.bank)
    evening.check("club and players", evening.drawer + evening.bank + evening.pockets.total() + expense, float_)
    collected = len(players) * fees.of(is_reentry=False) + again * fees.of(is_reentry=True)
    added = max(0, guaranteed - (collected - kept))
    unawarded = fund + pool_fee * len(members) - received
    evening.check("what the club keeps", evening.drawer + evening.bank - float_ + expense, kept - added + unawarded)
    return evening


def _take_fees(evening: CashEvening, fees: Fees, players: Sequence[int], again: int) -> int:
    """Take everybody's fees, some in two parts, some refunded and paid again; return what the club keeps."""
    rng = evening.rng
    for player in players:
        fee = fees.of(is_reentry=False)
        first = rng.randrange(0, fee + 1)
        for part in (first, fee - first):
            evening.move("entry", part, player, rng.choice(METHODS))
        if rng.random() < 0.1:
            evening.move("refund", -fee, player)
            evening.move("entry", fee, player)
    for _time in range(again):
        evening.move("reentry", fees.of(is_reentry=True), rng.choice(players), rng.choice(METHODS))
    return len(players) * fees.kept(is_reentry=False) + again * fees.kept(is_reentry=True)


def _pots(rng: Random) -> list[Pot]:
    """Return random shares of one or two brackets that make 100 %."""
    cuts = sorted(rng.sample(range(1, WHOLE), rng.randrange(1, 6)))
    shares = [after - before for before, after in zip([0, *cuts], [*cuts, WHOLE], strict=True)]
    main = rng.randrange(1, len(shares) + 1)
    pots = [Pot("main", tuple(shares[:main])), Pot("consolation", tuple(shares[main:]))]
    return [pot for pot in pots if pot.shares]


def _standing(rng: Random, players: Sequence[int]) -> CertainPlaces:
    order, placings, place = rng.sample(players, len(players)), [], 1
    while order:
        size = min(len(order), rng.choice([1, 1, 1, 2, 3]))
        placings.append(PrizePlacing(place, place + size - 1, tuple(order[:size])))
        order, place = order[size:], place + size
    return CertainPlaces(tuple(placings), over=True)


def _pay_prizes(
    evening: CashEvening,
    pots: Sequence[Pot],
    unit: int,
    players: Sequence[int],
    fund: int,
    pool: tuple[Sequence[int], int],
) -> list[Prize]:
    """Pay the prizes, then correct the results up to twice and settle the differences; return what is due at last."""
    rng = evening.rng
    members, fee = pool
    due: list[Prize] = []
    for round_ in range(rng.randrange(1, 4)):
        evening.corrections += round_ > 0
        half = len(players) // 2
        standings = {"main": _standing(rng, players[:half] or players), "consolation": _standing(rng, players[half:])}
        due = prize_table(fund, pots, standings, unit=unit, splits=())
        if rng.random() < 0.5 and (split := _split(rng, due)) is not None:
            due = prize_table(fund, pots, standings, unit=unit, splits=[split])
            evening.splits += 1
        evening.check("prizes", sum(prize.due for prize in due), fund)
        if members:
            ranked = pool_standing(members, published_order(pots), standings)
            prizes = prize_table(fee * len(members), [Pot(POOL, (7000, 3000))], {POOL: ranked}, unit=unit)
            evening.check("side pool", sum(prize.due for prize in prizes), fee * len(members))
            due = [*due, *prizes]
        _settle(evening, due)
    return due


def _split(rng: Random, due: Sequence[Prize]) -> Split | None:
    """Return a random agreement between the holders of all prizes of the main draw."""
    prizes = [prize for prize in due if prize.pot == "main" and prize.entry is not None]
    total = sum(prize.due for prize in prizes)
    if not total:
        return None
    amounts = proportional(total, [rng.randrange(1, 100) for _prize in prizes])
    pairs = tuple((prize.entry or 0, amount) for prize, amount in zip(prizes, amounts, strict=True))
    return Split("main", pairs, tuple(sorted(prize.first for prize in prizes)))


def _settle(evening: CashEvening, due: Sequence[Prize]) -> None:
    """Pay what is due and not paid; what was paid too much is taken back."""
    wanted: Counter[tuple[str, int]] = Counter()
    for prize in due:
        if prize.entry is not None:
            wanted[prize.pot, prize.entry] += prize.due
    for pot, entry in sorted(wanted.keys() | evening.paid_out.keys()):
        change = wanted[pot, entry] - evening.paid_out[pot, entry]
        evening.move("payout", -change, entry)
        evening.paid_out[pot, entry] += change
