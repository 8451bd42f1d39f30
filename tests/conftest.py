"""Shared fixtures: the cast, and the real servers that tests use.

Alice directs, Bob and Carol play, Dave has no role. Our own code is never mocked: the broker is a real Valkey, the
worker a real Celery worker, and both use a socket of this process, so that xdist workers do not interfere.
"""

import os
import random
import secrets
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core import mail
from django.core.cache import cache
from django.db import connection
from hypothesis import settings as hypothesis_settings
from redis import Redis

from config import valkey as embedded
from config.celery import app as celery_app
from config.processes import spawn, stop
from config.valkey import free_port
from config.web_process import collect_rarely
from matches.play import fast_path
from players.models import User
from tests import clock, costs, event_cast
from tests.access import world
from tests.clock import TEST_NOW
from tests.integrity import pytest_runtest_call, pytest_runtest_protocol
from tests.settings import RUN_DIR
from tests.tiers import TEST_SEED, TIER, TIER_NAME

__all__ = ["pytest_runtest_call", "pytest_runtest_protocol"]

BROWSER_TESTS = [Path(__file__).resolve().parent / folder for folder in ("browser", "journeys")]
SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what `make everything` prints."""
    parser.addoption("--costs", action="store_true", help="print what the tests cost in processor time")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Collect the browser tests and the journeys only when they are named (`make e2e`, `make journeys`)."""
    if collection_path in BROWSER_TESTS and not any(collection_path.name in argument for argument in config.args):
        return True
    return None


def pytest_collection_finish() -> None:
    """Keep all modules and tests out of the garbage collector, for which they are a million objects."""
    collect_rarely()


# No deadline, since how long an example takes depends on what else the machine does. No database, in which a run would
# find the failures of an earlier one.
hypothesis_settings.register_profile("test", deadline=None, derandomize=True, max_examples=TIER.examples)
hypothesis_settings.register_profile("soak", deadline=None, database=None, print_blob=True, max_examples=TIER.examples)
hypothesis_settings.load_profile("soak" if TIER_NAME == "soak" else "test")

REPEATED_BY = f"TEST_TIER={TIER_NAME} TEST_SEED={TEST_SEED} TEST_NOW={TEST_NOW.isoformat()}"
"""What another run needs in order to do the same."""

numbers = random.Random()
"""Where this process takes secrets and dice from."""


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Give Hypothesis the seed, which it uses only in a soak: in other runs, its choices follow from the tests."""
    config.option.hypothesis_seed = TEST_SEED
    config.pluginmanager.register(clock)
    if config.getoption("--costs"):
        config.pluginmanager.register(costs)
    config.pluginmanager.register(event_cast)
    config.pluginmanager.register(world)


def pytest_report_header() -> str:
    """Return the database, the broker, and what repeats this run."""
    broker = os.environ.get("TEST_REDIS_SERVER", "embedded Valkey")
    return f"barpoint: {connection.vendor}, {broker}, {REPEATED_BY}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say after a failure how to make the same random choices again, at the same time."""
    if terminalreporter.getreports("failed") or terminalreporter.getreports("error"):
        terminalreporter.write_line(f"Repeat with {REPEATED_BY}")


@pytest.fixture(scope="session", autouse=True)
def _repeatable_secrets() -> Iterator[None]:
    """Take secrets, and with them the dice, from a seeded generator, so that a failure can be repeated."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "token_bytes", _token_bytes)
        patch.setattr(secrets, "randbelow", numbers.randrange)
        patch.setattr(secrets, "choice", numbers.choice)
        yield


def _token_bytes(length: int | None = None) -> bytes:
    """Return random bytes; those of `token_hex` are not repeatable.

    It names connections and versions of the site: how many of them a test draws depends on what its process has run
    before, and the dice must not.
    """
    of_hex = sys._getframe(1).f_code is secrets.token_hex.__code__
    return os.urandom(length or 32) if of_hex else numbers.randbytes(length or 32)


@pytest.fixture(scope="module", autouse=True)
def _secrets_of_the_module(request: pytest.FixtureRequest) -> None:
    numbers.seed(f"{TEST_SEED} {request.node.nodeid}")


@pytest.fixture(autouse=True)
def _secrets_of_the_test(request: pytest.FixtureRequest) -> None:
    numbers.seed(f"{TEST_SEED} {request.node.nodeid}")


@pytest.fixture(autouse=True)
def _mails_are_automatic() -> Iterator[None]:
    """See that each e-mail of each test says that nobody typed it, so that no holiday reply comes back."""
    yield
    assert all(message.message()["Auto-Submitted"] == "auto-generated" for message in getattr(mail, "outbox", ()))


class ValkeyServer:
    """A broker that a test can stop and start again."""

    def __init__(self, folder: Path) -> None:
        # In CI, TEST_REDIS_SERVER names a Redis server to use instead.
        self.server = embedded.prepare(folder, os.environ.get("TEST_REDIS_SERVER"))
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The URL, whether it is running or not."""
        return self.server.url

    def start(self) -> None:
        """Start the broker and wait until it answers."""
        self.process = spawn(self.server.argv)
        self.server.wait_until_up(self.process)

    def stop(self) -> None:
        """Stop the broker and cut its connections."""
        if self.process is not None:
            stop(self.process, 5)
            self.process = None


@pytest.fixture(scope="session", autouse=True)
def run_dir() -> Iterator[Path]:
    """The folder of this process for the database file and the broker's socket."""
    RUN_DIR.mkdir(parents=True, exist_ok=True)
    yield RUN_DIR
    shutil.rmtree(RUN_DIR, ignore_errors=True)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(run_dir: Path, django_db_modify_db_settings: None) -> None:
    """Create the folder before the database file."""


@pytest.fixture(scope="session", autouse=True)
def valkey_server(run_dir: Path, django_test_environment: None) -> Iterator[ValkeyServer]:
    """The broker of this process, at settings.REDIS_URL."""
    from django.conf import settings

    server = ValkeyServer(run_dir)
    assert server.url == settings.REDIS_URL
    server.start()
    yield server
    server.stop()


@pytest.fixture
def valkey(valkey_server: ValkeyServer) -> Iterator[Redis]:
    """A client of an empty broker."""
    with Redis.from_url(valkey_server.url) as client:
        client.flushall()
        yield client
        client.flushall()


@pytest.fixture(scope="session")
def browsers(run_dir: Path) -> Iterator[Any]:
    """The browsers of this process, one for each family of fonts that its tests want."""
    from playwright.sync_api import expect, sync_playwright

    from tests.browser.chromium import PATH, SOON, Browsers

    if PATH is None:
        pytest.skip("no Chromium on this machine (on Debian: apt-get install chromium)")
    expect.set_options(timeout=SOON)
    with sync_playwright() as playwright:
        browsers = Browsers(playwright, run_dir)
        yield browsers
        browsers.close()


@pytest.fixture
def font_family(request: pytest.FixtureRequest) -> str:
    """The system's fonts in this test: those that it is repeated with, else those that follow from its name."""
    from tests.browser.fonts import FOLDERS, family_for

    family = getattr(request, "param", None)
    if family and FOLDERS and family not in FOLDERS:
        pytest.skip(f"{family} is not installed (CONTRIBUTING.md names its package)")
    return family or family_for(request.node.originalname)


@pytest.fixture
def chromium(browsers: Any, font_family: str) -> Any:
    """The browser of this test, for the browser tests and the journeys."""
    return browsers.of(font_family)


@pytest.fixture(scope="session")
def server(django_db_setup: None, valkey_server: object) -> Iterator[str]:
    """The URL of the site under uvicorn, without a slash at the end. (live_server cannot serve streams.)"""
    import uvicorn
    from django.test import override_settings

    # The files are listed once, and browsers keep them, as they do in production.
    with override_settings(WHITENOISE_AUTOREFRESH=False):
        from config.asgi import application

    config = uvicorn.Config(application, host="127.0.0.1", port=free_port(), lifespan="off", log_level="warning")
    uvicorn_server = uvicorn.Server(config)
    thread = threading.Thread(target=uvicorn_server.run, daemon=True)
    thread.start()
    while not uvicorn_server.started:
        assert thread.is_alive(), "uvicorn ended while starting"
        time.sleep(0.02)
    yield f"http://127.0.0.1:{config.port}"
    uvicorn_server.should_exit = True
    thread.join(10)


@pytest.fixture
def broker_down(valkey_server: ValkeyServer) -> Iterator[None]:
    """No broker and no cache during the test."""
    valkey_server.stop()
    yield
    valkey_server.start()


@pytest.fixture
def celery_worker(transactional_db: None, valkey: Redis) -> Iterator[Any]:
    """A real worker with the real broker, in a thread of this process, so that it sees the test's database."""
    from celery.contrib.testing.worker import start_worker

    with start_worker(
        celery_app, pool="threads", concurrency=2, perform_ping_check=False, shutdown_timeout=20
    ) as worker:
        yield worker


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    """Empty the caches before each test, in which matches have the keys of those that were rolled back."""
    cache.clear()
    fast_path._known.clear()


@pytest.fixture(autouse=True)
def _no_sweep_awaited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process begin to wait for a sweep: no beat sends one, and a test before may have looked for it."""
    from core import faults, queue

    monkeypatch.setattr(queue, "_seen", SimpleNamespace(sweeps=None, at=0.0))
    monkeypatch.setattr(faults, "_looked", {})


@pytest.fixture(autouse=True)
def _no_downloads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Free the slots of downloads that a test left open, since only a real server closes them."""
    from core import downloads

    monkeypatch.setattr(downloads, "slots", downloads.Slots())


@pytest.fixture
def password() -> str:
    """The password of every user."""
    return "crawford-1969"


def _user(name: str, password: str, **fields: Any) -> User:
    return User.objects.create_user(f"{name.lower()}@example.org", password, display_name=name, **fields)


@pytest.fixture
def alice(db: None, password: str) -> User:
    """The director."""
    return _user("Alice", password)


@pytest.fixture
def bob(db: None, password: str) -> User:
    """A player."""
    return _user("Bob", password)


@pytest.fixture
def carol(db: None, password: str) -> User:
    """Another player."""
    return _user("Carol", password)


@pytest.fixture
def dave(db: None, password: str) -> User:
    """A user without any role."""
    return _user("Dave", password)


@pytest.fixture
def behind_tls(settings: Any) -> None:
    """The settings of a server that differ from those of one machine, for clients that send `secure=True`."""
    settings.SECURE_HSTS_SECONDS = 365 * 24 * 3600
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = settings.LANGUAGE_COOKIE_SECURE = True


@pytest.fixture
def pseudo_locale(tmp_path: Path, settings: Any) -> str:
    """Add the pseudo-translation to the languages of the site; its code."""
    return _add_pseudo_locale("en-xa", tmp_path, settings)


@pytest.fixture
def right_to_left(tmp_path: Path, settings: Any) -> str:
    """Add English from right to left to the languages of the site; its code."""
    return _add_pseudo_locale("ar-xb", tmp_path, settings)


def _add_pseudo_locale(language: str, folder: Path, settings: Any) -> str:
    from tools import pseudo_locale

    pseudo_locale.write(folder, language)
    if folder not in settings.LOCALE_PATHS:
        settings.LOCALE_PATHS = [*settings.LOCALE_PATHS, folder]
    settings.LANGUAGES = [*settings.LANGUAGES, (language, "Pseudo")]
    return language


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The reference data beside the project; skips if there is none."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"no reference data in {SHARED_DATA.relative_to(SHARED_DATA.parents[1])} beside the project")
    return SHARED_DATA
