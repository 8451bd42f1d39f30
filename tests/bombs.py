"""Uploads made to use up time or memory, each with the code with which it is refused.

`tests/test_bombs.py` sends those that take a moment, `python -m benchmarks.bench_bombs` all, and measures them.
"""

import zipfile
from collections.abc import Callable
from io import BytesIO
from itertools import repeat
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import NamedTuple

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape

from config.backup import MOST_MANIFEST, ArchiveReader, BrokenArchive
from core.messages import sentence
from matches.models import MOST_BYTES, Submission
from matches.reporting.records import adjudicate_submission
from players.people.services import MOST_NAMES
from tests.engine.records.samples import HEADER
from tests.engine.records.test_xg import game, header, packed, roll
from tournaments.entries.lists import MOST_BYTES as MOST_CSV_BYTES
from tournaments.models import Division

MIB = 1024 * 1024
OVER = 17 * MIB
"""More than any upload may have."""
ACCEPTED = "accepted"


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
        codes = ("csv_too_large", "csv_not_text", "csv_without_names", "too_many_names")
        params = {"mebibytes": 1, "most": MOST_NAMES, "count": ""}
        shown = [code for code in codes if escape(sentence(code, params)[:30]) in page]
        return shown[0] if shown else str(answer.status_code)

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


def filled(line: str, size: int = MOST_BYTES) -> bytes:
    """Repeat a line after the head of a match, up to a size in bytes."""
    return (HEADER + "".join(repeat(line, size // len(line) + 1))).encode()[:size]


def zipped(size: int, name: str = "manifest.json") -> bytes:
    """Return a ZIP file with so many zero bytes."""
    target = BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, bytes(size))
    return target.getvalue()


def repeated(text: str, size: int, head: str = "", tail: str = "") -> Callable[[], bytes]:
    """Return a function that makes a text of so many bytes from repetitions."""
    return lambda: (head + text * ((size - len(head) - len(tail)) // len(text)) + tail).encode()


BOMBS = (
    # Records
    Bomb("record of 48 MiB", Site.record, lambda: b"x" * 6 * MOST_BYTES, "record_too_large"),
    Bomb("NUL bytes, 8 MiB", Site.record, lambda: bytes(MOST_BYTES), "not_text"),
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
    Bomb("a million nodes in SGF", Site.record, repeated(";", MOST_BYTES, "(;GM[6]"), "too_many_plies", False),
    Bomb("nested trees in SGF, 8 MiB", Site.record, repeated("(", MOST_BYTES, "(;GM[6]"), "cut_short", False),
    Bomb("nested JSON, 8 MiB", Site.record, repeated("[", MOST_BYTES, '{"a":'), "too_many_values", False),
    Bomb(
        "four million lists in JSON",
        Site.record,
        repeated("[],", MOST_BYTES, '{"a":[', "0]}"),
        "too_many_values",
        False,
    ),
    Bomb(
        "half a character, 8 MiB",
        Site.record,
        lambda: b"\xff\xfe" + b"\0\xd8" * (MOST_BYTES // 2 - 1),
        "unknown_format",
        False,
    ),
    # Lists of entries
    Bomb("CSV of 17 MiB", Site.entry_list, repeated("a\n", OVER - 1000), "csv_too_large"),
    Bomb("CSV of 350,000 names", Site.entry_list, repeated("ab\n", MOST_CSV_BYTES), "too_many_names"),
    Bomb("CSV on one line, 1 MiB", Site.entry_list, repeated("a", MOST_CSV_BYTES), "csv_not_text"),
    Bomb("CSV of a million columns", Site.entry_list, repeated(",", MOST_CSV_BYTES), "csv_without_names"),
    Bomb("CSV with an open quotation mark", Site.entry_list, repeated("a\n", MOST_CSV_BYTES, '"'), "csv_not_text"),
    Bomb("CSV with a NUL at its end", Site.entry_list, repeated("a\n", MOST_CSV_BYTES, "name\n", "\0"), "csv_not_text"),
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
    Bomb("a form in punycode, 8 MiB", Site.punycode, repeated("a", MOST_BYTES), "400"),
    # Backups
    Bomb("manifest of 256 MiB", Site.archive, lambda: zipped(256 * MIB), "broken_archive"),
    Bomb("manifest without end", Site.archive, lambda: zipped(MOST_MANIFEST), "broken_archive"),
)
