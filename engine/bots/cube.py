"""When to double and take, from the chances of a position and the score.

A match is worth its winning chance (Janowski's formula), money its points. Between the take point of a dead cube and
that of a live one, whose owner redoubles at the last moment, it takes the mean that is usual for long games.
"""

from engine.bots.network import BotChances
from engine.cube import Side
from engine.match import MatchState

PER_POINT, MORE_POINTS = 0.85, 6
"""Janowski's formula of the match winning chance."""
LIVE_CUBE_SAVES = 0.14
"""Share of the take point that owning a live cube is worth: 25 % becomes 21.5 % in money play."""
WINDOW, REDOUBLE_WINDOW = 0.085, 0.06
"""A double is right when the chance is at most so far below where the opponent drops, in a long game …"""
LAST_ROLL_WINDOW = 0.28
"""… and so far on the last roll, where from 50 % on nothing is lost by it."""
PIPS_A_ROLL = 8.17


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


def worth(state: MatchState, side: Side, points: int) -> float:
    """What it is worth to `side` to win so many points, or to lose them where they are negative."""
    if not state.length:
        return float(points)
    own, opposing = state.length - state.score[side], state.length - state.score[1 - side]
    return match_chance(own - max(0, points), opposing - max(0, -points))


def value(state: MatchState, side: Side, chances: BotChances, cube: int) -> float:
    """What a position is worth to `side`, whose chances these are, if the cube stays where it is."""
    gammon_won, gammon_lost = chances.win_gammon, chances.lose_gammon
    return (
        (chances.win - gammon_won) * worth(state, side, cube)
        + gammon_won * worth(state, side, 2 * cube)
        + (1 - chances.win - gammon_lost) * worth(state, side, -cube)
        + gammon_lost * worth(state, side, -2 * cube)
    )


def take_point(state: MatchState, side: Side, chances: BotChances) -> float:
    """The winning chance (0–1) from which `side` should take a double, its chances of gammons being these."""
    cube = state.cube
    won = _mean(state, side, 2 * cube, chances.win_gammon / max(chances.win, 0.01))
    lost = _mean(state, side, -2 * cube, chances.lose_gammon / max(1 - chances.win, 0.01))
    dropped = worth(state, side, -cube)
    if won <= lost:
        return 1.0
    dead = (dropped - lost) / (won - lost)
    is_dead = state.length > 0 and state.length - state.score[side] <= 2 * cube
    return dead if is_dead else dead * (1 - LIVE_CUBE_SAVES)


def _mean(state: MatchState, side: Side, points: int, gammons: float) -> float:
    """What it is worth to win or lose so many points, or twice as many in a share of the cases."""
    return (1 - gammons) * worth(state, side, points) + gammons * worth(state, side, 2 * points)


def should_double(state: MatchState, side: Side, chances: BotChances) -> bool:
    """Whether `side`, on roll, doubles with these chances; for a side that may double."""
    if state.length and state.crawford_played and state.length - state.score[1 - side] == 1:
        return True  # The opponent needs one point: nothing is lost by doubling.
    drop_point = 1 - take_point(state, 1 - side, chances.reversed())
    if chances.win >= drop_point:
        # Too good: what is won by playing on is more than the points that the opponent would drop.
        return value(state, side, chances, state.cube) <= worth(state, side, state.cube)
    return chances.win >= drop_point - _window(state)


def _window(state: MatchState) -> float:
    """How far below the opponent's drop point a double is right: the farther, the fewer rolls are left."""
    usual = WINDOW if state.cube_owner is None else REDOUBLE_WINDOW
    rolls = min(state.position.pips) / PIPS_A_ROLL
    return usual + (LAST_ROLL_WINDOW - usual) / max(1.0, rolls) ** 2


def should_take(state: MatchState, side: Side, chances: BotChances) -> bool:
    return chances.win >= take_point(state, side, chances)
