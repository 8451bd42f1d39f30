"""The values of a row as JSON, the same whichever database they come from."""

import base64
import json
from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Field, ForeignKey
from django.utils.duration import duration_string

Decoder = Callable[[Any], Any]

AS_IN_JSON = {
    "AutoField",
    "BigAutoField",
    "BigIntegerField",
    "BooleanField",
    "CharField",
    "EmailField",
    "FloatField",
    "IntegerField",
    "PositiveBigIntegerField",
    "PositiveIntegerField",
    "PositiveSmallIntegerField",
    "SlugField",
    "SmallAutoField",
    "SmallIntegerField",
    "TextField",
    "URLField",
}
"""Types of columns whose values are the same in JSON and in both databases."""


def encode(values: Iterable[Any]) -> str:
    """Return a row as a JSON array. Keys of objects are sorted, since PostgreSQL does not keep their order."""
    return json.dumps(list(values), default=_encode_value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _encode_value(value: object) -> str:
    match value:
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return duration_string(value)
        case bytes() | memoryview():
            return base64.b64encode(value).decode()
        case Decimal() | UUID():
            return str(value)
    raise TypeError(f"A backup cannot contain a {type(value).__name__}.")


def decoder(field: "Field[Any, Any]") -> Decoder | None:
    """Return the function from a value in JSON to what the database stores in this column; None for the same value."""
    while isinstance(field, ForeignKey):
        field = field.target_field
    kind = field.get_internal_type()
    if kind in AS_IN_JSON:
        return None
    if kind == "DateTimeField":
        return _or_null(lambda value: connection.ops.adapt_datetimefield_value(datetime.fromisoformat(value)))
    return _or_null(lambda value: field.get_db_prep_save(field.to_python(value), connection))


def _or_null(decode: Decoder) -> Decoder:
    return lambda value: None if value is None else decode(value)
