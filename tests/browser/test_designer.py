"""The format designer in a browser: every change shows its consequences at once."""

import pytest
from playwright.sync_api import expect

from players.actors import Actor
from players.models import Club, Player, User
from tests.browser.conftest import PHONE, Check, OpenPage
from tests.event_cast import NOW
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Division
from tournaments.state.stages import stage_settings


@pytest.fixture
def division(club: Club, alice: User) -> Division:
    """A division with thirteen entries."""
    by = Actor.of(alice)
    event = events.create_tournament(club=club, by=by, now=NOW, name="Club night", starts_at=NOW)
    division = events.create_division(tournament=event, by=by, now=NOW, name="Open", match_length=5)
    events.publish_tournament(tournament=event, by=by, now=NOW)
    players = [Player.objects.create(name=f"Player {number}") for number in range(1, 14)]
    entries.enter(division=division, players=players, by=by, now=NOW)
    return division


def address(division: Division) -> str:
    return f"/events/harbour/{division.tournament.slug}/{division.public_id}/draw/?format"


def test_a_format_is_chosen_changed_and_saved(
    open_page: OpenPage, division: Division, alice: User, in_both_views: Check
) -> None:
    page = open_page(address(division), width=PHONE, user=alice)
    totals = page.locator(".totals")
    expect(totals).to_contain_text("13 players · 12 matches")
    page.get_by_role("button", name="Groups, then knockout").click()
    expect(totals).to_contain_text("3 rounds, then 3 rounds")
    in_both_views(page)
    page.get_by_role("button", name="Remove the last stage").click()
    expect(totals).to_contain_text("15 matches · 3 rounds")
    expect(page.locator(".htmx-settling")).to_have_count(0)
    page.get_by_label("Format", exact=True).select_option("swiss")
    page.get_by_label("Rounds", exact=True).fill("5")
    page.locator("#design").get_by_label("Match length by round").fill("five")
    page.locator("#design").get_by_label("Match length by round").press("Tab")
    expect(page.locator("#design")).to_contain_text("not five")
    page.locator("#design").get_by_label("Match length by round").fill("3")
    page.locator("#design").get_by_label("Match length by round").press("Tab")
    expect(totals).to_contain_text("30 matches · 5 rounds")
    expect(page.locator("#design")).not_to_contain_text("not five")
    page.get_by_text("More settings").click()
    in_both_views(page)
    page.get_by_role("button", name="Save format").click()
    expect(page.locator("main")).to_contain_text("Swiss, 5 rounds")
    (stage,) = stage_settings(division)
    assert (stage.format, stage.rounds, stage.lengths) == ("swiss", 5, (3,))


def test_without_scripts_a_button_updates_the_preview(open_page: OpenPage, division: Division, alice: User) -> None:
    page = open_page(address(division), user=alice)
    page.route("**/*.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
    page.reload()
    page.get_by_label("Players", exact=True).fill("16")
    page.get_by_role("button", name="Update", exact=True).click()
    expect(page.locator(".totals")).to_contain_text("16 players · 15 matches · 4 rounds")
    page.get_by_role("button", name="Round robin", exact=True).click()
    expect(page.locator(".totals")).to_contain_text("120 matches")
    assert len(stage_settings(division)) == 1
