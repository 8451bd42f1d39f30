"""The queue. A message is a hint, never the work: all work is a row that the sweeps below find again."""

import json
import os
import threading
import time
import warnings
from base64 import b64decode
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from queue import Empty
from typing import Any

import structlog
from celery import Celery
from celery.beat import Scheduler
from celery.exceptions import CPendingDeprecationWarning
from celery.schedules import crontab
from celery.signals import beat_init, celeryd_after_setup, setup_logging, task_failure, task_success, worker_ready
from celery.worker import state as worker_state
from kombu.entity import Queue
from kombu.transport import redis
from redis.exceptions import ConnectionError as ClosedConnection
from redis.exceptions import RedisError

from core.faults import ItemsFailed
from core.queue import (
    ANALYSIS,
    BACKGROUND,
    GUESTS,
    OUTGOING,
    RECORDS,
    SIGN_EVERY,
    SWEEPS,
    URGENT,
    broker,
    require_broker,
    sign,
)

# When each sweep last ended, noted in the broker by whichever worker ran it.


log = structlog.get_logger(__name__)


def note_sweeps(app: Celery) -> None:
    """Note from now on when a task of beat's schedule ends."""

    def note(sender: Any, **_: Any) -> None:
        if any(entry["task"] == sender.name for entry in app.conf.beat_schedule.values()):
            _note(sender.name)

    def note_failure(sender: Any, exception: BaseException, **_: Any) -> None:
        if isinstance(exception, ItemsFailed):
            note(sender)

    task_success.connect(note, weak=False, dispatch_uid="note-sweeps")
    task_failure.connect(note_failure, weak=False, dispatch_uid="note-sweeps")


def _note(task: str) -> None:
    try:
        with broker() as client:
            client.hset(SWEEPS, task, str(time.time()))
    except RedisError as error:
        log.warning("sweep_not_noted", task=task, error=str(error))


# A worker signs for its queues from a thread of its own, however busy it is, and ends if it cannot go on.
#
# Whatever started it (supervisor, systemd or Compose) then starts another one.


class WorkerPulse:
    """The signatures of this process, a worker of some queues."""

    def __init__(self, queues: Sequence[str]) -> None:
        self._queues = queues
        self._received = -1

    def look(self) -> bool:
        """Sign, and return True, unless messages wait that an idle worker did not take since the last look."""
        received = sum(worker_state.total_count.values())
        is_idle = received == self._received and not (worker_state.active_requests or worker_state.reserved_requests)
        self._received = received
        with broker() as client:
            if is_idle and any(client.llen(queue) for queue in self._queues):
                return False
            sign(client, self._queues)
        return True

    def run(self, worker: Any) -> None:
        """Sign until the process ends; end it if its connection failed for good, or if it takes no messages."""
        takes_none = 0
        while True:
            try:
                takes_none = 0 if self.look() else takes_none + 1
            except RedisError as error:
                log.warning("worker_not_signed", queues=self._queues, error=str(error))
            # A worker that failed ends by itself, but only once its tasks have ended, and one of them may hang.
            if takes_none == GIVEN_LOOKS or worker.exitcode:
                log.critical("worker_cannot_go_on", queues=self._queues, exit_code=worker.exitcode)
                time.sleep(LAST_PATIENCE)
                os._exit(1)
            time.sleep(SIGN_EVERY)


GIVEN_LOOKS = 2
"""Looks in a row at which nothing was taken."""
LAST_PATIENCE = 5.0
"""Seconds in which tasks may still end."""


@worker_ready.connect
def _sign_from_now_on(sender: Any, **_: Any) -> None:
    pulse = WorkerPulse(sorted(sender.app.amqp.queues.consume_from))
    threading.Thread(target=pulse.run, args=(sender.controller,), name="pulse", daemon=True).start()


class TolerantChannel(redis.Channel):
    """kombu's channel, which no message ends, and of which late calls fail as they do on any lost connection.

    A message that cannot be read, or with which Celery cannot begin, ended the worker, and was the first that the next
    worker took. It is put aside, and logged; nothing is lost, since a message is only a hint.

    When the broker has gone, the consumer gives up its connection, while closing the channel still puts messages back
    and tasks that end meanwhile acknowledge theirs. kombu 5.7 then asks what is None for the address of the broker, and
    that error ended the worker. Nothing is lost where they fail: a sweep sends the messages again.
    """

    def _connparams(self, asynchronous: bool = False) -> dict[str, Any]:
        if self.connection is None or self.connection.client is None:
            raise ClosedConnection("The connection of this channel was given up.")
        params: dict[str, Any] = super()._connparams(asynchronous)  # type: ignore[no-untyped-call]
        return params

    def basic_consume(self, queue: str, *args: Any, **options: Any) -> None:
        super().basic_consume(queue, *args, **options)  # type: ignore[no-untyped-call]
        if queue in QUEUES:
            callbacks = self.connection._callbacks  # noqa: SLF001, kombu's own channel sets them there
            callbacks[queue] = partial(self._begin_with, callbacks[queue], queue)

    def _brpop_read(self, **options: Any) -> Any:
        self._is_json = False
        try:
            return super()._brpop_read(**options)  # type: ignore[no-untyped-call]
        except (ValueError, TypeError, RecursionError) as error:
            if self._is_json:
                raise
            put_aside("", getattr(error, "doc", None) or getattr(error, "object", ""), error)
            raise Empty from error

    def _begin_with(self, callback: Callable[[Any], object], queue: str, message: Any) -> None:
        self._is_json = True
        try:
            check_message(message)
        except (LookupError, TypeError, ValueError, RecursionError) as error:
            put_aside(queue, message, error)
            return
        try:
            callback(message)
        except (RedisError, OSError):
            raise
        except Exception as error:  # noqa: BLE001, logged
            put_aside(queue, message, error)
            self.basic_reject(message["properties"]["delivery_tag"], requeue=False)  # type: ignore[no-untyped-call]


redis.Transport.Channel = TolerantChannel

QUEUES = (URGENT, RECORDS, BACKGROUND, GUESTS, OUTGOING, ANALYSIS)
UNREADABLE = "barpoint-unreadable"
"""A list of the broker: the latest messages that were put aside, as text."""
UNREADABLE_KEPT, UNREADABLE_LENGTH = 100, 4096


def check_message(message: Any) -> None:
    """Check that a message is as `send_task` writes it. Raises LookupError, TypeError, ValueError or RecursionError."""
    properties, headers = message["properties"], message["headers"]
    delivery = properties["delivery_info"]
    names = [headers["task"], headers["id"], properties["delivery_tag"], delivery["exchange"], delivery["routing_key"]]
    if not all(isinstance(name, str) for name in names) or properties["body_encoding"] != "base64":
        raise ValueError("no task")
    args, kwargs, _embedded = json.loads(b64decode(message["body"], validate=True))
    if not isinstance(args, list) or not isinstance(kwargs, dict):
        raise TypeError("no arguments")


def put_aside(queue: str, message: object, error: Exception) -> None:
    """Log a message that no worker can begin with, and keep it for the operator."""
    text = repr(message)[:UNREADABLE_LENGTH]
    log.error("message_put_aside", queue=queue, error=repr(error), message=text)
    try:
        with broker() as client:
            client.lpush(UNREADABLE, text)
            client.ltrim(UNREADABLE, 0, UNREADABLE_KEPT - 1)
    except RedisError as failure:
        log.warning("message_not_kept", error=str(failure))


@beat_init.connect
def _beat_needs_broker(**_: Any) -> None:
    # Beat itself would end without a word, as if it had been stopped.
    require_broker()


# Tasks are in the `tasks.py` of their app as `@shared_task` and are published with `transaction.on_commit(task.delay,
# robust=True)`, so that a request never fails without a broker.


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

# In a container root is the usual user, and only JSON is accepted from the broker.
warnings.filterwarnings("ignore", message="You're running the worker")

app = Celery("barpoint")

# In seconds; after that the sweep sends the hint again.
PUBLISH_PATIENCE = 1.0


def broker_url(redis_url: str) -> str:
    """Return the URL as kombu expects it, which calls a Unix socket `redis+socket`."""
    return redis_url.replace("unix://", "redis+socket://", 1)


def take_turns(schedule: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return a beat schedule that spreads the tasks of each period over it instead of starting all at once.

    A dozen sweeps at once would hold up whoever plays on the same machine.
    """
    by_period: dict[float, list[dict[str, Any]]] = defaultdict(list)
    for entry in schedule.values():
        if isinstance(entry["schedule"], float):
            by_period[entry["schedule"]].append(entry)
    now = datetime.now(UTC)
    for period, entries in by_period.items():
        for number, entry in enumerate(entries):
            entry["last_run_at"] = now - timedelta(seconds=period * number / len(entries))
    return schedule


class SteadyScheduler(Scheduler):  # type: ignore[misc]
    """Celery's scheduler, for which time goes on evenly when the clock is set.

    Celery compares the clock with when each task was last sent: after an hour back, it would send nothing for an hour.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        self._ahead = time.time() - time.monotonic()
        super().__init__(*args, **options)
        self._follow_clock(timedelta())

    def tick(self, *args: Any, **options: Any) -> float:
        """Send what is due, and return after how many seconds something else may be."""
        before, self._ahead = self._ahead, time.time() - time.monotonic()
        if abs(self._ahead - before) > CLOCK_SET:
            log.warning("clock_was_set", seconds=round(self._ahead - before))
            self._follow_clock(timedelta(seconds=self._ahead - before))
        wait: float = super().tick(*args, **options)
        return wait

    def _follow_clock(self, jump: timedelta) -> None:
        for entry in self.schedule.values():
            # A time of day is waited for on the new clock.
            moved = entry.last_run_at + (timedelta() if isinstance(entry.schedule, crontab) else jump)
            entry.last_run_at = min(moved, self.app.now())
        self._heap = None


CLOCK_SET = 10.0
"""Seconds by which the clock and the time that has passed part when the clock is set."""


class Config:
    """Celery's settings, read when the app is first used."""

    @property
    def broker_url(self) -> str:
        # Not imported above, since Django's settings may be importing this module.
        from django.conf import settings

        require_broker()
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
        "queue_order_strategy": "priority",
    }
    # The worker, unlike a publisher, waits for the broker without limit.
    broker_connection_retry_on_startup = True
    broker_connection_max_retries = None
    worker_cancel_long_running_tasks_on_connection_loss = False
    worker_hijack_root_logger = False
    # One at a time, so that a long adjudication does not hold messages that another worker could take.
    worker_prefetch_multiplier = 1
    # The schedule below is complete, so beat needs no file.
    beat_scheduler = "config.celery:SteadyScheduler"
    beat_max_loop_interval = 1
    # What a worker takes that is started without naming queues.
    task_queues = tuple(map(Queue, (URGENT, RECORDS, BACKGROUND, GUESTS, OUTGOING)))
    task_default_queue = URGENT
    task_routes: dict[str, dict[str, str]] = {
        "matches.adjudicate": {"queue": RECORDS},
        "matches.replay_ratings": {"queue": BACKGROUND},
        "matches.compare_formulas": {"queue": BACKGROUND},
        # A program thinks for a second or two, so it is never in the way of live play.
        "matches.act_at_level": {"queue": BACKGROUND},
        "matches.advise": {"queue": BACKGROUND},
        "matches.judge_plays": {"queue": BACKGROUND},
        "matches.advise_guest": {"queue": GUESTS},
        "config.sweep_backups": {"queue": BACKGROUND},
        "players.make_data_export": {"queue": BACKGROUND},
        "tournaments.draw_share_picture": {"queue": BACKGROUND},
        "tournaments.prepare_share_picture": {"queue": BACKGROUND},
        "players.delete_expired": {"queue": BACKGROUND},
        "players.send_notification_emails": {"queue": OUTGOING},
        "players.send_push": {"queue": OUTGOING},
        "players.send_account_email": {"queue": OUTGOING},
        "clubhouse.sweep_letters": {"queue": BACKGROUND},
        "clubhouse.sweep_letter_corrections": {"queue": BACKGROUND},
        "matches.analyse": {"queue": ANALYSIS},
    }
    beat_schedule = take_turns(
        {
            "submissions": {"task": "matches.sweep_submissions", "schedule": 5.0, "options": {"expires": 5}},
            "comparisons": {"task": "matches.sweep_comparisons", "schedule": 10.0, "options": {"expires": 10}},
            "ratings": {"task": "matches.sweep_ratings", "schedule": 10.0, "options": {"expires": 10}},
            "draws": {"task": "tournaments.sweep_draws", "schedule": 10.0, "options": {"expires": 10}},
            "held-up": {"task": "tournaments.sweep_held_up", "schedule": 10.0, "options": {"expires": 10}},
            "finals": {"task": "tournaments.sweep_finals", "schedule": 600.0, "options": {"expires": 600}},
            "countdowns": {"task": "tournaments.sweep_countdowns", "schedule": 2.0, "options": {"expires": 2}},
            "lists": {"task": "tournaments.sweep_lists", "schedule": 2.0, "options": {"expires": 2}},
            "deadlines": {"task": "tournaments.sweep_deadlines", "schedule": 2.0, "options": {"expires": 2}},
            "floors": {"task": "tournaments.sweep_floors", "schedule": 10.0, "options": {"expires": 10}},
            "check-in-days": {"task": "tournaments.end_check_in_days", "schedule": 60.0, "options": {"expires": 60}},
            "heartbeat": {"task": "tournaments.heartbeat", "schedule": 5.0, "options": {"expires": 5}},
            "claims": {"task": "matches.sweep_claims", "schedule": 10.0, "options": {"expires": 10}},
            "reminders": {"task": "matches.sweep_reminders", "schedule": 30.0, "options": {"expires": 30}},
            "challenges": {"task": "matches.sweep_challenges", "schedule": 10.0, "options": {"expires": 10}},
            "live": {"task": "matches.sweep_live", "schedule": 1.0, "options": {"expires": 1}},
            "records": {"task": "matches.sweep_records", "schedule": 10.0, "options": {"expires": 10}},
            "analyses": {"task": "matches.sweep_analyses", "schedule": 10.0, "options": {"expires": 10}},
            "given-up": {"task": "matches.sweep_given_up_analyses", "schedule": 300.0, "options": {"expires": 300}},
            "deliveries": {"task": "players.sweep_deliveries", "schedule": 5.0, "options": {"expires": 5}},
            "letters": {"task": "clubhouse.sweep_letters", "schedule": 60.0, "options": {"expires": 60}},
            "letter-corrections": {
                "task": "clubhouse.sweep_letter_corrections",
                "schedule": 900.0,
                "options": {"expires": 900},
            },
            "backups": {"task": "config.sweep_backups", "schedule": 600.0, "options": {"expires": 600}},
            # Daily; a day that is missed is made up for by the next.
            "retention": {"task": "players.delete_expired", "schedule": crontab(hour=3, minute=17)},
            "data-exports": {"task": "players.sweep_data_exports", "schedule": 10.0, "options": {"expires": 10}},
            "account-emails": {"task": "players.sweep_account_emails", "schedule": 10.0, "options": {"expires": 10}},
            "share-pictures": {
                "task": "tournaments.sweep_share_pictures",
                "schedule": 10.0,
                "options": {"expires": 10},
            },
            "unsettled": {"task": "matches.sweep_unsettled", "schedule": 2.0, "options": {"expires": 2}},
        }
    )


app.config_from_object(Config())
app.autodiscover_tasks()
# What failed was logged with its traceback, and the sweep itself has ended.
app.Task.throws = (ItemsFailed,)
note_sweeps(app)


@setup_logging.connect
def _keep_django_logging(**_: Any) -> None:
    """Stop Celery from replacing the handlers of settings.LOGGING."""


@celeryd_after_setup.connect
def _leave_out_future_defaults(**_: Any) -> None:
    """Leave out a warning of Celery 6 at each lost connection; Celery has just switched on its own warnings."""
    warnings.filterwarnings("ignore", category=CPendingDeprecationWarning)
