"""Uploads made to use up time or memory, each with the code with which it is refused.

`tests/test_bombs.py` sends those that take a moment, `python -m benchmarks.bench_bombs` all, and measures them.
"""

import zipfile
from collections.abc import Callable
from io import BytesIO
from itertools import repeat
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, NamedTuple

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape
from PIL import Image, PngImagePlugin

from config.backup import MAX_MANIFEST, ArchiveReader, BrokenArchive
from core.messages import sentence
from core.pictures import MAX_PIXELS
from core.spreadsheets import MAX_BYTES as MAX_SPREADSHEET_BYTES
from core.spreadsheets import MAX_UNPACKED
from matches.models import MAX_BYTES, Submission
from matches.reporting.records import adjudicate_submission
from tests.engine.records.samples import HEADER
from tests.engine.records.test_xg import game, header, packed, roll
from tests.matches.records.foreign_files import packed_zeros
from tournaments.models import Division

MIB = 1024 * 1024
OVER = 17 * MIB
"""More than any upload may have."""
ACCEPTED = "accepted"
TOO_MANY = "spreadsheet_too_many_cells"


class Bomb(NamedTuple):
    """An upload that nobody needs."""

    name: str
    send: Callable[["Site", bytes], str]
    data: Callable[[], bytes]
    code: str
    is_quick: bool = True
    """Whether it is refused before anything reads it, or nearly so."""


class Site:
    """A site with a division, and a client in which its director is signed in."""

    def __init__(self, division: Division, director: Client) -> None:
        self.director = director
        event = division.tournament
        self.entries_url = reverse("entries-paste", args=[event.club.slug, event.slug, division.public_id])
        self.entries_api = f"/api/v1/divisions/{division.public_id}/entries/paste/"
        self.seasons_api = f"/api/v1/clubs/{event.club.slug}/past-seasons/"
        self.emblem_api = f"/api/v1/clubs/{event.club.slug}/emblem/"

    def record(self, data: bytes) -> str:
        """Send a record to be checked by anybody, and check it as a worker does."""
        answer = Client().post("/check/", {"file": SimpleUploadedFile("a.mat", data)})
        if answer.status_code != 302:
            return answer.content.decode().partition('data-code="')[2].partition('"')[0]
        row = Submission.objects.latest("pk")
        adjudicate_submission(submission_id=row.pk, now=timezone.now())
        checked = Client().get(f"/api/v1/submissions/{row.public_id}/").json()
        if checked["failure"] or checked["verdict"]["outcome"] != "rejected":
            return str(checked["failure"] or checked["verdict"]["outcome"])
        return str(checked["verdict"]["findings"][0]["code"])

    def entry_list(self, data: bytes) -> str:
        """Send the names of players as a CSV file."""
        answer = self.director.post(self.entries_url, {"file": SimpleUploadedFile("names.csv", data)})
        page = answer.content.decode()
        codes = ("spreadsheet_too_large", TOO_MANY, "spreadsheet_unreadable", "spreadsheet_too_long")
        params = {"mebibytes": 5, "most": "", "columns": ""}
        shown = [code for code in codes if escape(sentence(code, params)[:30]) in page]
        return shown[0] if shown else str(answer.status_code)

    def spreadsheet(self, data: bytes) -> str:
        """Send an earlier season as a spreadsheet."""
        file = SimpleUploadedFile("season.xlsx", data)
        answer = self.director.post(self.seasons_api, {"name": "2019", "preview": "true", "file": file})
        return ACCEPTED if answer.status_code == 200 else str(answer.json()["code"])

    def emblem(self, data: bytes) -> str:
        """Send a picture as the emblem of the club."""
        body = encode_multipart(BOUNDARY, {"image": SimpleUploadedFile("emblem.png", data)})
        answer = self.director.put(self.emblem_api, body, content_type=MULTIPART_CONTENT)
        return ACCEPTED if answer.status_code == 200 else str(answer.json()["code"])

    def json(self, data: bytes) -> str:
        """Send JSON to an endpoint that anybody may use."""
        return str(Client().post("/api/v1/tokens/", data, content_type="application/json").json()["code"])

    def names_by_json(self, data: bytes) -> str:
        """Send JSON to an endpoint that takes a long list."""
        answer = self.director.post(self.entries_api, data, content_type="application/json")
        return str(answer.json()["code"])

    def form(self, data: bytes) -> str:
        """Send the fields of a form."""
        answer = Client().post("/check/", data, content_type="application/x-www-form-urlencoded")
        return str(answer.status_code)

    def punycode(self, data: bytes) -> str:
        """Send a form in an encoding whose decoding takes quadratic time."""
        kind = "multipart/form-data; boundary=x; charset=punycode"
        return str(Client().post("/check/", data, content_type=kind).status_code)

    def archive(self, data: bytes) -> str:
        """Verify a backup."""
        with NamedTemporaryFile() as file:
            file.write(data)
            file.flush()
            try:
                with ArchiveReader(Path(file.name)) as archive:
                    archive.verify()
            except BrokenArchive:
                return "broken_archive"
        return ACCEPTED


def peak() -> int:
    """Return the most memory that this process has held, in bytes."""
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) * 1024


def reset_peak() -> None:
    """Let `peak` count from what this process holds now."""
    Path("/proc/self/clear_refs").write_text("5")


def filled(line: str, size: int = MAX_BYTES) -> bytes:
    """Repeat a line after the head of a match, up to a size in bytes."""
    return (HEADER + "".join(repeat(line, size // len(line) + 1))).encode()[:size]


def zipped(size: int, name: str = "manifest.json") -> bytes:
    """Return a ZIP file with so many zero bytes."""
    target = BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, bytes(size))
    return target.getvalue()


WORKBOOK = {
    "xl/workbook.xml": '<workbook><sheets><sheet name="2019"/></sheets></workbook>',
    "xl/worksheets/sheet1.xml": "<worksheet><row><c><v>1</v></c></row></worksheet>",
}
UNPACKED = MAX_UNPACKED - 4096
"""Bytes that one part of a workbook may have beside the others."""


def workbook(compression: int = zipfile.ZIP_DEFLATED, **parts: str | bytes) -> bytes:
    """Return a workbook of one sheet with other parts, or others in place of its own; `__` stands for a slash."""
    target = BytesIO()
    with zipfile.ZipFile(target, "w", compression) as archive:
        for name, content in (
            WORKBOOK | {name.replace("__", "/") + ".xml": part for name, part in parts.items()}
        ).items():
            archive.writestr(name, content)
    return target.getvalue()


def endless(text: str, head: str, part: str) -> Callable[[], bytes]:
    """Return a function that makes a workbook with one part of as many elements as may be unpacked."""
    return lambda: workbook(**{part: repeated(text, UNPACKED, head)()})


def sheet_of(cells: str) -> bytes:
    """Return a workbook whose sheet has these rows."""
    return workbook(xl__worksheets__sheet1=f"<worksheet>{cells}</worksheet>")


def opendocument(content: str) -> bytes:
    """Return an OpenDocument spreadsheet of one table."""
    target = BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("content.xml", f'<d xmlns:table="t" xmlns:text="x"><table:table>{content}</table:table></d>')
    return target.getvalue()


def many_parts() -> bytes:
    """Return an archive with as many parts as a spreadsheet has room for."""
    target = BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for number in range(MAX_SPREADSHEET_BYTES // 100):
            archive.writestr(f"{number}", b"")
    return target.getvalue()


def attributes() -> str:
    """Return an element of 3 MiB with 300,000 attributes."""
    return "<a " + " ".join(f"a{number}=''" for number in range(300_000)) + "/>"


def picture(file_format: str, mode: str, **options: Any) -> bytes:
    """Return a picture of the largest size that is read."""
    target = BytesIO()
    Image.new(mode, (MAX_PIXELS, MAX_PIXELS)).save(target, file_format, **options)
    return target.getvalue()


def packed_texts() -> bytes:
    """Return a PNG with texts that unpack to 1 MiB each."""
    info = PngImagePlugin.PngInfo()
    for number in range(60):
        info.add_text(str(number), "a" * (MIB - 1), zip=True)
    return picture("PNG", "L", pnginfo=info)


def repeated(text: str, size: int, head: str = "", tail: str = "") -> Callable[[], bytes]:
    """Return a function that makes a text of so many bytes from repetitions."""
    return lambda: (head + text * ((size - len(head) - len(tail)) // len(text)) + tail).encode()


BOMBS = (
    # Records
    Bomb("record of 48 MiB", Site.record, lambda: b"x" * 6 * MAX_BYTES, "record_too_large"),
    Bomb("NUL bytes, 8 MiB", Site.record, lambda: bytes(MAX_BYTES), "not_text"),
    Bomb("ZIP of 64 MiB as a record", Site.record, lambda: zipped(64 * MIB), "is_zip"),
    Bomb("`.xg` of 256 MiB, packed", Site.record, lambda: packed(bytes(256 * MIB)), "inflates_too_much"),
    Bomb("`.xg` packed twice", Site.record, lambda: packed(packed(bytes(64 * MIB))), "damaged_file"),
    Bomb(
        "`.xg` with 6,000 plies",
        Site.record,
        lambda: packed(header() + game() + roll(1, (5, 1), (-1,) * 8) * 6000),
        "must_play",
        is_quick=False,
    ),
    Bomb("`.bgf` of 1 GiB, packed", Site.record, lambda: packed_zeros(1024), "record_too_large"),
    Bomb("match on one line, 8 MiB", Site.record, lambda: filled("31: 8/5 6/5 "), "line_too_long", False),
    Bomb("a million plies", Site.record, lambda: filled("  1) 31: 8/5\n"), "too_many_plies", False),
    Bomb("a million lines", Site.record, lambda: filled("x\n"), "too_many_lines", False),
    Bomb(
        "brackets in `.mat`, 8 MiB",
        Site.record,
        lambda: filled("  1) 31: " + "(" * 1900 + "\n"),
        "unreadable_cell",
        False,
    ),
    Bomb("a million nodes in SGF", Site.record, repeated(";", MAX_BYTES, "(;GM[6]"), "too_many_plies", False),
    Bomb("nested trees in SGF, 8 MiB", Site.record, repeated("(", MAX_BYTES, "(;GM[6]"), "cut_short", False),
    Bomb("nested JSON, 8 MiB", Site.record, repeated("[", MAX_BYTES, '{"a":'), "too_many_values", False),
    Bomb(
        "four million lists in JSON",
        Site.record,
        repeated("[],", MAX_BYTES, '{"a":[', "0]}"),
        "too_many_values",
        False,
    ),
    Bomb(
        "half a character, 8 MiB",
        Site.record,
        lambda: b"\xff\xfe" + b"\0\xd8" * (MAX_BYTES // 2 - 1),
        "unknown_format",
        False,
    ),
    # Lists of entries
    Bomb("CSV of 17 MiB", Site.entry_list, repeated("a\n", OVER - 1000), "spreadsheet_too_large"),
    Bomb("CSV of 350,000 names", Site.entry_list, repeated("ab\n", MIB), TOO_MANY),
    Bomb("CSV on one line, 1 MiB", Site.entry_list, repeated("a", MIB), "spreadsheet_unreadable"),
    Bomb("CSV of a million columns", Site.entry_list, repeated(",", MIB), "spreadsheet_too_long"),
    Bomb("CSV with an open quotation mark", Site.entry_list, repeated("a\n", MIB, '"'), "spreadsheet_unreadable"),
    Bomb("CSV with a NUL at its end", Site.entry_list, repeated("a\n", MIB, "name\n", "\0"), TOO_MANY),
    # Spreadsheets
    Bomb(
        "strings without end",
        Site.spreadsheet,
        endless("<si/>", "<sst>", "xl__sharedStrings"),
        TOO_MANY,
    ),
    Bomb(
        "styles without end",
        Site.spreadsheet,
        endless("<xf/>", "<s><cellXfs>", "xl__styles"),
        TOO_MANY,
    ),
    Bomb(
        "formats of numbers",
        Site.spreadsheet,
        lambda: workbook(xl__styles="<s>" + "".join(f'<numFmt numFmtId="{number}"/>' for number in range(1_000_000))),
        TOO_MANY,
    ),
    Bomb("sheets without end", Site.spreadsheet, endless("<sheet/>", "<w>", "xl__workbook"), TOO_MANY),
    Bomb(
        "cells of one row",
        Site.spreadsheet,
        endless("<c><v>1</v></c>", "<w><row>", "xl__worksheets__sheet1"),
        TOO_MANY,
    ),
    Bomb(
        "empty cells",
        Site.spreadsheet,
        endless("<c/>", "<w><row>", "xl__worksheets__sheet1"),
        TOO_MANY,
    ),
    Bomb(
        "one text in 20,000 cells",
        Site.spreadsheet,
        lambda: workbook(
            xl__sharedStrings=f"<sst><si><t>{'a' * 30_000}</t></si></sst>",
            xl__worksheets__sheet1="<w>" + '<row><c t="s"><v>0</v></c></row>' * 20_000 + "</w>",
        ),
        "spreadsheet_too_long",
    ),
    Bomb(
        "texts beside the cells",
        Site.spreadsheet,
        lambda: opendocument("<a/>x" * (UNPACKED // 5)),
        TOO_MANY,
    ),
    Bomb(
        "paragraphs in one cell",
        Site.spreadsheet,
        lambda: opendocument("<table:table-row><table:table-cell>x" + "<text:p/>" * (UNPACKED // 10)),
        TOO_MANY,
    ),
    Bomb("attributes without end", Site.spreadsheet, lambda: sheet_of(attributes()), "spreadsheet_too_large"),
    Bomb(
        "one attribute of 32 MiB",
        Site.spreadsheet,
        lambda: sheet_of(f"<a b='{'c' * (UNPACKED - 99)}'/>"),
        "spreadsheet_too_large",
    ),
    Bomb("archive of 52,000 parts", Site.spreadsheet, many_parts, "spreadsheet_unreadable"),
    Bomb(
        "packed by LZMA",
        Site.spreadsheet,
        lambda: workbook(zipfile.ZIP_LZMA, xl__styles="<a>"),
        "spreadsheet_unreadable",
    ),
    Bomb(
        "CSV of 5 million columns",
        Site.spreadsheet,
        repeated(",", MAX_SPREADSHEET_BYTES),
        "spreadsheet_too_long",
    ),
    Bomb(
        "CSV of 2.5 million rows",
        Site.spreadsheet,
        repeated("\n,", MAX_SPREADSHEET_BYTES),
        TOO_MANY,
    ),
    # Pictures
    Bomb("PNG of 4 million pixels", Site.emblem, lambda: picture("PNG", "RGBA"), ACCEPTED),
    Bomb("WebP of 4 million pixels", Site.emblem, lambda: picture("WEBP", "RGBA", lossless=True), ACCEPTED),
    Bomb("JPEG of 4 million pixels", Site.emblem, lambda: picture("JPEG", "CMYK"), ACCEPTED),
    Bomb("PNG with 60 MiB of texts", Site.emblem, packed_texts, ACCEPTED),
    # JSON
    Bomb("JSON of 64 MiB", Site.json, repeated("[],", 64 * MIB, "[", "0]"), "too_large"),
    Bomb("five million lists in JSON", Site.json, repeated("[],", OVER, "[", "0]"), "too_large"),
    Bomb("JSON nested 17 million deep", Site.json, repeated("[", OVER), "too_large"),
    Bomb("JSON nested 200,000 deep", Site.json, repeated("[", 200_000), "parse_error"),
    Bomb("a number of 200,000 digits", Site.json, repeated("1", 200_000), "parse_error"),
    Bomb("100,000 names in JSON", Site.names_by_json, repeated('"a",', 400_000, '{"names":[', '"a"]}'), "invalid"),
    Bomb("130,000 wrong names in JSON", Site.names_by_json, repeated("0,", 262_000, '{"names":[', "0]}"), "invalid"),
    # Forms
    Bomb("a million fields", Site.form, repeated("a=1&", OVER), "413"),
    Bomb("a field of 64 MiB", Site.form, repeated("a", 64 * MIB, "text="), "413"),
    Bomb("a form in punycode, 8 MiB", Site.punycode, repeated("a", MAX_BYTES), "400"),
    # Backups
    Bomb("manifest of 256 MiB", Site.archive, lambda: zipped(256 * MIB), "broken_archive"),
    Bomb("manifest without end", Site.archive, lambda: zipped(MAX_MANIFEST), "broken_archive"),
)
