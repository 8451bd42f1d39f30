"""Web push: the browsers of a user, encryption, and sending through push services."""

import base64
import ipaddress
import json
import os
import socket
import ssl
from collections.abc import Callable
from datetime import datetime, timedelta
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import NamedTuple
from urllib.parse import urlsplit

from cryptography.hazmat.primitives import hashes, hmac
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.db import transaction
from django.db.models import Q

from core import breaker
from core.conversations import Conversation
from core.locks import lock_row
from core.public_ids import new_public_id
from engine.errors import Refused
from players.models import Delivery, PushSubscription, User
from players.notifications.deliveries import (
    ClaimLost,
    claim_push,
    faults_noted,
    hand_over,
    mark_failed,
    mark_sent,
    postpone,
)
from players.notifications.kinds import kind_of, texts_of, written_for

# Encrypting web pushes (RFC 8291, aes128gcm of RFC 8188), and signing them for the push service (VAPID, RFC 8292).


CURVE = ec.SECP256R1()
RECORD_SIZE = 4096
MAX_PAYLOAD = 3993
"""In bytes; what push services have to accept (RFC 8030 §7.2), less the header, the padding and the tag."""
SALT_BYTES, KEY_BYTES, NONCE_BYTES, NUMBER_BYTES = 16, 16, 12, 32
LAST_RECORD = b"\x02"


def encrypt(
    payload: bytes,
    *,
    p256dh: str,
    auth: str,
    salt: bytes | None = None,
    key: ec.EllipticCurvePrivateKey | None = None,
) -> bytes:
    """Return the body of a push for a browser with these keys, as base64url. Raises ValueError for malformed keys.

    Salt and key are random unless given.
    """
    if len(payload) > MAX_PAYLOAD:
        raise ValueError("the payload is too long for a push")
    salt, own = salt or os.urandom(SALT_BYTES), key or ec.generate_private_key(CURVE)
    theirs = from_base64(p256dh)
    shared = own.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(CURVE, theirs))
    ours = _encoded(own.public_key())
    keying = _expand(_mac(from_base64(auth), shared), b"WebPush: info\0" + theirs + ours, NUMBER_BYTES)
    pseudo_random = _mac(salt, keying)
    content_key = _expand(pseudo_random, b"Content-Encoding: aes128gcm\0", KEY_BYTES)
    nonce = _expand(pseudo_random, b"Content-Encoding: nonce\0", NONCE_BYTES)
    header = salt + RECORD_SIZE.to_bytes(4, "big") + bytes([len(ours)]) + ours
    return header + AESGCM(content_key).encrypt(nonce, payload + LAST_RECORD, None)


def authorization(private_key: str, *, audience: str, subject: str, expires: int) -> str:
    """Return the Authorization header of a push to a service; `expires` in seconds since the epoch."""
    key = private_key_of(private_key)
    claims = {"aud": audience, "exp": expires, "sub": subject}
    signed = ".".join(
        to_base64(json.dumps(part, separators=(",", ":")).encode()) for part in ({"typ": "JWT", "alg": "ES256"}, claims)
    )
    r, s = utils.decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
    signature = r.to_bytes(NUMBER_BYTES, "big") + s.to_bytes(NUMBER_BYTES, "big")
    return f"vapid t={signed}.{to_base64(signature)}, k={public_key_of(private_key)}"


def private_key_of(text: str) -> ec.EllipticCurvePrivateKey:
    """Return the private key that is written as base64url."""
    return ec.derive_private_key(int.from_bytes(from_base64(text), "big"), CURVE)


def public_key_of(private_key: str) -> str:
    """Return the public key as base64url, as browsers expect it."""
    return to_base64(_encoded(private_key_of(private_key).public_key()))


def from_base64(text: str) -> bytes:
    """Decode base64url with or without padding. Raises ValueError."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def to_base64(data: bytes) -> str:
    """Encode as base64url without padding."""
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _encoded(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def _mac(key: bytes, data: bytes) -> bytes:
    mac = hmac.HMAC(key, hashes.SHA256())
    mac.update(data)
    return mac.finalize()


def _expand(key: bytes, info: bytes, length: int) -> bytes:
    return HKDFExpand(hashes.SHA256(), length, info).derive(key)


# Connections to push services: over HTTPS, to public addresses only, since a browser names any URL it likes.


HTTPS_PORT = 443
PATIENCE = 10.0
"""Seconds until a push service that does not answer is given up."""


class Forbidden(Exception):
    """The endpoint is not one that this site sends to."""


class PushEndpoint(NamedTuple):
    """The URL of a subscription, taken apart."""

    host: str
    port: int
    target: str
    """Path and query."""

    @property
    def audience(self) -> str:
        """The origin of the push service."""
        return f"https://{self.host}" + (f":{self.port}" if self.port != HTTPS_PORT else "")


Connect = Callable[[PushEndpoint], HTTPConnection]


def endpoint_of(url: str) -> PushEndpoint:
    """Take the URL of a subscription apart. Raises Forbidden unless it is an https URL of a named host."""
    try:
        parts = urlsplit(url)
        port = parts.port or HTTPS_PORT
    except ValueError:
        raise Forbidden("not a URL") from None
    if parts.scheme != "https" or not parts.hostname or parts.username is not None or not url.isascii():
        raise Forbidden("not an https URL of a host")
    if any(character.isspace() or character < " " for character in url):
        raise Forbidden("not a URL")
    try:
        ipaddress.ip_address(parts.hostname)
    except ValueError:
        return PushEndpoint(parts.hostname, port, (parts.path or "/") + (f"?{parts.query}" if parts.query else ""))
    raise Forbidden("an address instead of a name")


def connect(endpoint: PushEndpoint) -> HTTPConnection:
    """Return a connection to a push service. Its name is resolved once, and only public addresses are used.

    Raises Forbidden if there is none, and OSError if it cannot be reached.
    """
    addresses = socket.getaddrinfo(endpoint.host, endpoint.port, type=socket.SOCK_STREAM)
    public = [str(row[4][0]) for row in addresses if ipaddress.ip_address(row[4][0]).is_global]
    if not public:
        raise Forbidden("no public address")
    return _Pinned(endpoint.host, public[0], endpoint.port)


class _Pinned(HTTPSConnection):
    """A connection to one address of a host, so that the name cannot lead elsewhere once it was checked."""

    def __init__(self, host: str, address: str, port: int) -> None:
        super().__init__(host, port, timeout=PATIENCE)
        self._address = address
        self._tls = ssl.create_default_context()

    def connect(self) -> None:
        """Connect to the address; the certificate is checked for the host."""
        raw = socket.create_connection((self._address, self.port), PATIENCE)
        self.sock = self._tls.wrap_socket(raw, server_hostname=self.host)


# The browsers in which a user sees notifications.


MAX_BROWSERS = 20
BROWSERS = (("Edg", "Edge"), ("OPR", "Opera"), ("Firefox", "Firefox"), ("Chrome", "Chrome"), ("Safari", "Safari"))
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("Linux", "Linux"),
)


SESSION = "push_session"
"""The session key of an id by which a session is known to its browser: Django changes the key of a session."""


def session_id(session: SessionBase) -> str:
    """Return the id of a session, which stays when its key changes; a session without one is given one."""
    return str(session.setdefault(SESSION, new_public_id()))


@transaction.atomic
def subscribe(
    *, user: User, endpoint: str, p256dh: str, auth: str, device: str, session: str, now: datetime
) -> PushSubscription:
    """Show a user's notifications in a browser, which belongs to whoever subscribed in it last, until a session ends.

    The browser sends its endpoint and its two keys. Refused: `push_endpoint`, `too_many_browsers`.
    """
    try:
        endpoint_of(endpoint)
    except Forbidden:
        raise Refused("push_endpoint") from None
    lock_row(User, user.pk)
    others = PushSubscription.objects.filter(user=user).exclude(endpoint=endpoint)
    if others.count() >= MAX_BROWSERS:
        raise Refused("too_many_browsers", most=MAX_BROWSERS)
    # What waits for the browser's former user must not be shown to this one.
    PushSubscription.objects.filter(endpoint=endpoint).exclude(user=user).delete()
    row, _ = PushSubscription.objects.update_or_create(
        endpoint=endpoint,
        defaults={
            "user": user,
            "p256dh": p256dh,
            "auth": auth,
            "device": device,
            "session": session,
            "unbound_since": None,
            "created_at": now,
        },
    )
    return row


@transaction.atomic
def bind(*, user: User, endpoint: str, session: str) -> None:
    """Note in which session a browser is, by its endpoint.

    Notifications of another account end there: whoever is signed in now must not see them.
    """
    browser = PushSubscription.objects.filter(endpoint=endpoint)
    browser.exclude(user=user).delete()
    browser.filter(user=user).update(session=session, unbound_since=None)


def forget_sessions(*, now: datetime) -> None:
    """Note that the sessions of all browsers are lost: they are bound at the next visit, or lapse."""
    PushSubscription.objects.exclude(session="").update(session="", unbound_since=now)


def end_session(session: str | None) -> None:
    """Stop showing notifications in the browser of a session that ends; harmless for one without an id."""
    if session:
        PushSubscription.objects.filter(session=session).delete()


def end_other_sessions(*, user: User, current: SessionBase | None) -> None:
    """Stop showing a user's notifications in every browser but that of the current session."""
    kept = current.get(SESSION) if current is not None else None
    browsers = PushSubscription.objects.filter(user=user)
    (browsers.exclude(session=kept) if kept else browsers).delete()


def unsubscribe(*, user: User, subscription: int) -> None:
    """Stop showing a user's notifications in a browser; harmless if it is not one of theirs."""
    PushSubscription.objects.filter(user=user, pk=subscription).delete()


def device_of(user_agent: str) -> str:
    """Return the browser and the system that a User-Agent header names; empty if neither is known.

    >>> device_of("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
    'Firefox · Linux'
    """
    names = (next((name for mark, name in table if mark in user_agent), "") for table in (BROWSERS, SYSTEMS))
    return " · ".join(filter(None, names))


# Notifications by web push, one delivery for each browser.


SIGNATURE_LASTS = timedelta(hours=12)
"""Push services accept at most 24 hours."""
GONE = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
WORTH_REPEATING = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS)


def send_push(*, delivery: int, now: datetime, connect: Connect = connect) -> bool:
    """Send a notification to a browser, if it is due; return whether it was sent.

    A subscription that its push service does not know any more is deleted.
    """
    row = claim_push(delivery=delivery, now=now)
    if row is not None:
        with faults_noted([row], now):
            return _send_claimed(row, now, connect)
    return False


def _send_claimed(row: Delivery, now: datetime, connect: Connect) -> bool:
    browser = row.subscription
    if browser is None or browser.has_lapsed(now) or not settings.VAPID_PRIVATE_KEY:
        mark_failed([row], "push is off" if not settings.VAPID_PRIVATE_KEY else "no browser", now, for_good=True)
        return False
    account = f"push to {row.notification.user_id}"
    try:
        endpoint = endpoint_of(browser.endpoint)
        service = f"push {endpoint.host}:{endpoint.port}"
        began = breaker.check(account), breaker.check(service)
    except Forbidden as error:
        mark_failed([row], str(error), now, for_good=True)
        return False
    except breaker.LeftAlone as alone:
        same_account = Q(channel=Delivery.Channel.PUSH, notification__user=row.notification.user_id)
        postpone([row], same_account if alone.name == account else Q(subscription=browser), alone.wait, now)
        return False
    try:
        status = _post(row, endpoint, _headers(row, endpoint, now), _body(row, browser), connect)
    except ClaimLost:
        return False
    except (Forbidden, ValueError) as error:
        mark_failed([row], str(error), now, for_good=True)
        return False
    except (OSError, HTTPException) as error:
        # An account's browsers name the hosts themselves, as many as they like, so silent ones count for it, too.
        breaker.failed(account, began[0])
        breaker.failed(service, began[1])
        mark_failed([row], f"{type(error).__name__}: {error}", now)
        return False
    breaker.succeeded(service)
    breaker.succeeded(account)
    if status >= HTTPStatus.MULTIPLE_CHOICES:
        is_temporary = status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in WORTH_REPEATING
        reason = f"the push service answered {status}"
        mark_failed([row], reason, now, for_good=not is_temporary, is_refused=True)
        if status in GONE:
            PushSubscription.objects.filter(pk=browser.pk).delete()
        return False
    mark_sent([row], now)
    return True


def _post(row: Delivery, endpoint: PushEndpoint, headers: dict[str, str], body: bytes, connect: Connect) -> int:
    """Send a request and return the status of the response. Redirections are not followed."""
    connection: HTTPConnection | None = None
    conversation = Conversation(lambda: getattr(connection, "sock", None))
    try:
        connection = connect(endpoint)
        connection.connect()
        conversation.check()
        hand_over([row])
        connection.request("POST", endpoint.target, body=body, headers=headers)
        return connection.getresponse().status
    finally:
        conversation.end()
        if connection is not None:
            connection.close()


def _headers(row: Delivery, endpoint: PushEndpoint, now: datetime) -> dict[str, str]:
    # Loaded only where pushes are sent.

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

    with written_for(row.notification.user, [row.notification]):
        [text] = texts_of([row.notification])
    shown = {
        "title": text.sentence,
        "body": text.context,
        "url": row.notification.url,
        "tag": f"notification-{row.notification_id}",
    }
    return encrypt(json.dumps(shown).encode(), p256dh=browser.p256dh, auth=browser.auth)


def subject() -> str:
    """Return how operators of push services reach the operator of this site."""
    if settings.VAPID_SUBJECT:
        return str(settings.VAPID_SUBJECT)
    if urlsplit(settings.SITE_URL).scheme == "https":
        return str(settings.SITE_URL)
    return f"mailto:{settings.DEFAULT_FROM_EMAIL.rpartition('<')[2].rstrip('>')}"


def public_key() -> str:
    """Return the key that browsers subscribe with; empty if push is off."""
    if not settings.VAPID_PRIVATE_KEY:
        return ""

    return public_key_of(settings.VAPID_PRIVATE_KEY)
