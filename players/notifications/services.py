"""Notifying users, and what they do with their notifications."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from core.live.publishing import touch_on_commit
from core.queue import hint
from players.models import Delivery, Notification, Player, PushSubscription, User
from players.notifications.choices import EMAIL, PUSH, SITE, chosen
from players.notifications.kinds import NotificationKind, kind_of
from players.people.canonical import account_of, players_among

SEND_EMAILS = "players.send_notification_emails"
SEND_PUSH = "players.send_push"
"""Names of the Celery tasks that `hint` publishes: for a user, and for a delivery."""
BATCH = 500
Channel = Delivery.Channel


class Notice(NamedTuple):
    """What one user is notified of."""

    user: int
    params: Mapping[str, Any]
    """Plain JSON values (see Kind)."""
    url: str
    """The path of a page."""
    key: str
    """Names the occasion: a user is notified only once with the same key."""


def notify(
    *, users: Iterable[int], kind: str, params: Mapping[str, Any], url: str, key: str, now: datetime
) -> list[Notification]:
    """Notify users, given by id, of the same thing; return the new notifications (see notify_each)."""
    return notify_each(kind=kind, notices=[Notice(user, params, url, key) for user in set(users)], now=now)


@transaction.atomic(savepoint=False)
def notify_each(*, kind: str, notices: Iterable[Notice], now: datetime) -> list[Notification]:
    """Notify users, each of something of their own, in the ways they have chosen; return the new notifications.

    Call it in the transaction that makes the change. Users who were notified with the same key before, or who are not
    active, are left out. The number of queries does not depend on how many notices there are.
    """
    sort = kind_of(kind)
    planned = {(notice.user, notice.key): notice for notice in notices}
    active = User.objects.filter(pk__in={user for user, _ in planned}, is_active=True).values_list("pk", flat=True)
    wanted = {user: channels for user, channels in chosen(sort, active).items() if channels}
    known = set(_stored(planned).values_list("user_id", "key"))
    new = [notice for pair, notice in planned.items() if notice.user in wanted and pair not in known]
    if not new:
        return []
    rows = Notification.objects.bulk_create(
        [
            Notification(
                user_id=notice.user,
                kind=kind,
                params=dict(notice.params),
                url=notice.url,
                key=notice.key,
                on_site=SITE in wanted[notice.user],
                created_at=now,
            )
            for notice in new
        ],
        # Another transaction may have stored one of them by now; unlike an ignored one, an updated row has its id.
        update_conflicts=True,
        unique_fields=["user", "key"],
        update_fields=["key"],
        batch_size=BATCH,
    )
    _plan_deliveries(sort, rows, wanted, now)
    touch_on_commit(*(topic_of(row.user_id) for row in rows if row.on_site))
    return rows


def _stored(pairs: Iterable[tuple[int, str]]) -> QuerySet[Notification]:
    """Return the notifications of these users with these keys; a few more if several keys are given."""
    users, keys = {user for user, _ in pairs}, {key for _, key in pairs}
    return Notification.objects.filter(user__in=users, key__in=keys)


def accounts_of(players: Iterable[Player]) -> dict[int, int]:
    """Return player id -> id of their account, or of the account of the player they were merged into."""
    accounts = {player.pk: account_of(player) for player in players}
    return {pk: user for pk, user in accounts.items() if user is not None}


def users_of(players: Iterable[int]) -> set[int]:
    """Return the accounts of players, given by id."""
    return set(accounts_of(players_among(players)).values())


def topic_of(user: int) -> str:
    """Return the topic that changes with the notifications of a user."""
    return f"notifications:{user}"


def _plan_deliveries(
    kind: NotificationKind, rows: list[Notification], wanted: Mapping[int, frozenset[str]], now: datetime
) -> None:
    """Create the deliveries of new notifications, and tell the workers of those that are due at once."""
    email_at = now if kind.is_urgent else now + timedelta(seconds=settings.NOTIFICATION_EMAILS_AFTER)
    planned = [
        Delivery(notification=row, channel=Channel.EMAIL, next_at=email_at)
        for row in rows
        if EMAIL in wanted[row.user_id]
    ]
    browsers = defaultdict(list)
    for browser in PushSubscription.objects.filter(user__in={row.user_id for row in rows}):
        browsers[browser.user_id].append(browser)
    planned += [
        Delivery(notification=row, channel=Channel.PUSH, subscription=browser, next_at=now)
        for row in rows
        if PUSH in wanted[row.user_id]
        for browser in browsers[row.user_id]
    ]
    Delivery.objects.bulk_create(planned, ignore_conflicts=True, batch_size=BATCH)
    if all(delivery.next_at > now for delivery in planned):
        return
    due = Delivery.objects.filter(notification__in=rows, next_at__lte=now)
    for pk, channel, user in due.values_list("pk", "channel", "notification__user"):
        task = partial(hint, SEND_PUSH, pk) if channel == Channel.PUSH else partial(hint, SEND_EMAILS, user)
        transaction.on_commit(task, robust=True)


@transaction.atomic
def mark_read(*, user: User, now: datetime, notification: int | None = None) -> int:
    """Mark one notification of a user as read, or all of them; return how many were unread."""
    unread = Notification.objects.filter(user=user, on_site=True, read_at=None)
    count = (unread if notification is None else unread.filter(pk=notification)).update(read_at=now)
    if count:
        touch_on_commit(topic_of(user.pk))
    return count


@transaction.atomic
def mark_unread(*, user: User, notification: int) -> bool:
    """Mark a notification of a user as unread again; return whether it was read."""
    read = Notification.objects.filter(user=user, on_site=True, pk=notification, read_at__isnull=False)
    changed = read.update(read_at=None) > 0
    if changed:
        touch_on_commit(topic_of(user.pk))
    return changed
