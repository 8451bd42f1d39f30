"""Reading spreadsheets: the same cells from each format, and refusals of what would use up memory."""

import gzip
import io
import lzma
from datetime import date

import pytest
from PIL import Image

from core.spreadsheets import (
    MAX_BYTES,
    MAX_SHEETS,
    MAX_UNPACKED,
    Sheet,
    as_text,
    read_spreadsheet,
    read_text,
    spreadsheet_text,
)
from engine.errors import Refused
from tests.seasons.workbooks import Cell, ods, ods_content, xlsx, zipped

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


OTHERS: dict[str, list[list[Cell]]] = {"Empty": [], "2020 & on": [["Name", "Place"], ["Ann", 1]]}


@pytest.mark.parametrize("content", [xlsx(ROWS, OTHERS), ods(ROWS, OTHERS)], ids=["xlsx", "ods"])
def test_workbooks_give_their_cells_as_text(content: bytes) -> None:
    sheets = read_spreadsheet(content)
    assert sheets == [Sheet("2019", TEXT), Sheet("2020 & on", [["Name", "Place"], ["Ann", "1"]])]
    assert read_text(as_text(sheets)) == sheets, "row numbers stay those of the file"
    assert read_text(as_text(sheets).replace("\n", "\r\n")) == sheets, "as a browser sends it"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("delimiter", [";", ",", "\t", "|"])
@pytest.mark.parametrize("start", ["", "Our club in 2019\n", "\n\n"])
def test_csv_of_any_usual_encoding_and_delimiter(encoding: str, delimiter: str, start: str) -> None:
    text = f'{start}Name{delimiter}Punkte\r\n"Ångström{delimiter} Zoë"{delimiter}"1,5"\n'
    (sheet,) = read_spreadsheet(text.encode(encoding))
    assert sheet.rows[len(start.splitlines()) :] == [
        ["Name", "Punkte"],
        [f"Ångström{delimiter} Zoë".replace("\t", ""), "1,5"],
    ]


@pytest.mark.parametrize("text", ["Name;Points\nAnn;12\n\x1a", "%\nAnn\n", "GIF\nRIFF\n", ""])
def test_what_begins_or_ends_oddly_may_be_a_list(text: str) -> None:
    for content in (text.encode(), text.encode("utf-16"), text.encode("utf-16-le")):
        assert spreadsheet_text(content) == content.decode("utf-16" if content[:2] == b"\xff\xfe" else "utf-8")


def test_a_decimal_comma_is_no_delimiter_and_a_stated_one_is() -> None:
    (sheet,) = read_spreadsheet(b"Name;Points\nAnn;12,5\nBen;3,25\nCleo;4,75\n")
    assert sheet.rows[1] == ["Ann", "12,5"]
    (sheet,) = read_spreadsheet(b"sep=;\na,b;c,d\n")
    assert sheet.rows == [[], ["a,b", "c,d"]]


ENTITIES = '<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
CELL = "<table:table-cell><text:p>x</text:p></table:table-cell>"
WIDE = CELL.replace("cell>", "cell table:number-columns-repeated='9999999'>", 1)
ROW = "<table:table-row>"
TALL = "<table:table-row table:number-rows-repeated='999999999'>"


PICTURES = {}
for kind in ("PNG", "JPEG", "WEBP", "TIFF"):
    Image.new("RGB", (8, 8), "teal").save(picture := io.BytesIO(), kind)
    PICTURES[kind] = picture.getvalue()

HALF = b"<a>" + b" " * (MAX_UNPACKED // 2 + 9) + b"</a>"
SHEETS = {
    "xl/workbook.xml": "<workbook/>",
    "xl/worksheets/sheet1.xml": "<worksheet><row><c><v>1</v></c></row></worksheet>",
}


def test_the_parts_that_are_refused_are_all_that_is_wrong() -> None:
    assert read_spreadsheet(zipped(**SHEETS)) == [Sheet("", [["1"]])]


@pytest.mark.parametrize(
    ("content", "refusal"),
    [
        (b"a," * MAX_BYTES, "spreadsheet_too_large"),
        (zipped(**{"content.xml": b" " * (MAX_UNPACKED + 1)}), "spreadsheet_too_large"),
        (
            zipped(**SHEETS, **dict.fromkeys(("xl/sharedStrings.xml", "xl/styles.xml"), HALF)),
            "spreadsheet_too_large",
        ),
        (zipped(**{"content.xml": ods_content("&b;", ENTITIES)}), "spreadsheet_unreadable"),
        (zipped(**{"content.xml": "<a>" * 100_000}), "spreadsheet_unreadable"),
        (zipped(**{"content.xml": ods_content(f"{ROW}{WIDE}</table:table-row>")}), "spreadsheet_too_many_cells"),
        (zipped(**{"content.xml": ods_content(f"{TALL}{CELL}</table:table-row>")}), "spreadsheet_too_many_cells"),
        (xlsx([["Name"]]).replace(b"PK\x03\x04", b"PK\x03\x05"), "spreadsheet_unreadable"),
        (b"PK\x03\x04 no archive", "spreadsheet_unreadable"),
        (zipped(**{"word/document.xml": "<a/>"}), "spreadsheet_unreadable"),
        (("a\n" * 20_001).encode(), "spreadsheet_too_many_cells"),
        (("a," * 101 + "a").encode(), "spreadsheet_too_many_cells"),
        (xlsx([["a"]] * 10_001, {"b": [["a"]] * 10_001}), "spreadsheet_too_many_cells"),
        (ods([["a"]] * 10_001, {"b": [["a"]] * 10_001}), "spreadsheet_too_many_cells"),
        (xlsx([["a"]], {str(number): [["a"]] for number in range(MAX_SHEETS)}), "spreadsheet_too_many_cells"),
        (zipped(**SHEETS, **{"xl/vbaProject.bin": "x"}), "spreadsheet_not_plain"),
        (zipped(**SHEETS, **{"xl/externalLinks/externalLink1.xml": "<a/>"}), "spreadsheet_not_plain"),
        (zipped(**SHEETS, **{"xl/connections.xml": "<a/>"}), "spreadsheet_not_plain"),
        (zipped(**{"content.xml": ods_content(""), "Basic/Standard/Module1.xml": "<a/>"}), "spreadsheet_not_plain"),
        (zipped(**{"content.xml": ods_content("<table:table-source/>")}), "spreadsheet_not_plain"),
        (b"\xff\xfe\x00", "spreadsheet_unreadable"),
        (b"\0" * 5000, "spreadsheet_unreadable"),
        (b"\xff\xfe" + b"\0" * 5000, "spreadsheet_unreadable"),
        (bytes(range(128)) * 20, "spreadsheet_unreadable"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\n", "spreadsheet_is_pdf"),
        (PICTURES["PNG"], "spreadsheet_is_picture"),
        (PICTURES["JPEG"], "spreadsheet_is_picture"),
        (PICTURES["WEBP"], "spreadsheet_is_picture"),
        (PICTURES["TIFF"], "spreadsheet_is_picture"),
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "spreadsheet_is_picture"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504), "spreadsheet_is_old"),
        (gzip.compress(b"Name;Points\nAnn;12\n"), "spreadsheet_is_packed"),
        (lzma.compress(b"Name;Points\nAnn;12\n"), "spreadsheet_is_packed"),
    ],
    ids=[
        "long", "zip bomb", "zip bomb in two parts", "entities", "deep", "repeated cells", "repeated rows",
        "broken", "no archive", "other",
        "rows", "columns", "two sheets of xlsx", "two sheets of ods", "sheets", "macro", "link", "connection",
        "macro of ods", "link of ods", "half a character",
        "zeros", "zeros in UTF-16", "bytes", "PDF", "PNG", "JPEG", "WebP", "TIFF", "HEIC", "xls", "gzip", "xz",
    ],
)  # fmt: skip
def test_what_would_use_up_memory_or_is_no_spreadsheet_is_refused(content: bytes, refusal: str) -> None:
    assert code(content) == refusal


@pytest.mark.parametrize("reference", ["XFD1", "A1048576"])
def test_a_cell_far_away_makes_no_large_sheet(reference: str) -> None:
    row = reference.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    sheet = f'<worksheet><row r="{row}"><c r="{reference}"><v>1</v></c></row></worksheet>'
    assert code(zipped(**(SHEETS | {"xl/worksheets/sheet1.xml": sheet}))) == "spreadsheet_too_many_cells"
