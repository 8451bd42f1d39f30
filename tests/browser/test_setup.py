"""From the home page to a live console: what a new director clicks."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import OpenPage, follow
from tournaments.models import Tournament

MAX_CLICKS = 11


@pytest.fixture
def clicks() -> Iterator[list[str]]:
    """The clicks of the test, by what they were on; there may be eleven."""
    names: list[str] = []
    yield names
    assert len(names) <= MAX_CLICKS, names


@pytest.mark.usefixtures("draw_worker")
def test_few_clicks_from_signing_up_to_the_console_of_another_day(open_page: OpenPage, clicks: list[str]) -> None:
    page = open_page("/")

    def click(target: Locator) -> None:
        clicks.append(target.inner_text())
        follow(target)

    follow(page.get_by_role("link", name="Start a club night").first)
    page.get_by_label("Your name").fill("Alice")
    page.get_by_label("Email address").fill("alice@example.org")
    page.locator("input[type=password]").first.fill("crawford-1969")
    click(page.get_by_role("button", name="Create account"))

    zone = page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")
    expect(page.get_by_label("Time zone")).to_have_value(zone)
    page.get_by_label("Name", exact=True).fill("Harbour Backgammon")
    page.get_by_label("Country").select_option(label="Denmark")
    page.get_by_label("Currency of fees").fill("DKK")
    click(page.get_by_role("button", name="Create a club"))
    click(page.get_by_role("link", name="Plan an event"))

    expect(page.get_by_label("Name", exact=True)).to_have_value("Club night")
    expect(page.get_by_label("Starts")).to_have_value(re.compile("T19:30"))
    page.get_by_label("Tables").fill("2")
    click(page.get_by_role("button", name="Create event"))
    click(page.get_by_role("button", name="Add a division"))

    page.get_by_label("Paste a list").fill("Bob\nCarol\nDave\nErin")
    click(page.get_by_role("button", name="Check the names"))
    click(page.locator("main form button.button-primary"))
    click(page.get_by_role("link", name="Go to the draw"))
    click(page.get_by_role("button", name="Publish event and draw"))
    expect(page.get_by_role("button", name="Publish this draw")).to_be_visible(timeout=20_000)
    click(page.get_by_role("button", name="Publish this draw"))
    click(page.get_by_role("link", name="Console"))

    expect(page.get_by_label("Quick entry")).to_be_visible()
    event = Tournament.objects.get()
    assert (event.status, event.tables) == (Tournament.Status.RUNNING, 2)
