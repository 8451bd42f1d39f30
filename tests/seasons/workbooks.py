"""Spreadsheets as bytes, written apart from the reader."""

import io
import zipfile
from datetime import date
from xml.sax.saxutils import escape

Cell = str | int | float | date | None


def zipped(**parts: str | bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def xlsx(rows: list[list[Cell]], others: dict[str, list[list[Cell]]] | None = None) -> bytes:
    """A workbook whose first sheet is its last file, with shared strings, dates by style, and gaps."""
    strings: list[str] = []
    sheets = {"2019": rows, **(others if others is not None else {"Notes": [[9]]})}
    files = {name: f"sheet{len(sheets) - place}.xml" for place, name in enumerate(sheets)}
    parts = {f"xl/worksheets/{files[name]}": _xlsx_sheet(sheet, strings) for name, sheet in sheets.items()}
    listed = "".join(f'<sheet name="{escape(name)}" r:id="r{files[name]}"/>' for name in sheets)
    relations = "".join(f'<Relationship Id="r{file}" Target="worksheets/{file}"/>' for file in files.values())
    shared = "".join(f"<si><r><t>{escape(text[:1])}</t></r><r><t>{escape(text[1:])}</t></r></si>" for text in strings)
    return zipped(
        **{
            "xl/workbook.xml": f'<workbook xmlns:r="r"><sheets>{listed}</sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f"<Relationships>{relations}</Relationships>",
            **parts,
            "xl/sharedStrings.xml": f"<sst>{shared}</sst>",
            "xl/styles.xml": '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
        }
    )


def _xlsx_sheet(rows: list[list[Cell]], strings: list[str]) -> str:
    lines = []
    for number, row in enumerate(rows, 1):
        cells = []
        for column, value in enumerate(row):
            at = f"{chr(65 + column)}{number}"
            if isinstance(value, date):
                cells.append(f'<c r="{at}" s="1"><v>{(value - date(1899, 12, 30)).days}</v></c>')
            elif isinstance(value, (int, float)):
                cells.append(f'<c r="{at}"><v>{value}</v></c>')
            elif value:
                strings.append(value)
                cells.append(f'<c r="{at}" t="s"><v>{len(strings) - 1}</v></c>')
        if cells:
            lines.append(f'<row r="{number}">{"".join(cells)}</row>')
    return f"<worksheet><sheetData>{''.join(lines)}</sheetData></worksheet>"


def ods(rows: list[list[Cell]], others: dict[str, list[list[Cell]]] | None = None) -> bytes:
    """An OpenDocument spreadsheet with repeated cells and rows at its ends, as programs write them."""
    sheets = {"2019": rows, **(others or {})}
    return zipped(
        **{"content.xml": ods_content("".join(_ods_table(name, sheet) for name, sheet in sheets.items()), is_row=False)}
    )


def _ods_table(name: str, rows: list[list[Cell]]) -> str:
    lines = []
    for row in rows:
        cells = []
        for value in row:
            if isinstance(value, date):
                cells.append(f'<table:table-cell office:value-type="date" office:date-value="{value}T00:00:00"/>')
            elif isinstance(value, (int, float)):
                kind = f'office:value-type="float" office:value="{value}"'
                cells.append(f"<table:table-cell {kind}><text:p>shown</text:p></table:table-cell>")
            elif value:
                cells.append(f"<table:table-cell><text:p>{escape(value)}</text:p></table:table-cell>")
            else:
                cells.append("<table:table-cell/>")
        lines.append(f"<table:table-row>{''.join(cells)}<table:table-cell {REPEATED}='16000'/></table:table-row>")
    lines.append("<table:table-row table:number-rows-repeated='1048000'><table:table-cell/></table:table-row>")
    return f"<table:table table:name='{escape(name)}'>{''.join(lines)}</table:table>"


REPEATED = "table:number-columns-repeated"


def ods_content(content: str, before: str = "", *, is_row: bool = True) -> str:
    names = 'xmlns:office="o" xmlns:table="t" xmlns:text="x"'
    tables = f"<table:table>{content}</table:table>" if is_row else content
    return f"{before}<office:document-content {names}>{tables}</office:document-content>"
