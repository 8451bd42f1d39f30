"""A reader of iCalendar files (RFC 5545) that shares no code with their writer."""

import re
from typing import NamedTuple

MAX_LINE_LENGTH = 75
"""In octets, without the line break (3.1)."""
ESCAPED = {"\\n": "\n", "\\N": "\n", "\\;": ";", "\\,": ",", "\\\\": "\\"}
TEXTS = ("SUMMARY", "DESCRIPTION", "LOCATION")
ONCE = {"UID", "DTSTAMP", "DTSTART", "SUMMARY", "SEQUENCE", "STATUS", "LAST-MODIFIED"}
STAMP = re.compile(r"\d{8}T\d{6}Z")


class Entry(NamedTuple):
    """A VEVENT: its properties, with texts unescaped."""

    values: dict[str, str]

    def __getattr__(self, name: str) -> str:
        return self.values.get(name.upper().replace("_", "-"), "")

    @property
    def number(self) -> int:
        return int(self.values["SEQUENCE"])


def read(data: bytes) -> dict[str, Entry]:
    """Return the entries by UID, after checking the form of the file."""
    assert data.endswith(b"\r\n")
    lines = data[:-2].split(b"\r\n")
    assert not any(b"\n" in line or b"\r" in line for line in lines), "lines end with CRLF alone"
    assert max(map(len, lines)) <= MAX_LINE_LENGTH
    for line in lines:
        line.decode()  # No character is cut in two.
    logical: list[str] = []
    for line in (line.decode() for line in lines):
        if line[0] in " \t":
            logical[-1] += line[1:]
        else:
            logical.append(line)
    assert logical[0] == "BEGIN:VCALENDAR"
    assert logical[-1] == "END:VCALENDAR"
    assert {"VERSION:2.0"} <= set(logical)
    entries: dict[str, Entry] = {}
    values: dict[str, str] = {}
    for line in logical:
        name, _colon, value = line.partition(":")
        name = name.partition(";")[0]
        if line == "BEGIN:VEVENT":
            values = {}
        elif line == "END:VEVENT":
            _check(values)
            assert values["UID"] not in entries
            entries[values["UID"]] = Entry(values)
        else:
            assert name not in values or name not in ONCE, f"{name} twice"
            values[name] = _unescaped(value) if name in TEXTS else value
    return entries


def _unescaped(value: str) -> str:
    assert not re.search(r"(?<!\\)(?:\\\\)*[;,]", value), f"unescaped: {value}"
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", value)
    return re.sub(r"\\.", lambda match: ESCAPED[match[0]], value)


def _check(values: dict[str, str]) -> None:
    assert set(values) >= ONCE
    for name in ("DTSTAMP", "LAST-MODIFIED", "DTSTART"):
        assert STAMP.fullmatch(values[name]), name
    assert values["DTSTAMP"] == values["LAST-MODIFIED"], "without METHOD they are the same (3.8.7.2)"
    assert values["STATUS"] in ("CONFIRMED", "CANCELLED")
    assert "DTEND" not in values or values["DTEND"] > values["DTSTART"], "the end is later than the start (3.8.2.2)"
