"""What an action costs the web process, here and in another checkout: `python -m benchmarks.bench_actions CHECKOUT`.

On SQLite, or on the PostgreSQL server that DATABASE_URL names. Both sites run at once, and act in turns of some actions
each, so that a busy machine slows both down alike. What is measured is processor time, which other processes disturb
less; statements (without BEGIN and COMMIT) and the time in the database are those of `/metrics`; the broker counts
its reads, one for each round trip.
"""

import argparse
import asyncio
import os
import re
import urllib.request
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path
from random import Random
from statistics import median
from time import monotonic

from redis import Redis

from benchmarks.bench_live import SEED, Table
from benchmarks.live.installation import ROOT, Installation, installation

MATCHES, BLOCK = 40, 40
WARM_UP = 8
"""Actions of each match: both sessions have acted, and the first game is on."""
ROUTE = r'route="api-live-actions"'
METRICS = {
    "actions": rf"barpoint_request_seconds_count{{[^}}]*{ROUTE}[^}}]*}} (\S+)",
    "statements": rf"barpoint_database_queries_total{{{ROUTE}}} (\S+)",
    "database": rf"barpoint_database_seconds_total{{{ROUTE}}} (\S+)",
}


class Site:
    """One checkout's site with its matches, and what their actions have cost."""

    def __init__(self, running: Installation, chance: Random) -> None:
        self.running, self.chance = running, chance
        self.tables = [Table(match, running.ports[0], chance) for match in running.prepare(MATCHES)]
        self.broker = Redis.from_url(running.env["REDIS_URL"])
        self.costs: dict[str, list[float]] = defaultdict(list)
        """Milliseconds of processor time, by kind of action …"""
        self.waits: dict[str, list[float]] = defaultdict(list)
        """… and until it was answered."""
        self.acted, self.broker_reads = 0, 0

    def cpu(self) -> int:
        """Nanoseconds of processor time of the web process."""
        pid = int((self.running.var / "run" / "web.pid").read_text())
        return sum(int(path.read_text().split()[0]) for path in Path(f"/proc/{pid}/task").glob("*/schedstat"))

    def counters(self) -> dict[str, float]:
        """What the site has counted so far."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.running.ports[0]}/metrics") as answer:
            text = answer.read().decode()
        return {name: sum(map(float, re.findall(pattern, text))) for name, pattern in METRICS.items()}

    def reads(self) -> int:
        """How often the broker has read from its clients, this one included."""
        return int(self.broker.info("stats")["total_reads_processed"])

    async def act(self) -> None:
        """Let the next match go on by one action, and note what it cost."""
        table = self.tables[self.acted % MATCHES]
        self.acted += 1
        for player in table.players:
            if not player.state.get("may") or player.state["last"] < table.acknowledged:
                await player.read()
        player = table.to_act
        assert player is not None  # noqa: S101, no match ends while it is measured
        body, key = player.action(self.chance), f"Idempotency-Key: {self.acted}\r\n"
        reads, cpu, began = self.reads(), self.cpu(), monotonic()
        state = await player.connection.request("POST", f"{player.path}actions/", body, key)
        waited, used = monotonic() - began, self.cpu() - cpu
        self.broker_reads += self.reads() - reads - 1
        table.acknowledged = state["last"]
        player.take(state)
        if body["kind"] != "ready":
            self.costs[body["kind"]].append(used / 1e6)
            self.waits[body["kind"]].append(waited * 1e3)

    def every_cost(self) -> list[float]:
        """Of actions of all kinds."""
        return [cost for costs in self.costs.values() for cost in costs]


async def measure(sites: dict[str, Site], seconds: float) -> dict[str, dict[str, float]]:
    """Let the sites act in turns; return what each has counted for an action."""
    for site in sites.values():
        for _ in range(WARM_UP * MATCHES):
            await site.act()
        site.costs.clear()
        site.waits.clear()
        site.broker_reads = 0
    before = {name: site.counters() for name, site in sites.items()}
    until, order = monotonic() + seconds, list(sites.values())
    while monotonic() < until:
        for site in order:
            for _ in range(BLOCK):
                await site.act()
        order.reverse()
    counted = {}
    for name, site in sites.items():
        more = {what: count - before[name][what] for what, count in site.counters().items()}
        counted[name] = {
            "statements": more["statements"] / more["actions"],
            "ms in the database": 1e3 * more["database"] / more["actions"],
            "round trips to the broker": site.broker_reads / more["actions"],
        }
    return counted


def show(sites: dict[str, Site], counted: dict[str, dict[str, float]]) -> None:
    """Print the costs by kind, and what was counted for an action."""
    for name, site in sites.items():
        kinds = sorted(site.costs)
        parts = [f"{kind} {median(site.costs[kind]):.2f} / {median(site.waits[kind]):.1f}" for kind in kinds]
        costs = site.every_cost()
        print(f"  {name:<7} median {median(costs):.2f}, mean {sum(costs) / len(costs):.2f}; {'; '.join(parts)}")
        print(f"  {'':<7} {', '.join(f'{value:.2f} {what}' for what, value in counted[name].items())}; {len(costs)}")
    before, after = (site.every_cost() for site in sites.values())
    means = (sum(after) / len(after)) / (sum(before) / len(before))
    print(
        f"  ratio of medians {median(after) / median(before):.3f}, of means {means:.3f}; load {os.getloadavg()[0]:.1f}"
    )


def main() -> None:
    """Print what an action costs in both checkouts."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_actions", description=__doc__.partition("\n")[0])
    parser.add_argument("checkout", type=Path, help="another checkout, of the tree before")
    parser.add_argument("--seconds", type=float, default=60.0)
    options, url = parser.parse_args(), os.environ.get("DATABASE_URL")
    with ExitStack() as stack:
        sites = {
            name: Site(stack.enter_context(installation(url, root=root)), Random(SEED))  # noqa: S311, repeatable
            for name, root in (("before", options.checkout.resolve()), ("after", ROOT))
        }
        print(f"{'PostgreSQL' if url else 'SQLite'}: ms of processor time / ms until answered (medians), and actions")
        show(sites, asyncio.run(measure(sites, options.seconds)))


if __name__ == "__main__":
    main()
