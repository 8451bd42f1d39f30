"""Hints in practice, and none for what Bob and Carol have on their board."""

from itertools import product
from random import Random
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from engine.actions import Act, Phase
from engine.bots import Bot, decide
from engine.errors import Refused
from engine.ids import parse_xgid, xgid
from engine.match import MatchState
from engine.plays import legal_plays
from engine.position import Position
from matches.analysis.backends.base import Backend, Depth
from matches.analysis.values import Candidate, CubeEquities, Judgement
from matches.models import Match
from matches.play import bots, due, hints
from matches.play.bots import has_choice
from matches.play.codec import to_data
from matches.play.hints import TURNS_BEFORE, is_in_play, is_of_opening
from matches.play.lobby.guests import GuestMatch
from players.models import Player, User
from tests.matches.analysis.programs import Indifferent
from tests.matches.cast import player_of
from tests.matches.play.conftest import START, Board, refused
from tests.matches.play.lobby.test_guests import next_step, played
from tests.matches.play.lobby.test_lobby_pages import as_
from tests.matches.play.lobby.test_practice import live_of, play_on, practise

TO_PLAY = parse_xgid("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:5:10")
TO_ROLL = TO_PLAY._replace(phase=Phase.TO_ROLL, dice=None)
DOUBLED = TO_PLAY._replace(phase=Phase.DOUBLED, dice=None)
MIDDLE = parse_xgid("XGID=-b--BBBBC---cA---cbbbA-aA-:0:0:1:31:0:0:0:5:10")


@pytest.fixture(autouse=True)
def _no_program(settings: Any) -> None:
    settings.ANALYSIS_BACKEND = "off"
    cache.clear()


class Rating(Indifferent):
    """Rates the plays in alphabetical order, each 0.1 below the one before, and the cube always the same."""

    def advise(self, state: MatchState, depth: Depth) -> Judgement:
        assert depth is Depth.DEEP
        if state.phase is not Phase.TO_PLAY:
            return Judgement(equities=CubeEquities(0.5, 1.2, 1.0))
        return Judgement(
            tuple(Candidate(play, -n / 10, None, "") for n, play in enumerate(sorted(map(str, state.legal_plays()))))
        )


class Broken(Indifferent):
    """Never answers."""

    def advise(self, state: MatchState, depth: Depth) -> Judgement:
        raise Refused("analysis_timed_out")


@pytest.fixture
def player(bob: User) -> Player:
    return player_of(bob)


def mirrored(state: MatchState) -> MatchState:
    """The same decision with the sides exchanged."""
    assert state.turn is not None
    owner = None if state.cube_owner is None else 1 - state.cube_owner
    return state._replace(turn=1 - state.turn, cube_owner=owner, score=(state.score[1], state.score[0]))


# What is in play


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.postgresql
@pytest.mark.parametrize("seed", [1, 2])
def test_a_decision_is_in_play_for_its_own_turn_and_two_more(board: Board, seed: int) -> None:
    """Compared with what was seen on the board at the time."""
    chance, seen = Random(seed), list[tuple[int, MatchState]]()
    turn, doubles = 0, 0
    board.open_game()
    for _ in range(40):
        game = board.game
        if game.is_over or game.phase is Phase.OPENING:
            break
        if has_choice(game):
            seen.append((turn, game))
        for when, asked in seen[-7:]:
            is_recent = turn - when <= TURNS_BEFORE
            repeats = [at for at, other in seen if turn - at <= TURNS_BEFORE and same_decision(other, asked)]
            is_mirrored = chance.random() < 0.5
            assert is_in_play(mirrored(asked) if is_mirrored else asked) is (is_recent or bool(repeats)), (turn, when)
        side = game.to_act
        assert side is not None
        decision = decide(game, Bot.CLUB, chance)
        if game.phase is Phase.TO_ROLL and game.may_double and turn in (4, 9):
            board.do(side, Act.DOUBLE)
            doubles += 1
        elif game.phase is Phase.DOUBLED:
            board.do(side, Act.TAKE)
        elif decision.act is Act.PLAY:
            board.do(side, Act.PLAY, moves=decision.moves)
            turn += 1
        else:
            board.do(side, Act.ROLL)
    assert turn > 9
    assert doubles


def same_decision(one: MatchState, other: MatchState) -> bool:
    def facts(state: MatchState) -> tuple[object, ...]:
        owner = None if state.cube_owner is None else state.cube_owner == state.turn
        return state.position, sorted(state.dice or ()), state.cube, owner

    return facts(one) == facts(other)


@pytest.mark.django_db
def test_other_dice_another_cube_and_other_checkers_are_not_in_play(board: Board) -> None:
    board.open_game()
    game = board.game
    assert game.dice is not None
    assert is_in_play(game)
    assert is_in_play(game._replace(dice=game.dice[::-1], score=(1, 0), length=7))
    others = [(a, b) for a, b in product(range(1, 7), repeat=2) if sorted((a, b)) != sorted(game.dice)]
    assert not any(is_in_play(game._replace(dice=dice)) for dice in others)
    assert not is_in_play(game._replace(cube=2, cube_owner=game.turn))
    assert not is_in_play(game._replace(position=MIDDLE.position))
    board.do(1 - board.game.turn if board.game.turn is not None else 0, Act.CONCEDE)
    assert not is_in_play(game), "the match is over"


@pytest.mark.django_db
def test_practice_is_not_in_play(player: Player) -> None:
    match, chance = practise(player, length=3), Random(1)
    for _ in range(4):
        play_on(match, chance)
        bots.act_for_bot(match_id=match.pk, now=START)
    assert not is_in_play(due.state_of(live_of(match)).match)


def test_positions_of_the_first_three_plies_are_openings() -> None:
    chance = Random(4)
    for _ in range(4):
        position = Position.start()
        for ply in range(3):
            dice = (chance.randint(1, 6), chance.randint(1, 6))
            while ply == 0 and dice[0] == dice[1]:
                dice = (chance.randint(1, 6), chance.randint(1, 6))
            plays = legal_plays(position, dice)
            position = (chance.choice(plays).result if plays else position).swapped()
            assert is_of_opening(position), position
    assert is_of_opening(Position.start())
    assert not is_of_opening(MIDDLE.position)


def test_a_position_that_needs_more_plies_is_no_opening() -> None:
    after_two = {
        second.result.swapped()
        for first in legal_plays(Position.start(), (6, 5))
        for second in legal_plays(first.result.swapped(), (2, 1))
    }
    assert after_two
    assert all(map(is_of_opening, sorted(after_two)[::20]))
    moved = Position.from_counts([0, -2, 0, 0, 0, 3, 4, 0, 2, 0, 0, 0, -5, 4, 0, 0, 0, -3, 0, -5, 0, 1, 0, 1, 0, 0])
    assert not is_of_opening(moved), "seven checkers of the side on roll have moved, and it has rolled twice at most"


# What a hint says


def test_a_program_gives_three_plays_with_what_they_lose() -> None:
    given = hints.hint_by_program(TO_PLAY, Rating())
    plays = sorted(map(str, TO_PLAY.legal_plays()))[:3]
    losses = [0.0, 0.1, 0.2]
    assert given["choices"] == [{"choice": p, "loss": loss} for p, loss in zip(plays, losses, strict=True)]
    assert given["kind"] == "play"


@pytest.mark.parametrize(
    ("state", "choices"), [(TO_ROLL, [("double", 0), ("no_double", 0.5)]), (DOUBLED, [("drop", 0), ("take", 0.2)])]
)
def test_a_program_compares_both_choices_of_the_cube(state: MatchState, choices: list[tuple[str, float]]) -> None:
    rows = hints.hint_by_program(state, Rating())["choices"]
    assert [(row["choice"], row["loss"]) for row in rows] == choices


@pytest.mark.parametrize("state", [TO_PLAY, TO_ROLL, DOUBLED, MIDDLE])
def test_the_club_bot_names_what_it_would_do(state: MatchState) -> None:
    given = hints.hint_by_club_bot(state)
    decision = decide(state, Bot.CLUB, Random(0))
    assert given["program"] == ""
    if state.phase is Phase.TO_PLAY:
        names = {tuple((s.source, s.target) for s in play.steps): str(play) for play in state.legal_plays()}
        assert given["choices"][0]["choice"] == names[decision.moves]
    assert all(choice["loss"] is None for choice in given["choices"])


@pytest.mark.parametrize("state", [TO_PLAY, TO_ROLL, DOUBLED, MIDDLE])
def test_a_question_to_a_worker_is_the_same_decision(state: MatchState) -> None:
    again = parse_xgid(xgid(state))
    assert (again.phase, again.position, again.dice, again.cube, again.turn) == (
        state.phase,
        state.position,
        state.dice,
        state.cube,
        state.turn,
    )


# Asking for it


@pytest.mark.django_db
@pytest.mark.parametrize("program", [Rating(), Broken(), None])
def test_the_page_asks_again_until_a_worker_has_answered(
    monkeypatch: pytest.MonkeyPatch, program: Backend | None
) -> None:
    sent: list[tuple[str, str]] = []
    monkeypatch.setattr(hints, "installed_backend_name", lambda: "gnubg")
    monkeypatch.setattr(hints, "send", lambda task, question: sent.append((task, question)))
    monkeypatch.setattr(hints, "messages_in", lambda queue: 0)

    def ask(seconds: int, *, is_guest: bool = False) -> Any:
        now = START + hints.timedelta(seconds=seconds)
        return hints.hint(state=TO_PLAY, side=TO_PLAY.to_act or 0, is_guest=is_guest, now=now)

    assert ask(0) is None
    assert ask(1, is_guest=True) is None
    assert sent == [(hints.ADVISE, xgid(TO_PLAY))]
    hints.answer(sent[0][1], program)
    given = ask(2)
    assert given == (
        hints.hint_by_program(TO_PLAY, program) if isinstance(program, Rating) else hints.hint_by_club_bot(TO_PLAY)
    )


@pytest.mark.django_db
def test_a_guest_has_a_queue_with_a_cap_and_nobody_waits_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    waiting = [hints.MAX_WAITING]
    monkeypatch.setattr(hints, "installed_backend_name", lambda: "gnubg")
    monkeypatch.setattr(hints, "send", lambda task, question: sent.append(task))
    monkeypatch.setattr(hints, "messages_in", lambda queue: waiting[0])
    own = hints.hint_by_club_bot(TO_PLAY)
    assert hints.hint(state=TO_PLAY, side=TO_PLAY.to_act or 0, is_guest=True, now=START) == own
    assert sent == []
    waiting[0] -= 1
    assert hints.hint(state=TO_PLAY, side=TO_PLAY.to_act or 0, is_guest=True, now=START) is None
    assert sent == [hints.ADVISE_GUEST]
    assert hints.hint(state=TO_PLAY, side=TO_PLAY.to_act or 0, is_guest=True, now=START + hints.PATIENCE) == own


@pytest.mark.django_db
def test_a_guest_gets_a_hint_for_an_opening_but_not_for_what_is_in_play(board: Board) -> None:
    guest = played(1, 1)
    while guest.state.match.phase is not Phase.TO_PLAY:
        guest.act(next_step(guest, Random(2)))
    opening = post(guest)
    assert opening.status_code == 200
    assert opening.json()["hint"]["choices"]
    board.open_game()
    later = played(1, 12)
    while later.state.match.phase is not Phase.TO_PLAY or len(later.state.match.legal_plays()) < 2:
        later.act(next_step(later, Random(2)))
    assert not is_of_opening(later.state.match.position)
    assert post(later).status_code == 200
    copy_to(board, later.state.match)
    answer = post(later)
    assert (answer.status_code, answer.json()["code"]) == (409, "hint_in_play")
    assert str(board.match.public_id) not in answer.content.decode()
    copy_to(board, guest.state.match)
    assert is_in_play(guest.state.match)
    assert post(guest).status_code == 200


def post(guest: GuestMatch) -> Any:
    return Client().post("/api/v1/practice/guest/hint/", {"token": guest.token}, "application/json")


def copy_to(board: Board, state: MatchState) -> None:
    """Put a position with its dice on the board of the match between Bob and Carol."""
    live = board.live
    live.actions.filter(kind__in=("roll", "play")).delete()
    current = due.state_of(live)
    live.actions.create(seq=live.last, kind="roll", side=state.turn, data={"dice": state.dice}, at=START, by="system")
    game = current.match._replace(position=state.position, dice=state.dice, turn=state.turn, phase=state.phase)
    live.state = to_data(current._replace(match=game))
    live.save()


@pytest.mark.django_db
def test_a_member_gets_hints_in_practice_only(board: Board) -> None:
    bob = board.users[0]
    match, chance = practise(board.match.player_0, length=3), Random(1)
    page = as_(bob)
    api = f"/api/v1/matches/{match.public_id}/live/hint/"
    assert page.post(api).json()["code"] == "nothing_to_decide"
    for _ in range(9):
        play_on(match, chance)
        bots.act_for_bot(match_id=match.pk, now=START)
    while not has_choice(due.state_of(live_of(match)).match):
        play_on(match, chance)
        bots.act_for_bot(match_id=match.pk, now=START)
    given = page.post(api)
    assert given.status_code == 200, given.content
    assert given.json()["last"] == live_of(match).last
    assert given.json()["hint"]["choices"]
    assert Client().post(api).status_code == 401
    board.open_game()
    here = as_(bob).post(f"/api/v1/matches/{board.match.public_id}/live/hint/")
    assert (here.status_code, here.json()["code"]) == (409, "no_hint")
    assert Match.objects.get(pk=match.pk).state == Match.State.LIVE


def test_nothing_is_said_where_the_other_side_decides() -> None:
    with refused("nothing_to_decide"):
        hints.hint(state=TO_PLAY, side=1 - (TO_PLAY.to_act or 0), is_guest=True, now=START)
