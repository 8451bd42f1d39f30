"""Creating, listing and revoking API tokens."""

import hashlib
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import transaction
from django.db.models import Q, QuerySet

from core.locks import lock_row
from engine.errors import Refused
from players.actors import Actor, log
from players.models import ApiToken, User
from players.people.topics import user_topic

PREFIX = "bp_"
"""By which people and secret scanners recognise a key."""
KEY_BYTES = 32
MOST_TOKENS = 20
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
    """Create a token that expires after so many days, or never. Every token may read. Refused: `too_many_tokens`."""
    lock_row(User, user.pk)
    if live_tokens(user, now).count() >= MOST_TOKENS:
        raise Refused("too_many_tokens", most=MOST_TOKENS)
    key = PREFIX + secrets.token_urlsafe(KEY_BYTES)
    wanted = {ApiToken.Scope.READ, *scopes}
    token = ApiToken.objects.create(
        user=user,
        name=name,
        key_hash=hash_of(key),
        scopes=[scope for scope in SCOPES if scope in wanted],
        created_at=now,
        expires_at=None if days is None else now + timedelta(days=days),
    )
    log(by, "token_made", user_topic(user), scopes=token.scopes)
    return NewToken(token, key)


@transaction.atomic
def revoke_token(*, user: User, token_id: int, by: Actor) -> None:
    """Delete a token of this user; harmless if there is none."""
    deleted, _ = ApiToken.objects.filter(user=user, pk=token_id).delete()
    if deleted:
        log(by, "token_revoked", user_topic(user))


def live_tokens(user: User, now: datetime) -> QuerySet[ApiToken]:
    """The tokens of a user that have not expired."""
    return user.api_tokens.filter(Q(expires_at__isnull=True) | Q(expires_at__gt=now))


def hash_of(key: str) -> str:
    """Return the hash of a key. The key is long and random, so a fast hash without salt is enough."""
    return hashlib.sha256(key.encode()).hexdigest()
