"""A list is what one sees: of a workbook what is not hidden, of a line in a chat the name."""

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from core.people_lists import read_people
from core.spreadsheets import HIDDEN, Sheet, as_text, hidden_in, spreadsheet_text
from players.models import Club, Player
from tests.seasons.workbooks import zipped
from tournaments.models import Division

Row = tuple[str, list[str]]
"""The attributes of a row, and its cells."""
Book = dict[str, list[Row]]
TITLES: Row = ("", ["Name", "Place"])
HIDES = ' hidden="1"'
SEEN = ["Ann Berg", "Bea Lund"]
NOT_SEEN = ["Cem Ito", "Dan Eck", "Old One"]


def xlsx_with(sheets: Book, hidden: str = "") -> bytes:
    listed = "".join(
        f'<sheet name="{name}" r:id="r{at}"{f" state={hidden!r}" if name.startswith("old") else ""}/>'
        for at, name in enumerate(sheets)
    )
    relations = "".join(f'<Relationship Id="r{at}" Target="worksheets/sheet{at}.xml"/>' for at in range(len(sheets)))
    return zipped(
        **{
            "xl/workbook.xml": f'<workbook xmlns:r="r"><sheets>{listed}</sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f"<Relationships>{relations}</Relationships>",
        },
        **{f"xl/worksheets/sheet{at}.xml": xlsx_rows(rows) for at, rows in enumerate(sheets.values())},
    )


def xlsx_rows(rows: list[Row]) -> str:
    lines = (
        f"<row{attributes}>"
        + "".join(f'<c t="inlineStr"><is><t>{escape(cell)}</t></is></c>' for cell in cells)
        + "</row>"
        for attributes, cells in rows
    )
    return f"<worksheet><sheetData>{''.join(lines)}</sheetData></worksheet>"


def ods_with(body: str, styles: str = "") -> bytes:
    names = 'xmlns:office="o" xmlns:table="t" xmlns:text="x" xmlns:style="s"'
    return zipped(
        **{
            "content.xml": f"<office:document-content {names}><office:automatic-styles>{styles}"
            f"</office:automatic-styles><office:body>{body}</office:body></office:document-content>"
        }
    )


def ods_row(*cells: str, **attributes: str) -> str:
    given_attributes = "".join(f' table:{name}="{value}"' for name, value in attributes.items())
    texts = "".join(f"<table:table-cell>{cell}</table:table-cell>" for cell in cells)
    return f"<table:table-row{given_attributes}>{texts}</table:table-row>"


def ods_names(*names: str, **attributes: str) -> str:
    return "".join(ods_row(f"<text:p>{name}</text:p>", "<text:p>1</text:p>", **attributes) for name in names)


def ods_table(*rows: str, style: str = "ta1") -> str:
    titles = ods_row("<text:p>Name</text:p>", "<text:p>Place</text:p>")
    return f'<table:table table:name="{style}" table:style-name="{style}">{titles}{"".join(rows)}</table:table>'


OLD: list[Row] = [TITLES, ("", ["Old One", "1"])]
NOW: list[Row] = [TITLES, ("", ["Ann Berg", "1"]), (HIDES, ["Cem Ito", "2"]), ("", ["Bea Lund"])]
DISPLAY = '<style:style style:name="{}"><style:table-properties table:display="{}"/></style:style>'
FILES = {
    "a hidden sheet and a filtered row": xlsx_with(
        {"old": OLD, "tonight": [*NOW, (HIDES, ["Dan Eck", "3"])]}, hidden="hidden"
    ),
    "a very hidden sheet and a collapsed group": xlsx_with(
        {"tonight": [*NOW, (' outlineLevel="1" hidden="true"', ["Dan Eck"]), (' collapsed="1"', [])], "old": OLD},
        hidden="veryHidden",
    ),
    "OpenDocument": ods_with(
        ods_table(ods_names("Old One"), style="old")
        + ods_table(
            ods_names("Ann Berg"),
            ods_names("Cem Ito", visibility="filter"),
            ods_names("Bea Lund"),
            f'<table:table-row-group table:display="false">{ods_names("Dan Eck")}</table:table-row-group>',
        ),
        DISPLAY.format("ta1", "true") + DISPLAY.format("old", "false"),
    ),
    "OpenDocument with hidden rows": ods_with(
        ods_table(ods_names(*SEEN), ods_names("Cem Ito", "Dan Eck", visibility="collapse"))
        + ods_table(ods_names("Old One"), style="old"),
        DISPLAY.format("old", "false"),
    ),
}
LEFT_OUT = ("1 hidden sheet is left out.", "2 hidden rows are left out.")


def page_of(client: Client, path: str, data: dict[str, object]) -> str:
    return " ".join(unescape(client.post(path, data).content.decode()).split())


def tap(client: Client, path: str, content: bytes, field: str, **data: str) -> tuple[str, str]:
    """Return the page on which a file is checked, and that on which what it hides is checked, too."""
    first = client.post(path, {"file": SimpleUploadedFile("list.xlsx", content), **data}).content.decode()
    (value,) = re.findall(rf'name="{field}"\s+value="([^"]+)"', first)
    # As a browser sends it.
    text = unescape(value).replace("\n", "\r\n")
    shown = re.sub(r'value="[^"]*"|<textarea.*?</textarea>', "", first, flags=re.DOTALL)
    return " ".join(unescape(shown).split()), page_of(client, path, {field: text, **data})


@pytest.mark.django_db
@pytest.mark.parametrize("kind", FILES)
def test_what_a_workbook_hides_is_left_out_until_a_tap_enters_it_too(
    kind: str, make_division: Callable[..., Division], alice_client: Client, club: Club
) -> None:
    division = make_division()
    entries = f"/events/{club.slug}/{division.tournament.slug}/{division.public_id}/entries/"
    places: list[tuple[str, str, dict[str, str]]] = [
        (f"{entries}paste/", "names", {}),
        (f"/clubs/{club.slug}/members/paste/", "names", {}),
        (f"/clubs/{club.slug}/past-seasons/import/", "text", {"name": "2019", "step": "preview"}),
    ]
    for path, field, data in places:
        first, second = tap(alice_client, path, FILES[kind], field, **data)
        assert all(sentence in first for sentence in LEFT_OUT), path
        assert [name in first for name in (*SEEN, *NOT_SEEN)] == [True] * 2 + [False] * 3, path
        assert not any(sentence in second for sentence in LEFT_OUT), path
        assert [name in second for name in (*SEEN, *NOT_SEEN)] == [True] * 5, path
    assert not Player.objects.filter(name__in=[*SEEN, *NOT_SEEN]).exists(), "nobody before the list was checked"


NAMES = st.sampled_from(["Ann Berg", "Bea Lund", "Novák, Jan", 'Bob "Dice" Smith', "Cem\nIto", "Dan;Eck|x"])


@given(st.lists(st.tuples(NAMES, st.booleans()), min_size=1), st.booleans())
def test_hidden_rows_are_as_if_they_were_not_there_and_shown_as_if_not_hidden(
    rows: list[tuple[str, bool]], has_titles: bool
) -> None:
    titles = [["Name", "Rating"]] if has_titles else []
    marked = [[f"{HIDDEN if hidden else ''}{name}", "1500"] for name, hidden in rows]
    text = as_text([Sheet("", [*titles, *marked, ["Ola Lund", "1400"]])])
    everybody = as_text([Sheet("", [*titles, *([name, "1500"] for name, _hidden in rows), ["Ola Lund", "1400"]])])
    wanted = {person.row: person for person in read_people(everybody)}
    gone = {at for at, (_name, hidden) in enumerate(rows, 1 + has_titles) if hidden}
    left_out = hidden_in(text)
    assert (left_out.rows if left_out else 0) == len(gone)
    read = {person.row: person.name for person in read_people(text)}
    assert read.keys() == wanted.keys() - gone
    assert read_people(left_out.text if left_out else text) == list(wanted.values())


BLANKS = ods_with(
    ods_table(
        *(
            ods_row(f"<text:p>{name}</text:p>")
            for name in ('Ann<text:s text:c="2"/>Berg', "Bea<text:tab/>Lund", "Cem<text:line-break/>Ito", "Dan\n Eck")
        )
    )
)


def test_blanks_of_open_document_are_blanks() -> None:
    assert [person.name for person in read_people(spreadsheet_text(BLANKS))] == [*SEEN, "Cem Ito", "Dan Eck"]


STACKED = {
    "xlsx": xlsx_with({"tonight": [("", ["Team"]), ("", ["Ann Berg\nBea Lund"]), ("", ["Ito, Cem\nDan Eck ✅"])]}),
    "xlsx with titles": xlsx_with(
        {"tonight": [TITLES, ("", ["Ann Berg\r\nBea Lund", "1"]), ("", [" Cem Ito\n\nDan Eck\n", "2"])]}
    ),
    "OpenDocument": ods_with(
        ods_table(
            ods_row("<text:p>Ann Berg</text:p><text:p>Bea Lund</text:p>"),
            ods_row("<text:p>Cem Ito</text:p><text:p>Dan Eck</text:p>"),
        )
    ),
    "CSV": b'Name;Place\n"Ann Berg\nBea Lund";1\n"Cem Ito\nDan Eck";2\n',
}


@pytest.mark.parametrize("kind", STACKED)
def test_two_names_in_a_cell_are_a_pair_or_asked_about(kind: str) -> None:
    text = spreadsheet_text(STACKED[kind])
    assert [person.name for person in read_people(text, pairs=True)] == ["Ann Berg & Bea Lund", "Cem Ito & Dan Eck"]
    assert [person.name for person in read_people(text)] == ["", ""]


def test_the_inputs_that_were_filed(shared_data: Path) -> None:
    folder = shared_data / "edges"
    if not folder.exists():
        pytest.skip("not here")

    def read(name: str, *, pairs: bool = False) -> list[str]:
        return [row.name for row in read_people(spreadsheet_text((folder / name).read_bytes()), pairs=pairs)]

    assert read("blanks.ods") == ["Ann Berg", "Bea Lund", "Cem Ito"]
    assert read("hidden_sheet.xlsx") == ["Ann Berg", "Bea Lund", "Cem Ito"]
    assert len(read("filtered_rows.xlsx")) == 2
    assert all(" & " in name for name in read("two_names_in_a_cell.xlsx", pairs=True))
    assert not any(read("two_names_in_a_cell.xlsx"))
    assert len(list(filter(None, read("chat_list.txt")))) == 9
