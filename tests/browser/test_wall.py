"""The wall screen: readable from afar, follows the floor, and survives a lost network and a release."""

import os
import random
import re
from collections.abc import Callable
from itertools import chain, cycle
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Page, Route, expect

from display.wall import FRESH
from formats.settings import StageSettings
from players.actors import Actor
from players.models import Player, User
from tests.browser.chromium import SOON
from tests.browser.conftest import Check, OpenPage, follow
from tests.browser.test_paper import TYPEFACE, people
from tests.event_cast import bob_player, by_alice, club, make_division, make_players, tournament
from tests.tournaments.support.played_stages import NOON, drawn_as, play, ready
from tournaments.floor.calls import call, start
from tournaments.floor.evening import open_floor
from tournaments.models import Division, FloorEvent, Table

__all__ = ["bob_player", "by_alice", "club", "make_division", "make_players", "tournament"]

LONG_NAME = "Wolfeschlegelsteinhausenbergerdorff Featherstonehaugh"
PICTURES = os.environ.get("PAPER_PICTURES", "")
CUT = """
  [...document.querySelectorAll(".wall-name, .wall-tables li")]
    .filter((part) => part.scrollWidth > part.clientWidth + 1 || part.scrollHeight > part.clientHeight + 20)
    .map((part) => part.textContent.trim())
"""
"""Return the names in calls and the tiles of tables that are not shown as a whole; letters may reach out of a line."""
OUTSIDE = """() => {
  const box = (part) => part.getBoundingClientRect();
  const reachesOut = (part) => part.matches(".wall-call")
    ? [...part.querySelectorAll("p")].filter((line) => line.getClientRects().length)
      .some((line) => box(line).top < box(part).top || box(line).bottom > box(part).bottom)
    : part.scrollHeight > part.clientHeight + 1;
  return [...document.querySelectorAll(".wall-screen:not([hidden]) :is(.wall-call, .wall-call-where, .wall-tables li)")]
    .filter((part) => part.getClientRects().length)
    .filter((part) => reachesOut(part) || box(part).bottom > box(document.querySelector(".wall-foot")).top)
    .map((part) => [part.className, part.textContent, part.scrollHeight, part.clientHeight].join(" "))
}"""
"""Return what does not fit on the screen or into its box."""
SHRUNK = """
  [...document.querySelectorAll(".wall-screen:not([hidden]) .wall-name:not(.is-wrapped)")].filter((name) => {
    const part = name.style.getPropertyValue("--fit");
    name.style.setProperty("--fit", 1);
    const text = document.createRange();
    text.selectNodeContents(name);
    const fits = text.getBoundingClientRect().right < name.getBoundingClientRect().right - 2;
    name.style.setProperty("--fit", part);
    return fits && part < 1;
  }).map((name) => name.textContent)
"""
"""Return the names in smaller print that would fit in that of the others."""
PAGE_GROWS = """place => {
  document.body.dataset.place = place;
  return document.documentElement.scrollWidth - innerWidth;
}"""
"""Return by how many pixels the page grows when the picture is at one of its places."""
SQUARE = ".wall-call { border-radius: 0 !important }"
WITHOUT_LIMITS = ".wall-call, .wall-call * { overflow: visible !important }"
SMALLEST = """
  [...document.querySelectorAll(".wall-screen:not([hidden]) *, .wall-head *, .wall-foot *")]
    .filter((part) => [...part.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
    .filter((part) => part.getClientRects().length)
    .map((part) => part.ownerSVGElement
      ? parseFloat(part.getAttribute("font-size")) * part.getScreenCTM().a
      : parseFloat(getComputedStyle(part).fontSize))
    .reduce((least, size) => Math.min(least, size), 1000)
"""


def picture(page: Page, name: str) -> None:
    """Keep a picture of the screen, to be looked at."""
    if PICTURES:
        page.screenshot(path=Path(PICTURES) / f"{name}.png")


@pytest.mark.slow
def test_the_wall_follows_the_floor_and_keeps_its_content_without_a_network(
    site: str,
    make_division: Callable[..., Division],
    by_alice: Actor,
    alice: User,
    open_page: OpenPage,
    looked_at: Check,
    expected_errors: list[re.Pattern[str]],
) -> None:
    division = make_division(name="Open", match_length=7)
    drawn_as(division, [StageSettings("progressive")], people(16), by_alice)
    play(division, by_alice, random.Random(7), most=6)
    event = division.tournament
    event.tables = 8
    event.save()
    open_floor(tournament=event, by=by_alice, now=NOON)
    tables = list(Table.objects.filter(tournament=event))
    matches = ready(division)
    now = timezone.now()
    call(fixture=matches[0], table=tables[4], by=by_alice, now=now)
    path = f"/events/{event.club.slug}/{event.slug}/wall/"
    page = open_page(path, width=1920, scheme="dark")
    page.set_viewport_size({"width": 1920, "height": 1080})
    expect(page.locator(".wall-call-table b")).to_have_text("5")
    assert page.evaluate(SMALLEST) >= 30
    assert [page.evaluate(PAGE_GROWS, place) for place in "012"] == [0, 0, 0]
    expect(page.locator(".wall-name").first).to_have_css("font-size", "62px")
    expect(page.locator(".wall-call-table b")).to_have_css("font-size", "124px")
    looked_at(page)
    picture(page, "wall-floor")

    # A call is on the wall without a reload, with the whole of a long name; the message is set from the console.
    match = matches[1].match
    assert match is not None
    Player.objects.filter(pk=match.player_0_id).update(name=LONG_NAME)
    call(fixture=matches[2], table=tables[3], by=by_alice, now=now)
    start(fixture=matches[2], by=by_alice, now=now)
    call(fixture=matches[1], table=tables[0], by=by_alice, now=timezone.now())
    expect(page.locator(".wall-call")).to_have_count(2)
    expect(page.locator(".wall-tables")).to_contain_text("Playing")
    expect(page.locator(".wall-name", has_text=LONG_NAME)).to_be_visible()
    picture(page, "wall-calls")
    page.evaluate(TYPEFACE)
    assert page.evaluate(CUT) == []
    settings = open_page(f"{path}settings/", user=alice)
    looked_at(settings)
    settings.get_by_label("Message").fill("Kitchen open until 20:30.")
    settings.get_by_label("Seconds per screen").fill("5")
    follow(settings.get_by_role("button", name="Save"))
    expect(page.locator(".wall-message")).to_have_text("Kitchen open until 20:30.")

    # A fresh call is not interrupted. Afterwards the parts come in turn; the brackets may just have had theirs.
    expect(page.locator(".wall-screen")).to_have_count(1)
    FloorEvent.objects.update(at=timezone.now() - FRESH)
    expect(page.locator(".wall-screen.is-bracket").first).to_be_visible(timeout=4 * SOON)
    assert page.evaluate(SMALLEST) >= 29.5
    picture(page, "wall-bracket")

    # Without a network the content stays, marked with its time; afterwards it is current again.
    expected_errors.append(re.compile("ERR_INTERNET_DISCONNECTED|ERR_NETWORK"))
    page.context.set_offline(True)
    expect(page.locator("#wall-stale")).to_be_visible()
    expect(page.locator(".wall-message")).to_have_text("Kitchen open until 20:30.")
    page.context.set_offline(False)
    expect(page.locator("#wall-stale")).to_be_hidden()

    # Reading the page again leaves nothing behind.
    grown = page.evaluate("document.querySelectorAll('*').length")
    for _reading in range(5):
        page.evaluate("dispatchEvent(new Event('online'))")
        page.wait_for_timeout(400)
    assert page.evaluate("document.querySelectorAll('*').length") == grown

    # After a release the page takes its styles and its script without being loaded again.
    page.evaluate("""window.isSame = true;
        for (const part of document.querySelectorAll('link[rel=stylesheet], #wall-script')) {
            const name = part.matches('link') ? 'href' : 'src';
            part.setAttribute(name, part.getAttribute(name) + '?old');
        }""")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator("link[href$=old]")).to_have_count(0)
    expect(page.locator("link[rel=stylesheet]")).to_have_count(6)
    assert page.evaluate("window.isSame")
    expect(page.locator(".wall-message")).to_have_text("Kitchen open until 20:30.")


RTL_NAME = "יעל לוי"
TALL_NAMES = ("Åse Øgård", "Đặng Thị Mỹ", "Ώριος Ψύλλας", "Peggy Jönsson-Ågren", "Jiří Příhoda", "Yngve Gyllenborg")


HIDE = """(long) => [...document.querySelectorAll(".wall-call")]
    .filter((call) => call.matches(".is-label-long") || call.textContent.includes(long))
    .forEach((call) => (call.style.visibility = "hidden"))"""
ADD = "(rule) => void [...document.styleSheets].at(-1).insertRule(rule)"
REMOVE = "() => [...document.styleSheets].at(-1).deleteRule(0)"
"""Take back the rule that was added last."""


def is_page(route: Route) -> bool:
    return route.request.resource_type == "document"


def whole(page: Page) -> bool:
    """Whether nothing of the calls is cut off, not even below a line; leaves out `LONG_NAME` and long labels.

    What is cut off differs each time; what changes by itself between two pictures, once.
    """
    calls = page.locator(".wall-calls").first
    page.evaluate(HIDE, LONG_NAME)
    page.evaluate(ADD, SQUARE)
    for _attempt in range(3):
        limited = calls.screenshot()
        page.evaluate(ADD, WITHOUT_LIMITS)
        unlimited = calls.screenshot()
        if limited == unlimited:
            return True
        page.evaluate(REMOVE)
    return False


@pytest.mark.usefixtures("fits")
def test_up_to_twenty_calls_are_shown_at_once(
    site: str,
    make_division: Callable[..., Division],
    by_alice: Actor,
    open_page: OpenPage,
    axe: Check,
) -> None:
    division = make_division(name="Open", match_length=7)
    field = people(44)
    # Letters that reach out of their line are in both names of a call, whomever the draw brings together.
    for player, name in zip(field, chain((LONG_NAME, RTL_NAME), cycle(TALL_NAMES)), strict=False):
        Player.objects.filter(pk=player.pk).update(name=name)
    drawn_as(division, [StageSettings("swiss", rounds=4)], field, by_alice)
    event = division.tournament
    event.tables = 22
    event.save()
    open_floor(tournament=event, by=by_alice, now=NOON)
    tables = list(Table.objects.filter(tournament=event))
    Table.objects.filter(pk=tables[2].pk).update(label="Terrace by the door")
    matches = ready(division)
    path = f"/events/{event.club.slug}/{event.slug}/wall/"
    page = open_page(path, width=1920, scheme="dark")
    page.set_viewport_size({"width": 1920, "height": 1080})
    # What is shown is compared with itself, so the page does not read its content again.
    page.route("**/wall/*", lambda route: route.continue_() if is_page(route) else route.fulfill(status=204))
    for count in range(1, 23):
        call(fixture=matches[count - 1], table=tables[count - 1], by=by_alice, now=timezone.now())
        if count > 1 and count % 2:
            continue
        # On a busy machine the first calls would not be fresh any more.
        FloorEvent.objects.filter(kind="called").update(at=timezone.now())
        for order, lines in (("table", count), ("name", count if count <= 2 else 2 * count)):
            page.goto(f"{path}?order={order}")
            page.evaluate(TYPEFACE)
            screens = page.locator(".wall-screen")
            assert screens.count() == page.locator(".wall-screen:has(.wall-call)").count(), "calls only"
            assert page.locator(".wall-call").count() == lines
            assert page.evaluate(SMALLEST) >= 30
            assert page.evaluate(OUTSIDE) == [], (count, order)
            cut = [name for name in page.evaluate(CUT) if not name.startswith(LONG_NAME[:20])]
            assert cut == [], (count, order)
            assert page.evaluate(SHRUNK) == [], (count, order)
            picture(page, f"wall-{count}-{order}")
            assert whole(page), (count, order)
        # Only the sizes change with the number of calls.
        for scheme in ("light", "dark") if count in (2, 12, 22) else ():
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            axe(page)
        assert screens.count() == (1 if count <= 20 else 2)
    assert page.locator(".wall-name[dir=auto]", has_text=RTL_NAME).count() == 1
