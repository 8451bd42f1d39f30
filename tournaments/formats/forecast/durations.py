"""How long matches take: their mean and their spread, as shares of length × minutes a point.

The product rule counts 11 minutes for each point of a round, because the longest match of the round counts. A single
match takes 0.7 of that on average, so that the longest of a round comes to about the whole.

The spread is that of the number of plays in recorded matches between people: the standard deviation is 0.47 of the mean
at 3 points, 0.37 at 7 and 0.35 at 13. It falls with the length, but not to nothing, since a match to 7 may end 7–0 or
7–6. `spread` is a curve through these. Durations follow a gamma distribution: positive, and skewed to the long side.
"""

import math
from bisect import bisect_right
from functools import lru_cache
from random import Random

MEAN_SHARE = 0.7
PLAYERS_DIFFER = 0.15
"""Standard deviation of the tempo of a player, as a logarithm; a match takes the mean of its two players."""
VARIANCE_OF_ANY, VARIANCE_OF_ONE_POINT = 0.075, 0.44
QUANTILES = 512
DRAWS_EACH = 16


def spread(length: int) -> float:
    """Return the standard deviation of the duration of a match as a share of its mean.

    >>> [round(spread(length), 2) for length in (3, 7, 13)]
    [0.47, 0.37, 0.33]
    """
    return math.sqrt(VARIANCE_OF_ANY + VARIANCE_OF_ONE_POINT / max(1, length))


@lru_cache(maxsize=64)
def shares(length: int) -> tuple[float, ...]:
    """Return evenly spaced quantiles of the duration of a match, as shares of length × minutes a point, ascending."""
    shape = 1 / spread(length) ** 2
    chance = Random(length)  # noqa: S311 - a forecast
    draws = sorted(chance.gammavariate(shape, MEAN_SHARE / shape) for _ in range(QUANTILES * DRAWS_EACH))
    return tuple(draws[at * DRAWS_EACH + DRAWS_EACH // 2] for at in range(QUANTILES))


def log_density(length: int, share: float) -> float:
    """Return the logarithm of the density of a duration, without a constant that depends on the length only."""
    shape = 1 / spread(length) ** 2
    return (shape - 1) * math.log(share) - share * shape / MEAN_SHARE


def survival(length: int, share: float) -> float:
    """Return the chance (0–1) that a match takes longer than this; never quite 0."""
    quantiles = shares(length)
    return max(len(quantiles) - bisect_right(quantiles, share), 0.5) / len(quantiles)
