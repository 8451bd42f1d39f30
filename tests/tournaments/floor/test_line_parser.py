"""The floor's lines: `t5 call m30`, `m30 start`, `late smith 10`, and that results stay results."""

import pytest

from tournaments.results.lines import Line, Verb, parse, parse_floor_line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("t5 call m30", Line(Verb.CALL, 30, table="5")),
        ("T5 CALL M 30", Line(Verb.CALL, 30, table="5")),
        ("call m30 t5", Line(Verb.CALL, 30, table="5")),
        ("m30 call t5", Line(Verb.CALL, 30, table="5")),
        ("m30 call", Line(Verb.CALL, 30)),
        ("call m30", Line(Verb.CALL, 30)),
        ("m30 again", Line(Verb.AGAIN, 30)),
        ("m30 start", Line(Verb.START, 30)),
        ("m30 hold", Line(Verb.HOLD, 30)),
        ("m30 pin", Line(Verb.PIN, 30)),
        ("m30 release", Line(Verb.RELEASE, 30)),
        ("m30 rest", Line(Verb.REST, 30)),
        ("m30 t7", Line(Verb.SITS, 30, table="7")),
        ("m30 tStream", Line(Verb.SITS, 30, table="Stream")),
        ("m30 run 5-3", Line(Verb.RUN, 30, score=(5, 3))),
        ("m30 run 5 3", Line(Verb.RUN, 30, score=(5, 3))),
        ("t5 free", Line(Verb.FREE, table="5")),
        ("t5 back", Line(Verb.BACK, table="5")),
        ("t5 out lamp broken", Line(Verb.OUT, table="5", value="lamp broken")),
        ("t5 out", Line(Verb.OUT, table="5", value="")),
        ("late smith 10", Line(Verb.LATE, names=("smith",), value="10")),
        ("late van der Berg 12m", Line(Verb.LATE, names=("van der Berg",), value="12")),
        ("accessible smith", Line(Verb.ACCESSIBLE, names=("smith",))),
        ("accessible van der Berg off", Line(Verb.ACCESSIBLE, names=("van der Berg",), value="off")),
        ("pause 20:00", Line(Verb.PAUSE, value="20:00")),
        ("pause", Line(Verb.PAUSE)),
        ("resume", Line(Verb.RESUME)),
        ("auto on", Line(Verb.AUTO, value="on")),
        ("autopilot off", Line(Verb.AUTO, value="off")),
    ],
)
def test_a_line_of_the_floor(text: str, line: Line) -> None:
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
