"""Brackets in a browser: readable at every width and zoom, and names lead to matches."""

import pytest
from playwright.sync_api import expect

from formats.settings import DOUBLE, PROGRESSIVE, StageSettings
from players.models import User
from tests.browser.conftest import DESK, PHONE, Check, OpenPage, follow, view
from tests.tournaments.support.drawn_divisions import DivisionBuilder, page_of

TABLET = 768
DOUBLED = 640
"""The width of a 1280 px window at 200 % zoom."""
FORMATS = {"consolation": (19, StageSettings(PROGRESSIVE)), "double": (32, StageSettings(DOUBLE))}

HEADINGS = """() => [...document.querySelectorAll(".bracket")].flatMap(bracket => {
  const boxes = [...bracket.querySelectorAll(".round > h3")].map(heading => {
    const range = document.createRange();
    range.selectNodeContents(heading);
    return [heading.textContent, range.getBoundingClientRect()];
  });
  return boxes.slice(1).filter(([, box], at) => box.left < boxes[at][1].right).map(([text]) => text);
})"""
"""Return the headings of rounds that overlap the one before."""


@pytest.mark.parametrize("name", FORMATS)
def test_a_bracket_can_be_read_at_every_width(
    open_page: OpenPage,
    fits: Check,
    in_both_views: Check,
    builder: DivisionBuilder,
    name: str,
) -> None:
    count, stage = FORMATS[name]
    division = builder.drawn(count, stage)
    builder.play(division, most=count // 2)
    page = open_page(page_of(division))
    for width in (PHONE, DOUBLED, TABLET, DESK):
        view(page, width, "light")
        fits(page)
        assert page.evaluate(HEADINGS) == [], width
    in_both_views(page)


def test_a_name_in_a_bracket_opens_the_match(open_page: OpenPage, builder: DivisionBuilder, alice: User) -> None:
    division = builder.drawn(4, StageSettings(DOUBLE))
    page = open_page(page_of(division), user=alice)
    follow(page.locator(".bracket a").filter(has_text="Elif Ristic").first)
    assert "/matches/" in page.url
    expect(page.locator("main")).to_contain_text("Elif Ristic")


def test_a_round_drawn_later_is_announced_in_the_draft_and_in_the_bracket(
    open_page: OpenPage,
    builder: DivisionBuilder,
    alice: User,
) -> None:
    division = builder.drawn(19, StageSettings(PROGRESSIVE))
    page = open_page(page_of(division), user=alice)
    expect(page.get_by_role("heading", name="C3")).to_contain_text("by lot")
    expect(page.locator(".bracket").last).to_contain_text("winner → C3, opponent by lot")
    expect(page.locator("main")).to_contain_text("the bye goes to one of those who have had the fewest")
