"""The replay of a match played here, and its record as a file: who may see how much of it."""

import json
import re
from io import BytesIO

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from PIL import Image

from display.sharing import services as sharing
from display.sharing.cards import card_of
from display.sharing.page.picture import share_url
from engine import check_record
from engine.actions import Act
from engine.verdict import Outcome
from matches.lifecycle import links
from matches.models import Match
from tests.matches.play.conftest import BOB, CAROL, Board
from tests.matches.play.test_delay import make_board
from tests.pages import html
from tournaments.models import SharePicture

__all__ = ["make_board"]

FORMATS = ("mat", "sgf", "json")


def paths(match: Match, token: str = "") -> list[str]:
    """The replay and the files, by account or by link."""
    prefix, name = ("link", token) if token else ("match", match.public_id)
    files = [reverse(f"{prefix}-record", args=[name, extension]) for extension in FORMATS]
    return [reverse(f"{prefix}-replay", args=[name]), *files]


def signed_in(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def words_of(content: str) -> list[str]:
    """The steps that a page has for its script."""
    block = re.search(r'<script id="replay-steps" type="application/json">(.*?)</script>', content, re.DOTALL)
    assert block is not None
    return [step["words"] for step in json.loads(block[1])["steps"]]


def play_turn(board: Board) -> None:
    """Let the side on turn play; the other side rolls."""
    mover = board.game.turn
    assert mover is not None
    board.do(mover, Act.PLAY, moves=board.any_play())
    board.do(1 - mover, Act.ROLL)


def test_whoever_may_see_the_match_may_replay_it(board: Board, bob, dave):
    board.open_game()
    play_turn(board)
    match = board.match
    everybody = [Client(), signed_in(dave), signed_in(bob)]
    for path in paths(match):
        assert [client.get(path).status_code for client in everybody] == [200, 200, 200], path
    Match.objects.filter(pk=match.pk).update(visibility=Match.Visibility.PRIVATE)
    for path in paths(match):
        assert [client.get(path).status_code for client in everybody] == [404, 404, 200], path
    for side in (BOB, CAROL, None):
        for path in paths(match, links.token_for(match, side)):
            assert Client().get(path).status_code == 200
    token = links.token_for(match, BOB)
    forged = f"{token[:-1]}{'a' if token[-1] != 'a' else 'b'}"
    assert {Client().get(path).status_code for path in paths(match, forged)} == {404}


def test_a_match_played_elsewhere_has_no_replay_of_its_own(match, bob):
    assert {signed_in(bob).get(path).status_code for path in paths(match)} == {404}


def test_a_match_that_has_not_begun_leads_to_its_board(board: Board):
    assert Client().get(paths(board.match)[0])["Location"] == reverse("match-play", args=[board.match.public_id])


def test_a_link_keeps_its_reader_on_pages_of_the_link(board: Board):
    board.open_game()
    play_turn(board)
    token = links.token_for(board.match, BOB)
    content = html(Client().get(paths(board.match, token)[0]))
    assert f"/m/{token}/record.mat" in content
    assert f'href="/m/{token}/"' in content
    assert f"/m/{token}/replay/?g=1&amp;p=2" in content
    assert "/matches/" not in content.replace("/static/matches/", "")


@pytest.mark.parametrize(("delay", "seen"), [(0, 4), (10, 2)])
def test_spectators_who_are_behind_see_what_had_happened_by_then(make_board, bob, delay, seen):
    """One play half an hour ago and two a minute ago; the last step is the end of what is seen."""
    board = make_board(delay)
    path, *files = paths(board.match)
    assert len(words_of(html(signed_in(bob).get(path)))) == 4
    assert len(words_of(html(Client().get(path)))) == seen
    for client, plays in ((Client(), seen - 1), (signed_in(bob), 3)):
        for file in files:
            check = check_record(client.get(file).content)
            assert check.transcript is not None
            assert sum(len(game.events) for game in check.transcript.games) == plays


def test_spectators_who_see_nothing_until_the_end_get_no_record(make_board, bob):
    board = make_board(None)
    path, *files = paths(board.match)
    assert Client().get(path).status_code == 302
    assert signed_in(bob).get(path).status_code == 200
    for file in files:
        check = check_record(Client().get(file).content)
        assert check.transcript is None or not check.transcript.games


def test_every_decision_is_a_step_up_to_the_end_of_the_match(board: Board, bob):
    mover = board.open_game()
    play_turn(board)
    board.do(1 - mover, Act.PLAY, moves=board.any_play())
    board.do(mover, Act.DOUBLE)
    board.do(1 - mover, Act.TAKE)
    board.do(mover, Act.ROLL)
    board.do(mover, Act.RESIGN, value=1)
    board.do(1 - mover, Act.REFUSE)
    board.do(mover, Act.PLAY, moves=board.any_play())
    board.do(1 - mover, Act.CONCEDE)
    content = html(Client().get(paths(board.match)[0]))
    words = words_of(content)
    assert words[2:4] == ["Doubles to 2", "Takes"]
    assert words[4:6] == ["Resigns", "Refuses"]
    assert words[7] == "Concedes the match"
    assert "wins" in words[-1]
    assert len(words) == 9
    check = check_record(Client().get(paths(board.match)[3]).content)
    assert check.verdict.outcome in (Outcome.ACCEPTED, Outcome.ACCEPTED_WITH_WARNINGS)
    assert board.now < timezone.now()


@pytest.mark.parametrize("is_begun", [True, False])
def test_a_board_that_is_opened_after_the_match_shows_players_its_end_and_others_the_replay(
    board: Board, bob, is_begun: bool
):
    if is_begun:
        board.open_game()
    board.do(BOB, Act.CONCEDE)
    play, replay = (reverse(f"match-{name}", args=[board.match.public_id]) for name in ("play", "replay"))
    assert Client().get(play)["Location"] == replay
    for client in (Client(), signed_in(bob)):
        assert client.get(replay).status_code == 200
    assert 'id="end"' in html(signed_in(bob).get(play))
    assert 'id="end"' in html(Client().get(reverse("link-play", args=[links.token_for(board.match, CAROL)])))


def test_the_pages_of_a_match_lead_to_its_replay(board: Board, bob):
    board.open_game()
    play_turn(board)
    replay = paths(board.match)[0]
    for name in ("match", "match-dice", "match-play"):
        assert f'href="{replay}"' in html(Client().get(reverse(name, args=[board.match.public_id]))), name
    token = links.token_for(board.match, BOB)
    for name in ("match-link", "link-dice", "link-play"):
        assert f'href="{paths(board.match, token)[0]}"' in html(Client().get(reverse(name, args=[token]))), name


def test_pictures_show_what_a_visitor_may_see_to_everybody(make_board, bob):
    """Ten minutes late, the second step is the last one; then a private match has no picture at all."""
    board = make_board(10)
    path = reverse("match-replay-picture", args=[board.match.public_id])
    first, late, hidden = (signed_in(bob).get(path, {"g": 1, "p": step}) for step in (1, 2, 3))
    assert first.content.startswith(b"\x89PNG")
    assert first.content != late.content == hidden.content
    content = html(Client().get(f"{paths(board.match)[0]}?g=1&p=1"))
    assert f'property="og:image" content="http://testserver{path}?g=1&amp;p=1"' in content
    whole = html(Client().get(paths(board.match)[0]))
    assert 'property="og:image" content="http://testserver/share/' in whole
    Match.objects.filter(pk=board.match.pk).update(visibility=Match.Visibility.PRIVATE)
    assert {client.get(path).status_code for client in (Client(), signed_in(bob))} == {404}


def test_a_match_that_nobody_may_watch_yet_has_no_picture(make_board, bob):
    path = reverse("match-replay-picture", args=[make_board(None).match.public_id])
    assert signed_in(bob).get(path).status_code == 404


@pytest.mark.parametrize("delay", [0, 10, None])
def test_the_shared_picture_of_a_replay_says_nothing_of_the_play_but_the_score_before_its_end(make_board, delay):
    board = make_board(delay)
    match = board.match.public_id
    before = card_of("replay", match)
    assert [side.name for side in before.sides] == list(board.match.names)
    assert {side.points for side in before.sides} == {"" if delay is None else "0"}
    assert before.board is None
    url = share_url("replay", match)
    assert Client().get(url).status_code == 200
    board.do(CAROL, Act.CONCEDE)
    after = card_of("replay", match)
    assert [side.won for side in after.sides] == [True, False]
    assert after.board is not None
    Client().get(url)
    sharing.draw_picture(picture_id=SharePicture.objects.get().pk, now=timezone.now())
    drawn = Client().get(url)
    picture = Image.open(BytesIO(drawn.content)).convert("RGB")
    assert picture.size == (1200, 630)
    # The frame of the board is where the picture before the end had paper.
    assert picture.getpixel((1133, 190)) != picture.getpixel((5, 5))
