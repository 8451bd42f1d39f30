"""Limits on how often one client or one account may try something. Without a cache there are no limits."""

import contextlib
import hashlib
import ipaddress
import math
from typing import Any, NamedTuple, Protocol, cast

from django.core.cache import cache
from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.throttling import AnonRateThrottle, SimpleRateThrottle, UserRateThrottle

from core.live.presence import Command
from engine.errors import Refused

IPV6_CUSTOMER_PREFIX = 64
"""Bits of the smallest IPv6 network that a provider gives to one customer."""
MINUTE, HOUR, DAY = 60, 3600, 24 * 3600
KNOWN_FOR = 90 * DAY
"""Seconds for which an account remembers a network that it was signed in to from."""


class Limit(NamedTuple):
    """At most so many attempts in a window of so many seconds, which opens with the first attempt."""

    scope: str
    most: int
    window: int


# Everybody at a venue shares one IP address, so limits by IP address must leave room for a whole club night.
SIGN_IN_FROM = Limit("sign-in-from", 60, 15 * MINUTE)
SIGN_IN_AS_FROM = Limit("sign-in-as-from", 10, 15 * MINUTE)
SIGN_IN_AS = Limit("sign-in-as", 100, 15 * MINUTE)
CODES_FROM = Limit("codes-from", 10, 15 * MINUTE)
CODES_OF = Limit("codes-of", 50, 15 * MINUTE)
RESET_FROM = Limit("reset-from", 30, HOUR)
RESET_FOR = Limit("reset-for", 5, HOUR)
LINKS_TO = Limit("links-to", 3, HOUR)
LINKS_BY = Limit("links-by", 10, HOUR)
SIGN_UP_FROM = Limit("sign-up-from", 100, HOUR)
INVITE_BY = Limit("invite-by", 200, HOUR)
JOIN_REQUESTS_BY = Limit("join-requests-by", 20, DAY)
OWNER_REQUESTS_BY = Limit("owner-requests-by", 5, DAY)
NAME_SEARCHES_BY = Limit("name-searches-by", 60, MINUTE)
DATA_EXPORTS_BY = Limit("data-exports-by", 20, HOUR)
SEASON_IMPORTS_BY = Limit("season-imports-by", 60, HOUR)
DOWNLOADS_BY = Limit("downloads-by", 120, HOUR)
LIVE_ACTIONS_OF = Limit("live-actions-of", 300, MINUTE)
LIVE_CHAT_OF = Limit("live-chat-of", 20, MINUTE)
LIVE_PINGS_OF = Limit("live-pings-of", 120, MINUTE)
HINTS_OF = Limit("hints-of", 120, MINUTE)
GUEST_ACTIONS_OF = Limit("guest-actions-of", 120, MINUTE)
GUEST_ACTIONS_FROM = Limit("guest-actions-from", 3000, MINUTE)
GUEST_MATCHES_FROM = Limit("guest-matches-from", 600, HOUR)
PICTURES_BY = Limit("pictures-by", 60, HOUR)
PASSWORD_OF = Limit("password-of", 10, 15 * MINUTE)


class CountingCache(Protocol):
    """What `config.cache` adds to Django's caches."""

    def count(self, key: str, window: int, by: int = 1) -> tuple[int, float]:
        """Count up in a window of so many seconds; return the count and the seconds until the window closes."""
        ...


def count(limit: Limit, ident: str) -> None:
    """Count one attempt. Refused: `too_many_attempts`, with the minutes to wait."""
    attempts, left = cast("CountingCache", cache).count(_key(limit, ident), limit.window)
    if attempts > limit.most:
        raise Refused("too_many_attempts", minutes=max(1, math.ceil(left / MINUTE)))


def wait(limit: Limit, ident: str) -> int:
    """Return in how many minutes another attempt would be accepted; 0 if now."""
    attempts, left = cast("CountingCache", cache).count(_key(limit, ident), limit.window, 0)
    return 0 if attempts < limit.most else max(1, math.ceil(left / MINUTE))


def counter(limit: Limit, ident: str) -> str:
    """The key in the cache under which the attempts are counted."""
    return _key(limit, ident)


def count_commands(limit: Limit, ident: str) -> list[Command]:
    """The commands by which `count` counts one attempt. In a transaction, so that the count cannot expire between."""
    key = cache.make_key(_key(limit, ident))
    return [("MULTI",), ("SET", key, 0, "EX", limit.window, "NX"), ("INCR", key), ("EXEC",)]


def reset(limit: Limit, ident: str) -> None:
    """Forget the attempts counted so far."""
    cache.delete(_key(limit, ident))


def uncount(limit: Limit, ident: str) -> None:
    """Take one attempt off the count, since it was no failure."""
    with contextlib.suppress(ValueError):
        cache.decr(_key(limit, ident))


def _key(limit: Limit, ident: str) -> str:
    return f"attempts:{limit.scope}:{_digest(ident)}"


def _digest(text: str) -> str:
    # `text` may be typed by anybody and of any length.
    return hashlib.sha256(text.casefold().encode("utf-8", "replace")).hexdigest()[:32]


def client_address(request: HttpRequest | Request) -> str:
    """Return the IP address of a request. A proxy's header counts only where the server trusts that proxy."""
    return str(request.META.get("REMOTE_ADDR", ""))


def client_network(request: HttpRequest | Request) -> str:
    """Return the IP address of a request; for IPv6 the network that belongs to one customer."""
    text = client_address(request)
    try:
        parsed = ipaddress.ip_address(text)
    except ValueError:
        return text
    if parsed.version == 4:
        return text
    return str(ipaddress.ip_network((parsed, IPV6_CUSTOMER_PREFIX), strict=False).network_address)


class SignInAttempt:
    """One attempt to sign in to an account from a network.

    Failures count for the network, and for the account from this network. Those from everywhere count for the account
    as well, but do not stop attempts from a network that somebody has signed in from before: otherwise anybody could
    lock out anybody.
    """

    def __init__(self, request: HttpRequest | Request, email: str) -> None:
        self.email = email.strip()
        self.network = client_network(request)
        self.is_known = False

    def count(self) -> None:
        """Count the attempt, before the password is checked. Refused: `too_many_attempts`."""
        count(SIGN_IN_FROM, self.network)
        count(SIGN_IN_AS_FROM, self._both)
        self.is_known = cache.get(self._known_key) is not None
        if not self.is_known:
            count(SIGN_IN_AS, self.email)

    def succeeded(self) -> None:
        """Forget the failures of this account from this network, and remember the network."""
        uncount(SIGN_IN_FROM, self.network)
        if not self.is_known:
            uncount(SIGN_IN_AS, self.email)
        self.owner_is_here()

    def owner_is_here(self) -> None:
        """Forget the failures from this network, and remember it: whoever has proved to own the account may sign in."""
        reset(SIGN_IN_AS_FROM, self._both)
        cache.set(self._known_key, 1, KNOWN_FOR)

    def was_no_failure(self) -> None:
        """Take the attempt off the count of the network; it still counts for the account, known or not."""
        uncount(SIGN_IN_FROM, self.network)

    @property
    def _both(self) -> str:
        return f"{self.network} {self.email}"

    @property
    def _known_key(self) -> str:
        return f"known-network:{_digest(self._both)}"


def count_code(request: HttpRequest | Request, user_id: int) -> None:
    """Count an attempt at the second factor of somebody who knows the password. Refused: `too_many_attempts`."""
    count(CODES_FROM, f"{client_network(request)} {user_id}")
    count(CODES_OF, str(user_id))


def code_was_right(request: HttpRequest | Request, user_id: int) -> None:
    """Take the last attempt off the count of the account, and forget those from this network."""
    reset(CODES_FROM, f"{client_network(request)} {user_id}")
    uncount(CODES_OF, str(user_id))


def count_password_reset(request: HttpRequest | Request, email: str) -> None:
    """Count a request for a password e-mail, whether the account exists or not. Refused: `too_many_attempts`."""
    count(RESET_FROM, client_network(request))
    count(RESET_FOR, email.strip())


RATE_STATE = "barpoint.rate_state"
"""The key in a request's META of the RateState that its response announces."""


class RateState(NamedTuple):
    """How much of its rate an API client has used."""

    most: int
    """Requests in one window."""
    left: int
    """Requests left at this moment."""
    seconds: int
    """Seconds until the oldest request of the window no longer counts."""


class _AnnouncedThrottle(SimpleRateThrottle):
    """Notes the state of the rate in the request; of several rates the one that is used up first."""

    num_requests: int
    duration: int

    def allow_request(self, request: Request, view: Any) -> bool:
        """Return whether the request is within the rate, and count it if so."""
        is_allowed: bool = super().allow_request(request, view)
        if self.rate is not None and self.key is not None:
            oldest = self.history[-1] if self.history else self.now
            left = max(0, self.num_requests - len(self.history))
            state = RateState(self.num_requests, left, math.ceil(oldest + self.duration - self.now))
            request.META[RATE_STATE] = min(
                state, request.META.get(RATE_STATE, state), key=lambda rate: (rate.left, -rate.seconds)
            )
        return is_allowed


class AnonymousThrottle(_AnnouncedThrottle, AnonRateThrottle):
    """The rate of clients without an account."""


class GuestThrottle(AnonymousThrottle):
    """The rate of clients without an account in live matches: for each personal link, else for each IP address."""

    scope = "guest"

    def get_ident(self, request: Request) -> str:
        """Return the link or the IP address. Forged links are not limited: each is answered 404 after one query."""
        link = request.headers.get("Match-Link")
        return _digest(link) if link else super().get_ident(request)


class AccountThrottle(_AnnouncedThrottle, UserRateThrottle):
    """The rate of an account, over all its browsers and API tokens."""

    def get_cache_key(self, request: Request, view: Any) -> str | None:
        """Return the key of an account, None without one: Django REST framework would count the IP address."""
        return super().get_cache_key(request, view) if request.user.is_authenticated else None


LIVE_MATCH = (GuestThrottle, AccountThrottle)
"""The throttles of the API of live matches."""
