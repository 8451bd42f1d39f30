"""Matches by correspondence: the boards that wait for a player."""

import pytest
from django.test import Client
from django.urls import reverse

from core.public_ids import new_public_id
from matches.models import Match
from matches.play.correspondence import boards_waiting
from players.models import Player, User
from tests.matches.play.conftest import BOB, CAROL, Board
from tests.pages import html

pytestmark = pytest.mark.django_db
NEXT = reverse("next-board")


@pytest.fixture
def mover(board: Board) -> int:
    """The side that begins the match, which is played by correspondence."""
    side = board.open_game()
    live = board.live
    live.correspondence = True
    live.save(update_fields=["correspondence"])
    return side


def another(board: Board) -> Board:
    """A second match of the same players in the same state."""
    match, live = Match.objects.get(pk=board.match.pk), board.live
    match.pk, match.public_id = None, new_public_id()
    match.save()
    live.pk, live.match = match.pk, match
    live.save(force_insert=True)
    return Board(match, board.users)


def test_the_board_that_waits_is_that_of_the_player_who_is_to_act(board: Board, bob: User, carol: User) -> None:
    side = board.open_game()
    waiting, other = ((bob, carol), (carol, bob))[side]
    assert boards_waiting(waiting) == [], "it is not played by correspondence"
    live = board.live
    live.correspondence = True
    live.save(update_fields=["correspondence"])
    assert boards_waiting(waiting) == [board.match.public_id]
    assert boards_waiting(other) == []
    assert boards_waiting(waiting, besides=board.match.pk) == []


def test_a_board_of_a_merged_player_waits_for_the_account_it_was_merged_into(
    board: Board, mover: int, users: list[User]
) -> None:
    account = users[mover]
    before = boards_waiting(account)
    assert before
    old = board.match.players[mover]
    Player.objects.filter(pk=old.pk).update(user=None)
    assert boards_waiting(account) == []
    into = Player.objects.create(name="The same", user=account)
    Player.objects.filter(pk=old.pk).update(merged_into=into)
    assert boards_waiting(account) == before


def test_the_header_counts_the_boards_and_leads_to_the_next(
    client: Client, board: Board, mover: int, users: list[User]
) -> None:
    client.force_login(users[mover])
    assert "Your move (1)" in html(client.get("/clubs/"))
    assert f'href="{NEXT}"' in html(client.get("/clubs/"))
    assert client.get(NEXT).headers["Location"] == reverse("match-play", args=[board.match.public_id])
    client.force_login(users[1 - mover])
    assert "Your move" not in html(client.get("/clubs/"))
    assert "No board waits for you." in html(client.get(NEXT, follow=True))


def test_after_a_turn_the_page_knows_how_many_other_boards_wait(
    client: Client, board: Board, mover: int, users: list[User]
) -> None:
    api = reverse("api-live", args=[board.match.public_id])
    client.force_login(users[mover])
    assert client.get(api).json()["boards_waiting"] == 0
    second = another(board)
    assert client.get(api).json()["boards_waiting"] == 1
    assert reverse("next-board") in html(client.get(reverse("match-play", args=[second.match.public_id])))
    client.force_login(users[1 - mover])
    assert client.get(api).json()["boards_waiting"] == 0
    client.logout()
    assert client.get(api).json()["boards_waiting"] is None


def test_by_other_clocks_no_boards_are_counted(client: Client, board: Board, users: list[User]) -> None:
    board.open_game()
    for side in (BOB, CAROL):
        client.force_login(users[side])
        assert client.get(reverse("api-live", args=[board.match.public_id])).json()["boards_waiting"] is None
