"""Paying prizes out."""

from datetime import datetime

from django.db import transaction

from engine.errors import Refused
from players.actors import Actor
from tournaments.ledger.money import Currency
from tournaments.ledger.services.desk import lock_open_desk
from tournaments.ledger.services.payments import PaymentInput, PaymentPart, record, recorded
from tournaments.models import Entry, Payment, SidePool
from tournaments.prizes.selectors.prizes import prizes_of
from tournaments.state.names import shown_entry


def pay_out(*, entry: Entry, pot: str, payment: PaymentInput, by: Actor, now: datetime) -> list[Payment]:
    """Pay an entry what is still due to it from a pot; the amount is what the director saw.

    Two directors cannot pay the same prize twice: the second is refused, since nothing is due any more.
    Refused: `cash_closed`, `prizes_not_published`, `nothing_due`, `due_changed`.
    """
    division = entry.division
    with transaction.atomic():
        desk = lock_open_desk(division.tournament)
        if earlier := recorded(desk, payment.key):
            return earlier
        prizes = prizes_of(division)
        pool = SidePool.objects.filter(division=division, public_id=pot.removeprefix("pool:")).first()
        if pool is None and (prizes.plan is None or not prizes.plan.published):
            raise Refused("prizes_not_published")
        due = sum(row.open for row in prizes.every_row if (row.pot, row.entry) == (pot, entry.pk))
        name = shown_entry(entry, staff=True)
        if due <= 0:
            raise Refused("nothing_due", name=name)
        if due != payment.amount:
            raise Refused("due_changed", name=name, amount=Currency.of(division.tournament).text(due))
        part = PaymentPart(Payment.Kind.PAYOUT, -due, entry, pool, pot)
        return record(desk, [part], payment, by=by, now=now)
