"""What one is about to tap does not move: the layout shift of pages while they load on a slow phone."""

import pytest
from playwright.sync_api import expect

from players.models import User
from tests.browser.conftest import PHONE, OpenPage
from tests.browser.test_floor import evening
from tournaments.models import Tournament

__all__ = ["evening"]
pytestmark = pytest.mark.django_db
MOST = 0.02
SLOWDOWN = 6
SHIFTS = """() => new Promise((done) => {
  const shifts = [];
  const note = (list) => shifts.push(...list.getEntries().map(({ value, sources }) => [
    value, ...sources.map(({ node }) => node?.id || node?.className || node?.nodeName),
  ]));
  new PerformanceObserver(note).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(shifts), 1500);
})"""
"""All shifts so far and in a moment, each with what moved."""


def test_pages_do_not_move_while_they_load(evening: Tournament, alice: User, open_page: OpenPage) -> None:
    event, club = f"/events/harbour/{evening.slug}/", "/clubs/harbour/"
    division = f"{event}{evening.divisions.get().public_id}/"
    pages = ("/", club, f"{club}tonight/", event, f"{event}floor/", f"{event}check-in/", division, "/events/", "/my/",
             "/rankings/", "/lobby/", f"{event}report/")  # fmt: skip
    page = open_page("/", width=PHONE, user=alice, touch=True)
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
    for path in pages:
        answer = page.goto(path)
        assert answer is not None
        assert answer.status == 200, path
        shifts = page.evaluate(SHIFTS)
        assert sum(value for value, *_ in shifts) <= MOST, f"{path}: {shifts}"


def test_the_button_that_starts_the_evening_is_in_reach(evening: Tournament, alice: User, open_page: OpenPage) -> None:
    page = open_page("/clubs/harbour/tonight/", width=PHONE, user=alice, touch=True)
    start = page.get_by_role("button", name="Start", exact=True)
    expect(start).to_be_in_viewport(ratio=1)
    assert start.evaluate("""(button) => {
      const { left, right, bottom } = button.getBoundingClientRect();
      return button.contains(document.elementFromPoint((left + right) / 2, bottom - 2));
    }"""), "nothing is in front of it"
