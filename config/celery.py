"""The queue. A message is a hint, never the work: all work is a row that the sweeps below find again.

Tasks are in the `tasks.py` of their app as `@shared_task` and are published with
`transaction.on_commit(task.delay, robust=True)`, so that a request never fails without a broker.
"""

import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("barpoint")

# In seconds; after that the sweep sends the hint again.
PUBLISH_PATIENCE = 1.0


def broker_url(redis_url: str) -> str:
    """Return the URL as kombu expects it, which calls a Unix socket `redis+socket`."""
    return redis_url.replace("unix://", "redis+socket://", 1)


class Config:
    """Celery's settings, read when the app is first used."""

    @property
    def broker_url(self) -> str:
        """The broker at settings.REDIS_URL."""
        # Not imported above, since Django's settings may be importing this module.
        from django.conf import settings

        return broker_url(settings.REDIS_URL)

    # Task results are in the database.
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
    # The worker, unlike a publisher, waits for the broker without limit.
    broker_connection_retry_on_startup = True
    broker_connection_max_retries = None
    worker_cancel_long_running_tasks_on_connection_loss = False
    worker_hijack_root_logger = False
    # One at a time, so that a long adjudication does not hold messages that another worker could take.
    worker_prefetch_multiplier = 1
    # The schedule below is complete, so beat needs no file.
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
    """Stop Celery from replacing the handlers of settings.LOGGING."""
