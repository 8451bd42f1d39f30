"""The tables of a new SQLite database, from a script.

All migrations, one after the other, take over twenty seconds. `migrate` still runs after the script, so one that lacks
the newest migrations costs time only: `make schema` writes it again, once for each release.
"""

import os
import re
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

SCRIPT = Path(__file__).with_name("new_database.sql")
APPLIED = re.compile(r"(INSERT INTO \"django_migrations\" VALUES\(\d+,'\w+','\w+',)'[^']*'\)")


def create(path: Path) -> None:
    """Create the database with the tables of the script. A process that is killed meanwhile leaves none."""
    unfinished = path.with_suffix(".unfinished")
    unfinished.unlink(missing_ok=True)
    with closing(sqlite3.connect(unfinished, isolation_level=None)) as database:
        database.execute("BEGIN")
        for statement in statements():
            database.execute(statement)
        database.execute("COMMIT")
    os.replace(unfinished, path)


def statements() -> Iterator[str]:
    """Yield the statements of the script, for a transaction that has begun in a database without tables."""
    statement = ""
    for line in SCRIPT.read_text().splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            if statement not in ("BEGIN TRANSACTION;\n", "COMMIT;\n"):
                yield statement
            statement = ""


def script_of(path: Path) -> str:
    """Return the statements that create a migrated database without data; each migration was applied when they run."""
    with closing(sqlite3.connect(path)) as database:
        lines = [APPLIED.sub(r"\1CURRENT_TIMESTAMP)", line) for line in database.iterdump()]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    SCRIPT.write_text(script_of(Path(sys.argv[1])))
