"""The one law for every result: whether it is final or provisional (docs/reporting.md).

A result is final if the sides it goes against acted for it, or if a person who does not play the match ruled. One that
a side did not object to in time, after it was told, is final, too. Whatever follows from a withdrawal or an earlier
result is final at once. Anything else is provisional: somebody wins by their own word or by the clock alone.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from matches.lifecycle.own_match import side_of
from matches.models import Claim, Match, Provisional, Result
from players.actors import Actor
from players.models import LogEntry

Why = Provisional.Why
RULED_BY_PEOPLE = (Result.Source.DIRECTOR, Result.Source.CLAIM, Result.Source.RECORD)
"""Sources of results that a person who does not play the match enters, confirms or accepts."""
ENTERED_BY_COMMANDS = (Result.Source.DIRECTOR,)
"""The same for the commands of the operator, who acts as the system: demo clubs and simulated events."""
COUNTED_REPORTS = (Claim.State.OPEN, Claim.State.CONTESTED, Claim.State.STANDS)
"""States of reports by which a side has said how the match ended."""
WHY_BY_SOURCE = {
    Result.Source.RECORD: Why.RECORD,
    Result.Source.DEADLINE: Why.DEADLINE,
    Result.Source.LIVE: Why.UNPLAYED,
    Result.Source.DIRECTOR: Why.OWN_MATCH,
}


@dataclass(frozen=True, slots=True)
class FinalityFacts:
    winner: int | None
    source: str
    """Of `Result.Source`."""
    kind: str
    """Of `Result.Kind`."""
    acted: frozenset[int] = frozenset()
    """The sides that said so: they reported or confirmed it, conceded, or had begun to play the match here."""
    is_ruled: bool = False
    """Whether a person who does not play the match decided."""
    was_silent: bool = False
    """Whether the side it goes against was told, and its time to answer is over."""


def why_provisional(facts: FinalityFacts) -> Why | None:
    """Return why a result with these facts is provisional; None if it is final."""
    if facts.source == Result.Source.FORMAT or facts.is_ruled or facts.was_silent:
        return None
    if facts.acted.issuperset(sides_against(facts.winner)):
        return None
    if facts.source == Result.Source.CLAIM and facts.kind == Result.Kind.FORFEIT:
        return Why.NO_SHOW
    return WHY_BY_SOURCE.get(Result.Source(facts.source), Why.REPORT)


def sides_against(winner: int | None) -> tuple[int, ...]:
    """Return the sides that a result goes against: the loser, or both if nobody won."""
    return (0, 1) if winner is None else (1 - winner,)


def actor_side(match: Match, by: Actor) -> int | None:
    """Return the side of the match that this actor plays, with an account or by personal link; None if neither."""
    return by.side if by.kind == LogEntry.By.LINK else side_of(match, by)


def told_by(report: Claim) -> tuple[int, datetime] | None:
    """Return the other side of a report and when it acted on having seen it; None if it has not."""
    return None if report.side is None or report.seen_at is None else (1 - report.side, report.seen_at)


def ends_at(match: Match, row: Provisional, at: datetime) -> datetime | None:
    """Return when a provisional result that was recorded at this time ends by itself; None while that is open.

    Its time counts from when the sides were told. In a match of no club nobody could end it otherwise, so there it
    counts from the result; unless the sides were told, it then ends unrated.
    """
    told_at = [moment for side in row.sides if (moment := row.told[side]) is not None]
    wait = timedelta(seconds=match.claim_wait)
    if len(told_at) == len(row.sides):
        return max(told_at) + wait
    return at + wait if match.club_id is None else None


def begin(
    match: Match, result: Result, why: Why, *, before: Provisional | None, agreeing: Iterable[Claim]
) -> Provisional:
    """Store that a new version of a locked match is provisional.

    What the sides were told counts on: by the provisional version `before` with the same outcome, and by the reports
    that agree with it.
    """
    row = Provisional(result=result, why=why, against=None if result.winner is None else 1 - result.winner)
    if before is not None:
        row.told_0, row.told_1, row.notified_at = before.told_0, before.told_1, before.notified_at
    for side, at in filter(None, map(told_by, agreeing)):
        if row.told[side] is None:
            setattr(row, f"told_{side}", at)
    row.ends_at = ends_at(match, row, result.at)
    row.save()
    return row
