"""Database settings from a DATABASE_URL, and which database is used without one."""

import os
import sqlite3
import sys
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.db import DEFAULT_DB_ALIAS, DatabaseError, InterfaceError, OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

SQLITE_PATIENCE = "SQLITE_PATIENCE"
"""The environment variable with the seconds that a writer waits for its turn."""
WEB_PATIENCE = 4.0
"""Without it: seconds for which a request waits, before it is answered 503."""
# With IMMEDIATE a writer waits for its turn instead of failing half-way; with WAL readers are not blocked meanwhile.
SQLITE_OPTIONS: dict[str, Any] = {
    "transaction_mode": "IMMEDIATE",
    "timeout": float(os.environ.get(SQLITE_PATIENCE, "20")),
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
}
POSTGRES_SCHEMES = ("postgres", "postgresql")
PREPARE_AFTER = 5
"""PostgreSQL plans a statement once for a connection after so many uses. Planning takes longer than most statements."""


def from_url(url: str) -> dict[str, Any]:
    """Return Django's settings for a database URL.

    `sqlite:///relative`, `sqlite:////absolute` or `postgresql://user:password@host:port/name?option=value`. The folder
    of a PostgreSQL socket is a percent-encoded host (`postgresql://user@%2Frun%2Fpostgresql/name`). With the option
    `prepare_threshold=none` statements are not prepared, for a pool that hands a session to many clients.
    Raises ValueError for any other scheme.
    """
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        return {
            "ENGINE": "config.backends.sqlite3",
            "NAME": unquote(parts.path.removeprefix("/")),
            "OPTIONS": dict(SQLITE_OPTIONS),
            # A new connection reads the schema of every table, which takes longer than most requests.
            "CONN_MAX_AGE": 600,
        }
    if parts.scheme not in POSTGRES_SCHEMES:
        raise ValueError(f"DATABASE_URL must begin with sqlite:// or postgresql://, not {parts.scheme}://")
    return {
        "ENGINE": "config.backends.postgresql",
        "NAME": unquote(parts.path.removeprefix("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "OPTIONS": _postgres_options(parts.query),
        # Each of the eight WSGI threads keeps one connection; /live/ closes its own before it streams.
        "CONN_MAX_AGE": 600,
        "CONN_HEALTH_CHECKS": True,
    }


def _postgres_options(query: str) -> dict[str, Any]:
    options: dict[str, Any] = dict(parse_qsl(query))
    threshold = options.get("prepare_threshold", PREPARE_AFTER)
    # Only statements with their values apart can be prepared.
    return options | {"server_side_binding": True, "prepare_threshold": None if threshold == "none" else int(threshold)}


def wait_as_web_process() -> None:
    """Let new connections of this process to SQLite wait as briefly as a request may."""
    options = connections.settings[DEFAULT_DB_ALIAS]["OPTIONS"]
    if "timeout" in options and SQLITE_PATIENCE not in os.environ:
        options["timeout"] = WEB_PATIENCE


LOCKED, DOWN, FULL, READ_ONLY = "locked", "down", "disk full", "read only"
_BY_SQLSTATE = {"53100": FULL, "25006": READ_ONLY, "53": LOCKED, "55P03": LOCKED, "57P": DOWN, "08": DOWN}
"""By how an SQLSTATE of PostgreSQL begins."""
_BY_SQLITE_CODE = {
    sqlite3.SQLITE_BUSY: LOCKED,
    sqlite3.SQLITE_LOCKED: LOCKED,
    sqlite3.SQLITE_FULL: FULL,
    # What SQLite reports on a full disk when its log, not the database, cannot grow.
    sqlite3.SQLITE_IOERR: FULL,
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: DOWN,
}


def outage_of(error: BaseException | None) -> str:
    """Return why the database cannot take requests at present, for no fault of ours; empty for any other error."""
    cause = error.__cause__ if isinstance(error, DatabaseError | InterfaceError) else None
    if cause is None:
        return ""
    if (code := getattr(cause, "sqlite_errorcode", None)) is not None:
        # The code of an extended error has the general one in its lowest byte.
        return _BY_SQLITE_CODE.get(code & 0xFF, "")
    state = getattr(cause, "sqlstate", None)
    if not state:
        # A connection that could not be made, or was lost: the server had no time to say why.
        return DOWN if isinstance(error, OperationalError | InterfaceError) else ""
    return next((outage for prefix, outage in _BY_SQLSTATE.items() if state.startswith(prefix)), "")


def is_busy(error: BaseException) -> bool:
    """Return whether the database was locked, or short of connections, and may take a request in a few seconds."""
    return outage_of(error) == LOCKED


def label_of(connection: BaseDatabaseWrapper) -> str:
    """Return the name of a connection's database for an operator, without its password."""
    options = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"SQLite, {options['NAME']}"
    return f"PostgreSQL, {options['NAME']} at {options['HOST'] or 'the local socket'}:{options['PORT'] or 5432}"


def announce_on_connection() -> None:
    """Print to stderr which database is used, once the first connection to one is opened."""

    def announce(sender: object, connection: BaseDatabaseWrapper, **_: Any) -> None:
        connection_created.disconnect(dispatch_uid="announce")
        print(f"Database: {label_of(connection)} (DATABASE_URL is not set)", file=sys.stderr)

    connection_created.connect(announce, weak=False, dispatch_uid="announce")
