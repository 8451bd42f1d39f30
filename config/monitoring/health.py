"""Health checks and metrics: whether the site works, how much work waits, and leaving service before a stop."""

import os
import re
import shutil
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import structlog
from celery import current_app
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import DatabaseError, connection, transaction
from django.db.models import Count, Min, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import REGISTRY, Collector
from redis import Redis
from redis.exceptions import RedisError

from config.backup import DRILLS
from config.database import DOWN, FULL, LOCKED, outage_of
from config.monitoring import is_measured
from core.access import Who, open_to
from core.faults import failing
from core.queue import (
    ANALYSIS,
    BACKGROUND,
    GUESTS,
    OUTGOING,
    RECORDS,
    SWEEPS,
    URGENT,
    broker,
    signed_ago,
    sweeps_stopped,
    unattended,
)
from matches.models import Analysis, Match, RatingMark, Submission
from players.models import Delivery, LogEntry
from tournaments.models import Draw

# Take a web process out of service before it stops: after SIGUSR1 its health check fails, and all else goes on.
#
# A proxy that asks `/healthz` then sends new requests elsewhere. A form that reaches a process just as it stops could
# not be sent again to another one.


# No `threading.Event`: a second signal within `set` would wait for a lock that the first holds.
_process = SimpleNamespace(is_draining=False)


def listen() -> None:
    """Begin to drain this process when it gets SIGUSR1."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGUSR1, _drain)


def is_draining() -> bool:
    """Whether this process gets no new requests, since it is about to stop."""
    return bool(_process.is_draining)


def _drain(_signal: int, _frame: object) -> None:
    _process.is_draining = True


# Whether the database takes a write and the broker answers.


log = structlog.get_logger(__name__)

OK, STOPPED = "ok", "stopped"
STATEMENT_TIMED_OUT = "57014"
PATIENCE_MS = 2000
"""How long the write may wait for a lock."""
MIN_FREE_BYTES = 32 * 1024 * 1024
"""Less free space beside a SQLite file counts as a full disk: a small write may still fit into its log."""


_checking = threading.Lock()
_last_state: tuple[float, dict[str, str]] | None = None


def site_state() -> dict[str, str]:
    """Return the states of database, queue and sweeps, not older than HEALTH_LASTS; one thread at a time looks."""
    global _last_state
    with _checking:
        if _last_state is None or time.monotonic() - _last_state[0] >= settings.HEALTH_LASTS:
            states = {"database": database_state(), "queue": queue_state(), "sweeps": sweeps_state()}
            _last_state = time.monotonic(), states
        return _last_state[1]


def database_state() -> str:
    """Write a row and delete it again, and return OK or what is wrong."""
    try:
        if connection.vendor == "sqlite" and _free_bytes() < MIN_FREE_BYTES:
            return FULL
        with _impatient():
            # Unlike an update to the same value, this reaches the disk in both databases.
            probe = Session.objects.create(session_key=f"probe-{uuid4().hex}"[:40], expire_date=timezone.now())
            probe.delete()
    except (DatabaseError, OSError) as error:
        log.error("database_not_writable", error=str(error))
        return _state_of(error)
    return OK


def queue_state() -> str:
    """Return OK, the queues on which nobody works, or that the broker does not answer.

    The site works without all of them, but nothing happens by itself.
    """
    try:
        missing = unattended(attended_queues())
    except RedisError as error:
        log.warning("queue_unreachable", error=str(error))
        return DOWN
    if missing:
        log.error("queues_unattended", queues=missing)
    return f"no worker for {', '.join(missing)}" if missing else OK


def sweeps_state() -> str:
    """Return OK, that none has ended for a minute, or how many items fail, which only concerns their events."""
    try:
        if sweeps_stopped():
            log.error("sweeps_stopped")
            return STOPPED
    except RedisError:
        return DOWN
    count = len(failing())
    return f"{count} failing" if count else OK


def attended_queues() -> list[str]:
    """Return the queues for which this installation should have workers."""
    analysis = [] if settings.ANALYSIS_BACKEND == "off" else [ANALYSIS]
    return [URGENT, RECORDS, BACKGROUND, GUESTS, OUTGOING, *analysis]


@contextmanager
def _impatient() -> Iterator[None]:
    """Run a transaction that waits at most PATIENCE_MS for a lock."""
    if connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = {PATIENCE_MS}")
            cursor.execute(f"SET LOCAL statement_timeout = {PATIENCE_MS}")
            yield
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        (usual,) = cursor.fetchone()
        cursor.execute(f"PRAGMA busy_timeout = {PATIENCE_MS}")
        try:
            with transaction.atomic():
                yield
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {usual}")


def _free_bytes() -> int:
    return shutil.disk_usage(Path(connection.settings_dict["NAME"]).parent).free


def _state_of(error: Exception) -> str:
    if getattr(error.__cause__, "sqlstate", None) == STATEMENT_TIMED_OUT:
        return LOCKED
    return outage_of(error) or DOWN


# How much work waits and for how long, read from the database and the broker when metrics are scraped.


def waiting_work(now: datetime) -> list[tuple[str, QuerySet[Any], str | None]]:
    """Return each kind of work with its waiting rows and the column that says since when, if any."""
    return [
        ("submissions", Submission.objects.filter(state=Submission.State.QUEUED), "created_at"),
        ("analyses", Analysis.objects.filter(state=Analysis.State.QUEUED), "created_at"),
        ("draws", Draw.objects.filter(state=Draw.State.REQUESTED), "made_at"),
        ("ratings", RatingMark.objects.all(), None),
        ("deliveries", Delivery.objects.filter(state=Delivery.State.WAITING, next_at__lte=now), "next_at"),
        ("unsettled", Match.objects.filter(unsettled=True), "finished_at"),
    ]


class QueueCollector(Collector):
    """Reads the queues at each scrape, so that one answer is right for all processes."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the lengths and ages of queues, and the age of the last run of each sweep."""
        now = timezone.now()
        length = GaugeMetricFamily("barpoint_waiting_work", "Rows that wait for a worker.", labels=["kind"])
        age = GaugeMetricFamily("barpoint_waiting_seconds", "Age of the oldest of them.", labels=["kind"])
        for kind, rows, waiting_since in waiting_work(now):
            oldest = {"since": Min(waiting_since)} if waiting_since else {}
            row = rows.aggregate(count=Count("pk"), **oldest)
            length.add_metric([kind], row["count"])
            if oldest:
                age.add_metric([kind], _seconds(row["since"], now))
        yield from (length, age)
        yield from _of_drills(now)
        try:
            with broker(as_text=True) as client:
                yield from self._of_broker(client, now)
        except RedisError as error:
            log.warning("queue_unreachable", error=str(error))

    def _of_broker(self, client: Redis, now: datetime) -> Iterator[GaugeMetricFamily]:
        messages = GaugeMetricFamily("barpoint_queue_messages", "Messages that no worker has taken.", labels=["queue"])
        for queue in current_app.amqp.queues:
            messages.add_metric([queue], client.llen(queue))
        lag = GaugeMetricFamily("barpoint_sweep_age_seconds", "Time since a sweep last ended.", labels=["sweep"])
        for name, at in sorted(client.hgetall(SWEEPS).items()):
            lag.add_metric([str(name)], max(0.0, now.timestamp() - float(at)))
        signed = GaugeMetricFamily("barpoint_worker_age_seconds", "Time since a worker last signed.", labels=["queue"])
        for queue, seconds in signed_ago(attended_queues()).items():
            signed.add_metric([queue], seconds)
        items = GaugeMetricFamily("barpoint_failing_items", "What fails in each run of a sweep.", labels=["kind"])
        for kind, count in sorted(Counter(item.kind for item in failing()).items()):
            items.add_metric([kind], count)
        yield from (messages, lag, signed, items)


def _of_drills(now: datetime) -> Iterator[GaugeMetricFamily]:
    """Yield how long ago a restore was last rehearsed with success, and what it took; nothing before the first."""
    drill = LogEntry.objects.filter(topic=DRILLS).first()
    if drill is not None:
        yield GaugeMetricFamily(
            "barpoint_restore_drill_age_seconds",
            "Time since a backup was last restored by way of trial.",
            value=_seconds(drill.at, now),
        )
        yield GaugeMetricFamily("barpoint_restore_drill_seconds", "How long that took.", value=drill.params["seconds"])


def _seconds(since: datetime | None, now: datetime) -> float:
    return max(0.0, (now - since).total_seconds()) if since else 0.0


def exposition() -> bytes:
    """Return the metrics in Prometheus's text format, with the queues as they are now."""
    queues = CollectorRegistry()
    queues.register(QueueCollector())
    registry = REGISTRY
    if folder := os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        forget_dead_processes(Path(folder))
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    text: bytes = generate_latest(registry) + generate_latest(queues)
    return text


def forget_dead_processes(folder: Path) -> None:
    """Remove what processes that have ended counted as open now; their totals stay."""
    for path in folder.glob("gauge_live*.db"):
        process = re.search(r"_(\d+)\.db$", path.name)
        if process is not None and not _is_alive(int(process[1])):
            mark_process_dead(int(process[1]), str(folder))  # type: ignore[no-untyped-call]


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        # It belongs to another user.
        return True
    return True


FORWARDED = ("Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP")
"""Headers by which a proxy on this machine is told from a client on this machine."""


@never_cache
@open_to(get=Who.EVERYBODY)
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer while the process lives; 503 once it is about to stop."""
    if is_draining():
        return HttpResponse("about to stop\n", status=503, content_type="text/plain")
    return HttpResponse("ok\n", content_type="text/plain")


@never_cache
@open_to(get=Who.EVERYBODY)
def readyz(request: HttpRequest) -> JsonResponse:
    """Answer 503 unless the database takes a write and sweeps come.

    Without the queue the site works, so that is only reported.
    """
    state = site_state()
    is_ready = state["database"] == OK and state["sweeps"] != STOPPED
    return JsonResponse(state, status=200 if is_ready else 503)


@never_cache
@open_to(get=Who.EVERYBODY)
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer with the metrics, to clients that may read them; 404 for all others."""
    if not is_measured() or not _may_read_metrics(request):
        raise Http404

    return HttpResponse(exposition(), content_type="text/plain; version=0.0.4; charset=utf-8")


def _may_read_metrics(request: HttpRequest) -> bool:
    """Whether the client sends METRICS_TOKEN or, without such a token, is this machine and no proxy on it."""
    if settings.METRICS_TOKEN:
        sent = request.headers.get("Authorization", "")
        return constant_time_compare(sent, f"Bearer {settings.METRICS_TOKEN}")
    is_local = request.META.get("REMOTE_ADDR") in ("127.0.0.1", "::1")
    return is_local and not any(name in request.headers for name in FORWARDED)
