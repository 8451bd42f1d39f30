"""The matches of an event that still run, and what its rule says about them at closing time."""

from dataclasses import dataclass
from datetime import datetime

from matches.models import Match
from tournaments.floor.selectors import FloorView, MatchView
from tournaments.floor.services.closing_time import MOST_POINTS_LEFT
from tournaments.floor.state import MatchState
from tournaments.models import Tournament


@dataclass(frozen=True, slots=True)
class RunningView:
    """A match that runs, with its running score, or its start score if nobody has entered one."""

    match: MatchView
    score: tuple[int, int]

    @property
    def is_level(self) -> bool:
        """Whether nobody leads."""
        return self.score[0] == self.score[1]

    @property
    def most_points_left(self) -> int:
        """How many points its leader can still need once the match is shortened; 0 if it cannot be shortened."""
        return max(0, self.match.length - 1 - max(self.score))


@dataclass(frozen=True, slots=True)
class ClosingTime:
    """The event's rule, and the matches that it is about, in the order of their numbers."""

    rule: Tournament.ClosingRule
    is_over: bool
    """Whether the end of the event has come."""
    running: tuple[RunningView, ...]

    @property
    def points_left(self) -> range:
        """The points that leaders can be left to need, of which each shortens at least one match."""
        most = max((row.most_points_left for row in self.running), default=0)
        return range(1, min(MOST_POINTS_LEFT, most) + 1)


def is_over(tournament: Tournament, now: datetime) -> bool:
    """Whether an event has an end, and that has come."""
    return tournament.ends_at is not None and tournament.ends_at <= now


def closing_time(view: FloorView) -> ClosingTime:
    """Return the matches that are being played at the tables of an event, with its rule; one query."""
    rows = (row for row in view.matches.values() if row.state == MatchState.PLAYING)
    playing = {row.match_id: row for row in rows if row.match_id is not None}
    at_tables = Match.objects.filter(pk__in=playing, state=Match.State.OPEN)
    starts = {pk: (left, right) for pk, left, right in at_tables.values_list("pk", "start_0", "start_1")}
    running = tuple(RunningView(row, row.row.score or starts[pk]) for pk, row in playing.items() if pk in starts)
    tournament = view.tournament
    return ClosingTime(Tournament.ClosingRule(tournament.closing_rule), is_over(tournament, view.now), running)
