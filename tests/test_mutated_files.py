"""Damaged files of every kind that somebody can send: each is read or refused with a code, and nothing else raised.

The readers run in this process: that a fault of theirs reaches nobody else is tested in `tests/core/test_limited.py`.
"""

import io
import json
import zipfile
from collections import Counter
from collections.abc import Callable
from datetime import date
from functools import cache
from random import Random

import pytest
from PIL import Image

from benchmarks.fuzz import mutated, own_samples
from core.messages import registered
from core.people_lists import read_people
from core.pictures import drawn_anew
from core.spreadsheets import read_text, spreadsheet_text
from engine.errors import Refused
from engine.records import read, refuse_other_files
from matches.analysis.queue import senders_analysis
from matches.rankings.imports import match_rows, start_rows
from matches.records.verdicts import checked_record
from tests.engine.records.test_xg import game, header, packed, roll
from tests.seasons.workbooks import Cell, ods, xlsx
from tests.tiers import TEST_SEED, TIER

ROWS: list[list[Cell]] = [["Name", "Date", "Points"], *([f"Player {n}", date(2024, 1, n), n / 4] for n in range(1, 9))]
TABLE = "\n".join(";".join(str(cell) for cell in row) for row in ROWS)
COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
METHOD = {b"PK\3\4": 8, b"PK\1\2": 10}
"""Offsets of the method of compression in both headers of a part (APPNOTE.TXT 4.3.7, 4.3.12)."""


def picture(file_format: str) -> bytes:
    data = io.BytesIO()
    Image.effect_mandelbrot((48, 40), (-2, -1, 1, 1), 9).convert("RGB").save(data, file_format)
    return data.getvalue()


def record(content: bytes) -> object:
    """Read a record as a request, the worker of records and the worker of analyses do, and return its verdict."""
    refuse_other_files(content)
    checked = checked_record(content)
    if checked["transcript"] is not None:
        senders_analysis(content, read(content))
    return checked


def rated(content: bytes) -> object:
    """Read starting ratings and past matches, pasted as text."""
    text = content.decode("utf-8", "replace")
    try:
        return start_rows(text)
    except Refused:
        return len(match_rows(text))


def pasted(content: bytes) -> object:
    return [sheet.rows for sheet in read_text(content.decode("utf-8", "replace"))]


def listed(content: bytes) -> object:
    """Read a list of people, pasted or in a file."""
    return [person.name for person in read_people(spreadsheet_text(content))]


@cache
def samples() -> dict[str, tuple[Callable[[bytes], object], bytes]]:
    """Return a sound file of each kind, and what reads it."""
    records = own_samples(seed=42)
    return {
        "xlsx": (spreadsheet_text, xlsx(ROWS)),
        "ods": (spreadsheet_text, ods(ROWS)),
        "csv": (spreadsheet_text, TABLE.encode()),
        "csv in UTF-16": (spreadsheet_text, TABLE.encode("utf-16")),
        "pasted": (pasted, TABLE.encode()),
        "names": (listed, TABLE.encode()),
        "ratings": (rated, b"date,winner,loser,length\n2024-01-02,Bob,Carol,7\n2024-01-03,Carol,Bob,5\n"),
        **{file_format: (drawn_anew, picture(file_format)) for file_format in ("PNG", "JPEG", "WEBP")},
        "xg": (record, packed(header() + game() + roll(1, (3, 1), (8, 5, 6, 5, -1, -1, -1, -1)))),
        "zip": (record, xlsx(ROWS)),
        **{name: (record, data) for name, data in records.items()},
    }


def damaged(name: str, chance: Random) -> bytes:
    """Return the sample with a fault: bytes changed, cut off, mixed with another sample, or a part of it changed."""
    content = samples()[name][1]
    match chance.randrange(5 if zipfile.is_zipfile(io.BytesIO(content)) else 3):
        case 0:
            return with_other_bytes(content, chance)
        case 1:
            return mutated(content, chance)
        case 2:
            other = samples()[chance.choice(sorted(samples()))][1]
            return content[: chance.randrange(len(content))] + other[chance.randrange(len(other)) :]
        case 3:
            return other_method(content, chance)
        case _:
            parts = other_parts(content, chance)
            return parts if chance.random() < 0.5 else with_other_bytes(parts, chance)


def with_other_bytes(content: bytes, chance: Random) -> bytes:
    changed = bytearray(content)
    for _ in range(chance.choice((1, 2, 8, 40))):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def other_method(content: bytes, chance: Random) -> bytes:
    """Return an archive whose parts say that they are packed in another way than they are."""
    changed = bytearray(content)
    for signature, offset in METHOD.items():
        at = changed.find(signature)
        while at >= 0:
            if chance.random() < 0.7:
                changed[at + offset] = chance.choice((*COMPRESSIONS, 9, 97))
            at = changed.find(signature, at + 1)
    return bytes(changed)


def other_parts(content: bytes, chance: Random) -> bytes:
    """Return an archive that is sound, with parts that are damaged, packed in another way, missing or there twice."""
    target = io.BytesIO()
    methods = chance.choice((COMPRESSIONS, COMPRESSIONS[:2], COMPRESSIONS[:2]))
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(target, "w") as archive:
        for name in source.namelist():
            part = source.read(name)
            for _ in range(chance.choices((0, 1, 2), (1, 20, 1))[0]):
                part = mutated(part, chance) if chance.random() < 0.3 else part
                archive.writestr(name, part, compress_type=chance.choice(methods))
    return target.getvalue()


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.filterwarnings("ignore")
def test_a_damaged_file_is_read_or_refused() -> None:
    chance = Random(TEST_SEED)
    outcomes: Counter[str] = Counter()
    uncaught: list[str] = []
    codes: set[str] = set()
    names = sorted(samples())
    for number in range(TIER.mutated_files):
        name = names[number % len(names)]
        content = damaged(name, chance)
        try:
            value = samples()[name][0](content)
            assert isinstance(value, bytes) or json.dumps(value)
            outcomes["read"] += 1
        except Refused as refused:
            outcomes["refused"] += 1
            codes.add(refused.code)
        except Exception as error:  # noqa: BLE001, counted
            uncaught.append(f"{name}: {type(error).__name__}: {error}")
    assert uncaught == [], f"{len(uncaught)} of {TIER.mutated_files}"
    assert codes <= set(registered())
    assert min(outcomes["read"], outcomes["refused"]) > TIER.mutated_files / 10


def test_a_sound_file_of_each_kind_is_read() -> None:
    assert len(samples()) > 12
    for name, (reader, content) in samples().items():
        if name == "zip":
            with pytest.raises(Refused):
                reader(content)
        else:
            assert reader(content)
