"""When matches began on the floor: started, or with a running score. `matches.lifecycle.begun` needs to know it."""

from collections.abc import Collection, Mapping
from datetime import datetime

from django.db.models import Min

from matches.lifecycle.begun import derive_begun
from matches.models import Match
from tournaments.models import FloorEvent, FloorKind

BEGINNINGS = (FloorKind.STARTED, FloorKind.RUNNING_SCORE, FloorKind.ADJOURNED)


def beginnings_of(matches: Collection[int]) -> Mapping[int, datetime]:
    """Return match id -> when it was started or first had a running score, as far as that was not undone."""
    rows = FloorEvent.objects.filter(match__in=matches, kind__in=BEGINNINGS, undone_by=None)
    return dict(rows.order_by().values_list("match").annotate(first=Min("at")))


def save_beginning(match: Match) -> None:
    """Derive again whether a locked match has begun, after a fact about it, and save that if it differs.

    Its `seq` stays: a result or a report of somebody who has not seen the start yet is not outdated.
    """
    before = match.begun_at
    derive_begun(match)
    if match.begun_at != before:
        match.save(update_fields=["begun_at"])
