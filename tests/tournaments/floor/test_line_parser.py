"""The floor's lines: `t5 call m30`, `m30 start`, `late smith 10`, and that results stay results."""

import pytest

from engine.errors import Refused
from tournaments.results.lines import TypedLine, Verb, parse
from tournaments.results.quick_entry import RESULTS


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("t5 call m30", TypedLine(Verb.CALL, 30, table="5")),
        ("T5 CALL M 30", TypedLine(Verb.CALL, 30, table="5")),
        ("call m30 t5", TypedLine(Verb.CALL, 30, table="5")),
        ("m30 call t5", TypedLine(Verb.CALL, 30, table="5")),
        ("m30 call", TypedLine(Verb.CALL, 30)),
        ("call m30", TypedLine(Verb.CALL, 30)),
        ("m30 again", TypedLine(Verb.AGAIN, 30)),
        ("m30 start", TypedLine(Verb.START, 30)),
        ("m30 hold", TypedLine(Verb.HOLD, 30)),
        ("m30 pin", TypedLine(Verb.PIN, 30)),
        ("m30 release", TypedLine(Verb.RELEASE, 30)),
        ("m30 rest", TypedLine(Verb.REST, 30)),
        ("m30 t7", TypedLine(Verb.SITS, 30, table="7")),
        ("m30 tStream", TypedLine(Verb.SITS, 30, table="Stream")),
        ("m30 run 5-3", TypedLine(Verb.RUN, 30, score=(5, 3))),
        ("m30 run 5 3", TypedLine(Verb.RUN, 30, score=(5, 3))),
        ("t5 free", TypedLine(Verb.FREE, table="5")),
        ("t5 back", TypedLine(Verb.BACK, table="5")),
        ("t5 out lamp broken", TypedLine(Verb.OUT, table="5", value="lamp broken")),
        ("t5 out", TypedLine(Verb.OUT, table="5", value="")),
        ("late smith 10", TypedLine(Verb.LATE, names=("smith",), value="10")),
        ("late van der Berg 12m", TypedLine(Verb.LATE, names=("van der Berg",), value="12")),
        ("accessible smith", TypedLine(Verb.ACCESSIBLE, names=("smith",))),
        ("accessible van der Berg off", TypedLine(Verb.ACCESSIBLE, names=("van der Berg",), value="off")),
        ("pause 20:00", TypedLine(Verb.PAUSE, value="20:00")),
        ("pause", TypedLine(Verb.PAUSE)),
        ("resume", TypedLine(Verb.RESUME)),
        ("auto on", TypedLine(Verb.AUTO, value="on")),
        ("autopilot off", TypedLine(Verb.AUTO, value="off")),
    ],
)
def test_a_line_of_the_floor(text: str, line: TypedLine) -> None:
    assert parse(text) == line


@pytest.mark.parametrize(
    "text",
    [
        "m22 11-7",
        "m22 forfeit smith",
        "bob 7-4",
        "bergmann 7 csonka 4",
        "open m22 11-7",
        "undo",
        "?",
        "tom 7-4",
        "pause 25:00",
    ],
)
def test_a_result_is_no_line_of_the_floor(text: str) -> None:
    line = parse(text)
    assert line.verb in (*RESULTS, Verb.UNDO, Verb.HELP)
    assert not line.table


@pytest.mark.parametrize("text", ["late 10", "m30", "t5", "m30 run", "t5 call", "start m30 now"])
def test_an_incomplete_line_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        parse(text)
