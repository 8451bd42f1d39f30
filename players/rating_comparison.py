"""Which rating formula predicts a pool's matches best, out of sample and in time order.

Every match is predicted by the ratings from the matches before it, and costs −ln of the chance that a formula gave the
winner (log loss; ln 2 = 0.693 for a coin). Formulas are compared match by match with the best one: a difference of less
than two standard errors is no difference.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from math import log, sqrt

from players.glicko2 import LOST, MOST_DEVIATION, POINTS, WON, Rated, after_period, expected_score
from players.ratings import FAMILIES, RatedMatch, Settings, replay, win_probability

GLICKO2 = "glicko2"
FEWEST = 100
"""Matches without which no comparison is made."""
STANDARD_ERRORS = 2.0
LEAST_CHANCE = 1e-12
PERIOD = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Prediction:
    """How well a formula predicts: mean loss of a match, how much that is above the best, and its standard error."""

    family: str
    loss: float
    behind: float
    error: float

    @property
    def is_as_good(self) -> bool:
        """Whether the difference from the best is within the uncertainty."""
        return self.behind <= STANDARD_ERRORS * self.error


@dataclass(frozen=True, slots=True)
class Comparison:
    """Formulas, the best first, over so many matches."""

    matches: int
    predictions: tuple[Prediction, ...]


def compare_families(
    matches: Iterable[RatedMatch], families: Mapping[str, Settings] = FAMILIES, *, with_glicko2: bool = True
) -> Comparison | None:
    """Compare the formulas on these matches; None with fewer than `FEWEST`."""
    ordered = sorted(matches)
    if len(ordered) < FEWEST:
        return None
    losses = {family: list(_losses(settings, ordered)) for family, settings in families.items()}
    if with_glicko2:
        losses[GLICKO2] = list(_glicko2_losses(ordered))
    means = {family: sum(own) / len(own) for family, own in losses.items()}
    best = min(means, key=lambda family: means[family])
    predictions = [
        Prediction(family, means[family], means[family] - means[best], _standard_error(own, losses[best]))
        for family, own in losses.items()
    ]
    return Comparison(len(ordered), tuple(sorted(predictions, key=lambda prediction: prediction.loss)))


def _losses(settings: Settings, matches: Sequence[RatedMatch]) -> Iterator[float]:
    for effect in replay(settings, {}, matches):
        if effect.won:
            chance = win_probability(effect.rating_before, effect.opponent_before, effect.length, settings.formula)
            yield -log(max(chance, LEAST_CHANCE))


def _glicko2_losses(matches: Sequence[RatedMatch]) -> Iterator[float]:
    """Periods are weeks from the first match; a player's deviation grows with every week without a match."""
    ratings: dict[int, Rated] = {}
    last: dict[int, int] = {}
    first = matches[0].finished_at
    index = 0
    while index < len(matches):
        week = (matches[index].finished_at - first) // PERIOD
        results: dict[int, list[tuple[Rated, float]]] = {}
        current: dict[int, Rated] = {}
        while index < len(matches) and (matches[index].finished_at - first) // PERIOD == week:
            match = matches[index]
            for player in (match.winner, match.loser):
                if player not in current:
                    current[player] = _idle(ratings.get(player, Rated()), week - last.get(player, week) - 1)
            winner, loser = current[match.winner], current[match.loser]
            yield -log(max(expected_score(winner, loser), LEAST_CHANCE))
            results.setdefault(match.winner, []).append((loser, WON))
            results.setdefault(match.loser, []).append((winner, LOST))
            index += 1
        for player, own in results.items():
            ratings[player] = after_period(current[player], own)
            last[player] = week


def _idle(player: Rated, weeks: int) -> Rated:
    if weeks <= 0:
        return player
    grown = sqrt(player.deviation**2 + weeks * (POINTS * player.volatility) ** 2)
    return player._replace(deviation=min(grown, MOST_DEVIATION))


def _standard_error(losses: Sequence[float], best: Sequence[float]) -> float:
    """The standard error of the mean paired difference."""
    differences = [own - other for own, other in zip(losses, best, strict=True)]
    mean = sum(differences) / len(differences)
    variance = sum((difference - mean) ** 2 for difference in differences) / (len(differences) - 1)
    return sqrt(variance / len(differences))
