"""Reading play preferences."""

from typing import Any

from django.contrib.auth.models import AnonymousUser

from matches.models import PlayPreferences
from players.models import User


def preferences_of(user: User | AnonymousUser) -> PlayPreferences:
    """Return what an account has chosen, or the unsaved defaults; those of visitors are kept by their browser."""
    if isinstance(user, AnonymousUser):
        return PlayPreferences()
    return PlayPreferences.objects.filter(user=user).first() or PlayPreferences(user=user)


def preferences_json(user: User | AnonymousUser) -> dict[str, Any]:
    """Return the preferences as the play page embeds them, with the keys of the API."""
    preferences = preferences_of(user)
    return {name: getattr(preferences, name) for name in PlayPreferences.FIELDS}
