"""When a request arrived: stamped before it waits for a thread, so that a busy server costs no player time."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from rest_framework.request import Request

ARRIVED = "barpoint.arrived"
"""The key of the arrival in a request's scope: microseconds since the epoch."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def stamp(scope: dict[str, Any], now: datetime) -> None:
    """Store when a request was complete; call it once nothing of its body is missing."""
    scope[ARRIVED] = (now - EPOCH) // timedelta(microseconds=1)


def arrived_at(request: HttpRequest | Request) -> datetime:
    """Return when a request was complete; the present time where the server has not stamped it."""
    arrived = request.META.get("asgi.scope", {}).get(ARRIVED)
    return timezone.now() if arrived is None else EPOCH + timedelta(microseconds=arrived)
