import re

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, expect

from engine.actions import Act
from matches.models import LiveMatch
from matches.play.acting import ActionInput, act
from players.accounts.services import ensure_player
from players.actors import SYSTEM
from players.models import User
from tests.browser.conftest import DESK, PHONE, Check, OpenPage, view
from tests.browser.weight import MAX_BYTES, Weights
from tests.clubhouse.test_home import correspondence, live_match, move, played_final


def test_the_home_page_is_accessible_and_fits(open_page: OpenPage, in_both_views: Check) -> None:
    page = open_page("/", width=PHONE)
    expect(page.get_by_role("link", name="Play now").first).to_be_in_viewport()
    in_both_views(page)
    view(page, DESK, "light")
    expect(page.get_by_role("link", name="Play now").first).to_be_in_viewport()


def test_a_live_board_follows_its_match(open_page: OpenPage, in_both_views: Check) -> None:
    match = live_match("Anna", "Berit")
    page = open_page("/", width=PHONE)
    board = page.locator("#home-board")
    expect(board.locator(".game-board")).to_be_visible()
    in_both_views(page)
    move(match)
    match.refresh_from_db()
    expect(board).to_have_attribute("data-shown", str(match.seq))
    live = LiveMatch.objects.get(pk=match.pk)
    act(match=match, side=0, request=ActionInput(Act.CONCEDE, live.last), by=SYSTEM, now=timezone.now())
    expect(board).to_contain_text("Over")


@pytest.mark.slow
def test_a_final_replays_itself_until_it_is_paused(open_page: OpenPage, in_both_views: Check) -> None:
    played_final()
    page = open_page("/", width=PHONE)
    board = page.locator("#home-board")
    expect(board).to_have_attribute("data-shown", re.compile(r"\d"))
    in_both_views(page)
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.wait_for_timeout(2500)  # for the step that was under way
    at = board.get_attribute("data-shown")
    page.wait_for_timeout(2500)
    assert board.get_attribute("data-shown") == at


def test_a_replay_waits_where_less_motion_is_wanted(browser: Browser, site: str) -> None:
    played_final()
    page = browser.new_context(base_url=site, reduced_motion="reduce").new_page()
    page.goto("/")
    button = page.get_by_role("button", name="Play", exact=True)
    page.wait_for_timeout(2500)
    assert page.locator("#home-board").get_attribute("data-shown") is None
    button.click()
    expect(page.locator("#home-board")).to_have_attribute("data-shown", re.compile(r"\d"))


def test_a_members_page_is_accessible_and_fits(open_page: OpenPage, in_both_views: Check, bob: User) -> None:
    correspondence(ensure_player(user=bob, by=SYSTEM), 4)
    live_match("Anna", "Berit")
    page = open_page("/", width=PHONE, user=bob)
    expect(page.get_by_role("link", name="Next board (4)")).to_be_visible()
    in_both_views(page)


def test_all_files_of_a_first_visit_are_light(browser: Browser, site: str) -> None:
    played_final()
    page = browser.new_context(base_url=site).new_page()
    weights = Weights(page)
    page.goto("/")
    expect(page.locator("#home-board")).to_have_attribute("data-shown", re.compile(r"\d"))
    sizes = weights.of_all()
    assert any(url.endswith("board/board.js") for url in sizes)
    assert sum(sizes.values()) <= MAX_BYTES, sizes


def test_the_keyboard_reaches_the_content_first(open_page: OpenPage) -> None:
    page = open_page("/")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_a_visitor_without_an_account_keeps_a_theme_in_the_browser(open_page: OpenPage, axe: Check) -> None:
    page = open_page("/")
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    assert page.evaluate(paper) == "rgb(244, 242, 238)"
    page.get_by_role("button", name="dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert page.evaluate(paper) == "rgb(21, 24, 28)"
    page.reload()
    expect(page.get_by_role("button", name="dark")).to_have_attribute("aria-pressed", "true")
    assert page.evaluate(paper) == "rgb(21, 24, 28)"
    axe(page)


def test_bobs_pages_have_the_theme_of_his_account(open_page: OpenPage, bob: User) -> None:
    User.objects.filter(pk=bob.pk).update(theme="dark")
    expect(open_page("/", user=bob).locator("html")).to_have_attribute("data-theme", "dark")


def test_the_page_about_the_api_is_accessible_and_fits(open_page: OpenPage, in_both_views: Check) -> None:
    page = open_page("/", width=PHONE)
    page.get_by_role("link", name="API", exact=True).click()
    expect(page.get_by_role("heading", name="Quick start")).to_be_visible()
    in_both_views(page)
    page.get_by_role("link", name="Back to Barpoint").click()
    expect(page).to_have_url(re.compile("/$"))


def test_the_api_pages_load_nothing_from_other_sites(open_page: OpenPage, site: str) -> None:
    page = open_page("/api/docs/reference/")
    expect(page.get_by_role("heading", name="Barpoint").first).to_be_visible()
    urls = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    assert urls
    assert [url for url in urls if not url.startswith((site, "data:"))] == []
