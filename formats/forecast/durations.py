"""How long matches take: the parameters of every forecast, before the first call as well as during the evening.

The product rule counts 11 minutes for each point of a round, because the longest match of the round counts. A single
match takes 0.7 of that on average, so that the longest of a round comes to about the whole.

The spread is that of the number of plays in recorded matches between people: the standard deviation is 0.47 of the mean
at 3 points, 0.37 at 7 and 0.35 at 13. It falls with the length, but not to nothing, since a match to 7 may end 7–0 or
7–6. `spread` is a curve through these. Durations follow a gamma distribution: positive, and skewed to the long side.

An evening as a whole and each of its players are slower or quicker than others: their tempo is a factor, 1 on average
for players, that stays the same from match to match.
"""

import math
from bisect import bisect_right
from functools import lru_cache
from random import Random

MINUTES_PER_POINT = 11.0
MEAN_SHARE = 0.7
"""The share of length × minutes a point that a match takes on average."""
EVENINGS_DIFFER = 0.1
"""Standard deviation of the logarithm of the tempo of an evening before anything is known of it."""
PLAYERS_DIFFER = 0.15
"""Standard deviation of the tempo of a player, as a logarithm; a match takes the mean of its two players."""
SEATING = 1.5
"""Minutes from a call to the first roll, during which the table is taken."""
REST = 5.0
"""Minutes that a player rests after a match, unless the floor has another setting."""
LATE = 0.9
"""The chance (0–1) with which something finishes by the later of the two times that a forecast gives."""
VARIANCE_OF_ANY, VARIANCE_OF_ONE_POINT = 0.075, 0.44
QUANTILES = 512
DRAWS_EACH = 16


def spread(length: int) -> float:
    """Return the standard deviation of the duration of a match as a share of its mean.

    >>> [round(spread(length), 2) for length in (3, 7, 13)]
    [0.47, 0.37, 0.33]
    """
    return math.sqrt(VARIANCE_OF_ANY + VARIANCE_OF_ONE_POINT / max(1, length))


def player_tempo(chance: Random) -> float:
    """Draw the tempo of a player: 1 on average, more is slower."""
    return math.exp(chance.gauss(0, PLAYERS_DIFFER) - PLAYERS_DIFFER**2 / 2)


@lru_cache(maxsize=64)
def shares(length: int) -> tuple[float, ...]:
    """Return evenly spaced quantiles of the duration of a match, as shares of length × minutes a point, ascending.

    They are those of two players with the usual tempo.
    """
    return _quantiles(length, 1 / spread(length) ** 2)


@lru_cache(maxsize=64)
def shares_of_any_players(length: int) -> tuple[float, ...]:
    """Return the same between players whose tempo is unknown."""
    return _quantiles(length, _shape_of_any_players(length))


def _shape_of_any_players(length: int) -> float:
    return 1 / (spread(length) ** 2 + PLAYERS_DIFFER**2 / 2)


def _quantiles(length: int, shape: float) -> tuple[float, ...]:
    chance = Random(length)  # noqa: S311 - a forecast
    draws = sorted(chance.gammavariate(shape, MEAN_SHARE / shape) for _ in range(QUANTILES * DRAWS_EACH))
    return tuple(draws[at * DRAWS_EACH + DRAWS_EACH // 2] for at in range(QUANTILES))


def log_density(length: int, share: float) -> float:
    """Return the logarithm of the density of a duration between any players, without a constant of the length."""
    shape = _shape_of_any_players(length)
    return (shape - 1) * math.log(share) - share * shape / MEAN_SHARE


def survival(length: int, share: float) -> float:
    """Return the chance (0–1) that a match between any players takes longer than this; never quite 0."""
    quantiles = shares_of_any_players(length)
    return max(len(quantiles) - bisect_right(quantiles, share), 0.5) / len(quantiles)
