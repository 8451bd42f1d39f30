"""The replay of a match played here, in Chromium at 6× CPU throttle: its weight, its first paint, and moving checkers.

A visitor opens the first game and steps through its plays, so that the checkers of each one move. Weights are those of
all files of a first visit, with gzip.
"""

import os
import shutil
from statistics import quantiles

from benchmarks.bench_board import FRAMES, VISITS, report
from benchmarks.bench_paint import THROTTLE, served
from benchmarks.pages import database

# isort: split
from django.conf import settings
from django.urls import reverse
from playwright.sync_api import Page, sync_playwright

from matches.play.simulation import Played, play_matches

MATCHES, SEED = 3, 1
STEPS = 12
STEP_EVERY = 400
"""Milliseconds; a checker takes 200 of them."""


def longest() -> Played:
    """Return the match with the most plays of a few that bots play."""
    return max(play_matches(MATCHES, SEED), key=lambda played: played.counts["play"])


def stepping(page: Page) -> float:
    """Return the 95th percentile of the time between two frames while the plays are shown one by one, in ms."""
    page.evaluate(FRAMES)
    for _ in range(STEPS):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(STEP_EVERY)
    frames: list[float] = page.evaluate("window.frames_")
    return quantiles(frames[2:], n=20)[18]


def main() -> None:
    """Print the median of many visits at each width."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        print("There is no Chromium on this machine (on Debian: apt-get install chromium).")
        return
    # Playwright's loop runs in this thread, so Django would take our own queries for queries from async code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    settings.ALLOWED_HOSTS = ["127.0.0.1"]
    with database(), served() as site, sync_playwright() as playwright:
        played = longest()
        url = site + reverse("match-replay", args=[played.match.public_id])
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        plays = played.counts["play"]
        print(f"{played.match.length} points, {plays} plays; {THROTTLE}× CPU throttle, {VISITS} visits each")
        report(browser, url, ".game-board[data-shown]", stepping)
        browser.close()


if __name__ == "__main__":
    main()
