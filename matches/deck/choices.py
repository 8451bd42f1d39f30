"""A decision as a question: a board, a few answers, and what each of them costs."""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Self

import structlog
from django.core.cache import cache

from core.queue import hint as send
from engine import parse_play, parse_xgid
from engine.bots import ranked_plays
from engine.errors import Refused
from engine.match import MatchState
from engine.match import Phase as MatchPhase
from engine.resolution import resolve
from matches.analysis.backends.base import Backend, Depth
from matches.analysis.backends.chosen import is_any_installed
from matches.analysis.judging import stakes
from matches.analysis.situations import situation_of
from matches.analysis.values import CubeAction, CubeEquities
from matches.models import Decision
from matches.review.sentences import play_sentence

log = structlog.get_logger(__name__)

RIGHT = 0.02
"""A play that loses less equity is right."""
MIN_CHOICES = 3
"""Answers to a play, where there are as many."""


@dataclass(frozen=True, slots=True)
class AnswerChoice:
    """An answer: a play in our notation or a `CubeAction`, and the equity it loses."""

    play: str
    loss: float
    chances: tuple[float, ...] | None = None
    """As in `Decision.chances`, by the side that decides; only of plays, and only where an analysis has stored them."""
    shots_cost: bool | None = None
    """Whether it loses by the shots it leaves (`matches.review.gate`)."""


@dataclass(frozen=True, slots=True)
class DecisionQuestion:
    """What is asked, without a name, a match or a date; `as_json` and `of_json` store it."""

    kind: str
    """A `Decision.Kind`."""
    xgid: str
    """The position with its roll, cube and score."""
    own_away: int
    """Points that the side to decide needs; 0 for money."""
    opposing_away: int
    best: str
    choices: tuple[AnswerChoice, ...]
    """Ordered by their notation, which says nothing about them."""

    @property
    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of_json(cls, data: dict[str, Any]) -> Self:
        """The question that was stored. Raises TypeError or KeyError for anything else."""
        rows = ({**each, "chances": each["chances"] and tuple(each["chances"])} for each in data["choices"])
        return cls(**data | {"choices": tuple(AnswerChoice(**row) for row in rows)})

    @property
    def state(self) -> MatchState:
        return parse_xgid(self.xgid)

    def outcome(self, play: str) -> int | str:
        """What tells a play from another: the position after it, or the cube action.

        Refused: `bad_notation`, and what `engine.resolution.resolve` refuses of a play that is not legal.
        """
        if self.kind != Decision.Kind.PLAY:
            return play
        state = self.state
        assert state.dice is not None  # noqa: S101, a play has a roll
        return resolve(state.position.key, state.dice, parse_play(play)).key


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    loss: float | None
    """Equity; None if nothing can judge it, so that it counts as no answer."""
    cost: float | None
    """The same as a chance (0–1) to win the match; None for money."""
    is_right: bool | None
    is_almost: bool
    """Right, but not the best."""
    sentence: str
    """Why the best is better, in the reader's language; empty where there is nothing true to say."""


def question_of(decision: Decision) -> DecisionQuestion | None:
    """The question that a judged decision asks; None if it cannot be read or leaves no choice."""
    try:
        state = parse_xgid(decision.xgid)
        stakes(situation_of(state))
        choices = _plays(decision, state) if decision.kind == Decision.Kind.PLAY else _cube_actions(decision)
    except Refused:
        return None
    if len(choices) < 2:
        return None
    best = min(choices, key=lambda choice: choice.loss).play
    return DecisionQuestion(
        decision.kind, decision.xgid, decision.own_away, decision.opposing_away, best, tuple(choices)
    )


def judged(question: DecisionQuestion, play: str, loss: float | None = None) -> JudgedAnswer:
    """What a play costs by the stored analysis.

    Of a play that this does not have, `loss` is what a program says, or nothing is known (see `advised`).
    Refused: as `DecisionQuestion.outcome`.
    """
    outcome = question.outcome(play)
    choice = next((each for each in question.choices if question.outcome(each.play) == outcome), None)
    if choice is not None:
        loss = choice.loss
    if loss is None:
        return JudgedAnswer(None, None, None, is_almost=False, sentence="")
    worth = stakes(situation_of(question.state))
    cost = worth.difference(loss) if worth is not None else None
    reason = _sentence(question, choice) if choice is not None else ""
    return JudgedAnswer(loss, cost, loss < RIGHT, is_almost=0 < loss < RIGHT, sentence=reason)


def _sentence(question: DecisionQuestion, choice: AnswerChoice) -> str:
    """What the best play gains; empty without the chances of both, and for the best play itself."""
    best = next(each for each in question.choices if each.play == question.best)
    if best == choice or best.chances is None or choice.chances is None:
        return ""
    plays, chances = (best.play, choice.play), (best.chances, choice.chances)
    return play_sentence(question.xgid, plays, chances, shots_cost=choice.shots_cost)


# A play that is not among the answers is judged by the analysis program, which a worker asks, never a request.


JUDGE = "matches.judge_plays"
PATIENCE = timedelta(seconds=20)
"""How long a program is waited for; then the play counts as no answer."""
KEPT_FOR = 600


def advised(question: DecisionQuestion, play: str, now: datetime) -> JudgedAnswer | None:
    """As `judged`, but of any legal play; None while a program is still asked: ask again in a second.

    Refused: as `DecisionQuestion.outcome`.
    """
    answer = judged(question, play)
    if answer.loss is not None or not is_any_installed():
        return answer
    key = _key(question.xgid)
    stored = cache.get(key)
    if stored is None:
        # Of two requests at once only one sends the question.
        if cache.add(key, {"asked": now.timestamp()}, KEPT_FOR):
            send(JUDGE, question.xgid)
        return None
    if "losses" in stored:
        return judged(question, play, stored["losses"].get(question.outcome(play)))
    return None if now.timestamp() < stored["asked"] + PATIENCE.total_seconds() else answer


def judge_plays(xgid: str, program: Backend | None) -> None:
    """Keep for a while what each play of a position loses, as a program says; nothing where it gives no answer."""
    state = parse_xgid(xgid)
    losses: dict[int, float] = {}
    if program is not None and state.dice is not None:
        try:
            candidates = program.advise(state, Depth.DEEP).candidates
        except Refused as refused:
            log.warning("play_not_judged", code=refused.code, xgid=xgid)
            candidates = ()
        for each in candidates:
            key = resolve(state.position.key, state.dice, parse_play(each.play)).key
            losses[key] = max(0.0, candidates[0].equity - each.equity)
    cache.set(_key(xgid), {"losses": losses}, KEPT_FOR)


def _key(xgid: str) -> str:
    return f"judged-plays:{sha256(xgid.encode()).hexdigest()[:32]}"


def _plays(decision: Decision, state: MatchState) -> list[AnswerChoice]:
    """The best play, the one that was made, the next best and the Club Bot's; other candidates where that is too few.

    Refused: as `DecisionQuestion.outcome`.
    """
    if state.phase is not MatchPhase.TO_PLAY or state.dice is None or not decision.candidates:
        return []
    ranked = ranked_plays(state)
    names = {play.result.key: str(play) for play in ranked}
    highest = decision.candidates[0]["equity"]
    known: dict[int, AnswerChoice] = {}
    wanted: list[int] = []
    for row in decision.candidates:
        key = resolve(state.position.key, state.dice, parse_play(row["play"])).key
        chances = row.get("chances")
        loss = max(0.0, highest - row["equity"])
        known.setdefault(key, AnswerChoice(names[key], loss, chances and tuple(chances), row.get("shots_cost")))
        if row["play"] == decision.played or row.get("played"):
            wanted.append(key)
    others = list(known)
    wanted = [others[0], *wanted, *others[1:2]]
    wanted += [key for key in (play.result.key for play in ranked[:1]) if key in known]
    chosen = list(dict.fromkeys(wanted))
    chosen += [key for key in others if key not in chosen][: max(0, MIN_CHOICES - len(chosen))]
    return sorted((known[key] for key in chosen), key=_order, reverse=True)


def _order(choice: AnswerChoice) -> list[tuple[int, ...]]:
    return parse_play(choice.play)


def _cube_actions(decision: Decision) -> list[AnswerChoice]:
    if decision.no_double is None or decision.double_take is None or decision.double_pass is None:
        return []
    cube = CubeEquities(decision.no_double, decision.double_take, decision.double_pass)
    worth = (
        {CubeAction.DOUBLE: cube.doubled, CubeAction.NO_DOUBLE: cube.no_double}
        if decision.kind == Decision.Kind.DOUBLE
        else {CubeAction.TAKE: -cube.double_take, CubeAction.DROP: -cube.double_pass}
    )
    most = max(worth.values())
    return [AnswerChoice(action.value, most - value) for action, value in worth.items()]
