"""Authentication of API clients by token, within the scopes of the token."""

from typing import Any

import structlog
from django.utils import timezone
from rest_framework import exceptions
from rest_framework.authentication import TokenAuthentication
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from core.throttle import client_address
from engine.errors import Refused
from players.accounts.api_tokens import hash_of
from players.models import ApiToken, User

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
}
"""The scope for writing, where the area does not say it."""
READ_AS_DIRECTOR = frozenset({"api-match-links", "api-entry-link"})
"""Routes whose answer acts for somebody."""


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
        if token is None or not token.user.is_active or (token.expires_at is not None and token.expires_at <= now):
            raise exceptions.AuthenticationFailed("Invalid token.")
        if token.last_used_on != now.date():
            ApiToken.objects.filter(pk=token.pk).update(last_used_on=now.date())
        return token.user, token


def scope_needed(request: Request) -> ApiToken.Scope:
    """Return the scope that a request needs, by its method and the area of its route."""
    match = request.resolver_match
    name = match.url_name or "" if match is not None else ""
    if request.method in SAFE_METHODS:
        return Scope.DIRECT if name in READ_AS_DIRECTOR else Scope.READ
    if name in SCOPE_OF_ROUTE:
        return SCOPE_OF_ROUTE[name]
    area = request.path_info.removeprefix("/api/v1/").partition("/")[0]
    if area in CLUB_AREAS:
        return Scope.CLUB
    return Scope.PLAY if area in PLAYER_AREAS else Scope.DIRECT
