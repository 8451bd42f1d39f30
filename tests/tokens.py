"""API tokens in tests."""

from django.utils import timezone

from players.accounts.tokens import SCOPES, create_token
from players.actors import Actor
from players.models import User


def key_for(user: User, *scopes: str) -> str:
    """Return the key of a new token of this user with these scopes; all of them by default."""
    days = None if set(scopes) == {"read"} else 365
    new = create_token(
        user=user, name="Test", scopes=scopes or SCOPES, days=days, by=Actor.of(user), now=timezone.now()
    )
    return new.key
