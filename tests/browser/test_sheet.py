"""The sheet of a match and the messages of the console on a phone: nothing is squeezed or covered."""

import random
from collections.abc import Callable

import pytest

from players.actors import Actor
from players.models import Player, User
from tests.browser.conftest import PHONE, OpenPage
from tests.event_cast import bob_player, by_alice, club, make_division, make_players, tournament
from tests.tournaments.support.played_stages import STAGES, drawn_as, play
from tournaments.models import Division, Fixture

__all__ = ["bob_player", "by_alice", "club", "make_division", "make_players", "tournament"]


@pytest.fixture
def division(
    site: str, make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> Division:
    """A round robin of six, half played."""
    division = drawn_as(make_division(name="Open", match_length=7), STAGES["round robin"], make_players(6), by_alice)
    play(division, by_alice, random.Random(3), most=6)
    return division


def console(division: Division) -> str:
    event = division.tournament
    return f"/events/{event.club.slug}/{event.slug}/console/"


def test_the_sheet_is_as_wide_as_its_dialog_on_a_phone(division: Division, open_page: OpenPage, alice: User) -> None:
    page = open_page(console(division), user=alice, width=PHONE)
    page.locator("#console a[data-sheet]").first.click()
    page.locator("dialog[open] .sheet").wait_for()
    left, right = page.evaluate(
        """() => {
            const dialog = document.querySelector("dialog[open]").getBoundingClientRect();
            const button = document.querySelector("dialog[open] .save").getBoundingClientRect();
            return [button.left - dialog.left, dialog.right - button.right];
        }"""
    )
    assert left == pytest.approx(right, abs=1)


def test_a_message_is_not_covered_by_the_event_bar(division: Division, open_page: OpenPage, alice: User) -> None:
    number = Fixture.objects.filter(stage__division=division, status="ready").order_by("number")[0].number
    page = open_page(console(division), user=alice, width=PHONE)
    page.locator("#line").fill(f"m{number} 7-3")
    page.locator("#line").press("Enter")
    message = page.locator(".messages .message")
    message.wait_for()
    bar, shown = page.locator(".console-head").bounding_box(), message.bounding_box()
    assert bar is not None
    assert shown is not None
    assert bar["y"] + bar["height"] <= shown["y"]
    assert page.evaluate("document.activeElement.id") == "line"
