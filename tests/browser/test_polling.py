"""Parts of pages that refresh themselves never replace what somebody is typing, reading or has the focus on."""

import random
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Request, expect

from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from players.models import Player, User
from tests.browser.chromium import SOON
from tests.browser.conftest import OpenPage
from tests.event_cast import NOW, bob_player, by_alice, club, make_division, make_players, tournament
from tests.tournaments.support.played_stages import STAGES, drawn_as, play
from tournaments.models import Division, Fixture
from tournaments.results import services as results

__all__ = ["bob_player", "by_alice", "club", "make_division", "make_players", "tournament"]

POLLED = "01:01"
"""Longer than the interval of any of these parts."""
ASKED_AGAIN = 6_000
"""Milliseconds: less than the interval of the console, more than the pause after an answer that was not shown."""


@pytest.fixture
def division(
    site: str,
    make_division: Callable[..., Division],
    make_players: Callable[[int], list[Player]],
    by_alice: Actor,
) -> Division:
    """A round robin of six, half played."""
    division = drawn_as(make_division(name="Open", match_length=7), STAGES["round robin"], make_players(6), by_alice)
    play(division, by_alice, random.Random(3), most=6)
    return division


@pytest.fixture
def address(division: Division) -> str:
    event = division.tournament
    return f"/events/{event.club.slug}/{event.slug}/"


def with_clock(open_page: OpenPage, path: str, user: User) -> Page:
    """A page whose timers run only when the test says so."""
    page = open_page("/", user=user)
    page.clock.install()
    page.goto(path)
    return page


def settled(page: Page) -> None:
    """Let the stream open, and what has changed since the page was read be refreshed."""
    page.clock.run_for(3_000)
    page.wait_for_timeout(1_000)


def is_refresh(request: Request) -> bool:
    """Whether a part of the page is requested again, other than the bell in its header."""
    return "hx-request" in request.headers and not request.url.endswith("/notifications/bell/")


COUNT = """() => {
  window.refreshes = 0;
  document.addEventListener("htmx:beforeSend", ({ detail }) => {
    if (!detail.requestConfig.path.endsWith("/notifications/bell/")) window.refreshes += 1;
  });
}"""
"""The page counts by itself: outside, requests from before the count began may be heard of after it."""


def refreshes(page: Page) -> int:
    return int(page.evaluate("window.refreshes"))


def polled(page: Page) -> None:
    """Let the page request its part again and show the response."""
    with page.expect_response(lambda answer: is_refresh(answer.request)):
        page.clock.fast_forward(POLLED)
    page.clock.run_for(500)


def book_next(division: Division, by: Actor) -> Fixture:
    """Enter another result, so that the next response differs."""
    rows = Fixture.objects.filter(stage__division=division, status=Fixture.Status.READY).select_related("stage")
    fixture = rows.order_by("number")[0]
    results.enter_result(fixture=fixture, result=ResultInput(0, (7, 2)), by=by, now=NOW)
    return fixture


def test_a_page_that_has_sent_a_form_is_not_refreshed_before_the_answer(
    division: Division, address: str, open_page: OpenPage, alice: User, by_alice: Actor
) -> None:
    page = with_clock(open_page, f"{address}console/", alice)
    settled(page)
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<form><button id=send>Send</button></form>')")
    # The answer takes its time: this handler is called after that of the page. On a slow machine the stream opens late,
    # and what has changed before is asked for until then.
    page.evaluate(f"document.addEventListener('submit', (event) => {{ event.preventDefault(); ({COUNT})(); }})")
    page.locator("#send").click()
    book_next(division, by_alice)
    # Less than the page waits, since its clock runs on during all this, and more than a change waits to be asked for.
    page.clock.run_for(3_000)
    assert refreshes(page) == 0
    with page.expect_response(lambda answer: is_refresh(answer.request)):
        page.clock.fast_forward(POLLED)


def test_a_field_in_use_is_not_replaced_and_its_text_stays(
    division: Division, address: str, open_page: OpenPage, alice: User, by_alice: Actor
) -> None:
    page = with_clock(open_page, f"{address}console/", alice)
    settled(page)
    page.evaluate("document.getElementById('console').insertAdjacentHTML('beforeend', '<input id=typed value=0>')")
    page.locator("#typed").fill("4")
    page.locator("#line").focus()
    page.evaluate(COUNT)
    booked = book_next(division, by_alice)
    page.clock.fast_forward(POLLED)
    page.clock.run_for(500)
    expect(page.locator("#typed")).to_have_value("4")
    assert refreshes(page) == 0
    page.locator("#typed").fill("0")
    page.locator("#line").focus()
    polled(page)
    expect(page.locator("#typed")).to_have_count(0)
    expect(page.locator("#latest").locator("..").locator("..")).to_contain_text(f"M{booked.number}")


def test_a_response_that_arrives_during_typing_is_dropped_and_asked_for_again(
    division: Division, address: str, open_page: OpenPage, alice: User
) -> None:
    page = with_clock(open_page, f"{address}console/", alice)
    settled(page)

    def type_meanwhile(route: object) -> None:
        page.evaluate("""() => {
          const field = Object.assign(document.createElement("input"), { id: "typed", defaultValue: "0", value: "7" });
          if (!document.getElementById("typed")) document.getElementById("console").append(field);
        }""")
        route.continue_()  # type: ignore[attr-defined]

    page.route("**/console/**", type_meanwhile)
    polled(page)
    expect(page.locator("#typed")).to_have_value("7")
    page.unroute("**/console/**")
    page.locator("#typed").evaluate("field => { field.value = field.defaultValue; }")
    page.clock.run_for(ASKED_AGAIN)
    expect(page.locator("#typed")).to_have_count(0)


def test_the_focus_stays_where_it_was(
    division: Division, address: str, open_page: OpenPage, alice: User, by_alice: Actor
) -> None:
    page = with_clock(open_page, f"{address}console/", alice)
    settled(page)
    link = page.locator("#console a[data-sheet]").last
    link.focus()
    name = link.inner_text()
    booked = book_next(division, by_alice)
    polled(page)
    expect(page.locator("#latest").locator("..").locator("..")).to_contain_text(f"M{booked.number}")
    # The focus returns when htmx has settled the new part, a moment after it is on the page.
    expect(page.locator("#console :focus")).to_have_text(name)


def test_an_open_explanation_stays_open_while_the_table_changes(
    division: Division, address: str, open_page: OpenPage, alice: User, by_alice: Actor
) -> None:
    page = with_clock(open_page, f"{address}{division.public_id}/", alice)
    why = page.locator("td.why details").nth(2)
    why.locator("summary").click()
    name = page.locator("tr:has(details[open]) th .name").inner_text()
    before = page.locator("#brackets").text_content() or ""
    book_next(division, by_alice)
    polled(page)
    expect(page.locator("#brackets")).not_to_have_text(before)
    expect(page.locator("tr:has(details[open]) th .name")).to_have_text([name])
    expect(page.locator("tr:has(details[open]) summary")).to_be_focused()


def test_a_result_is_on_the_page_before_it_would_ask(
    division: Division, address: str, open_page: OpenPage, by_alice: Actor
) -> None:
    page = open_page(f"{address}{division.public_id}/")
    before = page.locator("#brackets").inner_html()
    page.wait_for_timeout(2_500)
    page.evaluate(COUNT)
    book_next(division, by_alice)
    page.wait_for_function(
        "(before) => document.getElementById('brackets').innerHTML !== before", arg=before, timeout=SOON
    )
    page.wait_for_timeout(1_000)
    assert 1 <= refreshes(page) <= 2


def test_without_a_stream_the_page_asks_every_twenty_seconds(
    division: Division, address: str, open_page: OpenPage, by_alice: Actor
) -> None:
    page = open_page("/")
    page.clock.install()
    page.route("**/live/**", lambda route: route.fulfill(status=204))
    page.goto(f"{address}{division.public_id}/")
    page.clock.run_for(4_000)
    book_next(division, by_alice)
    with page.expect_response(lambda answer: is_refresh(answer.request)):
        page.clock.run_for(20_000)
