"""The floor of an evening in a browser: at a desk by keyboard, and on a phone with one hand."""

import os
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Page, Request, expect
from redis import Redis

from core.live import presence
from formats.settings import StageSettings
from matches.models import Match
from matches.reporting.deadlines import announce_unsettled
from players.actors import Actor
from players.models import Club, Membership, Player, User
from tests.browser.conftest import DESK, HALL, PHONE, Check, OpenPage
from tests.browser.test_play import eventually
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.floor import calls, desk
from tournaments.floor import evening as opening
from tournaments.floor.lines import enter_lines
from tournaments.models import Division, Fixture, Tournament
from tournaments.state.stages import set_stages

NAMES = [
    "Maja Kowal",
    "Bob Bergmann",
    "Alice Andersen",
    "Kofi Mensah",
    "Mei Hashimoto",
    "Jörg Weißmüller",
    "Luca De Santis",
    "Ivo Petrov",
    "山本 健",
    "Γιώργος Παπαδόπουλος",
    "Tomáš Dvořák",
    "Leon Brandt",
    "Siobhán O’Neill",
    "Pavel Sorin",
    "Rafael Quint",
    "Ines Duarte",
    "Hugo Almeida",
    "Clara Moss",
    "Zoë Ballard",
]
PICTURES = os.environ.get("FLOOR_PICTURES")
"""A folder for pictures of the pages."""


LATEST_UPDATE = 2500
"""Milliseconds after which a page has asked for a change and for the forecast, at the latest."""


ASKED_AT = """performance.getEntriesByType("resource").filter(({name}) => name.endsWith("/floor/"))
    .map(({startTime}) => performance.timeOrigin + startTime)"""
"""When a page asked for what has changed on its floor, in milliseconds since 1970."""


def updates_of(page: Page) -> list[str]:
    """What a page reads again of its floor from now on, the answer to its own action included."""
    parts: list[str] = []

    def add(request: Request) -> None:
        if request.url.endswith(("/floor/", "/forecast/")):
            parts.append(request.url.split("/")[-2])

    page.on("request", add)
    return parts


def picture(page: Page, name: str) -> None:
    if PICTURES:
        # There is no worker in this test.
        page.locator(".floor-main > .message-warning").evaluate_all("rows => rows.forEach((row) => row.remove())")
        page.screenshot(path=Path(PICTURES) / f"{name}.png", caret="initial")


FIRST_TABLE, GAP = 300, 12
"""How far down the first table may be on a phone, and the space after a message, in pixels."""


@pytest.fixture
def evening(club: Club, alice: User) -> Tournament:
    """A knockout of 19 with consolation at six tables, after an hour: M1–M3 are over, others play or are called."""
    by, now = Actor.of(alice), timezone.now()
    start = now - timedelta(hours=1)
    event = events.create_tournament(
        club=club, by=by, now=start, name="Saturday Night", starts_at=start, tables=6, ends_at=now + timedelta(hours=4)
    )
    division = events.create_division(tournament=event, by=by, now=start, name="Open", match_length=7)
    players = [Player.objects.create(name=name) for name in NAMES]
    entries.enter(division=division, players=players, by=by, now=start)
    division.refresh_from_db()
    set_stages(division=division, stages=[StageSettings("progressive")], after=division.seq, by=by, now=start)
    events.publish_tournament(tournament=event, by=by, now=start)
    draw = draws.request_draw(division=division, by=by, now=start)
    draws.make_draft(draw_id=draw.pk, now=start)
    division = Division.objects.get()
    draws.publish_draw(division=division, after=division.seq, by=by, now=start)
    opening.open_floor(tournament=event, by=by, now=start)
    open_fixtures = list(Fixture.objects.filter(match__state=Match.State.OPEN).order_by("number"))
    spots = list(event.floor_tables.all())
    for at, (fixture, table) in enumerate(zip(open_fixtures[:4], spots, strict=False)):
        calls.call(fixture=fixture, table=table, by=by, now=start + timedelta(minutes=at))
        if at < 3:
            calls.start(fixture=fixture, by=by, now=start + timedelta(minutes=at + 2))
    calls.set_running_score(fixture=open_fixtures[0], score=(6, 4), by=by, now=now)
    calls.take_out_of_use(table=spots[5], reason="Lamp broken", by=by, now=now)
    last = open_fixtures[-1].number
    # It cannot be undone any more: what follows from it is there before the first page, not some seconds later.
    enter_lines(tournament=event, text=f"m{last} 7-2", division=None, by=by, now=now - timedelta(minutes=1))
    announce_unsettled(now=now)
    return event


def test_a_typed_line_is_answered_in_its_place(
    evening: Tournament, alice: User, open_page: OpenPage, expected_errors: list[re.Pattern[str]]
) -> None:
    page = open_page(f"/events/harbour/{evening.slug}/floor/", width=DESK, user=alice)
    page.wait_for_load_state("networkidle")
    page.evaluate("window.seenBefore = true")
    line, outcome, playing = page.locator("#line"), page.locator("#line-said"), page.locator("#step-floor-fact")
    expect(playing).to_have_text("3 playing")
    line.fill("t1 7-4")
    expect(page.locator("#line-preview")).to_contain_text("beats")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(f"{request.method} {request.url.removesuffix('/').split('/')[-1]}"))
    line.press("Enter")
    expect(outcome).to_contain_text("7–4")
    expect(line).to_have_value("")
    expect(line).to_be_focused()
    expect(page.locator(".floor-card").first).to_contain_text("Free")
    expect(playing).to_have_text("2 playing")
    page.wait_for_timeout(LATEST_UPDATE)
    assert sent == ["POST line", "GET floor", "GET forecast"], "nothing is asked for twice"

    line.fill("m99 7-3")
    line.press("Enter")
    expect(outcome).to_contain_text("There is no M99")
    expect(line).to_have_value("m99 7-3")
    assert page.evaluate("window.seenBefore")

    # What is no answer of the line is shown as a page.
    expected_errors.append(re.compile("40[34]|htmx:"))
    Membership.objects.filter(player__user=alice).delete()
    line.press("Enter")
    expect(page.get_by_role("heading", level=1)).not_to_contain_text("Floor")
    assert not page.evaluate("window.seenBefore")


def test_lines_typed_fast_are_sent_in_order_and_none_is_lost(
    evening: Tournament,
    alice: User,
    open_page: OpenPage,
    expected_errors: list[re.Pattern[str]],
    looked_at: Check,
    fits: Check,
) -> None:
    page = open_page(f"/events/harbour/{evening.slug}/floor/", width=PHONE, user=alice)
    page.wait_for_load_state("networkidle")
    page.locator(".floor-tabs").get_by_role("button", name="More").click()
    line, waiting, said = page.locator("#line"), page.locator("#line-queue > li"), page.locator("#line-said")
    numbers = open_numbers(evening)

    def type_lines(*texts: str) -> None:
        for text in texts:
            line.fill(text)
            line.press("Enter")

    # Each answer takes a second.
    page.route("**/floor/line/", lambda route: (page.wait_for_timeout(1000), route.continue_()))
    type_lines(f"m{numbers[0]} 7-4", f"m{numbers[1]} 7-2", "undo", "undo")
    expect(waiting).to_have_count(4)
    expect(waiting.first).to_contain_text("Sending…", use_inner_text=True)
    looked_at(page)
    line.fill("m9")
    expect(waiting).to_have_count(0, timeout=15_000)
    expect(line).to_have_value("m9")
    assert open_numbers(evening) == numbers, "two were entered, and both undone"

    # One that is refused stays; what may be about another match waits for a tap, the rest goes on.
    type_lines("m99 7-3", f"m{numbers[0]} 7-4", "t2 7-5", "m99 3-7")
    expect(waiting).to_have_count(3, timeout=15_000)
    expect(waiting.nth(0)).to_contain_text("There is no M99")
    expect(waiting.nth(1)).to_contain_text("Waits: the line before it was refused.", use_inner_text=True)
    expect(waiting.nth(2)).to_contain_text("Waits", use_inner_text=True)
    assert numbers[0] not in open_numbers(evening)
    fits(page)
    looked_at(page)
    picture(page, "floor-lines")
    waiting.nth(1).get_by_role("button", name="Enter").click()
    expect(waiting).to_have_count(2, timeout=15_000)
    expect(said).to_contain_text("7–5")
    waiting.nth(1).get_by_role("button", name="Edit").click()
    expect(line).to_have_value("m99 3-7")

    # Without an answer they stay, and what may have arrived is sent as the same request.
    page.unroute("**/floor/line/")
    expected_errors.append(re.compile("Failed to load|net::"))
    page.route("**/floor/line/", lambda route: (route.fetch(), route.abort()))
    line.fill("")
    type_lines("undo", "m98 1-0")
    for place in (1, 2):
        expect(waiting.nth(place)).to_contain_text("Not sent: no connection.", use_inner_text=True, timeout=15_000)
    page.unroute("**/floor/line/")
    before = len(open_numbers(evening))
    waiting.nth(1).get_by_role("button", name="Enter").click()
    expect(waiting).to_have_count(2, timeout=15_000)
    assert len(open_numbers(evening)) == before, "undone once"


def open_numbers(event: Tournament) -> list[int]:
    """Return the numbers of the matches that are played or called."""
    rows = Fixture.objects.filter(stage__division__tournament=event, match__state=Match.State.OPEN)
    return sorted(rows.values_list("number", flat=True))


def test_the_floor_at_a_desk_and_on_a_phone(
    evening: Tournament, alice: User, open_page: OpenPage, looked_at: Check, fits: Check
) -> None:
    path = f"/events/harbour/{evening.slug}/floor/"
    desk = open_page(path, width=DESK, user=alice)
    expect(desk.get_by_role("heading", name="Needs you")).to_be_visible()
    expect(desk.locator(".floor-card")).to_have_count(6)
    expect(desk.locator(".floor-chart")).to_be_visible()
    expect(desk.get_by_text("Closing-time pilot")).to_be_visible()
    looked_at(desk)
    picture(desk, "floor")
    phone = open_page(path, width=PHONE, scheme="dark", user=alice, touch=True)
    looked_at(phone)
    first, warning = phone.locator(".floor-card").first.bounding_box(), phone.locator(".message-warning")
    above = sum(box["height"] + GAP for box in [warning.bounding_box()] if box is not None)  # no worker runs here
    assert first is not None
    assert first["y"] - above < FIRST_TABLE, "the first table is in sight"
    picture(phone, "floor-phone-dark")

    # By keyboard: "c" calls what is suggested, and the other page follows without reload.
    desk.locator("#line").fill("m99")
    desk.locator("#line").press("Tab")
    desk.evaluate("document.querySelectorAll('.floor-card')[5].seenBefore = true")
    # As a password manager does. An update that copied it would break the content security policy, which is an error.
    styled = "[...document.querySelectorAll('#floor [id]')].filter((part) => part.style.colorScheme)"
    desk.evaluate("document.querySelectorAll('#floor [id]').forEach((part) => (part.style.colorScheme = 'inherit'))")
    before = desk.evaluate(f"{styled}.length")
    updates = {page: updates_of(page) for page in (desk, phone)}
    desk.locator("body").press("c")
    expect(desk.locator("#floor-undo")).to_contain_text("is called to table 5.")
    expect(desk.locator(".floor-card").nth(4)).to_contain_text("Called")
    assert desk.evaluate("document.querySelectorAll('.floor-card')[5].seenBefore"), "only what has changed is replaced"
    expect(desk.locator("#line")).to_have_value("m99")
    assert desk.evaluate(f"{styled}.length") < before
    expect(phone.locator(".floor-card").nth(4)).to_contain_text("Called")
    desk.wait_for_timeout(LATEST_UPDATE)
    for parts in updates.values():
        assert sorted(parts) == ["floor", "forecast"]

    # A result by two taps: the card, and the button that names the outcome.
    phone.locator(".floor-card").first.tap()
    sheet = phone.locator("dialog[open]")
    expect(sheet.locator(".save:visible")).to_have_text(re.compile(" wins 7–4"))
    expect(sheet.locator(".result-then:visible")).to_contain_text("Table 1 is free.")
    looked_at(phone)
    picture(phone, "floor-sheet-phone-dark")
    sheet.locator(".save:visible").tap()
    expect(phone.locator(".floor-card").first).to_contain_text("Free")
    expect(desk.locator(".floor-latest")).to_contain_text("7–4")
    expect(desk.locator("#line")).to_have_value("m99")

    for tab in ("Needs you", "Next", "Forecast", "More", "Tables"):
        phone.locator(".floor-tabs").get_by_role("button", name=tab).tap()
        fits(phone)
        picture(phone, f"floor-phone-{tab.split()[0].lower()}")
    phone.evaluate("document.documentElement.style.fontSize = '200%'")
    fits(phone)

    table = desk.locator(".floor-card").nth(5)
    expect(table).to_contain_text("Lamp broken")
    table.click()
    desk.get_by_role("button", name="Back in use").click()
    expect(desk.locator("#floor-undo")).to_contain_text("Table 6 is in use again.")
    desk.set_viewport_size({"width": 900, "height": 800})
    fits(desk)


@pytest.mark.slow
def test_an_alert_reaches_an_open_page_within_five_seconds_of_its_time(
    evening: Tournament, alice: User, open_page: OpenPage
) -> None:
    by = Actor.of(alice)
    waiting = Fixture.objects.filter(match__state=Match.State.OPEN, floor_events=None).order_by("number")
    fixture, table = waiting[0], evening.floor_tables.get(label="5")
    desk = open_page(f"/events/harbour/{evening.slug}/floor/", width=DESK, user=alice)
    need = desk.locator(".need", has_text=f"M{fixture.number} ")
    # The page has been open once, so that it is there in time.
    due = timezone.now() + timedelta(seconds=20)
    calls.call(fixture=fixture, table=table, by=by, now=due - timedelta(minutes=5))
    desk.reload()
    expect(need).to_have_count(0)
    assert timezone.now() < due, "the page was open before"
    desk.evaluate("window.seenBefore = true")
    expect(need).to_contain_text("Not at the table", timeout=60_000)
    # A busy machine takes longer to answer, so what counts is when the page asked.
    late = [at / 1000 - due.timestamp() for at in desk.evaluate(ASKED_AT)]
    assert any(0 <= seconds < 5 for seconds in late), late
    assert desk.evaluate("window.seenBefore"), "without a reload"


def test_a_floor_that_is_hidden_or_closed_says_so_and_one_that_is_cut_off_cannot(
    evening: Tournament,
    alice: User,
    open_page: OpenPage,
    hall: str,
    valkey: Redis,
    expected_errors: list[re.Pattern[str]],
) -> None:
    presence.note_start(now=0)
    page = open_page("/check/", user=alice)
    page.context.add_cookies([{**cookie, "domain": HALL} for cookie in page.context.cookies()])

    def hide(hidden: bool) -> None:
        is_hidden = "Object.defineProperty(document, 'hidden', { value: true, configurable: true })"
        page.evaluate(is_hidden if hidden else "delete document.hidden")
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")

    def would_be_silent(expected: bool) -> None:
        later = timezone.now() + timedelta(minutes=3)
        eventually(lambda: (desk.silent_since(evening, later) is not None) == expected)

    floor = f"{hall}/events/harbour/{evening.slug}/floor/"
    page.goto(floor)
    would_be_silent(True)
    for hidden in (True, False):
        hide(hidden)
        would_be_silent(not hidden)
    page.goto(f"{hall}/check/")
    would_be_silent(False)
    page.go_back()
    would_be_silent(True)
    expected_errors.append(re.compile("ERR_INTERNET_DISCONNECTED"))
    page.context.set_offline(True)
    hide(True)
    would_be_silent(True)
