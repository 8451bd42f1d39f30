"""A crowd of anonymous readers at one event: an open loop of 300 requests a second for 30 s, and the highest rate.

On SQLite, or on the PostgreSQL server that DATABASE_URL names, with one web process. A request counts from the moment
it was to be sent, whatever was still waiting then. Client and server share the machine.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from itertools import cycle
from statistics import quantiles
from time import monotonic

from benchmarks.live.http import HOST, IDLE
from benchmarks.live.installation import ROOT, LiveInstallation, installation
from config.processes import spawn, stop

RATE, SECONDS = 300, 30.0
RAMP, RAMP_SECONDS = (400, 600, 800, 1000, 1200, 1500), 6.0
TARGET = 0.100
"""Seconds, of p99."""
PATIENCE = 20.0


class Crowd:
    """Readers with connections that are kept open."""

    def __init__(self, port: int, paths: list[str], headers: str = "Accept-Encoding: gzip\r\n") -> None:
        self._port = port
        self._paths = cycle(paths)
        self._headers = headers
        self._free: list[tuple[float, asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def run(self, rate: float, seconds: float) -> tuple[list[float], Counter[str]]:
        """Send requests at a rate; return the times in seconds, and the errors."""
        times: list[float] = []
        errors: Counter[str] = Counter()
        began = monotonic() + 0.05
        tasks = []
        for number in range(int(rate * seconds)):
            due = began + number / rate
            if (wait := due - monotonic()) > 0:
                await asyncio.sleep(wait)
            tasks.append(asyncio.create_task(self._request(due, times, errors)))
        await asyncio.gather(*tasks)
        return times, errors

    async def _request(self, due: float, times: list[float], errors: Counter[str]) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                status = await self._answer(next(self._paths))
        except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
            errors[type(error).__name__] += 1
            return
        if status == 200:
            times.append(monotonic() - due)
        else:
            errors[str(status)] += 1

    async def _answer(self, path: str) -> int:
        reader, writer = await self._connection()
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {HOST}:{self._port}\r\n{self._headers}\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = next((line[16:] for line in head.split("\r\n") if line.startswith("content-length: ")), None)
        if length is None:
            await reader.read()
            writer.close()
        else:
            await reader.readexactly(int(length))
            self._free.append((monotonic(), reader, writer))
        return int(head.split(" ", 2)[1])

    async def _connection(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        while self._free:
            used_at, reader, writer = self._free.pop()
            if monotonic() - used_at < IDLE:
                return reader, writer
            writer.close()
        return await asyncio.open_connection(HOST, self._port, limit=2**20)

    def close(self) -> None:
        for _, _, writer in self._free:
            writer.close()
        self._free.clear()


async def measure(running: LiveInstallation, paths: list[str], label: str, rate: float, seconds: float) -> bool:
    """Print a line; return whether p99 is within the target and nothing failed."""
    crowd = Crowd(running.ports[0], paths)
    before = running.cpu_seconds()
    began = monotonic()
    times, errors = await crowd.run(rate, seconds)
    taken = monotonic() - began
    used = running.cpu_seconds()
    crowd.close()
    cuts = quantiles(times, n=100) if len(times) > 1 else [0.0] * 99
    shares = ", ".join(f"{name} {(used[name] - before[name]) / taken:.0%}" for name in ("web", "client"))
    print(
        f"  {label:<28} {rate:>5}/s  p50 {cuts[49] * 1000:7.1f} ms  p99 {cuts[98] * 1000:7.1f} ms  "
        f"{len(times):>6} answers  {sum(errors.values()):>4} errors {dict(errors) or ''}  {shares}  "
        f"load {os.getloadavg()[0]:.1f}",
        flush=True,
    )
    # Connections that the server has closed meanwhile are not used again.
    await asyncio.sleep(1)
    return bool(times) and cuts[98] <= TARGET and not errors


async def run(running: LiveInstallation, paths: list[str]) -> None:
    """Measure the target, the same with a write every second, each page, and the highest rate."""
    await measure(running, paths, "warm-up", 50, 2)
    await measure(running, paths, "nothing is written", RATE, SECONDS)
    writer = spawn([sys.executable, "-m", "benchmarks.live.prepare_crowd", "write", "1.0"], running.env)
    await asyncio.sleep(3)
    await measure(running, paths, "a write every second", RATE, SECONDS)
    stop(writer, 2)
    for rate in RAMP:
        if not await measure(running, paths, "ramp", rate, RAMP_SECONDS):
            break


def main() -> None:
    url = os.environ.get("DATABASE_URL")
    with installation(url) as running:
        command = [sys.executable, "-m", "benchmarks.live.prepare_crowd"]
        done = subprocess.run(command, cwd=ROOT, env=running.env, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode:
            raise SystemExit(done.stderr)
        paths = json.loads(done.stdout)
        print(f"{len(set(paths))} pages of an event, one web process, {'PostgreSQL' if url else 'SQLite'}", flush=True)
        with suppress(KeyboardInterrupt):
            asyncio.run(run(running, paths))


if __name__ == "__main__":
    main()
