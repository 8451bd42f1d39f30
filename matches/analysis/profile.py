"""How a player has played over time: performance rating by match, by length and by kind, and single decisions."""

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, F, Q, QuerySet, Sum
from django.urls import reverse
from django.utils.translation import gettext

from matches.analysis import labels
from matches.analysis.access import analyses_of_results, is_open_to_analysis, players_shown, replay_url
from matches.analysis.arithmetic import PR_FACTOR
from matches.analysis.labels import scene_of
from matches.analysis.match_analysis import roll_of
from matches.analysis.values import DecisionPhase
from matches.models import Analysis, Decision, Match
from matches.presentation.labels import length as length_label
from matches.presentation.visibility import Viewer
from matches.ratings.rated import merged_players
from matches.records.board import Scene
from matches.records.replays import event_path
from players.models import Player

MAX_MATCHES = 200
"""The latest matches that are counted."""
WINDOW = 10
"""Matches of which each point of the line is the mean."""
WORST, BEST = 3, 3
UNKNOWN = "–"
"""Shown for a figure that takes more decisions than there are."""
READ_FOR_BEST = 600
"""The latest right plays among which the best are looked for."""


@dataclass(frozen=True, slots=True)
class Total:
    """Counted decisions and the sums of their errors and of the squares of these."""

    decisions: int = 0
    error: float = 0.0
    squares: float = 0.0

    def __add__(self, other: "Total") -> "Total":
        return Total(self.decisions + other.decisions, self.error + other.error, self.squares + other.squares)

    @property
    def pr(self) -> float:
        """The performance rating; 0 without decisions."""
        return PR_FACTOR * self.error / self.decisions if self.decisions else 0.0

    @property
    def sampling_error(self) -> float:
        """One standard error of the performance rating; 0 with fewer than two decisions."""
        if self.decisions < 2:
            return 0.0
        variance = max(0.0, self.squares - self.error**2 / self.decisions) / (self.decisions - 1)
        return PR_FACTOR * math.sqrt(variance / self.decisions)

    @property
    def pr_text(self) -> str:
        return labels.number(self.pr, 1) if self.decisions else UNKNOWN

    @property
    def sampling_text(self) -> str:
        """Its standard error in words."""
        return labels.number(self.sampling_error, 1) if self.decisions > 1 else UNKNOWN


@dataclass(frozen=True, slots=True)
class ProfileMatch:
    match: Match
    opponent: str
    at: datetime | None
    total: Total
    url: str


@dataclass(frozen=True, slots=True)
class LengthRow:
    """The matches of one length, in points."""

    length: int
    total: Total
    matches: int

    @property
    def label(self) -> str:
        return str(length_label(self.length))


@dataclass(frozen=True, slots=True)
class KindRow:
    phase: DecisionPhase
    total: Total

    @property
    def label(self) -> str:
        return labels.phase(self.phase)


@dataclass(frozen=True, slots=True)
class ProfileDecision:
    match: Match
    decision: Decision
    difference: float
    """Equity that it lost; of a right play, what the second best would have lost."""
    opponent: str
    roll: str
    played: str
    best: str
    lost: str
    url: str
    scene: Scene | None


@dataclass(frozen=True, slots=True)
class Quality:
    matches: tuple[ProfileMatch, ...]
    """Oldest first."""
    total: Total
    by_length: tuple[LengthRow, ...]
    by_kind: tuple[KindRow, ...]
    worst: tuple[ProfileDecision, ...]
    best: tuple[ProfileDecision, ...]


def quality(player: Player, viewer: Viewer) -> Quality | None:
    """Return how a player has played as far as the viewer may see; None if the player keeps it to themselves."""
    if player.pk not in players_shown(viewer, {player.pk}):
        return None
    same = {pk for pk, into in merged_players().items() if into == player.pk} | {player.pk}
    analyses = _analyses(same, viewer)
    sides = {row.pk: _side(row, same) for row in analyses}
    totals = _totals(sides)
    matches = tuple(_match(row, sides[row.pk], totals.get(row.pk, {})) for row in reversed(analyses))
    counted = tuple(row for row in matches if row.total.decisions)
    return Quality(
        matches=counted,
        total=_sum(row.total for row in counted),
        by_length=_by_length(counted),
        by_kind=_by_kind(totals.values()),
        worst=_worst(sides, analyses),
        best=_best(sides, analyses),
    )


def performance_by_match(players: Collection[int], matches: Collection[int]) -> dict[int, str]:
    """Return match id -> performance rating in words, of these matches of one person, for those that were analysed.

    `players` are the person's player and those merged into it. For the person alone: what others may see is `quality`.
    """
    rows = analyses_of_results().filter(match__in=matches).select_related("match__live").order_by("-pk")
    analyses = _once_a_match(rows)
    totals = _totals({row.pk: _side(row, set(players)) for row in analyses})
    sums = {row.match_id: _sum(totals[row.pk].values()) for row in analyses if row.pk in totals}
    return {match: total.pr_text for match, total in sums.items() if match is not None}


def _analyses(players: set[int], viewer: Viewer) -> list[Analysis]:
    """The latest analyses of finished matches of these players that the viewer may see, the newest first."""
    theirs = Q(match__player_0__in=players) | Q(match__player_1__in=players)
    rows = analyses_of_results().filter(viewer.visible("match__"), theirs)
    rows = rows.select_related("match__live", "match__player_0", "match__player_1", "submission")
    return _once_a_match(rows.order_by("-match__finished_at", "-pk")[:MAX_MATCHES])


def _once_a_match(rows: Iterable[Analysis]) -> list[Analysis]:
    """The newest analysis of each match that is over."""
    by_match: dict[int, Analysis] = {}
    for row in rows:
        if row.match is not None and is_open_to_analysis(row.match):
            by_match.setdefault(row.match.pk, row)
    return list(by_match.values())


def _side(analysis: Analysis, players: set[int]) -> int:
    side = 0 if analysis.analysed_match.player_0_id in players else 1
    return 1 - side if analysis.swapped else side


def _own(sides: Mapping[int, int]) -> QuerySet[Decision]:
    """The counted decisions of the player."""
    of_sides = [
        Q(analysis__in=[pk for pk, own in sides.items() if own == side], side=side) for side in set(sides.values())
    ]
    condition = of_sides[0] | of_sides[-1] if of_sides else Q(pk__in=())
    return Decision.objects.filter(condition, counted=True)


def _totals(sides: Mapping[int, int]) -> dict[int, dict[str, Total]]:
    rows = _own(sides).order_by().values_list("analysis", "phase")
    totals: dict[int, dict[str, Total]] = {}
    for analysis, phase, count, error, squares in rows.annotate(
        Count("pk"), Sum("error"), squares=Sum(F("error") * F("error"))
    ):
        totals.setdefault(analysis, {})[phase] = Total(count, error, squares)
    return totals


def _sum(totals: Iterable[Total]) -> Total:
    return sum(totals, Total())


def _match(analysis: Analysis, side: int, by_phase: Mapping[str, Total]) -> ProfileMatch:
    match = analysis.analysed_match
    own = 1 - side if analysis.swapped else side
    return ProfileMatch(
        match,
        match.names[1 - own],
        match.finished_at,
        _sum(by_phase.values()),
        reverse("match", args=[match.public_id]),
    )


def _by_length(matches: Iterable[ProfileMatch]) -> tuple[LengthRow, ...]:
    by_length: dict[int, list[Total]] = {}
    for row in matches:
        by_length.setdefault(row.match.length, []).append(row.total)
    return tuple(LengthRow(length, _sum(totals), len(totals)) for length, totals in sorted(by_length.items()))


def _by_kind(totals: Iterable[Mapping[str, Total]]) -> tuple[KindRow, ...]:
    by_phase: dict[str, Total] = {}
    for phases in totals:
        for phase, total in phases.items():
            by_phase[phase] = by_phase.get(phase, Total()) + total
    return tuple(KindRow(phase, by_phase[phase]) for phase in DecisionPhase if phase in by_phase)


def _worst(sides: Mapping[int, int], analyses: list[Analysis]) -> tuple[ProfileDecision, ...]:
    rows = _own(sides).filter(error__gt=0).order_by("-error", "pk")[:WORST]
    return tuple(_shown(row, analyses, sides) for row in rows)


def _best(sides: Mapping[int, int], analyses: list[Analysis]) -> tuple[ProfileDecision, ...]:
    """The right plays whose second-best alternative would have cost most."""
    right = _own(sides).filter(kind=Decision.Kind.PLAY, error=0).order_by("-analysis_id", "-pk")[:READ_FOR_BEST]
    rows = sorted(right, key=lambda row: -_gap(row))[:BEST]
    return tuple(_shown(row, analyses, sides, saved=_gap(row)) for row in rows if _gap(row) > 0)


def _gap(decision: Decision) -> float:
    """The equity between the best candidate and the next highest."""
    best, *others = [float(row["equity"]) for row in decision.candidates] or [0.0]
    return best - max(others) if others else 0.0


def _shown(
    decision: Decision, analyses: list[Analysis], sides: Mapping[int, int], saved: float | None = None
) -> ProfileDecision:
    analysis = next(row for row in analyses if row.pk == decision.analysis_id)
    match = analysis.analysed_match
    left, right = match.names
    own = 1 - sides[analysis.pk] if analysis.swapped else sides[analysis.pk]
    return ProfileDecision(
        match=match,
        decision=decision,
        difference=decision.error if saved is None else saved,
        opponent=gettext("against {name}").format(name=match.names[1 - own]),
        roll=roll_of(decision),
        played=labels.action(decision.played),
        best=labels.action(decision.best),
        lost=labels.number(-decision.error, 3) if saved is None else labels.signed(saved, 3),
        url=event_path(replay_url(analysis, match), decision.game, decision.event),
        scene=scene_of(decision, (left, right), swapped=analysis.swapped),
    )
