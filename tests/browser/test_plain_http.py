"""In a hall without HTTPS, under a name that is not localhost, the board works and its position can be copied."""

from playwright.sync_api import expect

from engine.ids import xgid
from matches.lifecycle import links
from players.models import User
from tests.browser.conftest import STAYS, OpenPage
from tests.browser.test_play import Seat, played_board


def test_a_play_is_made_and_the_position_copied(
    open_page: OpenPage, hall: str, alice: User, bob: User, carol: User
) -> None:
    board = played_board(bob, carol, alice)
    mover = board.open_game()
    page = open_page(f"{hall}/m/{links.token_for(board.match, mover)}/play/", script=STAYS)
    assert page.evaluate("!isSecureContext && !navigator.clipboard")
    expect(page.locator(".place.movable").first).to_be_attached()
    copied = xgid(board.game)
    page.locator("#copy-xgid").click()
    expect(page.locator("#copy-xgid")).to_contain_text("✓")
    page.locator("#typed-play").focus()
    page.keyboard.press("ControlOrMeta+V")
    expect(page.locator("#typed-play")).to_have_value(copied)
    page.locator("#typed-play").fill("")
    Seat(page).move()
