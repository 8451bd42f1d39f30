"""The board page in Chromium at 6× CPU throttle: its weight, its first paint, and dragging.

The mover of an opening roll opens the page by a personal link, lifts a checker and drags it about for two seconds.
Weights are those of all files of a first visit, with gzip.
"""

import gzip
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median, quantiles
from time import sleep

from benchmarks.pages import database

# isort: split
import uvicorn
from django.conf import settings
from django.utils import timezone
from playwright.sync_api import Browser, FloatRect, Page, Response, sync_playwright

from config.static_files import slimmed
from config.valkey import free_port
from engine.clock import PRESETS
from matches.lifecycle import links
from matches.lifecycle.opening import MatchSettings, Opening, open_matches
from matches.models import Match
from matches.play import due
from matches.play.acting import ActionInput, act
from matches.play.live import EventKind
from matches.play.starting import PlaySettings, commit_chain, start
from players.actors import SYSTEM
from players.models import Player

LENGTH = 7
VISITS = 7
STEPS = 120
VIEWS = {"phone": (390, 844), "desk": (1280, 800)}
READY = ".place.movable"
"""What the page has once its board can be used."""
GATE_PAINT, GATE_FRAME, GATE_BYTES = 1000, 20, 60 * 1024

FRAMES = """() => {
  window.frames_ = [];
  let last = performance.now();
  const frame = (now) => {
    window.frames_.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}"""

THROTTLE = 6
"""By which pages slow the processor down."""
FIRST_PAINT = """() => new Promise((done) => new PerformanceObserver((list) => done(list.getEntries()[0].startTime))
  .observe({ type: "paint", buffered: true }))"""
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
NAMES = ("chromium", "chromium-browser")


@contextmanager
def served() -> Iterator[str]:
    """Serve the site with uvicorn from a thread, and yield its URL."""
    from config.asgi import application

    server = uvicorn.Server(
        uvicorn.Config(application, host="127.0.0.1", port=free_port(), lifespan="off", log_level="warning")
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        sleep(0.02)
    yield f"http://127.0.0.1:{server.config.port}"
    server.should_exit = True
    thread.join(10)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Run the Chromium of this machine, or the one that CHROMIUM names. Without one, say so and end the process."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        print("There is no Chromium on this machine (on Debian: apt-get install chromium).")
        raise SystemExit(0)
    # Playwright's loop runs in this thread, so Django would take our own queries for queries from async code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    settings.ALLOWED_HOSTS = ["127.0.0.1"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


def rolled_match() -> tuple[Match, int]:
    """Return a match after its opening roll, and the side that plays it."""
    now = timezone.now()
    left, right = (Player.objects.create(name=name) for name in ("Alice", "Jörg"))
    match = open_matches([Opening((left, right), LENGTH)], settings=MatchSettings(), by=SYSTEM, now=now)[0]
    clock = PRESETS["table"].settings(length=LENGTH)
    start(match=match, settings=PlaySettings(clock, server_chains=True), by=SYSTEM, now=now)
    for side in (0, 1):
        commit_chain(match=match, side=side, anchor="", by=SYSTEM, now=now)
    for after, side in enumerate((0, 1)):
        act(match=match, side=side, request=ActionInput(EventKind.READY, after), by=SYSTEM, now=now)
    return match, due.state_of(Match.objects.get(pk=match.pk).live).match.turn or 0


def opened(browser: Browser, url: str, view: str) -> tuple[Page, list[int]]:
    """Open the page in a context of its own; return it with the compressed sizes of its files."""
    width, height = VIEWS[view]
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": THROTTLE})
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(url)
    page.wait_for_selector(READY, state="attached")
    loaded = [answer for answer in answers if answer.ok and "/live/?topic" not in answer.url]
    return page, [len(gzip.compress(as_served(answer))) for answer in loaded]


def as_served(answer: Response) -> bytes:
    """Return a file as it is served in production."""
    body = answer.body()
    return slimmed(body.decode()).encode() if answer.url.endswith((".js", ".css")) else body


def dragging(page: Page) -> float:
    """Return the 95th percentile of the time between two frames while a checker is dragged, in ms."""
    boxes = [page.locator(selector).first.bounding_box() for selector in (READY, ".game-board")]
    box, board = (rect or FloatRect(x=0, y=0, width=0, height=0) for rect in boxes)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(board["x"] + 60, board["y"] + 60, steps=5)
    page.evaluate(FRAMES)
    for step in range(STEPS):
        share = step / STEPS
        page.mouse.move(board["x"] + board["width"] * share, board["y"] + board["height"] * (0.2 + share / 2))
    frames: list[float] = page.evaluate("window.frames_")
    page.mouse.up()
    return quantiles(frames[2:], n=20)[18]


def report(browser: Browser, url: str) -> None:
    """Print the median of many visits at each width."""
    print(f"Gates: first paint ≤ {GATE_PAINT} ms, all files ≤ {GATE_BYTES // 1024} KiB, p95 frame ≤ {GATE_FRAME} ms")
    for view in VIEWS:
        rows = []
        for _ in range(VISITS):
            page, sizes = opened(browser, url, view)
            rows.append((page.evaluate(FIRST_PAINT), sum(sizes), dragging(page), page.evaluate(SIDEWAYS)))
            page.context.close()
        paints, weights, frames, sideways = zip(*rows, strict=True)
        print(
            f"  {view:<8} paint {median(paints):>5.0f} ms (worst {max(paints):.0f}), {max(weights) / 1024:.1f} KiB,"
            f" frame p95 {median(frames):.1f} ms (worst {max(frames):.1f}), {max(sideways)} px sideways"
        )


def main() -> None:
    """Print the median of many visits at each width."""
    with chromium() as browser, database(), served() as site:
        match, side = rolled_match()
        url = f"{site}/m/{links.token_for(match, side)}/play/"
        print(f"{THROTTLE}× CPU throttle, {VISITS} visits each")
        report(browser, url)


if __name__ == "__main__":
    main()
