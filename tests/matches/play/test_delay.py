"""Spectators are ten minutes behind: nothing that the site shows them tells what has happened since."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest
from django.test import Client, RequestFactory
from django.utils import timezone

from core.live.publishing import authorise
from matches.lifecycle import links
from matches.lifecycle.spectators import OVER
from matches.models import LiveMatch, Match
from matches.play import absences, codec, watching
from matches.play.starting import PlaySettings, commit_chain, start
from matches.play.watching import seen
from players.actors import Actor
from players.models import Club, Membership, Player, User
from tests.matches.play.conftest import BOB, CAROL, Board

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
DELAY = 10
MakeBoard = Callable[..., Board]


@pytest.fixture
def make_board(match: Match, users: list[User], alice: User) -> MakeBoard:
    """A match of Alice's club that began half an hour ago: an opening and a play then, two turns a minute ago."""

    def make(delay: int | None = DELAY, visibility: str = Match.Visibility.PUBLIC) -> Board:
        club = Club.objects.create(name="Harbour Backgammon", slug="harbour")
        Membership.objects.create(
            club=club, player=Player.objects.create(name="Alice", user=alice), role=Membership.Role.DIRECTOR
        )
        Match.objects.filter(pk=match.pk).update(club=club, visibility=visibility)
        match.refresh_from_db()
        board = Board(match, users)
        board.now = timezone.now() - timedelta(minutes=30)
        settings = PlaySettings(server_chains=True, spectators_delay=delay)
        start(match=match, settings=settings, by=Actor.of(alice), now=board.now)
        for side in (BOB, CAROL):
            commit_chain(match=match, side=side, anchor="", by=Actor.of(users[side]), now=board.now)
        board.wait(60)
        mover = board.open_game()
        board.do(mover, "play", moves=board.any_play())
        board.now = timezone.now() - timedelta(minutes=1)
        for side in (1 - mover, mover):
            board.do(side, "roll")
            board.do(side, "play", moves=board.any_play())
        return board

    return make


@pytest.fixture
def board(make_board: MakeBoard) -> Board:
    return make_board()


def actions_before(board: Board) -> int:
    """The number of the last action of half an hour ago."""
    return board.live.actions.filter(at__lt=timezone.now() - timedelta(minutes=DELAY)).count()


def client_of(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def read(board: Board, user: User | None, path: str = "live/", link: str = "") -> dict[str, Any]:
    headers = {"Match-Link": link} if link else {}
    response = client_of(user).get(f"/api/v1/matches/{board.match.public_id}/{path}", headers=headers)
    assert response.status_code == 200
    data: dict[str, Any] = response.json()
    return data


def test_players_and_directors_see_the_match_as_it_stands(board: Board, bob: User, alice: User) -> None:
    link = links.token_for(board.match, CAROL)
    for shown in (read(board, bob), read(board, alice), read(board, None, link=link)):
        assert (shown["last"], shown["is_behind"]) == (board.live.last, False)
        assert shown["topic"] == board.match.topic
        assert len(shown["actions"]) == board.live.last


def test_spectators_see_what_was_there_ten_minutes_ago(board: Board, dave: User) -> None:
    last = actions_before(board)
    assert 0 < last < board.live.last
    for user in (dave, None):
        shown = read(board, user)
        assert (shown["last"], shown["is_behind"]) == (last, True)
        assert [action["seq"] for action in shown["actions"]] == list(range(1, last + 1))
        assert shown["checkers"] != read(board, board.users[BOB])["checkers"]
        # The clocks run in the time that is shown.
        age = timezone.now() - datetime.fromisoformat(shown["now"])
        assert timedelta(minutes=DELAY) <= age < timedelta(minutes=DELAY, seconds=30)


def test_the_state_shown_is_that_of_the_actions_shown(board: Board) -> None:
    first = seen(board.live, now=timezone.now())
    # The second time from what was kept of the first, some actions later.
    later = seen(board.live, now=timezone.now() + timedelta(minutes=DELAY))
    assert later.last == board.live.last
    assert codec.to_data(later.state) == board.live.state
    # A moment before again, and from the beginning.
    assert codec.to_data(seen(board.live, now=timezone.now()).state) == codec.to_data(first.state)


def test_the_holder_of_the_sheet_is_a_spectator(board: Board) -> None:
    assert read(board, None, link=links.token_for(board.match, None))["is_behind"]


def test_no_dice_ahead_of_time(board: Board, bob: User, dave: User) -> None:
    paths = [f"/api/v1/matches/{board.match.public_id}/live/dice/", f"/matches/{board.match.public_id}/dice.json"]
    hidden = [action.data["server"]["link"] for action in board.live.actions.filter(kind="roll")][1:]
    assert len(hidden) == 2
    for path in [*paths, f"/matches/{board.match.public_id}/dice/"]:
        for_player, for_viewer = (client_of(user).get(path).content.decode() for user in (bob, dave))
        assert all(link in for_player for link in hidden[:1])
        assert not any(link in for_viewer for link in hidden)
    assert not any(link in json.dumps(read(board, dave)) for link in hidden)
    server = next(chain for chain in read(board, dave)["chains"] if chain["owner"] == "server")
    assert server["used"] == 1


def test_numbers_do_not_show_when_somebody_acts(board: Board, bob: User, dave: User) -> None:
    before = read(board, dave, path="")
    number = watch_number(board, dave)
    board.now = timezone.now()
    board.do(board.game.to_act or 0, "concede" if board.game.is_over else "roll")
    assert read(board, dave, path="") == before
    assert watch_number(board, dave) == number == actions_before(board)
    board.match.refresh_from_db()
    assert read(board, bob, path="")["seq"] == board.match.seq
    listed = client_of(dave).get("/api/v1/matches/").json()["results"]
    assert [row["seq"] for row in listed] == [0]


def request_of(user: User | None) -> HttpRequest:
    request = RequestFactory().get("/live/")
    request.user = user or AnonymousUser()
    return request


def watch_number(board: Board, user: User | None) -> int:
    return authorise(request_of(user), f"watch:{board.match.public_id}")


def test_spectators_watch_a_topic_of_their_own(board: Board, bob: User, alice: User, dave: User) -> None:
    for user in (dave, None):
        with pytest.raises(Http404):
            authorise(request_of(user), board.match.topic)
        assert read(board, user)["topic"] == f"watch:{board.match.public_id}"
    board.match.refresh_from_db()
    assert [authorise(request_of(user), board.match.topic) for user in (bob, alice)] == [board.match.seq] * 2


def test_a_change_is_announced_once_the_delay_is_over(board: Board) -> None:
    last = board.live.actions.last()
    assert last is not None
    assert watching.announce_delayed(now=last.at) == 0
    assert watching.announce_delayed(now=last.at + timedelta(minutes=DELAY, seconds=0.5)) == 1
    assert watching.announce_delayed(now=last.at + timedelta(minutes=DELAY, seconds=5)) == 0


def test_everything_is_visible_once_the_match_is_over(board: Board, dave: User) -> None:
    behind = watch_number(board, dave)
    board.now = timezone.now()
    board.do(BOB, "concede")
    shown = read(board, dave)
    assert (shown["last"], shown["is_behind"], shown["winner"]) == (board.live.last, False, CAROL)
    board.match.refresh_from_db()
    assert watch_number(board, dave) == OVER + board.match.seq > behind
    assert authorise(request_of(dave), board.match.topic) == board.match.seq


def test_after_the_match_means_nothing_but_its_beginning(make_board: MakeBoard, dave: User, bob: User) -> None:
    board = make_board(delay=None)
    shown = read(board, dave)
    assert (shown["last"], shown["phase"], shown["actions"], shown["spectators_delay"]) == (0, "opening", [], None)
    assert all(chain["used"] == 0 for chain in shown["chains"])
    assert watch_number(board, dave) == 0
    board.now = timezone.now()
    board.do(BOB, "concede")
    assert read(board, dave)["last"] == board.live.last


def test_without_a_delay_spectators_see_the_match_as_it_stands(make_board: MakeBoard, dave: User) -> None:
    board = make_board(delay=0)
    absences.note_activity_of(absences.sign_of(board.match.public_id, BOB, "k3", 15), timezone.now())
    assert read(board, board.users[CAROL])["presence"][BOB]["online"]
    shown = read(board, dave)
    assert (shown["last"], shown["is_behind"], shown["topic"]) == (board.live.last, False, board.match.topic)
    # But never who is there, nor how slow somebody's connection is.
    assert (shown["presence"], shown["lag"], shown["absence"]) == (
        [{"online": None, "since": None, "closed": False}] * 2,
        [0, 0],
        None,
    )


@pytest.mark.parametrize("path", ["live/", "live/dice/", ""])
def test_a_private_match_is_not_there_for_others(path: str, make_board: MakeBoard, bob: User, dave: User) -> None:
    board = make_board(visibility=Match.Visibility.PRIVATE)
    url = f"/api/v1/matches/{board.match.public_id}/{path}"
    assert [client_of(user).get(url).status_code for user in (bob, dave, None)] == [200, 404, 404]
    for topic in (board.match.topic, f"watch:{board.match.public_id}"):
        with pytest.raises(Http404):
            authorise(request_of(dave), topic)


def test_a_voided_match_stays_hidden(board: Board, dave: User) -> None:
    Match.objects.filter(pk=board.match.pk).update(state=Match.State.VOID)
    assert LiveMatch.objects.get(pk=board.match.pk).last > read(board, dave)["last"]
