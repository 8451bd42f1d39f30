"""What the settings make of an environment, each seen from a process of its own."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from config.database import from_url
from config.valkey import LONGEST_SOCKET_PATH, prepare

ROOT = Path(__file__).resolve().parents[2]
SHOWN = (
    "DEBUG",
    "SECRET_KEY",
    "ALLOWED_HOSTS",
    "SESSION_COOKIE_SECURE",
    "CSRF_COOKIE_SECURE",
    "SECURE_SSL_REDIRECT",
    "SECURE_HSTS_SECONDS",
    "EMAIL_BACKEND",
)


def settings_with(tmp_path: Path, **environ: str) -> dict[str, object]:
    program = f"import json; from config import settings as s; print(json.dumps({{n: getattr(s, n) for n in {SHOWN}}}))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "BARPOINT_VAR": str(tmp_path), **environ},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def test_without_a_secret_nothing_starts(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="Set SECRET_KEY"):
        settings_with(tmp_path)


def test_a_server_is_closed_until_it_is_opened(tmp_path: Path) -> None:
    found = settings_with(tmp_path, SECRET_KEY="given")
    assert found["DEBUG"] is False
    assert found["ALLOWED_HOSTS"] == []
    assert found["SESSION_COOKIE_SECURE"] is found["CSRF_COOKIE_SECURE"] is found["SECURE_SSL_REDIRECT"] is True
    assert found["SECURE_HSTS_SECONDS"] == 365 * 24 * 3600
    assert "smtp" in str(found["EMAIL_BACKEND"]), "links to choose a password would be in the log"


def test_one_machine_makes_its_own_secret_once_and_for_itself_only(tmp_path: Path) -> None:
    first = settings_with(tmp_path, BARPOINT_PROFILE="local")
    second = settings_with(tmp_path, BARPOINT_PROFILE="local")
    assert len(str(first["SECRET_KEY"])) >= 50
    assert first["SECRET_KEY"] == second["SECRET_KEY"]
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600
    assert first["DEBUG"] is False
    assert first["SESSION_COOKIE_SECURE"] is False


def test_a_database_url_names_everything() -> None:
    found = from_url("postgresql://bar:p%40int@db.example:5433/club?sslmode=require")
    assert found["ENGINE"] == "django.db.backends.postgresql"
    assert (found["USER"], found["PASSWORD"], found["HOST"], found["PORT"], found["NAME"]) == (
        *("bar", "p@int", "db.example", "5433", "club"),
    )
    assert found["OPTIONS"] == {"sslmode": "require"}


def test_a_postgres_socket_is_a_percent_encoded_host() -> None:
    assert from_url("postgresql://bar@%2Frun%2Fpostgresql/club")["HOST"] == "/run/postgresql"


def test_an_sqlite_url_is_relative_or_absolute() -> None:
    assert from_url("sqlite:///club.sqlite3")["NAME"] == "club.sqlite3"
    assert from_url("sqlite:////srv/club.sqlite3")["NAME"] == "/srv/club.sqlite3"
    assert from_url("sqlite:///club.sqlite3")["OPTIONS"]["transaction_mode"] == "IMMEDIATE"


def test_an_unknown_database_is_refused() -> None:
    with pytest.raises(ValueError, match="DATABASE_URL"):
        from_url("mysql://club")


def test_valkey_takes_a_port_behind_a_password_where_a_socket_path_would_be_too_long(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory() as short:
        assert prepare(Path(short)).url.startswith("unix://")
    deep = tmp_path / ("d" * LONGEST_SOCKET_PATH)
    assert prepare(deep).url.startswith("redis://:")
    assert "requirepass" in (deep / "valkey.conf").read_text()
    assert (deep / "valkey.conf").stat().st_mode & 0o777 == 0o600
