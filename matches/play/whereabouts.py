"""Where many matches are at once, as one reader may see it (docs/floor.md).

What a match waits for is for its players and those who run it; spectators see the score of a match played here with its
delay.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from matches.lifecycle.events import events
from matches.lifecycle.where import Facts, HasState, Where, where_is
from matches.models import Claim, Match
from matches.play.watching.live_now import boards_of
from matches.presentation.visibility import HasPlayers, Viewer


class MatchRow(HasState, HasPlayers, Protocol):
    """A match in a list, with what decides who may see what."""

    @property
    def pk(self) -> int:
        """Its id."""


def where_of(matches: Sequence[MatchRow], viewer: Viewer, now: datetime) -> dict[int, Where]:
    """Return where these matches are, by id, as this reader may see it."""
    facts = facts_of(matches, viewer, now)
    return {row.pk: where_is(row, facts[row.pk]) for row in matches}


def facts_of(matches: Sequence[MatchRow], viewer: Viewer, now: datetime) -> dict[int, Facts]:
    """Return the facts of `where_is` by match, as this reader may see them.

    The number of queries does not depend on that of the matches. Scores of matches that the reader may not see are left
    out.
    """
    rows = [row for row in matches if row.state not in (Match.State.SETTLED, Match.State.VOID)]
    inside = {row.pk: viewer.is_staff_of(row) for row in rows if viewer.plays_or_runs(row)}
    at = events().at_tables([row.pk for row in rows], inside, now)
    live = [row for row in rows if row.state == Match.State.LIVE]
    boards = boards_of([row.pk for row in live if row.pk in inside or viewer.sees(row)], inside, now)
    reports = reports_of([row.pk for row in rows if row.state == Match.State.CLAIMED])
    return {row.pk: Facts(at.get(row.pk), boards.get(row.pk), reports.get(row.pk)) for row in matches}


def reports_of(matches: Collection[int]) -> dict[int, Claim]:
    """Return match id -> the signed report of it that waits for an answer."""
    signed = Claim.objects.filter(match__in=matches, state=Claim.State.OPEN, side__isnull=False)
    return {claim.match_id: claim for claim in (signed if matches else ())}
