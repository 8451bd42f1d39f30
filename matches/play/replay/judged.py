"""What a replay shows of an analysis: for each step who stands how, what was best, and where the errors are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext

from engine.cube import Side
from matches.analysis import labels
from matches.analysis.values import CubeAction
from matches.analysis.visibility import SeenAnalysis
from matches.models import Decision
from matches.records import replays
from matches.records.replays import PlayedGame, Step

Kind = Decision.Kind


@dataclass(frozen=True, slots=True)
class Bar:
    """The winning chances of both sides."""

    left: int
    """Of side 0, in percent."""
    texts: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Choice:
    """A candidate play or a cube action with its equity."""

    name: str
    equity: str
    lost: str
    """Empty for the best one, and where it is unknown."""
    is_best: bool
    is_played: bool


@dataclass(frozen=True, slots=True)
class ShownDecision:
    """One decision with its candidates, best first."""

    headline: str
    severity: str
    """`blunder`, `error` or nothing."""
    choices: tuple[Choice, ...]
    is_play: bool


@dataclass(frozen=True, slots=True)
class JudgedStep:
    """The decisions at one step: whether to double, then the play."""

    number: int
    bar: Bar | None
    decisions: tuple[ShownDecision, ...]

    @property
    def severity(self) -> str:
        """The worst severity of its decisions."""
        severities = {decision.severity for decision in self.decisions}
        return "blunder" if "blunder" in severities else "error" if "error" in severities else ""


@dataclass(frozen=True, slots=True)
class Errors:
    """Where the errors of a match are, as seen from one of its games."""

    here: tuple[int, ...]
    """Steps of this game."""
    before: int
    """How many are in earlier games."""
    total: int
    later: Step | None
    """The first one in a later game."""

    def next_after(self, step: int, game: int) -> Step | None:
        """The next error after a step of this game; None if there is none."""
        number = next((number for number in self.here if number > step), None)
        return (game, number) if number is not None else self.later

    def index_after(self, step: int) -> int:
        """The number of that error in the match, from 1."""
        return self.before + sum(number <= step for number in self.here) + 1


def judged_steps(seen: SeenAnalysis, game: PlayedGame) -> tuple[JudgedStep, ...]:
    """Return the steps of a game that have judged decisions."""
    by_event: dict[int, list[Decision]] = {}
    for decision in seen.decisions:
        if decision.game == game.index:
            by_event.setdefault(decision.event, []).append(decision)
    return tuple(_step(moment.number, by_event[moment.event]) for moment in game.moments if moment.event in by_event)


def marked(game: PlayedGame, steps: Iterable[JudgedStep]) -> PlayedGame:
    """Return the game with its errors marked."""
    severities = {step.number: step.severity for step in steps}
    moments = tuple(replace(moment, severity=severities.get(moment.number, "")) for moment in game.moments)
    return replace(game, moments=moments)


def errors_of(seen: SeenAnalysis, match: replays.ReplayedMatch, game: int) -> Errors:
    """Return where the errors are, as seen from a game."""
    wrong = [row for row in seen.decisions if row.counted and labels.severity(row.error)]
    places = sorted({(row.game, row.event) for row in wrong})
    later = next((match.step_at_event(*place) for place in places if place[0] > game), None)
    here = {match.step_at_event(*place) for place in places if place[0] == game}
    return Errors(
        here=tuple(sorted(step[1] for step in here if step is not None)),
        before=sum(place[0] < game for place in places),
        total=len(places),
        later=later,
    )


def _step(number: int, decisions: list[Decision]) -> JudgedStep:
    doubles_first = sorted(decisions, key=lambda decision: decision.kind == Kind.PLAY)
    known = [decision for decision in doubles_first if decision.winning is not None]
    bar = _bar(known[-1].side, known[-1].winning or 0.0) if known else None
    return JudgedStep(number, bar, tuple(_judged(decision) for decision in doubles_first))


def _bar(side: Side, winning: float) -> Bar:
    left = winning if side == 0 else 1 - winning
    return Bar(round(100 * left), (labels.percent(left), labels.percent(1 - left)))


def _judged(decision: Decision) -> ShownDecision:
    severity = labels.severity(decision.error) if decision.counted else ""
    return ShownDecision(_headline(decision, severity), severity, _choices(decision), decision.kind == Kind.PLAY)


def _headline(decision: Decision, severity: str) -> str:
    lost = labels.number(-decision.error, 3)
    if severity == "blunder":
        return gettext("A blunder: {lost}").format(lost=lost)
    if severity == "error":
        return gettext("An error: {lost}").format(lost=lost)
    if decision.played == decision.best or decision.error == 0:
        return gettext("The best play") if decision.kind == Kind.PLAY else gettext("The right cube decision")
    return gettext("Nearly the best: {lost}").format(lost=lost)


def _choices(decision: Decision) -> tuple[Choice, ...]:
    if decision.kind == Kind.PLAY:
        rows = [(row["play"], row["equity"], bool(row.get("played"))) for row in decision.candidates]
        return _ranked(rows)
    return _cube_choices(decision)


def _cube_choices(decision: Decision) -> tuple[Choice, ...]:
    """The cube actions with equities of the side that decides."""
    if decision.no_double is None or decision.double_take is None or decision.double_pass is None:
        return ()
    if decision.kind == Kind.DOUBLE:
        doubled = min(decision.double_take, decision.double_pass)
        equities = {CubeAction.DOUBLE: doubled, CubeAction.NO_DOUBLE: decision.no_double}
    else:
        equities = {CubeAction.TAKE: -decision.double_take, CubeAction.DROP: -decision.double_pass}
    rows = sorted(equities.items(), key=lambda row: -row[1])
    return _ranked([(labels.action(action.value), equity, decision.played == action) for action, equity in rows])


def _ranked(rows: Sequence[tuple[str, float, bool]]) -> tuple[Choice, ...]:
    """Choices of name, equity and whether it was played, best first.

    One with a higher equity than the best was looked at less deeply, so that nothing is known to be lost by it.
    """
    best = rows[0][1] if rows else 0.0
    return tuple(
        Choice(
            name,
            labels.signed(equity, 3),
            lost="" if number == 0 or equity > best else labels.number(equity - best, 3),
            is_best=number == 0,
            is_played=is_played,
        )
        for number, (name, equity, is_played) in enumerate(rows)
    )
