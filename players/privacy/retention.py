"""Deleting what is older than the site keeps it; each app registers what it deletes."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from core.faults import each
from players.accounts.idempotency import KEPT
from players.models import (
    AccountSession,
    DataExport,
    IdempotencyKey,
    KeptAct,
    LogEntry,
    Merge,
    Notification,
    Outbox,
    PushSubscription,
)
from players.models.people import CLAIM_LASTS

Purge = Callable[[datetime], int]
"""Deletes what has expired at a time, and returns how many rows that were."""
BATCH_SIZE = 1000
"""Rows deleted in one transaction, so that nobody waits for long."""

events = structlog.get_logger(__name__)
_purges: dict[str, Purge] = {}


def register(name: str, purge: Purge) -> None:
    """Add something that is deleted daily; `name` is its name in the log of the site."""
    _purges[name] = purge


def delete_expired(*, now: datetime) -> dict[str, int]:
    """Delete what has expired and return the number of rows by name."""
    deleted = dict(each("retention", _purges, lambda name: (name, _purges[name](now))))
    events.info("expired_data_deleted", **deleted)
    return deleted


def kept_since(days: int, now: datetime) -> datetime | None:
    """Return the time before which data has expired; None if it is kept forever (0 days)."""
    return now - timedelta(days=days) if days else None


def in_batches(rows: QuerySet[Any], act: Callable[[QuerySet[Any]], object]) -> int:
    """Call `act` with at most BATCH_SIZE rows at a time, each in its own transaction; return how many rows there were.

    Afterwards `act` must have taken the rows out of the query.
    """
    total = 0
    while ids := list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH_SIZE]):
        with transaction.atomic():
            act(rows.model.objects.filter(pk__in=ids))
        total += len(ids)
    return total


def _delete(rows: QuerySet[Any]) -> object:
    return rows.delete()


def _log(now: datetime) -> int:
    before = kept_since(settings.LOG_KEPT_DAYS, now)
    return in_batches(LogEntry.objects.filter(at__lt=before), _delete) if before else 0


def _kept_acts(now: datetime) -> int:
    """Delete acts as the log, and the outboxes that nothing was heard of since."""
    before = kept_since(settings.LOG_KEPT_DAYS, now)
    if before is None:
        return 0
    acts = in_batches(KeptAct.objects.filter(arrived_at__lt=before), _delete)
    return acts + in_batches(Outbox.objects.filter(heard_at__lt=before), _delete)


def _notifications(now: datetime) -> int:
    before = kept_since(settings.NOTIFICATIONS_KEPT_DAYS, now)
    return in_batches(Notification.objects.filter(created_at__lt=before), _delete) if before else 0


def _exports(now: datetime) -> int:
    return in_batches(DataExport.objects.filter(expires_at__lte=now), _delete)


def _sessions(now: datetime) -> int:
    return in_batches(AccountSession.objects.filter(expire_date__lt=now), _delete)


def _browsers(now: datetime) -> int:
    lapsed = PushSubscription.objects.filter(unbound_since__lte=now - PushSubscription.UNBOUND_FOR)
    return in_batches(lapsed, _delete)


def _idempotency_keys(now: datetime) -> int:
    return in_batches(IdempotencyKey.objects.filter(created_at__lte=now - KEPT), _delete)


def _claimed_names(now: datetime) -> int:
    expired = Merge.objects.filter(kept__isnull=False, merged_at__lte=now - CLAIM_LASTS)
    return in_batches(expired, lambda rows: rows.update(kept=None))


def connect() -> None:
    """Register what this app deletes."""
    register("log", _log)
    register("kept_acts", _kept_acts)
    register("notifications", _notifications)
    register("data_exports", _exports)
    register("sessions", _sessions)
    register("browsers", _browsers)
    register("idempotency_keys", _idempotency_keys)
    register("claimed_names", _claimed_names)
