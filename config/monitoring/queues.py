"""How much work waits and for how long, read from the database and the broker when metrics are scraped."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

import structlog
from celery import current_app
from django.conf import settings
from django.db.models import Count, Min, QuerySet
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from redis import Redis
from redis.exceptions import RedisError

from config.monitoring.sweeps import SWEEPS
from matches.models import Analysis, Match, RatingMark, Submission
from players.models import Delivery
from tournaments.models import Draw

log = structlog.get_logger(__name__)


class Work(NamedTuple):
    """Rows that wait for a worker."""

    name: str
    rows: QuerySet[Any]
    since: str | None
    """The column since when they wait, if there is one."""


def waiting_work(now: datetime) -> list[Work]:
    """Return all kinds of work that are rows of the database."""
    return [
        Work("submissions", Submission.objects.filter(state=Submission.State.QUEUED), "created_at"),
        Work("analyses", Analysis.objects.filter(state=Analysis.State.QUEUED), "created_at"),
        Work("draws", Draw.objects.filter(state=Draw.State.REQUESTED), "made_at"),
        Work("ratings", RatingMark.objects.all(), None),
        Work("deliveries", Delivery.objects.filter(state=Delivery.State.WAITING, next_at__lte=now), "next_at"),
        Work("unsettled", Match.objects.filter(unsettled=True), "finished_at"),
    ]


class QueueCollector(Collector):
    """Reads the queues at each scrape, so that one answer is right for all processes."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the lengths and ages of queues, and the age of the last run of each sweep."""
        now = timezone.now()
        length = GaugeMetricFamily("barpoint_waiting_work", "Rows that wait for a worker.", labels=["kind"])
        age = GaugeMetricFamily("barpoint_waiting_seconds", "Age of the oldest of them.", labels=["kind"])
        for work in waiting_work(now):
            oldest = {"since": Min(work.since)} if work.since else {}
            row = work.rows.aggregate(count=Count("pk"), **oldest)
            length.add_metric([work.name], row["count"])
            if oldest:
                age.add_metric([work.name], _seconds(row["since"], now))
        yield from (length, age)
        try:
            with Redis.from_url(
                settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1, decode_responses=True
            ) as broker:
                yield from self._of_broker(broker, now)
        except RedisError as error:
            log.warning("queue_unreachable", error=str(error))

    def _of_broker(self, broker: Redis, now: datetime) -> Iterator[GaugeMetricFamily]:
        messages = GaugeMetricFamily("barpoint_queue_messages", "Messages that no worker has taken.", labels=["queue"])
        for queue in current_app.amqp.queues:
            messages.add_metric([queue], broker.llen(queue))
        lag = GaugeMetricFamily("barpoint_sweep_age_seconds", "Time since a sweep last ended.", labels=["sweep"])
        for name, at in sorted(broker.hgetall(SWEEPS).items()):
            lag.add_metric([str(name)], max(0.0, now.timestamp() - float(at)))
        yield from (messages, lag)


def _seconds(since: datetime | None, now: datetime) -> float:
    return max(0.0, (now - since).total_seconds()) if since else 0.0
