"""The helpers of an event, for its directors."""

from datetime import datetime

from django.db.models import QuerySet

from tournaments.models import Helper, Tournament

STATES = ("helps", "invited", "expired")


def helpers_of(tournament: Tournament) -> QuerySet[Helper]:
    """Return the helpers of an event and the invitations that are not withdrawn, oldest first."""
    return tournament.helpers.filter(removed_at=None).select_related("user", "added_by")


def state_of(helper: Helper, now: datetime) -> str:
    """Return one of STATES."""
    if helper.accepted_at is not None:
        return "helps"
    return "invited" if now < helper.expires_at else "expired"
