"""What the page of a match or a record shows of its analysis, as values for the template."""

from dataclasses import dataclass
from datetime import datetime
from math import ceil
from statistics import fmean

from django.conf import settings
from django.utils.translation import gettext, ngettext

from engine.cube import Side
from matches.analysis import labels
from matches.analysis.arithmetic import SideSummary
from matches.analysis.graph import Graph, Moment, graph
from matches.analysis.positions import scene_of
from matches.analysis.subjects import Subject
from matches.analysis.values import Phase
from matches.analysis.visibility import SeenAnalysis, side_in_match
from matches.models import Analysis, Decision
from matches.records.board import Scene
from matches.records.replays import event_path

BIGGEST = 3
"""Errors shown with a board."""
MOST_LISTED = 40
"""Errors in the list below them."""
USUAL_SECONDS = 20.0
"""CPU seconds of an analysis while none is known."""
RECENT = 20


@dataclass(frozen=True, slots=True)
class Figures:
    """How one side played, in words."""

    side: Side
    name: str
    is_shown: bool
    pr: str = ""
    sampling_error: str = ""
    decisions: str = ""
    errors: str = ""
    luck: str = ""
    """In chances of winning the match; of a money session in equity."""
    without_luck: str = ""
    """What the side would have scored without luck; only where both sides are shown."""


@dataclass(frozen=True, slots=True)
class PhaseRow:
    """The equity that both sides lost by one kind of decision, with the lengths of their bars."""

    label: str
    lost: tuple[str, str]
    bars: tuple[int, int]
    """From 0 to 100."""

    @property
    def left_start(self) -> int:
        """Where the left bar begins, which ends at 100."""
        return 100 - self.bars[0]


@dataclass(frozen=True, slots=True)
class ShownError:
    """A decision that lost equity."""

    side: Side
    name: str
    place: str
    lost: str
    severity: str
    played: str
    best: str
    url: str
    scene: Scene | None = None


@dataclass(frozen=True, slots=True)
class MatchAnalysis:
    """The analysis of a match, ready for the template."""

    state: str
    """A state of `Analysis`."""
    failure: str = ""
    """The code of the reason why it was given up."""
    program: str = ""
    wait: str = ""
    """How long the analysis will take, in words."""
    figures: tuple[Figures, ...] = ()
    phases: tuple[PhaseRow, ...] = ()
    """Empty where no decision counts."""
    graph: Graph | None = None
    graph_name: str = ""
    biggest: tuple[ShownError, ...] = ()
    errors: tuple[ShownError, ...] = ()
    """All errors in the order of the match, at most 40."""
    errors_count: int = 0

    @property
    def is_open(self) -> bool:
        """Whether the analysis is still to come."""
        return self.state in (Analysis.State.QUEUED, Analysis.State.WORKING)

    @property
    def is_shown(self) -> bool:
        """Whether the reader sees how at least one side played."""
        return any(figures.is_shown for figures in self.figures)


def section(seen: SeenAnalysis, subject: Subject, now: datetime) -> MatchAnalysis:
    """Build the section of an analysis."""
    if not seen.is_done:
        wait = _wait(seen.analysis, now) if seen.analysis.is_open else ""
        return MatchAnalysis(seen.analysis.state, failure=seen.analysis.failure, wait=wait)
    figures = figures_of(seen, subject)
    if not any(seen.shown):
        return MatchAnalysis(seen.analysis.state, figures=figures)
    wrong = [decision for decision in seen.decisions if decision.counted and labels.severity(decision.error)]
    worst = sorted(wrong, key=lambda decision: -decision.error)[:BIGGEST]
    return MatchAnalysis(
        state=seen.analysis.state,
        program=labels.program(seen.analysis),
        figures=figures,
        phases=_phases(seen),
        graph=graph(_moments(seen, subject), subject.winner),
        graph_name=subject.names[0],
        biggest=tuple(_error(decision, seen, subject, drawn=True) for decision in worst),
        errors=tuple(_error(decision, seen, subject) for decision in wrong[:MOST_LISTED]),
        errors_count=len(wrong),
    )


def place(decision: Decision) -> str:
    """Where a decision was made, e.g. “Game 5, 62”."""
    game = gettext("Game {number}").format(number=decision.game)
    return f"{game}, {roll}" if (roll := roll_of(decision)) else game


def roll_of(decision: Decision) -> str:
    """The roll of a checker play, e.g. “62”; empty for a cube decision."""
    dice = decision.xgid.split(":")[4] if decision.kind == Decision.Kind.PLAY else ""
    return dice if dice.isdigit() and dice != "00" else ""


def lost_winning(decision: Decision) -> str:
    """What a decision cost, e.g. “cost 14 % of the match”; in equity where the chances are unknown."""
    if decision.error_winning is None:
        return gettext("cost {equity}").format(equity=labels.number(decision.error, 3))
    return gettext("cost {percent} of the match").format(percent=labels.percent(decision.error_winning, 1))


def figures_of(seen: SeenAnalysis, subject: Subject) -> tuple[Figures, ...]:
    """How both sides of the subject played, side 0 first."""
    totals = seen.summary
    without_luck = totals.luck_adjusted(_in_record(seen, subject.winner)) if _is_complete(seen, subject) else None
    is_money = all(not decision.own_away for decision in seen.decisions)

    def luck_of(record_side: Side) -> str:
        own = totals.sides[record_side]
        return labels.signed(own.luck, 2) if is_money else labels.signed_percent(own.luck_winning)

    rows = []
    for side, name in enumerate(subject.names):
        record_side = side_in_match(seen.analysis, side)
        if not seen.is_done or not seen.shown[record_side]:
            rows.append(Figures(side, name, is_shown=False))
            continue
        own = without_luck[record_side] if without_luck is not None else None
        rows.append(_side(side, name, totals.sides[record_side], without_luck=own, luck=luck_of(record_side)))
    return tuple(rows)


def _is_complete(seen: SeenAnalysis, subject: Subject) -> bool:
    return all(seen.shown) and subject.winner is not None


def _in_record(seen: SeenAnalysis, winner: Side | None) -> Side:
    return side_in_match(seen.analysis, winner or 0)


def _side(side: Side, name: str, totals: SideSummary, *, without_luck: float | None, luck: str) -> Figures:
    return Figures(
        side,
        name,
        is_shown=True,
        pr=labels.number(totals.pr, 1) if totals.pr is not None else "–",
        sampling_error=labels.number(totals.sampling_error, 1) if totals.sampling_error is not None else "",
        decisions=str(totals.decisions),
        errors=f"{totals.errors}, {totals.blunders}",
        luck=luck,
        without_luck=labels.percent(without_luck) if without_luck is not None else "",
    )


def _phases(seen: SeenAnalysis) -> tuple[PhaseRow, ...]:
    sides = seen.summary.sides
    if not any(side.decisions for side in sides):
        return ()
    if seen.analysis.swapped:
        sides = (sides[1], sides[0])
    most = max((side.by_phase[phase].error for side in sides for phase in Phase), default=0)
    rows = []
    for phase in Phase:
        lost = [side.by_phase[phase].error for side in sides]
        is_shown = [seen.shown[side_in_match(seen.analysis, side)] for side in (0, 1)]
        left, right = (labels.number(error, 2) if ok else "" for error, ok in zip(lost, is_shown, strict=True))
        bars = [round(100 * error / most) if most else 0 for error in lost]
        rows.append(PhaseRow(labels.phase(phase), (left, right), (bars[0], bars[1])))
    return tuple(rows)


def _moments(seen: SeenAnalysis, subject: Subject) -> list[Moment]:
    """The decisions with a known chance, as side 0 of the page sees it."""
    return [_moment(decision, decision.winning, seen, subject) for decision in seen.decisions if _is_drawn(decision)]


def _is_drawn(decision: Decision) -> bool:
    return decision.winning is not None


def _moment(decision: Decision, winning: float | None, seen: SeenAnalysis, subject: Subject) -> Moment:
    side = side_in_match(seen.analysis, decision.side)
    own = winning or 0.0
    is_blunder = decision.counted and labels.severity(decision.error) == "blunder"
    words = f"{place(decision)} · {subject.names[side]}: {labels.action(decision.played)}"
    return Moment(
        game=decision.game,
        side=side,
        chance=own if side == 0 else 1 - own,
        url=event_path(subject.replay_url, decision.game, decision.event),
        words=f"{words}, {lost_winning(decision)}" if is_blunder else words,
        is_blunder=is_blunder,
    )


def _error(decision: Decision, seen: SeenAnalysis, subject: Subject, *, drawn: bool = False) -> ShownError:
    side = side_in_match(seen.analysis, decision.side)
    return ShownError(
        side=side,
        name=subject.names[side],
        place=place(decision),
        lost=labels.number(-decision.error, 3),
        severity=labels.severity(decision.error),
        played=labels.action(decision.played),
        best=labels.action(decision.best),
        url=event_path(subject.replay_url, decision.game, decision.event),
        scene=scene_of(decision, subject.names, swapped=seen.analysis.swapped) if drawn else None,
    )


def _wait(analysis: Analysis, now: datetime) -> str:
    """How long an open analysis will take, from those before it in the queue and the CPU time of recent ones."""
    done = Analysis.objects.filter(state=Analysis.State.DONE, origin=Analysis.Origin.COMPUTED)
    recent = list(done.order_by("-pk").values_list("cpu_seconds", flat=True)[:RECENT])
    seconds = (fmean(recent) if recent else USUAL_SECONDS) / settings.ANALYSIS_CPU_SHARE
    waiting = Analysis.objects.filter(state__in=[Analysis.State.QUEUED, Analysis.State.WORKING])
    before = waiting.filter(created_at__lte=analysis.created_at).exclude(pk=analysis.pk).count()
    running = (now - analysis.claimed_at).total_seconds() if analysis.claimed_at else 0
    minutes = max(1, ceil(((before + 1) * seconds - max(0, running)) / 60))
    return ngettext("about {count} minute", "about {count} minutes", minutes).format(count=minutes)
