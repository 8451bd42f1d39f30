"""Bob's phone with his personal link of the event: he checks in, opens his match and reports it."""

import pytest
from playwright.sync_api import expect

from matches.models import Claim
from tests.browser.conftest import DESK, PHONE, Check, OpenPage, follow
from tests.browser.result_form import choose_result
from tests.event_cast import (
    RunningEvent,
    bob_player,
    by_alice,
    carol_player,
    make_division,
    make_players,
    running,
    tournament,
)
from tests.tournaments.entries.test_event_links import open_check_in, own

__all__ = [
    "bob_player",
    "by_alice",
    "carol_player",
    "make_division",
    "make_players",
    "own",
    "running",
    "tournament",
]


@pytest.mark.usefixtures("site")
def test_bob_checks_in_and_reports_without_an_account(
    running: RunningEvent, own: str, open_page: OpenPage, looked_at: Check
) -> None:
    open_check_in(running)
    page = open_page(own, width=PHONE, scheme="dark", touch=True)
    expect(page.get_by_role("heading", name="Bob")).to_be_visible()
    expect(page.get_by_role("heading", name="Carol")).to_be_visible()
    looked_at(page)
    with page.expect_navigation():
        page.get_by_role("button", name="I am here").tap()
    expect(page.get_by_role("status")).to_contain_text("You are checked in.")
    follow(page.get_by_role("link", name="Report the result"))
    choose_result(page, "Carol won", 0)
    with page.expect_navigation():
        page.get_by_role("button", name="Carol wins 7–0").tap()
    assert [claim.is_own_loss for claim in Claim.objects.all()] == [True]
    wide = open_page(own, width=DESK)
    expect(wide.get_by_text("You reported that Carol won 7–0.")).to_be_visible()
    looked_at(wide)
