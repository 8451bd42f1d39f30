"""Reminders of appointments, a day and an hour before, and of deadlines, a day before."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from core.locks import for_update
from matches.models import Match, Proposal
from matches.reporting.notification_kinds import DEADLINE
from matches.reporting.services.notifications import deadline_key, remind_of_appointment, remind_of_deadline
from players.models import Notification

BEFORE = (timedelta(hours=24), timedelta(hours=1))
AT_ONCE = 100
DEADLINE_BEFORE = timedelta(hours=24)


def send_due_reminders(*, now: datetime) -> int:
    """Remind the players of the appointments that are near; return how many appointments there were.

    A player without an account is not reminded.
    """
    ids = Proposal.objects.filter(
        state=Proposal.State.ACCEPTED,
        match__state=Match.State.OPEN,
        agreed_at__gt=now,
        agreed_at__lte=now + max(BEFORE),
    ).order_by("agreed_at", "pk")
    return sum(_remind(pk, now) for pk in ids.values_list("pk", flat=True)[:AT_ONCE])


def _remind(proposal_id: int, now: datetime) -> bool:
    """Send the reminder of one appointment if one is due; leave it to the other sweep that has locked its row."""
    with transaction.atomic():
        rows = Proposal.objects.select_related("match__club", "match__player_0__user", "match__player_1__user")
        agreed = for_update(rows.filter(pk=proposal_id), skip_locked=True).first()
        if agreed is None or not is_due(agreed, now):
            return False
        remind_of_appointment(agreed.match, agreed, now)
        agreed.reminded_at = now
        agreed.save(update_fields=["reminded_at"])
    return True


def is_due(agreed: Proposal, now: datetime) -> bool:
    """Whether the players are to be reminded: not again for the same reminder, nor of what they agreed on since."""
    if agreed.agreed_at is None or agreed.answered_at is None or now >= agreed.agreed_at:
        return False
    known_since = max(agreed.answered_at, agreed.reminded_at or agreed.answered_at)
    return any(known_since < agreed.agreed_at - before <= now for before in BEFORE)


def send_due_deadlines(*, now: datetime) -> int:
    """Remind the players of open matches that are due within a day; return how many matches there were.

    Who was reminded of a deadline is not reminded of it again; of a later one they are.
    """
    due = Match.objects.filter(
        Q(player_0__user__isnull=False) | Q(player_1__user__isnull=False),
        state=Match.State.OPEN,
        due_at__gt=now,
        due_at__lte=now + DEADLINE_BEFORE,
    )
    keys = {
        deadline_key(public_id, due_at): pk
        for pk, public_id, due_at in due.values_list("pk", "public_id", "due_at")
        if due_at is not None
    }
    known = Notification.objects.filter(kind=DEADLINE, created_at__gte=now - 2 * DEADLINE_BEFORE)
    reminded = set(known.values_list("key", flat=True))
    missing = [pk for key, pk in keys.items() if key not in reminded][:AT_ONCE]
    for match in due.filter(pk__in=missing).select_related("club", "player_0", "player_1"):
        remind_of_deadline(match, now)
    return len(missing)
