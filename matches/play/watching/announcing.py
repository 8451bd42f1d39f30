"""Tell spectators who are behind that there is something new to see; the clock worker does it."""

from datetime import datetime, timedelta

from django.db.models import Max

from core.live import site_version
from core.live.publishing import publish_all, touch
from matches.lifecycle.locks import matches_topic
from matches.lifecycle.spectators import watch_topic
from matches.models import Action, LiveMatch, Match
from matches.play.live import EventKind

WINDOW = timedelta(seconds=3)
"""Each change is announced for so long, in every round of the worker; pages take no notice of what they know."""


def announce_delayed(*, now: datetime) -> int:
    """Publish the actions that spectators see since a moment ago; return how many matches have such."""
    delayed = LiveMatch.objects.filter(match__state=Match.State.LIVE, spectators_delay__gt=0)
    changes: list[tuple[str, int]] = []
    for minutes in delayed.order_by().values_list("spectators_delay", flat=True).distinct():
        seen_until = now - timedelta(minutes=minutes or 0)
        visible = Action.objects.filter(
            live__in=delayed.filter(spectators_delay=minutes), at__gt=seen_until - WINDOW, at__lte=seen_until
        )
        latest = visible.order_by().values_list("live__match__public_id").annotate(Max("seq"))
        changes += [(watch_topic(public_id), seq) for public_id, seq in latest]
        # Once a side is ready for the next game, the score after the last one is to be seen.
        starts = visible.filter(kind=EventKind.READY).exclude(live__match__parent_topic="").order_by()
        for parent_topic in starts.values_list("live__match__parent_topic", flat=True).distinct():
            touch(matches_topic(parent_topic))
    if changes:
        # What public pages show has changed without a write.
        site_version.replace()
        publish_all(changes)
    return len(changes)
