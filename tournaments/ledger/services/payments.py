"""Recording payments, refunds, expenses and the float, and taking a payment back."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from engine.errors import Refused
from players.actors import Actor, log
from players.models import Player
from tournaments.ledger.fees import allocate
from tournaments.ledger.money import Currency
from tournaments.ledger.selectors.accounts import Account, DueLine, account_of
from tournaments.ledger.services.desk import desk_changed, lock_open_desk
from tournaments.models import CashDesk, Entry, Payment, SidePool, Tournament


@dataclass(frozen=True, slots=True)
class PaymentInput:
    """A payment as a form or a request describes it; repeating a `key` returns what it recorded first."""

    amount: int
    """In whole minor units."""
    key: str
    method: str = Payment.Method.CASH
    note: str = ""


@dataclass(frozen=True, slots=True)
class PaymentPart:
    """One row of a payment: what it is for, and the signed amount."""

    kind: str
    amount: int
    entry: Entry | None = None
    pool: SidePool | None = None
    pot: str = ""


def receive(
    *, tournament: Tournament, player: Player, payment: PaymentInput, by: Actor, now: datetime
) -> list[Payment]:
    """Record that a player paid fees: entries before side pools.

    Refused: `cash_closed`, `amount_needed`, `owes_less`.
    """
    with transaction.atomic():
        desk = lock_open_desk(tournament)
        if earlier := recorded(desk, payment.key):
            return earlier
        account = account_of(tournament, player)
        owed = [max(0, line.owes) for line in account.lines]
        _check(payment.amount, sum(owed), "owes_less", account, tournament)
        parts = [
            PaymentPart(line.kind, part, line.entry, line.pool)
            for line, part in zip(account.lines, allocate(payment.amount, owed), strict=True)
        ]
        return record(desk, parts, payment, by=by, now=now)


def refund(*, tournament: Tournament, player: Player, payment: PaymentInput, by: Actor, now: datetime) -> list[Payment]:
    """Record that a player got fees back; what is not due goes first.

    Refused: `cash_closed`, `amount_needed`, `refund_too_large`.
    """
    with transaction.atomic():
        desk = lock_open_desk(tournament)
        if earlier := recorded(desk, payment.key):
            return earlier
        account = account_of(tournament, player)
        _check(
            payment.amount, sum(max(0, line.paid) for line in account.lines), "refund_too_large", account, tournament
        )
        return record(desk, _refunded(account.lines, payment.amount), payment, by=by, now=now)


def _refunded(lines: Sequence[DueLine], amount: int) -> list[PaymentPart]:
    """Return the rows of a refund, from what was paid too much and then from everything else that was paid."""
    too_much = [max(0, -line.owes) for line in lines]
    first = min(amount, sum(too_much))
    others = [max(0, line.paid) - extra for line, extra in zip(lines, too_much, strict=True)]
    parts = zip(lines, allocate(first, too_much), allocate(amount - first, others), strict=True)
    return [PaymentPart(Payment.Kind.REFUND, -(extra + other), line.entry, line.pool) for line, extra, other in parts]


def _check(amount: int, most: int, code: str, account: Account, tournament: Tournament) -> None:
    if amount <= 0:
        raise Refused("amount_needed")
    if amount > most:
        raise Refused(code, name=account.name, amount=Currency.of(tournament).text(most))


def spend(*, tournament: Tournament, payment: PaymentInput, by: Actor, now: datetime) -> list[Payment]:
    """Record an expense. Refused: `cash_closed`, `amount_needed`, `note_needed`."""
    if payment.amount <= 0:
        raise Refused("amount_needed")
    if not payment.note:
        raise Refused("note_needed")
    return _move(tournament, PaymentPart(Payment.Kind.EXPENSE, -payment.amount), payment, by, now)


def add_float(*, tournament: Tournament, payment: PaymentInput, by: Actor, now: datetime) -> list[Payment]:
    """Put money into the box, or take it out with a negative amount. Refused: `cash_closed`, `amount_needed`."""
    if not payment.amount:
        raise Refused("amount_needed")
    return _move(tournament, PaymentPart(Payment.Kind.FLOAT, payment.amount), payment, by, now)


def _move(tournament: Tournament, part: PaymentPart, payment: PaymentInput, by: Actor, now: datetime) -> list[Payment]:
    with transaction.atomic():
        desk = lock_open_desk(tournament)
        return recorded(desk, payment.key) or record(desk, [part], payment, by=by, now=now)


def take_back(*, payment: Payment, by: Actor, now: datetime) -> Payment:
    """Take a payment back by a payment in the other direction.

    Refused: `cash_closed`, `payment_undone`, `payment_is_undo`.
    """
    with transaction.atomic():
        desk = lock_open_desk(payment.tournament)
        if payment.undoes_id is not None:
            raise Refused("payment_is_undo")
        if Payment.objects.filter(undoes=payment).exists():
            raise Refused("payment_undone")
        back = Payment.objects.create(
            tournament=payment.tournament,
            kind=payment.kind,
            method=payment.method,
            amount=-payment.amount,
            entry=payment.entry,
            pool=payment.pool,
            pot=payment.pot,
            undoes=payment,
            key=f"undo:{payment.public_id}",
            at=now,
            by=by.user,
        )
        _log(back, "payment_taken_back", by)
        desk_changed(desk)
    return back


def recorded(desk: CashDesk, key: str) -> list[Payment]:
    """Return the payments that were recorded with this key."""
    return list(Payment.objects.filter(tournament=desk.tournament_id, key=key).order_by("part"))


def record(
    desk: CashDesk, parts: Sequence[PaymentPart], payment: PaymentInput, *, by: Actor, now: datetime
) -> list[Payment]:
    """Append the rows of a payment to a locked, open cash desk; parts of 0 are left out."""
    rows = []
    for number, part in enumerate(part for part in parts if part.amount):
        row = Payment.objects.create(
            tournament=desk.tournament,
            kind=part.kind,
            method=payment.method,
            amount=part.amount,
            entry=part.entry,
            pool=part.pool,
            pot=part.pot,
            note=payment.note,
            key=payment.key,
            part=number,
            at=now,
            by=by.user,
        )
        _log(row, "payment_recorded", by)
        rows.append(row)
    desk_changed(desk)
    return rows


def _log(payment: Payment, verb: str, by: Actor) -> None:
    """Log a payment without its amount, because assistants may read the log but not the cash desk."""
    event = payment.tournament
    params: dict[str, str | int] = {"kind": payment.kind, "payment": payment.public_id}
    if payment.entry_id is not None:
        params["entry"] = payment.entry_id
    log(by, verb, event.topic, club=event.club, **params)
