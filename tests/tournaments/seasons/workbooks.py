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


def xlsx(rows: list[list[Cell]]) -> bytes:
    """A workbook whose first sheet is its second file, with shared strings, dates by style, and gaps."""
    strings: list[str] = []
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
    shared = "".join(f"<si><r><t>{escape(text[:1])}</t></r><r><t>{escape(text[1:])}</t></r></si>" for text in strings)
    return zipped(
        **{
            "xl/workbook.xml": '<workbook xmlns:r="r"><sheets><sheet name="2019" r:id="rId7"/><sheet r:id="rId1"/>'
            "</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/>'
            '<Relationship Id="rId7" Target="worksheets/sheet2.xml"/></Relationships>',
            "xl/worksheets/sheet1.xml": '<worksheet><row r="1"><c><v>9</v></c></row></worksheet>',
            "xl/worksheets/sheet2.xml": f"<worksheet><sheetData>{''.join(lines)}</sheetData></worksheet>",
            "xl/sharedStrings.xml": f"<sst>{shared}</sst>",
            "xl/styles.xml": '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
        }
    )


def ods(rows: list[list[Cell]]) -> bytes:
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
    return zipped(**{"content.xml": ods_content("".join(lines))})


REPEATED = "table:number-columns-repeated"


def ods_content(lines: str, before: str = "") -> str:
    names = 'xmlns:office="o" xmlns:table="t" xmlns:text="x"'
    return f"{before}<office:document-content {names}><table:table>{lines}</table:table></office:document-content>"
