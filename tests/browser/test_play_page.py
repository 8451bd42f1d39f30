"""The page of the board on a phone on its side: what is in sight, what it looks like without colours, its sounds."""

import base64
from typing import Any
from urllib.request import urlopen

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, Request, Response, expect

from core.live import audience
from engine.actions import Act
from engine.clock import MINUTE, SECOND, ClockSettings
from engine.ids import xgid
from matches.lifecycle.links import token_for
from matches.models import Match
from matches.play.page import THEMES
from matches.play.starting import PlaySettings, commit_chain, start
from players.actors import Actor
from players.models import Player, User
from tests.browser.conftest import PHONE, STAYS, Check, OpenPage
from tests.browser.test_play import Seat, eventually
from tests.browser.weight import MAX_BYTES, Weights
from tests.matches.play.conftest import BOB, CAROL, Board, match, users

__all__ = ["match", "users"]

LANDSCAPE = 844, 390
SMALL_LANDSCAPE, LARGE_LANDSCAPE = (667, 375), (932, 430)
LONG_NAME = "Maximiliane Friederike von und zu Hohenlohe-Langenburg-Walde"
MIN_CONTRAST = 3.0
"""Of parts of a picture with what is beside them; source: WCAG 2.2, 1.4.11."""
LOCKED_AFTER = 600
"""Milliseconds."""
RECORDER = """
window.locks = [];
navigator.wakeLock.request = async () => {
  await new Promise((resolve) => setTimeout(resolve, LOCKED_AFTER));
  const lock = { released: false, release: async () => { lock.released = true; } };
  window.locks.push(lock);
  return lock;
};
window.tones = 0;
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...all) { window.tones += 1; return start.apply(this, all); };
""".replace("LOCKED_AFTER", str(LOCKED_AFTER))
"""Counts tones, and hands out locks of the screen slowly; Chromium without a screen refuses them."""
COLOURS = """([theme, url]) => new Promise((resolve) => {
  const board = document.querySelector(".game-board");
  const read = () => {
    board.dataset.boardTheme = theme;
    const style = (selector, property) => getComputedStyle(board.querySelector(selector))[property];
    resolve({
      light: [style(".checker.light", "backgroundColor"), style(".checker.light", "borderTopColor")],
      dark: [style(".checker.dark", "borderTopColor")],
      ground: [style(".felt", "fill"), style(".sand", "fill"), style(".rust", "fill")],
    });
  };
  if (!url) return read();
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: url, onload: read });
  document.head.append(link);
})"""
PIXELS = """async ([png, spots]) => {
  const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  return spots.map(([x, y]) => [...context.getImageData(x, y, 1, 1).data].slice(0, 3));
}"""


class Table:
    """A match that is played here now, of which one player has the page open."""

    def __init__(self, match: Match, users: list[User]) -> None:
        self.board = Board(match, users)
        settings = PlaySettings(ClockSettings(12 * SECOND, 30 * MINUTE), server_chains=True)
        start(match=match, settings=settings, by=Actor.of(users[BOB]), now=timezone.now())
        for side in (BOB, CAROL):
            commit_chain(match=match, side=side, anchor="", by=Actor.of(users[side]), now=timezone.now())
            self.act(side, "ready")
        turn = self.board.game.turn
        assert turn is not None
        self.near, self.far = turn, 1 - turn

    def act(self, side: int, kind: str, **fields: Any) -> None:
        """Let a side act on another device."""
        self.board.now = timezone.now()
        self.board.do(side, kind, **fields)

    def turn_of(self, side: int) -> None:
        self.act(side, Act.ROLL)
        self.act(side, Act.PLAY, moves=self.board.any_play())


def luminance(rgb: list[float]) -> float:
    """The relative luminance of a colour, 0 to 1: all that is left of it without colours."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (c / 255 for c in rgb)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(colour: list[float], other: list[float]) -> float:
    darker, lighter = sorted((luminance(colour), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def in_sight(page: Page, *selectors: str) -> None:
    """Fail unless all of these can be seen as a whole without scrolling."""
    window = page.viewport_size
    assert window is not None
    for selector in selectors:
        box = page.locator(selector).bounding_box()
        assert box is not None, selector
        assert min(box["x"], box["y"]) >= 0, (selector, box)
        assert box["x"] + box["width"] <= window["width"], (selector, box)
        assert box["y"] + box["height"] <= window["height"], (selector, box)


def faces(page: Page) -> dict[str, list[float]]:
    """The colours of a checker of each side as they are on the screen, between its centre and its ring."""
    spots = []
    for kind in ("light", "dark"):
        box = page.locator(f".game-board .checker.{kind}").first.bounding_box()
        assert box is not None
        spots.append([round(box["x"] + 0.7 * box["width"]), round(box["y"] + box["height"] / 2)])
    png = base64.b64encode(page.screenshot()).decode()
    light, dark = page.evaluate(PIXELS, [png, spots])
    return {"light": light, "dark": dark}


def rgb(colour: str) -> list[float]:
    return [float(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]


def told_apart_without_colours(page: Page) -> None:
    """Fail unless the checkers of both sides differ in lightness from each other, and from what they stand on."""
    themes = page.evaluate("JSON.parse(document.getElementById('play-settings').textContent).themes")
    assert set(themes) == set(THEMES)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        for theme, url in {"wood": "", **themes}.items():
            colours = page.evaluate(COLOURS, [theme, url])
            seen = faces(page)
            assert contrast(seen["light"], seen["dark"]) >= MIN_CONTRAST, (scheme, theme)
            for kind, face in seen.items():
                for ground in colours["ground"]:
                    parts = [face, *map(rgb, colours[kind])]
                    assert max(contrast(part, rgb(ground)) for part in parts) >= MIN_CONTRAST, (scheme, theme, ground)
    page.evaluate(COLOURS, ["wood", ""])


def tones(page: Page) -> int:
    """How many tones the page has played."""
    played: int = page.evaluate("window.tones")
    return played


def held_locks(page: Page) -> int:
    locks: int = page.evaluate("window.locks.filter((lock) => !lock.released).length")
    return locks


def signs_of_life(page: Page) -> dict[str, set[str]]:
    """The name by which the page calls itself in what it sends from now on, by the end of the URL."""
    names: dict[str, set[str]] = {"ping": set(), "actions": set()}

    def note(request: Request) -> None:
        name = request.url.rstrip("/").rpartition("/")[2]
        if request.method == "POST" and name in names:
            names[name].add(request.post_data_json["tab"])

    page.on("request", note)
    return names


def answers_to_pings(page: Page) -> list[tuple[bool, int]]:
    """Whether each ping from now on had a ticket, and the status of its answer."""
    answers: list[tuple[bool, int]] = []

    def note(response: Response) -> None:
        if response.url.endswith("/ping/"):
            answers.append(("ticket" in response.request.post_data_json, response.status))

    page.on("response", note)
    return answers


@pytest.mark.usefixtures("site")
def test_a_phone_on_its_side(match: Match, users: list[User], open_page: OpenPage, fits: Check) -> None:
    Player.objects.update(name=LONG_NAME)
    table = Table(match, users)
    page = open_page("/preferences/play/", user=users[table.near], touch=True)
    page.add_init_script(RECORDER)
    page.set_viewport_size({"width": LANDSCAPE[0], "height": LANDSCAPE[1]})
    signs, answers = signs_of_life(page), answers_to_pings(page)
    page.goto(f"/matches/{match.public_id}/play/")
    seat = Seat(page, touch=True)
    expect(page.locator(".place.movable").first).to_be_attached()
    fits(page)
    in_sight(page, "#board", ".game-board .dice", "#undo", "#commit", "#seat-near", "#seat-far")
    the_menu_is_beside_the_board(page)
    told_apart_without_colours(page)
    eventually(lambda: held_locks(page) > 0)
    page.wait_for_timeout(LOCKED_AFTER)
    assert held_locks(page) == 1

    seat.move()
    table.turn_of(table.far)
    expect(seat.panel("roll")).to_be_visible()
    assert len(signs["ping"]) == 1
    assert answers[:4] == [(False, 200), *[(True, 200)] * 3], "one account for four pings"
    assert signs["actions"] == signs["ping"], "an action needs no ping beside it"
    in_sight(page, "#board", '[data-act="roll"]', '[data-act="double"]', '[data-open="resign"]')
    assert tones(page) == 0

    table.turn_of(table.near)
    table.act(table.far, Act.DOUBLE)
    expect(seat.panel("cube")).to_be_visible()
    for size in (SMALL_LANDSCAPE, LARGE_LANDSCAPE, LANDSCAPE):
        the_offered_cube_covers_no_seat(page, *size)
    with_a_desk(page, table)

    table.act(table.near, Act.CONCEDE)
    expect(seat.panel("over").locator("h2[data-text]")).to_have_text(f"{LONG_NAME} wins the match.")
    in_sight(page, "#board")
    eventually(lambda: held_locks(page) == 0)


def test_the_number_of_spectators_leaves_room_for_the_title(
    open_page: OpenPage, site: str, match: Match, users: list[User]
) -> None:
    table = Table(match, users)
    streams = [urlopen(f"{site}/live/?topic=match:{match.public_id}") for _ in range(12)]
    eventually(lambda: audience.size(match.public_id) == len(streams))
    page = open_page(f"/matches/{match.public_id}/play/", user=users[table.near])
    page.set_viewport_size({"width": SMALL_LANDSCAPE[0], "height": SMALL_LANDSCAPE[1]})
    watching = page.locator("#watching")
    expect(watching).to_have_text("Watching: 12")
    expect(watching).to_have_attribute("data-count", "12")
    box = watching.bounding_box()
    assert box is not None
    assert box["width"] <= 45
    for stream in streams:
        stream.close()


def test_a_phone_says_that_it_is_the_crawford_game_however_many_watch(
    open_page: OpenPage, site: str, match: Match, users: list[User]
) -> None:
    table = Table(match, users)
    table.act(table.near, Act.RESIGN, value=2)
    table.act(table.far, Act.ACCEPT)
    stream = urlopen(f"{site}/live/?topic=match:{match.public_id}")
    eventually(lambda: audience.size(match.public_id) == 1)
    page = open_page(f"/matches/{match.public_id}/play/", width=PHONE, user=users[table.near])
    expect(page.locator("#watching")).to_be_visible()
    tag = page.locator("#crawford")
    expect(tag).to_be_visible()
    title, box = page.locator(".play-title").bounding_box(), tag.bounding_box()
    assert title is not None
    assert box is not None
    assert box["x"] + box["width"] <= title["x"] + title["width"], "it is cut off"
    stream.close()


def the_menu_is_beside_the_board(page: Page) -> None:
    in_sight(page, ".play-back", '[data-act="pause"]', '[data-open="resign"]')
    summary = page.locator(".play-bar .menu summary")
    summary.tap()
    in_sight(page, ".play-bar .menu-list")
    board, menu = (page.locator(selector).bounding_box() for selector in ("#board", ".play-bar .menu-list"))
    assert board is not None
    assert menu is not None
    assert menu["x"] >= board["x"] + board["width"]
    summary.tap()


def the_offered_cube_covers_no_seat(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    in_sight(page, "#board", ".game-board .cube", '[data-act="take"]', '[data-act="drop"]', "#seat-far", "#seat-near")
    board, seat, panel = (page.locator(part).bounding_box() for part in ("#board", "#seat-near", ".play-actions"))
    assert board is not None
    assert seat is not None
    assert panel is not None
    assert board["width"] > width / 2
    assert seat["y"] + seat["height"] <= panel["y"]


def with_a_desk(page: Page, table: Table) -> None:
    """Sounds begin once they are switched on, and the position can be copied."""
    page.set_viewport_size({"width": 1280, "height": 800})
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate(f"() => {{{STAYS}}}")
    page.locator("#copy-xgid").click()
    expect(page.locator("#copy-xgid")).to_contain_text("✓")
    assert page.evaluate("navigator.clipboard.readText()") == xgid(table.board.game)
    page.locator(".play-bar .menu summary").click()
    page.locator("#toggle-sound").click()
    expect(page.locator("#toggle-sound")).to_have_attribute("aria-pressed", "true")
    # The module with the sounds is loaded now.
    eventually(lambda: tones(page) > 0)
    switched_on = tones(page)
    page.set_viewport_size({"width": LANDSCAPE[0], "height": LANDSCAPE[1]})
    table.act(table.near, Act.TAKE)
    table.act(table.far, Act.ROLL)
    eventually(lambda: tones(page) > switched_on)


def test_all_files_of_a_first_visit_are_light(match: Match, users: list[User], browser: Browser, site: str) -> None:
    table = Table(match, users)
    page = browser.new_context(base_url=site).new_page()
    weights = Weights(page)
    page.goto(f"/m/{token_for(match, table.near)}/play/")
    expect(page.locator(".place.movable").first).to_be_attached()
    sizes = weights.of_all()
    assert any(url.endswith("play/page.js") for url in sizes)
    assert sum(sizes.values()) <= MAX_BYTES, sizes
