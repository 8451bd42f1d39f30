"""The score of a match between teams: the sum of its boards."""

from collections.abc import Iterable
from typing import NamedTuple


class Board(NamedTuple):
    """A match between members of two teams; nobody has won it while `winner` is None."""

    teams: tuple[str, str]
    length: int
    winner: int | None = None
    score: tuple[int, int] | None = None


class TeamScore(NamedTuple):
    """What a team has: boards won, and the points of its members, none more than the length of their match."""

    boards: int = 0
    points: int = 0


def team_scores(boards: Iterable[Board]) -> dict[str, TeamScore]:
    """Return team -> its score; a board that nobody won counts nothing, nor does one between members of one team.

    >>> team_scores([Board(("CBC", "MBK"), 7, 0, (9, 4)), Board(("MBK", "CBC"), 7)])
    {'CBC': TeamScore(boards=1, points=7), 'MBK': TeamScore(boards=0, points=4)}
    """
    scores: dict[str, TeamScore] = {}
    for board in boards:
        points = (0, 0) if board.score is None else board.score
        counts = board.winner is not None and board.teams[0] != board.teams[1]
        for side, team in enumerate(board.teams):
            before = scores.get(team, TeamScore())
            won, capped = int(board.winner == side), min(points[side], board.length)
            scores[team] = TeamScore(before.boards + won, before.points + capped) if counts else before
    return scores
