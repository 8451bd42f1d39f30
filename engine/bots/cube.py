"""When to double, take and resign, from an estimated winning chance and the score."""

from engine.cube import Side
from engine.match import MatchState

WINDOW = 0.09
"""A bot doubles when its chance is at most so far below the opponent's drop point."""
LAST_DOUBLE = 0.90
"""Above this chance, with gammons possible, a bot plays on for the gammon in an early game."""
PER_POINT, MORE_POINTS = 0.85, 6
"""Janowski's formula of the match winning chance."""


def match_chance(own_away: int, opposing_away: int) -> float:
    """The chance (0–1) to win a match in which the sides need so many points.

    Source: R. Janowski, "Take-Points in Money Games and Match Play": 0.5 + 0.85 D/(T + 6), where D is the lead and T
    what the side behind needs.
    """
    if own_away <= 0:
        return 1.0
    if opposing_away <= 0:
        return 0.0
    behind = max(own_away, opposing_away)
    return 0.5 + PER_POINT * (opposing_away - own_away) / (behind + MORE_POINTS)


def take_point(state: MatchState, side: Side) -> float:
    """The winning chance (0–1) from which `side` should take a double of its opponent."""
    if not state.length:
        return 0.22
    own, opposing = state.length - state.score[side], state.length - state.score[1 - side]
    cube = state.cube
    dropped = match_chance(own, opposing - cube)
    won = match_chance(own - 2 * cube, opposing)
    lost = match_chance(own, opposing - 2 * cube)
    if won <= lost:
        return 1.0
    return (dropped - lost) / (won - lost)


def should_double(state: MatchState, side: Side, chance: float) -> bool:
    """Whether `side`, on roll, doubles with this winning chance; for a side that may double."""
    if state.length and state.crawford_played and state.length - state.score[1 - side] == 1:
        return True  # The opponent needs one point: nothing is lost by doubling.
    drop_point = 1 - take_point(state, 1 - side)
    return drop_point - WINDOW <= chance <= max(LAST_DOUBLE, drop_point)


def should_take(state: MatchState, side: Side, chance: float) -> bool:
    """Whether `side` takes with this winning chance."""
    return chance >= take_point(state, side)
