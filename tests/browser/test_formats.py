"""Brackets of every elimination, and drafts of every format, in a browser: on a phone, on a desktop, on paper."""

import pytest
from playwright.sync_api import expect

from formats.settings import DOUBLE, GROUPS, KNOCKOUT, PLACES, PROGRESSIVE, ROUND_ROBIN, SWISS, StageSettings
from players.models import User
from tests.browser.conftest import PHONE, Check, OpenPage
from tests.tournaments.support.drawn_divisions import DivisionBuilder, page_of

PAPER = 717
"""CSS pixels across an upright A4 page between its margins."""

PLAYED: dict[str, tuple[int, tuple[StageSettings, ...], int]] = {
    "progressive": (13, (StageSettings(PROGRESSIVE, last_chance=""),), 14),
    "double": (16, (StageSettings(DOUBLE, second_final=True),), 16),
    "places": (13, (StageSettings(PLACES),), 12),
    "three": (3, (StageSettings(KNOCKOUT),), 1),
    "groups": (9, (StageSettings(GROUPS, groups=3, qualifiers=2), StageSettings(KNOCKOUT)), 5),
    "swiss": (9, (StageSettings(SWISS, rounds=3, qualifiers=4), StageSettings(KNOCKOUT)), 2),
}
DRAFTS: dict[str, tuple[int, tuple[StageSettings, ...]]] = {
    "progressive": (13, (StageSettings(PROGRESSIVE, last_chance=""),)),
    "double": (6, (StageSettings(DOUBLE),)),
    "places": (7, (StageSettings(PLACES),)),
    "groups": (9, (StageSettings(GROUPS, groups=3, qualifiers=2), StageSettings(KNOCKOUT))),
    "swiss": (9, (StageSettings(SWISS, rounds=3, qualifiers=4), StageSettings(KNOCKOUT))),
    "round robin": (5, (StageSettings(ROUND_ROBIN),)),
}


@pytest.mark.parametrize("name", PLAYED)
def test_a_division_of_any_format_is_accessible_and_fits(
    open_page: OpenPage, in_both_views: Check, builder: DivisionBuilder, alice: User, name: str
) -> None:
    count, stages, results = PLAYED[name]
    division = builder.drawn(count, *stages)
    builder.play(division, most=results)
    in_both_views(open_page(page_of(division), width=PHONE))
    builder.play(division)
    in_both_views(open_page(f"{page_of(division)}?player=Elif", width=PHONE, user=alice))


@pytest.mark.parametrize("name", DRAFTS)
def test_a_draft_of_any_format_is_accessible_and_fits(
    open_page: OpenPage, in_both_views: Check, builder: DivisionBuilder, alice: User, name: str
) -> None:
    count, stages = DRAFTS[name]
    draw = builder.draft(count, *stages)
    page = open_page(f"{page_of(draw.stage.division)}draw/", width=PHONE, user=alice)
    expect(page.get_by_role("button", name="Publish this draw")).to_be_visible()
    in_both_views(page)


def test_links_lead_from_bracket_to_bracket(open_page: OpenPage, builder: DivisionBuilder) -> None:
    page = open_page(page_of(builder.drawn(13, StageSettings(PROGRESSIVE, last_chance=""))))
    page.get_by_role("navigation", name="Brackets").get_by_role("link", name="Last chance").click()
    expect(page.get_by_role("heading", name="Last chance", exact=True)).to_be_in_viewport()


def test_a_connector_begins_and_ends_at_the_middle_of_its_boxes(open_page: OpenPage, builder: DivisionBuilder) -> None:
    page = open_page(page_of(builder.drawn(12, StageSettings(PROGRESSIVE))))
    drawn = page.locator("#consolation-1 ~ *, [id^=consolation-1-]").filter(has=page.locator(":scope > svg"))
    assert drawn.count() > 0
    ends = page.evaluate("""() => [...document.querySelectorAll(".round.curves")].flatMap((round) => {
      const area = round.querySelector("svg").getBoundingClientRect();
      const middles = (of) => [...of.querySelectorAll("li > div")].map((box) => {
        const at = box.getBoundingClientRect();
        return (at.top + at.height / 2 - area.top) / area.height * 100;
      });
      const [from, to] = [middles(round), middles(round.nextElementSibling)];
      const nearest = (all, y) => Math.min(...all.map((one) => Math.abs(one - y)));
      return [...round.querySelector("path").getAttribute("d").matchAll(/M0 ([\\d.]+)C.*? 100 ([\\d.]+)(?=M|$)/g)]
        .map(([, start, end]) => [nearest(from, +start), nearest(to, +end)]);
    })""")
    assert ends
    assert max(max(pair) for pair in ends) < 1.5


def test_the_bracket_of_256_does_not_scroll_sideways_on_a_phone(
    open_page: OpenPage, fits: Check, builder: DivisionBuilder
) -> None:
    division = builder.drawn(256, StageSettings(DOUBLE, second_final=True))
    page = open_page(page_of(division), width=PHONE)
    fits(page)
    page.get_by_role("link", name="Part 2 of 4").click()
    expect(page.locator("#lower-2")).to_have_attribute("open", "")
    fits(page)


def test_on_paper_everything_is_between_the_margins_and_there_are_no_buttons(
    open_page: OpenPage, builder: DivisionBuilder
) -> None:
    division = builder.drawn(12, StageSettings(DOUBLE, second_final=True))
    builder.play(division, most=12)
    page = open_page(page_of(division), width=PAPER, scheme="dark")
    page.emulate_media(media="print")
    assert page.locator(".tabs:visible, .jumps:visible").count() == 0
    right = page.evaluate(
        "Math.max(...[...document.querySelectorAll('.round li')].map((one) => one.getBoundingClientRect().right))"
    )
    assert 0 < right <= PAPER
    assert page.locator(".round svg:visible").count() > 0
