"""Outages of our own server: recognised by a missing pulse, and given back to both players of every live match."""

from datetime import datetime, timedelta

import structlog
from django.db import transaction

from core.locks import for_update
from engine.errors import Refused
from matches.models import LiveMatch, Match, Outage, Pulse
from matches.play.instants import MILLISECOND, to_ms
from matches.play.live import Event, EventKind
from matches.play.services.journal import Journal
from players.actors import SYSTEM

log = structlog.get_logger(__name__)
PERIOD = 2.0
"""Seconds between two beats of a web process."""
LONGEST_GAP = timedelta(seconds=6)
"""Without a beat for longer, the web server counts as down."""


def beat(*, now: datetime) -> Outage | None:
    """Note that a web process is alive; after a gap, put back the clocks of all matches and return the outage."""
    with transaction.atomic():
        pulse = for_update(Pulse.objects.all()).filter(pk=Pulse.ONLY).first()
        if pulse is None:
            Pulse.objects.create(pk=Pulse.ONLY, beat_at=now)
            return None
        before = pulse.beat_at
        if before >= now:
            return None
        pulse.beat_at = now
        pulse.save(update_fields=["beat_at"])
        is_outage = now - before > LONGEST_GAP
        outage = Outage.objects.create(started_at=before, ended_at=now) if is_outage else None
    for uncredited in Outage.objects.filter(credited_at=None):
        _credit_all(uncredited, now)
    return outage


def is_silent(now: datetime) -> bool:
    """Whether no web process has beaten lately; False where none ever has."""
    return Pulse.objects.filter(pk=Pulse.ONLY, beat_at__lt=now - LONGEST_GAP).exists()


def credit_match(*, match_id: int) -> None:
    """Put back the clocks of one match for outages that were recognised just now."""
    for outage in Outage.objects.filter(credited_at=None):
        _credit(match_id, outage)


def _credit_all(outage: Outage, now: datetime) -> None:
    live = LiveMatch.objects.filter(match__state=Match.State.LIVE, started_at__lt=outage.ended_at)
    for match_id in live.order_by("pk").values_list("pk", flat=True):
        _credit(match_id, outage)
    Outage.objects.filter(pk=outage.pk).update(credited_at=now)
    log.info("outage_credited", started_at=outage.started_at.isoformat(), ended_at=outage.ended_at.isoformat())


def _credit(match_id: int, outage: Outage) -> None:
    """Put back the clocks of a match by what it lost since its last action, which a second time is nothing."""
    with transaction.atomic():
        try:
            journal = Journal.open(match_id)
        except Refused:
            return  # Finished or voided since.
        last = journal.live.actions.order_by("-seq").first()
        began = max(outage.started_at, last.at if last else journal.live.started_at)
        lost = (outage.ended_at - began) // MILLISECOND
        if lost > 0:
            event = Event(EventKind.OUTAGE, to_ms(outage.ended_at), value=lost)
            journal.append(event, by=SYSTEM, data={"outage": outage.pk})
            if journal.live.lapses_at is not None:
                journal.live.lapses_at += lost * MILLISECOND
            journal.close(outage.ended_at)
