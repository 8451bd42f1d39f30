"""Which decisions count, and the totals of an analysis: pure functions (docs/analysis.md has worked examples)."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from matches.analysis.values import CubeEquities, DecisionPhase

PR_FACTOR = 500
"""The performance rating is the mean error of the counted decisions, in equity, times this."""
MIN_SPREAD = 1e-4
"""Plays whose best and worst equities are closer than this are no decision."""
OBVIOUS_ERROR, OBVIOUS_MARGIN = 1e-3, 0.2
"""A double decision is obvious if less is lost and the boundary is at least so far away."""
ERROR, BLUNDER = 0.02, 0.08
"""Equity from which a decision is called an error or a blunder."""


class Judged(Protocol):
    """What the totals need of a decision; the stored decisions and `JudgedDecision` have it."""

    @property
    def side(self) -> int: ...
    @property
    def phase(self) -> str: ...
    @property
    def error(self) -> float: ...
    @property
    def error_winning(self) -> float | None: ...
    @property
    def luck(self) -> float | None: ...
    @property
    def luck_winning(self) -> float | None: ...
    @property
    def counted(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class PhaseTotal:
    decisions: int
    error: float


@dataclass(frozen=True, slots=True)
class SideSummary:
    decisions: int
    """Those that count."""
    error: float
    """Sum of the errors of the counted decisions, in equity."""
    pr: float | None
    """Performance rating; None without counted decisions."""
    sampling_error: float | None
    """One standard error of the performance rating; None with fewer than two decisions."""
    errors: int
    """Counted decisions that lost at least 0.02 and less than 0.08."""
    blunders: int
    """Counted decisions that lost at least 0.08."""
    error_winning: float
    """Sum of the chances of winning the match that the counted decisions lost."""
    luck: float
    """Sum over the rolls, in equity."""
    luck_winning: float
    """The same in chances of winning the match."""
    by_phase: Mapping[DecisionPhase, PhaseTotal]
    """Every phase, also those without decisions."""


@dataclass(frozen=True, slots=True)
class RecordSummary:
    sides: tuple[SideSummary, SideSummary]

    def luck_adjusted(self, winner: int) -> tuple[float, float]:
        """Return what each side would have scored without luck: 1 for the winner and 0 for the loser, less net luck.

        The sum is 1. A value above 1 or below 0 means that the winner won against the dice, or lost in spite of them.
        """
        net = self.sides[0].luck_winning - self.sides[1].luck_winning
        left = (1.0 if winner == 0 else 0.0) - net
        return left, 1.0 - left


def summary(decisions: Iterable[Judged]) -> RecordSummary:
    rows = list(decisions)
    left, right = (_side_summary([row for row in rows if row.side == side]) for side in (0, 1))
    return RecordSummary((left, right))


def performance_rating(errors: Sequence[float]) -> float | None:
    """Return 500 times the mean of these errors of counted decisions; None if there are none.

    >>> performance_rating([0.0, 0.03, 0.0, 0.01])
    5.0
    """
    return PR_FACTOR * math.fsum(errors) / len(errors) if errors else None


def sampling_error(errors: Sequence[float]) -> float | None:
    """Return one standard error of the performance rating: 500 · s / √n with the sample deviation s.

    None if there are fewer than two errors.

    >>> round(sampling_error([0.0, 0.03, 0.0, 0.01]), 4)
    3.5355
    """
    count = len(errors)
    if count < 2:
        return None
    mean = math.fsum(errors) / count
    variance = math.fsum((error - mean) ** 2 for error in errors) / (count - 1)
    return PR_FACTOR * math.sqrt(variance / count)


def play_counts(*, choices: int, spread: float, automatic: bool = False) -> bool:
    """Return whether a play counts.

    `choices` is the number of positions that legal plays lead to, `spread` the difference between the best and the
    worst equity.
    """
    return not automatic and choices > 1 and spread >= MIN_SPREAD


def double_counts(*, equities: CubeEquities, error: float) -> bool:
    """Return whether a decision to double or not counts, where the rules allow a double that is not dead.

    It does not if it is obvious: little was lost and the boundary is far away.
    """
    return error >= OBVIOUS_ERROR or equities.margin < OBVIOUS_MARGIN


def double_error(equities: CubeEquities, *, doubled: bool) -> float:
    """Return what the side that may double lost by its decision; the answer is taken to be the best.

    >>> round(double_error(CubeEquities(0.60, 0.70, 1.0), doubled=False), 3)
    0.1
    """
    best = max(equities.no_double, equities.doubled)
    return best - (equities.doubled if doubled else equities.no_double)


def take_error(equities: CubeEquities, *, taken: bool) -> float:
    """Return what the side that was doubled lost by its answer.

    >>> round(take_error(CubeEquities(0.80, 1.15, 1.0), taken=True), 3)
    0.15
    """
    return (equities.double_take if taken else equities.double_pass) - equities.doubled


def _side_summary(rows: Sequence[Judged]) -> SideSummary:
    counted = [row for row in rows if row.counted]
    errors = [row.error for row in counted]
    return SideSummary(
        decisions=len(counted),
        error=math.fsum(errors),
        pr=performance_rating(errors),
        sampling_error=sampling_error(errors),
        errors=sum(ERROR <= error < BLUNDER for error in errors),
        blunders=sum(error >= BLUNDER for error in errors),
        error_winning=math.fsum(row.error_winning or 0 for row in counted),
        luck=math.fsum(row.luck or 0 for row in rows),
        luck_winning=math.fsum(row.luck_winning or 0 for row in rows),
        by_phase={phase: _phase_total(counted, phase) for phase in DecisionPhase},
    )


def _phase_total(counted: Sequence[Judged], phase: DecisionPhase) -> PhaseTotal:
    errors = [row.error for row in counted if row.phase == phase]
    return PhaseTotal(len(errors), math.fsum(errors))
