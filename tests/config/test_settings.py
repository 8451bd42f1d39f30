"""The settings that an environment leads to, each read in a process of its own."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from config.database import PREPARE_AFTER, from_url
from config.valkey import MAX_SOCKET_PATH_LENGTH, prepare

ROOT = Path(__file__).resolve().parents[2]
STRONG = "Kp3vXq8LmZ2nRt6yWb9cJd4fHg7sQa5eUx1oTi0z"
READ = (
    "DEBUG",
    "DEBUG_TOOLBAR",
    "INSTALLED_APPS",
    "MIDDLEWARE",
    "SECRET_KEY",
    "ALLOWED_HOSTS",
    "SESSION_COOKIE_SECURE",
    "CSRF_COOKIE_SECURE",
    "LANGUAGE_COOKIE_SECURE",
    "SECURE_SSL_REDIRECT",
    "SECURE_HSTS_SECONDS",
    "EMAIL_BACKEND",
)


def settings_with(tmp_path: Path, **environ: str) -> dict[str, object]:
    program = f"import json; from config import settings as s; print(json.dumps({{n: getattr(s, n) for n in {READ}}}))"
    completed = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "BARPOINT_VAR": str(tmp_path), **environ},
        capture_output=True,
        text=True,
        check=False,
    )
    if completed.returncode:
        raise RuntimeError(completed.stderr)
    return json.loads(completed.stdout)


def test_a_server_does_not_start_without_a_secret_key(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="Set SECRET_KEY"):
        settings_with(tmp_path)


@pytest.mark.parametrize("weak", ["secret", "x" * 60, "change-me-" * 3])
def test_a_server_does_not_start_with_a_weak_secret_key(tmp_path: Path, weak: str) -> None:
    with pytest.raises(RuntimeError, match="SECRET_KEY is too weak"):
        settings_with(tmp_path, SECRET_KEY=weak)


def test_a_weak_secret_key_is_enough_while_debugging(tmp_path: Path) -> None:
    assert settings_with(tmp_path, SECRET_KEY="secret", DEBUG="1")["SECRET_KEY"] == "secret"


@pytest.mark.parametrize("share", ["0", "50", "nan"])
def test_an_analysis_has_between_a_tenth_of_a_core_and_all_of_it(tmp_path: Path, share: str) -> None:
    with pytest.raises(RuntimeError, match=r"ANALYSIS_CPU_SHARE is a share of one core, from 0\.1 to 1"):
        settings_with(tmp_path, SECRET_KEY=STRONG, ANALYSIS_CPU_SHARE=share)


def test_a_server_never_writes_emails_to_its_log(tmp_path: Path) -> None:
    console = "django.core.mail.backends.console.EmailBackend"
    with pytest.raises(RuntimeError, match="EMAIL_BACKEND"):
        settings_with(tmp_path, SECRET_KEY=STRONG, EMAIL_BACKEND=console)


def test_a_server_is_closed_until_its_settings_open_it(tmp_path: Path) -> None:
    settings = settings_with(tmp_path, SECRET_KEY=STRONG)
    assert settings["DEBUG"] is False
    assert settings["ALLOWED_HOSTS"] == []
    for cookie in ("SESSION", "CSRF", "LANGUAGE"):
        assert settings[f"{cookie}_COOKIE_SECURE"] is True
    assert settings["SECURE_SSL_REDIRECT"] is True
    assert settings["SECURE_HSTS_SECONDS"] == 365 * 24 * 3600
    assert "Smtp" in str(settings["EMAIL_BACKEND"]), "links for a new password would be in the log"


def test_a_local_site_makes_its_own_secret_key_once_and_keeps_it_private(tmp_path: Path) -> None:
    first = settings_with(tmp_path, BARPOINT_PROFILE="local")
    second = settings_with(tmp_path, BARPOINT_PROFILE="local")
    assert len(str(first["SECRET_KEY"])) >= 50
    assert first["SECRET_KEY"] == second["SECRET_KEY"]
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600
    assert first["DEBUG"] is False
    assert first["SESSION_COOKIE_SECURE"] is False


def test_a_local_site_writes_emails_to_files_unless_a_mail_server_is_named(tmp_path: Path) -> None:
    assert "filebased" in str(settings_with(tmp_path, BARPOINT_PROFILE="local")["EMAIL_BACKEND"])
    named = settings_with(tmp_path, BARPOINT_PROFILE="local", EMAIL_HOST="mail.example.org")
    assert "Smtp" in str(named["EMAIL_BACKEND"])


def test_the_debug_toolbar_is_off_unless_debugging(tmp_path: Path) -> None:
    settings = settings_with(tmp_path, BARPOINT_PROFILE="local")
    assert settings["DEBUG_TOOLBAR"] is False
    assert "debug_toolbar" not in settings["INSTALLED_APPS"]


def test_the_debug_toolbar_is_on_while_debugging_where_it_is_installed(tmp_path: Path) -> None:
    is_installed = importlib.util.find_spec("debug_toolbar") is not None
    settings = settings_with(tmp_path, BARPOINT_PROFILE="local", DEBUG="1")
    assert settings["DEBUG_TOOLBAR"] is is_installed
    assert ("debug_toolbar" in settings["INSTALLED_APPS"]) is is_installed
    # It writes into pages, so it stands inside what compresses them.
    order = ["config.middleware.Compressed", "debug_toolbar.middleware.DebugToolbarMiddleware"]
    assert [name for name in settings["MIDDLEWARE"] if name in order] == order[: 1 + is_installed]  # type: ignore[attr-defined]


def test_a_database_url_contains_every_setting() -> None:
    database = from_url("postgresql://bar:p%40int@db.example:5433/club?sslmode=require")
    assert database["ENGINE"] == "config.backends.postgresql"
    assert (database["USER"], database["PASSWORD"], database["HOST"], database["PORT"], database["NAME"]) == (
        *("bar", "p@int", "db.example", "5433", "club"),
    )
    assert database["OPTIONS"].items() >= {"sslmode": "require", "prepare_threshold": PREPARE_AFTER}.items()


def test_a_pool_of_sessions_may_need_statements_without_preparation() -> None:
    options = from_url("postgresql://bar@db.example/club?prepare_threshold=none")["OPTIONS"]
    assert options["prepare_threshold"] is None


def test_a_postgres_socket_is_a_percent_encoded_host() -> None:
    assert from_url("postgresql://bar@%2Frun%2Fpostgresql/club")["HOST"] == "/run/postgresql"


def test_an_sqlite_url_is_relative_or_absolute() -> None:
    assert from_url("sqlite:///club.sqlite3")["NAME"] == "club.sqlite3"
    assert from_url("sqlite:////srv/club.sqlite3")["NAME"] == "/srv/club.sqlite3"
    assert from_url("sqlite:///club.sqlite3")["OPTIONS"]["transaction_mode"] == "IMMEDIATE"


def test_an_unknown_database_scheme_is_refused() -> None:
    with pytest.raises(ValueError, match="DATABASE_URL"):
        from_url("mysql://club")


def test_valkey_listens_on_a_port_with_a_password_if_the_socket_path_would_be_too_long(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory() as short:
        assert prepare(Path(short)).url.startswith("unix://")
    deep = tmp_path / ("d" * MAX_SOCKET_PATH_LENGTH)
    assert prepare(deep).url.startswith("redis://:")
    assert "requirepass" in (deep / "valkey.conf").read_text()
    assert (deep / "valkey.conf").stat().st_mode & 0o777 == 0o600


def test_what_a_shell_sets_for_a_site_is_not_for_the_tests() -> None:
    of_a_site = {"PORT": "8001", "SITE_URL": "https://bg.example.org", "SITE_LANGUAGE": "de", "EMAIL_HOST": "mail"}
    program = "from tests import settings as s; print(s.SITE_URL, s.LANGUAGE_CODE, s.EMAIL_HOST)"
    completed = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=os.environ | of_a_site,
        capture_output=True,
        text=True,
        check=True,
    )
    assert completed.stdout.split() == ["http://127.0.0.1:8000", "en", "localhost"]
