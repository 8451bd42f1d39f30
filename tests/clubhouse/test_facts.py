"""What public pages say about an event agrees, wherever it stands."""

import re
from collections.abc import Callable

import pytest
from django.test import Client

from formats.settings import StageSettings
from matches.lifecycle.finish import ResultInput
from matches.models import Claim
from matches.reporting.reports import ScoreReport, report_score
from players.actors import Actor
from players.models import Player
from tests.tournaments.support.pages import page, text
from tests.tournaments.support.swiss_rounds import DivisionDriver
from tournaments.models import Division, Fixture
from tournaments.results import services as results

pytestmark = pytest.mark.django_db


@pytest.fixture
def drawn_division(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> Callable[..., DivisionDriver]:
    """A division of so many, drawn as these stages."""

    def make(name: str, count: int, *stages: StageSettings) -> DivisionDriver:
        driver = DivisionDriver(make_division(name=name, match_length=7), by_alice)
        driver.enter(make_players(count))
        return driver.begin(*stages)

    return make


def event(driver: DivisionDriver) -> str:
    tournament = driver.division.tournament
    return f"/events/{tournament.club.slug}/{tournament.slug}/"


def test_matches_and_walkovers_are_counted_apart(
    drawn_division: Callable[..., DivisionDriver], alice_client: Client
) -> None:
    driver = drawn_division("Open", 4, StageSettings("knockout"))
    first, second = driver.ready()
    driver.report(first, 0)
    results.forfeit(fixture=second, side=0, by=driver.by, now=driver.now())
    shown = text(page(alice_client, event(driver)))
    assert "1 of 3 matches played" in shown
    assert "1 walkover" in shown


def test_the_champion_is_named_on_the_event_and_on_the_console(
    drawn_division: Callable[..., DivisionDriver], alice_client: Client
) -> None:
    driver = drawn_division("Open", 4, StageSettings("knockout"))
    assert "Champion" not in text(page(alice_client, event(driver)))
    driver.play_round()
    (final,) = driver.ready()
    assert final.match is not None
    winner = final.match.player_0.name
    driver.play_round()
    assert f"Champion: {winner}" in text(page(alice_client, event(driver)))
    assert f"won by {winner}" in text(page(alice_client, f"{event(driver)}console/"))
    assert f"won by {winner}" in text(page(Client(), f"{event(driver)}{driver.division.public_id}/"))


def test_the_winner_of_a_table_is_named_too(
    drawn_division: Callable[..., DivisionDriver], alice_client: Client
) -> None:
    driver = drawn_division("Open", 4, StageSettings("roundrobin"))
    driver.play_out()
    assert "Champion: " in text(page(Client(), event(driver)))
    assert "won by" in text(page(alice_client, f"{event(driver)}console/"))


def test_the_format_and_its_own_match_lengths_are_named(
    drawn_division: Callable[..., DivisionDriver], client: Client
) -> None:
    driver = drawn_division("Open", 4, StageSettings("knockout", lengths=(5, 9)))
    shown = text(page(client, event(driver)))
    assert "5, 9 points" in shown
    assert "7 points" not in shown
    assert "Knockout" in shown
    assert "5, 9 points" in text(page(client, f"{event(driver)}{driver.division.public_id}/"))


def test_match_numbers_name_the_division_if_there_are_several(
    drawn_division: Callable[..., DivisionDriver], client: Client
) -> None:
    first = drawn_division("Open", 4, StageSettings("knockout"))
    number = Fixture.objects.filter(stage__division=first.division).order_by("number")[0].number
    assert f"Open · M{number}" not in text(page(client, event(first)))
    drawn_division("Masters", 4, StageSettings("knockout"))
    assert f"Open · M{number}" in text(page(client, event(first)))


def test_a_swiss_leads_to_its_standings_and_a_knockout_to_its_bracket(
    drawn_division: Callable[..., DivisionDriver], alice_client: Client
) -> None:
    swiss = drawn_division("Swiss", 4, StageSettings("swiss", rounds=2))
    html = page(alice_client, event(swiss))
    assert f"{swiss.division.public_id}/standings/" in html
    assert "Bracket" not in text(html)
    console = text(page(alice_client, f"{event(swiss)}console/"))
    assert "Standings" in console
    assert "Bracket" not in console
    drawn_division("Open", 4, StageSettings("knockout"))
    assert "Bracket" in text(page(alice_client, event(swiss)))


@pytest.mark.parametrize("name", ["knockout", "roundrobin", "swiss"])
def test_points_beyond_the_match_length_are_shown_on_no_page(
    drawn_division: Callable[..., DivisionDriver], alice_client: Client, name: str
) -> None:
    driver = drawn_division("Open", 4, StageSettings(name))
    first, second, *_rest = driver.ready()
    results.enter_result(fixture=first, result=ResultInput(0, (9, 3)), by=driver.by, now=driver.now())
    assert second.match is not None
    report_score(match=second.match, side=1, report=ScoreReport(0, (7, 3)), by=Actor.link(1), now=driver.now())
    Claim.objects.filter(match=second.match).update(score_0=9)
    division = f"{event(driver)}{driver.division.public_id}/"
    fixtures = [f"{event(driver)}fixtures/{fixture.public_id}/" for fixture in (first, second)]
    paths = [event(driver), f"{event(driver)}console/", division, *fixtures, f"{fixtures[0]}correct/"]
    paths += [f"{division}pairings/?round=1"] + ([f"{division}standings/"] if name != "knockout" else [])
    shown = {path: page(alice_client, path) for path in paths}
    beyond = [path for path, html in shown.items() if "9–3" in text(html) or re.search(r"<b[^>]*>\s*9\b", html)]
    assert beyond == []
    assert [path for path in (*fixtures, f"{event(driver)}console/") if "7–3" not in text(shown[path])] == []
