"""Everything that reads a text which anybody may have sent, and texts that take a bad pattern long.

What is read without a limited process (`core.limited`) has to be among the readers.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import date
from functools import partial
from importlib import import_module
from io import BytesIO
from typing import Any, NamedTuple

from django import forms
from django.core.exceptions import ValidationError
from django.urls import Resolver404, resolve
from rest_framework import serializers
from rest_framework.exceptions import APIException

from config.api_json import JSONParser
from config.logs import without_secrets
from core.days import day_order, read_day
from core.encodings import decoded
from core.names import NameMask, SimilarNames, clean_name, fold, initials_of, short_name, surname_last, visible
from core.numbers import read_number
from core.people_lists import of_lines, person_name, read_people, split_names
from core.pictures import drawn_anew
from core.spreadsheets import read_text, spreadsheet_text
from engine.ids import parse_gnubg_ids, parse_xgid
from engine.notation import parse_play
from formats.elimination.patterns import parse as parse_pattern
from formats.forecast.finish_times import parse_lengths
from matches.rankings.imports import match_rows, start_rows
from matches.records.verdicts import checked_record
from seasons.imports.matches import MatchReading, has_matches, read_past_matches
from seasons.imports.rows import Reading, read_past
from tests.test_layout import ROOT, python_files
from tournaments.ledger.money import Currency
from tournaments.results import lines
from tournaments.state import sheet_codes

TODAY = date(2026, 11, 24)
HEADS = {
    "mat": " 7 point match\n\n Game 1\n Ann : 0                 Bob : 0\n  1) 31: 8/5 6/5              ",
    "sgf": "(;FF[4]GM[6]CA[UTF-8]PB[Ann]PW[Bob]MI[length:7][game:0];B[31hefe]",
    "json": '{"format": "barpoint", "version": 1, "players": ["',
    "position": "GNU Backgammon  Position ID: 4HPwATDgc/ABMA\n Match ID   : ",
    "table": "Name;Club;Rating\nAnn;Harbour;1500\n",
    "past": "Name;Points;Date\nAnn;1;",
    "past matches": "Winner;Loser;Score;Date\nAnn;Bob;7-5;",
}
"""Beginnings after which a reader goes on with what follows."""
AFTER = {
    "record": ("mat", "sgf", "json", "position"),
    "people": ("table",),
    "pairs": ("table",),
    "past seasons": ("past",),
    "past seasons by columns": ("past",),
    "past matches": ("past matches",),
    "past matches by columns": ("past matches",),
}
"""Of which readers they are."""
SHORTER = {"line": 200, "line of the floor": 200, "number": 40, "amount": 40, "similar name": 200}
"""Characters of a text that a reader takes at most, where these are not more than `SMALL`."""


class Shape(NamedTuple):
    """A text of any length: `unit` again and again between two ends."""

    begin: str
    unit: str
    end: str

    def of(self, length: int) -> str:
        return self.begin + self.unit * ((length - len(self.begin) - len(self.end)) // len(self.unit)) + self.end


UNITS = (
    *(" ", "a", "(", "[", "{", "0", "1.", ",", ";", "-", "/", ":", "|", "\t", "\n", '"', "'", "\\", "é", "🎲", "（"),
    *("a ", "a, ", "1 ", "1-", "a1 ", " & ", "Ann Berg 1500\n", "a.", '"a" '),
)
SHAPES = [
    *(Shape("a", unit, "b") for unit in UNITS),
    *(Shape("", unit, "") for unit in ("(", "[", "{", "0", "1 ")),
    *(Shape("1", unit, "1") for unit in (" ", "a", "a ", ",", "/", ":")),
    Shape("a ", "a ", "1"),
    *(Shape("", f"{'a' * 150}{mark * 150}b\n", "") for mark in (" ", "-", "(", ",", "#1 ")),
]


def record(text: str) -> object:
    return checked_record(text.encode())


def past_seasons(text: str, columns: Mapping[str, int]) -> object:
    return read_past(read_text(text), Reading(columns=columns))


def past_matches(text: str, columns: Mapping[str, int]) -> object:
    sheets = read_text(text)
    has_matches(sheets)
    return read_past_matches(sheets, MatchReading(columns=columns), TODAY)


READERS: dict[str, Callable[[str], object]] = {
    "people": read_people,
    "pairs": partial(read_people, pairs=True),
    "people by lines": of_lines,
    "person": person_name,
    "two names": split_names,
    "day": read_day,
    "days": lambda text: day_order([text]),
    "number": partial(read_number, places=2),
    "name": clean_name,
    "folded name": fold,
    "initials": initials_of,
    "short name": short_name,
    "surname": surname_last,
    "visible": visible,
    "hidden name": NameMask({"Ann  Berg": "A. B."}).text,
    "similar name": lambda text: SimilarNames(["Ann Berg"]).like(text[:200]),
    "encoding": lambda text: decoded(text.encode("latin-1", errors="replace")),
    "CSV": read_text,
    "list file": lambda text: spreadsheet_text(text.encode()),
    "past seasons": partial(past_seasons, columns={}),
    "past seasons by columns": partial(past_seasons, columns={"name": 1, "points": 2, "date": 3}),
    "past matches": partial(past_matches, columns={}),
    "past matches by columns": partial(past_matches, columns={"winner": 1, "loser": 2, "score": 3, "date": 4}),
    "ratings": start_rows,
    "rated matches": match_rows,
    "record": record,
    "picture": lambda text: drawn_anew(text.encode()),
    "XGID": parse_xgid,
    "GNU ids": lambda text: parse_gnubg_ids(text, text),
    "play": parse_play,
    "pattern": parse_pattern,
    "lengths": parse_lengths,
    "line": lines.parse,
    "lines": lines.split,
    "amount": Currency("EUR", 2).parse,
    "sheet codes": lambda text: sheet_codes._LINE_START.sub("", text),
    "API body": lambda text: JSONParser().parse(BytesIO(text.encode())),
    "log line": without_secrets,
    "path": resolve,
}
RAISES: dict[str, type[Exception]] = {
    "day": ValueError,
    "number": ValueError,
    "amount": ValueError,
    "API body": APIException,
    "path": Resolver404,
}
"""What readers raise beside Refused for what they do not take."""


def project_fields() -> dict[str, Callable[[str], object]]:
    """Return how the fields of all forms and serializers read a text, each kind of field once."""
    for path in python_files():
        if path.name in ("forms.py", "serializers.py", "api.py", "page.py") or "page" in path.parts:
            import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    fields: dict[str, Callable[[str], object]] = {}
    for form in subclasses(forms.BaseForm):
        for field in getattr(form, "base_fields", {}).values():
            if not isinstance(field, forms.FileField):
                fields[kind_of(field)] = partial(clean, field)
    for serializer in subclasses(serializers.Serializer):
        for field in serializer._declared_fields.values():
            if not isinstance(field, serializers.BaseSerializer | serializers.FileField) and not field.read_only:
                fields[kind_of(field)] = partial(validate, field)
    return fields


def subclasses(base: type) -> Iterator[Any]:
    for each in base.__subclasses__():
        yield each
        yield from subclasses(each)


def kind_of(field: Any) -> str:
    """Return what decides how a field reads: its class and the patterns of its validators."""
    patterns = sorted(rule.regex.pattern for rule in field.validators if hasattr(rule, "regex"))
    return " ".join([f"{type(field).__module__}.{type(field).__qualname__}", *patterns])


def clean(field: forms.Field, text: str) -> None:
    with suppress(ValidationError):
        field.clean([text] if isinstance(field, forms.MultipleChoiceField) else text)


def validate(field: Any, text: str) -> None:
    with suppress(serializers.ValidationError):
        field.run_validation([text] if isinstance(field, serializers.ListField) else text)
