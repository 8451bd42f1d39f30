"""The cast, and the real servers tests run against.

Alice directs, Bob and Carol play, Dave is nobody. Nothing of our own is ever mocked: the broker is a real Valkey, the
worker a real Celery worker, and both live on this process's own socket, so xdist workers do not meet.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from redis import Redis

from config import valkey as embedded
from config.celery import app as celery_app
from config.processes import spawn, stop
from players.models import User
from tests.settings import RUN_DIR

BROWSER_TESTS = Path(__file__).resolve().parent / "browser"
SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Browser tests run when they are asked for (`make e2e`), not with everything else."""
    if collection_path == BROWSER_TESTS and not any("browser" in argument for argument in config.args):
        return True
    return None


def pytest_report_header() -> str:
    """What this run is worth: the database and the broker behind it."""
    return f"barpoint: {connection.vendor}, {os.environ.get('TEST_REDIS_SERVER', 'embedded Valkey')}"


class ValkeyServer:
    """A broker that a test may stop and start again."""

    def __init__(self, folder: Path) -> None:
        # CI runs the same tests on Redis, by naming its server here.
        self.server = embedded.prepare(folder, os.environ.get("TEST_REDIS_SERVER"))
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it answers, running or not."""
        return self.server.url

    def start(self) -> None:
        """Start it and wait until it answers."""
        self.process = spawn(self.server.argv)
        self.server.wait_until_up(self.process)

    def stop(self) -> None:
        """Stop it; connections to it are cut."""
        if self.process is not None:
            stop(self.process, 5)
            self.process = None


@pytest.fixture(scope="session", autouse=True)
def run_dir() -> Iterator[Path]:
    """This process's own folder, for the database file and the broker's socket."""
    RUN_DIR.mkdir(parents=True, exist_ok=True)
    yield RUN_DIR
    shutil.rmtree(RUN_DIR, ignore_errors=True)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(run_dir: Path, django_db_modify_db_settings: None) -> None:
    """The folder of the database file must be there before the database."""


@pytest.fixture(scope="session", autouse=True)
def valkey_server(run_dir: Path, django_test_environment: None) -> Iterator[ValkeyServer]:
    """The broker of this test process, at settings.REDIS_URL."""
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


@pytest.fixture
def broker_down(valkey_server: ValkeyServer) -> Iterator[None]:
    """No broker and no cache while the test runs."""
    valkey_server.stop()
    yield
    valkey_server.start()


@pytest.fixture
def celery_worker(transactional_db: None, valkey: Redis) -> Iterator[Any]:
    """A real worker on the real broker, in a thread of this process, so that it sees the test's database."""
    from celery.contrib.testing.worker import start_worker

    with start_worker(
        celery_app, pool="threads", concurrency=2, perform_ping_check=False, shutdown_timeout=20
    ) as worker:
        yield worker


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    """What one test put into the cache is not there for the next."""
    cache.clear()


@pytest.fixture(autouse=True)
def _no_downloads(monkeypatch: pytest.MonkeyPatch) -> None:
    """A download that one test left open, as only a real server closes them, takes no room from the next."""
    from core import csv_files

    monkeypatch.setattr(csv_files, "slots", csv_files.Slots())


@pytest.fixture
def password() -> str:
    """Everybody's password."""
    return "crawford-1969"


def _user(name: str, password: str, **fields: Any) -> User:
    return User.objects.create_user(f"{name.lower()}@example.org", password, display_name=name, **fields)


@pytest.fixture
def alice(db: None, password: str) -> User:
    """She directs."""
    return _user("Alice", password)


@pytest.fixture
def bob(db: None, password: str) -> User:
    """He plays."""
    return _user("Bob", password)


@pytest.fixture
def carol(db: None, password: str) -> User:
    """She plays, too."""
    return _user("Carol", password)


@pytest.fixture
def dave(db: None, password: str) -> User:
    """He has an account and nothing else."""
    return _user("Dave", password)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Reference data beside the project; skips where the project stands alone."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"no reference data in {SHARED_DATA.relative_to(SHARED_DATA.parents[1])} beside the project")
    return SHARED_DATA
