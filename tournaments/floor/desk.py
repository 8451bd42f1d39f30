"""Whether the desk has lost its connection: the pages of the staff, and the acts that their browsers still keep.

A floor or console page that can be seen says every minute that it is here, and says that it was left when it is hidden
or closed. The desk is silent if somebody was here, and all pages that were not left have been quiet for a while. What
is not known counts as not silent (`core.live.presence`).
"""

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Value
from django.db.models.functions import Concat

from core.live.presence import Member, RecentActivity, goodbye, note_activity, presences
from matches.models import Outage
from matches.play import absences
from players.models import Outbox
from tournaments.models import Tournament

QUIET_FOR = 150.0
"""Seconds for which a page may be quiet: it misses two signs."""
GONE_AFTER = 60.0
"""Seconds more, after which a quiet page no longer exists if its browser has another that is heard."""
SENDING_FOR = timedelta(seconds=30)
"""For how long a browser is waited for that has said how many acts it still keeps."""


class DeskPage(NamedTuple):
    """A page of the staff, between coming and leaving, and the browser that it is in."""

    browser: str
    name: str

    @property
    def life(self) -> str:
        return f"{self.browser}.{self.name}"


def note_here(tournament: Tournament, page: DeskPage, now: datetime) -> None:
    note_activity(RecentActivity(_desk(tournament), page.life, QUIET_FOR), now=now.timestamp())


def note_left(tournament: Tournament, page: DeskPage, now: datetime) -> None:
    """Note that a page of the staff was hidden or closed, for good.

    With it those of the same browser are forgotten that could not say so, as after a crash.
    """
    prefix = f"{page.browser}."
    goodbye(_desk(tournament), [page.life], now=now.timestamp(), forget_after=GONE_AFTER, prefix=prefix)


def silent_since(tournament: Tournament, now: datetime) -> datetime | None:
    """Return since when the desk of an event is silent; None if it is not, or that is not known."""
    [desk] = presences([_desk(tournament)], now=now.timestamp())
    return datetime.fromtimestamp(desk.lost, UTC) if desk.lost is not None else None


def waits_since(tournament: Tournament, now: datetime) -> datetime | None:
    """Return since when the autopilot waits for a silent desk, as the event may want it to; None if it does not."""
    return silent_since(tournament, now) if tournament.silent_desk == Tournament.SilentDesk.WAIT else None


class WaitedFor(NamedTuple):
    """A desk that the autopilot of an event waits for, and since when it is silent; None if it sends what it kept."""

    tournament: Tournament
    silent_since: datetime | None


def desk_waited_for(tournament_id: int, now: datetime) -> WaitedFor | None:
    """Return the desk that the autopilot of an event has to wait for; None if it goes on, or the event is over.

    It waits as well for browsers that have said a moment ago that they still keep acts of the event. One query.
    """
    topic = Concat(Value("tournament:"), OuterRef("public_id"))
    sending = Outbox.objects.filter(topic=topic, left__gt=0, heard_at__gte=now - SENDING_FOR)
    events = Tournament.objects.select_related("club").annotate(is_sending=Exists(sending))
    tournament = events.get(pk=tournament_id)
    if not tournament.is_open:
        return None
    since = waits_since(tournament, now)
    return WaitedFor(tournament, since) if since is not None or tournament.is_sending else None


def is_back_after_outage(now: datetime) -> bool:
    """Whether the server itself was away until a moment ago, so that no page could be heard."""
    ended = Outage.objects.filter(ended_at__gt=now - timedelta(seconds=QUIET_FOR))
    return absences.is_silent(now) or ended.exists()


def _desk(tournament: Tournament) -> Member:
    return tournament.topic, "desk"
