"""What the best play gains over the one that was made, as codes and numbers; `sentences` has the words.

A reason has two parts. The cost is exact arithmetic with the chances that a program gave both plays, without the cube.
The lead is a fact about both positions that may stand before it, without a claim that it is the cause.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from math import floor

from engine.match import MatchState
from matches.analysis.judging import match_chance
from matches.analysis.values import Chances
from matches.review.features import Features

STATED, TOGETHER = 0.25, 0.6
"""Shares of the difference: of each part that is stated, and of all that are."""
CLEAR = 2
"""Whole per cents by which the figures of a part have to differ."""
MANY_ROLLS = 4
"""Of 36: differences below it are not worth a sentence."""
LONG_PRIME = 4
KEPT = (21, 20, 18, 7, 6, 5, 4, 3)
"""The points that are worth a word when given up, in the order in which they are named."""
MADE = (5, 20, 4, 7, 21, 18, 6, 3)
"""The same when made."""


class Part(StrEnum):
    """A part of the difference between two plays."""

    WIN = "win"
    GAMMON = "gammon"
    GAMMON_LOST = "gammon_lost"


PARTS = tuple(Part)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why one play is better than another, as far as it is certain."""

    best: tuple[int, int, int]
    """Whole per cents of games won, gammons won and gammons lost, as `PARTS`."""
    played: tuple[int, int, int]
    stated: tuple[Part, ...] = ()
    """The largest part and perhaps a second; empty if none stands out."""
    though: tuple[Part, ...] = ()
    """Parts that speak clearly for the play that was made."""
    lead: str = ""
    """Code of the fact that comes first; empty if there is none."""
    counts: tuple[int, ...] = ()
    """The numbers of the lead: of the best play, then of the other; or the point it is about."""
    risk: tuple[int, int] | None = None
    """Rolls that hit after the best play and after the other, where these are many more."""


def worth(own: int, opposing: int, points: int) -> float:
    """Return the chance to win a match after a game won by so many points, or lost if negative.

    `own` and `opposing` are the points that the sides need before it.
    """
    # Whoever needs one point is in the Crawford game or past it.
    return match_chance(own - max(0, points), opposing - max(0, -points), after_crawford=min(own, opposing) == 1)


def reason_of(
    positions: tuple[Features, Features],
    chances: tuple[Chances, Chances],
    state: MatchState,
    *,
    shots_cost: bool | None,
) -> Reason | None:
    """Return the reason; pairs are of the best play and of the one that was made, the state is that before them.

    `shots_cost` says whether the loss is on the rolls that hit the play that was made and not the best one; without an
    answer they are not named. None if the chances without the cube do not show a gain.
    """
    best, played = chances
    gains = _gains(best, played, state)
    total = sum(gains)
    figures, others = _figures(best), _figures(played)
    if total <= 0 or figures == others:
        return None
    reason = Reason(figures, others)
    clear = (figures[0] - others[0], figures[1] - others[1], others[2] - figures[2])
    order = sorted(range(len(PARTS)), key=lambda part: -gains[part])
    stated = [part for part in order[:2] if gains[part] >= STATED * total and clear[part] >= CLEAR]
    if order[0] not in stated or sum(gains[part] for part in stated) < TOGETHER * total:
        return reason
    though = [part for part in reversed(order) if gains[part] <= -STATED * total and clear[part] <= -CLEAR]
    lead, counts = _lead(PARTS[stated[0]], *positions, shots_cost=shots_cost)
    shots, fewer = (position.shots for position in positions)
    return Reason(
        figures,
        others,
        stated=tuple(PARTS[part] for part in stated),
        though=tuple(PARTS[part] for part in though),
        lead=lead,
        counts=counts,
        risk=(shots, fewer) if lead and shots - fewer >= MANY_ROLLS else None,
    )


def per_cent(chance: float) -> int:
    """Return whole per cents, halves rounded up; chances have six decimals, which binary fractions only approach."""
    return floor(round(100 * chance, 6) + 0.5)


def _figures(chances: Chances) -> tuple[int, int, int]:
    win, gammon, _, gammon_lost, _ = map(per_cent, chances)
    return win, gammon, gammon_lost


def _gains(best: Chances, played: Chances, state: MatchState) -> tuple[float, float, float]:
    """Return the parts of the difference between both plays, in chances of the match or in points, as `PARTS`."""
    win, gammon, backgammon, gammon_lost, backgammon_lost = (b - p for b, p in zip(best, played, strict=True))
    won, won_2, won_3 = (_worth(state, cubes) for cubes in (1, 2, 3))
    lost, lost_2, lost_3 = (_worth(state, -cubes) for cubes in (1, 2, 3))
    return (
        win * (won - lost),
        gammon * (won_2 - won) + backgammon * (won_3 - won_2),
        gammon_lost * (lost_2 - lost) + backgammon_lost * (lost_3 - lost_2),
    )


def _worth(state: MatchState, cubes: int) -> float:
    side = state.turn or 0
    own, opposing = (state.length - state.score[each] for each in (side, 1 - side))
    return worth(own, opposing, cubes * state.cube) if state.length else cubes


def _lead(part: Part, best: Features, played: Features, *, shots_cost: bool | None) -> tuple[str, tuple[int, ...]]:
    """Return the first lead that is true and may stand before a part, with its numbers; ("", ()) if there is none."""
    for code, parts, counts_of in _LEADS:
        if part in parts and (code != "shots" or shots_cost) and (counts := counts_of(best, played)):
            return code, counts
    return "", ()


def _fewer(best: int | None, played: int | None, least: int = 1) -> tuple[int, ...]:
    """Return both numbers if the best play has so many fewer."""
    return (best, played) if best is not None and played is not None and played - best >= least else ()


def _more(best: int, played: int, least: int = 1) -> tuple[int, ...]:
    return (best, played) if best - played >= least else ()


def _first(points: tuple[int, ...], among: frozenset[int]) -> tuple[int, ...]:
    return next(((point,) for point in points if point in among), ())


def _is_race(best: Features, played: Features) -> bool:
    return not best.contact and not played.contact


_ALL = frozenset(PARTS)
_FORWARD, _SAFE = frozenset({Part.WIN, Part.GAMMON}), frozenset({Part.WIN, Part.GAMMON_LOST})
_LEADS: tuple[tuple[str, frozenset[Part], Callable[[Features, Features], tuple[int, ...]]], ...] = (
    ("off", _ALL, lambda best, played: _more(best.off, played.off) if _is_race(best, played) else ()),
    (
        "miss",
        frozenset({Part.WIN}),
        lambda best, played: _fewer(best.miss, played.miss) if best.off == played.off else (),
    ),
    ("home", _SAFE, lambda best, played: _fewer(best.outside, played.outside) if _is_race(best, played) else ()),
    ("hit", _ALL, lambda best, played: _more(best.hits, played.hits)),
    ("shots", _SAFE, lambda best, played: _fewer(best.shots, played.shots, MANY_ROLLS)),
    ("keep", _ALL, lambda best, played: _first(KEPT, played.lost & best.points)),
    ("point", _ALL, lambda best, played: _first(MADE, best.new - played.points)),
    ("prime", _FORWARD, lambda best, played: _prime(best, played)),
    ("dance", _FORWARD, lambda best, played: _more(best.dances, played.dances, MANY_ROLLS)),
    ("back", _SAFE, lambda best, played: _fewer(best.back, played.back)),
)


def _prime(best: Features, played: Features) -> tuple[int, ...]:
    is_one = best.prime >= LONG_PRIME and best.prime > played.prime and best.behind > 0
    return (best.prime, played.prime, best.behind) if is_one else ()
