"""What happens once on a board: the throws for the opening, a hit, the end of a game; and that nothing waits for it."""

import re

import pytest
from playwright.sync_api import Page, expect

from engine.actions import Phase
from players.models import User
from tests.browser.chromium import SOON
from tests.browser.conftest import SLOWLY, OpenPage
from tests.browser.test_board import AFTER, BEFORE, MOVES, OPEN, SHOW
from tests.browser.test_board_object import picture, press
from tests.browser.test_play import BOB, CAROL, Seat, eventually, played_board
from tests.matches.play.conftest import Board

COUNT = """
window.animated = [];
const animate = Element.prototype.animate;
Element.prototype.animate = function (...args) {
  window.animated.push(this.getAttribute("class") ?? this.tagName);
  return animate.apply(this, args);
};
for (const kind of ["transitionrun", "animationstart"]) {
  addEventListener(kind, ({ target }) => {
    const seen = target.getAnimations().some((each) => each.effect.getComputedTiming().duration > 1);
    if (seen) window.animated.push(target.className);
  });
}
"""
"""Notes what is animated on a page; what lasts a hundredth of a millisecond is a change without a way."""
ON_THE_BOARD = """() => window.animated.filter((name) => /checker|die|dice|cube|cup|moment|winner|throw/.test(name))"""
LONGEST = 25


@pytest.fixture
def board(site: str, bob: User, carol: User, alice: User) -> Board:
    """So long a match that it does not end here."""
    return played_board(bob, carol, alice, length=LONGEST)


def watch(open_page: OpenPage, board: Board, *, still: bool = False) -> Page:
    """Bob's page, on which is noted what is animated."""
    page = open_page("/clubs/", user=board.users[BOB], script=COUNT + SLOWLY)
    if still:
        page.emulate_media(reduced_motion="reduce")
    page.goto(f"/matches/{board.match.public_id}/play/")
    expect(page.locator('[data-panel="ready"]')).to_be_visible()
    return page


def begin(board: Board) -> list[list[int]]:
    """Both are ready; return the equal throws before the one that decided."""
    board.do(BOB, "ready")
    acted = board.do(CAROL, "ready")
    equal: list[list[int]] = acted.actions[-1].data.get("equal", [])
    return equal


def give_up(board: Board, value: int = 1) -> None:
    """Whoever is on turn loses the game by a resignation."""
    loser = board.game.turn
    assert loser is not None
    board.do(loser, "resign", value=value)
    if board.game.phase is Phase.RESIGNED:
        board.do(1 - loser, "accept")


def begin_with(board: Board, starter: int) -> None:
    """Begin games until this side wins the opening roll."""
    while True:
        begin(board)
        if board.game.turn == starter:
            return
        give_up(board)


@pytest.mark.slow
def test_equal_dice_of_the_opening_are_thrown_again(open_page: OpenPage, board: Board) -> None:
    page = watch(open_page, board)
    expect(page.locator(".play-before")).to_have_text(re.compile(r"Bob.? – .?Carol.?\s+Friendly match"))
    while max(board.game.score) < LONGEST - 1:
        again = page.locator(".throw > span", has_text="again")
        if equal := begin(board):
            expect(again).to_have_count(2)
            die = equal[0][0]
            expect(again.first).to_have_text("same, again")
            picture(page, "opening-equal-1280")
            expect(page.locator(".play-before")).to_be_hidden()
            decisive = page.locator(".throw > span", has_text="rolls")
            # Each equal throw is shown for 4.5 s.
            expect(decisive).to_have_count(2, timeout=SOON + 4_500 * len(equal))
            expect(page.locator(".throw")).to_have_count(0)
            # The list keeps all throws, also on a page that is opened later.
            page.reload()
            rows = page.locator("#play-list .throw-row")
            expect(rows).to_have_count(len(equal) + 1)
            expect(rows.first).to_have_text(f"Bob{die}Carol{die}same, again")
            expect(rows.last).to_contain_text("✓ Starts")
            expect(page.locator(".play-start")).to_contain_text(f"both rolled {die}")
            return
        expect(again).to_have_count(0)
        give_up(board)
        # The throws of a game are shown to whoever saw the end of the one before.
        expect(page.locator('[data-panel="ready"]')).to_be_visible()
    raise AssertionError("there were no equal dice in 24 games or more")


def test_what_shows_the_throws_is_there_before_they_are_made(open_page: OpenPage, board: Board) -> None:
    """Or else the dice would lie there first, and then be thrown."""
    page = watch(open_page, board)
    loaded = """() => performance.getEntriesByType("resource").map(({ name }) => name).join(" ")"""
    assert "play/moments" not in page.evaluate(loaded)
    board.do(CAROL, "ready")
    both = {"play/moments.js", "play/moments.css"}
    eventually(lambda: both <= set(re.findall(r"play/moments\.\w+", page.evaluate(loaded))))


def test_the_dice_can_be_swapped_while_those_of_the_opening_are_thrown(open_page: OpenPage, board: Board) -> None:
    page = watch(open_page, board)
    begin_with(board, BOB)
    faces = page.locator(".game-board > .dice")
    # At once, long before the throws are over.
    expect(faces).to_have_attribute("aria-label", re.compile("swap them"))
    expect(page.locator(".throw")).to_have_count(2)
    before, box = faces.get_attribute("aria-label"), faces.bounding_box()
    assert box is not None
    # Not by `click`, which would wait until they can be seen.
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(".throw")).to_have_count(0, timeout=2_000)
    assert faces.get_attribute("aria-label") != before


def test_a_game_is_named_by_what_it_was_worth_not_by_the_points_that_were_needed(
    open_page: OpenPage, site: str, bob: User, carol: User, alice: User
) -> None:
    board = played_board(bob, carol, alice, length=2)
    page = watch(open_page, board)
    begin(board)
    expect(page.locator("#play-list")).to_contain_text(":")
    give_up(board, 3)
    expect(page.locator(".moment.winner")).to_contain_text("backgammon, points: 2")


def test_a_game_that_is_won_is_said_on_the_felt_until_a_tap(open_page: OpenPage, board: Board) -> None:
    page = watch(open_page, board)
    begin_with(board, CAROL)
    expect(page.locator("#play-list")).to_contain_text(":")
    before = board.game.score
    give_up(board, 2)
    winner = page.locator(".moment.winner")
    expect(winner).to_contain_text("Bob wins")
    expect(winner).to_contain_text("gammon, points: 2")
    expect(winner).to_contain_text(f"{before[BOB] + 2}–{before[CAROL]}")
    picture(page, "gammon-1280")
    # The cup below it works from the first frame.
    press(Seat(page), ".game-board .cup")
    expect(winner).to_have_count(0, timeout=5_000)
    expect(page.locator('[data-act="ready"]:visible')).to_have_count(0)
    assert board.state.ready[BOB]


def test_of_a_game_that_began_and_ended_without_a_line_its_end_is_said(
    open_page: OpenPage, board: Board, expected_errors: list[re.Pattern[str]]
) -> None:
    expected_errors.append(re.compile("ERR_INTERNET_DISCONNECTED"))
    page = watch(open_page, board)
    page.context.set_offline(True)
    begin(board)
    give_up(board)
    page.context.set_offline(False)
    expect(page.locator(".moment.winner")).to_contain_text("wins")


def test_nothing_waits_for_what_moves(open_page: OpenPage, board: Board) -> None:
    """The starter moves while the dice of the opening are thrown, and after a roll at once."""
    page = watch(open_page, board)
    seat = Seat(page)
    begin_with(board, BOB)
    expect(page.locator(".throw").first).to_be_attached()
    expect(page.locator(".place.movable").first).to_be_attached()
    expect(page.locator(".throw").first).to_be_attached()
    seat.step()
    expect(page.locator(".throw")).to_have_count(0, timeout=2_000)
    while not page.locator("#commit").is_enabled():
        seat.step()
    press(seat, ".game-board .dice")
    expect(seat.panel("play")).to_have_count(0)
    board.do(CAROL, "roll")
    board.do(CAROL, "play", moves=board.any_play())
    expect(page.locator(".game-board .cup")).to_be_visible()
    page.evaluate("""() => {
      window.movable = null;
      const cup = document.querySelector(".game-board .cup");
      const look = () => {
        const thrown = document.querySelector(".dice .die")?.getAnimations().length;
        if (document.querySelector(".place.movable") && thrown) window.movable = "while the dice are thrown";
        else if (window.movable === null) requestAnimationFrame(look);
      };
      cup.addEventListener("click", look);
    }""")
    press(seat, ".game-board .cup")
    # Enabled where there is no move.
    eventually(lambda: page.evaluate("window.movable || !document.getElementById('commit').disabled"))


def test_the_cube_is_turned_and_taken_on_the_board(open_page: OpenPage, board: Board) -> None:
    page = watch(open_page, board)
    seat = Seat(page)
    begin(board)
    starter = board.game.turn
    assert starter is not None
    board.do(starter, "play", moves=board.any_play())
    if starter == BOB:
        board.do(CAROL, "double")
    else:
        press(seat, ".game-board .double")
        page.locator("#confirmed").click()
        expect(page.locator('[data-panel="wait"]')).to_be_visible()
        assert board.game.phase is Phase.DOUBLED
        board.do(CAROL, "take")
        board.do(BOB, "roll")
        board.do(BOB, "play", moves=board.any_play())
        board.do(CAROL, "double")
    expect(seat.panel("cube")).to_be_visible()
    press(seat, ".game-board .double")
    page.locator("#confirmed").click()
    eventually(lambda: board.game.cube_owner == BOB)
    expect(page.locator("#play-list")).to_contain_text("Takes")


def test_the_keyboard_doubles_and_a_held_checker_leaves_an_imprint(open_page: OpenPage, board: Board) -> None:
    page = watch(open_page, board)
    seat = Seat(page)
    begin_with(board, CAROL)
    board.do(CAROL, "play", moves=board.any_play())
    keys = page.locator(".play-foot")
    expect(keys).to_contain_text("D doubles", use_inner_text=True)
    page.keyboard.press("d")
    page.locator("#confirmed").click()
    expect(seat.panel("wait")).to_be_visible()
    assert board.game.phase is Phase.DOUBLED
    board.do(CAROL, "take")
    expect(keys).to_contain_text("Space rolls", use_inner_text=True)
    expect(keys).not_to_contain_text("D doubles", use_inner_text=True)
    page.keyboard.press(" ")
    eventually(lambda: bool(seat.movable))
    page.mouse.move(*seat.center(seat.movable[0]))
    page.mouse.down()
    page.mouse.move(*seat.center("26"), steps=5)
    expect(page.locator(".hints .imprint")).to_have_count(1)
    expect(page.locator(".hints .edge-tab")).not_to_have_count(0)
    page.mouse.up()
    expect(page.locator(".hints .imprint")).to_have_count(0)


def test_nothing_is_animated_under_reduced_motion(open_page: OpenPage, board: Board) -> None:
    page = watch(open_page, board, still=True)
    seat = Seat(page)
    begin_with(board, CAROL)
    expect(page.locator("#play-list")).to_contain_text(":")
    board.do(CAROL, "play", moves=board.any_play())
    press(seat, ".game-board .cup")
    expect(seat.panel("roll")).to_have_count(0)
    seat.move()
    board.do(CAROL, "double")
    expect(page.locator(".cube.offered")).to_be_visible()
    board.do(BOB, "take")
    give_up(board)
    expect(page.locator(".moment.winner")).to_contain_text("Bob wins")
    assert page.evaluate(ON_THE_BOARD) == []


def test_control_with_motion_it_is_noticed(open_page: OpenPage, board: Board) -> None:
    page = watch(open_page, board)
    begin(board)
    expect(page.locator("#play-list")).to_contain_text(":")
    expect(page.locator(".throw").first).to_be_attached()
    assert page.evaluate(ON_THE_BOARD)


@pytest.mark.parametrize("still", [False, True])
def test_a_checker_that_was_hit_lights_up_on_the_bar(open_page: OpenPage, still: bool) -> None:
    page = open_page("/", script=COUNT)
    page.emulate_media(reduced_motion="reduce" if still else "no-preference")
    page.evaluate(OPEN)
    page.evaluate("board.setOptions({ speed: 60 })")
    page.evaluate(SHOW, [BEFORE, None])
    # It is over before a slow machine looks.
    page.evaluate("""() => {
      const animate = Element.prototype.animate;
      Element.prototype.animate = function (frames, ...rest) {
        window.isLit ||= frames.some((frame) => "boxShadow" in frame);
        return animate.call(this, frames, ...rest);
      };
      window.animated = [];
    }""")
    page.evaluate(SHOW, [AFTER, MOVES])
    if still:
        page.wait_for_timeout(300)
        assert page.evaluate(ON_THE_BOARD) == []
        return
    page.wait_for_function("() => window.isLit")
