"""One command starts everything, keeps it running, and leaves nothing behind."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from config import new_database
from config.valkey import free_port
from core.packages import PACKAGES, ROOT

DATABASE = "barpoint.sqlite3"
CHILDREN = ("valkey", "web", "clock", "worker", "records", "outgoing", "analysis", "beat")


def alive(pid: int) -> bool:
    """Return whether a process runs; zombies do not count."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def eventually(true: Callable[[], bool], patience: float = 60.0) -> bool:
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        if true():
            return True
        time.sleep(0.05)
    return true()


@cache
def migrated() -> bytes:
    """An empty migrated database, created once."""
    with tempfile.TemporaryDirectory() as var:
        new_database.create(Path(var) / DATABASE)
        env = environment(Path(var)) | {"BARPOINT_PROFILE": "local"}
        # What the script lacks.
        command = [sys.executable, "manage.py", "migrate", "--noinput", "--verbosity=0"]
        subprocess.run(command, cwd=ROOT, env=env, check=True)
        return (Path(var) / DATABASE).read_bytes()


def environment(var: Path) -> dict[str, str]:
    """Return the environment of an installation in a folder; DEBUG only avoids hashing the static files."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    # The worker of analyses runs, but finds no program that would compete with the others for the CPU.
    no_program = {"ANALYSIS_BACKEND": "gnubg", "ANALYSIS_GNUBG": "/nonexistent"}
    return kept | {"BARPOINT_VAR": str(var), "DEBUG": "1"} | no_program


def supervise(env: dict[str, str], output: Path, checkout: Path = ROOT) -> "subprocess.Popen[str]":
    """Start a supervisor that writes to a file, since a pipe that nobody reads would block it when it is full."""
    with output.open("w") as file:
        return subprocess.Popen(
            [sys.executable, "-m", "config.supervisor"],
            cwd=checkout,
            env=env,
            stdout=file,
            stderr=subprocess.STDOUT,
            text=True,
        )


class Installation:
    """A supervisor in a folder of its own; with `new` it creates its tables itself, with `spawn` it does not fork."""

    def __init__(self, var: Path, port: int, *, new: bool = False, spawn: bool = False, checkout: Path = ROOT) -> None:
        self.var = var
        self.var.mkdir(exist_ok=True)
        self.output = var / "output"
        self.port = port
        self.env = environment(var) | {"PORT": str(port), "BARPOINT_SPAWN": str(int(spawn))}
        self.checkout = checkout
        if not new:
            (var / DATABASE).write_bytes(migrated())
        self.process = self.start()

    def start(self) -> "subprocess.Popen[str]":
        return supervise(self.env, self.output, self.checkout)

    def wait_until_ready(self, patience: float = 60.0) -> None:
        """Return once the supervisor has said that the installation is ready."""
        eventually(lambda: self._says_ready() or self.process.poll() is not None, patience)
        assert self._says_ready(), self.output.read_text()

    def _says_ready(self) -> bool:
        return "Barpoint is ready" in self.output.read_text()

    def pid(self, name: str) -> int:
        return int((self.var / "run" / f"{name}.pid").read_text())

    def answers(self) -> bool:
        return self.get("/readyz") == b'{"database": "ok", "queue": "ok", "sweeps": "ok"}'

    def get(self, path: str) -> bytes:
        """Return the page; nothing if there is no answer or an error."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=2) as response:
                body: bytes = response.read()
                return body
        except OSError:
            return b""


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """One for all tests, since its processes take seconds to start; the last test kills its supervisor."""
    running = Installation(tmp_path_factory.mktemp("s"), free_port())
    running.wait_until_ready()
    yield running
    running.process.terminate()
    running.process.wait(60)


def test_ctrl_c_stops_everything(tmp_path: Path) -> None:
    installation = Installation(tmp_path, free_port(), new=True)
    installation.wait_until_ready()
    before, _ready, _after = installation.output.read_text().partition("Barpoint is ready")
    steps = ["Loading the site", "Creating the database", "Updating the tables", "Starting the web server"]
    assert [line for line, step in zip(before.splitlines(), steps, strict=False) if not line.startswith(step)] == []
    assert installation.answers()
    ctrl_c_stops_everything(installation)


def ctrl_c_stops_everything(installation: Installation) -> None:
    pids = [installation.pid(name) for name in CHILDREN]
    assert all(alive(pid) for pid in pids)
    installation.process.send_signal(signal.SIGINT)
    assert installation.process.wait(60) == 0
    output = installation.output.read_text()
    assert "[warning" not in output
    assert output.endswith("Stopped.\n")
    assert [pid for pid in pids if alive(pid)] == []
    assert list((installation.var / "run").glob("w*.pid")) == []


@pytest.mark.slow
def test_a_dead_child_is_restarted(installation: Installation) -> None:
    for name in CHILDREN:
        before = installation.pid(name)
        os.kill(before, signal.SIGKILL)
        restarted = eventually(lambda name=name, before=before: installation.pid(name) != before)
        assert restarted, f"{name}: {installation.output.read_text()}"
    assert eventually(installation.answers)


@pytest.mark.slow
def test_a_second_supervisor_in_the_same_folder_is_refused(installation: Installation, tmp_path: Path) -> None:
    output = tmp_path / "output"
    second = supervise(installation.env | {"PORT": str(free_port())}, output)
    assert second.wait(60) == 1
    assert f"already runs from {installation.var} (process {installation.process.pid})" in output.read_text()
    assert installation.answers()


@pytest.mark.slow
def test_a_port_in_use_is_named_and_nothing_is_started(installation: Installation, tmp_path: Path) -> None:
    other = Installation(tmp_path / "other", installation.port, new=True)
    assert other.process.wait(60) == 1
    output = other.output.read_text()
    assert f"Port {installation.port} on 127.0.0.1 cannot be used" in output
    assert f"PORT={installation.port + 1} make run" in output
    assert not (tmp_path / "other" / "run" / "valkey.pid").exists()


@pytest.mark.slow
def test_nothing_outlives_a_killed_supervisor(installation: Installation) -> None:
    pids = [installation.pid(name) for name in CHILDREN]
    installation.process.kill()
    installation.process.wait(60)
    assert eventually(lambda: not any(alive(pid) for pid in pids))


@pytest.mark.slow
def test_new_processes_instead_of_forks_are_restarted_and_stopped(tmp_path: Path) -> None:
    installation = Installation(tmp_path, free_port(), spawn=True)
    installation.wait_until_ready()
    before = installation.pid("web")
    os.kill(before, signal.SIGKILL)
    assert eventually(lambda: installation.pid("web") != before and installation.answers())
    # With a killed supervisor they end as the broker does, which is never a fork.
    ctrl_c_stops_everything(installation)


@pytest.mark.slow
def test_a_process_that_dies_after_an_upgrade_restarts_everything_with_the_new_sources(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    for name in (*PACKAGES, "templates", "verify"):
        shutil.copytree(ROOT / name, checkout / name)
    for name in ("manage.py", "pyproject.toml"):
        shutil.copy(ROOT / name, checkout)
    installation = Installation(tmp_path / "var", free_port(), checkout=checkout)
    try:
        installation.wait_until_ready()
        broker, web = installation.pid("valkey"), installation.pid("web")
        views = checkout / "config" / "monitoring" / "health.py"
        views.write_text(views.read_text().replace('"ok\\n"', '"new"'))
        os.kill(web, signal.SIGKILL)
        assert eventually(lambda: installation.get("/healthz") == b"new"), installation.output.read_text()
        assert installation.pid("valkey") != broker
    finally:
        installation.process.terminate()
        assert installation.process.wait(60) == 0
