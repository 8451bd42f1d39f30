"""API tokens: creating, listing and revoking them, and authentication by them."""

import hashlib
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import structlog
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from rest_framework import exceptions
from rest_framework.authentication import TokenAuthentication
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from core.locks import lock_row
from core.throttle import client_address
from engine.errors import Refused
from players.accounts.security import tell_owner
from players.actors import Actor, log
from players.models import ApiToken, User
from players.people.rows import user_topic

# Creating, listing and revoking API tokens.


PREFIX = "bp_"
"""By which people and secret scanners recognise a key."""
KEY_BYTES = 32
MAX_TOKENS = 20
DEFAULT_DAYS = 365
SCOPES = tuple(ApiToken.Scope.values)


class NewToken(NamedTuple):
    """A token and its key, which cannot be read again."""

    token: ApiToken
    key: str


@transaction.atomic
def create_token(
    *, user: User, name: str, scopes: Collection[str], days: int | None, by: Actor, now: datetime
) -> NewToken:
    """Create a token that expires after so many days, or never, if it may only read. Every token may read.

    Refused: `too_many_tokens`, `token_needs_end`.
    """
    if days is None and set(scopes) - {ApiToken.Scope.READ}:
        raise Refused("token_needs_end")
    lock_row(User, user.pk)
    if live_tokens(user, now).count() >= MAX_TOKENS:
        raise Refused("too_many_tokens", most=MAX_TOKENS)
    key = PREFIX + secrets.token_urlsafe(KEY_BYTES)
    granted = {ApiToken.Scope.READ, *scopes}
    token = ApiToken.objects.create(
        user=user,
        name=name,
        key_hash=hash_of(key),
        scopes=[scope for scope in SCOPES if scope in granted],
        created_at=now,
        expires_at=None if days is None else now + timedelta(days=days),
    )
    log(by, "token_made", user_topic(user), scopes=token.scopes)
    tell_owner(user=user, event="token_made", now=now)
    return NewToken(token, key)


@transaction.atomic
def revoke_token(*, user: User, token_id: int, by: Actor) -> None:
    """Delete a token of this user; harmless if there is none."""
    deleted, _ = ApiToken.objects.filter(user=user, pk=token_id).delete()
    if deleted:
        log(by, "token_revoked", user_topic(user))


def live_tokens(user: User, now: datetime) -> QuerySet[ApiToken]:
    return user.api_tokens.filter(Q(expires_at__isnull=True) | Q(expires_at__gt=now))


def hash_of(key: str) -> str:
    """Return the hash of a key. The key is long and random, so a fast hash without salt is enough."""
    return hashlib.sha256(key.encode()).hexdigest()


# Authentication of API clients by token, within the scopes of the token.


logger = structlog.get_logger(__name__)

Scope = ApiToken.Scope
CLUB_AREAS = ("clubs",)
PLAYER_AREAS = ("matches", "challenges", "practice", "submissions", "me", "invitations", "tokens")
"""The first words of paths below /api/v1/ that players write to. All others need the scope of directors."""
SCOPE_OF_ROUTE = {
    "api-register": Scope.PLAY,
    "api-tournament-leave": Scope.PLAY,
    "api-live": Scope.DIRECT,
    "api-live-rulings": Scope.DIRECT,
    # Every token may revoke itself; revoking others is for those that may change the account.
    "api-current-token": Scope.READ,
    "api-my-token": Scope.CLUB,
    "api-my-exports": Scope.CLUB,
}
"""The scope for writing, where the area does not say it."""
SCOPE_FOR_READING = {
    # The answer acts for somebody.
    "api-match-links": Scope.DIRECT,
    "api-entry-link": Scope.DIRECT,
    # The answer is all that the site knows about a person.
    "api-export": Scope.CLUB,
    "api-export-archive": Scope.CLUB,
}
"""The scope for reading, where every token's `read` is not enough."""


class ApiTokenAuthentication(TokenAuthentication):
    """Authenticates by `Authorization: Token …`. Refused: `token_scope`."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """Return the user and the token, or None without such a header."""
        try:
            authenticated: tuple[User, ApiToken] | None = super().authenticate(request)
        except exceptions.AuthenticationFailed:
            logger.warning("token_refused", client=client_address(request))
            raise
        if authenticated is None:
            return None
        user, token = authenticated
        scope = scope_needed(request)
        if scope not in token.scopes:
            raise Refused("token_scope", scope=scope.value)
        structlog.contextvars.bind_contextvars(user_id=user.pk)
        return authenticated

    def authenticate_credentials(self, key: str) -> tuple[Any, Any]:
        """Return the user and the token of a key. Raise AuthenticationFailed for any other key."""
        now = timezone.now()
        token = ApiToken.objects.select_related("user").filter(key_hash=hash_of(key)).first()
        if token is None or not token.user.is_active:
            raise exceptions.AuthenticationFailed("Invalid token.")
        if token.expires_at is not None and token.expires_at <= now:
            raise exceptions.AuthenticationFailed("The token has expired. Create another.", code="token_expired")
        if token.last_used_on != now.date():
            ApiToken.objects.filter(pk=token.pk).update(last_used_on=now.date())
        return token.user, token


def scope_needed(request: Request) -> ApiToken.Scope:
    """Return the scope that a request needs, by its method and the area of its route."""
    match = request.resolver_match
    name = match.url_name or "" if match is not None else ""
    if request.method in SAFE_METHODS:
        return SCOPE_FOR_READING.get(name, Scope.READ)
    if name in SCOPE_OF_ROUTE:
        return SCOPE_OF_ROUTE[name]
    area = request.path_info.removeprefix("/api/v1/").partition("/")[0]
    if area in CLUB_AREAS:
        return Scope.CLUB
    return Scope.PLAY if area in PLAYER_AREAS else Scope.DIRECT
