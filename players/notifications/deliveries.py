"""Deliveries are claimed, sent outside any transaction, and then marked as sent, or tried again later.

A delivery that was marked as sent is never sent again. If a worker dies between handing over and marking, the delivery
is sent again once the claim has expired; its Message-ID or tag is the same, so that programs recognise the repetition.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any

import structlog
from django.db import DatabaseError, transaction
from django.db.models import F, Q, QuerySet

from core.locks import for_update
from core.public_ids import new_public_id
from core.queue import claim_lasts, hint
from players.models import Delivery
from players.notifications.kinds import kind_of
from players.notifications.services import SEND_EMAILS, SEND_PUSH

log = structlog.get_logger(__name__)

WAITS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 240))
"""How long to wait after each failed attempt; after the attempt that follows the last wait it is given up."""
SWEEP_AT_ONCE = 200
PUSHES_AT_ONCE = 3
"""Browsers of one account that pushes are sent to at the same time, so that silent ones keep few threads waiting."""
Channel, State, Handover = Delivery.Channel, Delivery.State, Delivery.Handover
NOT_RECEIVED = ~Q(state=State.SENT) & ~Q(handover=Handover.BEGUN)
"""What certainly nobody has received."""


class ClaimLost(Exception):
    """What a worker was about to hand over was withdrawn meanwhile, or is claimed by another one."""


def _unclaimed(now: datetime) -> QuerySet[Delivery]:
    claim = Q(claimed_at=None) | Q(claimed_at__lte=now - claim_lasts())
    return Delivery.objects.filter(claim, state=State.WAITING)


def claim_emails(*, user: int, now: datetime) -> list[Delivery]:
    """Claim what is to be sent to a user in one e-mail; empty if nothing is due.

    An e-mail that failed, or whose worker died, is repeated as it was. Otherwise what waits for the same minute goes
    along with what is due. Kinds that write an e-mail of their own share it with no others.
    """
    waiting = _unclaimed(now).filter(channel=Channel.EMAIL, notification__user=user)
    # Messages may come more than once; only those for which there is something to do keep other writers waiting.
    if not waiting.filter(next_at__lte=now).exists():
        return []
    with transaction.atomic():
        rows = list(for_update(waiting.select_related("notification__user"), skip_locked=True).order_by("pk"))
        due = [row for row in rows if row.next_at <= now and not _is_put_off(row, now)]
        if not due:
            return []
        first = next((row for row in due if row.batch), due[0])
        own = kind_of(first.notification.kind).own_email
        alike = [row for row in rows if row.batch == first.batch and kind_of(row.notification.kind).own_email is own]
        return _claim(alike, first.batch or new_public_id(), now)


def _is_put_off(row: Delivery, now: datetime) -> bool:
    """Put a locked delivery off until its kind may be sent to its reader; return whether that is later than now."""
    notification = row.notification
    own = kind_of(notification.kind).own_email
    at = now if own is None else own.not_before(notification.user, notification.params, now)
    if at <= now:
        return False
    row.next_at = at
    row.save(update_fields=["next_at"])
    return True


def claim_push(*, delivery: int, now: datetime) -> Delivery | None:
    """Claim one push, if it is due and not too many others are being sent to its account; the sweep asks again."""
    rows = _unclaimed(now).filter(pk=delivery, channel=Channel.PUSH, next_at__lte=now)
    being_sent = Delivery.objects.filter(
        notification__user__in=rows.values("notification__user"),
        channel=Channel.PUSH,
        state=State.WAITING,
        claimed_at__gt=now - claim_lasts(),
    )
    if not rows.exists() or being_sent.count() >= PUSHES_AT_ONCE:
        return None
    with transaction.atomic():
        related = rows.select_related("notification__user", "subscription")
        locked = list(for_update(related, skip_locked=True))
        return next(iter(_claim(locked, "", now)), None)


def _claim(rows: list[Delivery], batch: str, now: datetime) -> list[Delivery]:
    """Mark locked rows as claimed, and drop those that are no longer worth sending."""
    claimed = []
    for row in rows:
        kind = kind_of(row.notification.kind)
        row.claimed_at, row.batch = now, batch
        if row.notification.created_at + kind.lapses_after <= now:
            row.state, row.given_up_at, row.reason = State.GIVEN_UP, now, row.reason or "too late"
        elif not _may_receive(row) or not kind.is_current(row.notification.params):
            row.state = State.DROPPED
        else:
            row.attempts += 1
            claimed.append(row)
        row.save(update_fields=["claimed_at", "batch", "state", "given_up_at", "reason", "attempts"])
    return claimed


def _may_receive(row: Delivery) -> bool:
    """Whether the account is active and, for an e-mail, has confirmed its address, which has a mailbox."""
    user = row.notification.user
    takes_emails = user.email_verified_at is not None and user.email_stopped_at is None
    return user.is_active and (row.channel != Channel.EMAIL or takes_emails)


@transaction.atomic
def hand_over(rows: Sequence[Delivery]) -> None:
    """Note that claimed deliveries may be received from now on. Raises ClaimLost if one is not claimed so any more."""
    claimed = Delivery.objects.filter(
        pk__in=[row.pk for row in rows], state=State.WAITING, claimed_at=rows[0].claimed_at
    )
    # In the order of other locks.
    locked = [row.pk for row in for_update(claimed).order_by("pk")]
    if len(locked) < len(rows):
        raise ClaimLost
    Delivery.objects.filter(pk__in=locked).update(handover=Handover.BEGUN)


def mark_sent(rows: Iterable[Delivery], now: datetime) -> None:
    Delivery.objects.filter(pk__in=[row.pk for row in rows]).update(state=State.SENT, sent_at=now, reason="")


def mark_dropped(rows: Iterable[Delivery]) -> None:
    Delivery.objects.filter(pk__in=[row.pk for row in rows]).update(state=State.DROPPED)


def mark_failed(
    rows: Iterable[Delivery], reason: str, now: datetime, *, for_good: bool = False, is_refused: bool = False
) -> None:
    """Try claimed deliveries again later; give them up after the last attempt, or if they can never succeed.

    What was refused was not received by this attempt; an earlier one may have been.
    """
    for row in rows:
        values: dict[str, Any] = {"reason": reason[: Delivery.MAX_REASON_LENGTH], "claimed_at": None}
        if is_refused and row.handover != Handover.BEGUN:
            values["handover"] = Handover.REFUSED
        if for_good or row.attempts > len(WAITS):
            values |= {"state": State.GIVEN_UP, "given_up_at": now}
            log.warning("delivery_given_up", delivery=row.pk, channel=row.channel, reason=values["reason"])
        else:
            values["next_at"] = now + WAITS[row.attempts - 1]
        # It may have been withdrawn meanwhile.
        Delivery.objects.filter(pk=row.pk, claimed_at=row.claimed_at).update(**values)


@contextmanager
def faults_noted(rows: Sequence[Delivery], now: datetime) -> Iterator[None]:
    """Treat it like any failure if claimed deliveries cannot be written, by whatever app writes them.

    What was to go along with the first goes by itself from now on, unless it is repeated under its Message-ID.
    """
    try:
        yield
    except DatabaseError:
        raise
    except Exception as error:
        log.exception("delivery_broken", deliveries=[row.pk for row in rows])
        mark_failed(rows, f"{type(error).__name__}: {error}", now)
        for row in rows[1:]:
            Delivery.objects.filter(pk=row.pk).exclude(handover=Handover.BEGUN).update(batch=new_public_id())


def postpone(rows: Sequence[Delivery], like: Q, wait: timedelta, now: datetime) -> None:
    """Put claimed deliveries off, with all that are like them, since nothing was tried; it counts as no attempt."""
    own = Delivery.objects.filter(pk__in=[row.pk for row in rows])
    own.update(attempts=F("attempts") - 1, claimed_at=None, next_at=now + wait)
    _unclaimed(now).filter(like, next_at__lt=now + wait).update(next_at=now + wait)


def send_again(*, now: datetime) -> int:
    """Publish the tasks of the deliveries that are due and that no worker has claimed; return how many."""
    due = _unclaimed(now).filter(next_at__lte=now).order_by("channel", "notification__user_id", "pk")
    rows = list(due.values_list("channel", "notification__user", "pk")[:SWEEP_AT_ONCE])
    published = 0
    for (channel, user), group in groupby(rows, key=lambda row: row[:2]):
        # One e-mail takes everything that is due for its recipient.
        tasks = [(SEND_EMAILS, user)] if channel == Channel.EMAIL else [(SEND_PUSH, pk) for *_, pk in group]
        for task, argument in tasks:
            hint(task, argument)
        published += len(tasks)
    return published
