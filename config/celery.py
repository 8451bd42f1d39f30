"""The queue. A message is a hint, never the work: whatever must happen is a row that the sweeps below find again.

Tasks live in their rooms (`matches/tasks.py` …) as `@shared_task` and are published with
`transaction.on_commit(task.delay, robust=True)`, so that a broker that is away never fails a request.
"""

import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("barpoint")

# A publisher gives up after this many seconds; the sweep sends the hint again.
PUBLISH_PATIENCE = 1.0


def broker_url(redis_url: str) -> str:
    """The URL as kombu writes it: it calls a Unix socket `redis+socket`."""
    return redis_url.replace("unix://", "redis+socket://", 1)


class Config:
    """Celery's settings, read when the app is first used."""

    @property
    def broker_url(self) -> str:
        """The broker is whatever REDIS_URL names."""
        # Not at import: Django's settings may be the ones importing us.
        from django.conf import settings

        return broker_url(settings.REDIS_URL)

    # Nobody waits for a result: what a task did is in the database.
    task_ignore_result = True
    result_backend = None
    task_serializer = "json"
    accept_content = ("json",)
    timezone = "UTC"
    task_publish_retry = False
    broker_connection_timeout = PUBLISH_PATIENCE
    broker_transport_options: dict[str, Any] = {
        "socket_connect_timeout": PUBLISH_PATIENCE,
        "socket_timeout": PUBLISH_PATIENCE,
        "max_retries": 1,
        "interval_start": 0,
        "interval_step": 0,
        "interval_max": 0,
    }
    # The worker, unlike a publisher, waits for its broker as long as it takes.
    broker_connection_retry_on_startup = True
    broker_connection_max_retries = None
    worker_cancel_long_running_tasks_on_connection_loss = False
    worker_hijack_root_logger = False
    # One at a time: a long adjudication must not sit on messages another worker could take.
    worker_prefetch_multiplier = 1
    # The schedule below is all there is, so beat keeps no file.
    beat_scheduler = "celery.beat:Scheduler"
    beat_max_loop_interval = 1
    beat_schedule: dict[str, dict[str, Any]] = {
        "submissions": {"task": "matches.sweep_submissions", "schedule": 5.0, "options": {"expires": 5}},
        "ratings": {"task": "matches.sweep_ratings", "schedule": 10.0, "options": {"expires": 10}},
        "draws": {"task": "tournaments.sweep_draws", "schedule": 10.0, "options": {"expires": 10}},
        "held-up": {"task": "tournaments.sweep_held_up", "schedule": 10.0, "options": {"expires": 10}},
        "countdowns": {"task": "tournaments.sweep_countdowns", "schedule": 2.0, "options": {"expires": 2}},
        "deadlines": {"task": "tournaments.sweep_deadlines", "schedule": 2.0, "options": {"expires": 2}},
        "heartbeat": {"task": "tournaments.heartbeat", "schedule": 5.0, "options": {"expires": 5}},
        "claims": {"task": "matches.sweep_claims", "schedule": 10.0, "options": {"expires": 10}},
        "untold-claims": {"task": "matches.sweep_untold_claims", "schedule": 10.0, "options": {"expires": 10}},
        "live": {"task": "matches.sweep_live", "schedule": 1.0, "options": {"expires": 1}},
        "records": {"task": "matches.sweep_records", "schedule": 10.0, "options": {"expires": 10}},
        "unsettled": {"task": "matches.sweep_unsettled", "schedule": 10.0, "options": {"expires": 10}},
    }


app.config_from_object(Config())
app.autodiscover_tasks()


@setup_logging.connect
def _keep_django_logging(**_: Any) -> None:
    """Celery would otherwise replace the handlers that settings.LOGGING has set up."""
