"""Whether beat, broker and workers are alive, as directors see it."""

from datetime import UTC, datetime
from functools import cache as cache_function
from typing import TYPE_CHECKING, Any, NamedTuple

from django.conf import settings
from django.core.cache import cache
from django.db.models import Manager, Min
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from core.faults import FailingItem, failing
from core.queue import OUTGOING, RECORDS, URGENT, sweeps_stopped, unattended
from core.times import event_time
from matches.models import Claim, Match, Proposal, Provisional, RatingPool, Submission
from tournaments.models import Division, Draw, Fixture, Series, Tournament
from tournaments.results.overdue import GRACE

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as StrPromise

# Whether beat, broker and workers are alive: beat sends a task every few seconds, and a worker stores the time.


KEY = "tournaments.heartbeat"
EVERY = 5.0
"""Seconds between two heartbeats."""
LATE = 30.0
"""Seconds without a heartbeat after which something is wrong."""
KEPT = 7 * 24 * 3600
PATIENCE = 1.0
"""Seconds to wait for a broker that does not answer."""


class Health(NamedTuple):
    """The state of the queue; `seen_at` is the time of the last heartbeat."""

    seen_at: datetime | None
    broker: bool
    messages: int
    """Messages that no worker has taken yet."""


def beat(now: datetime) -> None:
    """Store the time of a heartbeat; runs in a worker."""
    cache.set(KEY, now.timestamp(), KEPT)


def workers_health() -> Health:
    """Return the last heartbeat and the state of the broker; an unreachable broker is reported, not raised."""
    messages = _messages()
    stamp = cache.get(KEY) if messages is not None else None
    seen_at = datetime.fromtimestamp(stamp, UTC) if isinstance(stamp, float) else None
    return Health(seen_at, messages is not None, messages or 0)


def _messages() -> int | None:
    if not settings.REDIS_URL:
        return None
    try:
        return int(_client().llen(URGENT))
    except RedisError:
        return None


@cache_function
def _client() -> Redis:
    # Without pauses between attempts, which would delay each page of a director while the broker is down.
    retry = Retry(NoBackoff(), 1)
    return Redis.from_url(settings.REDIS_URL, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE, retry=retry)


# What waits because nobody works on its queue, for "Needs you".


STOPPED = {
    URGENT: gettext_lazy("Draws, calls and deadlines have stopped: no worker is running."),
    RECORDS: gettext_lazy("Game records are not being checked: no worker is running."),
    OUTGOING: gettext_lazy("E-mails and notifications are not being sent: no worker is running."),
}
"""By queue, of those that a director may wait for."""
SILENT = gettext_lazy("Draws, calls and deadlines have stopped: nothing has started them for a minute.")


def stopped_work() -> list[str]:
    """Return a sentence about each kind of work that has stopped; without a broker the verdict says what is wrong."""
    try:
        stopped = unattended(list(STOPPED))
        is_silent = URGENT not in stopped and sweeps_stopped()
    except RedisError:
        return []
    return [*([str(SILENT)] if is_silent else []), *(str(STOPPED[queue]) for queue in stopped)]


# What fails in each run of a sweep, and the event in which it does.


_STAGE, _MATCH, _RESULT = "stage__division__tournament", "match__parent_topic", "result__match__parent_topic"
_LIVE = (Match.objects, "parent_topic", gettext_lazy("A match played on the site"))
_REPORT = gettext_lazy("What follows from a result")
FAILING: dict[str, tuple[Manager[Any], str, "StrPromise"]] = {
    "draws": (Draw.objects, _STAGE, gettext_lazy("A draw")),
    "countdowns": (Draw.objects, _STAGE, gettext_lazy("A draw")),
    "lists": (Division.objects, "tournament", gettext_lazy("A draw")),
    "deadlines": (Fixture.objects, _STAGE, gettext_lazy("A deadline")),
    "match-deadlines": (Match.objects, "parent_topic", gettext_lazy("A deadline")),
    "appointments": (Proposal.objects, _MATCH, gettext_lazy("A deadline")),
    "held-up": (Division.objects, "tournament", _REPORT),
    "unsettled": (Match.objects, "parent_topic", _REPORT),
    "reports": (Claim.objects, _MATCH, _REPORT),
    "records": (Submission.objects, _MATCH, _REPORT),
    "provisional-results": (Provisional.objects, _RESULT, _REPORT),
    "news-of-results": (Provisional.objects, _RESULT, _REPORT),
    "floors": (Tournament.objects, "pk", gettext_lazy("Calling matches")),
    "check-in-days": (Division.objects, "tournament", gettext_lazy("The check-in of the day")),
    "letters": (Tournament.objects, "pk", gettext_lazy("The e-mail of the morning after")),
    "letter-corrections": (Tournament.objects, "pk", gettext_lazy("The e-mail of the morning after")),
    "finals": (Series.objects, "final", gettext_lazy("The final of the season")),
    **dict.fromkeys(("clocks", "invitations", "absences", "bots"), _LIVE),
}
"""By kind, as sweeps name what they do in an event: its rows, the path from one to the event, or to the topic of the
division of its match, and what it is to directors."""


def failing_in_events() -> list[tuple[FailingItem, Tournament | None]]:
    """Return what fails in the sweeps, longest first, each with its event, if it belongs to one."""
    items = failing()
    owners: dict[tuple[str, str], Any] = {}
    for kind, (rows, path, _step) in FAILING.items():
        if due := [item.id for item in items if item.kind == kind]:
            owners |= {(kind, str(pk)): owner for pk, owner in rows.filter(pk__in=due).values_list("pk", path)}
    if not owners:
        return [(item, None) for item in items]
    public_ids = [topic.partition(":")[2] for topic in owners.values() if isinstance(topic, str)]
    divisions = {row.topic: row.tournament_id for row in Division.objects.filter(public_id__in=public_ids)}
    ids = {key: divisions.get(owner, owner) for key, owner in owners.items() if owner}
    events = Tournament.objects.select_related("club").in_bulk([pk for pk in ids.values() if isinstance(pk, int)])
    return [(item, events.get(ids.get((item.kind, item.id)))) for item in items]


def failing_steps(event: Tournament) -> list[str]:
    """Return a sentence about each kind of step that fails in an event, for "Needs you"."""
    since: dict[str, float] = {}
    for item, owner in failing_in_events():
        if owner == event:
            since.setdefault(str(FAILING[item.kind][2]), item.since)
    text = _(
        "{step}: failing since {time} because of an error of the site. The site keeps trying; everything else goes on."
    )
    return [
        text.format(step=step, time=event_time(datetime.fromtimestamp(at, UTC), event.time_zone))
        for step, at in since.items()
    ]


class Queue(NamedTuple):
    """Rows waiting for a worker."""

    name: str
    waiting: int
    oldest: datetime | None


def status_page(now: datetime) -> dict[str, Any]:
    health = workers_health()
    age = (now - health.seen_at).total_seconds() if health.seen_at else None
    return {
        "health": health,
        "age": None if age is None else max(0, round(age)),
        "verdict": verdict(health, age),
        "late": LATE,
        "every": EVERY,
        "stopped_work": stopped_work(),
        "queues": queues(now),
        "now": now,
    }


def short(now: datetime) -> str:
    """Return the verdict alone, for the head of a page."""
    health = workers_health()
    return verdict(health, (now - health.seen_at).total_seconds() if health.seen_at else None)


def verdict(health: Health, age: float | None) -> str:
    """Return "well", or what is missing: "broker", "worker" or "beat"."""
    if not health.broker:
        return "broker"
    if age is not None and age < LATE:
        return "well"
    return "worker" if health.messages else "beat"


def queues(now: datetime) -> list[Queue]:
    """Return what is queued, by kind of work."""
    draws = Draw.objects.filter(state=Draw.State.REQUESTED)
    records = Submission.objects.filter(state__in=["queued", "working"])
    unsettled = Match.objects.filter(unsettled=True)
    claims = Claim.objects.filter(state=Claim.State.OPEN, stands_at__lte=now)
    due = Fixture.objects.filter(
        status=Fixture.Status.READY, deadline_done=False, due_at__lte=now - GRACE, stage__division__status="running"
    )
    pools = RatingPool.objects.filter(marks__isnull=False).distinct()
    return [
        Queue(_("Draws to make"), draws.count(), draws.aggregate(at=Min("made_at"))["at"]),
        Queue(_("Records to check"), records.count(), records.aggregate(at=Min("created_at"))["at"]),
        Queue(
            _("Results to apply to their division"), unsettled.count(), unsettled.aggregate(at=Min("finished_at"))["at"]
        ),
        Queue(_("Unanswered reports to accept"), claims.count(), claims.aggregate(at=Min("stands_at"))["at"]),
        Queue(_("Deadlines to apply"), due.count(), due.aggregate(at=Min("due_at"))["at"]),
        Queue(_("Rating pools to recalculate"), pools.count(), None),
    ]
