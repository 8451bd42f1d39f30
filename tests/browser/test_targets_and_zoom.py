"""WCAG 2.2 where many small links stand close together, and pages at 400 % zoom; names written from right to left."""

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from players.models import Club, Player, User
from tests.browser.conftest import PHONE, VIEWS, Check, OpenPage, view
from tests.browser.test_check import checked
from tests.browser.test_floor import evening
from tests.browser.test_play import played_board
from tests.journeys.evenings import account_of
from tests.matches.records.samples import simulated
from tournaments.models import Division, Fixture, Tournament

__all__ = ["evening"]

ZOOMED = ViewportSize(width=320, height=256)
"""The viewport of a window of 1280 × 1024 px at 400 % zoom, in px of the page."""
RTL_NAMES = ("יעל לוי", "דוד כהן")
SMALL_TARGETS = """options => axe.run(options).then(({ violations }) => violations.flatMap(
    ({ nodes }) => nodes.map((node) => `${node.target}: ${node.any[0]?.message}`)))"""
TARGET_SIZE = {"runOnly": {"type": "rule", "values": ["target-size"]}, "iframes": False, "preload": False}
RIGHT_OF_NAME = """([name, after]) => {
  const line = [...document.querySelectorAll("p, li, a, th, td, h1, h2, h3, span, label, tr")]
    .filter((each) => each.offsetParent && each.innerText.includes(name) && each.innerText.includes(after)).pop();
  const boxOf = (text) => {
    const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const at = walker.currentNode.data.indexOf(text);
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(walker.currentNode, at);
      range.setEnd(walker.currentNode, at + text.length);
      return range.getBoundingClientRect();
    }
  };
  return boxOf(after).left >= boxOf(name).right - 1;
}"""
"""Say whether a text stands to the right of the name before it."""


def bracket_of(event: Tournament) -> str:
    division = Division.objects.get(tournament=event)
    return f"/events/harbour/{event.slug}/{division.public_id}/"


def small_targets(page: Page, axe: Check) -> list[str]:
    """The targets under 24 px without enough room around them, in both views, after axe's other rules."""
    page.wait_for_load_state()
    found: list[str] = []
    for width, scheme in VIEWS:
        view(page, width, scheme)
        axe(page)
        found += page.evaluate(SMALL_TARGETS, TARGET_SIZE)
    return found


def test_targets_on_bracket_floor_and_a_players_pages_are_24_px(
    evening: Tournament, alice: User, club: Club, open_page: OpenPage, axe: Check
) -> None:
    match = Fixture.objects.get(floor_events__table__label="4", floor_events__kind="called").match
    assert match is not None
    bob = account_of(match.player_0, "bob@example.org", club)
    page = open_page("/", width=PHONE, user=bob)
    for path in (
        bracket_of(evening), f"/events/harbour/{evening.slug}/", "/", "/my/", f"/matches/{match.public_id}/",
        f"/players/{match.player_0.public_id}/", f"/players/{match.player_0.public_id}/vs/{match.player_1.public_id}/",
    ):  # fmt: skip
        page.goto(path)
        assert small_targets(page, axe) == [], path
    page = open_page(f"/events/harbour/{evening.slug}/floor/", width=PHONE, user=alice)
    assert small_targets(page, axe) == []


def test_a_board_on_a_phone_with_text_at_200_per_cent(
    open_page: OpenPage, fits: Check, bob: User, carol: User, alice: User
) -> None:
    board = played_board(bob, carol, alice)
    Player.objects.filter(user=carol).update(name="Caroline")
    for side in (0, 1):
        board.do(side, "ready")
    page = open_page(f"/matches/{board.match.public_id}/play/", user=board.users[board.game.turn or 0], width=PHONE)
    expect(page.locator('[data-panel="play"]')).to_be_visible()
    page.evaluate("document.documentElement.style.fontSize = '30px'")
    expect(page.locator("#commit")).to_be_in_viewport()
    name = page.locator(".play-seat .name", has_text="Caroline")
    assert name.evaluate("name => name.scrollWidth <= name.clientWidth"), "the name is cut"
    fits(page)


def test_an_event_and_a_replay_at_400_per_cent(evening: Tournament, open_page: OpenPage, fits: Check) -> None:
    page = open_page("/")
    page.set_viewport_size(ZOOMED)
    record = checked(simulated(seed=4, length=3))
    for path in (f"/events/harbour/{evening.slug}/", bracket_of(evening), f"{record}replay/", "/help/directors/"):
        page.goto(path)
        fits(page)


@pytest.mark.parametrize("path", ["/help/players/", "/help/directors/"])
def test_the_help_is_accessible_and_fits(open_page: OpenPage, looked_at: Check, path: str) -> None:
    page = open_page(path, width=PHONE)
    assert small_targets(page, looked_at) == []


def test_names_from_right_to_left_stay_in_the_order_of_the_match(
    evening: Tournament, alice: User, open_page: OpenPage
) -> None:
    fixture = Fixture.objects.exclude(match=None).filter(match__state="settled").latest("number")
    assert fixture.match is not None
    Player.objects.filter(pk=fixture.match.player_0_id).update(name=RTL_NAMES[0])
    Player.objects.filter(pk=fixture.match.player_1_id).update(name=RTL_NAMES[1])
    page = open_page(f"/events/harbour/{evening.slug}/floor/", user=alice)
    assert page.evaluate(RIGHT_OF_NAME, list(RTL_NAMES))
