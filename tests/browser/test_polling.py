"""Parts of pages that refresh themselves never take away what somebody is typing, reading or has the focus on."""

import random
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from players.models import Player, User
from tests.browser.conftest import OpenPage
from tests.tournaments.conftest import NOW, bob_player, by_alice, club, make_division, make_players, tournament
from tests.tournaments.support.played_stages import STAGES, drawn_as, play
from tournaments.models import Division, Fixture
from tournaments.results.services import results

__all__ = ["bob_player", "by_alice", "club", "make_division", "make_players", "tournament"]

POLLED = "00:21"
"""Longer than any of these parts waits before it asks again."""


@pytest.fixture
def division(
    site: str,
    make_division: Callable[..., Division],
    make_players: Callable[[int], list[Player]],
    by_alice: Actor,
) -> Division:
    """A round robin of six, half played."""
    made = drawn_as(make_division(name="Open", match_length=7), STAGES["round robin"], make_players(6), by_alice)
    play(made, by_alice, random.Random(3), most=6)
    return made


@pytest.fixture
def address(division: Division) -> str:
    event = division.tournament
    return f"/events/{event.club.slug}/{event.slug}/"


def with_clock(open_page: OpenPage, path: str, user: User) -> Page:
    """A page whose timers only the test moves on."""
    page = open_page("/", user=user)
    page.clock.install()
    page.goto(path)
    return page


def polled(page: Page) -> None:
    """The page has asked anew, and shows the answer."""
    with page.expect_response(lambda answer: "hx-request" in answer.request.headers):
        page.clock.fast_forward(POLLED)
    page.clock.run_for(500)


def book_next(division: Division, by: Actor) -> Fixture:
    """Another result, so that the next answer differs."""
    rows = Fixture.objects.filter(stage__division=division, status=Fixture.Status.READY).select_related("stage")
    fixture = rows.order_by("number")[0]
    results.enter_result(fixture=fixture, result=ResultInput(0, (7, 2)), by=by, now=NOW)
    return fixture


def test_a_field_in_use_is_not_replaced_and_what_was_typed_stays(
    division: Division, address: str, open_page: OpenPage, alice: User, by_alice: Actor
) -> None:
    page = with_clock(open_page, f"{address}console/", alice)
    page.evaluate("document.getElementById('console').insertAdjacentHTML('beforeend', '<input id=typed value=0>')")
    page.locator("#typed").fill("4")
    page.locator("#line").focus()
    booked = book_next(division, by_alice)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "hx-request" in request.headers else None)
    page.clock.fast_forward(POLLED)
    page.clock.run_for(500)
    expect(page.locator("#typed")).to_have_value("4")
    assert asked == []
    page.locator("#typed").fill("0")
    page.locator("#line").focus()
    polled(page)
    expect(page.locator("#typed")).to_have_count(0)
    expect(page.locator("#latest").locator("..").locator("..")).to_contain_text(f"M{booked.number}")


def test_an_answer_that_comes_while_somebody_types_is_dropped(
    division: Division, address: str, open_page: OpenPage, alice: User
) -> None:
    page = with_clock(open_page, f"{address}console/", alice)
    page.evaluate("document.getElementById('console').insertAdjacentHTML('beforeend', '<input id=typed value=0>')")

    def type_meanwhile(route: object) -> None:
        page.evaluate("document.getElementById('typed').value = '7'")
        route.continue_()  # type: ignore[attr-defined]

    page.route("**/console/**", type_meanwhile)
    polled(page)
    expect(page.locator("#typed")).to_have_value("7")


def test_the_focus_stays_where_it_was(
    division: Division, address: str, open_page: OpenPage, alice: User, by_alice: Actor
) -> None:
    page = with_clock(open_page, f"{address}console/", alice)
    link = page.locator("#console a[data-sheet]").last
    link.focus()
    name = link.inner_text()
    booked = book_next(division, by_alice)
    polled(page)
    expect(page.locator("#latest").locator("..").locator("..")).to_contain_text(f"M{booked.number}")
    assert page.evaluate("document.activeElement.innerText") == name


def test_an_open_why_stays_open_while_the_table_changes(
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
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
