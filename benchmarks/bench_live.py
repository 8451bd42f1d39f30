"""Live play over HTTP: 200 matches at once, 500 spectators of one match, 1,000 open streams, and the highest rate.

On SQLite, or on the PostgreSQL server that DATABASE_URL names, in a database of its own. The players' pages behave as
the real ones: a stream each, a read for each change by the opponent, signs of life. An action counts from the moment it
was to be sent. Client, server and database share the machine.
"""

import argparse
import asyncio
import os
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from random import Random
from statistics import quantiles
from time import monotonic

from redis.asyncio import Redis

from benchmarks.live.http import Problem
from benchmarks.live.installation import Installation, installation
from benchmarks.live.players import Figures, Json, Table
from benchmarks.live.spectators import Audience
from core.live.publishing import CHANNEL

SEED = 1975
MATCHES, EVERY = 200, 5.0
"""Matches at once, and seconds between two actions of one: 40 actions a second."""
WARM_UP = 10.0
SECONDS = 30.0
SPECTATORS, STREAMS = 500, 1_000
SHOWN_ACTIONS, SHOWN_EVERY = 40, 0.5
RAMP, RAMP_SECONDS = (10, 20, 30, 40, 60, 80, 100, 120, 150), 10.0
TARGETS = {"acknowledged": 0.100, "visible": 0.150}
SUSTAINED_WITHIN = 0.250
"""A rate is sustained if p99 of visible is below this, without errors, and 99 of 100 actions could be sent on time."""


class Field:
    """All matches with their pages open."""

    def __init__(self, matches: Sequence[Json], ports: Sequence[int], chance: Random) -> None:
        self.chance = chance
        self.tables = [Table(match, ports[number % len(ports)], chance) for number, match in enumerate(matches)]
        self.figures = Figures()
        self._pages: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        """Open the pages, a few at a time."""
        players = [player for table in self.tables for player in table.players]
        for first in range(0, len(players), 8):
            group = players[first : first + 8]
            await asyncio.gather(*(player.read() for player in group))
            self._pages += [asyncio.create_task(player.watch(self.figures)) for player in group]
            self._pages += [asyncio.create_task(player.ping(self.figures, self.chance)) for player in group]
        await asyncio.sleep(2)

    async def play(self, *, rate: float, seconds: float) -> Figures:
        """Play at so many actions a second in all, and return what was measured."""
        figures = self.figures = Figures()
        every = len(self.tables) / rate
        began = monotonic() + 0.1
        starts = [began + number * every / len(self.tables) for number in range(len(self.tables))]
        plays = (
            table.play(start, every, began + seconds, figures) for table, start in zip(self.tables, starts, strict=True)
        )
        await asyncio.gather(*plays)
        await asyncio.sleep(1)
        return figures

    @property
    def lost(self) -> int:
        """How many actions have never become visible to the opponent."""
        return sum(table.lost for table in self.tables)

    async def close(self) -> None:
        """Close the pages."""
        for page in self._pages:
            page.cancel()
        await asyncio.gather(*self._pages, return_exceptions=True)


def milliseconds(times: Sequence[float]) -> str:
    """Return p50 and p99 of times in seconds."""
    if len(times) < 2:
        return "        too few   "
    cuts = quantiles(times, n=100)
    return f"{cuts[49] * 1000:6.1f} {cuts[98] * 1000:7.1f} ms"


def show(label: str, figures: Figures, lost: int, cpu: str) -> None:
    """Print a line of figures."""
    errors = sum(figures.errors.values())
    print(
        f"  {label:<26} {milliseconds(figures.acknowledged)}   {milliseconds(figures.visible)}"
        f"  {len(figures.acknowledged):>6} {errors:>6} {figures.late:>5} {lost:>5}   {cpu}   {os.getloadavg()[0]:.1f}",
        flush=True,
    )
    for error, times in figures.errors.most_common(3):
        print(f"      {times} × {error[:160]}")


class Meter:
    """The share of a core that each process has used since the meter was made."""

    def __init__(self, running: Installation) -> None:
        self._running, self._began, self._before = running, monotonic(), running.cpu_seconds()

    def __str__(self) -> str:
        seconds = monotonic() - self._began
        used = self._running.cpu_seconds()
        shares = {name: (used[name] - self._before.get(name, 0.0)) / seconds for name in used}
        return ", ".join(f"{name} {share:.0%}" for name, share in shares.items() if share > 0.02)


async def measure_play(running: Installation, field: Field, label: str) -> None:
    """Print the figures of the rate of the target."""
    rate = MATCHES / EVERY
    await field.play(rate=rate, seconds=WARM_UP)
    for attempt in range(3):
        meter = Meter(running)
        figures = await field.play(rate=rate, seconds=SECONDS)
        show(f"{label}, {rate:.0f}/s, run {attempt + 1}", figures, field.lost, str(meter))


async def measure_ramp(running: Installation, field: Field, label: str) -> float:
    """Raise the rate until it is no longer sustained; return the highest that was."""
    highest = 0.0
    for rate in RAMP:
        meter = Meter(running)
        figures = await field.play(rate=rate, seconds=RAMP_SECONDS)
        show(f"{label}, {rate}/s", figures, field.lost, str(meter))
        if not is_sustained(figures):
            break
        highest = rate
    return highest


def is_sustained(figures: Figures) -> bool:
    """Whether a rate was sustained."""
    is_fast = len(figures.visible) > 1 and quantiles(figures.visible, n=100)[98] < SUSTAINED_WITHIN
    return is_fast and not figures.errors and figures.late < len(figures.acknowledged) / 100


async def measure_fan_out(running: Installation, match: Json, chance: Random) -> None:
    """Print when the actions of one match reach all its spectators, after they were published and after being sent."""
    table = Table(match, running.ports[0], chance)
    figures = Figures()
    for player in table.players:
        await player.read()
    published: dict[int, float] = {}
    sent: dict[int, float] = {}
    listening = asyncio.create_task(_listen(running.env["REDIS_URL"], match["id"], published))
    meter = Meter(running)
    async with Audience(match["id"], running.ports, SPECTATORS) as audience:
        for number in count():
            if number == SHOWN_ACTIONS:
                break
            await asyncio.sleep(SHOWN_EVERY)
            began = monotonic()
            await table.act(began, figures)
            for player in table.players:
                await player.read()
            sent[table.players[0].state["seq"]] = began
        await asyncio.sleep(1)
        arrivals, lost = dict(audience.arrivals), audience.lost
    listening.cancel()
    with suppress(asyncio.CancelledError):
        await listening
    complete = sum(len(arrivals.get(seq, ())) == SPECTATORS for seq in sent)
    print(f"\n  {SPECTATORS} spectators of one match, {len(sent)} actions, {complete} of them seen by all, ", end="")
    print(f"{lost} streams lost, {sum(figures.errors.values())} errors; {meter}; load {os.getloadavg()[0]:.1f}")
    for label, since in (("published", published), ("sent", sent)):
        times = [at - since[seq] for seq in sent if seq in since for at in arrivals.get(seq, ())]
        print(f"  {'after it was ' + label:<26} {milliseconds(times)}", flush=True)


async def _listen(url: str, match_id: str, published: dict[int, float]) -> None:
    """Note when each number of a match is published."""
    async with Redis.from_url(url) as client, client.pubsub() as pubsub:
        await pubsub.subscribe(f"{CHANNEL}match:{match_id}")
        async for message in pubsub.listen():
            if message["type"] == "message":
                published.setdefault(int(message["data"].split()[0]), monotonic())


async def measure_streams(running: Installation, match_id: str) -> None:
    """Print how many connections to the database many open streams hold."""
    before = running.connections()
    began = monotonic()
    async with Audience(match_id, running.ports, STREAMS) as audience:
        took = monotonic() - began
        await asyncio.sleep(1)
        during = running.connections()
        print(f"\n  {STREAMS} streams opened in {took:.1f} s, {audience.lost} lost; ", end="")
        print(f"connections to the database {before} before, {during} with all streams open", flush=True)


async def run(running: Installation, parts: Sequence[str]) -> None:
    """Measure one part after the other."""
    matches = running.prepare(MATCHES + 1)
    chance = Random(SEED)  # noqa: S311, a run that can be repeated
    *played, shown = matches
    if "fan-out" in parts:
        await measure_fan_out(running, shown, chance)
    if "streams" in parts:
        await measure_streams(running, shown["id"])
    highest = 0.0
    if {"play", "ramp"} & set(parts):
        print(HEAD)
        highest = await _play(running, played, chance, parts, "one web process")
    if "two" in parts:
        running.add_web()
        twice = await _play(running, played, chance, parts, "two web processes")
        if highest:
            print(
                f"\n  Sustained: {highest:.0f} actions a second by one, {twice:.0f} by two: {twice / highest:.1f} times"
            )


async def _play(
    running: Installation, matches: Sequence[Json], chance: Random, parts: Sequence[str], label: str
) -> float:
    field = Field(matches, running.ports, chance)
    await field.open()
    try:
        if "play" in parts:
            await measure_play(running, field, label)
        return await measure_ramp(running, field, label) if "ramp" in parts else 0.0
    except Problem as problem:
        raise SystemExit(str(problem)) from None
    finally:
        await field.close()


PARTS = ("fan-out", "streams", "play", "ramp", "two")
HEAD = (
    f"\n  {'':<26} {'acknowledged':<19} {'visible to opponent':<19} {'count':>6} {'errors':>6} {'late':>5} {'lost':>5}"
    f"   share of a core   load\n  {'':<26} {'p50      p99':>17} {'p50      p99':>20}"
)


def main() -> None:
    """Print the figures of the parts that are chosen."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_live", description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all of them if none is named")
    parts = parser.parse_args().parts or PARTS
    url = os.environ.get("DATABASE_URL")
    with installation(url) as running:
        print(
            f"{MATCHES} matches, an action every {EVERY:.0f} s each, {'PostgreSQL' if url else 'SQLite'}, seed {SEED}"
        )
        asyncio.run(run(running, parts))


if __name__ == "__main__":
    main()
