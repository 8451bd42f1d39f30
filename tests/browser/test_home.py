import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from players.models import User
from tests.browser.conftest import DESK, PHONE, VIEWS, Check, OpenPage
from tournaments.demo import load


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, DESK])
def test_the_home_page_is_accessible_and_fits(
    open_page: OpenPage, axe: Check, fits: Check, width: int, scheme: str
) -> None:
    page = open_page("/", width=width, scheme=scheme)
    expect(page.get_by_role("link", name="Check a match").last).to_be_in_viewport()
    fits(page)
    axe(page)


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


def test_the_page_about_the_api_is_accessible_and_fits(open_page: OpenPage, axe: Check, fits: Check) -> None:
    for width, scheme in VIEWS:
        page = open_page("/", width=width, scheme=scheme)
        page.get_by_role("link", name="API documentation").click()
        expect(page.get_by_role("heading", name="Quick start")).to_be_visible()
        fits(page)
        axe(page)
        page.get_by_role("link", name="Back to Barpoint").click()
        expect(page).to_have_url(re.compile("/$"))


def test_the_api_pages_load_nothing_from_other_sites(open_page: OpenPage, site: str) -> None:
    page = open_page("/api/docs/reference/")
    expect(page.get_by_role("heading", name="Barpoint").first).to_be_visible()
    urls = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    assert urls
    assert [url for url in urls if not url.startswith((site, "data:"))] == []


def test_current_events_and_leaders_are_accessible_and_fit(open_page: OpenPage, axe: Check, fits: Check) -> None:
    load(password="crawford-1969", now=timezone.now())
    for width, scheme in VIEWS:
        page = open_page("/", width=width, scheme=scheme)
        expect(page.get_by_role("link", name="Winter Knockout")).to_be_visible()
        expect(page.get_by_role("region", name="Ranking").get_by_role("listitem")).to_have_count(5)
        fits(page)
        axe(page)
