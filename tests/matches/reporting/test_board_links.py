"""Where the pages of a match lead while it is played here."""

import re

import pytest
from django.test import Client
from django.utils import timezone

from engine.actions import Act
from engine.clock import DAY, ClockSettings
from matches.lifecycle import links
from matches.models import Match
from matches.play.acting import ActionInput, act
from matches.play.live import EventKind
from matches.play.starting import PlaySettings, commit_chain, start
from players.actors import SYSTEM, Actor
from players.models import User
from tests.matches.cast import BOB, CAROL
from tests.matches.play.conftest import CLOCK, START, Board
from tests.pages import html

pytestmark = pytest.mark.django_db


def leads_to(page: str, path: str, label: str) -> bool:
    """Whether a page has a link with this label."""
    return re.search(rf'href="{re.escape(path)}">\s*{label}\s*</a>', page) is not None


@pytest.fixture
def live(match: Match) -> Match:
    start(match=match, settings=PlaySettings(), by=SYSTEM, now=timezone.now())
    for side in (BOB, CAROL):
        act(match=match, side=side, request=ActionInput(EventKind.HERE, side), by=Actor.link(side), now=timezone.now())
    return match


def test_players_go_to_their_board_and_others_watch(live: Match, bob: User, client: Client) -> None:
    page = f"/matches/{live.public_id}/"
    assert "Live, 0–0" in html(client.get(page))
    assert leads_to(html(client.get(page)), f"{page}play/", "Watch")
    token = links.token_for(live, CAROL)
    assert leads_to(html(client.get(f"/m/{token}/")), f"/m/{token}/play/", "Open the board")
    client.force_login(bob)
    own = html(client.get(page))
    assert "The board of your match is open" in own
    assert leads_to(own, f"{page}play/", "Open the board")
    assert "Send the match record" not in own, "records are refused while the match is being played here"


def test_my_matches_leads_straight_to_the_board(live: Match, bob: User, client: Client) -> None:
    client.force_login(bob)
    assert leads_to(html(client.get("/my/")), f"/matches/{live.public_id}/play/", "Open the board")


def test_my_matches_say_whose_turn_it_is_by_correspondence(match: Match, bob: User, carol: User) -> None:
    board = Board(match, [bob, carol])
    settings = PlaySettings(ClockSettings(2 * DAY, 0, correspondence=True), server_chains=True)
    start(match=match, settings=settings, by=SYSTEM, now=START)
    for side in (BOB, CAROL):
        commit_chain(match=match, side=side, anchor="", by=Actor.of(board.users[side]), now=START)
    assert next_steps_shown(bob, carol) == ("The board of your match is open", "The board of your match is open")
    mover = board.open_game()
    names = [player.shown_name for player in match.players]
    for turn in (mover, 1 - mover):
        expected = ["Your turn", "Your turn"]
        expected[1 - turn] = f"Waiting for {names[turn]}"
        assert next_steps_shown(bob, carol) == tuple(expected)
        if turn == mover:
            board.do(mover, Act.PLAY, moves=board.any_play())
    board.do(1 - mover, Act.DOUBLE)
    assert next_steps_shown(bob, carol)[mover] == "Your turn"


def next_steps_shown(*users: User) -> tuple[str, ...]:
    """What “My matches” of each user says of their next match."""
    steps = []
    for user in users:
        client = Client()
        client.force_login(user)
        steps.append(client.get("/my/").context["next"].next_step)
    return tuple(steps)


def test_with_a_real_time_clock_my_matches_say_that_the_board_is_open(match: Match, bob: User, carol: User) -> None:
    start(match=match, settings=PlaySettings(CLOCK, server_chains=True), by=SYSTEM, now=START)
    for side, user in ((BOB, bob), (CAROL, carol)):
        commit_chain(match=match, side=side, anchor="", by=Actor.of(user), now=START)
    Board(match, [bob, carol]).open_game()
    assert next_steps_shown(bob, carol) == ("The board of your match is open", "The board of your match is open")


def test_a_match_that_is_not_played_here_has_no_board(match: Match, bob: User, client: Client) -> None:
    client.force_login(bob)
    for path in (f"/matches/{match.public_id}/", "/my/"):
        page = html(client.get(path))
        assert "Open the board" not in page
        assert f"/matches/{match.public_id}/play/" not in page
