"""Whether a match has begun; the only definition of it.

A match has begun once it has a score or a signed report that was not withdrawn, or was started at a table. Proposed or
agreed times, a refused record, a report from the score sheet, a walkover and a call to a table do not begin a match.

`Match.begun_at` is derived from these facts and stored so that lists need one query.
"""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Protocol

from matches.lifecycle.events import events
from matches.models import Claim, LiveMatch, Match, Result

NOT_COUNTED = (Claim.State.WITHDRAWN, Claim.State.LATE)
"""States of reports that do not begin a match."""


class HasBeginning(Protocol):
    """A match, or a row of a list with its `begun_at`."""

    @property
    def begun_at(self) -> datetime | None:
        """When the match began; None if it has not."""


def has_begun(match: HasBeginning) -> bool:
    """Whether the match has begun, even if it is over or void by now."""
    return match.begun_at is not None


def is_untouched(match: Match) -> bool:
    """Whether the match has neither begun nor a result, so that its players may still change."""
    return not has_begun(match) and match.state in (Match.State.OPEN, Match.State.VOID)


def is_going_on(match: Match) -> bool:
    """Whether the match has begun and has no result yet."""
    reported = match.state in (Match.State.CLAIMED, Match.State.DISPUTED, Match.State.LIVE)
    return reported or (match.state == Match.State.OPEN and has_begun(match))


def begun_since(matches: Collection[Match], moment: datetime) -> set[int]:
    """Ids of the matches that began, or were reported, after this moment."""
    begun = {match.pk for match in matches if match.begun_at is not None and match.begun_at > moment}
    signed = Claim.objects.filter(match__in=matches, side__isnull=False, created_at__gt=moment)
    reports = signed.exclude(state__in=NOT_COUNTED)
    return begun | set(reports.values_list("match", flat=True))


def begun_at(claims: Iterable[Claim], results: Iterable[Result], *started: datetime | None) -> datetime | None:
    """When a match with these reports and result versions began; None if it has not.

    `started` are the time of the first opening roll, if the match is played here, and of its start at a table. Void
    versions are ignored, so voiding and reinstating a match do not change when it began.
    """
    reports = [claim.created_at for claim in claims if claim.is_signed and claim.state not in NOT_COUNTED]
    versions = sorted((row for row in results if row.kind != Result.Kind.VOID), key=lambda row: row.version)
    scored = versions and versions[-1].score is not None
    scores = [row.at for row in versions if row.score is not None] if scored else []
    starts = [at for at in started if at is not None]
    return min([*reports, *scores, *starts], default=None)


def note_beginning(match: Match, at: datetime) -> None:
    """Update `begun_at` of a locked match for a new fact, at this time, that begins a match, without saving it.

    Where a fact no longer counts, for example a withdrawn report, `derive_begun` has to be called first.
    """
    match.begun_at = at if match.begun_at is None else min(at, match.begun_at)


def derive_begun(match: Match) -> None:
    """Set `begun_at` of a locked match from its facts, without saving it."""
    opened_at = LiveMatch.objects.filter(pk=match.pk).values_list("begun_at", flat=True).first()
    started = events().started_at_tables([match.pk]).get(match.pk)
    match.begun_at = begun_at(match.claims.all(), match.results.all(), opened_at, started)
