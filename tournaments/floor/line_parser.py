"""Parses the floor's lines that a director types; does not use the database.

t5 call m30             call M30 to table 5
m30 call                call M30 to the table that is suggested for it
m30 again               call M30 a second time
m30 start               M30 has started
m30 t7                  M30 is played at table 7
m30 run 5-3             the running score of M30
m30 pin, hold, release  put M30 first, keep it from being called, or neither
m30 rest                M30 needs no more rest
m30 clocks              M30 is played with clocks from now on
m30 adjourn, resume     M30 is adjourned, or goes on
t5 free                 table 5 is free
t5 out lamp broken      table 5 is out of use; t5 back: it is in use again
late smith 10           Smith is 10 minutes late for their match
accessible smith        Smith needs an accessible table; accessible smith off: no longer
pause 20:00, pause      pause the event until then, or until it is resumed
resume                  end the pause
auto on, auto off       call matches automatically, or only suggest them

A line that is none of these is a result, or `undo` (`tournaments.results.line_parser`).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import time
from enum import StrEnum

from tournaments.models import Autopilot
from tournaments.results.line_parser import MOST_NUMBER_DIGITS

MOST_MINUTES_DIGITS = 3
HOURS, MINUTES = 24, 60

_M = rf"m\s?(?P<number>\d{{1,{MOST_NUMBER_DIGITS}}})"
_T = r"t\s?(?P<table>[^\W_][\w-]{0,19})"


class Verb(StrEnum):
    """What a line does to a match, a table or the event."""

    CALL = "call"
    AGAIN = "again"
    START = "start"
    PIN = "pin"
    HOLD = "hold"
    RELEASE = "release"
    REST = "rest"
    CLOCKS = "clocks"
    ADJOURN = "adjourn"
    FREE = "free"
    BACK = "back"
    RESUME = "resume"


@dataclass(frozen=True, slots=True)
class MatchLine:
    """Something about a match; `table` only for a call, empty for the suggested one."""

    verb: Verb
    number: int
    table: str = ""


@dataclass(frozen=True, slots=True)
class MoveLine:
    """A match sits at this table."""

    number: int
    table: str


@dataclass(frozen=True, slots=True)
class RunningLine:
    """A running score, in the order in which the fixture shows its players."""

    number: int
    score: tuple[int, int]


@dataclass(frozen=True, slots=True)
class TableLine:
    """A table is free, or back in use."""

    verb: Verb
    table: str


@dataclass(frozen=True, slots=True)
class OutLine:
    """A table is out of use."""

    table: str
    reason: str


@dataclass(frozen=True, slots=True)
class LateLine:
    """A named player is so many minutes late."""

    name: str
    minutes: int


@dataclass(frozen=True, slots=True)
class AccessibleLine:
    """A named player needs an accessible table, or no longer does."""

    name: str
    needed: bool


@dataclass(frozen=True, slots=True)
class PauseLine:
    """Pause the event until a time of day at the venue; None until it is resumed."""

    until: time | None


@dataclass(frozen=True, slots=True)
class ResumeLine:
    """End the pause."""


@dataclass(frozen=True, slots=True)
class AutopilotLine:
    """Switch the autopilot."""

    mode: Autopilot


FloorLine = (
    MatchLine
    | MoveLine
    | RunningLine
    | TableLine
    | OutLine
    | LateLine
    | AccessibleLine
    | PauseLine
    | ResumeLine
    | AutopilotLine
)

_ABOUT_MATCH = "|".join(
    (
        Verb.CALL,
        Verb.AGAIN,
        Verb.START,
        Verb.PIN,
        Verb.HOLD,
        Verb.RELEASE,
        Verb.REST,
        Verb.CLOCKS,
        Verb.ADJOURN,
        Verb.RESUME,
    )
)
_PATTERNS: list[tuple[str, Callable[[re.Match[str]], FloorLine | None]]] = [
    (rf"{_T}\s+call\s+{_M}", lambda groups: MatchLine(Verb.CALL, int(groups["number"]), groups["table"])),
    (rf"(?:{_M}\s+call|call\s+{_M.replace('number', 'other')})\s+{_T}", lambda groups: _call(groups)),
    (rf"call\s+{_M}", lambda groups: MatchLine(Verb.CALL, int(groups["number"]))),
    (rf"{_M}\s+(?P<verb>{_ABOUT_MATCH})", lambda groups: _about_match(groups)),
    (rf"{_M}\s+run\s+(\d{{1,2}})\s*[-–−:/ ]\s*(\d{{1,2}})", lambda groups: _running(groups)),
    (rf"{_M}\s+{_T}", lambda groups: MoveLine(int(groups["number"]), groups["table"])),
    (rf"{_T}\s+(?P<verb>free|back)", lambda groups: TableLine(Verb(groups["verb"].lower()), groups["table"])),
    (rf"{_T}\s+out(?:\s+(?P<reason>.+))?", lambda groups: OutLine(groups["table"], groups["reason"] or "")),
    (
        rf"late\s+(?P<name>\D.*?)\s+(?P<minutes>\d{{1,{MOST_MINUTES_DIGITS}}})\s*m?(?:in)?",
        lambda groups: LateLine(groups["name"], int(groups["minutes"])),
    ),
    (
        r"accessible\s+(?P<name>\D.*?)(?P<off>\s+off)?",
        lambda groups: AccessibleLine(groups["name"], groups["off"] is None),
    ),
    (r"pause(?:\s+(?P<hour>\d{1,2})[:.](?P<minute>\d{2}))?", lambda groups: _pause(groups)),
    (r"resume", lambda _groups: ResumeLine()),
    (r"auto(?:pilot)?\s+on", lambda _groups: AutopilotLine(Autopilot.CALL)),
    (r"auto(?:pilot)?\s+off", lambda _groups: AutopilotLine(Autopilot.SUGGEST)),
]
_COMPILED = [(re.compile(pattern, re.IGNORECASE), build) for pattern, build in _PATTERNS]


def parse_floor_line(text: str) -> FloorLine | None:
    """Parse one line; None if it is not a line of the floor.

    >>> parse_floor_line("t5 call m30")
    MatchLine(verb=<Verb.CALL: 'call'>, number=30, table='5')
    >>> parse_floor_line("late smith 10")
    LateLine(name='smith', minutes=10)
    >>> parse_floor_line("m22 11-7") is None
    True
    """
    line = " ".join(text.split())
    for pattern, build in _COMPILED:
        if (groups := pattern.fullmatch(line)) is not None:
            return build(groups)
    return None


def _call(groups: re.Match[str]) -> FloorLine:
    return MatchLine(Verb.CALL, int(groups["number"] or groups["other"]), groups["table"])


def _about_match(groups: re.Match[str]) -> FloorLine:
    return MatchLine(Verb(groups["verb"].lower()), int(groups["number"]))


def _running(groups: re.Match[str]) -> FloorLine:
    return RunningLine(int(groups["number"]), (int(groups[2]), int(groups[3])))


def _pause(groups: re.Match[str]) -> FloorLine | None:
    if groups["hour"] is None:
        return PauseLine(None)
    hour, minute = int(groups["hour"]), int(groups["minute"])
    return PauseLine(time(hour, minute)) if hour < HOURS and minute < MINUTES else None
