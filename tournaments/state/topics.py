"""Divisions and events as topics of the event stream."""

from datetime import datetime

from django.http import Http404, HttpRequest

from core.live.publishing import last_touch, last_touches, now_shown
from matches.lifecycle.locks import matches_topic
from tournaments import access
from tournaments.models import Tournament


def division_number(request: HttpRequest, public_id: str) -> int:
    """Return the `seq` of a division for whoever may see it; raise Http404 for others."""
    return access.division(request.user, public_id).seq


def event_number(request: HttpRequest, public_id: str) -> int:
    """Return when an event changed last, for whoever may see it; raise Http404 for others."""
    return last_touch(access.tournament_by_id(request.user, public_id).topic)


def matches_number(request: HttpRequest, topic: str) -> int:
    """Return when a match of a division changed last, by the topic of the division; raise Http404 if hidden."""
    kind, _, public_id = topic.partition(":")
    if kind != "division":
        raise Http404
    return last_touch(matches_topic(access.division(request.user, public_id).topic))


def event_topics(event: Tournament) -> str:
    """The topics of an event that a page rendered now watches, with the numbers that it shows."""
    number = now_shown()
    return " ".join(f"{topic}={number}" for topic in _topics_of(event))


def topics_shown(event: Tournament, *, read_since: datetime) -> str:
    """The same for a page whose data have been read since a moment; the numbers are exact.

    So a page that shows what its reader has just done does not ask for it again.
    """
    topics = _topics_of(event)
    before = int(read_since.timestamp() * 1000) - 1
    return " ".join(
        f"{topic}={min(number, before)}" for topic, number in zip(topics, last_touches(topics), strict=True)
    )


def _topics_of(event: Tournament) -> list[str]:
    return [event.topic, *(matches_topic(division.topic) for division in event.divisions.all())]
