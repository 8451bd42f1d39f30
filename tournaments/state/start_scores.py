"""Start scores: the points with which the weaker side begins a match, so that both have about the same chances.

They are decided when a match is opened, by the ratings that its entries were drawn with. A match with a start score is
never rated.
"""

import math
from collections.abc import Sequence

from matches.analysis.judging import match_chance
from matches.ratings.services import default_pool, ratings_of
from tournaments.models import Division, Entry

Score = tuple[int, int]
Table = Sequence[Sequence[int]]
"""[rating difference from, points]"""
LEVEL: Score = (0, 0)
BY_RATINGS = (Division.StartRule.RATING, Division.StartRule.TABLE)
"""The rules that give a start score when a match is opened."""


def chance_with_start(difference: float, length: int, points: int) -> float:
    """Return the chance (0–1) of the side that is weaker by so many rating points and begins with `points`.

    The odds of the match score between equals are multiplied by those of the rating difference (FIBS formula).

    >>> round(chance_with_start(300, 7, 0), 3), round(chance_with_start(300, 7, 3), 3)
    (0.287, 0.483)
    """
    equals = match_chance(length - points, length)
    odds = equals / (1 - equals) * 10 ** (-difference * math.sqrt(length) / 2000)
    return odds / (1 + odds)


def points_by_rating(difference: float, length: int, cap: int | None = None) -> int:
    """Return with how many points the weaker side begins: those with which its chance is nearest to one half.

    Of two equally near, the fewer; never one short of the match, and at most `cap`, by default half of the length.

    >>> [points_by_rating(difference, 7) for difference in (0, 100, 300, 600)]
    [0, 1, 3, 3]
    """
    choices = range(max(1, length - 1))
    nearest = min(choices, key=lambda points: (abs(chance_with_start(difference, length, points) - 0.5), points))
    return min(nearest, length // 2 if cap is None else cap)


def points_by_table(difference: float, length: int, table: Table, cap: int | None = None) -> int:
    """Return the points of the last row of a table that applies; never one short of the match, and at most `cap`.

    >>> [points_by_table(difference, 7, [[100, 1], [300, 2]]) for difference in (99, 100, 500)]
    [0, 1, 2]
    """
    points = max((points for least, points in table if difference >= least), default=0)
    most = max(0, length - 2)
    return min(points, most if cap is None else min(cap, most))


def start_score(division: Division, entries: tuple[Entry, Entry], length: int) -> Score:
    """Return the score at which a match of this length between two entries of a division begins."""
    rule = division.start_rule
    if rule not in BY_RATINGS:
        return LEVEL
    first, second = (_rating(division, entry) for entry in entries)
    difference, cap = abs(first - second), division.start_cap
    if rule == Division.StartRule.RATING:
        points = points_by_rating(difference, length, cap)
    else:
        points = points_by_table(difference, length, division.start_table, cap)
    return (points, 0) if first < second else (0, points)


def _rating(division: Division, entry: Entry) -> float:
    """Return the rating with which an entry was drawn; without one, with which everybody starts."""
    if entry.rating is not None:
        return entry.rating
    return (division.pool or default_pool()).start_rating


def keep_rating(division: Division, entry: Entry) -> None:
    """Give the entry of a substitute their rating of today, if matches of its division begin by ratings.

    The caller saves it. Without such a rule the entry keeps the rating of whoever was drawn, as a seeded draw has it.
    """
    if division.start_rule in BY_RATINGS and division.status == Division.Status.RUNNING:
        ratings = ratings_of(players=[entry.player_id], pool=division.pool, club=division.tournament.club)
        entry.rating = ratings[entry.player_id]
