"""Reading spreadsheets: the same cells from each format, and refusals of what would use up memory."""

from datetime import date

import pytest

from core.spreadsheets import MOST_BYTES, MOST_UNPACKED, as_csv, read_csv, read_spreadsheet
from engine.errors import Refused
from tests.tournaments.seasons.workbooks import Cell, ods, ods_content, xlsx, zipped

ROWS: list[list[Cell]] = [
    ["Name", "Date", None, "Points"],
    [],
    ["Zoë <Ångström> & Co", date(2024, 2, 29), None, 12.5],
    ["Bob", date(1999, 12, 31), "x", 1.234],
]
TEXT = [
    ["Name", "Date", "", "Points"],
    [],
    ["Zoë <Ångström> & Co", "2024-02-29", "", "12.5"],
    ["Bob", "1999-12-31", "x", "1.2340"],
]


def code(content: bytes) -> str:
    with pytest.raises(Refused) as refused:
        read_spreadsheet(content)
    return refused.value.code


@pytest.mark.parametrize("content", [xlsx(ROWS), ods(ROWS)], ids=["xlsx", "ods"])
def test_workbooks_give_their_cells_as_text(content: bytes) -> None:
    assert read_spreadsheet(content) == TEXT
    assert [row for row in read_csv(as_csv(TEXT)) if row] == [row for row in TEXT if row]
    assert len(read_csv(as_csv(TEXT))) == len(TEXT), "row numbers stay those of the file"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_csv_of_any_usual_encoding(encoding: str) -> None:
    assert read_spreadsheet("Name;Punkte\nZoë;1,5\n".encode(encoding)) == [["Name", "Punkte"], ["Zoë", "1,5"]]


ENTITIES = '<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
CELL = "<table:table-cell><text:p>x</text:p></table:table-cell>"
WIDE = CELL.replace("cell>", "cell table:number-columns-repeated='9999999'>", 1)
ROW = "<table:table-row>"
TALL = "<table:table-row table:number-rows-repeated='999999999'>"


@pytest.mark.parametrize(
    ("content", "refusal"),
    [
        (b"a," * MOST_BYTES, "spreadsheet_too_large"),
        (zipped(**{"content.xml": b" " * (MOST_UNPACKED + 1)}), "spreadsheet_too_large"),
        (zipped(**{"content.xml": ods_content("&b;", ENTITIES)}), "spreadsheet_unreadable"),
        (zipped(**{"content.xml": "<a>" * 100_000}), "spreadsheet_unreadable"),
        (zipped(**{"content.xml": ods_content(f"{ROW}{WIDE}</table:table-row>")}), "spreadsheet_too_many_cells"),
        (zipped(**{"content.xml": ods_content(f"{TALL}{CELL}</table:table-row>")}), "spreadsheet_too_many_cells"),
        (xlsx([["Name"]]).replace(b"PK\x03\x04", b"PK\x03\x05"), "spreadsheet_unreadable"),
        (b"PK\x03\x04 no archive", "spreadsheet_unreadable"),
        (zipped(**{"word/document.xml": "<a/>"}), "spreadsheet_unreadable"),
        (("a\n" * 20_001).encode(), "spreadsheet_too_many_cells"),
        (("a," * 101 + "a").encode(), "spreadsheet_too_many_cells"),
    ],
    ids=[
        "long", "zip bomb", "entities", "deep", "repeated cells", "repeated rows", "broken", "no archive", "other",
        "rows", "columns",
    ],
)  # fmt: skip
def test_what_would_use_up_memory_or_is_no_spreadsheet_is_refused(content: bytes, refusal: str) -> None:
    assert code(content) == refusal


@pytest.mark.parametrize("reference", ["XFD1", "A1048576"])
def test_a_cell_far_away_makes_no_large_sheet(reference: str) -> None:
    row = reference.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    sheet = f'<worksheet><row r="{row}"><c r="{reference}"><v>1</v></c></row></worksheet>'
    parts = {"xl/workbook.xml": "<workbook/>", "xl/worksheets/sheet1.xml": sheet}
    assert code(zipped(**parts)) == "spreadsheet_too_many_cells"
