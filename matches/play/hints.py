"""Hints in practice: what a program would do, and why there is none for a position that others are playing.

A member's hint comes from the analysis program of the site, which a worker asks; the page asks again until it is there.
A guest's waits in a queue behind everything else that a program has to do. Where there is no program, where it gives no
answer, or where too many guests wait, the Club Bot says what it would do.

Nobody gets help with a match between people: see `is_in_play`.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from itertools import combinations_with_replacement
from random import Random
from typing import Any, NamedTuple

import structlog
from django.core.cache import cache
from django.db.models import F

from core.queue import hint as send
from core.queue import messages_in
from engine.actions import Act, Phase
from engine.bots import Bot, decide, ranked_plays
from engine.cube import Side
from engine.errors import Refused
from engine.ids import parse_xgid, xgid
from engine.keys import BAR
from engine.match import MatchState
from engine.plays import legal_plays
from engine.position import Position, position_of
from engine.resolution import resolve
from engine.search import Dice
from matches.analysis.backends.base import Backend, Depth
from matches.analysis.backends.chosen import installed_backend_name
from matches.analysis.values import CubeAction, CubeEquities, Judgement
from matches.models import Action, LiveMatch, Match
from matches.play.bots import PROGRAM_NAMES, has_choice
from matches.play.codec import from_data

Json = dict[str, Any]
log = structlog.get_logger(__name__)

# Whether a position is on the board of a match between people, or was a short while ago.
#
# Nothing is written for it while people play: the boards of the matches that are being played are read, and the actions
# of those few that could have had the position in one of their last turns. Playing those turns again from the position
# has to lead to what is on the board now.


TURNS_BEFORE = 2
"""A position counts for so many turns after its own."""
OPENING_PLIES = 3
"""Positions that so many turns can lead to are known to everybody."""
MAX_MOVED = 4
"""Checkers of a side that a turn moves, or hits, at most."""
ACTIONS_READ = 60
"""Of the latest actions of a match; its last turns take a dozen, and whoever goes away and comes back adds some."""
_OF_TURNS = (Act.ROLL, Act.PLAY, Act.DOUBLE, Act.TAKE)


class Turn(NamedTuple):
    dice: Dice | None
    takers: tuple[Side, ...]
    moves: tuple[tuple[int, ...], ...] | None
    """None where it has not been played yet."""


def is_in_play(asked: MatchState) -> bool:
    """Whether the decision is on the board of a running match between people or was in its last two turns.

    It is the same decision with the same checkers, dice and cube, whatever the score, the players or their colours.
    """
    rows = LiveMatch.objects.filter(match__state=Match.State.LIVE, bot_side__isnull=True, begun_at__isnull=False)
    boards: dict[int, MatchState] = {}
    for pk, state in rows.values_list("pk", "state").iterator():
        board = from_data(state).match
        if any(_may_lead_to(asked.position, board.position, count) for count in range(TURNS_BEFORE + 1)):
            boards[pk] = board
    if not boards:
        return False
    recent: dict[int, list[Action]] = {pk: [] for pk in boards}
    actions = Action.objects.filter(live__in=boards, kind__in=_OF_TURNS, seq__gt=F("live__last") - ACTIONS_READ)
    for action in actions.order_by("live_id", "seq"):
        recent[action.live_id].append(action)
    return any(_had(board, turns_of(recent[pk]), asked) for pk, board in boards.items())


def _may_lead_to(asked: Position, board: Position, turns: int) -> bool:
    """Whether so few turns could lead from one position to the other; each moves and hits a few checkers."""
    after = board.swapped() if turns % 2 else board
    own = opposing = 0
    for before, now in zip(asked.counts, after.counts, strict=True):
        own += max(0, max(0, before) - max(0, now))
        opposing += max(0, max(0, -before) - max(0, -now))
    return max(own, opposing) <= MAX_MOVED * turns


def turns_of(actions: Sequence[Action]) -> list[Turn]:
    """The turns of the game that is on the board, as far as these actions go back; the last one is not played yet."""
    turns = [Turn(None, (), None)]
    for action in actions:
        turn = turns[-1]
        if action.kind == Act.ROLL:
            left, right = action.data["dice"]
            if action.side is None:
                turns, turn = [], Turn(None, (), None)
            turns[-1:] = [turn._replace(dice=(left, right))]
        elif action.kind == Act.TAKE and action.side is not None:
            turns[-1] = turn._replace(takers=(*turn.takers, action.side))
        elif action.kind == Act.PLAY:
            turns[-1] = turn._replace(moves=tuple(tuple(way) for way in action.data["moves"]))
            turns.append(Turn(None, (), None))
    return turns


def _had(board: MatchState, turns: Sequence[Turn], asked: MatchState) -> bool:
    """Whether one of the last turns began with what is asked about."""
    if board.turn is None:
        return False
    for count in range(min(TURNS_BEFORE + 1, len(turns))):
        since = turns[-1 - count :]
        side = board.turn if count % 2 == 0 else 1 - board.turn
        if _same_dice(since[0].dice, asked.dice) and _leads_to(asked.position, since[:-1], board.position):
            # A take comes before the roll, so that it has changed the cube only for a decision before the dice.
            takers = [taker for turn in (since if asked.dice is None else since[1:]) for taker in turn.takers]
            if _cube(board.cube, board.cube_owner, side) == _cube_after(asked, takers, side):
                return True
    return False


def _same_dice(rolled: Dice | None, asked: Dice | None) -> bool:
    return asked is None or (rolled is not None and sorted(rolled) == sorted(asked))


def _leads_to(position: Position, turns: Sequence[Turn], end: Position) -> bool:
    """Whether playing these turns from a position gives another."""
    for turn in turns:
        if turn.dice is None or turn.moves is None:
            return False
        try:
            position = position_of(resolve(position.key, turn.dice, turn.moves).key).swapped()
        except Refused:
            return False
    return position == end


def _cube(value: int, owner: Side | None, side: Side) -> tuple[int, str]:
    return value, "" if owner is None else "own" if owner == side else "other"


def _cube_after(asked: MatchState, takers: Sequence[Side], side: Side) -> tuple[int, str]:
    """The cube that is asked about, after these takes; `side` is the side of a running match that is on roll there."""
    value, owner = asked.cube, asked.cube_owner
    seen = _cube(value, owner, asked.turn if asked.turn is not None else 0)
    for taker in takers:
        seen = _cube(2 * seen[0], taker, side)
    return seen


@lru_cache(maxsize=1000)
def is_of_opening(position: Position) -> bool:
    """Whether a position, seen by the side on roll, can arise within the first three plies of a game."""
    start = Position.start()
    return any(_arises(start, plies, position, is_first=True) for plies in range(OPENING_PLIES + 1))


def _arises(position: Position, plies: int, target: Position, *, is_first: bool) -> bool:
    """Whether so many plies can lead from a position to the target, seen by the side that is on roll there."""
    if plies == 0:
        return position == target
    if not _may_lead_to(position, target, plies):
        return False
    return any(
        _arises(after, plies - 1, target, is_first=False)
        for dice in combinations_with_replacement(range(1, 7), 2)
        if not (is_first and dice[0] == dice[1])
        for after in _nexts(position, dice, plies, target)
    )


def _nexts(position: Position, dice: Dice, plies: int, target: Position) -> Iterator[Position]:
    """The positions after a roll, seen by the opponent; with one more ply to come only those that can still fit.

    A mover who plays no more has its checkers where they are in the target, or they are hit and on the bar there. (So
    early, a roll that cannot be played in full is so rare that it is left out.)
    """
    is_last_of_mover = plies == 2
    full = sum(dice) * (2 if dice[0] == dice[1] else 1)
    if is_last_of_mover and not target.counts[BAR] and position.pips[0] - target.pips[0] != full:
        return
    own = [(point, count) for point, count in enumerate(target.counts[:BAR]) if count > 0]
    for play in legal_plays(position, dice):
        after = play.result
        counts = after.counts
        if not is_last_of_mover or all(counts[point] >= count for point, count in own):
            yield after.swapped()


# What a hint says.


MAX_SHOWN = 3
CLUB_BOT = ""
"""In place of the name of a program."""


def hint_by_program(state: MatchState, program: Backend) -> Json:
    """The best choices of the side to act, with what each other loses. Refused: what `Backend.advise` refuses."""
    return _shown(state, PROGRAM_NAMES.get(program.name, program.name), program.advise(state, Depth.DEEP))


def hint_by_club_bot(state: MatchState) -> Json:
    """The best choices of the side to act as the Club Bot sees them, which does not know what another one loses."""
    if state.phase is Phase.TO_PLAY:
        names = [str(play) for play in ranked_plays(state)[:MAX_SHOWN]]
    else:
        names = [_CUBE_CHOICES[decide(state, Bot.CLUB, Random(0)).act]]  # noqa: S311, no secret
    return _json(state, CLUB_BOT, [(name, None) for name in names])


_CUBE_CHOICES = {
    Act.DOUBLE: CubeAction.DOUBLE,
    Act.ROLL: CubeAction.NO_DOUBLE,
    Act.TAKE: CubeAction.TAKE,
    Act.DROP: CubeAction.DROP,
}


def _shown(state: MatchState, program: str, judgement: Judgement) -> Json:
    if judgement.equities is not None:
        return _json(state, program, _cube_choices(judgement.equities, is_answer=state.phase is Phase.DOUBLED))
    best = judgement.candidates[0].equity
    rows = [(each.play, max(0.0, best - each.equity)) for each in judgement.candidates[:MAX_SHOWN]]
    return _json(state, program, rows)


def _cube_choices(equities: CubeEquities, *, is_answer: bool) -> list[tuple[str, float | None]]:
    """Both choices with what they lose, the better one first."""
    doubled = min(equities.double_take, equities.double_pass)
    worth: dict[CubeAction, float] = (
        {CubeAction.TAKE: -equities.double_take, CubeAction.DROP: -equities.double_pass}
        if is_answer
        else {CubeAction.NO_DOUBLE: equities.no_double, CubeAction.DOUBLE: doubled}
    )
    best = max(worth.values())
    return [(choice.value, best - worth[choice]) for choice in sorted(worth, key=worth.__getitem__, reverse=True)]


def _json(state: MatchState, program: str, rows: Sequence[tuple[str, float | None]]) -> Json:
    kind = {Phase.TO_PLAY: "play", Phase.DOUBLED: "take"}.get(state.phase, "double")
    choices = [{"choice": str(name), "loss": None if loss is None else round(loss, 3)} for name, loss in rows]
    return {"kind": kind, "program": program, "choices": choices}


# Asking for a hint. A program is asked by a worker, never in a request; what it said is kept for a while.


ADVISE, ADVISE_GUEST = "matches.advise", "matches.advise_guest"
"""The tasks that a message names: for a member, and for a guest, behind everything else."""
GUESTS = "guests"
"""The queue of the second."""
MAX_WAITING = 30
"""Guests whose hint a program is asked for at once."""
PATIENCE = timedelta(seconds=20)
"""How long a hint is waited for; then the Club Bot gives one."""
KEPT_FOR = 600


def hint(*, state: MatchState, side: Side, is_guest: bool, now: datetime) -> Json | None:
    """The hint for the decision of a side in practice; None while a program is still asked: ask again in a second.

    Refused: `nothing_to_decide`, `hint_in_play`.
    """
    if state.to_act != side or not has_choice(state):
        raise Refused("nothing_to_decide")
    if is_in_play(state) and not is_of_opening(state.position):
        raise Refused("hint_in_play")
    question = xgid(state)
    key = _key(question)
    stored = cache.get(key)
    if stored is None and installed_backend_name() and not (is_guest and messages_in(GUESTS) >= MAX_WAITING):
        # Of two requests at once only one sends the question.
        if cache.add(key, {"asked": now.timestamp()}, KEPT_FOR):
            send(ADVISE_GUEST if is_guest else ADVISE, question)
        return None
    if stored is not None and "hint" in stored:
        return dict(stored["hint"])
    if stored is not None and now.timestamp() < stored["asked"] + PATIENCE.total_seconds():
        return None
    return hint_by_club_bot(state)


def answer(question: str, program: Backend | None) -> None:
    """Have a program answer a question, and keep its hint; the Club Bot's where it gives none."""
    state = parse_xgid(question)
    try:
        shown = hint_by_program(state, program) if program is not None else hint_by_club_bot(state)
    except Refused as refused:
        log.warning("hint_failed", code=refused.code, question=question)
        shown = hint_by_club_bot(state)
    cache.set(_key(question), {"hint": shown}, KEPT_FOR)


def _key(question: str) -> str:
    return f"hint:{sha256(question.encode()).hexdigest()[:32]}"
