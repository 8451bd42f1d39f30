"""The pace of an evening, from the matches played so far.

Matches that are still being played count as well: those that are over first are the quick ones, so an average over them
alone would be too fast for most of the evening. A finished match contributes the density of its duration, one in
progress the chance that it takes longer than it has; with the pace expected beforehand they give a distribution.
"""

import math
from collections.abc import Iterable
from operator import mul
from typing import NamedTuple

from formats.forecast.durations import EVENINGS_DIFFER, MINUTES_PER_POINT, log_density, survival

STEPS, FARTHEST = 15, 0.6
"""The pace is looked for at so many steps on either side of the expected one, up to this logarithm."""


class Observed(NamedTuple):
    """A match of the evening: how many minutes it took, or has taken so far."""

    length: int
    minutes: float
    is_over: bool = True


class Estimate(NamedTuple):
    """Minutes a point, and the standard deviation of their logarithm."""

    minutes_per_point: float
    uncertainty: float


def observed_pace(observed: Iterable[Observed], expected: float = MINUTES_PER_POINT) -> Estimate:
    """Return the pace of an evening from its matches and the `expected` one.

    >>> observed_pace([])
    Estimate(minutes_per_point=11.0, uncertainty=0.1)
    """
    rows = list(observed)
    if not rows:
        return Estimate(expected, EVENINGS_DIFFER)
    logarithms = [FARTHEST * step / STEPS for step in range(-STEPS, STEPS + 1)]
    weights = [_log_likelihood(rows, expected, logarithm) for logarithm in logarithms]
    most = max(weights)
    weights = [math.exp(weight - most) for weight in weights]
    total = sum(weights)
    mean = sum(map(mul, logarithms, weights)) / total
    variance = sum((logarithm - mean) ** 2 * weight for logarithm, weight in zip(logarithms, weights, strict=True))
    return Estimate(expected * math.exp(mean), math.sqrt(variance / total))


def _log_likelihood(rows: list[Observed], expected: float, logarithm: float) -> float:
    total = -((logarithm / EVENINGS_DIFFER) ** 2) / 2
    pace = expected * math.exp(logarithm)
    for row in rows:
        share = row.minutes / (row.length * pace)
        if row.is_over:
            total += log_density(row.length, share) - logarithm
        else:
            total += math.log(survival(row.length, share))
    return total
