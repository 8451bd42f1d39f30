"""Score sheets: which matches they are printed for, their boxes, and the six digits on them."""

from collections.abc import Callable

import pytest
from django.test import Client

from display.paper.cards import ScoreSheet
from matches.lifecycle import links
from matches.lifecycle.finish import ResultInput
from players.actors import SYSTEM
from tests.event_cast import (
    NOW,
    RunningEvent,
    alice_client,
    as_user,
    bob_player,
    by_alice,
    carol_player,
    club,
    make_division,
    make_players,
    running,
    tournament,
)
from tournaments.floor.calls import call
from tournaments.floor.evening import open_floor
from tournaments.models import Table, Tournament
from tournaments.results import services as results
from tournaments.state.sheet_codes import code_of, number_of, scanned_fixture, with_match_numbers

__all__ = ["alice_client", "as_user", "bob_player", "by_alice", "carol_player", "club", "make_division"]
__all__ += ["make_players", "running", "tournament"]


@pytest.mark.parametrize(
    ("length", "rows"), [(1, [1]), (5, [9]), (7, [13]), (8, [8, 7]), (15, [15, 14]), (25, [13, 13, 13, 10])]
)
def test_a_sheet_has_a_box_for_every_possible_game(length: int, rows: list[int]) -> None:
    sheet = ScoreSheet(1, "", "", "", length, ("Bob", "Carol"), "", "", "")
    assert [len(games) for games in sheet.score_rows] == rows
    assert [game for games in sheet.score_rows for game in games] == list(range(1, 2 * length))


def test_codes_of_an_event_differ_and_lead_back_to_their_match() -> None:
    event, other = Tournament(public_id="2222222222", last_number=500), Tournament(public_id="3333333333")
    codes = [code_of(event, number) for number in range(1, 501)]
    assert len(set(codes)) == 500
    assert {len(code) for code in codes} == {7}
    assert [number_of(event, code.replace(" ", "")) for code in codes] == list(range(1, 501))
    assert [number_of(event, code) for code in codes] == list(range(1, 501))
    assert code_of(other, 1) != codes[0]
    for wrong in ("", "12345", "1234567", "12a456", code_of(event, 501), code_of(event, 0)):
        assert number_of(event, wrong) is None


@pytest.mark.django_db
def test_a_scanned_sheet_is_the_fixture_even_after_its_match_was_voided(running: RunningEvent) -> None:
    match, event = running.fixture.match, running.tournament
    assert match is not None
    url = f"https://barpoint.example/m/{links.token_for(match, None)}/"
    assert scanned_fixture(event, url) == running.fixture
    assert scanned_fixture(event, code_of(event, 1)) == running.fixture
    assert scanned_fixture(event, url.replace(".s.", ".1.")) is None
    running.fixture.former.add(match)
    running.fixture.match = None
    running.fixture.save()
    assert scanned_fixture(event, url) == running.fixture


@pytest.mark.django_db
def test_sheets_are_printed_for_matches_that_are_still_to_begin(
    running: RunningEvent, alice_client: Client, as_user: Callable[..., Client]
) -> None:
    url, match = f"{running.url}paper/score-sheets/", running.fixture.match
    assert match is not None
    page = alice_client.get(url).content.decode()
    assert page.count('class="score-sheet"') == 2
    assert "Winter Open · 20 Nov 2026" in page
    assert "Main draw · Semi-finals" in page
    assert links.token_for(match, None) in page
    assert code_of(running.tournament, 1) in page
    results.enter_result(fixture=running.fixture, result=ResultInput(0, (7, 5)), by=SYSTEM, now=NOW)
    assert alice_client.get(url).content.decode().count('class="score-sheet"') == 1
    final = running.division.stages.get().fixtures.get(number=3)
    assert alice_client.get(f"{url}?round={final.round_id}").content.decode().count('class="score-sheet"') == 0
    hub = alice_client.get(f"{running.url}paper/").content.decode()
    assert "Print 1 score sheet" in hub
    assert f"round={running.fixture.round_id}" in hub


@pytest.mark.django_db
def test_a_scanner_opens_the_match_or_enters_a_score(running: RunningEvent, alice_client: Client) -> None:
    event, match = running.tournament, running.fixture.match
    assert match is not None
    url, code = f"{running.url}console/quick/", code_of(event, 1)
    for scan in (code, f"http://testserver/m/{links.token_for(match, None)}/"):
        assert alice_client.post(url, {"line": scan}).headers["Location"] == running.fixture_url
    lines = f"{code} 7-5; {code_of(event, 2).replace(' ', '')} 7-3"
    assert with_match_numbers(event, lines) == "m1 7-5;m2 7-3"
    alice_client.post(url, {"line": lines})
    match.refresh_from_db()
    assert match.state == "settled"
    assert match.results.get().score == (7, 5)
    unknown = code_of(event, 999)
    assert with_match_numbers(event, f"{unknown} 7-5") == f"{unknown} 7-5"
    assert alice_client.post(url, {"line": unknown}).status_code == 422


@pytest.mark.django_db
def test_the_card_of_a_table_leads_to_the_match_that_is_called_to_it(
    running: RunningEvent, alice_client: Client
) -> None:
    event, match = running.tournament, running.fixture.match
    assert match is not None
    event.tables = 2
    event.save()
    open_floor(tournament=event, by=SYSTEM, now=NOW)
    first, second = Table.objects.filter(tournament=event)
    call(fixture=running.fixture, table=second, by=SYSTEM, now=NOW)
    answer = Client().get(f"{running.url}tables/?label={second.label}")
    assert answer.headers["Location"] == f"/m/{links.token_for(match, None)}/"
    assert (
        "No match is called to this table" in Client().get(f"{running.url}tables/?label={first.label}").content.decode()
    )
    cards = alice_client.get(f"{running.url}paper/tables/").content.decode()
    assert f"/tables/?label={second.label}" in cards
    assert Client().get(f"{running.url}tables/?label=Elsewhere").status_code == 404
    assert Client().get(f"{running.url}tables/").status_code == 404
    sheets = alice_client.get(f"{running.url}paper/score-sheets/").content.decode()
    assert "<dd>2</dd>" in sheets
