"""Chances to win a match at a score, and equities as chances: the Kazaross-XG2 table (docs/analysis.md)."""

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

from engine.errors import Refused
from matches.analysis.values import Situation

LONGEST = 25
"""Points away that the table covers."""
_TABLE = Path(__file__).with_name("match_equity_table.json")


class Stakes(NamedTuple):
    """The chance of a side to win the match after a game won or lost at the value of the cube."""

    won: float
    lost: float

    def chance(self, equity: float) -> float:
        """Return the chance (0–1) to win the match that corresponds to an equity."""
        return self.lost + (equity + 1) / 2 * (self.won - self.lost)

    def equity(self, chance: float) -> float:
        """Return the equity, normalised to the cube, that corresponds to a chance to win the match."""
        return 2 * (chance - self.lost) / (self.won - self.lost) - 1

    def difference(self, equity: float) -> float:
        """Return the chance to win the match that corresponds to a difference between two equities."""
        return equity / 2 * (self.won - self.lost)


def match_chance(own_away: int, opposing_away: int, *, after_crawford: bool = False) -> float:
    """Return the chance (0–1) to win a match in which the sides need so many points.

    `after_crawford` says that the Crawford game is over. Raises ValueError beyond 25 points.

    >>> match_chance(2, 3), match_chance(3, 1, after_crawford=True)
    (0.59947, 0.32264)
    """
    if own_away <= 0 or opposing_away <= 0:
        return 1.0 if own_away <= 0 else 0.0
    if max(own_away, opposing_away) > LONGEST:
        raise ValueError(f"The table ends at {LONGEST} points away.")
    before, after = _tables()
    if not after_crawford or min(own_away, opposing_away) > 1:
        return before[own_away - 1][opposing_away - 1]
    return 1 - after[opposing_away - 1] if own_away == 1 else after[own_away - 1]


def stakes(situation: Situation) -> Stakes | None:
    """Return what the game is worth to the side that decides, at the cube before the decision; None for money play.

    Refused: `match_too_long_to_analyse`.
    """
    if not situation.length:
        return None
    own, opposing, cube = situation.own_away, situation.opposing_away, situation.cube
    if max(own, opposing) > LONGEST:
        raise Refused("match_too_long_to_analyse", most=LONGEST)
    after_crawford = situation.crawford or situation.post_crawford
    return Stakes(
        won=match_chance(own - cube, opposing, after_crawford=after_crawford),
        lost=match_chance(own, opposing - cube, after_crawford=after_crawford),
    )


@cache
def _tables() -> tuple[list[list[float]], list[float]]:
    """Return the chances before the Crawford game by own and opposing points, and those of the side behind after it."""
    data = json.loads(_TABLE.read_text())
    return data["before_crawford"], data["after_crawford"]
