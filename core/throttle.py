"""Limits on how often one client or one account may try something. Without a cache there are no limits."""

import hashlib
import ipaddress
import math
from typing import NamedTuple, cast

from django.core.cache import cache
from django.http import HttpRequest
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from engine.errors import Refused

IPV6_CUSTOMER_PREFIX = 64
"""Bits of the smallest IPv6 network that a provider gives to one customer."""
MINUTE, HOUR = 60, 3600


class Limit(NamedTuple):
    """At most so many attempts in a window of so many seconds, which opens with the first attempt."""

    scope: str
    most: int
    window: int


# Everybody at a venue shares one IP address, so limits by IP address must leave room for a whole club night.
SIGN_IN_FROM = Limit("sign-in-from", 60, 15 * MINUTE)
SIGN_IN_AS = Limit("sign-in-as", 10, 15 * MINUTE)
RESET_FROM = Limit("reset-from", 30, HOUR)
RESET_FOR = Limit("reset-for", 5, HOUR)
SIGN_UP_FROM = Limit("sign-up-from", 100, HOUR)
INVITE_BY = Limit("invite-by", 200, HOUR)
DOWNLOADS_BY = Limit("downloads-by", 120, HOUR)
LIVE_ACTIONS_OF = Limit("live-actions-of", 300, MINUTE)
LIVE_PINGS_OF = Limit("live-pings-of", 120, MINUTE)
PASSWORD_OF = Limit("password-of", 10, 15 * MINUTE)


def count(limit: Limit, ident: str) -> None:
    """Count one attempt. Refused: `too_many_attempts`, with the minutes to wait."""
    key = _key(limit, ident)
    now = timezone.now().timestamp()
    if cache.add(key, 1, limit.window):
        cache.set(f"{key}:ends", now + limit.window, limit.window)
        return
    try:
        attempts = cache.incr(key)
    except ValueError:
        # The window ended between the two calls; this is the first attempt of a new one.
        return
    if attempts > limit.most:
        left = cache.get(f"{key}:ends", now + limit.window) - now
        raise Refused("too_many_attempts", minutes=max(1, math.ceil(left / MINUTE)))


def reset(limit: Limit, ident: str) -> None:
    """Forget the attempts counted so far."""
    cache.delete(_key(limit, ident))


def _key(limit: Limit, ident: str) -> str:
    # Hashed, since `ident` may be typed by anybody and of any length.
    digest = hashlib.sha256(ident.casefold().encode("utf-8", "replace")).hexdigest()[:32]
    return f"attempts:{limit.scope}:{digest}"


def client_network(request: HttpRequest | Request) -> str:
    """Return the IP address of a request; for IPv6 the network that belongs to one customer."""
    # get_ident reads only META, which both kinds of request have.
    text = BaseThrottle().get_ident(cast(Request, request)) or ""
    try:
        parsed = ipaddress.ip_address(text)
    except ValueError:
        return text
    if parsed.version == 4:
        return text
    return str(ipaddress.ip_network((parsed, IPV6_CUSTOMER_PREFIX), strict=False).network_address)


def count_sign_in(request: HttpRequest | Request, email: str) -> None:
    """Count an attempt to sign in, by IP address and by account. Refused: `too_many_attempts`."""
    count(SIGN_IN_FROM, client_network(request))
    count(SIGN_IN_AS, email.strip())


def reset_sign_in(email: str) -> None:
    """Forget the failed attempts at an account, once somebody has signed in to it."""
    reset(SIGN_IN_AS, email.strip())


def count_password_reset(request: HttpRequest | Request, email: str) -> None:
    """Count a request for a password e-mail, whether the account exists or not. Refused: `too_many_attempts`."""
    count(RESET_FROM, client_network(request))
    count(RESET_FOR, email.strip())
