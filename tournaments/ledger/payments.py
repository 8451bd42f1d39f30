"""Payments, refunds, and closing the cash desk."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from core.live.publishing import touch_on_commit
from core.locks import lock_row
from engine.errors import Refused
from players.actors import Actor, log
from players.models import Player
from tournaments.ledger.accounts import Account, DueLine, account_of, box_of, lines_of_entries, standing_count
from tournaments.ledger.money import Currency, allocate
from tournaments.ledger.season_pools import shares_of_events
from tournaments.models import CashCount, CashDesk, CashReopening, Entry, Payment, Series, SidePool, Tournament


def lock_desk(tournament: Tournament) -> CashDesk:
    """Return the cash desk of an event, locked until the transaction ends. Lock nothing after it."""
    desk, _created = CashDesk.objects.get_or_create(tournament=tournament)
    return lock_row(CashDesk, desk.pk)


def lock_open_desk(tournament: Tournament) -> CashDesk:
    """Lock the cash desk for a payment. Refused: `cash_closed`."""
    desk = lock_desk(tournament)
    if standing_count(tournament) is not None:
        raise Refused("cash_closed")
    return desk


def desk_changed(desk: CashDesk) -> None:
    """Raise the `seq` of a locked cash desk and, after commit, tell open pages of the event."""
    desk.seq += 1
    desk.save(update_fields=["seq"])
    touch_on_commit(desk.tournament.topic)


def close_desk(
    *, tournament: Tournament, counted: int, expected: int, by: Actor, now: datetime, note: str = ""
) -> CashCount:
    """Close the cash desk with what was counted; `expected` is what the director saw.

    The parts of the entry fees for the pools of seasons stay as they are now.

    Refused: `cash_closed`, `box_changed`, `difference_needs_note`.
    """
    with transaction.atomic():
        desk = lock_open_desk(tournament)
        should = box_of(tournament).expected
        currency = Currency.of(tournament)
        if should != expected:
            raise Refused("box_changed", amount=currency.text(should))
        if counted != should and not note:
            raise Refused("difference_needs_note", amount=currency.text(counted - should))
        applied = shares_of_events({tournament.pk: currency})[tournament.pk].shares
        count = CashCount.objects.create(
            tournament=tournament, expected=should, counted=counted, note=note, at=now, by=by.user
        )
        count.fee_shares.set(applied)
        log(by, "cash_closed", tournament.topic, club=tournament.club)
        desk_changed(desk)
    return count


def reopen_desk(*, tournament: Tournament, by: Actor, now: datetime, reason: str = "") -> CashReopening:
    """Open a closed cash desk again. Refused: `cash_not_closed`."""
    with transaction.atomic():
        desk = lock_desk(tournament)
        count = standing_count(tournament)
        if count is None:
            raise Refused("cash_not_closed")
        reopening = CashReopening.objects.create(count=count, reason=reason, at=now, by=by.user)
        log(by, "cash_reopened", tournament.topic, club=tournament.club, reason=reason)
        desk_changed(desk)
    return reopening


def require_payment(*, tournament: Tournament, needed: bool, by: Actor, now: datetime) -> CashDesk:
    """Set whether a draw is published only once everybody in it has paid."""
    with transaction.atomic():
        desk = lock_desk(tournament)
        if desk.draw_needs_payment != needed:
            desk.draw_needs_payment = needed
            desk.save(update_fields=["draw_needs_payment"])
            changes = {"draw_needs_payment": [not needed, needed]}
            log(by, "cash_settings_changed", tournament.topic, club=tournament.club, changes=changes)
            desk_changed(desk)
    return desk


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
    series: Series | None = None
    player: Player | None = None


def receive(
    *, tournament: Tournament, player: Player, payment: PaymentInput, by: Actor, now: datetime
) -> list[Payment]:
    """Record that a person paid fees, entries before side pools; or both of a pair, what its entries owe.

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
            PaymentPart(line.kind, part, line.entry, line.pool, player=line.payer)
            for line, part in zip(account.lines, allocate(payment.amount, owed), strict=True)
        ]
        return record(desk, parts, payment, by=by, now=now)


def receive_for_entries(
    *,
    tournament: Tournament,
    entries: Sequence[Entry],
    payment: PaymentInput,
    by: Actor,
    now: datetime,
    people: Collection[int] | None = None,
) -> list[Payment]:
    """Record that all that is owed for these entries was paid; `payment.amount` is the sum that the director saw.

    With `people`, only what these persons owe for them, such as the half of one of a pair.

    Refused: `cash_closed`, and `fees_changed` if something else is owed now.
    """
    with transaction.atomic():
        desk = lock_open_desk(tournament)
        if earlier := recorded(desk, payment.key):
            return earlier
        parts = [part for lines in lines_of_entries(entries).values() for part in _owed_parts(lines, people)]
        owed = sum(part.amount for part in parts)
        if owed != payment.amount:
            raise Refused("fees_changed", amount=Currency.of(tournament).text(owed))
        return record(desk, parts, payment, by=by, now=now)


def _owed_parts(lines: Sequence[DueLine], people: Collection[int] | None) -> list[PaymentPart]:
    """Return the payments that settle what these persons owe for one entry, or everybody of it.

    What somebody paid too much for a side pool counts for the rest of theirs.
    """
    parts = []
    for person in dict.fromkeys(line.person for line in lines if people is None or line.person.pk in people):
        own = [line for line in lines if line.person == person]
        amounts = allocate(max(0, sum(line.owes for line in own)), [line.owes for line in own])
        parts += [
            PaymentPart(line.kind, amount, line.entry, line.pool, player=line.payer)
            for line, amount in zip(own, amounts, strict=True)
        ]
    return parts


def refund(*, tournament: Tournament, player: Player, payment: PaymentInput, by: Actor, now: datetime) -> list[Payment]:
    """Record that a person got fees back, or both of a pair; what is not due goes first.

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
    return [
        PaymentPart(Payment.Kind.REFUND, -(extra + other), line.entry, line.pool, player=line.payer)
        for line, extra, other in parts
    ]


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


def undo_payment(*, payment: Payment, by: Actor, now: datetime) -> Payment:
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
            series=payment.series,
            player=payment.player,
            undoes=payment,
            key=f"undo:{payment.public_id}",
            at=now,
            by=by.user,
        )
        _log(back, "payment_taken_back", by)
        desk_changed(desk)
    return back


def recorded(desk: CashDesk, key: str) -> list[Payment]:
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
            series=part.series,
            player=part.player,
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
    if payment.player is not None:
        params["player"] = payment.player.public_id
    log(by, verb, event.topic, club=event.club, **params)
