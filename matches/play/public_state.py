"""The part of a match played here that every reader without a delay sees, as JSON, and what each side may do.

Whoever follows the event stream of a match gets it with each action, and needs not read the match again.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import prefetch_related_objects
from django.utils import timezone
from rest_framework.utils.encoders import JSONEncoder

from engine.actions import Act, GameResult, Phase
from engine.clock import Clock
from engine.cube import Side, doubled, face
from engine.ids import xgid
from engine.match import MatchState
from engine.plays import dice_to_play
from engine.position import Position
from engine.scoring import most_to_lose
from matches.models import Action, DiceChain, LiveMatch
from matches.play.chains import armings_of
from matches.play.live import EventKind, LiveState, from_ms

Json = dict[str, Any]
MAX_RESIGNED = 3
STREAMED = frozenset(
    {
        EventKind.HERE,
        EventKind.READY,
        Act.ROLL,
        Act.PLAY,
        Act.DOUBLE,
        Act.TAKE,
        Act.DROP,
        Act.RESIGN,
        Act.ACCEPT,
        Act.REFUSE,
    }
)
"""Kinds of actions after which a reader knows everything from the stream, as long as nobody is away."""
_MAY_RESIGN = frozenset({Phase.TO_ROLL, Phase.TO_PLAY, Phase.DOUBLED})
_ENCODER = JSONEncoder(separators=(",", ":"))


def streamed_state(live: LiveMatch, state: LiveState, actions: Sequence[Action], public: Json | None = None) -> str:
    """Return what the event stream says after these actions, as JSON; empty where pages have to read the match again.

    It is `public_json`, which may be given, with what each side may do, the actions and the chains. By correspondence
    pages read again, since a player also reads there which other boards wait and what was decided ahead.
    """
    is_away = any(absence.since is not None for absence in state.absences)
    is_streamed = STREAMED.issuperset(action.kind for action in actions)
    if live.correspondence or state.match.is_over or is_away or not is_streamed:
        return ""
    content = {
        **(public or public_json(live, state)),
        # Only the side that has come may claim a no-show, and the answer to its action tells it from when.
        "invitation": invitation_json(live) if state.is_invitation else None,
        "last": live.last,
        "changed_by": live.changed_by,
        "now": timezone.now(),
        "due_at": live.due_at,
        "may": [may_do(state, side, is_practice=live.bot_side is not None) for side in (0, 1)],
        "actions": [action_json(action) for action in actions],
        "chains": [chain_json(chain) for chain in chains_of(live)],
        "armings": [arming.data for arming in armings_of(live)],
    }
    return _ENCODER.encode(content)


def public_json(live: LiveMatch, state: LiveState) -> Json:
    """The game, the clocks and the pauses of a match in some state."""
    return {
        **game_json(state.match),
        "resignations": _resignations(state),
        "here": list(state.here),
        "ready": list(state.ready),
        "pauses": list(state.pauses),
        "vacation_left": [state.vacation_days_left(each) for each in (0, 1)],
        "continues": list(state.continues),
        "paused_until": from_ms(state.paused_until) if state.paused_until is not None else None,
        "clock": clock_json(state.clock) if state.clock else None,
        "spectators_delay": live.spectators_delay,
    }


def invitation_json(live: LiveMatch, claim_from: datetime | None = None) -> Json:
    """Until when a player may still come to a board, or that it is closed."""
    return {"until": live.lapses_at, "is_open": live.lapsed_at is None, "claim_from": claim_from}


def game_json(match: MatchState) -> Json:
    """The score, the position, the cube and the dice."""
    return {
        "phase": match.phase.value,
        "turn": match.turn,
        "to_act": match.to_act,
        "length": match.length,
        "score": list(match.score),
        "game": match.game,
        "games": [_result_json(result, match.length) for result in match.results],
        "crawford": match.crawford,
        "cube": {
            "value": match.cube,
            "owner": match.cube_owner,
            "face": face(match.cube, offered=match.phase is Phase.DOUBLED),
        },
        "dice": list(match.dice) if match.dice else None,
        "dice_to_play": list(dice_to_play(match.dice)) if match.dice else None,
        "checkers": None if match.is_over else list(_seen_by_left(match).counts),
        "pips": None if match.is_over else list(_seen_by_left(match).pips),
        "xgid": None if match.is_over else xgid(match),
        "winner": match.winner,
        "resigned": {"side": match.resigned[0], "multiple": match.resigned[1]} if match.resigned else None,
        "stakes": _stakes(match) if not match.is_over else None,
    }


def _result_json(result: GameResult, length: int) -> Json:
    """How a game ended: who won, in which way, how many points with the cube at what, and the score after it."""
    score = list(result.start)
    score[result.winner] = min(score[result.winner] + result.points, length)
    return {
        "winner": result.winner,
        "kind": result.kind.value,
        "points": result.points,
        "cube": result.cube,
        "score": score,
    }


def _seen_by_left(match: MatchState) -> Position:
    """The position of a match in play as side 0 sees it."""
    return match.position.swapped() if match.turn == 1 else match.position


def may_do(state: LiveState, side: Side | None, *, is_practice: bool = False) -> list[str]:
    """What a side may do now; an empty list for a viewer.

    In practice that includes taking back a decision of this match, if there is one.
    """
    match = state.match
    if side is None or match.is_over:
        return []
    if state.is_paused:
        return ["concede", "continue"] if not state.continues[side] else ["concede"]
    acts = {act.value for act in match.legal_actions()}
    if match.phase is Phase.OPENING:
        acts = acts - {"roll"} | (set() if state.ready[side] else {"ready"}) | (set() if state.here[side] else {"here"})
    elif side != match.to_act:
        acts = (acts & {"concede"}) | ({"claim_flag"} if match.flagged == 1 - side else set())
    if not match.may_double:
        acts.discard("double")
    if state.vacation_days_left(side):
        acts.add("vacation")
    if state.may_pause(side):
        acts.add("pause")
    if "resign" in acts and state.offers[side] == MAX_RESIGNED:
        acts.remove("resign")
    if is_practice and not any(state.ready) and (match.phase is not Phase.OPENING or match.results):
        acts.add("take_back")
    return sorted(acts)


def _stakes(match: MatchState) -> Json:
    """What the game is worth: the cube as it is or was offered, and the scores that each outcome leads to.

    `doubled` is the cube after a double, the one that waits for its answer included. `scores[winner][multiple - 1]` is
    the score after a single game, a gammon or a backgammon at `cube`; `drop` the score after a drop of the double.
    """
    is_doubled = match.phase is Phase.DOUBLED
    after_double = doubled(match.cube)
    cube = after_double if is_doubled else match.cube
    return {
        "cube": cube,
        "doubled": after_double,
        "scores": [[_score_with(match, winner, cube * multiple) for multiple in (1, 2, 3)] for winner in (0, 1)],
        "drop": _score_with(match, match.turn, match.cube) if is_doubled and match.turn is not None else None,
    }


def _resignations(state: LiveState) -> list[Json]:
    """What the side to act may resign, 1, 2 or 3 times the cube, each with the score that it leads to.

    No more than it can still lose, nothing that leads to the score of a lower one, and only more than it has already
    offered in this turn.
    """
    match, side = state.match, state.match.to_act
    if side is None or match.phase not in _MAY_RESIGN:
        return []
    offers: list[Json] = []
    before: list[int] = []
    position = match.position if side == match.turn else match.position.swapped()
    for multiple in range(1, most_to_lose(position) + 1):
        score = _score_with(match, 1 - side, multiple * match.cube)
        if score != before and multiple > state.offers[side]:
            offers.append({"multiple": multiple, "score": score})
        before = score
    return offers


def _score_with(match: MatchState, winner: Side, points: int) -> list[int]:
    """The score with points added for the winner of a game; never above the length."""
    score = list(match.score)
    score[winner] = min(score[winner] + points, match.length)
    return score


def clock_json(clock: Clock) -> Json:
    """The clock in milliseconds; `running_since` is a time, and may lie ahead."""
    return {
        "delay": clock.settings.delay,
        "correspondence": clock.settings.correspondence,
        "sides": [
            {
                "delay": side.delay,
                "bank": side.bank,
                "overtime": side.overtime,
                "vacation": [[from_ms(start), from_ms(end)] for start, end in side.vacation],
                "running_since": from_ms(side.running_since) if side.running_since is not None else None,
            }
            for side in clock.sides
        ],
    }


def chains_of(live: LiveMatch) -> list[DiceChain]:
    """The chains of a match by owner and number; read once for each `live`."""
    prefetch_related_objects([live], "chains")
    return sorted(live.chains.all(), key=lambda chain: (chain.owner, chain.number))


def chain_json(chain: DiceChain) -> Json:
    return {
        "owner": chain.owner,
        "number": chain.number,
        "anchor": chain.anchor,
        "opponent_reveals": chain.opponent_reveals,
        "used": chain.used,
        "latest": chain.latest,
        "kept_by_server": chain.kept_by_server,
    }


def action_json(action: Action) -> Json:
    return {
        "seq": action.seq,
        "kind": action.kind,
        "side": action.side,
        "at": action.at,
        "data": action.data,
        "credit": action.credit,
    }
