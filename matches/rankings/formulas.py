"""Which rating formula would have predicted the matches of a pool best: asked for, computed by a worker, shown."""

from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.locks import for_update
from core.queue import claim_lasts, hint, resend_after
from formats.rating_comparison import FEWEST, Prediction, compare_families
from formats.ratings import FAMILIES
from matches.models import FormulaComparison, PoolSettings, RatingPool
from matches.models.pool_settings import GLICKO2
from matches.rankings.sentences import FAMILIES as LABELS
from matches.ratings import rated
from matches.ratings.rated import BEGINNING
from players.actors import Actor, log
from players.people.rows import club_topic

COMPARE = "matches.compare_formulas"
"""Name of the Celery task that `hint` publishes."""
MOST = 20_000
"""Only so many of the latest matches are compared."""
OWN = "own"
"""The pool's own settings, if they are none of the families."""
OWN_LABEL = gettext_lazy("The settings of this pool")
KEPT = 5
"""Comparisons of a pool that are kept; the newest is shown."""


def request_comparison(*, pool: RatingPool, by: Actor, now: datetime) -> FormulaComparison:
    """Have the formulas compared by a worker; while a comparison is waiting or computed, return that one."""
    waiting = pool.comparisons.filter(done_at=None)
    try:
        with transaction.atomic():
            row = waiting.first()
            if row is not None:
                return row
            row = FormulaComparison.objects.create(pool=pool, at=now)
            if pool.club is not None:
                log(by, "formulas_compared", club_topic(pool.club), club=pool.club, pool=pool.pk)
            transaction.on_commit(partial(hint, COMPARE, row.pk), robust=True)
            return row
    except IntegrityError:
        # Somebody asked at the same moment.
        return waiting.get()


def compare_next(*, comparison_id: int, now: datetime) -> bool:
    """Compute a comparison, unless it is done or claimed by another worker; return whether it was computed."""
    with transaction.atomic():
        row = for_update(FormulaComparison.objects.filter(pk=comparison_id)).first()
        if row is None or row.done_at is not None or (row.claimed_at and row.claimed_at > now - claim_lasts()):
            return False
        row.claimed_at = now
        row.save(update_fields=["claimed_at"])
    result = _compared(row.pool)
    with transaction.atomic():
        row = for_update(FormulaComparison.objects.filter(pk=comparison_id, claimed_at=now, done_at=None)).first()
        if row is None:
            # The claim has expired, and another worker has taken over.
            return False
        row.result, row.done_at = result, now
        row.save(update_fields=["result", "done_at"])
        old = FormulaComparison.objects.filter(pool=row.pool_id).values_list("pk", flat=True)[KEPT:]
        FormulaComparison.objects.filter(pk__in=list(old)).delete()
    return True


def send_comparisons_again(*, now: datetime) -> int:
    """Publish the task for comparisons that nobody computes; return how many."""
    unclaimed = Q(claimed_at=None, at__lt=now - resend_after()) | Q(claimed_at__lt=now - claim_lasts())
    due = list(FormulaComparison.objects.filter(unclaimed, done_at=None).values_list("pk", flat=True))
    for pk in due:
        hint(COMPARE, pk)
    return len(due)


def _compared(pool: RatingPool) -> dict[str, Any]:
    """Compare the formulas on the latest rated matches of the pool, each predicted by those before it."""
    matches = sorted(rated.rated_matches(pool, BEGINNING, rated.merged_players()))[-MOST:]
    settings, zone = pool.settings, pool.club.time_zone if pool.club is not None else "UTC"
    families = {**FAMILIES, GLICKO2: PoolSettings("", family=GLICKO2).formula(zone)}
    # With another first rating, a formula predicts the same.
    own = next(
        (code for code, usual in families.items() if replace(settings, start_rating=usual.start_rating) == usual), OWN
    )
    if own == OWN:
        families[OWN] = settings
    comparison = compare_families(matches, families)
    predictions = () if comparison is None else comparison.predictions
    return {"matches": len(matches), "own": own, "predictions": [asdict(row) for row in predictions]}


# What the page and the API show.


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
    """A comparison, the best formula first; no rows if there are too few matches."""

    at: datetime
    matches: int
    fewest: int
    rows: tuple[FormulaRow, ...]

    @property
    def sentence(self) -> str:
        best = {"formula": self.rows[0].label}
        return _("“%(formula)s” has predicted these matches best.") % best


def newest_comparison(pool: RatingPool) -> FormulaComparison | None:
    return pool.comparisons.first()


def predictions_of(comparison: FormulaComparison) -> list[Prediction]:
    """The stored predictions, the best first."""
    return [Prediction(**row) for row in comparison.result.get("predictions", ())]


def formulas_of(comparison: FormulaComparison | None) -> Formulas | None:
    """Return a comparison as the page shows it; None before it is done."""
    if comparison is None or comparison.done_at is None:
        return None
    own = comparison.result["own"]
    rows = tuple(_row(prediction, own) for prediction in predictions_of(comparison))
    return Formulas(comparison.at, comparison.result["matches"], FEWEST, rows)


def _row(prediction: Prediction, own: str) -> FormulaRow:
    figures = {"behind": number_format(prediction.behind, 4), "error": number_format(prediction.error, 4)}
    return FormulaRow(
        label=str(LABELS.get(prediction.family, OWN_LABEL)),
        loss=number_format(prediction.loss, 4),
        behind=_("%(behind)s ± %(error)s behind") % figures if prediction.behind else _("best"),
        may_be_as_good=prediction.behind > 0 and prediction.is_as_good,
        is_own=prediction.family == own,
    )
