"""The board by itself: how the checkers of a play move."""

import pytest
from playwright.sync_api import Browser, Page

# Of side 0, who sits at the bottom: two checkers on the 24 point. The opponent has a blot on what is the 13 point.
BEFORE = {13: -1, 24: 2}
AFTER = {0: -1, 13: 1, 24: 1}
MOVES = [[24, 18], [18, 13]]
OPEN = """async () => {
  const href = "/static/matches/board/board.css";
  const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
  const loaded = new Promise((done) => style.addEventListener("load", done));
  document.head.append(style);
  const { Board } = await import("/static/matches/board/board.js");
  const box = document.createElement("div");
  box.style.cssText = "position: fixed; inset: 0 auto auto 0; width: 884px; height: 617px";
  document.body.replaceChildren(box);
  window.board = new Board(box, { speed: 0 });
  await loaded;
}"""
SHOW = """async ([counts, moves]) => {
  const checkers = Array.from({ length: 26 }, (_, place) => counts[place] ?? 0);
  const position = { checkers, turn: 1, dice: [3, 1], cube: null, plan: null, last: { side: 0, moves: moves ?? [] } };
  const shown = board.show(position, { animate: moves });
  if (!moves) await shown;
}"""
# A play of one's own: 24/18/13 with the dice 6 and 5.
PLAY = """() => board.startPlay({ side: 0, dice: [6, 5], graph: [
  { complete: false, edges: [{ die: 6, from: 24, to: 18, hits: false, node: 1 }] },
  { complete: false, edges: [{ die: 5, from: 18, to: 13, hits: false, node: 2 }] },
  { complete: true, edges: [] },
] })"""
STOPS = """() => board.element.getAnimations({ subtree: true }).map((each) => each.effect.getKeyframes().length)"""
AT = """(moment) => {
  for (const animation of board.element.getAnimations({ subtree: true })) {
    animation.pause();
    animation.currentTime = animation.effect.getComputedTiming().endTime * moment;
  }
  const places = [...board.element.querySelectorAll(".checker:not(.slab)")].map((checker) => {
    const box = checker.getBoundingClientRect();
    return board.placeAt(box.x + box.width / 2, box.y + box.height / 2);
  });
  return places.sort((left, right) => left - right);
}"""


@pytest.fixture
def page(browser: Browser, site: str) -> Page:
    """A page with nothing but a board."""
    context = browser.new_context(base_url=site, viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto("/")
    page.evaluate(OPEN)
    return page


def show(page: Page, counts: dict[int, int]) -> None:
    """Show a position, in which checkers need a minute for each step from now on."""
    page.evaluate(SHOW, [counts, None])
    page.evaluate("board.setOptions({ speed: 60_000 })")


def move(page: Page) -> None:
    """Show the play, whose checkers begin to move."""
    show(page, BEFORE)
    page.evaluate(SHOW, [AFTER, MOVES])
    page.wait_for_function("() => board.element.getAnimations({ subtree: true }).length === 2")


def test_a_checker_that_moves_on_stops_on_its_way_and_hits_only_where_it_arrives(page: Page) -> None:
    move(page)
    assert page.evaluate(AT, 0.0) == [13, 24, 24]
    assert page.evaluate(AT, 0.5) == [13, 18, 24]
    assert page.evaluate(AT, 0.999) == [0, 13, 24]


def test_nothing_but_the_checkers_is_seen_while_they_move(page: Page) -> None:
    move(page)
    marks = page.locator(".game-board").locator(".dice, .trail").all()
    assert [mark.is_visible() for mark in marks] == [False, False]
    page.evaluate("board.element.getAnimations({ subtree: true }).forEach((animation) => animation.finish())")
    page.wait_for_function("() => !board.element.classList.contains('is-moving')")
    assert [mark.is_visible() for mark in marks] == [True, True]


def test_a_step_of_ones_own_goes_straight_to_its_end(page: Page) -> None:
    show(page, {24: 2})
    page.evaluate(PLAY)
    for place in (24, 18):
        page.evaluate("(place) => board.step(place)", place)
        assert page.evaluate(STOPS) == [2]
        assert page.evaluate(AT, 0.0) == [place, 24]
        page.evaluate("board.element.getAnimations({ subtree: true }).forEach((animation) => animation.finish())")
        page.wait_for_function("() => board.element.getAnimations({ subtree: true }).length === 0")


def test_whose_a_checker_is_shows_in_forced_colours(page: Page) -> None:
    page.emulate_media(forced_colors="active")
    show(page, {13: -1, 24: 2})
    colours = page.evaluate("""() => ["light", "dark"].map((side) =>
        getComputedStyle(document.querySelector(`.checker.${side}:not(.slab)`)).backgroundColor)""")
    assert colours[0] != colours[1]
    flat = page.evaluate("""() => [...document.querySelectorAll(".checker, .game-board")]
        .filter((each) => getComputedStyle(each).backgroundImage !== "none").length""")
    assert flat == 0


@pytest.mark.parametrize(("width", "height"), [(884, 617), (390, 495), (560, 414)])
def test_the_trays_hold_fifteen_and_stacks_stay_readable(page: Page, width: int, height: int) -> None:
    """All of one side are borne off; of the other ten stand on a point, whose number says so."""
    page.evaluate(
        "([width, height]) => Object.assign(board.element.style, { width: `${width}px`, height: `${height}px` })",
        [width, height],
    )
    page.wait_for_function("() => board.geometry.width === board.element.clientWidth")
    show(page, {13: -10, 18: -5})
    boxes = page.evaluate("""() => {
      const box = (element) => element.getBoundingClientRect().toJSON();
      const tray = document.querySelectorAll(".game-board .surface .tray");
      return { slabs: [...document.querySelectorAll(".checker.light.slab")].map(box), trays: [...tray].map(box) };
    }""")
    assert len(boxes["slabs"]) == 15
    lower = max(boxes["trays"], key=lambda tray: tray["top"])
    assert all(slab["top"] >= lower["top"] - 0.5 and slab["bottom"] <= lower["bottom"] + 0.5 for slab in boxes["slabs"])
    assert len({round(slab["top"], 1) for slab in boxes["slabs"]}) == 15
    assert page.locator(".checker.dark", has_text="10").count() == 1


COLOURS = """(names) => Object.fromEntries(names.map((name) => {
  const probe = Object.assign(document.createElement("i"), { style: `color: var(--board-${name})` });
  board.element.append(probe);
  const [red, green, blue] = getComputedStyle(probe).color.match(/[\\d.]+/g).map(Number);
  probe.remove();
  return [name, [red, green, blue]];
}))"""
GROUNDS = ("felt", "sand", "rust", "tray", "frame")
AA_TEXT, AA_GRAPHICS = 4.5, 3.0


def luminance(colour: list[float]) -> float:
    """As WCAG 2.2 defines it."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (each / 255 for each in colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: list[float], other: list[float]) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("theme", ["wood", "slate", "felt"])
def test_the_colours_of_each_theme_are_told_apart(page: Page, theme: str, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    if theme != "wood":
        page.evaluate(
            """async (theme) => {
              const href = `/static/matches/board/themes/${theme}.css`;
              const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
              const loaded = new Promise((done) => style.addEventListener("load", done));
              document.head.append(style);
              await loaded;
              board.setOptions({ theme });
            }""",
            theme,
        )
    checkers = ("light", "light-edge", "dark", "dark-edge")
    colours = page.evaluate(COLOURS, [*GROUNDS, *checkers, "number"])
    assert contrast(colours["number"], colours["frame"]) >= AA_TEXT
    assert contrast(colours["light"], colours["dark"]) >= AA_TEXT
    for side in ("light", "dark"):
        for ground in GROUNDS:
            seen = max(contrast(colours[part], colours[ground]) for part in (side, f"{side}-edge"))
            assert seen >= AA_GRAPHICS, (side, ground)
