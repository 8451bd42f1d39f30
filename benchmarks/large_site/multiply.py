"""Copy the players, matches and ratings of a generated site: `python -m benchmarks.large_site.multiply [COPIES]`.

Each copy has players of its own, who have played each other as those of the generated site have, so that whatever is
read in the order of all players or matches grows with the copies. It runs in the database, which takes a minute where
generating as many would take an hour.
"""

import os
import sys
from time import monotonic
from typing import TYPE_CHECKING, Any

import django

if TYPE_CHECKING:
    from django.db.models import Model

COPIES = 9


def copied(model: "type[Model]", spans: "dict[type[Model], int]", copy: int, values: dict[str, str]) -> str:
    """Return the statement that copies the first rows of a table, with ids beyond all former copies."""
    from django.db import connection

    def value(field: Any) -> str:
        column = quote(field.column)
        if field.name in values:
            return values[field.name]
        target = model if field.primary_key else field.related_model
        return f"{column} + {copy * spans[target]}" if target in spans else column

    quote = connection.ops.quote_name
    fields = model._meta.local_concrete_fields
    table, columns = quote(model._meta.db_table), ", ".join(quote(field.column) for field in fields)
    selected = ", ".join(value(field) for field in fields)
    return (
        f"INSERT INTO {table} ({columns}) SELECT {selected} FROM {table} "  # noqa: S608, our own names
        f"WHERE {quote(model._meta.pk.column)} < {spans[model]}"
    )


def random_id() -> str:
    """Return the SQL of a new public id."""
    from django.db import connection

    from core.public_ids import ALPHABET, LENGTH

    number = "floor(random() * {})::int" if connection.vendor == "postgresql" else "abs(random() % {})"
    letter = f"substr('{ALPHABET}', 1 + {number.format(len(ALPHABET))}, 1)"
    return " || ".join([letter] * LENGTH)


def multiply(copies: int) -> None:
    """Copy everything, in one transaction for each copy."""
    from django.core.management.color import no_style
    from django.db import connection, transaction
    from django.db.models import Max, QuerySet

    from matches.models import Match, PlayerRating, RatingChange, Result
    from players.models import Membership, Player

    models: list[type[Model]] = [Player, Membership, Match, Result, RatingChange, PlayerRating]
    spans = {model: QuerySet(model).aggregate(last=Max("pk"))["last"] + 1 for model in models}
    values: dict[type[Model], dict[str, str]] = {
        Player: {"public_id": random_id(), "user": "NULL"},
        Match: {"public_id": random_id(), "parent_topic": "''"},
        PlayerRating: {"event_matches": "0"},
    }
    began = monotonic()
    for copy in range(1, copies + 1):
        with transaction.atomic(), connection.cursor() as cursor:
            for model in models:
                cursor.execute(copied(model, spans, copy, values.get(model, {})))
        print(f"  {monotonic() - began:7.1f} s  copy {copy} of {copies}", flush=True)
    with connection.cursor() as cursor:
        for statement in [*connection.ops.sequence_reset_sql(no_style(), models), "ANALYZE"]:
            cursor.execute(statement)


def main() -> None:
    """Copy the site in the configured database."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ.setdefault("BARPOINT_PROFILE", "local")
    os.environ.setdefault("LOG_LEVEL", "ERROR")
    django.setup()
    multiply(int(sys.argv[1]) if len(sys.argv) > 1 else COPIES)


if __name__ == "__main__":
    main()
