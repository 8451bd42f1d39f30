"""PostgreSQL, announcing commits."""

from django.db import InterfaceError, OperationalError
from django.db.backends.postgresql import base

from config.backends.writes import AnnouncedWrites


class DatabaseWrapper(AnnouncedWrites, base.DatabaseWrapper):
    """A connection to PostgreSQL."""

    unknown_after = (InterfaceError, OperationalError)
