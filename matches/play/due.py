"""What happens in a live match by itself: flags fall and pauses end."""

from datetime import datetime, timedelta

import structlog
from django.db import transaction

from core.faults import each
from core.queue import hint
from engine.actions import Act
from engine.errors import Refused
from matches.models import LiveMatch, Match
from matches.play import absences
from matches.play.codec import from_data
from matches.play.journal import Journal
from matches.play.live import EventKind, LiveEvent, LiveState, to_ms
from players.actors import SYSTEM

logger = structlog.get_logger(__name__)
SETTLE_DUE = "matches.settle_live_due"
"""The task that a hint names."""
GRACE = timedelta(milliseconds=500)
"""A sweep waits so long after a flag has fallen: an action that arrived before may still be on its way."""
MAX_AT_ONCE = 200


def state_of(live: LiveMatch) -> LiveState:
    """The stored state of a match played here."""
    return from_data(live.state)


def settle_due(*, match_id: int, now: datetime) -> bool:
    """Let a flag count that fell `GRACE` ago, or end a pause that was over then; whether there was something to do.

    While the web server is down nothing is: its players cannot act, and are given the time back.
    """
    if absences.is_silent(now):
        return False
    return settle_first(match_id=match_id, now=now - GRACE)


def is_due(match: Match, now: datetime) -> bool:
    """Whether a flag may have fallen, or a pause may have ended, at `now`."""
    return match.state == Match.State.LIVE and match.live.due_at is not None and match.live.due_at <= now


def settle_first(*, match_id: int, now: datetime) -> bool:
    """Settle what is due at `now`, before a request that arrived then; whether there was something to do."""
    if not LiveMatch.objects.filter(pk=match_id, due_at__lte=now).exists():
        return False
    if absences.is_silent(now):
        absences.beat(now=now)
    absences.credit_match(match_id=match_id)
    with transaction.atomic():
        try:
            journal = Journal.open(match_id)
        except Refused:
            return False  # Finished or voided since.
        event = _due_event(journal.state, to_ms(now), journal.credits)
        if event is None:
            return False
        journal.append(event, by=SYSTEM)
        journal.close(now)
    logger.info("live_due_settled", match=journal.match.public_id, kind=event.kind, side=event.side)
    return True


def _due_event(state: LiveState, at: int, credit: tuple[int, int]) -> LiveEvent | None:
    """What is due in a match up to `at`, with the moment when it was due; None if nothing is.

    A flag falls only once an action could not come in time any more, with `credit` given back to its side for lag.
    """
    if state.paused_until is not None:
        return LiveEvent(EventKind.CONTINUE, state.paused_until) if state.paused_until <= at else None
    clock = state.clock
    side = clock.fallen(at, credit=credit) if clock and state.match.flagged is None else None
    if clock is None or side is None:
        return None
    return LiveEvent(Act.FLAG, clock.sides[side].due_at or at, side)


def sweep_due(*, now: datetime) -> int:
    """Hint workers at the matches with something due; return how many there are."""
    ids = due_matches(now=now)
    for match_id in ids:
        hint(SETTLE_DUE, match_id)
    return len(ids)


def settle_all(*, now: datetime) -> int:
    """Settle the matches with something due; return in how many there was something to do."""
    return sum(each("clocks", due_matches(now=now), lambda pk: settle_due(match_id=pk, now=now)))


def due_matches(*, now: datetime) -> list[int]:
    """Return the matches with something due `GRACE` ago, the longest due first."""
    due = LiveMatch.objects.filter(due_at__lte=now - GRACE, match__state=Match.State.LIVE).order_by("due_at")
    return list(due.values_list("pk", flat=True)[:MAX_AT_ONCE])
