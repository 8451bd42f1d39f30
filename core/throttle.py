"""How often one address, or one account, may try something. Without a cache nobody is counted, and all may."""

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

IPV6_HOME = 64
"""An IPv6 customer has at least this network to himself."""
MINUTE, HOUR = 60, 3600


class Limit(NamedTuple):
    """So many attempts in the seconds of a window, which opens with the first."""

    scope: str
    most: int
    window: int


# A venue is one address to us, so what counts for an address must let a whole club night in.
SIGN_IN_FROM = Limit("sign-in-from", 60, 15 * MINUTE)
SIGN_IN_AS = Limit("sign-in-as", 10, 15 * MINUTE)
RESET_FROM = Limit("reset-from", 30, HOUR)
RESET_FOR = Limit("reset-for", 5, HOUR)
SIGN_UP_FROM = Limit("sign-up-from", 100, HOUR)
INVITE_BY = Limit("invite-by", 200, HOUR)
DOWNLOADS_BY = Limit("downloads-by", 120, HOUR)
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
        # It ran out between the two; this is the first of a new window.
        return
    if attempts > limit.most:
        left = cache.get(f"{key}:ends", now + limit.window) - now
        raise Refused("too_many_attempts", minutes=max(1, math.ceil(left / MINUTE)))


def forgive(limit: Limit, ident: str) -> None:
    """Whoever got it right is not counted any more."""
    cache.delete(_key(limit, ident))


def _key(limit: Limit, ident: str) -> str:
    """Hashed, since what people type may be anything and of any length."""
    digest = hashlib.sha256(ident.casefold().encode("utf-8", "replace")).hexdigest()[:32]
    return f"attempts:{limit.scope}:{digest}"


def address(request: HttpRequest | Request) -> str:
    """Where a request comes from; for IPv6 the network that belongs to one customer."""
    # It reads only META, which both kinds of request have.
    text = BaseThrottle().get_ident(cast(Request, request)) or ""
    try:
        parsed = ipaddress.ip_address(text)
    except ValueError:
        return text
    if parsed.version == 4:
        return text
    return str(ipaddress.ip_network((parsed, IPV6_HOME), strict=False).network_address)


def count_sign_in(request: HttpRequest | Request, email: str) -> None:
    """One attempt to sign in, from this address and as this account. Refused: `too_many_attempts`."""
    count(SIGN_IN_FROM, address(request))
    count(SIGN_IN_AS, email.strip())


def signed_in(request: HttpRequest | Request, email: str) -> None:
    """It was the right password."""
    forgive(SIGN_IN_AS, email.strip())


def count_reset(request: HttpRequest | Request, email: str) -> None:
    """One letter asked for, whether there is such an account or not. Refused: `too_many_attempts`."""
    count(RESET_FROM, address(request))
    count(RESET_FOR, email.strip())
