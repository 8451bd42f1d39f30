"""An installation for a benchmark: the real processes of `make run`, with a broker and a database of their own."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg

from config.processes import spawn, stop
from config.supervisor import web_arguments
from config.valkey import free_port

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 240.0
KEPT = ("PATH", "HOME", "LANG")
HOST = "127.0.0.1"
TICKS = os.sysconf("SC_CLK_TCK")


class LiveInstallation:
    """A running installation, and further web processes beside its own."""

    def __init__(self, var: Path, database_url: str | None, variables: Mapping[str, str]) -> None:
        self.var = var
        self.database_url = database_url
        self.ports = [free_port()]
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        self.env = kept | {"BARPOINT_VAR": str(var), "BARPOINT_PROFILE": "local", "LOG_LEVEL": "WARNING"}
        self.env |= variables
        if database_url:
            self.env["DATABASE_URL"] = database_url
        self.output = (var / "output").open("w")
        self.supervisor = self._start([sys.executable, "-m", "config.supervisor"], PORT=str(self.ports[0]))
        self._wait_for("Barpoint is ready")
        self.env["REDIS_URL"] = f"unix://{var / 'run' / 'valkey.sock'}"
        self.more: list[subprocess.Popen[bytes]] = []

    def _start(self, argv: list[str], **env: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(  # noqa: S603, our own command
            argv, cwd=ROOT, env=self.env | env, stdout=self.output, stderr=subprocess.STDOUT
        )

    def _wait_for(self, words: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while words not in (self.var / "output").read_text():
            if self.supervisor.poll() is not None or time.monotonic() > deadline:
                self.supervisor.terminate()
                self.supervisor.wait(PATIENCE)
                raise SystemExit((self.var / "output").read_text())
            time.sleep(0.1)

    def prepare(self, count: int) -> list[dict[str, Any]]:
        """Create `count` matches."""
        command = [sys.executable, "-m", "benchmarks.live.prepare", str(count)]
        done = subprocess.run(command, cwd=ROOT, env=self.env, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode:
            raise SystemExit(done.stderr)
        prepared: list[dict[str, Any]] = json.loads(done.stdout)
        return prepared

    def add_web(self) -> None:
        """Start another web process on a port of its own."""
        port = free_port()
        self.more.append(spawn([sys.executable, "-m", "uvicorn", *web_arguments(HOST, port)], self.env))
        deadline = time.monotonic() + PATIENCE
        while not _listens(port):
            if time.monotonic() > deadline:
                raise SystemExit("The second web process does not answer.")
            time.sleep(0.1)
        self.ports.append(port)

    def cpu_seconds(self) -> dict[str, float]:
        """Return the processor time that each process has used so far."""
        pids = {path.stem: int(path.read_text()) for path in (self.var / "run").glob("*.pid") if path.stem in COUNTED}
        pids |= {f"web {number}": process.pid for number, process in enumerate(self.more, 2)}
        return {name: _cpu_seconds(pid) for name, pid in pids.items()} | {"client": _cpu_seconds(os.getpid())}

    def connections(self) -> int | None:
        """Return how many connections the database has; None for SQLite."""
        if not self.database_url:
            return None
        with psycopg.connect(self.database_url) as connection:
            row = connection.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            ).fetchone()
        return int(row[0]) if row else 0

    def end(self) -> None:
        for process in self.more:
            stop(process, 5)
        self.supervisor.terminate()
        self.supervisor.wait(PATIENCE)
        self.output.close()


COUNTED = ("web", "clock", "worker", "valkey")


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


@contextmanager
def installation(database_url: str | None, variables: Mapping[str, str] | None = None) -> Iterator[LiveInstallation]:
    """An installation in a folder of its own; with a URL in a new database of that PostgreSQL server.

    `variables` are added to its environment.
    """
    # A short path, since the broker's socket is in it.
    with tempfile.TemporaryDirectory(prefix="bp-bench-") as folder, _new_database(database_url) as url:
        running = LiveInstallation(Path(folder), url, variables or {})
        try:
            yield running
        finally:
            running.end()


@contextmanager
def _new_database(url: str | None) -> Iterator[str | None]:
    """A database beside the one that the URL names, dropped at the end."""
    if not url:
        yield None
        return
    name = f"barpoint_bench_{os.getpid()}_{time.monotonic_ns()}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        try:
            yield urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
