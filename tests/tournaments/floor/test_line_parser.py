"""The floor's lines: `t5 call m30`, `m30 start`, `late smith 10`, and that results stay results."""

from datetime import time

import pytest

from tournaments.floor.lines import (
    AccessibleLine,
    AutopilotLine,
    FloorLine,
    LateLine,
    MatchLine,
    PauseLine,
    ResumeLine,
    RunningLine,
    TableLine,
    Verb,
    parse_floor_line,
)
from tournaments.models import Autopilot
from tournaments.results.lines import parse


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("t5 call m30", MatchLine(Verb.CALL, 30, "5")),
        ("T5 CALL M 30", MatchLine(Verb.CALL, 30, "5")),
        ("call m30 t5", MatchLine(Verb.CALL, 30, "5")),
        ("m30 call t5", MatchLine(Verb.CALL, 30, "5")),
        ("m30 call", MatchLine(Verb.CALL, 30)),
        ("call m30", MatchLine(Verb.CALL, 30)),
        ("m30 again", MatchLine(Verb.AGAIN, 30)),
        ("m30 start", MatchLine(Verb.START, 30)),
        ("m30 hold", MatchLine(Verb.HOLD, 30)),
        ("m30 pin", MatchLine(Verb.PIN, 30)),
        ("m30 release", MatchLine(Verb.RELEASE, 30)),
        ("m30 rest", MatchLine(Verb.REST, 30)),
        ("m30 t7", MatchLine(Verb.SITS, 30, "7")),
        ("m30 tStream", MatchLine(Verb.SITS, 30, "Stream")),
        ("m30 run 5-3", RunningLine(30, (5, 3))),
        ("m30 run 5 3", RunningLine(30, (5, 3))),
        ("t5 free", TableLine(Verb.FREE, "5")),
        ("t5 back", TableLine(Verb.BACK, "5")),
        ("t5 out lamp broken", TableLine(Verb.OUT, "5", "lamp broken")),
        ("t5 out", TableLine(Verb.OUT, "5", "")),
        ("late smith 10", LateLine("smith", 10)),
        ("late van der Berg 12m", LateLine("van der Berg", 12)),
        ("accessible smith", AccessibleLine("smith", needed=True)),
        ("accessible van der Berg off", AccessibleLine("van der Berg", needed=False)),
        ("pause 20:00", PauseLine(time(20))),
        ("pause", PauseLine(None)),
        ("resume", ResumeLine()),
        ("auto on", AutopilotLine(Autopilot.CALL)),
        ("autopilot off", AutopilotLine(Autopilot.SUGGEST)),
    ],
)
def test_a_line_of_the_floor(text: str, line: FloorLine) -> None:
    assert parse_floor_line(text) == line


@pytest.mark.parametrize(
    "text", ["m22 11-7", "m22 forfeit smith", "bob 7-4", "bergmann 7 csonka 4", "open m22 11-7", "undo", "?", "tom 7-4"]
)
def test_a_result_is_no_line_of_the_floor(text: str) -> None:
    assert parse_floor_line(text) is None
    parse(text)


@pytest.mark.parametrize("text", ["pause 25:00", "late 10", "m30", "t5", "m30 run", "t5 call", "start m30 now"])
def test_an_incomplete_line_is_none(text: str) -> None:
    assert parse_floor_line(text) is None
