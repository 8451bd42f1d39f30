"""The page and the file with the dice of a match: who may see them, and what they show."""

import json
import subprocess
import sys

import pytest
from django.test import Client, RequestFactory
from django.urls import reverse

from core.live.publishing import authorise
from engine.actions import Act
from matches.lifecycle import links
from matches.models import Match
from matches.play.dice import dice_of
from tests.matches.play.conftest import BOB, CAROL, Board
from tests.matches.play.test_chains import SCRIPT, Device, devices, own_board, play_turns
from tests.matches.play.test_delay import make_board
from tests.pages import html

__all__ = ["devices", "make_board", "own_board"]


def pages(match: Match, token: str = "") -> list[str]:
    """The page and the file, by account or by link."""
    prefix, name = ("link", token) if token else ("match", match.public_id)
    return [reverse(f"{prefix}-dice", args=[name]), reverse(f"{prefix}-dice-file", args=[name])]


def signed_in(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_whoever_may_see_the_match_may_see_its_dice(board: Board, bob, dave):
    board.open_game()
    match = board.match
    everybody = [Client(), signed_in(dave), signed_in(bob)]
    for page in pages(match):
        assert [client.get(page).status_code for client in everybody] == [200, 200, 200]
    Match.objects.filter(pk=match.pk).update(visibility=Match.Visibility.PRIVATE)
    for page in pages(match):
        assert [client.get(page).status_code for client in everybody] == [404, 404, 200]
    for side in (BOB, CAROL, None):
        for page in pages(match, links.token_for(match, side)):
            assert Client().get(page).status_code == 200
    token = links.token_for(match, BOB)
    forged = f"{token[:-1]}{'a' if token[-1] != 'a' else 'b'}"
    assert [Client().get(page).status_code for page in pages(match, forged)] == [404, 404]


def test_a_match_played_elsewhere_has_no_dice(match, bob):
    assert [signed_in(bob).get(page).status_code for page in pages(match)] == [404, 404]
    assert "Check the dice" not in html(signed_in(bob).get(reverse("match", args=[match.public_id])))


def test_a_link_keeps_its_reader_on_pages_of_the_link(board: Board):
    """Their account, if they have one, may not see the match."""
    board.open_game()
    token = links.token_for(board.match, BOB)
    content = html(Client().get(pages(board.match, token)[0]))
    assert f"/m/{token}/dice.json" in content
    assert f'href="/m/{token}/"' in content
    assert "/matches/" not in content.replace("/static/matches/", "")


@pytest.mark.parametrize(
    ("delay", "sentence"),
    [
        (10, "Spectators see this match 10 minutes late"),
        (None, "Spectators see the rolls of this match once it is over"),
    ],
)
def test_spectators_who_are_behind_are_told_so(make_board, bob, delay, sentence):
    page = pages(make_board(delay).match)[0]
    assert sentence in html(Client().get(page))
    assert "Spectators see" not in html(signed_in(bob).get(page))


def test_the_page_of_the_match_leads_to_its_dice(board: Board, bob):
    token = links.token_for(board.match, BOB)
    for client, page, dice in (
        (Client(), reverse("match", args=[board.match.public_id]), pages(board.match)[0]),
        (signed_in(bob), reverse("match", args=[board.match.public_id]), pages(board.match)[0]),
        (Client(), reverse("match-link", args=[token]), pages(board.match, token)[0]),
    ):
        assert f'href="{dice}"' in html(client.get(page))


def test_the_file_is_confirmed_by_the_script(board: Board, tmp_path):
    mover = board.open_game()
    board.do(mover, Act.PLAY, moves=board.any_play())
    board.do(1 - mover, Act.ROLL)
    page, file = pages(board.match)
    response = Client().get(file)
    name = f"dice-{board.match.public_id}.json"
    assert response.headers["Content-Disposition"] == f'attachment; filename="{name}"'
    (tmp_path / name).write_bytes(response.content)
    command = [sys.executable, "-I", str(SCRIPT), str(tmp_path / name)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "All 2 rolls follow from the committed chains.\n"
    assert f"python3 verify_dice.py {name}" in html(Client().get(page))


def test_the_page_shows_every_link_without_scripts(own_board, devices):
    play_turns(own_board, devices, 3)
    content = html(Client().get(pages(own_board.match)[0]))
    rolls = dice_of(own_board.live)["rolls"]
    assert len(rolls) == 4
    for roll in rolls:
        for link in (roll["server"], *roll["links"]):
            assert f'<dd class="mono">{link["link"]}</dd>' in content
    assert content.count("kept by the server") == 1, "in the general remark alone"
    assert json.dumps(rolls[0]["server"]["link"]) in content, "for the script"


def test_weak_rolls_are_named_and_can_be_shown_alone(own_board, devices):
    play_turns(own_board, devices, 3)
    devices[own_board.game.turn].play()
    roller = own_board.game.turn
    page = pages(own_board.match)[0]
    assert "?weak=1" not in html(Client().get(page))
    devices[roller] = Device(own_board, roller, number=2)
    devices[roller].roll()
    content = html(Client().get(page))
    name = own_board.match.names[roller]
    assert f"Roll 5: <bdi>{name}</bdi> changed devices after the opponent’s latest link was known." in content
    assert [f'id="roll-{number}"' in content for number in (4, 5)] == [True, True]
    content = html(Client().get(f"{page}?weak=1"))
    assert [f'id="roll-{number}"' in content for number in (4, 5)] == [False, True]
    assert "· Weak" in content


def test_a_weak_roll_is_not_laid_to_the_player_whose_opponent_left_the_change_out(own_board, devices):
    play_turns(own_board, devices, 3)
    mover = devices[own_board.game.turn]
    waits = 1 - mover.side
    devices[waits] = Device(own_board, waits, number=2)
    mover.play(seen=1)
    devices[waits].roll()
    content = html(Client().get(pages(own_board.match)[0]))
    name = own_board.match.names[mover.side]
    assert f"Roll 5: the device of <bdi>{name}</bdi> left out a change of device of the opponent." in content
    assert "changed devices after" not in content


def test_a_weak_roll_of_an_older_release_accuses_nobody(own_board, devices):
    play_turns(own_board, devices, 3)
    devices[own_board.game.turn].play()
    roller = own_board.game.turn
    devices[roller] = Device(own_board, roller, number=2)
    devices[roller].roll()
    last = own_board.live.actions.filter(kind=Act.ROLL).latest("seq")
    del last.data["weak_by"]
    last.save(update_fields=["data"])
    content = html(Client().get(pages(own_board.match)[0]))
    assert "Roll 5: a device changed. This match does not tell on which side." in content


def test_rolls_are_shown_game_by_game(board: Board):
    first = board.open_game()
    board.do(first, Act.PLAY, moves=board.any_play())
    board.do(1 - first, Act.DOUBLE)
    board.do(first, Act.DROP)
    second = board.open_game()
    board.do(second, Act.PLAY, moves=board.any_play())
    page = pages(board.match)[0]
    shown = {query: html(Client().get(f"{page}{query}")) for query in ("", "?game=1", "?game=2", "?game=9", "?game=x")}
    shows_first = {query: 'id="roll-1"' in content for query, content in shown.items()}
    assert shows_first == {"": False, "?game=1": True, "?game=2": False, "?game=9": False, "?game=x": False}
    assert all(
        ('id="roll-2"' in content) != first for content, first in zip(shown.values(), shows_first.values(), strict=True)
    )


def test_an_open_page_is_replaced_once_there_are_new_rolls(board: Board):
    page = pages(board.match)[0]
    mover = board.open_game()
    poll = f"{page}?rolls=1"
    assert f'hx-get="{poll}"' in html(Client().get(page))
    assert Client().get(poll, headers={"HX-Request": "true"}).status_code == 204
    board.do(mover, Act.PLAY, moves=board.any_play())
    board.do(1 - mover, Act.ROLL)
    response = Client().get(poll, headers={"HX-Request": "true"})
    assert (response.status_code, b"<html" in response.content, b'id="roll-2"' in response.content) == (
        200,
        False,
        True,
    )
    board.do(BOB, Act.CONCEDE)
    over = html(Client().get(f"{page}?rolls=2", headers={"HX-Request": "true"}))
    assert "hx-get" not in over


def watched_topic(page: str, client: Client) -> tuple[str, int]:
    """The topic that an open page watches, and the number that it shows; fails if its reader may not watch it."""
    response = client.get(page)
    topic, _, shown = response.context["topics"].partition("=")
    assert f'data-topics="{response.context["topics"]}"' in response.content.decode()
    request = RequestFactory().get("/live/", {"ticket": response.context["ticket"]})
    request.user = response.wsgi_request.user
    assert authorise(request, topic) == int(shown)
    return topic, int(shown)


def test_an_open_page_follows_the_match_as_its_reader_sees_it(make_board, bob):
    board = make_board(10)
    match = Match.objects.get(pk=board.match.pk)
    page, link = pages(match)[0], pages(match, links.token_for(match, CAROL))[0]
    assert watched_topic(page, signed_in(bob)) == (match.topic, match.seq)
    assert watched_topic(link, Client()) == (match.topic, match.seq)
    topic, _ = watched_topic(page, Client())
    assert topic == f"watch:{match.public_id}"
    board.do(BOB, Act.CONCEDE)
    assert "data-topics" not in html(Client().get(page))
