"""The chat beside the board: two players talk, and spectators among themselves."""

import pytest
from playwright.sync_api import Page, expect

from players.models import User
from tests.browser.conftest import DESK, PHONE, Check, OpenPage
from tests.matches.play.conftest import Board, board, match, users

__all__ = ["board", "match", "users"]


def chat_of(page: Page) -> Page:
    page.locator("#chat summary").click()
    return page


@pytest.mark.parametrize(("width", "scheme"), [(DESK, "dark"), (PHONE, "light")])
def test_players_talk_and_spectators_do_not_disturb_them(
    site: str,
    width: int,
    scheme: str,
    board: Board,
    bob: User,
    carol: User,
    dave: User,
    open_page: OpenPage,
    fits: Check,
) -> None:
    path = f"/matches/{board.match.public_id}/play/"
    of_bob, of_carol, of_dave = (open_page(path, width=width, scheme=scheme, user=user) for user in (bob, carol, dave))
    # What is there when the chat is read first does not count as new.
    expect(of_carol.locator("#chat")).to_be_visible()
    chat_of(of_bob).get_by_role("button", name="Good luck!").click()
    expect(of_carol.locator("#chat [data-unread]")).to_have_text("1")
    chat_of(of_carol)
    expect(of_carol.locator(".chat-list")).to_contain_text("Good luck!")
    fits(of_carol)
    chat_of(of_dave).get_by_label("Write a message").fill("Bob is ahead")
    of_dave.get_by_role("button", name="Send").click()
    expect(of_dave.locator(".chat-list")).to_contain_text("Bob is ahead")
    of_carol.wait_for_timeout(1_000)
    assert of_carol.get_by_text("Bob is ahead").count() == of_dave.get_by_text("Good luck!").count() == 0
    of_carol.get_by_role("button", name="Mute opponent").click()
    expect(of_carol.locator(".chat-list")).not_to_contain_text("Good luck!")
