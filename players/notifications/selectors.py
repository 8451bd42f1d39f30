"""The notifications of a user, and what could not be delivered."""

from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Q

from players.models import Delivery, Notification, PushSubscription, User
from players.notifications.kinds import kind_of
from players.notifications.texts import Text, texts_of

SHOWN = 50
FAILURES_FOR = timedelta(days=30)
MOST_FAILURES = 10
MOST_CALLS = 5
"""How many of the latest calls are looked at."""


class Failure(NamedTuple):
    """A delivery that was given up."""

    text: Text
    delivery: Delivery


def notifications_of(user: User) -> list[Text]:
    """Return the latest notifications of a user, newest first."""
    rows = Notification.objects.filter(user=user, on_site=True)
    return texts_of(list(rows[:SHOWN]))


def unread_count(user: User) -> int:
    """Return how many notifications a user has not read."""
    return Notification.objects.filter(user=user, on_site=True, read_at=None).count()


def unread_and_call(user: User) -> tuple[int, Text | None]:
    """Return how many notifications a user has not read, and the latest of them that still calls them to a page."""
    unread = Notification.objects.filter(user=user, on_site=True, read_at=None)
    rows = list(unread.order_by("-created_at", "-pk").values_list("pk", "kind"))
    calls = [pk for pk, kind in rows if kind_of(kind).is_call][:MOST_CALLS]
    for row in unread.filter(pk__in=calls).order_by("-created_at", "-pk") if calls else ():
        if kind_of(row.kind).is_current(row.params):
            return len(rows), texts_of([row])[0]
    return len(rows), None


def failures_of(user: User, now: datetime) -> list[Failure]:
    """Return the latest deliveries to a user that were given up, newest first."""
    rows = Delivery.objects.filter(
        notification__user=user, state=Delivery.State.GIVEN_UP, given_up_at__gte=now - FAILURES_FOR
    )
    deliveries = list(rows.select_related("notification").order_by("-given_up_at")[:MOST_FAILURES])
    texts = texts_of([row.notification for row in deliveries])
    return [Failure(*pair) for pair in zip(texts, deliveries, strict=True)]


def delivered_at(user: int, key: str) -> datetime | None:
    """Return when the notification of this key was first sent to a confirmed address or a browser of a user."""
    sent = Delivery.objects.filter(notification__user=user, notification__key=key, sent_at__isnull=False)
    counted = sent.filter(Q(channel=Delivery.Channel.PUSH) | Q(notification__user__email_verified_at__isnull=False))
    return counted.order_by("sent_at").values_list("sent_at", flat=True).first()


def can_be_sent_to(user: int) -> bool:
    """Return whether a user has a confirmed address, or a browser that shows notifications."""
    is_confirmed = User.objects.filter(pk=user, is_active=True, email_verified_at__isnull=False).exists()
    return is_confirmed or PushSubscription.objects.filter(user=user, user__is_active=True).exists()


class Reach(NamedTuple):
    """How far one user was reached by a notification."""

    is_on_site: bool
    emailed_at: datetime | None
    pushed_at: datetime | None
    is_on_its_way: bool


def reach_of(key: str) -> Reach | None:
    """Return how far the user with a notification of this key was reached; None if nobody has one."""
    row = Notification.objects.filter(key=key).prefetch_related("deliveries").first()
    if row is None:
        return None
    deliveries = list(row.deliveries.all())
    sent = {delivery.channel: delivery.sent_at for delivery in deliveries if delivery.sent_at is not None}
    return Reach(
        is_on_site=row.on_site,
        emailed_at=sent.get(Delivery.Channel.EMAIL),
        pushed_at=sent.get(Delivery.Channel.PUSH),
        is_on_its_way=any(delivery.state == Delivery.State.WAITING for delivery in deliveries),
    )
