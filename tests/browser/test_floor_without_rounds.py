"""The floor of a night without rounds in a browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from players.actors import Actor
from players.models import User
from tests.browser.conftest import VIEWS, Check, OpenPage
from tests.tournaments.floor.test_batches import Night, mishear, people, play_on_though_out, start
from tournaments.floor.hold_ups import stop_match
from tournaments.models import Pairing, Tournament

__all__ = ["people", "start"]


@pytest.fixture
def by_alice(alice: User) -> Actor:
    return Actor.of(alice)


def test_the_undo_of_a_stopped_match_says_beforehand_what_it_does(
    open_page: OpenPage, axe: Check, start: Callable[..., Tournament], by_alice: Actor, alice: User
) -> None:
    """Long after closing time, when the floor also offers to adjourn what still runs."""
    night, stopped, _opponent = play_on_though_out(mishear(Night(start(), by_alice, seed=5)))
    stop_match(fixture=stopped, by=by_alice, now=night.now)
    for width, scheme in VIEWS:
        url = f"/events/{night.event.club.slug}/{night.event.slug}/floor/"
        page = open_page(url, width=width, scheme=scheme, user=alice)
        expect(page.locator("button", has_text="Adjourn all 4")).to_be_attached()
        page.locator("#floor-undo").click()
        expect(page.get_by_text("The match goes on as it was.")).to_be_visible()
        axe(page)
    page.locator("#floor-undo-preview").get_by_role("button", name="Undo").click()
    expect(page.get_by_text("The match goes on as it was.")).to_have_count(0)
    assert not Pairing.objects.get(number=stopped.number).taken_back
