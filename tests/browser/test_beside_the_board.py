"""What stands beside the board: games and plays, who starts, and on a phone the last play, tools and buttons."""

import base64
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from config.static_files import slimmed
from players.models import Player, User
from tests.browser.conftest import PHONE, Check, OpenPage
from tests.browser.test_board_object import picture, press
from tests.browser.test_moments import begin_with, give_up
from tests.browser.test_play import BOB, CAROL, Seat, eventually, played_board
from tests.browser.test_play_page import PIXELS, luminance
from tests.config.test_static_storage import MODULES, ROOT
from tests.matches.play.conftest import Board

WHOLE_BOARD = round(1.27 * PHONE)
"""Height of the board on a phone whose screen has room for everything, in pixels."""


@pytest.fixture
def board(site: str, bob: User, carol: User, alice: User) -> Board:
    board = played_board(bob, carol, alice, length=25)
    Player.objects.filter(user=bob).update(name="Bob Featherstonehaugh")
    return board


def open_board(open_page: OpenPage, board: Board, side: int = BOB, width: int = 1280) -> Page:
    page = open_page("/clubs/", user=board.users[side], width=width)
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"/matches/{board.match.public_id}/play/")
    expect(page.locator('[data-panel="loading"]')).to_be_hidden()
    return page


def test_games_and_their_scores_stand_beside_the_plays(open_page: OpenPage, board: Board, looked_at: Check) -> None:
    page = open_board(open_page, board)
    games = page.locator("#games")
    expect(games).to_be_hidden()
    begin_with(board, CAROL)
    before = len(board.game.results)
    give_up(board, 2)
    begin_with(board, BOB)
    board.do(BOB, "play", moves=board.any_play())
    board.do(CAROL, "double")
    board.do(BOB, "take")
    give_up(board, 1)
    begin_with(board, BOB)

    results = board.game.results
    expect(games.locator("li")).to_have_count(len(results))
    scores, kinds = games.locator("strong"), games.locator("li > span")
    expect(kinds.nth(before)).to_have_text("gammon")
    doubled = next(index for index, result in enumerate(results) if result.cube == 2)
    expect(kinds.nth(doubled)).to_have_text("cube 2")
    expect(games.locator("bdi").nth(before)).to_have_text("Bob")
    expect(scores.last).to_have_text(f"{board.game.score[BOB]}–{board.game.score[CAROL]}")
    expect(page.locator("#play-list .is-now")).to_have_text(re.compile(r"^\d\d: …$"))
    looked_at(page)
    picture(page, "games-1280")

    of_carol = open_board(open_page, board, CAROL)
    expect(of_carol.locator("#games strong").last).to_have_text(f"{board.game.score[CAROL]}–{board.game.score[BOB]}")


def test_who_starts_is_said_until_the_first_play(open_page: OpenPage, board: Board, looked_at: Check) -> None:
    page, of_carol = open_board(open_page, board), open_board(open_page, board, CAROL)
    begin_with(board, BOB)
    assert board.game.dice is not None
    dice = "{}-{}".format(*sorted(board.game.dice, reverse=True))
    start = page.locator(".play-starts")
    expect(start).to_be_visible()
    expect(start).to_have_text(f"You start with {dice}.")
    expect(page.locator("#seat-near [data-turn]")).to_have_text("Starts")
    expect(page.locator("#announcer")).to_contain_text(f"You start with {dice}.")
    expect(of_carol.locator(".play-starts")).to_have_text(f"Bob starts with {dice}.")
    expect(of_carol.locator("#seat-far [data-turn]")).to_have_text("Starts")
    looked_at(page)
    picture(page, "start-1280")
    # The field for typed plays is out of the way, and there for whoever reaches it by the keyboard.
    field = page.locator("#typed-play")
    assert height(page.locator(".play-typed")) <= 1
    field.focus()
    assert height(field) >= 24

    Seat(page).move()
    expect(start).to_be_hidden()
    expect(of_carol.locator(".play-starts")).to_be_hidden()
    expect(of_carol.locator('[data-panel="roll"]')).to_contain_text(f"Bob plays {dice.replace('-', '')}: ")


def test_a_phone_has_the_last_play_the_tools_and_its_buttons_below_a_whole_board(
    open_page: OpenPage, board: Board, looked_at: Check
) -> None:
    page = open_board(open_page, board, width=PHONE)
    seat = Seat(page)
    begin_with(board, BOB)
    expect(page.locator(".play-starts")).to_be_visible()
    stands_below_the_board(page, ".play-starts", '[data-panel="play"] > .play-buttons')
    seat.move()
    board.do(CAROL, "roll")
    board.do(CAROL, "play", moves=board.any_play())
    line = page.locator(".play-line")
    expect(line).to_have_text(re.compile(r"Carol plays \d\d: \S.*Tap the cup or Roll", re.DOTALL))
    stands_below_the_board(page, ".play-line", '[data-panel="roll"] > .play-buttons')
    expect(page.locator('[data-act="pause"]')).to_have_css("opacity", "1")
    looked_at(page)
    picture(page, "tools-390")
    press(seat, ".game-board .cup")
    eventually(lambda: bool(seat.movable) or page.locator("#commit").is_enabled())
    if seat.movable:
        seat.step()
        expect(line.locator("strong")).to_have_text(re.compile(r"^\d\d: .+"))
    stands_below_the_board(page, ".play-line", '[data-panel="play"] > .play-buttons')
    picture(page, "trial-390")

    tools = page.locator(".play-tools")
    tools.get_by_role("link", name="Chat").click()
    expect(page.locator("#chat .chat-list")).to_be_in_viewport()
    page.evaluate("scrollTo(0, 0)")
    tools.get_by_role("link", name="Moves").click()
    expect(page.locator("#play-list")).to_be_in_viewport()


def stands_below_the_board(page: Page, line: str, buttons: str) -> None:
    """Fail unless board, seat, this line, the tools and these buttons follow each other on one screen."""
    assert height(page.locator("#board")) == WHOLE_BOARD
    parts = ("#board", "#seat-near", line, ".play-tools", buttons)
    boxes = [page.locator(part).bounding_box() for part in parts]
    edges = [edge for box in boxes if box for edge in (box["y"], box["y"] + box["height"])]
    assert len(edges) == 2 * len(parts)
    assert edges == sorted(edges), dict(zip(parts, boxes, strict=True))
    window = page.viewport_size
    assert window is not None
    assert abs(edges[-1] - window["height"]) < 2, "the buttons end the screen"


def height(part: Locator) -> int:
    box = part.bounding_box()
    assert box is not None
    return round(box["height"])


def test_the_felt_is_lighter_in_the_middle_and_flat_in_forced_colours(open_page: OpenPage, board: Board) -> None:
    page = open_board(open_page, board)
    middle, edge = felt(page)
    assert luminance(middle) > 1.1 * luminance(edge)
    page.emulate_media(forced_colors="active")
    middle, edge = felt(page)
    assert middle == edge


def felt(page: Page) -> list[list[float]]:
    """The colours of the felt of the left half: in its middle, and between the points at its right edge."""
    box = page.locator(".game-board .felt").first.bounding_box()
    assert box is not None
    y = round(box["y"] + box["height"] / 2)
    spots = [[round(box["x"] + box["width"] / 2), y], [round(box["x"] + box["width"] - 3), y]]
    png = base64.b64encode(page.screenshot()).decode()
    colours: list[list[float]] = page.evaluate(PIXELS, [png, spots])
    return colours


def test_every_module_can_be_read_as_it_is_served(open_page: OpenPage) -> None:
    page = open_page("/clubs/")
    # A page without a policy, which would forbid it.
    page.goto("about:blank")
    sources = {str(path.relative_to(ROOT)): slimmed(path.read_text(encoding="utf-8")) for path in MODULES}
    sources["control"] = "const{a b}=c;"
    unread = page.evaluate(
        """async (sources) => {
          const unread = [];
          for (const [name, source] of Object.entries(sources)) {
            const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
            // It is read before it is run, where most fail: nothing that they import is there.
            await import(url).catch((error) => error instanceof SyntaxError && unread.push(name));
          }
          return unread;
        }""",
        sources,
    )
    assert unread == ["control"]
