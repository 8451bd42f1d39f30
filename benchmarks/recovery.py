"""How long the site is away when PostgreSQL is killed with -9, and whether anything acknowledged is lost.

    python -m benchmarks.recovery --cluster DIR --url http://127.0.0.1:8000 --email … --password …

`--cluster` is the data directory of a server of its own, which the site at `--url` uses; the account directs a club.
One thread creates events as fast as it can. The postmaster and its children are killed and started again at once; then
every event that was acknowledged must be there.
"""

import argparse
import json
import os
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.parse import urlsplit

PG_CTL = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
WRITES_BEFORE, WRITES_AFTER = 4.0, 6.0
"""Seconds of writing before the kill and after the recovery."""


class Site:
    """The API of the site, as one director."""

    def __init__(self, url: str, email: str, password: str) -> None:
        self.url = url
        self.headers = {"Content-Type": "application/json", "X-Forwarded-Proto": "https"}
        token = self.send("POST", "tokens/", {"email": email, "password": password})["token"]
        self.headers["Authorization"] = f"Token {token}"

    def send(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request and return its answer. Raises OSError for any error."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(  # noqa: S310 (our own URL)
            f"{self.url}/api/v1/{path}", data, self.headers, method=method
        )
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310
            return json.load(answer)


def write(site: Site, club: str, run: str, acknowledged: list[tuple[str, float]], stop: Event) -> None:
    """Create events until stopped, and note each one that was acknowledged, with the time."""
    number = 0
    while not stop.is_set():
        number += 1
        name = f"{run} {number}"
        try:
            site.send("POST", "tournaments/", {"club": club, "name": name, "starts_at": "2030-01-01T19:00:00Z"})
        except OSError:
            time.sleep(0.02)
            continue
        acknowledged.append((name, time.monotonic()))


def kill_server(cluster: Path) -> None:
    """Kill the postmaster and all its children, as a crash of the machine would."""
    postmaster = int((cluster / "postmaster.pid").read_text().split()[0])
    children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
    pids = [postmaster, *map(int, children)]
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    # The new server refuses to start while one of them is attached to the old one's memory.
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        time.sleep(0.01)


def start_server(cluster: Path, options: str) -> None:
    """Start the server again, as its owner."""
    command = [str(PG_CTL[-1]), "-D", str(cluster), "-o", options, "-l", str(cluster / "log"), "-w", "start"]
    owner = cluster.owner()
    subprocess.run(  # noqa: S603 (our own command)
        ["runuser", "-u", owner, "--", *command] if os.geteuid() == 0 else command,
        check=True,
        stdout=subprocess.DEVNULL,
    )


def names_of(site: Site, run: str) -> set[str]:
    """Return the names of the events of this run that the site has."""
    names, query = set(), "status=draft&page_size=100"
    while True:
        answer = site.send("GET", f"tournaments/?{query}")
        names |= {row["name"] for row in answer["results"] if row["name"].startswith(run)}
        if not answer["next"]:
            return names
        query = urlsplit(answer["next"]).query


def main(argv: Sequence[str] | None = None) -> int:
    """Print the figures; return 1 if anything acknowledged was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cluster", type=Path, required=True)
    parser.add_argument("--options", default="", help="options of the server, such as `-p 5433`")
    for name in ("url", "email", "password"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--club", default="harbour")
    options = parser.parse_args(argv)
    site, run = Site(options.url, options.email, options.password), f"Recovery {time.time_ns()}"
    acknowledged: list[tuple[str, float]] = []
    stop = Event()
    writer = Thread(target=write, args=(site, options.club, run, acknowledged, stop))
    writer.start()
    time.sleep(WRITES_BEFORE)
    killed = time.monotonic()
    kill_server(options.cluster)
    start_server(options.cluster, options.options)
    started = time.monotonic()
    time.sleep(WRITES_AFTER)
    stop.set()
    writer.join()
    back = min((at for _name, at in acknowledged if at > started), default=None)
    lost = {name for name, _at in acknowledged} - names_of(site, run)
    print(f"{len(acknowledged)} writes acknowledged, {len(lost)} lost")
    print(f"server up again after {started - killed:.1f} s")
    print(f"first write after {back - killed:.1f} s" if back else "no write after the recovery")
    return 1 if lost or back is None else 0


if __name__ == "__main__":
    raise SystemExit(main())
