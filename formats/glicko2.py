"""Glicko-2: ratings with a deviation and a volatility, updated once a period.

Source: Mark Glickman, "Example of the Glicko-2 system" (2012/2013). All results of a period are simultaneous. The
length of a match is not considered, unless results have weights, which is not in the source.
"""

from collections.abc import Sequence
from math import exp, log, pi, sqrt
from typing import NamedTuple

POINTS = 173.7178
"""Rating points of one unit of the Glicko-2 scale."""
CENTRE = 1500.0
TAU = 0.5
MAX_DEVIATION = 350.0
CONVERGED = 1e-6
WON, LOST = 1.0, 0.0


class Rated(NamedTuple):
    """A rating and its deviation in rating points, and the volatility."""

    rating: float = CENTRE
    deviation: float = MAX_DEVIATION
    volatility: float = 0.06


def expected_score(player: Rated, opponent: Rated) -> float:
    """Return the chance (0–1) that the player beats the opponent, with the uncertainty of both ratings."""
    deviation = sqrt(player.deviation**2 + opponent.deviation**2) / POINTS
    return 1 / (1 + exp(-_g(deviation) * (player.rating - opponent.rating) / POINTS))


class ResultShare(NamedTuple):
    """What one result contributes to the rating of a period."""

    expected: float
    """The score that was expected (0–1)."""
    change: float
    """In rating points; those of a period add up to the whole change."""


def after_period(
    player: Rated,
    results: Sequence[tuple[Rated, float]],
    tau: float = TAU,
    weights: Sequence[float] | None = None,
) -> Rated:
    """Return the player's rating after a period with these results: opponents as they were before it, and scores.

    A result of weight 2 counts like two; without `weights` each counts once.

    >>> [round(value, 2) for value in after_period(Rated(1500, 350), [(Rated(1500, 350), WON)])[:2]]
    [1662.31, 290.32]
    """
    phi = player.deviation / POINTS
    if not results:
        return player._replace(deviation=POINTS * sqrt(phi**2 + player.volatility**2))
    mu = (player.rating - CENTRE) / POINTS
    precision = gain = 0.0
    for (opponent, score), weight in zip(results, weights or [1.0] * len(results), strict=True):
        g, expected = _expected(player, opponent)
        precision += weight * g**2 * expected * (1 - expected)
        gain += weight * g * (score - expected)
    variance = 1 / precision
    volatility = _volatility(phi, player.volatility, variance, variance * gain, tau)
    deviation = 1 / sqrt(1 / (phi**2 + volatility**2) + precision)
    return Rated(CENTRE + POINTS * (mu + deviation**2 * gain), POINTS * deviation, volatility)


def shares(
    player: Rated, after: Rated, results: Sequence[tuple[Rated, float]], weights: Sequence[float] | None = None
) -> list[ResultShare]:
    """Return what each result contributed to `after`, which `after_period` returned for them."""
    parts = []
    for (opponent, score), weight in zip(results, weights or [1.0] * len(results), strict=True):
        g, expected = _expected(player, opponent)
        parts.append(ResultShare(expected, (after.deviation**2 / POINTS) * weight * g * (score - expected)))
    return parts


def after_idle(player: Rated, periods: int, most: float = MAX_DEVIATION) -> Rated:
    """Return the player after so many periods without a result: the deviation grows, up to `most` at the latest.

    >>> round(after_idle(Rated(1720, 60), 1).deviation, 4)
    60.8986
    """
    if periods <= 0 or player.deviation >= most:
        return player
    grown = sqrt(player.deviation**2 + periods * (POINTS * player.volatility) ** 2)
    return player._replace(deviation=min(grown, most))


def _expected(player: Rated, opponent: Rated) -> tuple[float, float]:
    """g of the opponent's deviation, and the expected score (0–1)."""
    g = _g(opponent.deviation / POINTS)
    return g, 1 / (1 + exp(-g * (player.rating - opponent.rating) / POINTS))


def _g(deviation: float) -> float:
    return 1 / sqrt(1 + 3 * deviation**2 / pi**2)


def _volatility(phi: float, sigma: float, variance: float, delta: float, tau: float) -> float:
    """The new volatility: the root of f by the Illinois algorithm (step 5 of the source)."""
    start = log(sigma**2)

    def f(x: float) -> float:
        total = phi**2 + variance + exp(x)
        return exp(x) * (delta**2 - total) / (2 * total**2) - (x - start) / tau**2

    low = start
    if delta**2 > phi**2 + variance:
        high = log(delta**2 - phi**2 - variance)
    else:
        steps = 1
        while f(start - steps * tau) < 0:
            steps += 1
        high = start - steps * tau
    f_low, f_high = f(low), f(high)
    while abs(high - low) > CONVERGED:
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = middle, f_middle
    return exp(low / 2)
