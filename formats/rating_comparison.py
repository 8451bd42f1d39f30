"""Which rating formula predicts a pool's matches best, out of sample and in time order.

Every match is predicted by the ratings from the matches before it, and costs −ln of the chance that a formula gave the
winner (log loss; ln 2 = 0.693 for a coin). Formulas are compared match by match with the best one: a difference of less
than two standard errors is no difference.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt

from formats.ratings import FAMILIES, RatedMatch, Settings, winner_chances

FEWEST = 100
"""Matches without which no comparison is made."""
STANDARD_ERRORS = 2.0
MIN_CHANCE = 1e-12


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
class FormulaRanking:
    """Formulas, the best first, over so many matches."""

    matches: int
    predictions: tuple[Prediction, ...]


def compare_families(
    matches: Iterable[RatedMatch], families: Mapping[str, Settings] = FAMILIES
) -> FormulaRanking | None:
    """Compare the formulas on these matches; None with fewer than `FEWEST`."""
    ordered = sorted(matches)
    if len(ordered) < FEWEST:
        return None
    losses = {
        family: [-log(max(chance, MIN_CHANCE)) for chance in winner_chances(settings, ordered)]
        for family, settings in families.items()
    }
    means = {family: sum(own) / len(own) for family, own in losses.items()}
    best = min(means, key=lambda family: means[family])
    predictions = [
        Prediction(family, means[family], means[family] - means[best], _standard_error(own, losses[best]))
        for family, own in losses.items()
    ]
    return FormulaRanking(len(ordered), tuple(sorted(predictions, key=lambda prediction: prediction.loss)))


def _standard_error(losses: Sequence[float], best: Sequence[float]) -> float:
    """The standard error of the mean paired difference."""
    differences = [own - other for own, other in zip(losses, best, strict=True)]
    mean = sum(differences) / len(differences)
    variance = sum((difference - mean) ** 2 for difference in differences) / (len(differences) - 1)
    return sqrt(variance / len(differences))
