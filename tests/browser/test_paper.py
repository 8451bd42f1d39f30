"""Printed pages, rendered to PDF as a browser prints them."""

import os
import random
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Page, expect

from players.actors import Actor
from players.models import Player, User
from tests.browser.conftest import DESK, PHONE, Check, OpenPage, follow
from tests.tournaments.conftest import bob_player, by_alice, club, make_division, make_players, tournament
from tests.tournaments.support.played_stages import NOON, drawn_as, play, ready
from tournaments.floor.calls import call
from tournaments.floor.evening import open_floor
from tournaments.formats.settings import StageSettings
from tournaments.models import Division, Table

__all__ = ["bob_player", "by_alice", "club", "make_division", "make_players", "tournament"]

PICTURES = os.environ.get("PAPER_PICTURES", "")
"""A folder for PDFs and pictures of the printed pages, to be looked at."""
NAMES = [
    "Nino Beridze", "Petra Novak", "Omar Haddad", "Greta Lindqvist", "Zoë Ballard", "Samir Aziz", "Theo Vance",
    "Erik Nyström", "Mei Hashimoto", "Hugo Almeida", "Jörg Weißmüller", "Clara Moss", "Ruth Callahan",
    "Luca De Santis", "Ivo Petrov", "Anaïs Lefèvre", "Alice Andersen", "Yuki Tanabe", "Kofi Mensah", "Carol Csonka",
    "Tomáš Dvořák", "Dalia Peretz", "Fatma Yıldız", "Leon Brandt", "Siobhán O’Neill", "Maja Kowal", "Bob Bergmann",
    "Pavel Sorin", "山本 健", "Rafael Quint", "Ines Duarte", "Γιώργος Παπαδόπουλος",
]  # fmt: skip

Drawn = Callable[..., Division]


def people(count: int) -> list[Player]:
    """Players with names of many lengths and scripts."""
    return [Player.objects.create(name=NAMES[index % 32] + " II" * (index // 32)) for index in range(count)]


def printed(page: Page, name: str) -> int:
    """Return the number of pages that the browser prints, after checking that each sheet is one page."""
    pdf = page.pdf(prefer_css_page_size=True, print_background=False)
    pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
    if PICTURES:
        folder = Path(PICTURES)
        (folder / f"{name}.pdf").write_bytes(pdf)
        for index, sheet in enumerate(page.locator(".sheet-of-paper").all(), start=1):
            sheet.screenshot(path=folder / f"{name}-{index}.png")
    assert pages == page.locator(".sheet-of-paper").count()
    return pages


def test_sixteen_score_sheets_take_two_clicks(
    site: str, make_division: Drawn, by_alice: Actor, alice: User, open_page: OpenPage, looked_at: Check
) -> None:
    division = make_division(name="Open", match_length=7)
    drawn_as(division, [StageSettings("progressive")], people(32), by_alice)
    event = division.tournament
    page = open_page(f"/events/{event.club.slug}/{event.slug}/console/", width=DESK, user=alice)
    page.add_init_script("window.print = () => { document.documentElement.dataset.printed = 'yes'; };")
    follow(page.get_by_role("link", name="Paper", exact=True))
    looked_at(page)
    follow(page.get_by_role("link", name="Print 16 score sheets"))
    page.wait_for_selector("html[data-printed]")
    assert page.locator(".score-sheet").count() == 16
    assert printed(page, "sheets-4") == 4
    looked_at(page)
    page.get_by_label("Sheets per page").select_option("2")
    page.get_by_label("Paper").select_option("letter")
    follow(page.get_by_role("button", name="Change"))
    assert printed(page, "sheets-2-letter") == 8
    page.set_viewport_size({"width": PHONE, "height": 844})
    looked_at(page)


PROGRESSIVE = StageSettings("progressive", last_chance="")
NAMES_UNDER_SCORES = """() => [...document.querySelectorAll('.drawing')].flatMap((drawing) => {
    const ends = [...drawing.querySelectorAll('[text-anchor=end].text-name, [text-anchor=end].text-won')];
    const names = [...drawing.querySelectorAll('[text-anchor=start].text-name, [text-anchor=start].text-won')];
    const overlap = (a, b) => a.y === b.y && a.x < b.x + b.width && b.x < a.x + a.width;
    return names.filter((name) => ends.some((end) => overlap(name.getBBox(), end.getBBox())));
}).map((name) => name.textContent)"""
"""Names that reach under the score on their line."""


@pytest.mark.parametrize(("players", "pages", "matches"), [(13, 1, 9), (32, 2, 30), (64, 4, 50)])
def test_draw_sheets_fit_their_pages(
    players: int,
    pages: int,
    matches: int,
    site: str,
    make_division: Drawn,
    by_alice: Actor,
    open_page: OpenPage,
    looked_at: Check,
) -> None:
    division = make_division(name="Open", match_length=7)
    drawn_as(division, [PROGRESSIVE], people(players), by_alice)
    play(division, by_alice, random.Random(7), most=matches)
    event = division.tournament
    page = open_page(f"/events/{event.club.slug}/{event.slug}/paper/draws/", width=DESK)
    assert printed(page, f"draw-{players}") <= pages
    looked_at(page)
    page.goto(f"{page.url}?paper=letter")
    assert printed(page, f"draw-{players}-letter") <= pages
    assert page.evaluate(NAMES_UNDER_SCORES) == []


def test_lists_and_table_cards_are_printed_in_whole_pages(
    site: str, make_division: Drawn, by_alice: Actor, alice: User, open_page: OpenPage, looked_at: Check
) -> None:
    swiss = make_division(name="Open", match_length=7)
    field = people(46)
    drawn_as(swiss, [StageSettings("swiss", rounds=4)], field, by_alice)
    groups = make_division(name="Groups", match_length=5)
    drawn_as(groups, [StageSettings("roundrobin")], field[:8], by_alice)
    play(groups, by_alice, random.Random(7), most=15)
    event = swiss.tournament
    event.tables = 3
    event.save()
    open_floor(tournament=event, by=by_alice, now=NOON)
    base = f"/events/{event.club.slug}/{event.slug}/paper"
    page = open_page(f"{base}/", width=DESK, user=alice)
    for name, pages in (
        ("pairings", 2),
        ("names", 3),
        ("entries", 3),
        ("standings", 3),
        ("cross-tables", 1),
        ("tables", 2),
    ):
        page.goto(f"{base}/{name}/")
        assert printed(page, name) == pages, name
    looked_at(page)
    for name in ("pairings", "names", "entries", "standings", "cross-tables", "tables", "personal-links", "snapshot"):
        page.goto(f"{base}/{name}/?paper=letter")
        assert printed(page, f"{name}-letter") > 0, name


def test_the_night_goes_on_without_the_server(
    site: str,
    make_division: Drawn,
    by_alice: Actor,
    alice: User,
    open_page: OpenPage,
    expected_errors: list[re.Pattern[str]],
) -> None:
    division = make_division(name="Open", match_length=7, fee=3000)
    drawn_as(division, [PROGRESSIVE], people(32), by_alice)
    play(division, by_alice, random.Random(7), most=24)
    event = division.tournament
    event.tables, event.currency, event.currency_exponent = 10, "EUR", 2
    event.time_zone = "Pacific/Kiritimati"
    event.save()
    open_floor(tournament=event, by=by_alice, now=NOON)
    called = ready(division)[:8]
    for fixture, table in zip(called, Table.objects.filter(tournament=event), strict=False):
        call(fixture=fixture, table=table, by=by_alice, now=NOON)
    page = open_page(f"/events/{event.club.slug}/{event.slug}/paper/snapshot/", user=alice)
    assert printed(page, "snapshot") == 2
    assert page.locator(".snapshot-tables tbody tr").count() == 8

    # The device keeps it while the paper page is open, and shows it without a network.
    page.goto(f"/events/{event.club.slug}/{event.slug}/paper/")
    kept = page.locator("[data-text]")
    expect(kept).to_contain_text("Kept on this device")
    times = [datetime.now(ZoneInfo(event.time_zone)) - timedelta(minutes=ago) for ago in range(3)]
    assert kept.inner_text()[-5:] in [f"{time:%H:%M}" for time in times], "the time of the event's clocks"
    expected_errors.append(re.compile("ERR_INTERNET_DISCONNECTED|ERR_NETWORK"))
    page.context.set_offline(True)
    expect(page.locator("[data-text]")).to_contain_text("No connection")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    saved = download.value.path().read_text()
    assert f"M{called[0].number}" in saved
    assert "<script" not in saved
    page.get_by_role("button", name="Show without the server").click()
    assert page.locator(".sheet-of-paper").count() == 2
    assert printed(page, "snapshot-offline") == 2
