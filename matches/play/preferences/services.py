"""Changing play preferences."""

from typing import Any

from django.db import transaction

from matches.models import PlayPreferences
from players.models import User


@transaction.atomic
def update_preferences(*, user: User, changes: dict[str, Any]) -> PlayPreferences:
    """Change some preferences of an account, given as checked values by field name."""
    preferences, _ = PlayPreferences.objects.update_or_create(user=user, defaults=changes)
    return preferences
