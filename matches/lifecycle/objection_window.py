"""Until when a player may object to a report that stands although they never answered it (docs/reporting.md)."""

from datetime import datetime, timedelta

from matches.models import Claim

AFTER_SEEN = timedelta(hours=24)
"""How long a player may object after having seen the report."""
AFTER_STANDING = timedelta(minutes=10)
"""How long a player may object at least, once the result stands."""


def closes_at(report: Claim) -> datetime | None:
    """Until when the other side may object: a day after seeing the report, or None if they never saw it."""
    if report.seen_at is None or report.answered_at is None:
        return None
    return max(report.seen_at + AFTER_SEEN, report.answered_at + AFTER_STANDING)
