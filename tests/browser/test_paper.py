"""Printed pages, rendered to PDF as a browser prints them."""

import os
import random
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect
from pypdf import PdfReader

from core.text_lengths import MAX_NAME_LENGTH
from formats.settings import StageSettings
from players.actors import SYSTEM, Actor
from players.models import Player, User
from tests.browser.conftest import DESK, PHONE, Check, OpenPage, follow
from tests.browser.hall_line import HallLine
from tests.event_cast import bob_player, by_alice, club, make_division, make_players, tournament
from tests.tournaments.support.played_stages import NOON, drawn_as, play, ready
from tournaments.entries.check_in import mark_players_here
from tournaments.events.services import publish_tournament
from tournaments.floor.calls import call
from tournaments.floor.evening import open_floor
from tournaments.models import Division, Entry, Table, Tournament, Venue, VenueTable

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

TYPEFACE = "document.fonts.ready.then(() => null)"
"""Wait for the typeface, in which everything is measured."""
EMPTY_HEADINGS = """() => [...document.querySelectorAll('.sheet-of-paper :is(h2, h3, thead)')].filter((heading) => {
    const after = heading.matches('thead') ? heading.nextElementSibling
        : heading.matches('h3') ? heading.nextElementSibling : heading.closest('.sheet-of-paper');
    return !after || !after.textContent.trim() || after.matches('h3') || (after.matches('tbody') && !after.rows.length);
}).map((heading) => heading.textContent)"""
"""Headings that nothing follows."""
OUTSIDE = """() => [...document.querySelectorAll('.sheet-of-paper')].flatMap((sheet) => {
    const foot = sheet.querySelector('.paper-foot');
    if (sheet.matches('.is-flowing')) return [];
    const end = (foot ?? sheet).getBoundingClientRect()[foot ? 'top' : 'bottom'];
    const parts = sheet.querySelectorAll('tr, li, p, h3, svg.drawing');
    return [...parts].filter((part) => !foot?.contains(part) && part.getBoundingClientRect().bottom > end + 1);
}).map((part) => part.tagName + part.textContent)"""
"""What reaches into the foot or the edge of a page."""
Drawn = Callable[..., Division]


def picture(page: Page, name: str) -> None:
    """Keep a picture of the screen, to be looked at."""
    if PICTURES:
        page.screenshot(path=Path(PICTURES) / f"{name}.png", full_page=True)


def people(count: int) -> list[Player]:
    """Players with names of many lengths and scripts."""
    return [Player.objects.create(name=NAMES[index % 32] + " II" * (index // 32)) for index in range(count)]


HEAD_END = "As of "
"""What the heads of lists and of the cash report say, and nothing else on them."""
CUT_OFF = """() => [...document.querySelectorAll('.is-cut > article')].filter((card) => {
    const height = (document.body.matches('.on-a4') ? 297 / 25.4 : 11) * 96;
    const top = card.parentElement.getBoundingClientRect().top + card.parentElement.clientTop;
    const box = card.getBoundingClientRect();
    const [first, last] = [box.top + 1, box.bottom - 1].map((edge) => Math.floor((edge - top) / height));
    return first !== last || card.scrollHeight > card.clientHeight + 1 || card.scrollWidth > card.clientWidth + 1;
}).map((card) => card.textContent)"""
"""Cards that stand on two pages, or that are too small for what is on them."""


BEYOND_THE_EDGE = """() => [...document.querySelectorAll('.sheet-of-paper table')].filter((table) => {
    const sheet = table.closest('.sheet-of-paper');
    const margin = parseFloat(getComputedStyle(sheet).paddingRight);
    return table.getBoundingClientRect().right > sheet.getBoundingClientRect().right - margin + 1;
}).map((table) => table.textContent)"""
"""Tables that are wider than the space between the margins of their sheet."""
CUT_HEADINGS = """() => [...document.querySelectorAll('.printed-list thead th')]
    .filter((heading) => heading.scrollWidth > heading.clientWidth + 1).map((heading) => heading.textContent)"""
MIN_LIST_FONT = 11 / 72 * 96
SMALL_LINES = """(least) => [...document.querySelectorAll('.printed-list td.is-name')]
    .filter((cell) => parseFloat(getComputedStyle(cell).fontSize) < least).map((cell) => cell.textContent)"""
"""Names in lists that are set smaller than 11 pt."""


def printed(page: Page, name: str) -> int:
    """Return the number of pages that the browser prints, after checking that each sheet is one page.

    Of what the browser divides into pages, no card is divided, and each page of a list has its head.
    """
    page.evaluate(TYPEFACE)
    pdf = page.pdf(prefer_css_page_size=True, print_background=False)
    pages = PdfReader(BytesIO(pdf)).pages
    if PICTURES:
        folder = Path(PICTURES)
        (folder / f"{name}.pdf").write_bytes(pdf)
        for index, sheet in enumerate(page.locator(".sheet-of-paper").all(), start=1):
            sheet.screenshot(path=folder / f"{name}-{index}.png")
    assert page.evaluate(BEYOND_THE_EDGE) == []
    assert page.evaluate(CUT_HEADINGS) == []
    if page.locator(".is-flowing").count():
        assert [number for number, sheet in enumerate(pages, start=1) if HEAD_END not in sheet.extract_text()] == []
    elif page.locator(".is-cut").count():
        assert page.evaluate(CUT_OFF) == []
    else:
        assert len(pages) == page.locator(".sheet-of-paper").count()
    return len(pages)


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
        ("names", 2),
        ("entries", 2),
        ("standings", 3),
        ("cross-tables", 1),
        ("tables", 2),
        ("personal-links", 6),
        ("cash", 3),
    ):
        for paper in ("a4", "letter"):
            page.goto(f"{base}/{name}/?paper={paper}")
            assert printed(page, f"{name}-{paper}") <= pages, name
            assert page.evaluate(OUTSIDE) == [], name
            assert page.evaluate(EMPTY_HEADINGS) == [], name
            assert page.evaluate(SMALL_LINES, MIN_LIST_FONT) == [], name
        page.emulate_media(media="print")
        expect(page.locator("nav:visible, header.site-header:visible")).to_have_count(0)
        page.emulate_media(media="null")
        looked_at(page)


WIDER_THAN_THEIR_PLACE = """() => [...document.querySelectorAll('.printed-list')].filter((list) =>
    list.getClientRects()[0].width > list.parentElement.clientWidth / (list.closest('.list-columns') ? 2 : 1) + 1
).length"""


@pytest.mark.usefixtures("fits")
def test_97_players_with_the_longest_names_are_printed_whole(
    site: str, make_division: Drawn, by_alice: Actor, alice: User, open_page: OpenPage
) -> None:
    division = make_division(name="Open", match_length=7)
    field = [Player.objects.create(name=f"Wilhelmina {index} {'M' * 80}"[:MAX_NAME_LENGTH]) for index in range(97)]
    drawn_as(division, [StageSettings("swiss", rounds=4)], field, by_alice)
    event = division.tournament
    Entry.objects.filter(player=field[0]).update(status=Entry.Status.WAITING)
    page = open_page("/", width=DESK, user=alice)
    for name, pages in (
        ("pairings", 2), ("names", 2), ("entries", 2), ("standings", 3), ("personal-links", 10), ("score-sheets", 12),
        ("cash", 3),
    ):  # fmt: skip
        page.goto(f"/events/{event.club.slug}/{event.slug}/paper/{name}/?paper=letter")
        assert printed(page, f"long-{name}") == pages, name
        assert page.evaluate(WIDER_THAN_THEIR_PLACE) == 0, name


def test_posters_and_table_cards_are_printed_before_anything_is_drawn(
    site: str, make_division: Drawn, alice: User, open_page: OpenPage, looked_at: Check
) -> None:
    event = make_division(name="Open", match_length=7).tournament
    publish_tournament(tournament=event, by=SYSTEM, now=NOON)
    base = f"/events/{event.club.slug}/{event.slug}"
    page = open_page(f"{base}/paper/", width=DESK, user=alice)
    for paper in ("a4", "letter"):
        page.goto(f"{base}/paper/tables/?paper={paper}")
        assert page.locator(".table-card h2").all_inner_texts() == ["1", "2", "3", "4"]
        assert printed(page, f"cards-{paper}") == 2
    venue = Venue.objects.create(club=event.club)
    for order, label in enumerate(("1", "B12", "Window", "Terrace by the door")):
        VenueTable.objects.create(venue=venue, label=label, order=order)
    page.goto(f"{base}/paper/tables/")
    assert page.locator(".table-card h2").all_inner_texts() == ["1", "B12", "Window", "Terrace by the door"]
    assert printed(page, "cards-named") == 2
    wide = (
        "document.querySelectorAll('.table-card h2').values().every((label) => label.scrollWidth <= label.clientWidth)"
    )
    assert page.evaluate(wide)
    follow_code = page.locator(".table-card-code a").last
    looked_at(page)
    follow(follow_code)
    expect(page.get_by_role("heading", level=1)).to_have_text("Table Terrace by the door")
    page.goto(f"{base}/paper/")
    follow(page.get_by_role("link", name="Poster for the door"))
    assert printed(page, "poster") == 1
    looked_at(page)


def test_a_player_without_an_account_finds_the_match_from_the_poster(
    site: str, make_division: Drawn, by_alice: Actor, open_page: OpenPage, looked_at: Check
) -> None:
    division = make_division(name="Open", match_length=7)
    drawn_as(division, [PROGRESSIVE], people(8), by_alice)
    event = division.tournament
    event.tables = 4
    event.save()
    open_floor(tournament=event, by=by_alice, now=NOON)
    call(fixture=ready(division)[0], table=Table.objects.all()[2], by=by_alice, now=timezone.now())
    match = ready(division)[0].match
    assert match is not None
    page = open_page(f"/events/{event.club.slug}/{event.slug}/arrive/?from=poster", width=PHONE)
    looked_at(page)
    page.get_by_label("Find your match").fill(match.player_0.name)
    follow(page.get_by_role("button", name="Find", exact=True))
    looked_at(page)
    follow(page.get_by_role("link", name=match.player_0.name, exact=True))
    picture(page, "poster-found")
    expect(page.get_by_text(re.compile("table 3", re.IGNORECASE)).first).to_be_visible()


TOUCHING = """() => [...document.querySelectorAll('.drawing')].flatMap((drawing) => {
    const [small, all] = ['.text-coming, .text-onward, .text-number', 'text']
        .map((kind) => [...drawing.querySelectorAll(kind)]);
    const boxes = new Map(all.map((text) => {
        const [base, size] = ['y', 'font-size'].map((name) => +text.getAttribute(name));
        const { x, width } = text.getBBox();
        return [text, { x, end: x + width, top: base - 0.76 * size, base }];
    }));
    const overlap = (a, b) => a.x < b.end && b.x < a.end && a.top < b.base && b.top < a.base;
    return small.flatMap((a) => all.filter((b) => a !== b && overlap(boxes.get(a), boxes.get(b)))
        .map((b) => `${a.textContent} / ${b.textContent}`));
})"""
"""Small texts of a bracket that touch another text; letters such as b are 0.76 of the font size high."""


def all_came(division: Division, by: Actor) -> None:
    """Those who forfeited their match have come, so that they can be called."""
    players = [entry.player for entry in division.entries.select_related("player")]
    mark_players_here(tournament=division.tournament, players=players, by=by, now=NOON + timedelta(seconds=1))


@pytest.mark.parametrize(
    ("players", "played", "pages", "sheets"),
    [(13, 0, 2, 1), (13, 9, 2, 1), (19, 12, 2, 2), (32, 24, 2, 2), (32, 0, 3, 2), (64, 40, 5, 4)],
)
def test_the_night_and_its_draw_sheets_fit_their_pages_with_all_who_owe(
    players: int, played: int, pages: int, sheets: int, site: str, make_division: Drawn, by_alice: Actor, alice: User,
    open_page: OpenPage, looked_at: Check,
) -> None:  # fmt: skip
    division = make_division(name="Open", match_length=7, fee=3000)
    drawn_as(division, [PROGRESSIVE], people(players), by_alice)
    play(division, by_alice, random.Random(7), most=played)
    event = division.tournament
    event.tables, event.currency, event.currency_exponent = players // 4, "EUR", 2
    event.save()
    open_floor(tournament=event, by=by_alice, now=NOON)
    all_came(division, by_alice)
    for fixture, table in zip(ready(division), Table.objects.filter(tournament=event), strict=False):
        call(fixture=fixture, table=table, by=by_alice, now=NOON)
    base = f"/events/{event.club.slug}/{event.slug}/paper"
    page = open_page(f"{base}/snapshot/", width=DESK, user=alice)
    for paper in ("a4", "letter"):
        page.goto(f"{base}/snapshot/?paper={paper}")
        assert printed(page, f"night-{players}-{played}-{paper}") <= pages
        assert page.locator(".snapshot-dues li").count() == players
        assert page.evaluate(EMPTY_HEADINGS) == []
        assert page.evaluate(OUTSIDE) == []
        page.goto(f"{base}/draws/?paper={paper}")
        assert printed(page, f"sheet-{players}-{played}-{paper}") <= sheets
        assert page.evaluate(OUTSIDE) == []
        assert page.evaluate(TOUCHING) == []
        assert page.evaluate(NAMES_UNDER_SCORES) == []
        least = page.evaluate("Math.min(...[...document.querySelectorAll('.text-onward')].map((text) => "
                              "parseFloat(text.getAttribute('font-size'))))")  # fmt: skip
        assert least >= 1.8, "millimetres: about five points"
        if played and paper == "a4":
            looked_at(page)


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
    all_came(division, by_alice)
    called = ready(division)[:8]
    for fixture, table in zip(called, Table.objects.filter(tournament=event), strict=False):
        call(fixture=fixture, table=table, by=by_alice, now=NOON)
    page = open_page(f"/events/{event.club.slug}/{event.slug}/paper/snapshot/", user=alice)
    assert printed(page, "snapshot") == 2
    assert page.locator(".snapshot-tables tbody tr").count() == 8

    # The device keeps it while the paper page is open, and shows it without a network.
    page.goto(f"/events/{event.club.slug}/{event.slug}/paper/")
    kept = page.locator("#keep-snapshot [data-text]")
    expect(kept).to_contain_text("Kept on this device")
    times = [datetime.now(ZoneInfo(event.time_zone)) - timedelta(minutes=ago) for ago in range(3)]
    assert kept.inner_text()[-5:] in [f"{time:%H:%M}" for time in times], "the time of the event's clocks"
    expected_errors.append(re.compile("ERR_INTERNET_DISCONNECTED|ERR_NETWORK"))
    page.context.set_offline(True)
    expect(page.locator("#keep-snapshot [data-text]")).to_contain_text("No connection")
    # Whoever taps a link stays here, since the browser would have nothing to show.
    page.get_by_role("link", name="Floor", exact=False).first.click()
    expect(page.get_by_role("alert")).to_contain_text("nothing was sent")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    saved = download.value.path().read_text()
    assert f"M{called[0].number}" in saved
    assert "<script" not in saved
    assert 'url("data:font/woff2;base64,' in saved
    assert ".woff2" not in saved
    page.get_by_role("button", name="Show without the server").click()
    assert page.locator(".sheet-of-paper").count() == 2
    assert printed(page, "snapshot-offline") == 2
    assert page.evaluate("[...document.fonts].filter((face) => face.status === 'loaded').length") > 0
    page.get_by_role("button", name="Back").click()
    expect(page.get_by_role("alert")).to_contain_text("nothing was sent")
    expect(page.locator(".sheet-of-paper")).to_have_count(0)
    page.get_by_role("button", name="Show without the server").click()
    assert page.locator(".sheet-of-paper").count() == 2


def test_a_tap_does_not_leave_the_page_while_the_laptop_sleeps(
    line: HallLine,
    make_division: Drawn,
    alice: User,
    open_page: OpenPage,
    expected_errors: list[re.Pattern[str]],
) -> None:
    """Its Wi-Fi is up, so that the browser believes itself online."""
    expected_errors.append(re.compile("Failed to load resource"))
    event = make_division(name="Open", match_length=7).tournament
    page = open_page(f"{line.url}/events/{event.club.slug}/{event.slug}/paper/", user=alice)
    expect(page.locator("#keep-snapshot [data-text]")).to_contain_text("Kept on this device")
    line.fall_silent()
    assert page.evaluate("navigator.onLine")
    page.get_by_role("link", name="Poster for the door").click()
    expect(page.get_by_role("alert")).to_contain_text("nothing was sent")
    line.come_back()
    follow(page.get_by_role("link", name="Poster for the door"))


@pytest.mark.usefixtures("fits")
def test_sheets_with_headings_in_two_languages_fit_their_pages(
    site: str, make_division: Drawn, by_alice: Actor, alice: User, open_page: OpenPage, pseudo_locale: str
) -> None:
    division = make_division(name="Open", match_length=15)
    drawn_as(division, [PROGRESSIVE], people(32), by_alice)
    swiss = make_division(name="Swiss", match_length=7)
    drawn_as(swiss, [StageSettings("swiss", rounds=4)], people(32), by_alice)
    event = division.tournament
    Tournament.objects.filter(pk=event.pk).update(second_language=pseudo_locale, tables=8)
    base = f"/events/{event.club.slug}/{event.slug}"
    page = open_page("/", width=DESK, user=alice)
    for paper in ("a4", "letter"):
        for path, pages in (
            ("paper/score-sheets", 8), ("paper/draws", 2), ("paper/pairings", 2), ("paper/entries", 2),
            ("paper/standings", 1), ("paper/tables", 4), ("check-in/poster", 1),
        ):  # fmt: skip
            page.goto(f"{base}/{path}/?paper={paper}")
            assert page.locator(".second-language").count() or page.locator("text=/ / /").count(), path
            assert printed(page, f"two-{path.rpartition('/')[2]}-{paper}") == pages, path
            assert page.evaluate(OUTSIDE) == [], path
            assert page.evaluate(WIDER_THAN_THEIR_PLACE) == 0, path
            assert page.evaluate(HEADS_TOUCHING) == [], path


HEADS_TOUCHING = """() => [...document.querySelectorAll('.drawing')].flatMap((drawing) => {
    const heads = [...drawing.querySelectorAll('.text-head, .text-points')];
    const boxes = heads.map((head) => head.getBBox());
    return heads.filter((head, at) => boxes.some((box, other) => other !== at && Math.abs(box.y - boxes[at].y) < 2
        && boxes[at].x < box.x + box.width && box.x < boxes[at].x + boxes[at].width));
}).map((head) => head.textContent)"""
"""Names of rounds that reach into what stands beside them."""
