"""Which rating formula would have predicted the matches of a pool best, for the pool's page."""

from dataclasses import dataclass

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from matches.models import RatingPool
from matches.ratings import rated
from matches.ratings.rated import BEGINNING
from players.rating_comparison import FEWEST, Prediction, compare_families
from players.ratings import FAMILIES

MOST = 20_000
"""Only so many of the latest matches are compared."""
OWN = "own"
"""The pool's own settings, if they are none of the families."""
LABELS = {
    OWN: gettext_lazy("The settings of this pool"),
    "fibs": gettext_lazy("FIBS: √ of the length, K falls from 5"),
    "slow_ramp": gettext_lazy("√ of the length, K falls slowly from 2"),
    "belgian": gettext_lazy("√ of the length, K is always 1 (Belgium)"),
    "danish": gettext_lazy("A point at stake for each point of the match (Denmark)"),
    "nardgammon": gettext_lazy("√ of the length, scale 400 (nardgammon)"),
    "elo_by_length": gettext_lazy("Elo with a stake for each length"),
    "glicko2": gettext_lazy("Glicko-2, by weeks, without the length"),
}


@dataclass(frozen=True, slots=True)
class FormulaRow:
    """A formula, as compared with the best: its label and figures as text."""

    label: str
    loss: str
    behind: str
    may_be_as_good: bool
    """Whether it is not the best, but the difference may be chance."""
    is_own: bool


@dataclass(frozen=True, slots=True)
class Formulas:
    """The comparison, the best formula first; no rows if there are too few matches."""

    matches: int
    fewest: int
    rows: tuple[FormulaRow, ...]

    @property
    def sentence(self) -> str:
        """What the comparison says."""
        best = {"formula": self.rows[0].label}
        if any(row.may_be_as_good for row in self.rows):
            return _("“%(formula)s” has predicted these matches best, but those marked may be as good.") % best
        return _("“%(formula)s” has predicted these matches best.") % best


def formulas_of(pool: RatingPool) -> Formulas:
    """Compare the formulas on the latest rated matches of the pool, each predicted by those before it."""
    matches = sorted(rated.rated_matches(pool, BEGINNING, rated.merged_players()))[-MOST:]
    families = dict(FAMILIES)
    own = next((code for code, settings in families.items() if settings == pool.settings), OWN)
    if own == OWN:
        families[OWN] = pool.settings
    comparison = compare_families(matches, families)
    predictions = () if comparison is None else comparison.predictions
    return Formulas(len(matches), FEWEST, tuple(_row(prediction, own) for prediction in predictions))


def _row(prediction: Prediction, own: str) -> FormulaRow:
    figures = {"behind": number_format(prediction.behind, 4), "error": number_format(prediction.error, 4)}
    return FormulaRow(
        label=str(LABELS[prediction.family]),
        loss=number_format(prediction.loss, 4),
        behind=_("%(behind)s ± %(error)s behind") % figures if prediction.behind else _("best"),
        may_be_as_good=prediction.behind > 0 and prediction.is_as_good,
        is_own=prediction.family == own,
    )
