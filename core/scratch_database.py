"""A database for simulations, which is thrown away afterwards."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def scratch_database() -> Iterator[None]:
    """Use a new, empty database beside the configured one, and destroy it at the end."""
    name = connection.settings_dict["NAME"]
    test = connection.settings_dict.setdefault("TEST", {})
    before, test["NAME"] = test.get("NAME"), f"{name}_scratch_{os.getpid()}"
    try:
        connection.creation.create_test_db(verbosity=0, autoclobber=True)
        try:
            yield
        finally:
            connection.creation.destroy_test_db(str(name), verbosity=0)
    finally:
        test["NAME"] = before
