"""Reading names from CSV files."""

import pytest

from core.name_lists import MOST_BYTES, names_in_csv, names_in_lines
from engine.errors import Refused


@pytest.mark.parametrize(
    "data",
    [
        b"Name\nElif Ristic\nOmar Kageyama\n",
        b"Elif Ristic\nOmar Kageyama\n",
        b"Club,Name,Rating\nA,Elif Ristic,1500\nB,Omar Kageyama,1600\n",
        b"First name;Last name\r\nElif;Ristic\r\nOmar;Kageyama\r\n",
        b"Surname\tFirst name\nRistic\tElif\nKageyama\tOmar\n",
        "\ufeffPlayer\nElif Ristic\nOmar Kageyama\n".encode(),
        "Name\nElif Ristic\nOmar Kageyama\n".encode("utf-16"),
        b'name\n"Elif Ristic"\n\n"Omar Kageyama"\n',
        b"name\rElif Ristic\rOmar Kageyama\r",
    ],
)
def test_both_names_are_read_from_common_layouts(data: bytes) -> None:
    assert names_in_csv(data) == ["Elif Ristic", "Omar Kageyama"]


def test_names_in_any_script_and_in_windows_encoding() -> None:
    assert names_in_csv("花子\nŁukasz Żak\n".encode()) == ["花子", "Łukasz Żak"]
    assert names_in_csv("Søren Æbelø\n".encode("cp1252")) == ["Søren Æbelø"]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "csv_without_names"),
        (b"\n\n", "csv_without_names"),
        (b"name\n", "csv_without_names"),
        (b"PK\0\1", "csv_not_text"),
        (b"name\n" + b"Elif Ristic\n" * 400 + b"Omar\0", "csv_not_text"),
        (b'name\n"' + b"x" * 140_000, "csv_not_text"),
        (b"a\n" * MOST_BYTES, "csv_too_large"),
    ],
)
def test_a_file_without_names_is_refused(data: bytes, code: str) -> None:
    with pytest.raises(Refused) as refused:
        names_in_csv(data)
    assert refused.value.code == code


@pytest.mark.parametrize("header", ["name,rating,club", "Club;Name;Rating", "last name\tfirst name"])
def test_a_pasted_table_is_read_like_a_file(header: str) -> None:
    cells = {"name": "Elif Ristic", "first name": "Elif", "last name": "Ristic", "rating": "1650", "club": "Harbour"}
    delimiter = next(mark for mark in ",;\t" if mark in header)
    row = delimiter.join(cells[title.lower()] for title in header.split(delimiter))
    assert names_in_lines([header, row]) == ["Elif Ristic"]


@pytest.mark.parametrize("lines", [[], ["Elif Ristic", "Omar"], ["Name"], ["Ristic, Elif"], ["x" * 200_000]])
def test_other_lines_are_names(lines: list[str]) -> None:
    assert names_in_lines(lines) == lines
