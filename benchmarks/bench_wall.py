"""The wall screen for hours: memory, nodes, listeners and connections of Chromium while an evening changes under it.

The real processes serve it. The page's clock runs ahead, twenty seconds at a time, so that six hours take some minutes;
every other time a score changes. Now and then the network is cut for a minute, and the web process is killed. It fails
if anything has grown by more than a fifth since the first half hour, if more connections are open than a browser keeps,
or if the page no longer follows.
"""

import argparse
import os
import signal
import sys
from dataclasses import astuple, dataclass
from datetime import timedelta
from itertools import cycle
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING

import django
from playwright.sync_api import CDPSession, Error, Page, expect

from benchmarks.browser import chromium
from benchmarks.live.http import HOST
from benchmarks.live.installation import Installation, installation
from benchmarks.live.prepare_crowd import LENGTH, paths

if TYPE_CHECKING:
    from tournaments.models import Fixture

STEP = 20
"""Seconds by which the page's clock goes on at once: as often as the page reads itself again."""
AN_HOUR = 3600 // STEP
HALF_AN_HOUR = AN_HOUR // 2
CUT_EVERY, CUT_FOR = 45, 3
KILL_EVERY = 100
GROWTH = 1.2
MOST_CONNECTIONS = 6
"""As many as a browser keeps to one server."""
PATIENCE = 30.0
ESTABLISHED = "01"
COUNTS = " ".join(f"{name:>11}" for name in ("nodes", "listeners", "documents", "connections"))


@dataclass(frozen=True)
class Figures:
    """What the page holds after a collection of garbage."""

    heap: float
    """KiB."""
    nodes: int
    listeners: int
    documents: int
    connections: int


class Wall:
    """The wall screen in a browser, and the match whose score changes."""

    def __init__(self, page: Page, running: Installation, fixture: "Fixture") -> None:
        self.page, self.running, self.fixture = page, running, fixture
        self.devtools: CDPSession = page.context.new_cdp_session(page)
        self.devtools.send("Performance.enable")
        self.scores = cycle([(left, right) for left in range(1, LENGTH) for right in range(1, LENGTH)])
        self.readings = 0
        page.on("response", self._count)

    def _count(self, response: object) -> None:
        self.readings += 1

    def go_on(self, seconds: float = STEP) -> None:
        """Let the page's clock go on, and wait for what it asks for meanwhile."""
        before, deadline = self.readings, monotonic() + PATIENCE
        self.page.clock.run_for(int(seconds * 1000))
        while self.readings == before and monotonic() < deadline:
            self.page.wait_for_timeout(20)

    def change(self) -> str:
        """Change the score of the match, and return how the wall shows it."""
        from django.utils import timezone

        from players.actors import SYSTEM
        from tournaments.floor.calls import set_running_score

        score = next(self.scores)
        set_running_score(fixture=self.fixture, score=score, by=SYSTEM, now=timezone.now())
        return f"{score[0]}–{score[1]}"

    def cut_network(self) -> None:
        """Take the network away for a minute of the page's clock; the page has to say so."""
        self.page.context.set_offline(True)
        self.page.clock.run_for(CUT_FOR * STEP * 1000)
        expect(self.page.locator("#wall-stale")).to_be_visible()
        self.page.context.set_offline(False)

    def kill_server(self) -> None:
        """Kill the web process, which the supervisor starts again."""
        killed = self._web_process()
        os.kill(int(killed), signal.SIGKILL)
        deadline = monotonic() + PATIENCE * 4
        while monotonic() < deadline and (self._web_process() == killed or not self._answers()):
            sleep(0.2)

    def _web_process(self) -> str:
        return (self.running.var / "run" / "web.pid").read_text().strip()

    def _answers(self) -> bool:
        try:
            return self.page.request.get(f"http://{HOST}:{self.running.ports[0]}/healthz").ok
        except Error:
            return False

    def figures(self) -> Figures:
        """Measure the page after a collection of garbage."""
        self.devtools.send("HeapProfiler.collectGarbage")
        values = {row["name"]: row["value"] for row in self.devtools.send("Performance.getMetrics")["metrics"]}
        return Figures(
            values["JSHeapUsedSize"] / 1024,
            int(values["Nodes"]),
            int(values["JSEventListeners"]),
            int(values["Documents"]),
            connections(self.running.ports[0]),
        )


def connections(port: int) -> int:
    """Return how many connections a local port has accepted that are still open."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(row[1].endswith(f":{port:04X}") and row[3] == ESTABLISHED for row in rows)


def event_with_floor() -> tuple[str, "Fixture"]:
    """Create an event with a match at a table; return the path of its wall, and the match."""
    from django.utils import timezone

    from players.actors import SYSTEM
    from tournaments.floor import calls, evening
    from tournaments.models import Fixture, Tournament

    paths()
    # So long ago that the calls are no longer fresh: the wall shows its parts in turn.
    now = timezone.now() - timedelta(minutes=5)
    Tournament.objects.update(tables=12, ends_at=now + timedelta(hours=8))
    event = Tournament.objects.select_related("club").get()
    evening.open_floor(tournament=event, by=SYSTEM, now=now)
    ready = Fixture.objects.filter(status=Fixture.Status.READY).select_related("stage__division", "match")
    fixtures = list(ready.order_by("number")[:6])
    for fixture, table in zip(fixtures, event.floor_tables.all(), strict=False):
        calls.call(fixture=fixture, table=table, by=SYSTEM, now=now)
    calls.start(fixture=fixtures[0], by=SYSTEM, now=now)
    return f"/events/{event.club.slug}/{event.slug}/wall/", fixtures[0]


def show(label: str, wall: Wall, figures: Figures) -> None:
    """Print a line."""
    heap, *others = astuple(figures)
    counts = " ".join(f"{count:>11}" for count in others)
    print(f"  {label:<10} {wall.readings:>9} {heap:>9.0f} KiB {counts}", flush=True)


def run(wall: Wall, hours: float) -> bool:
    """Let the wall run for so many hours of its clock; return whether nothing grew and it still follows."""
    print(f"  {'':<10} {'answers':>9} {'heap':>13} {COUNTS}")
    first = None
    cuts = kills = changes = 0
    for step in range(1, int(hours * AN_HOUR) + 1):
        if step % 2:
            wall.change()
            changes += 1
        if step % CUT_EVERY == 0:
            wall.cut_network()
            cuts += 1
        if step % KILL_EVERY == 0:
            wall.kill_server()
            kills += 1
        wall.go_on()
        if step == HALF_AN_HOUR:
            first = wall.figures()
        if step % HALF_AN_HOUR == 0:
            show(f"{step / AN_HOUR:.1f} h", wall, wall.figures())
    last = wall.figures()
    score = wall.change()
    for _ in range(3):
        wall.go_on()
    expect(wall.page.locator(".wall-tables").first).to_contain_text(score)
    expect(wall.page.locator("#wall-stale")).to_be_hidden()
    print(f"  {changes} changes, {cuts} losses of the network, {kills} restarts of the server; it still follows")
    assert first is not None  # noqa: S101, at least half an hour
    grown = [after > before * GROWTH for before, after in zip(astuple(first)[:-1], astuple(last)[:-1], strict=True)]
    return not any(grown) and last.connections <= MOST_CONNECTIONS


def main() -> int:
    """Print the figures of each half hour; 1 if something has grown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_wall", description=__doc__.partition("\n")[0])
    parser.add_argument("--hours", type=float, default=6.0)
    hours = max(0.5, parser.parse_args().hours)
    with installation(None) as running:
        os.environ |= running.env | {"DJANGO_SETTINGS_MODULE": "config.settings"}
        django.setup()
        path, fixture = event_with_floor()
        with chromium() as browser:
            page = browser.new_context(viewport={"width": 1920, "height": 1080}).new_page()
            page.clock.install()
            page.goto(f"http://{HOST}:{running.ports[0]}{path}")
            kept = run(Wall(page, running, fixture), hours)
    if not kept:
        print("Something has grown by more than a fifth.", file=sys.stderr)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
