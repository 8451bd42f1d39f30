"""Everything on one machine with one command: `python -m config.supervisor` (or `make run`).

Starts an embedded Valkey (unless REDIS_URL names another), imports the site, migrates, then keeps the web server, the
clock, the workers and beat running as forks of this process until Ctrl-C or SIGTERM (`config.forking`). If a source
file has changed when one of them dies, everything is started again with the new sources.

Environment: PORT (8000), HOST (127.0.0.1), WORKER_THREADS (2), BARPOINT_VAR (var/), BARPOINT_DEMO (1 creates the demo
club), BARPOINT_SPAWN (1 starts new processes instead of forks), RESTART_WITHIN (30: the longest pause, in seconds,
before a process that keeps dying is restarted) and the variables of config.settings. Pids are in `var/run/*.pid`.
"""

import fcntl
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from types import FrameType
from typing import IO

from django.core.exceptions import ImproperlyConfigured

from config import lan, new_database, valkey
from config.forking import ImportedSite, fork
from config.processes import MAX_DELAY, Child, Process, spawn, stop
from core.queue import ANALYSIS, BACKGROUND, GUESTS, OUTGOING, RECORDS, URGENT

BASE_DIR = Path(__file__).resolve().parent.parent
# In the order in which they are stopped: first those that accept work, the broker last.
PATIENCE = {
    "web": 5.0,
    "clock": 5.0,
    "beat": 5.0,
    "worker": 10.0,
    "records": 10.0,
    "outgoing": 2.0,
    "analysis": 2.0,
    "valkey": 5.0,
}
OUTGOING_THREADS = 8
"""Most of their time they wait for outside servers."""
ALL_INTERFACES = ("0.0.0.0", "::")  # noqa: S104
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
HEALTH_PATIENCE = 60.0
CHECK_INTERVAL = 0.1
KEEP_ALIVE = 30
"""Seconds for which a web process keeps an idle connection: longer than most turns of a live match."""


class Stopped(Exception):
    """The operator stopped Barpoint."""


class CannotStart(Exception):
    """Barpoint cannot start; the message tells the operator why."""


class SiteChanged(Exception):
    """A process died that cannot be forked again, since source files have changed since they were imported."""


def say(text: str) -> None:
    """Print a line for the operator."""
    print(text)


def web_arguments(host: str, port: int) -> list[str]:
    """The arguments of `python -m uvicorn` for a web process."""
    return [
        *["config.asgi:application", f"--host={host}", f"--port={port}"],
        *["--http=config.http_protocol:LimitedHeadProtocol", "--lifespan=off", "--no-access-log"],
        *["--no-server-header", "--log-level=warning"],
        *["--timeout-graceful-shutdown=3", f"--timeout-keep-alive={KEEP_ALIVE}"],
    ]


class Supervisor:
    def __init__(self, environ: Mapping[str, str]) -> None:
        self.host = environ.get("HOST", "127.0.0.1")
        self.port = int(environ.get("PORT", "8000"))
        self.var = Path(environ.get("BARPOINT_VAR", BASE_DIR / "var")).resolve()
        self.run_dir = self.var / "run"
        self.threads = environ.get("WORKER_THREADS", "2")
        self.restart_within = float(environ.get("RESTART_WITHIN", MAX_DELAY))
        self.env = {
            **environ,
            "BARPOINT_VAR": str(self.var),
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "PYTHONUNBUFFERED": "1",
            # `migrate` checks the site; each fork that did it again would copy ten MiB of what all share.
            "CELERY_SKIP_CHECKS": "1",
        }
        if not environ.get("SECRET_KEY"):
            self.env["BARPOINT_PROFILE"] = "local"
            self.open_to_network()
        self.site = None if environ.get("BARPOINT_SPAWN", "0") not in ("", "0") else ImportedSite()
        self.children: dict[str, Child] = {}
        self.lock_file: IO[str] | None = None

    def run(self) -> None:
        """Start everything and stay until Stopped is raised; then stop whatever was started."""
        try:
            self.lock()
            self.check_port()
            say("Loading the site")
            self.start_valkey()
            self.import_site()
            self.prepare()
            # E-mails are written there, and links in them work like keys.
            (self.var / "mail").mkdir(mode=0o700, exist_ok=True)
            self.load_demo()
            say("Starting the web server and the workers")
            self.import_pages()
            self.start_services()
            self.wait_until_healthy()
            self.run_command("welcome", "--skip-checks")
            while True:
                self.restart_dead_children()
                time.sleep(CHECK_INTERVAL)
        finally:
            self.end()

    @property
    def address(self) -> str:
        """The host and port for a browser on this machine."""
        return f"{'127.0.0.1' if self.host in ALL_INTERFACES else self.host}:{self.port}"

    def open_to_network(self) -> None:
        """If the web server listens to other devices, accept the names they use for it, and put one into links."""
        if self.host in LOOPBACK:
            return
        addresses = lan.addresses() if self.host in ALL_INTERFACES else [self.host]
        self.env.setdefault("ALLOWED_HOSTS", ",".join([*LOOPBACK, *addresses, lan.local_name()]))
        if addresses:
            self.env.setdefault("SITE_URL", f"http://{addresses[0]}:{self.port}")

    def lock(self) -> None:
        """Allow one supervisor for each `var/`: two would share a database file and overwrite each other's pids."""
        self.run_dir.mkdir(parents=True, exist_ok=True)
        self.lock_file = (self.run_dir / "supervisor.pid").open("a+")
        try:
            # Unlike that of `flock`, this lock is not shared with forks.
            fcntl.lockf(self.lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.lock_file.seek(0)
            pid = self.lock_file.read().strip() or "unknown"
            self.lock_file.close()
            self.lock_file = None
            raise CannotStart(f"Barpoint already runs from {self.var} (process {pid}).") from None
        self.lock_file.truncate(0)
        self.lock_file.write(f"{os.getpid()}\n")
        self.lock_file.flush()

    def check_port(self) -> None:
        """Refuse a port that is in use, before anything is started."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((self.host, self.port))
            except OSError as error:
                raise CannotStart(
                    f"Port {self.port} on {self.host} cannot be used ({error.strerror}). "
                    f"Choose another, for example: PORT={self.port + 1} make run"
                ) from error

    def start_valkey(self) -> None:
        """Start the embedded broker, unless the environment names another."""
        if self.env.get("REDIS_URL"):
            return
        server = valkey.prepare(self.run_dir)
        self.env["REDIS_URL"] = server.url
        server.wait_until_up(self.keep_running("valkey", partial(spawn, server.argv, self.env)).start())

    def import_site(self) -> None:
        """Import the settings and the models, for forks."""
        if self.site is not None:
            os.environ.update(self.env)
            self.site.load()

    def import_pages(self) -> None:
        """Import everything else, which needs the collected static files."""
        if self.site is not None:
            self.site.load_pages()

    def program(self, module: str, *arguments: str) -> Callable[[], Process]:
        """Return what starts `python -m module arguments`, as a fork or as a new process."""
        if self.site is None:
            return partial(spawn, [sys.executable, "-m", module, *arguments], self.env)
        return partial(fork, module, arguments)

    def prepare(self) -> None:
        """Migrate the database and, if they have changed, collect static files, both at once."""
        self.create_tables()
        commands = ["migrate"]
        stamp, sources = self.var / "static" / ".sources", "" if self.site is None else self.site.static_sources()
        is_collected = sources != "" and stamp.exists() and stamp.read_text() == sources
        if self.env.get("DEBUG", "0") in ("", "0") and not is_collected:
            commands.append("collectstatic")
        say("Updating the tables of the database" + (" and the static files" if len(commands) > 1 else ""))
        running = {name: self.program("manage", name, "--noinput", "--verbosity=0")() for name in commands}
        try:
            failed = {name: code for name, process in running.items() if (code := process.wait())}
        except Stopped:
            for process in running.values():
                stop(process, PATIENCE["web"])
            raise
        for name, code in failed.items():
            raise CannotStart(f"`manage.py {name}` failed with exit code {code}; see above.")
        if "collectstatic" in commands:
            stamp.write_text(sources)

    def create_tables(self) -> None:
        """Create a new SQLite database from a script; `migrate` alone would take twenty seconds."""
        database = self.var / "barpoint.sqlite3"
        # On a server, `migrate` refuses to use a database that nobody has named.
        is_elsewhere = self.env.get("DATABASE_URL") or self.env.get("BARPOINT_PROFILE") == "server"
        if not is_elsewhere and not database.exists():
            say("Creating the database")
            new_database.create(database)

    def load_demo(self) -> None:
        """Create the demo club if it is wanted, missing, and was not declined."""
        if self.env.get("BARPOINT_DEMO", "0") not in ("", "0"):
            self.run_command("demo", "--unless-declined", "--verbosity=0")

    def run_command(self, *arguments: str) -> None:
        """Run a management command to its end. Raises CannotStart if it fails."""
        process = self.program("manage", *arguments)()
        try:
            code = process.wait()
        except Stopped:
            stop(process, PATIENCE["web"])
            raise
        if code:
            raise CannotStart(f"`manage.py {arguments[0]}` failed with exit code {code}; see above.")

    def start_services(self) -> None:
        """Start web, clock, workers and beat. Beat is its own process, since a killed `worker -B` leaves an orphan."""
        celery = ["celery", "--app=config", "--quiet"]
        quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
        programs = {
            "web": ["uvicorn", *web_arguments(self.host, self.port)],
            "clock": ["manage", "run_clock", "--skip-checks"],
            "worker": [*celery, *self.worker(URGENT), *quiet],
            "records": [*celery, *self.worker(RECORDS, BACKGROUND, GUESTS), *quiet],
            "outgoing": [*celery, *self.worker(OUTGOING, threads=OUTGOING_THREADS), *quiet],
            "beat": [*celery, "beat", "--pidfile="],
        }
        if self.env.get("ANALYSIS_BACKEND") != "off":
            # Its programs run at the lowest priority, one at a time, and are killed with it.
            analysis = ["worker", f"--queues={ANALYSIS}", f"--hostname={ANALYSIS}@%h", "--pool=solo"]
            programs["analysis"] = [*celery, *analysis, *quiet]
        for name, (module, *arguments) in programs.items():
            self.keep_running(name, self.program(module, *arguments)).start()

    def worker(self, *queues: str, threads: int | None = None) -> list[str]:
        """The arguments of a worker for these queues, which is named after the first."""
        names = [f"--queues={','.join(queues)}", f"--hostname={queues[0]}@%h"]
        return ["worker", *names, "--pool=threads", f"--concurrency={threads or self.threads}"]

    def keep_running(self, name: str, start: Callable[[], Process]) -> Child:
        """Register a child that is restarted when it dies; it is not started yet."""
        child = self.children[name] = Child(name, start, self.run_dir, self.restart_within)
        return child

    def wait_until_healthy(self) -> None:
        """Block until the web server passes its health check."""
        deadline = time.monotonic() + HEALTH_PATIENCE
        while time.monotonic() < deadline:
            self.restart_dead_children()
            try:
                with urllib.request.urlopen(f"http://{self.address}/healthz", timeout=2):
                    return
            except urllib.error.HTTPError as error:
                # The server answers, though its Host or TLS settings refuse this request.
                error.close()
                return
            except OSError:
                time.sleep(CHECK_INTERVAL)
        raise CannotStart(f"The web server did not answer within {HEALTH_PATIENCE:.0f} seconds; see above.")

    def restart_dead_children(self) -> None:
        """Restart processes that died. Raises SiteChanged if that would run sources which have changed by now."""
        for child in self.children.values():
            if notice := child.restart_if_dead():
                say(notice)
                if self.site is not None and self.site.has_changed():
                    raise SiteChanged

    def end(self) -> None:
        """Stop everything, the broker last."""
        for name, patience in PATIENCE.items():
            if child := self.children.get(name):
                child.end(patience)
        if self.lock_file is not None:
            self.lock_file.truncate(0)
            self.lock_file.close()


def main() -> int:
    """Run until stopped; return the exit code."""

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        # A second signal must not interrupt the shutdown.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        raise Stopped

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, on_signal)
    os.chdir(BASE_DIR)
    # Lines appear as they are printed, also where the output of the forks goes to a file.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(line_buffering=True)
    environ = dict(os.environ)
    try:
        Supervisor(environ).run()
    except SiteChanged:
        say("The source files have changed; starting everything again.")
        # Forks of this process would go on with the modules that it has imported; a new program imports them anew.
        os.execve(sys.executable, [sys.executable, "-m", "config.supervisor"], environ)  # noqa: S606
    except Stopped:
        say("Stopped.")
        return 0
    except (CannotStart, ImproperlyConfigured, RuntimeError, subprocess.SubprocessError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
