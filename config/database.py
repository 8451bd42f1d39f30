"""Database settings from a DATABASE_URL."""

from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

# With IMMEDIATE a writer waits for its turn instead of failing half-way; with WAL readers are not blocked meanwhile.
SQLITE_OPTIONS: dict[str, Any] = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
}
POSTGRES_SCHEMES = ("postgres", "postgresql")


def from_url(url: str) -> dict[str, Any]:
    """Return Django's settings for a database URL.

    `sqlite:///relative`, `sqlite:////absolute` or `postgresql://user:password@host:port/name?option=value`. The folder
    of a
    PostgreSQL socket is a percent-encoded host (`postgresql://user@%2Frun%2Fpostgresql/name`).
    Raises ValueError for any other scheme.
    """
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": unquote(parts.path.removeprefix("/")),
            "OPTIONS": dict(SQLITE_OPTIONS),
        }
    if parts.scheme not in POSTGRES_SCHEMES:
        raise ValueError(f"DATABASE_URL must begin with sqlite:// or postgresql://, not {parts.scheme}://")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.removeprefix("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "OPTIONS": dict(parse_qsl(parts.query)),
        # Each of the eight WSGI threads keeps one connection; /live/ closes its own before it streams.
        "CONN_MAX_AGE": 600,
        "CONN_HEALTH_CHECKS": True,
    }
