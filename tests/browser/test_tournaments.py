"""A director's evening in a browser: a knockout of five from start to finish, on a phone and on a desktop."""

import re
from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from players.models import Club, Player, User
from tests.browser.conftest import PHONE, Check, OpenPage, view
from tests.tournaments.support.drawn_divisions import DivisionBuilder
from tournaments.draws import services as draws
from tournaments.events.services import publish_tournament
from tournaments.models import Division, Fixture

NAMES = ["Elif Ristic", "Omar Kageyama", "花子 山田", "Wolfeschlegelsteinhausenbergerdorff Featherstonehaugh"]


def in_a_week() -> str:
    """Return half past six on the evening in a week, as a browser enters it."""
    return f"{timezone.now() + timedelta(days=7):%Y-%m-%dT18:30}"


def make_event(page: Page) -> None:
    page.get_by_label("Name").fill("Friday Knockout")
    page.get_by_label("Starts").fill(in_a_week())
    page.get_by_role("button", name="Create event").click()
    page.get_by_label("Match length by round").fill("3 5 7")
    page.get_by_role("button", name="Add a division").click()
    expect(page.get_by_label("Find or add a player")).to_be_visible()


def add(page: Page, name: str) -> None:
    page.get_by_label("Find or add a player").fill(name)
    # The names found while typing are on the page that is being left.
    with page.expect_navigation():
        page.get_by_label("Find or add a player").press("Enter")
    page.get_by_role("button", name=f"New player {name}").click()
    expect(page.locator(".arrival-name", has_text=name)).to_be_visible()


def publish_event(page: Page) -> None:
    page.get_by_role("link", name="Friday Knockout").first.click()
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("Friday Knockout published.")).to_be_visible()


@pytest.mark.slow
@pytest.mark.usefixtures("draw_worker")
def test_a_knockout_of_five_from_start_to_finish(
    open_page: OpenPage, in_both_views: Check, club: Club, alice: User
) -> None:
    page = open_page("/clubs/harbour/", width=PHONE, user=alice)
    in_both_views(page)
    page.get_by_role("link", name="New event").click()
    expect(page.get_by_role("heading", name="New event")).to_be_visible()
    in_both_views(page)
    make_event(page)
    in_both_views(page)
    for name in NAMES:
        add(page, name)
    page.get_by_text("Paste a list or upload a spreadsheet").click()
    page.get_by_label("Paste a list", exact=True).fill("Fifth Player\nelif ristic")
    page.get_by_role("button", name="Check the names").click()
    expect(page.get_by_text("already entered", exact=True)).to_be_visible()
    in_both_views(page)
    page.get_by_role("button", name="Enter 1 player").click()
    page.get_by_role("button", name=re.compile("^花子 山田")).click()
    expect(page.locator(".arrival-here", has_text="花子 山田")).to_be_visible()
    in_both_views(page)

    publish_event(page)
    in_both_views(page)
    page.get_by_role("link", name="Console").click()
    page.get_by_role("link", name=re.compile("^Draw")).first.click()
    expect(page.get_by_role("button", name="Draw", exact=True)).to_be_visible()
    in_both_views(page)
    page.get_by_role("button", name="Draw", exact=True).click()
    expect(page.get_by_role("button", name="Publish this draw")).to_be_visible(timeout=20_000)
    in_both_views(page)
    page.get_by_role("button", name="Publish this draw").click()
    expect(page.get_by_role("heading", name="Main draw")).to_be_visible()
    assert page.locator("p.bye").count() == 3
    in_both_views(page)

    page.get_by_role("link", name="Console").click()
    expect(page.get_by_label("Quick entry")).to_be_visible()
    in_both_views(page)
    first = Fixture.objects.get(status="ready", round__number=1)
    page.get_by_label("Quick entry").fill(f"m{first.number} 3-1")
    page.get_by_role("button", name="Enter", exact=True).click()
    expect(page.locator(".messages")).to_contain_text(f"M{first.number}")

    by_sheet(page, in_both_views)
    page.get_by_label("Quick entry").fill("m6 forfeit both")
    page.get_by_role("button", name="Enter", exact=True).click()
    expect(page.get_by_text("No match is open.")).to_be_visible()
    page.get_by_role("link", name=re.compile("^Draw")).first.click()
    page.get_by_role("link", name="Bracket", exact=True).click()
    expect(page.locator(".page-head").get_by_text("won by")).to_be_visible()
    in_both_views(page)
    assert Division.objects.get().status == Division.Status.FINISHED


def by_sheet(page: Page, looked_at: Check) -> None:
    """Enter M5, to five points, in its sheet."""
    page.locator("a[data-sheet]", has_text="M5").first.click()
    sheet = page.get_by_role("dialog")
    expect(sheet).to_be_visible()
    looked_at(page)
    result = sheet.locator("[data-result]")
    expect(result.get_by_role("button")).to_be_disabled()
    expect(result.get_by_role("button")).to_have_text("Save the result")
    result.locator("[name=winner]").first.check()
    expect(result.locator(".result-then:visible")).to_contain_text("goes to M7.")
    result.get_by_role("radio", name="1", exact=True).check()
    result.get_by_role("button", name=re.compile(r"wins 5–1$")).click()
    expect(page.locator(".messages")).to_contain_text("M5")


@pytest.mark.slow
@pytest.mark.usefixtures("draw_worker")
def test_the_same_without_scripts(browser: Browser, site: str, club: Club, alice: User) -> None:
    client = Client()
    client.force_login(alice)
    cookie = {"name": settings.SESSION_COOKIE_NAME, "value": client.cookies[settings.SESSION_COOKIE_NAME].value}
    context = browser.new_context(base_url=site, java_script_enabled=False, viewport={"width": PHONE, "height": 844})
    context.add_cookies([{**cookie, "url": site}])
    page = context.new_page()
    page.goto("/events/new/harbour/")
    make_event(page)
    for name in NAMES[:3]:
        add(page, name)
    publish_event(page)
    page.get_by_role("link", name="Console").click()
    page.get_by_role("link", name=re.compile("^Draw")).first.click()
    page.get_by_role("button", name="Draw", exact=True).click()
    expect(page.get_by_role("button", name="Publish this draw")).to_be_visible(timeout=20_000)
    page.get_by_role("button", name="Publish this draw").click()

    page.get_by_label("Find a player").fill("elif")
    page.get_by_label("Find a player").press("Enter")
    expect(page.get_by_text("The path of Elif Ristic is marked.")).to_be_visible()
    page.get_by_role("link", name="Result").first.click()
    page.locator("[name=winner]").first.check()
    page.get_by_role("radio", name="1", exact=True).check()
    page.get_by_role("button", name="Save the result").click()
    expect(page.locator(".messages")).to_contain_text("3–1")
    page.get_by_label("Quick entry").fill("m3 5-x")
    page.get_by_role("button", name="Enter", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("is not a result")
    expect(page.get_by_label("Quick entry")).to_have_value("m3 5-x")
    page.locator("a[data-sheet]", has_text="M3").first.click()
    page.get_by_text("Record the forfeit…").click()
    page.locator("input[name=side]").first.check()
    page.get_by_role("button", name="Record the forfeit").click()
    expect(page.get_by_text("No match is open.")).to_be_visible()


@pytest.mark.slow
def test_pages_of_a_large_event_are_accessible_and_fit(
    open_page: OpenPage, in_both_views: Check, club: Club, alice: User
) -> None:
    division = large_event(club, alice)
    home = f"/events/harbour/{division.tournament.slug}/"
    fixture = Fixture.objects.filter(status="ready").first()
    assert fixture is not None
    paths = ["", f"{division.public_id}/", f"{division.public_id}/settings/", "check-in/"]
    paths += ["console/", "console/log/", "status/", "edit/", "cancel/", f"fixtures/{fixture.public_id}/"]
    page = open_page("/", width=PHONE, user=alice)
    for path in paths:
        page.goto(home + path)
        in_both_views(page)
    in_both_views(open_page("/events/", width=PHONE))


def test_a_director_sees_what_follows_from_another_start(
    open_page: OpenPage, looked_at: Check, in_both_views: Check, builder: DivisionBuilder, alice: User
) -> None:
    event = builder.make_division(name="Open " * 15, closes_at=timezone.now()).tournament
    publish_tournament(tournament=event, by=builder.by, now=timezone.now())
    page = open_page(f"/events/harbour/{event.slug}/edit/", width=PHONE, user=alice)
    page.get_by_label("Starts").fill(in_a_week())
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Check this before saving")).to_be_visible()
    in_both_views(page)
    view(page, 320, "light")
    looked_at(page)
    page.get_by_label("registration closes").uncheck()
    page.get_by_role("button", name="Save").first.click()
    expect(page.get_by_text("Saved.")).to_be_visible()


def large_event(club: Club, alice: User) -> Division:
    """A published knockout with 97 entries."""
    from players.actors import Actor
    from tournaments.entries import services as entries
    from tournaments.events import services as events

    by, now = Actor.of(alice), timezone.now()
    tournament = events.create_tournament(club=club, by=by, now=now, name="N" * 80, starts_at=now)
    division = events.create_division(tournament=tournament, by=by, now=now, name="Open")
    players = Player.objects.bulk_create([Player(name=f"Player {number}") for number in range(95)])
    players += Player.objects.bulk_create([Player(name="M" * 80), Player(name="山" * 40, initials_only=True)])
    entries.enter(division=division, players=players, by=by, now=now)
    events.publish_tournament(tournament=tournament, by=by, now=now)
    draw = draws.request_draw(division=division, by=by, now=now)
    draws.make_draft(draw_id=draw.pk, now=now)
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, by=by, now=now)
    return division


def test_on_a_phone_a_tab_scrolls_to_its_round(open_page: OpenPage, club: Club, alice: User) -> None:
    division = large_event(club, alice)
    page = open_page(f"/events/harbour/{division.tournament.slug}/{division.public_id}/", width=PHONE)
    second = page.locator("#main-1-2")
    before = second.bounding_box()
    assert before is not None
    assert before["x"] > PHONE / 2
    page.get_by_role("navigation", name="Rounds Places 1–32").get_by_role("link", name="Round of 64").click()
    page.wait_for_function(
        "() => (x => 0 <= x && x < 40)(document.getElementById('main-1-2').getBoundingClientRect().x)"
    )
