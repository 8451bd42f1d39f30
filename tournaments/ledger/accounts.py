"""What each entry owes and has paid, and what is in the box."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Sum
from django.db.models.functions import Coalesce

from core.names import fold
from engine.errors import Refused
from players.models import Player
from players.people.rows import PersonId, canonical
from tournaments.ledger.money import Box, Fees, Movement, count_box
from tournaments.ledger.sides import Sides, halves
from tournaments.models import (
    CashCount,
    CashDesk,
    Division,
    Entry,
    Payment,
    PoolMember,
    PrizePlan,
    SidePool,
    Substitution,
    Tournament,
    Withdrawal,
)
from tournaments.state.names import display_name, shown_entry

FEE_KINDS = (
    Payment.Kind.ENTRY,
    Payment.Kind.REGISTRATION,
    Payment.Kind.REENTRY,
    Payment.Kind.POOL,
    Payment.Kind.REFUND,
)
"""Kinds of payments that settle what a player owes."""
PAID_FOR = Coalesce("entry__joined_to", "entry")
"""The entry for which a payment counts: the one that stands for others of the same person, after a merge."""
PAYER = Coalesce("player__merged_into", "player")
"""Which of a pair a payment names, after merges; null for an entry of one person."""


@dataclass(frozen=True, slots=True)
class DueLine:
    """One thing that a person owes: an entry or the fee of a side pool, or half of it as one of a pair."""

    entry: Entry
    pool: SidePool | None
    kind: str
    due: int
    paid: int
    person: Player

    @property
    def owes(self) -> int:
        """What is still owed; negative if it is to be refunded."""
        return self.due - self.paid

    @property
    def payer(self) -> Player | None:
        """Whom its payments name: which of a pair, or nobody, since the entry says who it is."""
        return None if self.entry.player.parts is None else self.person


@dataclass(slots=True)
class Account:
    player: Player
    name: str
    lines: list[DueLine] = field(default_factory=list)
    by_method: dict[str, int] = field(default_factory=dict)

    @property
    def due(self) -> int:
        return sum(line.due for line in self.lines)

    @property
    def paid(self) -> int:
        """What was paid, less what was refunded."""
        return sum(line.paid for line in self.lines)

    @property
    def owes(self) -> int:
        """What is still owed; negative if it is to be refunded."""
        return self.due - self.paid


@dataclass(frozen=True, slots=True)
class Charge:
    """An entry that has to be paid for."""

    entry: Entry
    is_reentry: bool


def fees_of(division: Division, plan: PrizePlan | None) -> Fees:
    """Return the fees of a division; a registration share larger than the entry fee counts as all of it."""
    if plan is None:
        return Fees(division.fee)
    return Fees(division.fee, min(plan.registration, division.fee), plan.reentry, plan.kept)


def plans_of(divisions: Iterable[Division]) -> dict[int, PrizePlan]:
    """Return division id -> its prize plan: the highest published version, or else the highest version."""
    rows = list(PrizePlan.objects.filter(division__in=list(divisions)).order_by("version"))
    newest = {row.division_id: row for row in rows}
    return newest | {row.division_id: row for row in rows if row.published}


def charges_of(
    division: Division, entries: Iterable[Entry], withdrawn: set[int], entrants: Mapping[int, int]
) -> list[Charge]:
    """Return the entries of a division that have to be paid for, in the order of entry.

    They are the entries that are in and the entries withdrawn after the draw; nothing is due in a cancelled division.
    A later entry of the same player is a re-entry. A substitute takes over a place with its fee, whether or not they
    have played before: what counts is who entered it (`entrants`, for places with a substitute).
    """
    cancelled = (division.status, division.tournament.status)
    if Division.Status.CANCELLED in cancelled:
        return []
    charges: list[Charge] = []
    seen: set[int] = set()
    for entry in entries:
        if entry.status == Entry.Status.IN or (entry.status == Entry.Status.OUT and entry.pk in withdrawn):
            person = person_of(entry.player)
            is_reentry = entry.number > 1 or entrants.get(entry.pk, person) in seen
            charges.append(Charge(entry, is_reentry))
            seen.add(person)
    return charges


def person_of(player: Player) -> int:
    """Return the id of the player that this one was merged into, or their own."""
    return player.merged_into_id or player.pk


def withdrawn_after_draw(divisions: Iterable[Division]) -> set[int]:
    """Return the ids of entries that withdrew from their division after its draw."""
    rows = Withdrawal.objects.filter(entry__division__in=list(divisions), bracket=None, taken_back_at=None)
    return set(rows.values_list("entry", flat=True))


def entrants_of(divisions: Iterable[Division]) -> dict[int, int]:
    """Return entry id -> the person who entered it, for entries that a substitute has taken over."""
    rows = Substitution.objects.filter(entry__division__in=list(divisions), undoes=None, undone_by=None)
    # The first one counts, so it is the last to be put into the dictionary.
    return {row.entry_id: person_of(row.before) for row in rows.select_related("before").order_by("-pk")}


def division_charges(division: Division) -> list[Charge]:
    """Return the entries of one division that have to be paid for."""
    entries = division.entries.select_related("player").order_by("pk")
    return charges_of(division, entries, withdrawn_after_draw([division]), entrants_of([division]))


def charges_by_division(divisions: Sequence[Division]) -> dict[int, list[Charge]]:
    """Return division id -> the entries that have to be paid for, with a constant number of queries."""
    withdrawn, entrants = withdrawn_after_draw(divisions), entrants_of(divisions)
    entries: dict[int, list[Entry]] = defaultdict(list)
    for entry in Entry.objects.filter(division__in=divisions).select_related("player").order_by("pk"):
        entries[entry.division_id].append(entry)
    return {row.pk: charges_of(row, entries[row.pk], withdrawn, entrants) for row in divisions}


def accounts_of(tournament: Tournament) -> list[Account]:
    """Return the account of every person who owes or has paid something: who owes first, then by name.

    The number of queries does not depend on the number of players.
    """
    divisions = list(Division.every.filter(tournament=tournament).select_related("tournament"))
    entries = _entries(divisions)
    sides = Sides(entries)
    accounts: dict[int, Account] = {}
    for line in _lines(divisions, entries, sides):
        person = line.person
        account = accounts.setdefault(person.pk, Account(person, display_name(person, staff=True)))
        account.lines.append(line)
    for person_id, method, amount in _paid_by_method(tournament, sides):
        if person_id in accounts and amount:
            accounts[person_id].by_method[method] = amount
    return sorted(accounts.values(), key=lambda account: (account.owes == 0, fold(account.name)))


def _paid_by_method(tournament: Tournament, sides: Sides) -> list[tuple[int, str, int]]:
    """Return (person, method, sum) of the payments that settle fees."""
    sums: dict[tuple[int, str], int] = defaultdict(int)
    rows = Payment.objects.filter(tournament=tournament, kind__in=FEE_KINDS, entry__isnull=False)
    for entry, payer, method, amount in rows.values_list("entry", PAYER, "method", "amount"):
        sums[sides.whose(entry, payer), method] += amount
    return [(person, method, amount) for (person, method), amount in sums.items()]


def _entries(divisions: list[Division]) -> list[Entry]:
    rows = Entry.objects.filter(division__in=divisions).select_related("player__merged_into")
    return list(rows.order_by("pk"))


def _lines(divisions: list[Division], entries: Sequence[Entry], sides: Sides) -> list[DueLine]:
    """Return what is due and paid by entry, side pool and person.

    Withdrawn entries are left out unless something was paid for them.
    """
    plans, withdrawn, entrants = plans_of(divisions), withdrawn_after_draw(divisions), entrants_of(divisions)
    by_division: dict[int, list[Entry]] = defaultdict(list)
    for entry in entries:
        by_division[entry.division_id].append(entry)
    paid = _paid(divisions, sides)
    joined: dict[int, list[SidePool]] = defaultdict(list)
    for member in PoolMember.objects.filter(pool__division__in=divisions, taken_back_at=None).select_related("pool"):
        joined[member.entry_id].append(member.pool)
    pools = {pool.pk: pool for pool in SidePool.objects.filter(division__in=divisions)}
    lines: list[DueLine] = []
    for division in divisions:
        fees = fees_of(division, plans.get(division.pk))
        charged = charges_of(division, by_division[division.pk], withdrawn, entrants)
        charges = {row.entry.pk: row for row in charged}
        for entry in by_division[division.pk]:
            entry.division = division
            own = {pool.pk for pool in joined[entry.pk]} if entry.pk in charges else set()
            parts = _dues(charges.get(entry.pk), fees, own, pools)
            lines += [line for part in parts for line in _divided(entry, part, sides.of(entry.pk), paid)]
    return lines


Paid = Mapping[tuple[int, int | None], Mapping[int, int]]
"""(entry, side pool) -> person -> what was paid for it, less refunds."""


@dataclass(frozen=True, slots=True)
class _Due:
    """What a side owes for its entry or a side pool; `is_charged` unless it owes nothing (any more)."""

    pool: SidePool | None
    kind: str
    amount: int
    is_charged: bool


def _dues(charge: Charge | None, fees: Fees, joined: set[int], pools: Mapping[int, SidePool]) -> list[_Due]:
    again = charge is not None and charge.is_reentry
    amount = fees.of(is_reentry=again) if charge is not None else 0
    entry = _Due(None, Payment.Kind.REENTRY if again else Payment.Kind.ENTRY, amount, charge is not None)
    return [entry] + [
        _Due(pool, Payment.Kind.POOL, pool.fee if pk in joined else 0, pk in joined) for pk, pool in pools.items()
    ]


def _divided(entry: Entry, due: _Due, people: Sequence[Player], paid: Paid) -> Iterator[DueLine]:
    """Yield what each person of a side owes and has paid of it."""
    of_each = paid.get((entry.pk, None if due.pool is None else due.pool.pk), {})
    for person, amount in zip(people, halves(due.amount, len(people)), strict=True):
        so_far = of_each.get(person.pk, 0)
        if due.is_charged or so_far:
            yield DueLine(entry, due.pool, due.kind, amount, so_far, person)


def _paid(divisions: list[Division], sides: Sides) -> Paid:
    paid: dict[tuple[int, int | None], dict[int, int]] = defaultdict(lambda: defaultdict(int))
    rows = Payment.objects.filter(entry__division__in=divisions, kind__in=FEE_KINDS)
    for entry, pool, payer, amount in rows.values_list(PAID_FOR, "pool", PAYER, "amount"):
        paid[entry, pool][sides.whose(entry, payer)] += amount
    return paid


def paid_for(entries: Iterable[Entry]) -> dict[int, int]:
    """Return entry id -> what was paid for it and its side pools, less refunds; entries without any are left out."""
    rows = Payment.objects.filter(kind__in=FEE_KINDS).annotate(paid_for=PAID_FOR).order_by()
    sums = rows.filter(paid_for__in=[entry.pk for entry in entries]).values_list("paid_for").annotate(Sum("amount"))
    return {entry: amount for entry, amount in sums if amount}


def account_of(tournament: Tournament, player: Player) -> Account:
    """Return the account of one person, which may be empty; of a pair, what both owe and have paid for its entries."""
    person = canonical(player)
    account = Account(person, display_name(person, staff=True))
    accounts = accounts_of(tournament)
    if person.parts is None:
        return next((row for row in accounts if row.player == person), account)
    lines = [
        line for row in accounts for line in row.lines if person in (line.entry.player, line.entry.player.merged_into)
    ]
    account.lines = sorted(lines, key=lambda line: (line.entry.pk, line.pool is not None))
    return account


def lines_of_entries(entries: Iterable[Entry]) -> dict[int, list[DueLine]]:
    """Return entry id -> what is due and paid for it."""
    wanted = {entry.pk for entry in entries}
    rows = Division.objects.filter(entries__in=wanted).select_related("tournament").distinct().order_by("pk")
    lines: dict[int, list[DueLine]] = defaultdict(list)
    for line in _lines_of_all(list(rows)):
        if line.entry.pk in wanted:
            lines[line.entry.pk].append(line)
    return dict(lines)


def _lines_of_all(divisions: list[Division]) -> list[DueLine]:
    entries = _entries(divisions)
    return _lines(divisions, entries, Sides(entries))


def owed_by_person(*divisions: Division) -> dict[int, dict[PersonId, int]]:
    """Return entry id -> person -> what they still owe for it, for whoever has not paid in full.

    The number of queries does not depend on the number of divisions.
    """
    owed: dict[int, dict[PersonId, int]] = defaultdict(lambda: defaultdict(int))
    for line in _lines_of_all(list(divisions)):
        owed[line.entry.pk][PersonId(line.person.pk)] += line.owes
    open_sums = {entry: {who: amount for who, amount in row.items() if amount > 0} for entry, row in owed.items()}
    return {entry: row for entry, row in open_sums.items() if row}


def owed_by_entry(*divisions: Division) -> dict[int, int]:
    """Return entry id -> what is still owed for it, for the entries of divisions that are not paid in full."""
    return {entry: sum(row.values()) for entry, row in owed_by_person(*divisions).items()}


def refuse_unpaid(division: Division) -> None:
    """Refuse to draw a division before everybody in it has paid, if its event asks for that. Refused: `unpaid_entries`.

    What is owed is read without a lock: a payment that is taken back at the same moment does not stop the draw.
    """
    if CashDesk.objects.filter(tournament=division.tournament_id, draw_needs_payment=True).exists():
        names = unpaid_names(division)
        if names:
            raise Refused("unpaid_entries", names=", ".join(names))


def unpaid_names(division: Division) -> list[str]:
    """Return the names of those who have not paid in full for a division."""
    owed = owed_by_entry(division)
    rows = Entry.objects.filter(pk__in=owed, status=Entry.Status.IN).select_related("player")
    return sorted((shown_entry(entry, staff=True) for entry in rows), key=fold)


def payments_of(tournament: Tournament) -> list[Payment]:
    """Return all payments of an event, the newest first, with their players and with what took them back."""
    rows = Payment.objects.filter(tournament=tournament)
    related = rows.select_related(
        "entry__player", "entry__division", "pool", "series", "player", "by", "undone_by", "undoes"
    )
    return list(related.order_by("-at", "-pk"))


def payee_of(payment: Payment) -> str:
    """Return the name of whose payment it is, for staff; empty for money of nobody in particular."""
    if payment.player is not None:
        return display_name(payment.player, staff=True)
    return shown_entry(payment.entry, staff=True) if payment.entry is not None else ""


def box_of(tournament: Tournament) -> Box:
    rows = Payment.objects.filter(tournament=tournament).select_related("undone_by")
    movements = [
        Movement(row.kind, row.method, row.amount, undone=row.undoes_id is not None or hasattr(row, "undone_by"))
        for row in rows
    ]
    return count_box(movements, Payment.Kind.values)


def standing_count(tournament: Tournament) -> CashCount | None:
    """Return the count that closed the cash desk, unless it was reopened since."""
    last = CashCount.objects.filter(tournament=tournament).select_related("reopened", "by").order_by("-pk").first()
    return None if last is None or hasattr(last, "reopened") else last


def draw_needs_payment(tournament: Tournament) -> bool:
    """Return whether a draw is published only once everybody in it has paid."""
    return CashDesk.objects.filter(tournament=tournament, draw_needs_payment=True).exists()
