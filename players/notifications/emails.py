"""Notifications by e-mail, and the links that stop them without signing in."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.db.models import Q
from django.http import Http404
from django.template.loader import render_to_string
from django.urls import reverse

from core.breaker import LeftAlone
from core.mail import has_no_mailbox, is_refusal, send_text
from players.mail import NO_MAILBOX, note_no_mailbox
from players.models import Delivery, User
from players.notifications.deliveries import (
    ClaimLost,
    claim_emails,
    faults_noted,
    hand_over,
    mark_dropped,
    mark_failed,
    mark_sent,
    postpone,
)
from players.notifications.kinds import NotificationKind, NotificationText, kind_of, registered, texts_of, written_for

# Links that stop e-mails of some kinds, without signing in.


TOKEN = r"(?P<unsubscribe_token>\d{1,18}\.[a-z_-]{1,400}\.[\w-]{43})"  # noqa: S105, a pattern for URLs
"""Pattern of the token in a URL: the account, the kinds, and the signature."""
_SIGNER = Signer(salt="players.notifications.emails", sep=".")


def token_of(user: User, kinds: Sequence[str]) -> str:
    """Return the token of a link that stops e-mails of these kinds. It never expires."""
    return _SIGNER.sign(f"{user.pk}.{'-'.join(kinds)}")


def read_token(token: str) -> tuple[User, list[NotificationKind]]:
    """Return the user and the kinds of e-mails that a link stops. Raises Http404 if forged or the user is gone."""
    try:
        pk, _, codes = _SIGNER.unsign(token).partition(".")
    except BadSignature:
        raise Http404 from None
    user = User.objects.filter(pk=pk).first()
    if user is None:
        raise Http404
    kind_codes = codes.split("-")
    return user, [kind for kind in registered() if kind.code in kind_codes]


# Notifications by e-mail. What a user is notified of within a minute is one e-mail.


TEMPLATE = "players/notifications/mail/notifications.txt"


def send_emails(*, user: int, now: datetime) -> int:
    """E-mail a user their due notifications in one message; return their number."""
    deliveries = claim_emails(user=user, now=now)
    if deliveries:
        with faults_noted(deliveries, now):
            return _send_claimed(deliveries, now)
    return 0


def _send_claimed(deliveries: Sequence[Delivery], now: datetime) -> int:
    try:
        is_sent = _send(deliveries, now)
    except LeftAlone as alone:
        postpone(deliveries, Q(channel=Delivery.Channel.EMAIL), alone.wait, now)
        return 0
    except ClaimLost:
        return 0
    except OSError as error:
        reader = deliveries[0].notification.user
        is_gone = has_no_mailbox(error) and note_no_mailbox(address=reader.email, now=now)
        reason = f"{NO_MAILBOX if is_gone else type(error).__name__}: {error}"
        mark_failed(deliveries, reason, now, for_good=is_gone, is_refused=is_refusal(error))
        return 0
    if not is_sent:
        mark_dropped(deliveries)
        return 0
    mark_sent(deliveries, now)
    if (reader := deliveries[0].notification.user).email_bounced_at is not None:
        User.objects.filter(pk=reader.pk, email=reader.email).update(email_bounced_at=None)
    for row in deliveries:
        kind_of(row.notification.kind).after_email(row.notification, now)
    return len(deliveries)


def _send(deliveries: Sequence[Delivery], now: datetime) -> bool:
    """Send one e-mail; return False if there was nothing to say any more."""
    reader = deliveries[0].notification.user
    kinds = sorted({row.notification.kind for row in deliveries})
    unsubscribe = settings.SITE_URL + reverse("unsubscribe", args=[token_of(reader, kinds)])
    notifications = [row.notification for row in deliveries]
    own = kind_of(kinds[0]).own_email
    with written_for(reader, notifications):
        context: dict[str, Any] = {"unsubscribe_url": unsubscribe}
        if own is not None:
            written = own.written(reader, notifications, now)
            if written is None:
                return False
            subject, context["text"] = written
        else:
            texts = _by_event(texts_of(notifications))
            subject = _subject(texts)
            context["items"] = [{"text": text, "url": _link(text)} for text in texts]
        headers = {
            "Message-ID": f"<{deliveries[0].batch}@{urlsplit(settings.SITE_URL).hostname or 'localhost'}>",
            "List-Unsubscribe": f"<{unsubscribe}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        }
        text = render_to_string(TEMPLATE, context)
    to, handing_over = reader.email, partial(hand_over, deliveries)
    send_text(to=to, subject=subject, text=text, headers=headers, handing_over=handing_over)
    return True


def _by_event(texts: Sequence[NotificationText]) -> list[NotificationText]:
    """Return what an e-mail says, event by event, the most urgent event and the most urgent of an event first."""
    by_urgency = sorted(texts, key=_urgency)
    events = list(dict.fromkeys(text.event for text in by_urgency))
    return sorted(by_urgency, key=lambda text: events.index(text.event))


def _urgency(text: NotificationText) -> tuple[bool, bool, int]:
    """What is urgent comes first, and the reader's own matches come before what concerns everybody."""
    row = text.notification
    return not kind_of(row.kind).is_urgent, "match" not in row.params, row.pk


def _subject(texts: Sequence[NotificationText]) -> str:
    """Return the subject of the first of these, which names the others of its sort and event with it."""
    first = texts[0]
    alike = [text for text in texts if _sort(text) == _sort(first)]
    return first.subject_of_several if len(alike) > 1 and first.subject_of_several else first.subject


def _sort(text: NotificationText) -> tuple[str, str, str]:
    row = text.notification
    return row.kind, row.params.get("variant", ""), text.event


def _link(text: NotificationText) -> str:
    row = text.notification
    return settings.SITE_URL + (kind_of(row.kind).email_url(row) or row.url)
