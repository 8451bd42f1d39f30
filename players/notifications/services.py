"""Notifying users, what they have chosen, and what they see of their notifications."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest

from core.live.publishing import last_touch, touch_on_commit
from core.locks import lock_row
from core.queue import hint
from players.models import Delivery, Notification, NotificationChoice, PushSubscription, User
from players.notifications.kinds import NotificationKind, NotificationText, kind_of, registered, texts_of
from players.people.rows import accounts_of, players_among

# What each user has chosen: by kind, on the site, by e-mail, by push, or not at all.


SITE, EMAIL, PUSH = CHANNELS = ("site", "email", "push")
"""The ways in which a notification reaches its reader."""


def chosen(kind: NotificationKind, users: Collection[int]) -> dict[int, frozenset[str]]:
    """Return the channels that each of these users wants for a kind."""
    if not kind.is_chosen:
        return dict.fromkeys(users, kind.default)
    rows = NotificationChoice.objects.filter(kind=kind.code, user__in=users)
    choices = {row.user_id: _channels(row) for row in rows}
    return {user: choices.get(user, kind.default) for user in users}


def choices_of(user: User) -> dict[str, frozenset[str]]:
    """Return the channels that a user wants for every kind that has a choice."""
    choices = {row.kind: _channels(row) for row in NotificationChoice.objects.filter(user=user)}
    return {kind.code: choices.get(kind.code, kind.default) for kind in registered() if kind.is_chosen}


def _channels(choice: NotificationChoice) -> frozenset[str]:
    return frozenset(channel for channel in CHANNELS if getattr(choice, channel))


@transaction.atomic
def save_choices(*, user: User, wanted: Mapping[str, Collection[str]]) -> None:
    """Save the channels that a user wants, by kind; kinds left out stay as they are."""
    lock_row(User, user.pk)
    for code, channels in wanted.items():
        values = {channel: channel in channels for channel in CHANNELS}
        NotificationChoice.objects.update_or_create(user=user, kind=code, defaults=values)


@transaction.atomic
def change_emails(*, user: User, kinds: Collection[str], wanted: bool) -> None:
    """Send a user e-mails of these kinds, or none any more; the other channels stay as they are."""
    lock_row(User, user.pk)
    current = choices_of(user)
    changed = {
        code: current[code] | {EMAIL} if wanted else current[code] - {EMAIL} for code in kinds if code in current
    }
    save_choices(user=user, wanted=changed)


# The notifications of a user, and what could not be delivered.


SHOWN = 50
FAILURES_FOR = timedelta(days=30)
MAX_FAILURES = 10
MAX_CALLS = 5
"""How many of the latest calls are looked at."""


def notifications_of(user: User) -> list[NotificationText]:
    """Return the latest notifications of a user, newest first."""
    rows = Notification.objects.filter(user=user, on_site=True)
    return texts_of(list(rows[:SHOWN]))


def unread_count(user: User) -> int:
    """Return how many notifications a user has not read."""
    return Notification.objects.filter(user=user, on_site=True, read_at=None).count()


def unread_and_call(user: User) -> tuple[int, NotificationText | None]:
    """Return how many notifications a user has not read, and the latest of them that still calls them to a page."""
    unread = Notification.objects.filter(user=user, on_site=True, read_at=None)
    rows = list(unread.order_by("-created_at", "-pk").values_list("pk", "kind"))
    calls = [pk for pk, kind in rows if kind_of(kind).is_call][:MAX_CALLS]
    for row in unread.filter(pk__in=calls).order_by("-created_at", "-pk") if calls else ():
        if kind_of(row.kind).is_current(row.params):
            return len(rows), texts_of([row])[0]
    return len(rows), None


def failures_of(user: User, now: datetime) -> list[tuple[NotificationText, Delivery]]:
    """Return the latest notifications of a user whose delivery was given up, with that delivery, newest first."""
    rows = Delivery.objects.filter(
        notification__user=user, state=Delivery.State.GIVEN_UP, given_up_at__gte=now - FAILURES_FOR
    )
    deliveries = list(rows.select_related("notification").order_by("-given_up_at")[:MAX_FAILURES])
    texts = texts_of([row.notification for row in deliveries])
    return list(zip(texts, deliveries, strict=True))


def delivered_at(user: int, key: str) -> datetime | None:
    """Return when the notification of this key was first sent to a confirmed address or a browser of a user."""
    sent_deliveries = Delivery.objects.filter(notification__user=user, notification__key=key, sent_at__isnull=False)
    reached = sent_deliveries.filter(
        Q(channel=Delivery.Channel.PUSH) | Q(notification__user__email_verified_at__isnull=False)
    )
    return reached.order_by("sent_at").values_list("sent_at", flat=True).first()


def can_be_sent_to(user: int) -> bool:
    """Return whether a user has a confirmed address with a mailbox, or a browser that shows notifications."""
    rows = User.objects.filter(pk=user, is_active=True, email_verified_at__isnull=False, email_stopped_at=None)
    is_confirmed = rows.exists()
    return is_confirmed or PushSubscription.objects.filter(user=user, user__is_active=True).exists()


def browsers_of(users: Collection[int], now: datetime) -> QuerySet[PushSubscription]:
    is_shown = Q(unbound_since=None) | Q(unbound_since__gt=now - PushSubscription.UNBOUND_FOR)
    return PushSubscription.objects.filter(is_shown, user__in=users)


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
    sent_at = {delivery.channel: delivery.sent_at for delivery in deliveries if delivery.sent_at is not None}
    return Reach(
        is_on_site=row.on_site,
        emailed_at=sent_at.get(Delivery.Channel.EMAIL),
        pushed_at=sent_at.get(Delivery.Channel.PUSH),
        is_on_its_way=any(delivery.state == Delivery.State.WAITING for delivery in deliveries),
    )


# Notifying users, and what they do with their notifications.


SEND_EMAILS = "players.send_notification_emails"
SEND_PUSH = "players.send_push"
"""Names of the Celery tasks that `hint` publishes: for a user, and for a delivery."""
BATCH = 500
Channel = Delivery.Channel


class Notice(NamedTuple):
    user: int
    params: Mapping[str, Any]
    """Plain JSON values (see Kind)."""
    url: str
    """The path of a page."""
    key: str
    """Names the occasion: a user is notified only once with the same key."""


def notify(
    *,
    users: Iterable[int],
    kind: str,
    params: Mapping[str, Any],
    url: str,
    key: str,
    now: datetime,
    not_before: datetime | None = None,
) -> list[Notification]:
    """Notify users, given by id, of the same thing; return the new notifications (see notify_each)."""
    notices = [Notice(user, params, url, key) for user in set(users)]
    return notify_each(kind=kind, notices=notices, now=now, not_before=not_before)


@transaction.atomic(savepoint=False)
def notify_each(
    *, kind: str, notices: Iterable[Notice], now: datetime, not_before: datetime | None = None
) -> list[Notification]:
    """Notify users, each of something of their own, in the ways they have chosen; return the new notifications.

    E-mails and pushes are sent no earlier than `not_before`; what is not current any more by then is not sent at all.

    Call it in the transaction that makes the change. Users who were notified with the same key before, or who are not
    active, are left out. The number of queries does not depend on how many notices there are.
    """
    notification_kind = kind_of(kind)
    planned = {(notice.user, notice.key): notice for notice in notices}
    if not planned:
        return []
    active = User.objects.filter(pk__in={user for user, _ in planned}, is_active=True).values_list("pk", flat=True)
    channels_by_user = {user: channels for user, channels in chosen(notification_kind, active).items() if channels}
    notified = set(_stored(planned).values_list("user_id", "key"))
    new = [notice for pair, notice in planned.items() if notice.user in channels_by_user and pair not in notified]
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
                on_site=SITE in channels_by_user[notice.user],
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
    _plan_deliveries(notification_kind, rows, channels_by_user, now, max(now, not_before or now))
    touch_on_commit(*(topic_of(row.user_id) for row in rows if row.on_site))
    return rows


def _stored(pairs: Iterable[tuple[int, str]]) -> QuerySet[Notification]:
    """Return the notifications of these users with these keys; a few more if several keys are given."""
    users, keys = {user for user, _ in pairs}, {key for _, key in pairs}
    return Notification.objects.filter(user__in=users, key__in=keys)


def users_of(players: Iterable[int]) -> set[int]:
    """Return the accounts of players, given by id; of pairs, those of both people."""
    return {user for accounts in accounts_of(players_among(players)).values() for user in accounts}


def forget_notifications(*, user: int, since: datetime, about: Collection[str]) -> None:
    """Delete the notifications of a user since a time whose page, key or parameters have one of these public ids."""
    rows = Notification.objects.filter(user=user, created_at__gte=since)
    ids = [
        pk
        for pk, url, key, params in rows.values_list("pk", "url", "key", "params")
        if not {*url.split("/"), key, *map(str, params.values())}.isdisjoint(about)
    ]
    Notification.objects.filter(pk__in=ids).delete()
    touch_on_commit(topic_of(user))


def topic_of(user: int) -> str:
    """Return the topic that changes with the notifications of a user."""
    return f"notifications:{user}"


def _plan_deliveries(
    kind: NotificationKind,
    rows: list[Notification],
    channels_by_user: Mapping[int, frozenset[str]],
    now: datetime,
    earliest: datetime,
) -> None:
    """Create the deliveries of new notifications, and tell the workers of those that are due at once."""
    usual = now if kind.is_urgent else now + timedelta(seconds=settings.NOTIFICATION_EMAILS_AFTER)
    email_at = max(usual, earliest)
    planned = [
        Delivery(notification=row, channel=Channel.EMAIL, next_at=email_at)
        for row in rows
        if EMAIL in channels_by_user[row.user_id]
    ]
    browsers = defaultdict(list)
    for browser in browsers_of({row.user_id for row in rows}, now):
        browsers[browser.user_id].append(browser)
    planned += [
        Delivery(notification=row, channel=Channel.PUSH, subscription=browser, next_at=earliest)
        for row in rows
        if PUSH in channels_by_user[row.user_id]
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


# The topic of the event stream by which pages follow a user's notifications.


def notifications_number(request: HttpRequest, name: str) -> int:
    """Return when the notifications of an account changed last, for its owner alone; raise Http404 for others."""
    user = request.user
    if not user.is_authenticated or name != str(user.pk):
        raise Http404
    return last_touch(topic_of(user.pk))
