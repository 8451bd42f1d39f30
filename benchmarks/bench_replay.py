"""The replay of a match played here, in Chromium at 6× CPU throttle: its weight, its first paint, and moving checkers.

A visitor opens the first game and steps through its plays, so that the checkers of each one move. Weights are those of
all files of a first visit, with gzip.
"""

from statistics import quantiles

from benchmarks.bench_board import FRAMES, VISITS, report
from benchmarks.browser import THROTTLE, chromium, served
from benchmarks.pages import database

# isort: split
from django.urls import reverse
from playwright.sync_api import Page

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
    with chromium() as browser, database(), served() as site:
        played = longest()
        url = site + reverse("match-replay", args=[played.match.public_id])
        plays = played.counts["play"]
        print(f"{played.match.length} points, {plays} plays; {THROTTLE}× CPU throttle, {VISITS} visits each")
        report(browser, url, ".game-board[data-shown]", stepping)


if __name__ == "__main__":
    main()
