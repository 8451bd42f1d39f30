"""What the page of a match or a record shows of its analysis, as values for the template."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby, pairwise
from math import ceil
from statistics import fmean
from typing import Any

from django.conf import settings
from django.utils.translation import gettext, ngettext

from core.charts import Axes, ChartFrame, Drawing, Mark, path
from engine.cube import Side
from matches.analysis import labels
from matches.analysis.access import SeenAnalysis, Subject, side_in_match
from matches.analysis.arithmetic import SideSummary
from matches.analysis.labels import scene_of
from matches.analysis.line import waiting_in_line
from matches.analysis.values import LEFT_OUT, DecisionPhase
from matches.models import Analysis, Decision
from matches.records.replays import event_path

# The winning chances through a match as SVG coordinates, ready for the template. Pure functions.


MARGIN = 12


@dataclass(frozen=True, slots=True)
class GraphSize(ChartFrame):
    """The size of a drawing, and how fine it is."""

    strips: int
    """Most parts of the width that lead to a position each."""
    label_width: int
    """The least width of a game for its label."""


MIN_LABEL = 16
"""The least width of a game for its number alone."""
DESK = GraphSize(
    "desk", width=750, height=250, left=48, right=MARGIN, top=MARGIN, bottom=26, strips=120, label_width=58
)
PHONE = GraphSize(
    "phone", width=340, height=210, left=46, right=MARGIN, top=MARGIN, bottom=22, strips=40, label_width=58
)
LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True)
class Moment:
    """A decision: the chance of side 0 to win the match before it."""

    game: int
    side: Side
    chance: float
    url: str
    words: str
    """The place, the roll and the play, e.g. “Game 5, roll 18: 62: 23/15”."""
    is_blunder: bool = False


HALF_SQUARE = 6


@dataclass(frozen=True, slots=True)
class GraphDrawing(Drawing):
    """The graph drawn in one size; its spots are blunders, circles of side 0 and squares of side 1."""

    bands: Sequence[dict[str, Any]] = ()
    """The games: their parts of the width."""
    strips: Sequence[dict[str, Any]] = ()
    """Parts of the width that lead to the position drawn in their middle."""


@dataclass(frozen=True, slots=True)
class ChanceGraph:
    """The drawings, and the same in figures."""

    drawings: tuple[GraphDrawing, ...]
    games: tuple[dict[str, Any], ...]
    blunders: int


def graph(
    moments: Sequence[Moment], winner: Side | None, sizes: Sequence[GraphSize] = (DESK, PHONE)
) -> ChanceGraph | None:
    """Draw the moments, in their order and evenly spaced, and the end of the match; None for fewer than two."""
    if len(moments) < 2:
        return None
    return ChanceGraph(
        drawings=tuple(_draw(moments, winner, size) for size in sizes),
        games=tuple(_chances(list(rows)) for _, rows in groupby(moments, key=lambda moment: moment.game)),
        blunders=sum(moment.is_blunder for moment in moments),
    )


def _chances(moments: list[Moment]) -> dict[str, Any]:
    """The chances of side 0 in one game, for the table beside the graph."""
    chances = [moment.chance for moment in moments]
    figures = (chances[0], min(chances), max(chances), chances[-1])
    return {
        "game": moments[0].game,
        # At the first decision, the lowest, the highest, and at the last decision.
        "percents": [labels.percent(figure) for figure in figures],
        "url": moments[0].url,
    }


def _draw(moments: Sequence[Moment], winner: Side | None, size: GraphSize) -> GraphDrawing:
    axes = Axes(size, len(moments), 0, 1)
    places = axes.places(moment.chance for moment in moments)
    if winner is not None:
        places.append((float(size.right_end), float(size.top if winner == 0 else size.floor)))
    line = path(places)
    middle = round(size.floor - size.span / 2, 1)
    bands = _bands(moments, size, axes.across)
    return GraphDrawing(
        size,
        axes.levels(LEVELS, lambda chance: f"{100 * chance:g} %"),
        line,
        [Mark(band["middle"], band["label"]) for band in bands if band["label"]],
        area=f"{line}L{places[-1][0]:g} {middle:g}L{size.left} {middle:g}Z",
        spots=[
            {
                "x": x,
                "y": y,
                "left": round(x - HALF_SQUARE, 1),
                "top": round(y - HALF_SQUARE, 1),
                "side": moment.side,
                "url": moment.url,
                "words": moment.words,
            }
            for (x, y), moment in zip(places, moments, strict=False)
            if moment.is_blunder
        ],
        bands=bands,
        strips=_strips(moments, size, axes.across),
    )


def _bands(moments: Sequence[Moment], size: GraphSize, across: float) -> list[dict[str, Any]]:
    bands, start = [], 0
    for number, (game, rows) in enumerate(groupby(moments, key=lambda moment: moment.game)):
        count = len(list(rows))
        x, width = size.left + start * across, count * across
        bands.append(
            {
                "game": game,
                "x": round(x, 1),
                "width": round(width, 1),
                "middle": round(x + width / 2, 1),
                "is_shaded": number % 2 == 1,
                # Empty where there is no space.
                "label": _label(game, width, size),
            }
        )
        start += count
    return bands


def _label(game: int, width: float, size: GraphSize) -> str:
    if width >= size.label_width:
        return gettext("Game %(number)s") % {"number": game}
    return str(game) if width >= MIN_LABEL else ""


def _strips(moments: Sequence[Moment], size: GraphSize, across: float) -> list[dict[str, Any]]:
    count = min(len(moments), size.strips)
    edges = [len(moments) * number // count for number in range(count + 1)]
    return [
        {
            "x": round(size.left + start * across, 1),
            "width": round((end - start) * across, 1),
            "url": moments[(start + end - 1) // 2].url,
            "words": moments[(start + end - 1) // 2].words,
        }
        for start, end in pairwise(edges)
    ]


BIGGEST = 3
"""Errors shown with a board."""
MAX_LISTED = 40
"""Errors in the list below them."""
USUAL_SECONDS = 20.0
"""CPU seconds of an analysis while none is known."""
RECENT = 20


@dataclass(frozen=True, slots=True)
class SideFigures:
    """How one side played, in words."""

    side: Side
    name: str
    is_shown: bool
    pr: str = ""
    sampling_error: str = ""
    decisions: str = ""
    errors: str = ""
    rating: float | None = None
    """The performance rating as a number; None without counted decisions, or if it is not shown."""
    error: float | None = None
    """Its standard error."""
    luck: str = ""
    """In chances of winning the match; of a money session in equity."""
    without_luck: str = ""
    """What the side would have scored without luck; only where both sides are shown."""


@dataclass(frozen=True, slots=True)
class MatchAnalysis:
    state: str
    """A state of `Analysis`."""
    failure: str = ""
    """The code of the reason why it was given up."""
    program: str = ""
    left_out: str = ""
    """Which games could not be analysed, in words."""
    wait: str = ""
    """How long the analysis will take, in words."""
    figures: tuple[SideFigures, ...] = ()
    phases: tuple[dict[str, Any], ...] = ()
    """Empty where no decision counts."""
    graph: ChanceGraph | None = None
    graph_name: str = ""
    biggest: tuple[dict[str, Any], ...] = ()
    errors: tuple[dict[str, Any], ...] = ()
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
        left_out=_left_out(seen.analysis.settings.get(LEFT_OUT, ())),
        figures=figures,
        phases=_phases(seen),
        graph=graph(_moments(seen, subject), subject.winner),
        graph_name=subject.names[0],
        biggest=tuple(_error(decision, seen, subject, drawn=True) for decision in worst),
        errors=tuple(_error(decision, seen, subject) for decision in wrong[:MAX_LISTED]),
        errors_count=len(wrong),
    )


def biggest_error(seen: SeenAnalysis, subject: Subject, side: Side) -> dict[str, Any] | None:
    """The costliest decision of a side of the match, on a board without what was played and what was best."""
    worst = worst_decision(seen, side)
    if worst is None:
        return None
    error = _error(worst, seen, subject, drawn=True)
    scene = error["scene"]
    return {**error, "scene": replace(scene, starts=(), ends=(), arrows=(), played=()) if scene is not None else None}


def worst_decision(seen: SeenAnalysis, side: Side) -> Decision | None:
    """The costliest decision of a side of the match; None if nothing that counts was an error."""
    own = [row for row in seen.decisions if row.counted and side_in_match(seen.analysis, row.side) == side]
    worst = max(own, key=lambda row: row.error, default=None)
    return worst if worst is not None and labels.severity(worst.error) else None


def place(decision: Decision) -> str:
    """Where a decision was made, e.g. “Game 5, 6-2”."""
    game = gettext("Game %(number)s") % {"number": decision.game}
    return f"{game}, {'-'.join(roll)}" if (roll := roll_of(decision)) else game


def roll_of(decision: Decision) -> str:
    """The roll of a checker play, its higher die first, e.g. “62”; empty for a cube decision."""
    dice = decision.xgid.split(":")[4] if decision.kind == Decision.Kind.PLAY else ""
    return "".join(sorted(dice, reverse=True)) if dice.isdigit() and dice != "00" else ""


def lost_winning(decision: Decision) -> str:
    """What a decision cost, e.g. “cost 14 % of the match”; in equity where the chances are unknown."""
    if decision.error_winning is None:
        return gettext("cost {equity}").format(equity=labels.number(decision.error, 3))
    return gettext("cost {percent} of the match").format(percent=labels.percent(decision.error_winning, 1))


def figures_of(seen: SeenAnalysis, subject: Subject) -> tuple[SideFigures, ...]:
    """How both sides of the subject played, side 0 first."""
    totals = seen.summary
    is_complete = all(seen.shown) and subject.winner is not None and not seen.analysis.settings.get(LEFT_OUT)
    without_luck = totals.luck_adjusted(side_in_match(seen.analysis, subject.winner or 0)) if is_complete else None
    is_money = all(not decision.own_away for decision in seen.decisions)

    def luck_of(record_side: Side) -> str:
        own = totals.sides[record_side]
        return labels.signed(own.luck, 2) if is_money else labels.signed_percent(own.luck_winning)

    rows = []
    for side, name in enumerate(subject.names):
        record_side = side_in_match(seen.analysis, side)
        if not seen.is_done or not seen.shown[record_side]:
            rows.append(SideFigures(side, name, is_shown=False))
            continue
        own = without_luck[record_side] if without_luck is not None else None
        rows.append(_side(side, name, totals.sides[record_side], without_luck=own, luck=luck_of(record_side)))
    return tuple(rows)


def _left_out(games: Sequence[int]) -> str:
    """The games that could not be analysed, in words; empty if there are none."""
    return (
        ngettext(
            "Game {games} was not analysed: a play in it is not legal, or the program could not judge it.",
            "Games {games} were not analysed: a play in each is not legal, or the program could not judge it.",
            len(games),
        ).format(games=", ".join(map(str, games)))
        if games
        else ""
    )


def _side(side: Side, name: str, totals: SideSummary, *, without_luck: float | None, luck: str) -> SideFigures:
    return SideFigures(
        side,
        name,
        is_shown=True,
        pr=labels.number(totals.pr, 1) if totals.pr is not None else "–",
        sampling_error=labels.number(totals.sampling_error, 1) if totals.sampling_error is not None else "",
        rating=totals.pr,
        error=totals.sampling_error,
        decisions=str(totals.decisions),
        errors=f"{totals.errors}, {totals.blunders}",
        luck=luck,
        without_luck=labels.percent(without_luck) if without_luck is not None else "",
    )


def _phases(seen: SeenAnalysis) -> tuple[dict[str, Any], ...]:
    """The equity that both sides lost by each kind of decision, with the lengths of their bars."""
    sides = seen.summary.sides
    if not any(side.decisions for side in sides):
        return ()
    if seen.analysis.swapped:
        sides = (sides[1], sides[0])
    most = max((side.by_phase[phase].error for side in sides for phase in DecisionPhase), default=0)
    rows = []
    for phase in DecisionPhase:
        lost = [side.by_phase[phase].error for side in sides]
        is_shown = [seen.shown[side_in_match(seen.analysis, side)] for side in (0, 1)]
        left, right = (labels.number(error, 2) if ok else "" for error, ok in zip(lost, is_shown, strict=True))
        bars = [round(100 * error / most) if most else 0 for error in lost]
        rows.append(
            {
                "label": labels.phase(phase),
                "lost": (left, right),
                # From 0 to 100. The left bar ends at 100.
                "bars": bars,
                "left_start": 100 - bars[0],
            }
        )
    return tuple(rows)


def _moments(seen: SeenAnalysis, subject: Subject) -> list[Moment]:
    """The decisions with a known chance, as side 0 of the page sees it."""
    return [
        _moment(decision, decision.winning, seen, subject)
        for decision in seen.decisions
        if decision.winning is not None
    ]


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


def _error(decision: Decision, seen: SeenAnalysis, subject: Subject, *, drawn: bool = False) -> dict[str, Any]:
    side = side_in_match(seen.analysis, decision.side)
    return {
        "side": side,
        "name": subject.names[side],
        "place": place(decision),
        "lost": labels.number(-decision.error, 3),
        "severity": labels.severity(decision.error),
        "played": labels.action(decision.played),
        "best": labels.action(decision.best),
        "url": event_path(subject.replay_url, decision.game, decision.event),
        "scene": scene_of(decision, subject.names, swapped=seen.analysis.swapped) if drawn else None,
    }


def _wait(analysis: Analysis, now: datetime) -> str:
    """How long an open analysis will take, from those before it in line and the CPU time of recent ones.

    An analysis that has run for longer than was said has no estimate any more.
    """
    done = Analysis.objects.filter(state=Analysis.State.DONE, origin=Analysis.Origin.COMPUTED)
    recent = list(done.order_by("-pk").values_list("cpu_seconds", flat=True)[:RECENT])
    seconds = (fmean(recent) if recent else USUAL_SECONDS) / settings.ANALYSIS_CPU_SHARE
    began = analysis.claimed_at if analysis.state == Analysis.State.WORKING else None
    if began is not None and (now - began).total_seconds() > 60 * ceil(seconds / 60):
        return gettext("longer than usual: the server is busy")
    line = waiting_in_line(now)
    before = line.index(analysis.pk) if analysis.pk in line else 0
    working = Analysis.objects.filter(state=Analysis.State.WORKING, claimed_at__isnull=False)
    claims = [at for at in working.values_list("claimed_at", flat=True) if at is not None]
    elapsed = sum(min(seconds, (now - at).total_seconds()) for at in claims)
    minutes = max(1, ceil(((before + 1) * seconds - elapsed) / 60))
    return ngettext("about {count} minute", "about {count} minutes", minutes).format(count=minutes)
