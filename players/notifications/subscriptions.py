"""The browsers in which a user sees notifications."""

from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from core.locks import lock_row
from engine.errors import Refused
from players.models import PushSubscription, User
from players.notifications.push_services import Forbidden, endpoint_of

MOST_BROWSERS = 20
BROWSERS = (("Edg", "Edge"), ("OPR", "Opera"), ("Firefox", "Firefox"), ("Chrome", "Chrome"), ("Safari", "Safari"))
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("Linux", "Linux"),
)


class Subscribing(NamedTuple):
    """What a browser sends when it subscribes."""

    endpoint: str
    p256dh: str
    auth: str


@transaction.atomic
def subscribe(*, user: User, subscribing: Subscribing, device: str, now: datetime) -> PushSubscription:
    """Show a user's notifications in a browser, which belongs to whoever subscribed in it last.

    Refused: `push_endpoint`, `too_many_browsers`.
    """
    try:
        endpoint_of(subscribing.endpoint)
    except Forbidden:
        raise Refused("push_endpoint") from None
    lock_row(User, user.pk)
    others = PushSubscription.objects.filter(user=user).exclude(endpoint=subscribing.endpoint)
    if others.count() >= MOST_BROWSERS:
        raise Refused("too_many_browsers", most=MOST_BROWSERS)
    # What waits for the browser's former user must not be shown to this one.
    PushSubscription.objects.filter(endpoint=subscribing.endpoint).exclude(user=user).delete()
    row, _ = PushSubscription.objects.update_or_create(
        endpoint=subscribing.endpoint,
        defaults={
            "user": user,
            "p256dh": subscribing.p256dh,
            "auth": subscribing.auth,
            "device": device,
            "created_at": now,
        },
    )
    return row


def unsubscribe(*, user: User, subscription: int) -> None:
    """Show a user's notifications no longer in a browser; harmless if it is not one of theirs."""
    PushSubscription.objects.filter(user=user, pk=subscription).delete()


def device_of(user_agent: str) -> str:
    """Return the browser and the system that a User-Agent header names.

    >>> device_of("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
    'Firefox · Linux'
    """
    names = (next((name for mark, name in table if mark in user_agent), "") for table in (BROWSERS, SYSTEMS))
    return " · ".join(filter(None, names))
