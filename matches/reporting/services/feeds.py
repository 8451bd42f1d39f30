"""The secret URLs of calendars: made, replaced and revoked."""

from datetime import datetime

from core.public_ids import new_public_id
from matches.models import CalendarFeed
from players.models import User


def renew(*, user: User, now: datetime) -> CalendarFeed:
    """Give an account a new calendar feed, which replaces the one it has."""
    feed, _ = CalendarFeed.objects.update_or_create(user=user, defaults={"key": new_public_id(), "created_at": now})
    return feed


def revoke(*, user: User) -> None:
    """Take the calendar feed of an account away, if it has one."""
    CalendarFeed.objects.filter(user=user).delete()
