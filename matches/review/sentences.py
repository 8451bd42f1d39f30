"""What the best decision gains, as a sentence for the player who made another one."""

from collections.abc import Iterable, Sequence
from functools import reduce

from django.utils.text import capfirst
from django.utils.translation import gettext, ngettext, pgettext

from engine import Position, parse_play, parse_xgid
from engine.errors import Refused
from engine.position import position_of
from engine.resolution import resolve
from engine.search import Dice
from matches.analysis.labels import percent
from matches.analysis.values import Chances
from matches.review.features import features_of
from matches.review.reasons import PARTS, Part, Reason, reason_of

BAR_POINT, THEIR_SIDE, ALL = 7, 18, 25


def play_sentence(
    xgid: str, plays: tuple[str, str], chances: tuple[Sequence[float], Sequence[float]], *, shots_cost: bool | None
) -> str:
    """Return what the first of two plays in notation gains over the second; empty if nothing is certain.

    The position has its roll, and the chances of each play are those of `Reason`.
    """
    reason = play_reason(xgid, plays, chances, shots_cost=shots_cost)
    return worded(reason) if reason is not None else ""


def play_reason(
    xgid: str, plays: tuple[str, str], chances: tuple[Sequence[float], Sequence[float]], *, shots_cost: bool | None
) -> Reason | None:
    """Return the same as codes and numbers. None also for a position or a play that cannot be read."""
    try:
        state = parse_xgid(xgid)
        best, played = (_after(state.position, state.dice or (0, 0), play) for play in plays)
    except Refused:
        return None
    positions = features_of(state.position, best), features_of(state.position, played)
    return reason_of(positions, (Chances(*chances[0]), Chances(*chances[1])), state, shots_cost=shots_cost)


def _after(position: Position, dice: Dice, play: str) -> Position:
    return position_of(resolve(position.key, dice, parse_play(play)).key)


def worded(reason: Reason) -> str:
    if not reason.stated:
        return gettext("Wins, gammons won, gammons lost: {best} against {played}.").format(
            best=_row(reason.best), played=_row(reason.played)
        )
    cost = _together(_part(part, reason) for part in reason.stated)
    if reason.though:
        other = _together(_part(part, reason) for part in reason.though)
        cost = gettext("{cost}, though {other}").format(cost=cost, other=other)
    if not reason.lead:
        return f"{capfirst(cost)}."
    lead = _lead(reason.lead, reason.counts)
    if reason.risk is not None:
        best, played = reason.risk
        lead = gettext("{lead}, although {best} of 36 rolls hit it (yours: {played})").format(
            lead=lead, best=best, played=played
        )
    return gettext("{lead}: {cost}.").format(lead=lead, cost=cost)


def _together(clauses: Iterable[str]) -> str:
    return reduce(lambda first, second: gettext("{first}, and {second}").format(first=first, second=second), clauses)


def _part(part: Part, reason: Reason) -> str:
    texts = {
        Part.WIN: gettext("it wins {best} of the games, yours {played}"),
        Part.GAMMON: gettext("it wins a gammon in {best}, yours in {played}"),
        Part.GAMMON_LOST: gettext("it loses a gammon in {best}, yours in {played}"),
    }
    at = PARTS.index(part)
    return texts[part].format(best=percent(reason.best[at] / 100), played=percent(reason.played[at] / 100))


def _row(figures: tuple[int, int, int]) -> str:
    """Return three figures as “62, 20, 8 %”."""
    return f"{figures[0]}, {figures[1]}, {percent(figures[2] / 100)}"


def _lead(code: str, counts: tuple[int, ...]) -> str:
    best, played = (*counts, 0)[:2]
    texts = {
        "off": gettext("It bears off {more} more"),
        "miss": gettext(
            "Next turn {played} of 36 rolls bear off fewer than two checkers after yours, {best} after the best play"
        ),
        "home": ngettext(
            "It leaves {best} checker outside your home board, yours {played}",
            "It leaves {best} checkers outside your home board, yours {played}",
            best,
        ),
        "hit": _hit(best, played),
        "shots": gettext("After yours {played} of 36 rolls hit, after the best play {best}"),
        "keep": gettext("Yours gives up {point}, the best play keeps it"),
        "point": gettext("The best play makes {point}, yours does not"),
        "prime": gettext(
            "The best play has {best} points in a row in front of {behind} of their checkers, yours {played}"
        ),
        "dance": gettext("After the best play {best} of 36 rolls do not enter, after yours {played}"),
        "back": gettext("The best play leaves {best} of your checkers in their home board, yours {played}"),
    }
    return texts[code].format(best=best, played=played, behind=counts[-1], more=best - played, point=_point(best))


def _hit(best: int, played: int) -> str:
    if not played:
        return gettext("The best play hits, yours does not")
    if (best, played) == (2, 1):
        return gettext("The best play hits two checkers, yours one")
    return gettext("The best play hits {best} checkers, yours {played}")


def _point(point: int) -> str:
    """Return a point as players call it, as the object of `gives up` and `makes`."""
    if point == BAR_POINT:
        return pgettext("gives up or makes", "your bar point")
    if point == THEIR_SIDE:
        return pgettext("gives up or makes", "their bar point")
    if point > THEIR_SIDE:
        return pgettext("gives up or makes", "their {number}-point").format(number=ALL - point)
    return pgettext("gives up or makes", "your {number}-point").format(number=point)
