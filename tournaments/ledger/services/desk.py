"""The lock of the cash desk, its settings, and its closing."""

from datetime import datetime

from django.db import transaction

from core.live.publishing import touch_on_commit
from core.locks import lock_row
from engine.errors import Refused
from players.actors import Actor, log
from tournaments.ledger.money import Currency
from tournaments.ledger.selectors.box import box_of, standing_count
from tournaments.models import CashCount, CashDesk, CashReopening, Tournament


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
    """Raise the `seq` of a locked cash desk, and tell open pages of the event once that is committed."""
    desk.seq += 1
    desk.save(update_fields=["seq"])
    touch_on_commit(desk.tournament.topic)


def close_desk(
    *, tournament: Tournament, counted: int, expected: int, by: Actor, now: datetime, note: str = ""
) -> CashCount:
    """Close the cash desk with what was counted; `expected` is what the director saw.

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
        count = CashCount.objects.create(
            tournament=tournament, expected=should, counted=counted, note=note, at=now, by=by.user
        )
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
