"""When each sweep last ended, noted in the broker by whichever worker ran it."""

import time
from typing import Any

import structlog
from celery import Celery
from celery.signals import task_success
from django.conf import settings
from redis import Redis
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)

SWEEPS = "barpoint-sweeps"
"""A hash of the broker: the name of a task and seconds since the epoch."""


def note_sweeps(app: Celery) -> None:
    """Note from now on when a task of beat's schedule ends."""

    def note(sender: Any, **_: Any) -> None:
        if any(entry["task"] == sender.name for entry in app.conf.beat_schedule.values()):
            _note(sender.name)

    task_success.connect(note, weak=False, dispatch_uid="note-sweeps")


def _note(task: str) -> None:
    try:
        with Redis.from_url(settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1) as broker:
            broker.hset(SWEEPS, task, str(time.time()))
    except RedisError as error:
        log.warning("sweep_not_noted", task=task, error=str(error))
