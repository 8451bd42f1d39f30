"""What a browser keeps of a page leaves from any other, which says what became of it and what waits for others."""

import gzip
import re
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from matches.lifecycle import links
from matches.lifecycle.finish import ResultInput
from matches.models import Claim, Match
from matches.play.starting import PlaySettings, start
from players.actors import SYSTEM, Actor
from players.models import Club, KeptAct, Player, User
from tests.browser.conftest import PHONE, Check, OpenPage
from tests.browser.hall_line import HallLine
from tests.browser.result_form import choose_result
from tests.browser.test_floor import evening
from tests.browser.test_floor_offline import until_kept
from tests.browser.test_outbox import OF_FIRST_VERSION
from tests.browser.test_play import eventually
from tests.browser.test_sign_out import KEEP
from tests.matches.cast import BOB, match_between, player_of
from tournaments.entries.event_links import path_for
from tournaments.models import Fixture, Tournament
from tournaments.results import services as results

__all__ = ["evening"]

ROOT = Path(__file__).resolve().parents[2]
LOADER = "config/static/config/waiting.js"
MOST_BYTES = 400
WITHOUT = {
    "config/offline.html": "it lists everything that is here",
    "display/paper/base_paper.html": "it is printed",
    "display/wall/embed.html": "it stands in the page of another site",
    "display/wall/tv.html": "everybody in the room reads it",
    "display/wall/wall.html": "everybody in the room reads it",
    "matches/play/play.html": "its own script loads it, after the board",
    "tournaments/entries/kiosk.html": "everybody in the room uses it",
    "tournaments/entries/kiosk_welcome.html": "everybody in the room uses it",
}
"""Pages without the script: but for the board, they neither send nor name anybody."""
FIRST_VERSION = f"""([topic, reader, pair, seen]) => ({OF_FIRST_VERSION})((boxes, acts) => {{
  const box = "k".repeat(22);
  const row = {{ topic, reader, by: "Bob", box, last: 1, tried: 0, have: 0, failures: 0, stopped: "" }};
  boxes.put(row, [reader, topic, ""]);
  const fields = {{ winner: 0, points: 4 }};
  const act = {{ box, n: 1, action: "claim", fixture: "", pair, fields, seen, seen_at: Date.now(), at: Date.now() }};
  acts.put({{ ...act, label: "7–4", reader, by: "Bob", state: "kept" }});
}}).then((db) => db.close())"""
SAYS = "Kept on this device"


@pytest.fixture(autouse=True)
def _cut_lines(expected_errors: list[re.Pattern[str]]) -> None:
    """Requests fail in these tests."""
    expected_errors.append(re.compile("net::ERR_|Failed to load resource|TimeoutError|NetworkError|htmx:|status of 4"))


@pytest.fixture
def first(evening: Tournament, bob: User) -> Match:
    """The match that Bob's page of matches shows him."""
    match = Match.objects.filter(state=Match.State.OPEN).order_by("pk")[1]
    Player.objects.filter(pk=match.player_0_id).update(user=bob)
    return Match.objects.get(pk=match.pk)


def strip(page: Page) -> Locator:
    return page.get_by_role("complementary", name=SAYS)


def says(page: Page, text: str) -> None:
    expect(strip(page)).to_contain_text(text, use_inner_text=True)


def report(page: Page, match: Match) -> None:
    """Report that the reader won without a point of the opponent, by a tap; it is kept."""
    choose_result(page, "I won", 0)
    page.get_by_role("button", name=f"I won {match.length}–0").tap()
    expect(page.get_by_text("Not sent yet. Only you can see it.")).to_be_visible()


def reported_and_closed(page: Page, line: HallLine, match: Match, director: User) -> Page:
    """Report without a line, close the page, let a director enter another result, and return an empty page."""
    report(page, match)
    context = page.context
    page.close()
    line.come_back()
    enter_other_result(match, director)
    return context.new_page()


def enter_other_result(match: Match, by: User) -> None:
    fixture = Fixture.objects.select_related("stage__division__tournament__club", "match").get(match=match)
    score = (1, match.length)
    results.enter_result(fixture=fixture, result=ResultInput.played(score), by=Actor.of(by), now=timezone.now())


def test_a_report_leaves_from_the_front_page_after_the_director_has_entered_another_result(
    open_page: OpenPage, line: HallLine, first: Match, bob: User, alice: User, looked_at: Check
) -> None:
    page = open_page(f"{line.url}/", user=bob, width=PHONE, touch=True)
    page.get_by_role("link", name="My matches").first.tap()
    expect(page.get_by_role("heading", name="My matches", level=1)).to_be_visible()
    page.wait_for_load_state("networkidle")
    line.fall_silent()
    page = reported_and_closed(page, line, first, alice)
    page.goto(f"{line.url}/")
    notice = strip(page).get_by_role("listitem")
    expect(notice).to_contain_text(first.players[0].shown_name)
    assert list(KeptAct.objects.values_list("action", "outcome", "is_open")) == [("claim", "differs", True)]
    looked_at(page)
    page.get_by_role("link", name="Help for players").tap()
    expect(notice).to_be_visible()
    notice.get_by_role("button", name="OK").tap()
    expect(strip(page)).to_be_hidden()
    page.reload()
    page.wait_for_load_state("networkidle")
    expect(strip(page)).to_be_hidden()


def test_what_waits_for_somebody_else_is_not_named_before_a_tap(
    open_page: OpenPage, line: HallLine, first: Match, bob: User, carol: User, in_both_views: Check
) -> None:
    page = open_page(f"{line.url}/my/", user=bob, width=PHONE, touch=True)
    line.fall_silent()
    report(page, first)
    page.context.clear_cookies()
    line.come_back()
    for reader in (None, carol):
        if reader is not None:
            page.context.add_cookies(open_page(f"{line.url}/help/", user=reader).context.cookies())  # type: ignore[arg-type]
        page.goto(f"{line.url}/help/players/")
        says(page, "1 kept on this device")
        assert "Bob" not in strip(page).inner_text()
        in_both_views(page)
        page.set_viewport_size({"width": 320, "height": 640})
        assert page.evaluate("document.documentElement.scrollWidth") == 320
        page.get_by_role("button", name="By whom?").tap()
        expect(page.get_by_role("link", name=re.compile("^Sign in as .* to send 1$"))).to_be_visible()
    assert not KeptAct.objects.exists()


def test_what_a_link_kept_leaves_from_any_page_of_that_link(
    open_page: OpenPage, line: HallLine, evening: Tournament, first: Match, alice: User, club: Club
) -> None:
    """The card of an event shows the next match; the report was of the one before."""
    Player.objects.filter(pk=first.player_0_id).update(user=None)
    card = f"{line.url}{path_for(evening, Player.objects.get(pk=first.player_0_id), 0)}"
    page = open_page(card, width=PHONE, touch=True)
    line.fall_silent()
    page = reported_and_closed(page, line, first, alice)
    page.goto(f"{line.url}/help/players/")
    says(page, "1 kept by a personal link: open the link of your card.")
    assert not KeptAct.objects.exists()
    page.goto(card)
    expect(strip(page).get_by_role("listitem")).to_contain_text(first.players[0].shown_name)
    assert KeptAct.objects.get().outcome == "differs"


def test_what_a_link_kept_leaves_from_the_board_of_its_match(
    open_page: OpenPage, hall: str, club: Club, bob: User, carol: User
) -> None:
    match = match_between(player_of(bob), player_of(carol), club=club, length=3)
    start(match=match, settings=PlaySettings(), by=SYSTEM, now=timezone.now())
    page = open_page(f"{hall}/help/players/")
    pair = [player.public_id for player in match.players]
    page.evaluate(KEEP, [match.topic, f"/api/v1/matches/{match.public_id}/kept/", "link-0", pair, match.seq])
    page.goto(f"{hall}/m/{links.token_for(match, BOB)}/play/")
    eventually(lambda: KeptAct.objects.filter(action="claim", outbox__side=BOB).exists())


def test_a_floor_sends_from_other_pages_and_says_that_a_role_has_ended(
    open_page: OpenPage, line: HallLine, evening: Tournament, alice: User, club: Club
) -> None:
    page = open_page(f"{line.url}/events/harbour/{evening.slug}/floor/", user=alice, width=PHONE, touch=True)
    until_kept(page, evening)
    line.break_off()
    expect(page.locator("#offline")).to_contain_text("No connection since", timeout=20_000)
    for text in ("Pizza", "Clock"):
        page.evaluate("document.querySelector('[data-do=note]').click()")
        page.get_by_role("textbox", name="Note for the directors").fill(text)
        page.get_by_role("button", name="Keep the note").tap()
        expect(page.locator("#offline-note")).to_be_hidden()
    expect(page.locator("#offline")).to_contain_text("2 kept here.", use_inner_text=True)
    line.come_back()
    club.memberships.update(role="member")
    page.goto(f"{line.url}/help/players/")
    says(page, "You may no longer enter this.")
    club.memberships.update(role="owner")
    page.reload()
    says(page, "All sent.")
    assert KeptAct.objects.count() == 2


def test_only_pages_for_a_room_paper_and_other_sites_are_without_it() -> None:
    templates = ROOT / "templates"
    without = {
        str(path.relative_to(templates))
        for path in templates.rglob("*.html")
        if "{% block kept_here %}{% endblock %}" in path.read_text()
    }
    assert without == set(WITHOUT)
    assert "config/waiting.js" in (templates / "base.html").read_text()
    assert "config/waiting.js" in (ROOT / "matches/static/matches/play/page.js").read_text()


def test_what_every_page_loads_is_small() -> None:
    assert len(gzip.compress((ROOT / LOADER).read_bytes(), 9)) <= MOST_BYTES


def test_what_an_earlier_version_kept_leaves(open_page: OpenPage, line: HallLine, first: Match, bob: User) -> None:
    """Its store is taken over by whichever page comes first."""
    page = open_page(f"{line.url}/help/players/", user=bob)
    page.wait_for_load_state("networkidle")
    pair = [player.public_id for player in first.players]
    page.evaluate(FIRST_VERSION, [first.topic, str(bob.pk), pair, first.seq])
    page.goto(f"{line.url}/")
    says(page, "All sent.")
    assert KeptAct.objects.get().outcome == "done"


def test_a_page_that_keeps_nothing_loads_and_makes_nothing(open_page: OpenPage, hall: str) -> None:
    requested: list[str] = []
    page = open_page(f"{hall}/")
    page.on("request", lambda request: requested.append(request.url))
    page.goto(f"{hall}/help/players/")
    page.wait_for_load_state("networkidle")
    assert any(LOADER.removeprefix("config/static/") in url for url in requested)
    assert not any("outbox" in url for url in requested)
    assert page.evaluate("indexedDB.databases()") == []


def test_a_report_of_a_match_elsewhere_is_not_shown_twice(
    open_page: OpenPage, line: HallLine, club: Club, bob: User, carol: User
) -> None:
    """The page of the match has a panel of its own for it."""
    match = match_between(player_of(bob), player_of(carol), club=club, length=3)
    page = open_page(f"{line.url}/m/{links.token_for(match, BOB)}/", width=PHONE, touch=True)
    line.break_off()
    report(page, match)
    line.come_back()
    expect(page.get_by_text("You reported 3–0.")).to_be_visible(timeout=20_000)
    expect(strip(page)).to_be_hidden()
    assert Claim.objects.count() == 1
