"""Bearing off without contact, where hardly any decision is left to make."""

from collections.abc import Iterable

from engine.plays import Play
from engine.position import Position

HOME = 6
"""The farthest point of the home board."""


def is_plain_bear_off(position: Position) -> bool:
    """Whether all checkers of the side on roll are home, and none of the opponent's can meet them any more."""
    counts = position.counts
    return max(counts[HOME + 1 :]) <= 0 and min(counts[: HOME + 1]) >= 0


def best_bear_off(plays: Iterable[Play]) -> Play:
    """Return the play that bears off most checkers; among these, one that leaves the most points filled.

    With equal counts, the one that leaves the fewest pips. A rule of thumb that rarely costs anything.
    """
    return max(plays, key=_worth)


def _worth(play: Play) -> tuple[int, int, int]:
    after = play.result
    filled = sum(count > 0 for count in after.counts[1 : HOME + 1])
    return after.borne_off[0], filled, -after.pips[0]
