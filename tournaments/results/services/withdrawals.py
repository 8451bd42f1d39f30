"""Withdrawing a player from the page of a match: from its bracket, the division or the event."""

from datetime import datetime

from django.db import transaction

from engine.errors import Refused
from players.actors import Actor, log
from tournaments.entries.services import entries
from tournaments.models import Entry, Fixture, Slot, Withdrawal
from tournaments.results.services.results import refuse_cancelled
from tournaments.state.locks import lock_division
from tournaments.state.settle import Settled, settle


def withdraw_side(*, fixture: Fixture, side: int, scope: str, by: Actor, now: datetime, reason: str = "") -> Entry:
    """Withdraw the entry on one side of a fixture; `scope` is "bracket", "division" or "event".

    Refused: `not_entered`, and what the withdrawal from that scope refuses.
    """
    slot = fixture.slots.select_related("entry__player", "fixture__stage", "fixture__round__bracket").get(side=side)
    if slot.entry is None:
        raise Refused("not_entered", name="")
    if scope == "bracket":
        withdraw_from_bracket(slot=slot, by=by, now=now, reason=reason)
    elif scope == "event":
        tournament = fixture.stage.division.tournament
        entries.withdraw_from_event(tournament=tournament, player=slot.entry.player, by=by, now=now, reason=reason)
    else:
        entries.withdraw(entry=slot.entry, by=by, now=now, reason=reason)
    return slot.entry


def withdraw_from_bracket(*, slot: Slot, by: Actor, now: datetime, reason: str = "") -> Settled:
    """Withdraw an entry from this bracket; its results so far stay.

    Refused: `not_entered`, and what `check_own_win` refuses if the director would win by it.
    """
    if slot.entry is None:
        raise Refused("not_entered", name="")
    with transaction.atomic():
        division = lock_division(slot.fixture.stage.division_id)
        refuse_cancelled(division)
        bracket = slot.fixture.round.bracket
        Withdrawal.objects.create(entry=slot.entry, bracket=bracket, reason=reason, at=now, by=by.user)
        log_params = {"entry": slot.entry_id, "bracket": bracket.key, "reason": reason}
        log(by, "bracket_withdrawn", division.topic, club=division.tournament.club, **log_params)
        return settle(division, by=by, now=now, withdrawal_reason=reason)
