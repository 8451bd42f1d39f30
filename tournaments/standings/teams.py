"""A match between teams: what each has won, and how many of its boards are still open."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import ngettext

from core.names import fold
from formats.tables.teams import Board, TeamScore, team_scores
from tournaments.state.derivation import StageState
from tournaments.state.names import Names
from tournaments.state.teams import teams_of


@dataclass(frozen=True, slots=True)
class TeamsView:
    """The teams of a stage, the best first, and the number of matches between two of them that are not over."""

    scores: list[tuple[str, TeamScore]]
    open_boards: int

    @property
    def text(self) -> str:
        """The score, such as “CBC 5 – 3 MBK, 2 still playing”."""
        if len(self.scores) == 2:
            (first, own), (second, other) = self.scores
            text = f"{first} {own.boards} – {other.boards} {second}"
        else:
            text = " · ".join(f"{team} {score.boards}" for team, score in self.scores)
        if not self.open_boards:
            return text
        playing = ngettext("%(count)d still playing", "%(count)d still playing", self.open_boards)
        return f"{text}, {playing % {'count': self.open_boards}}"

    @property
    def points(self) -> str:
        """The points of the teams in the same order, such as 61 – 48."""
        return " – ".join(str(score.points) for _team, score in self.scores)


def teams_view(state: StageState, names: Names) -> TeamsView | None:
    """Return the score of the teams of a stage; None unless members of two or more are entered."""
    teams = teams_of((entry.pk, entry.team) for entry in names.entries.values())
    if not teams:
        return None
    boards = list(_boards(state, teams))
    nothing = dict.fromkeys(teams.values(), TeamScore())
    scores = nothing | team_scores(board for board, is_over in boards if is_over)
    ranked = sorted(scores.items(), key=lambda pair: (-pair[1].boards, -pair[1].points, fold(pair[0])))
    return TeamsView(ranked, sum(not is_over for _board, is_over in boards))


def _boards(state: StageState, teams: dict[int, str]) -> Iterator[tuple[Board, bool]]:
    """Yield the matches between two teams, and whether each is over."""
    for number, fixture in state.progress.fixtures.items():
        sides = [teams.get(entry, "") for entry in fixture.entrants or ()]
        if len(sides) != 2 or not all(sides) or sides[0] == sides[1]:
            continue
        match, result = state.rows.fixtures[number].match, fixture.result or fixture.walkover
        length = match.length if match is not None else state.rows.stage.division.match_length
        winner, score = (result.winner, result.score) if result is not None else (None, None)
        yield Board((sides[0], sides[1]), length, winner, score), fixture.over
