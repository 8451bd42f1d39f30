"""SQLite, announcing commits."""

from django.db.backends.sqlite3 import base

from config.backends.writes import AnnouncedWrites


class DatabaseWrapper(AnnouncedWrites, base.DatabaseWrapper):
    """A connection to SQLite."""
