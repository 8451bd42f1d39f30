"""A player of a match by correspondence decides ahead how to answer a double."""

import json

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from engine.actions import Act, Phase
from engine.clock import DAY, ClockSettings
from engine.match import MatchState
from matches.lifecycle import links
from matches.models import Action, Match
from matches.play.acting import Acted
from matches.play.bots import act_where_lost
from matches.play.deciding_ahead import decide_ahead
from matches.play.live import EventKind
from matches.play.public_state import streamed_state
from matches.play.starting import PlaySettings, commit_chain, start
from matches.play.transcripts import differences_of
from players.actors import Actor
from players.models import Notification, User
from tests.matches.play.conftest import BOB, CAROL, Board, refused
from tests.pages import html

pytestmark = pytest.mark.django_db
SETTINGS = PlaySettings(ClockSettings(2 * DAY, 0, correspondence=True), server_chains=True)


@pytest.fixture
def board(match: Match, users: list[User], alice: User) -> Board:
    """By correspondence, without the dice chains of the players' browsers."""
    board = Board(match, users)
    # As the clock of the server has it, by which its pages count.
    board.now = timezone.now()
    start(match=match, settings=SETTINGS, by=Actor.of(alice), now=board.now)
    for side in (BOB, CAROL):
        commit_chain(match=match, side=side, anchor="", by=Actor.of(users[side]), now=board.now)
    return board


@pytest.fixture
def decider(board: Board) -> int:
    """The side that has just played: its opponent may double."""
    side = board.open_game()
    board.do(side, Act.PLAY, moves=board.any_play())
    assert (board.game.phase, board.game.to_act) == (Phase.TO_ROLL, 1 - side)
    return side


def decide(board: Board, side: int, answer: str, *, last: int | None = None) -> None:
    seen = board.live.last if last is None else last
    decide_ahead(match=board.match, side=side, answer=answer, last=seen, now=board.now)


def double(board: Board, decider: int) -> Acted:
    return board.do(1 - decider, Act.DOUBLE)


def test_a_take_decided_ahead_comes_with_the_double(board: Board, decider: int) -> None:
    decide(board, decider, "take")
    acted = double(board, decider)
    assert [(row.kind, row.side) for row in acted.actions] == [(Act.DOUBLE, 1 - decider), (Act.TAKE, decider)]
    assert (board.game.cube, board.game.cube_owner, board.game.phase) == (2, decider, Phase.TO_ROLL)
    assert acted.actions[1].data["ahead"] is True
    assert list(differences_of(board.live)) == []


def test_a_pass_decided_ahead_ends_the_game(board: Board, decider: int, users: list[User]) -> None:
    Notification.objects.all().delete()
    decide(board, decider, "drop")
    double(board, decider)
    assert board.game.phase is Phase.OPENING
    assert board.game.score[1 - decider] == 1
    assert list(differences_of(board.live)) == []
    # The next game waits for both; who doubled is at the board and sees it.
    notified = Notification.objects.filter(kind="your_turn").values_list("user", flat=True)
    assert list(notified) == [users[decider].pk]


def test_what_is_withdrawn_is_asked_as_usual(board: Board, decider: int) -> None:
    decide(board, decider, "take")
    decide(board, decider, "")
    double(board, decider)
    assert (board.game.phase, board.game.to_act) == (Phase.DOUBLED, decider)


def test_it_can_be_decided_again_and_twice(board: Board, decider: int) -> None:
    for answer in ("drop", "take", "take"):
        decide(board, decider, answer)
    double(board, decider)
    assert board.game.cube_owner == decider


def test_it_holds_for_one_turn(board: Board, decider: int) -> None:
    decide(board, decider, "take")
    other = 1 - decider
    board.do(other, Act.ROLL)
    if board.game.phase is Phase.TO_PLAY:
        board.do(other, Act.PLAY, moves=board.any_play())
    board.do(decider, Act.ROLL)
    if board.game.phase is Phase.TO_PLAY:
        board.do(decider, Act.PLAY, moves=board.any_play())
    double(board, decider)
    assert board.game.phase is Phase.DOUBLED


def test_a_vacation_leaves_the_decision_as_it_is(board: Board, decider: int) -> None:
    decide(board, decider, "take")
    board.do(1 - decider, EventKind.VACATION, value=DAY)
    double(board, decider)
    assert board.game.cube_owner == decider


def test_there_is_nothing_to_decide_where_no_double_can_come(board: Board, decider: int) -> None:
    other = 1 - decider
    with refused("no_double_ahead"):
        decide(board, other, "take")
    board.do(other, Act.ROLL)
    with refused("no_double_ahead"):
        decide(board, decider, "take")


def test_the_opponent_of_the_cube_owner_decides_nothing(board: Board, decider: int) -> None:
    double(board, decider)
    board.do(decider, Act.TAKE)
    with refused("no_double_ahead"):
        decide(board, decider, "take")


def test_who_has_not_seen_the_double_decides_nothing_about_it(board: Board, decider: int) -> None:
    seen = board.live.last
    double(board, decider)
    for answer in ("take", ""):
        with refused("stale"):
            decide(board, decider, answer, last=seen)
    assert board.game.phase is Phase.DOUBLED


def test_a_flag_that_has_fallen_counts_first(board: Board, decider: int) -> None:
    board.wait(3 * DAY / 1000)
    with refused("not_live"):
        decide(board, decider, "take")


def test_by_other_clocks_and_against_bots_nothing_is_decided_ahead(board: Board, decider: int) -> None:
    live = board.live
    live.correspondence = False
    live.save(update_fields=["correspondence"])
    with refused("no_double_ahead"):
        decide(board, decider, "take")
    live.correspondence, live.bot_side = True, 1 - decider
    live.save(update_fields=["correspondence", "bot_side"])
    with refused("no_double_ahead"):
        decide(board, decider, "take")


def test_nothing_but_the_player_answers_in_a_match_between_people(board: Board, decider: int) -> None:
    double(board, decider)
    board.wait(DAY / 2000)
    assert act_where_lost(now=board.now) == 0
    assert board.game.phase is Phase.DOUBLED


def test_a_dead_cube_is_still_refused(board: Board, decider: int) -> None:
    decide(board, decider, "take")
    live = board.live
    live.state["match"]["score"] = [2, 2]
    live.save(update_fields=["state"])
    with refused("dead_cube"):
        double(board, decider)
    assert isinstance(board.game, MatchState)
    assert not Action.objects.filter(live=live, kind__in=(Act.DOUBLE, Act.TAKE)).exists()


# Its endpoint.


def path(match: Match) -> str:
    return reverse("api-match-decide-ahead", args=[match.public_id])


def test_only_the_player_sees_what_was_decided(client: Client, board: Board, decider: int, users: list[User]) -> None:
    def answers() -> list[object]:
        url, answers = reverse("api-live", args=[board.match.public_id]), []
        for user in (users[decider], users[1 - decider]):
            client.force_login(user)
            answers.append(client.get(url).json()["answer_ahead"])
        client.logout()
        return [*answers, client.get(url).json()["answer_ahead"]]

    assert answers() == ["", None, None]
    seq = board.live.match.seq
    client.force_login(users[decider])
    body = {"answer": "take", "last": board.live.last}
    response = client.post(path(board.match), json.dumps(body), content_type="application/json")
    assert response.status_code == 200, response.content
    assert response.json()["answer_ahead"] == "take"
    assert answers() == ["take", None, None]
    assert board.live.match.seq == seq, "the opponent could see from the number that something was decided"


def test_the_stream_says_nothing_by_correspondence(board: Board, decider: int) -> None:
    acted = board.do(1 - decider, Act.ROLL)
    assert streamed_state(acted.live, acted.state, acted.actions) == ""


def test_a_personal_link_decides_too_and_others_do_not(client: Client, board: Board, decider: int, dave: User) -> None:
    link = {"Match-Link": links.token_for(board.match, decider)}
    body, as_json = {"answer": "drop", "last": board.live.last}, "application/json"
    assert client.post(path(board.match), body, content_type=as_json, headers=link).status_code == 200
    assert board.live.answer_ahead == "drop"
    client.force_login(dave)
    assert client.post(path(board.match), body | {"answer": "take"}, content_type=as_json).status_code == 404
    assert board.live.answer_ahead == "drop"


@pytest.mark.parametrize("body", [{"answer": "perhaps", "last": 3}, {"answer": "take"}, {"last": 3}, {}])
def test_faulty_input_is_refused(
    client: Client, board: Board, decider: int, users: list[User], body: dict[str, object]
) -> None:
    client.force_login(users[decider])
    response = client.post(path(board.match), json.dumps(body), content_type="application/json")
    assert response.status_code == 422
    assert board.live.answer_ahead == ""


def test_the_board_offers_it_only_by_correspondence(
    client: Client, board: Board, decider: int, users: list[User]
) -> None:
    client.force_login(users[decider])
    url = reverse("match-play", args=[board.match.public_id])
    assert 'data-ahead="take"' in html(client.get(url))
    client.logout()
    assert "data-ahead" not in html(client.get(url))


def test_in_a_match_that_is_not_played_here_nothing_is_decided_ahead(match: Match) -> None:
    with refused("not_live"):
        decide_ahead(match=match, side=BOB, answer="take", last=0, now=timezone.now())
