"""What a wrong cube decision gave away, as a sentence of figures; each says only what the figures prove.

Chances leave the cube out. Values are chances of the side that decides to win the match, in a money session equities.
"""

from typing import NamedTuple

from django.utils.translation import gettext

from matches.analysis import labels
from matches.analysis.judging import Stakes
from matches.analysis.values import Chances, CubeAction
from matches.models import Decision
from matches.review.reasons import per_cent
from matches.review.reasons import worth as worth_of_points


class CubeReason(NamedTuple):
    """Why a decision was wrong, as far as it can be said for certain."""

    code: str
    """That of the best action, `no_double`, `take` or `drop`, if nothing but the two values can be said."""
    best: float
    """What the best action is worth; of `drop_enough` at least."""
    played: float
    first: int = 0
    """Whole per cents, as the sentence has them: games or gammons that the side wins."""
    second: int = 0
    """Games that a take needs, or gammons that the side loses."""


def cube_reason(decision: Decision) -> CubeReason | None:
    """Return the reason of a wrong cube decision; None of one without the three equities."""
    no_double, double_take, double_pass = decision.no_double, decision.double_take, decision.double_pass
    if no_double is None or double_take is None or double_pass is None:
        return None
    chances = Chances(*decision.chances) if decision.chances else None
    if decision.kind == Decision.Kind.TAKE:
        values = (_value(decision, -double_take), _value(decision, -double_pass))
        return _take(decision, *values, chances.reversed if chances is not None else None)
    doubled, rolled = _value(decision, min(double_take, double_pass)), _value(decision, no_double)
    if decision.played == CubeAction.NO_DOUBLE:
        return CubeReason("cash" if double_take >= double_pass else "double_take", doubled, rolled)
    if chances is not None and no_double > double_pass and double_take > double_pass:
        return CubeReason("too_good", rolled, doubled, per_cent(chances.win_gammon))
    if chances is not None and double_take <= double_pass and double_take < no_double:
        return CubeReason("early", rolled, doubled, per_cent(chances.win))
    return CubeReason(CubeAction.NO_DOUBLE, rolled, doubled)


def _take(decision: Decision, taken: float, dropped: float, own: Chances | None) -> CubeReason:
    """Return the reason of an answer to a double; `own` are the chances of the side that answers."""
    took = decision.played == CubeAction.TAKE
    best, played = (dropped, taken) if took else (taken, dropped)
    plain = CubeReason(CubeAction.DROP if took else CubeAction.TAKE, best, played)
    if own is None:
        return plain
    won, lost = worth(decision, 2), worth(decision, -2)
    point = (dropped - lost) / (won - lost)
    dead = dead_value(decision, own)
    wins, needed = per_cent(own.win), per_cent(point)
    if took and wins < needed:
        return CubeReason("take_low", best, played, wins, needed)
    if took and own.win >= point and dead < dropped:
        return CubeReason("take_gammons", best, played, wins, per_cent(own.lose_gammon))
    if not took and wins > needed and dead >= dropped:
        return CubeReason("drop_enough", dead, played, wins, needed)
    if not took and dead < dropped and dead < taken:
        return CubeReason("drop_cube", best, played)
    return plain


def dead_value(decision: Decision, own: Chances) -> float:
    """Return what a take is worth if the cube is never turned again, from the chances of the side that answers."""
    single, gammon = own.win - own.win_gammon, own.win_gammon - own.win_backgammon
    single_lost, gammon_lost = 1 - own.win - own.lose_gammon, own.lose_gammon - own.lose_backgammon
    won = single * worth(decision, 2) + gammon * worth(decision, 4) + own.win_backgammon * worth(decision, 6)
    lost = single_lost * worth(decision, -2) + gammon_lost * worth(decision, -4)
    return won + lost + own.lose_backgammon * worth(decision, -6)


def worth(decision: Decision, cubes: int) -> float:
    """Return what the side has after it won so many times the cube before the decision, or lost them if negative."""
    if not decision.own_away:
        return float(cubes)
    return worth_of_points(decision.own_away, decision.opposing_away, cubes * decision.cube)


def _value(decision: Decision, equity: float) -> float:
    """Convert an equity of the side that decides, normalised to the cube."""
    return Stakes(won=worth(decision, 1), lost=worth(decision, -1)).chance(equity) if decision.own_away else equity


def cube_sentence(decision: Decision) -> str:
    """Say why a cube decision was wrong; empty if nothing certain can be said."""
    reason = cube_reason(decision)
    if reason is None:
        return ""
    best, played = (_written(decision, value) for value in (reason.best, reason.played))
    if reason.best <= reason.played or best == played:
        return ""
    if decision.own_away:
        # The unit follows the figure that comes first.
        whole = gettext("{percent} of the match")
        if reason.code in ("take_low", "take_gammons"):
            played = whole.format(percent=labels.percent(reason.played, 1))
        else:
            best = whole.format(percent=labels.percent(reason.best, 1))
    first, second = (labels.percent(number / 100) for number in (reason.first, reason.second))
    return _text(reason.code).format(best=best, played=played, first=first, second=second)


def _written(decision: Decision, value: float) -> str:
    return labels.number(100 * value, 1) if decision.own_away else labels.signed(value, 3)


def _text(code: str) -> str:
    return {
        "cash": gettext("They should pass: doubling is worth {best}, rolling on {played}."),
        "double_take": gettext("They can take, yet doubling is worth {best}, rolling on {played}."),
        "too_good": gettext(
            "Too good to double: with a gammon in {first} playing on is worth {best}, the pass {played}."
        ),
        "early": gettext(
            "Too early: you win {first}, and they can take; not doubling is worth {best}, doubling {played}."
        ),
        CubeAction.NO_DOUBLE: gettext("Not doubling is worth {best}, doubling {played}."),
        "take_low": gettext(
            "You win {first}, and without gammons and with a dead cube a take needs {second} here: "
            "taking is worth {played}, passing {best}."
        ),
        "take_gammons": gettext(
            "{first} wins would do, but you lose a gammon in {second}: taking is worth {played}, passing {best}."
        ),
        "drop_enough": gettext(
            "You win {first}, and a take needs {second} here: even with a dead cube it is worth {best}, "
            "passing {played}."
        ),
        "drop_cube": gettext(
            "With a dead cube you would pass, but the cube will be yours: taking is worth {best}, passing {played}."
        ),
        CubeAction.TAKE: gettext("Taking is worth {best}, passing {played}."),
        CubeAction.DROP: gettext("Passing is worth {best}, taking {played}."),
    }[code]
