"""A progressive consolation of 13 in a browser: played to its end, then a first-round result corrected and undone."""

from typing import Any

import pytest
from django.core.management import call_command
from playwright.sync_api import Page, expect

from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from players.models import Club, Player, User
from tests.browser.conftest import PHONE, Check, OpenPage, follow
from tests.event_cast import NOW
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Correction, Division, Fixture
from tournaments.results import services as results

PATIENCE = 60_000


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


def draw(page: Page, division: Division) -> None:
    """Choose the format, draw and publish."""
    page.goto(f"/events/harbour/{division.tournament.slug}/{division.public_id}/format/")
    page.get_by_role("button", name="Knockout with consolation and last chance").click()
    expect(page.locator("#design")).to_contain_text("Last chance")
    page.get_by_role("button", name="Save format").click()
    page.get_by_role("button", name="Draw", exact=True).click()
    publish = page.get_by_role("button", name="Publish this draw")
    expect(publish).to_be_visible(timeout=PATIENCE)
    # The page may have been read while the worker was writing.
    page.reload()
    publish.click()
    expect(page.get_by_role("heading", name="Main draw")).to_be_visible()


def play_to_the_end(page: Page, division: Division) -> int:
    """Enter all results by quick entry and return their number."""
    page.goto(f"/events/harbour/{division.tournament.slug}/console/")
    played = 0
    while (fixture := _ready(division)) is not None:
        assert fixture.match is not None
        page.locator("#line").fill(f"m{fixture.number} {fixture.match.length}-{played % fixture.match.length}")
        page.get_by_role("button", name="Enter", exact=True).click()
        expect(page.locator(".messages")).to_contain_text(f"M{fixture.number} ·")
        played += 1
    return played


def _ready(division: Division) -> Fixture | None:
    rows = Fixture.objects.filter(stage__division=division, status=Fixture.Status.READY)
    return rows.select_related("match").order_by("number").first()


def standing(division: Division) -> list[Any]:
    """Return the slots and the results of all matches."""
    slots = Fixture.objects.filter(stage__division=division).order_by("number", "slots__side")
    rows = Fixture.objects.filter(stage__division=division, match__isnull=False).select_related("match")
    matches = [row.match for row in rows.order_by("number") if row.match is not None]
    return [
        list(slots.values_list("number", "status", "slots__status", "slots__entry", "slots__absent")),
        [
            (match.pk, match.state, [result.score for result in match.results.order_by("-version")[:1]])
            for match in matches
        ],
    ]


@pytest.mark.slow
@pytest.mark.usefixtures("celery_worker")
def test_a_first_round_result_is_corrected_after_the_final_and_undone(
    open_page: OpenPage, division: Division, alice: User, in_both_views: Check
) -> None:
    page = open_page("/", width=PHONE, user=alice)
    draw(page, division)
    assert play_to_the_end(page, division) > 12 + 8
    division.refresh_from_db()
    assert division.status == Division.Status.FINISHED
    before = standing(division)
    first = Fixture.objects.filter(stage__division=division, match__isnull=False).order_by("number").first()
    assert first is not None
    assert first.match is not None

    page.goto(f"/events/harbour/{division.tournament.slug}/fixtures/{first.public_id}/")
    in_both_views(page)
    follow(page.get_by_role("link", name="Correct this result…"))
    in_both_views(page)
    page.locator("#left").fill("1")
    page.locator("#right").fill(str(first.match.length))
    page.locator("#right").press("Tab")
    # The preview appears without a click; if matches have begun, "Let stand" is selected.
    expect(page.get_by_role("radio", name="Let stand")).to_be_checked(timeout=PATIENCE)
    page.get_by_role("radio", name="Correct all").check()
    preview = page.locator("#preview")
    expect(preview).to_contain_text("would become void (played: stays rated)")
    expect(preview.get_by_role("heading", name="Ratings")).to_be_visible()
    page.get_by_label("Reason").fill("Read from the wrong sheet.")
    in_both_views(page)
    page.get_by_role("button", name="Apply").click()
    expect(page.locator(".messages")).to_contain_text(f"M{first.number} was corrected.")
    expect(page.locator("main")).to_contain_text("Read from the wrong sheet.")
    in_both_views(page)
    correction = Correction.objects.get()
    assert len(correction.changed) > 2
    assert standing(division) != before
    call_command("check_integrity")

    page.goto(f"/events/harbour/{division.tournament.slug}/{division.public_id}/")
    assert _ready(division) is not None, "who was put right can play on"
    page.goto(f"/events/harbour/{division.tournament.slug}/corrections/")
    expect(page.locator("main")).to_contain_text("Read from the wrong sheet.")
    in_both_views(page)
    page.get_by_role("link", name="Undo…").click()
    expect(page.locator("#preview")).to_contain_text("results count again")
    in_both_views(page)
    page.get_by_role("button", name="Undo the correction").click()
    expect(page.locator(".messages")).to_contain_text("was undone")
    assert standing(division) == before
    division.refresh_from_db()
    assert division.status == Division.Status.FINISHED
    call_command("check_integrity")


def with_a_result(division: Division, alice: User) -> Fixture:
    """Draw the division and enter the first result."""
    by = Actor.of(alice)
    draw = draws.request_draw(division=division, by=by, now=NOW)
    draws.make_draft(draw_id=draw.pk, now=NOW)
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, by=by, now=NOW)
    fixture = _ready(division)
    assert fixture is not None
    results.enter_result(fixture=fixture, result=ResultInput(0, (5, 2)), by=by, now=NOW)
    return fixture


def test_a_tap_on_the_other_player_turns_the_score_round(open_page: OpenPage, division: Division, alice: User) -> None:
    fixture = with_a_result(division, alice)
    path = f"/events/harbour/{division.tournament.slug}/fixtures/{fixture.public_id}/correct/"
    page = open_page(path, width=PHONE, user=alice)
    winner, other = page.locator("[name=winner][value='0']"), page.locator("[name=winner][value='1']")
    expect(winner).to_be_checked()
    other.check()
    expect(page.locator("#left")).to_have_value("2")
    expect(page.locator("#right")).to_have_value("5")
    expect(page.get_by_role("radio", name="Correct all")).to_be_checked(timeout=PATIENCE)
    page.locator("#left").fill("5")
    page.locator("#right").fill("3")
    page.locator("#right").press("Tab")
    expect(winner).to_be_checked()


def test_the_page_works_without_scripts(open_page: OpenPage, division: Division, alice: User) -> None:
    fixture = with_a_result(division, alice)
    page = open_page("/", user=alice)
    page.route("**/*.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
    page.goto(f"/events/harbour/{division.tournament.slug}/fixtures/{fixture.public_id}/correct/")
    page.locator("#left").fill("2")
    page.locator("#right").fill("5")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#preview")).to_contain_text("; then ")
    expect(page.get_by_role("radio", name="Correct all")).to_be_checked()
    page.get_by_role("button", name="Apply").click()
    expect(page.locator("main")).to_contain_text("was corrected")
