"""Notifications by web push, one delivery for each browser."""

import json
from datetime import datetime, timedelta
from http import HTTPStatus
from http.client import HTTPException
from urllib.parse import urlsplit

from django.conf import settings

from players.models import Delivery, PushSubscription
from players.notifications.deliveries import claim_push, mark_failed, mark_sent
from players.notifications.kinds import kind_of
from players.notifications.push_services import Connect, Endpoint, Forbidden, connect, endpoint_of
from players.notifications.texts import texts_of, written_for

SIGNATURE_LASTS = timedelta(hours=12)
"""Push services accept at most 24 hours."""
GONE = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
WORTH_REPEATING = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS)


def send_push(*, delivery: int, now: datetime, connect: Connect = connect) -> bool:
    """Send a notification to a browser, if it is due; return whether it was sent.

    A subscription that its push service does not know any more is deleted.
    """
    row = claim_push(delivery=delivery, now=now)
    if row is None:
        return False
    browser = row.subscription
    if browser is None or not settings.VAPID_PRIVATE_KEY:
        mark_failed([row], "no browser" if browser is None else "push is off", now, for_good=True)
        return False
    try:
        endpoint = endpoint_of(browser.endpoint)
        status = _post(endpoint, _headers(row, endpoint, now), _body(row, browser), connect)
    except (Forbidden, ValueError) as error:
        mark_failed([row], str(error), now, for_good=True)
        return False
    except (OSError, HTTPException) as error:
        mark_failed([row], f"{type(error).__name__}: {error}", now)
        return False
    if status >= HTTPStatus.MULTIPLE_CHOICES:
        is_temporary = status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in WORTH_REPEATING
        mark_failed([row], f"the push service answered {status}", now, for_good=not is_temporary)
        if status in GONE:
            PushSubscription.objects.filter(pk=browser.pk).delete()
        return False
    mark_sent([row], now)
    return True


def _post(endpoint: Endpoint, headers: dict[str, str], body: bytes, connect: Connect) -> int:
    """Send a request and return the status of the response. Redirections are not followed."""
    connection = connect(endpoint)
    try:
        connection.request("POST", endpoint.target, body=body, headers=headers)
        return connection.getresponse().status
    finally:
        connection.close()


def _headers(row: Delivery, endpoint: Endpoint, now: datetime) -> dict[str, str]:
    # Loaded only where pushes are sent.
    from players.notifications.encryption import authorization

    kind = kind_of(row.notification.kind)
    lapses_at = row.notification.created_at + kind.lapses_after
    return {
        "Authorization": authorization(
            settings.VAPID_PRIVATE_KEY,
            audience=endpoint.audience,
            subject=subject(),
            expires=int((now + SIGNATURE_LASTS).timestamp()),
        ),
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(max(0, int((lapses_at - now).total_seconds()))),
        "Urgency": "high" if kind.is_urgent else "normal",
    }


def _body(row: Delivery, browser: PushSubscription) -> bytes:
    """Return the encrypted notification; `tag` lets a browser replace it if it should arrive twice."""
    # Loaded only where pushes are sent.
    from players.notifications.encryption import Recipient, encrypt

    with written_for(row.notification.user):
        [text] = texts_of([row.notification])
    shown = {
        "title": text.sentence,
        "body": text.context,
        "url": row.notification.url,
        "tag": f"notification-{row.notification_id}",
    }
    return encrypt(json.dumps(shown).encode(), Recipient(browser.p256dh, browser.auth))


def subject() -> str:
    """Return where the operator of a push service reaches the operator of this site."""
    if settings.VAPID_SUBJECT:
        return str(settings.VAPID_SUBJECT)
    if urlsplit(settings.SITE_URL).scheme == "https":
        return str(settings.SITE_URL)
    return f"mailto:{settings.DEFAULT_FROM_EMAIL.rpartition('<')[2].rstrip('>')}"


def public_key() -> str:
    """Return the key with which browsers subscribe; empty if push is off."""
    if not settings.VAPID_PRIVATE_KEY:
        return ""
    from players.notifications.encryption import public_key_of

    return public_key_of(settings.VAPID_PRIVATE_KEY)
