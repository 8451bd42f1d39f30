"""The replay in a browser: the board shows every position of a match as the engine has it."""

import re

from playwright.sync_api import Browser, Page, expect

from engine import check_record, parse_xgid
from engine.records import to_data
from matches.records.replays import ReplayedMatch, ReplayStep
from matches.records.verdicts import as_json
from tests.browser.conftest import PHONE, Check, OpenPage
from tests.browser.test_check import checked
from tests.browser.weight import MAX_BYTES, Weights
from tests.matches.records.samples import simulated

COUNTS = """board => {
  const counts = Array(26).fill(0);
  for (const place of board.querySelectorAll(".place")) {
    const [, count, name] = place.getAttribute("aria-label").match(/, (\\d+) of (\\w+)$/) ?? [];
    const number = Number(place.dataset.place);
    if (count && number < 26) counts[number] = name === "Bob" ? Number(count) : -Number(count);
  }
  return counts;
}"""

IS_SHOWN = """step => document.querySelector(".game-board").dataset.shown === step"""
SEEN = f"""() => {{
  const [board, text] = [document.querySelector(".game-board"), (place) => document.querySelector(place).innerText];
  return {{
    counts: ({COUNTS})(board),
    xgid: text("[data-xgid]"),
    arrows: board.querySelectorAll(".arrow").length,
    words: text("[data-now] strong"),
    cube: text(".game-board .cube"),
    dice: board.querySelectorAll(".dice:not([hidden]) .die").length,
  }};
}}"""
ADDRESSES = """() => {
  window.addresses = 0;
  const replaceState = history.replaceState;
  history.replaceState = function (...all) { window.addresses += 1; return replaceState.apply(this, all); };
}"""

FAST_STEPS = """async (many) => {
  for (let step = 0; step < many; step += 1) {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    await new Promise(requestAnimationFrame);
  }
}"""
"""Press a key in each frame: between keys from outside, a busy machine may rest for longer than the page waits."""


def moments_of(data: bytes) -> list[ReplayStep]:
    """Every step of a match, from the engine."""
    check = check_record(data)
    assert check.transcript is not None
    match = ReplayedMatch(to_data(check.transcript), as_json(check.verdict))
    return [moment for index in range(1, len(match) + 1) for moment in match.game(index).moments]


def shown(page: Page, moment: ReplayStep) -> None:
    """Wait until the board shows a step."""
    expect(page.locator(".game-board")).to_have_attribute("data-shown", f"{moment.game}.{moment.number}")


def number_of_dice(moment: ReplayStep) -> int:
    """How many dice there are to play: four of a double."""
    dice = moment.diagram.dice or ()
    return 4 if len(dice) == 2 and dice[0] == dice[1] else len(dice)


def seen_by_bob(moment: ReplayStep) -> list[int]:
    position = moment.diagram.position
    return list((position if moment.diagram.side == 0 else position.swapped()).counts)


def test_every_ply_of_a_match_is_shown_as_the_engine_has_it(open_page: OpenPage) -> None:
    data = simulated(seed=13, length=3)
    moments = moments_of(data)
    assert {"Doubles to 2", "Takes"} <= {moment.words for moment in moments}
    assert len({moment.game for moment in moments}) > 1
    page = open_page(checked(data) + "replay/")
    # Nobody waits for checkers that move.
    page.emulate_media(reduced_motion="reduce")
    for moment in moments:
        page.wait_for_function(IS_SHOWN, arg=f"{moment.game}.{moment.number}")
        cube = 2 * moment.diagram.cube if moment.diagram.offered else moment.diagram.cube
        assert page.evaluate(SEEN) == {
            "counts": seen_by_bob(moment),
            "xgid": moment.xgid,
            "arrows": len(moment.diagram.paths),
            "words": moment.words,
            "cube": str(64 if cube == 1 else cube),
            "dice": number_of_dice(moment),
        }, moment.step
        assert parse_xgid(moment.xgid)
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Home")
    shown(page, next(moment for moment in moments if moment.game == moments[-1].game))


def test_steps_back_and_between_games_and_the_other_side(open_page: OpenPage) -> None:
    data = simulated(seed=4, length=3)
    moments = moments_of(data)
    page = open_page(checked(data) + "replay/?g=2&p=1")
    second = next(moment for moment in moments if moment.game == 2)
    shown(page, second)
    page.keyboard.press("ArrowLeft")
    end = moments[moments.index(second) - 1]
    shown(page, end)
    assert page.locator(".game-board").evaluate(COUNTS) == seen_by_bob(end)
    page.keyboard.press("f")
    expect(page.locator(".seat-bottom")).to_contain_text("Carol")
    flipped = seen_by_bob(end)[::-1]
    expect(page.locator("[data-step=flip]")).not_to_have_attribute("href", re.compile("flip"))
    page.wait_for_function(
        f"counts => JSON.stringify(({COUNTS})(document.querySelector('.game-board'))) === counts",
        arg=str(flipped).replace(" ", ""),
    )


def test_fast_steps_end_at_the_last_one(open_page: OpenPage) -> None:
    data = simulated(seed=4, length=3)
    moments = moments_of(data)
    page = open_page(checked(data) + "replay/")
    page.evaluate(ADDRESSES)
    page.evaluate(FAST_STEPS, 12)
    shown(page, moments[12])
    assert page.locator(".game-board").evaluate(COUNTS) == seen_by_bob(moments[12])
    expect(page.locator("[data-now] strong")).to_have_text(moments[12].words)
    expect(page).to_have_url(re.compile(r"\?g=1&p=13$"))
    # Safari refuses more than 100 in 30 s.
    assert page.evaluate("window.addresses") == 1
    page.reload()
    shown(page, moments[12])


def test_the_replay_is_accessible_and_fits(open_page: OpenPage, in_both_views: Check) -> None:
    data = simulated(seed=13, length=3)
    moments = moments_of(data)
    page = open_page(checked(data) + "replay/?g=1&p=4", width=PHONE)
    shown(page, moments[3])
    in_both_views(page)
    page.keyboard.press("End")
    shown(page, next(moment for moment in moments if moment.side is None))
    in_both_views(page)
    page.set_viewport_size({"width": 667, "height": 375})
    board = page.locator(".game-board").bounding_box()
    assert board is not None
    assert 0.9 * 375 < board["height"] <= 375, "on a phone on its side the board takes the height"


def test_checkers_do_not_move_where_motion_is_reduced(browser: Browser, site: str) -> None:
    data = simulated(seed=4, length=3)
    moments = moments_of(data)
    for is_reduced in (False, True):
        page = browser.new_context(base_url=site).new_page()
        page.emulate_media(reduced_motion="reduce" if is_reduced else "no-preference")
        page.add_init_script(
            "const animate = Element.prototype.animate; window.animated = 0;"
            "Element.prototype.animate = function (...all) { window.animated += 1; return animate.apply(this, all); };"
        )
        page.goto(checked(data) + "replay/")
        shown(page, moments[0])
        page.keyboard.press("ArrowRight")
        shown(page, moments[1])
        assert (page.evaluate("window.animated") == 0) == is_reduced


def test_all_files_of_a_first_visit_are_light(browser: Browser, site: str) -> None:
    data = simulated(seed=13, length=3)
    page = browser.new_context(base_url=site).new_page()
    weights = Weights(page)
    page.goto(checked(data) + "replay/")
    shown(page, moments_of(data)[0])
    sizes = weights.of_all()
    assert any(url.endswith("board/board.js") for url in sizes)
    assert sum(sizes.values()) <= MAX_BYTES, sizes


def test_each_step_has_a_board_without_scripts(browser: Browser, site: str) -> None:
    data = simulated(seed=4, length=3)
    context = browser.new_context(base_url=site, java_script_enabled=False, viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(checked(data) + "replay/?g=2&p=1")
    expect(page.get_by_role("img", name=re.compile("Bob, White: 2 on the 24 point"))).to_be_visible()
    page.get_by_role("link", name="Back", exact=True).click()
    expect(page.locator("[data-now]")).to_contain_text("wins")
