"""The costliest decision of a player is made again and compared."""

import pytest
from django.test import Client
from django.urls import reverse

from engine import parse_xgid
from engine.plays import Play
from matches.lifecycle import links
from matches.models import Analysis, Decision, Match
from matches.play.again import choices_of, code_of
from players.models import Player, User
from tests.matches.play.conftest import BOB, CAROL, Board
from tests.matches.play.test_ending import analysed
from tests.pages import html

pytestmark = pytest.mark.django_db


@pytest.fixture
def over(board: Board) -> Board:
    """Carol has conceded to Bob, and the match is analysed."""
    board.open_game()
    board.do(CAROL, "concede")
    analysed(board.match)
    return board


@pytest.fixture
def url(match: Match) -> str:
    return reverse("match-again", args=[match.public_id])


def after(decision: Decision, play: str) -> Play:
    """The legal play with this notation, from the rules alone."""
    state = parse_xgid(decision.xgid)
    return next(each for each in state.legal_plays() if str(each) == play)


def test_a_play_is_named_by_the_position_that_the_rules_lead_to(over: Board) -> None:
    decisions = Decision.objects.filter(kind="play").order_by("pk")[:40]
    compared = 0
    for decision in decisions:
        state = parse_xgid(decision.xgid)
        for play in state.legal_plays():
            assert code_of(state.position, str(play)) == ",".join(map(str, play.result.counts)), (decision.xgid, play)
            compared += 1
    assert compared > 100


def test_the_page_shows_the_decision_and_not_its_answer_until_it_is_made(
    client: Client, bob: User, over: Board, url: str
) -> None:
    client.force_login(bob)
    content = html(client.get(url))
    assert "Try again" in content
    assert 'id="again-answer" tabindex="-1" hidden' in " ".join(content.split())
    end = html(client.get(reverse("match-end", args=[over.match.public_id])))
    assert f'href="{url}"' in end


def test_each_player_gets_their_own_and_others_nothing(
    client: Client, users: list[User], dave: User, over: Board, url: str
) -> None:
    own = []
    for user in users:
        client.force_login(user)
        own.append(client.get(url).context["settings"]["side"])
    assert own == [BOB, CAROL]
    client.force_login(dave)
    assert client.get(url).status_code == 404
    client.logout()
    assert client.get(url).status_code == 404


def test_a_link_shows_it_only_where_the_player_lets_everybody_see_how_they_played(
    client: Client, over: Board, match: Match
) -> None:
    link = reverse("link-again", args=[links.token_for(match, CAROL)])
    Player.objects.update(analysis_visibility=Player.AnalysisVisibility.PRIVATE)
    assert client.get(link).status_code == 404
    Player.objects.update(analysis_visibility=Player.AnalysisVisibility.PUBLIC)
    assert client.get(link).status_code == 200


def test_there_is_nothing_to_try_again_before_the_analysis_nor_without_an_error(
    client: Client, bob: User, over: Board, url: str
) -> None:
    client.force_login(bob)
    assert client.get(url).status_code == 200
    Decision.objects.update(error=0)
    assert client.get(url).status_code == 404
    Analysis.objects.update(state=Analysis.State.WORKING)
    assert client.get(url).status_code == 404


CUBE = "XGID=-b----E-C---eE---c-e----B-:0:0:1:{dice}:0:0:0:7:10"


def cube_decision(kind: str, played: str, equities: tuple[float, float, float]) -> list[tuple[str, str, bool]]:
    xgid = CUBE.format(dice="D" if kind == "take" else "00")
    names = ("no_double", "double_take", "double_pass")
    row = Decision(kind=kind, xgid=xgid, played=played, error=0.1, **dict(zip(names, equities, strict=True)))
    return [(each.code, each.lost, each.was_played) for each in choices_of(row, parse_xgid(xgid))]


def test_a_pass_that_should_have_been_a_take_costs_the_taker() -> None:
    # The doubler has 0.8 if it is taken and 1 if it is passed.
    assert cube_decision("take", "drop", (0.7, 0.8, 1.0)) == [("take", "", False), ("drop", "−0.200", True)]


def test_a_take_that_should_have_been_a_pass() -> None:
    assert cube_decision("take", "take", (0.9, 1.3, 1.0)) == [("drop", "", False), ("take", "−0.300", True)]


def test_a_missed_double_is_measured_by_the_better_answer() -> None:
    assert cube_decision("double", "no_double", (0.7, 1.3, 1.0)) == [
        ("double", "", False),
        ("no_double", "−0.300", True),
    ]
    assert cube_decision("double", "double", (0.7, 0.5, 1.0)) == [("no_double", "", False), ("double", "−0.200", True)]
