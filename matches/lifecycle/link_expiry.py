"""When the links of a match end: some hours after its event, or once nobody can object any more, if that is later."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings

from engine.errors import Refused
from matches.lifecycle.events import events
from matches.lifecycle.objection_window import closes_at
from matches.models import Claim, Match, Objection
from matches.presentation.context import EventEnd


def refuse_expired_link(match: Match, now: datetime) -> None:
    """Refused: `link_expired`, settings.PERSONAL_LINK_HOURS after the event."""
    limit = now - timedelta(hours=settings.PERSONAL_LINK_HOURS)
    if _may_have_expired(match, limit) and _ended_before(match, limit) and not _may_object(match, now):
        raise Refused("link_expired")


def refuse_expired_event_link(end: EventEnd, matches: Iterable[Match], now: datetime) -> None:
    """Refused: `link_expired`, as for the link of a match, for a link to all of a player's matches of an event."""
    limit = now - timedelta(hours=settings.PERSONAL_LINK_HOURS)
    if end.at is not None and end.at < limit and not any(_may_object(match, now) for match in matches):
        raise Refused("link_expired")


def _may_have_expired(match: Match, limit: datetime) -> bool:
    """Answer without a query for matches of today, whose pages are opened most."""
    return (match.finished_at or match.created_at) < limit


def _ended_before(match: Match, limit: datetime) -> bool:
    end = events().end(match.parent_topic)
    if end is None:
        return match.is_over and (match.finished_at or match.created_at) < limit
    return end.at is not None and end.at < limit


def _may_object(match: Match, now: datetime) -> bool:
    if match.provisional or match.objections.filter(state=Objection.State.OPEN).exists():
        return True
    unanswered = match.claims.filter(state=Claim.State.STANDS, stood_unanswered=True, objection__isnull=True)
    return any((until := closes_at(report)) is None or until > now for report in unanswered)
