"""The page of the costliest decisions: only for the player who made them."""

import pytest
from django.test import Client
from django.urls import reverse

from matches.models import Analysis, Decision, Match
from players.models import Club, Player, User
from tests.matches.analysis.rows import BLUNDER
from tests.matches.cast import match_between
from tests.pages import html

pytestmark = pytest.mark.django_db
BOB = 0


@pytest.fixture
def url(match: Match) -> str:
    return reverse("match-decisions", args=[match.public_id])


@pytest.fixture
def worst(analysis: Analysis) -> Decision:
    """The only decision of the match that counts, Bob's; it cost 4 % of the match."""
    row = analysis.decisions.filter(side=BOB, error__gt=0)[0]
    analysis.decisions.exclude(pk=row.pk).update(counted=False)
    row.error, row.error_winning = BLUNDER, 0.04
    row.save()
    return row


def test_a_player_sees_board_plays_cost_and_source_and_nobody_else_anything(
    client: Client, worst: Decision, match: Match, url: str, bob: User, carol: User, dave: User
) -> None:
    Player.objects.update(analysis_visibility=Player.AnalysisVisibility.PUBLIC)
    client.force_login(bob)
    content = html(client.get(url))
    assert content.count("cost 4.0 % of the match") == content.count('class="board"') == 1
    assert 'class="arrow is-played"' in content
    assert worst.played in content
    assert "24/23 13/12" in content
    assert "gnubg 2-ply" in content
    # Bob's decisions are not Carol's, and the link is where they are.
    client.force_login(carol)
    assert "Nothing that you decided in this match cost enough" in html(client.get(url))
    assert url in html(client.get(reverse("match-analysis", args=[match.public_id])))
    client.force_login(dave)
    assert client.get(url).status_code == 404
    assert url not in html(client.get(reverse("match-analysis", args=[match.public_id])))
    client.logout()
    assert client.get(url).status_code == 302


def test_the_reader_is_at_the_bottom_of_the_board_on_either_side(
    client: Client, worst: Decision, url: str, bob: User, carol: User
) -> None:
    arrows = []
    for user, swapped in ((bob, False), (carol, True)):
        Analysis.objects.update(swapped=swapped)
        client.force_login(user)
        [shown] = client.get(url).context["decisions"]
        arrows.append(shown["scene"].arrows)
    assert arrows[0] == arrows[1] != ()


def test_a_cube_decision_has_its_sentence(client: Client, worst: Decision, url: str, bob: User) -> None:
    worst.kind, worst.played, worst.best = "double", "no_double", "double"
    worst.no_double, worst.double_take, worst.double_pass = 0.8, 1.1, 1.0
    worst.save()
    client.force_login(bob)
    Analysis.objects.update(settings={"plays": "2-ply", "cube": "2-ply"})
    content = html(client.get(url))
    assert "They should pass: doubling is worth" in content
    assert "No double" in content


def test_what_costs_too_much_is_for_checking_the_record(client: Client, worst: Decision, url: str, bob: User) -> None:
    client.force_login(bob)
    assert "Check the record here" not in html(client.get(url))
    worst.error = 1.2
    worst.save()
    content = html(client.get(url))
    assert "Check the record here" in content
    assert "−1.200" in content


@pytest.mark.parametrize(
    ("state", "text"),
    [("queued", "still being analysed"), ("failed", "has not been analysed"), (None, "has not been analysed")],
)
def test_what_it_says_without_an_analysis(
    client: Client, analysis: Analysis, match: Match, url: str, bob: User, state: str | None, text: str
) -> None:
    if state is None:
        analysis.delete()
    else:
        analysis.decisions.all().delete()
        Analysis.objects.update(state=state, failure="no_analysis_backend" if state == "failed" else "")
    client.force_login(bob)
    assert text in html(client.get(url))
    assert url not in html(client.get(reverse("match-analysis", args=[match.public_id])))


def test_a_match_that_is_not_over_has_none(
    client: Client, bob_player: Player, carol_player: Player, club: Club, bob: User
) -> None:
    client.force_login(bob)
    match = match_between(bob_player, carol_player, club=club)
    assert "has not been analysed" in html(client.get(reverse("match-decisions", args=[match.public_id])))
