"""Our own JSON: lossless, and strict when it is read."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Refused
from engine.records import Limits, from_data, read, to_data, write
from engine.transcript import Event, Game, Kind, Place, Problem, StatedResult, Transcript

from .samples import codes, play
from .strategies import NUMBER, RECORD_SETTINGS, SIDE, TEXT, plays, positions, transcripts

MATCH = Transcript(
    players=("Bob", "Carol"),
    length=3,
    start=(1, 0),
    info={"Event": "Club night"},
    games=(
        Game(
            number=1,
            start=(1, 0),
            crawford=False,
            events=(
                play(1, "31", "8/5", "6/5*")._replace(extra={"seconds": 4.5, "clock": [720, 715]}),
                Event(0, Kind.PLAY, (6, 6), None),
                Event(1, Kind.DOUBLE, value=2),
                Event(0, Kind.DROP),
            ),
            claim=StatedResult(1, 1),
        ),
    ),
)

WRITTEN = """\
{"format":"barpoint-match","version":1,"players":["Bob","Carol"],"length":3,"crawford_rule":true,"jacoby":false,\
"start":[1,0],"info":{"Event":"Club night"},"games":[
{"number":1,"start":[1,0],"crawford":false,"claim":{"winner":1,"points":1,"match":false},"events":[
{"side":1,"kind":"play","dice":[3,1],"moves":["8/5","6/5*"],"extra":{"seconds":4.5,"clock":[720,715]}},
{"side":0,"kind":"play","dice":[6,6]},
{"side":1,"kind":"double","value":2},
{"side":0,"kind":"drop"}]}
]}
"""


def test_the_written_form() -> None:
    assert write(MATCH, "json").decode() == WRITTEN


def test_a_written_match_is_read_back_unchanged() -> None:
    again = read(WRITTEN.encode())
    assert again == MATCH
    assert (again.format, again.dialect) == ("json", "barpoint")


def test_a_stored_transcript_keeps_its_places_and_problems() -> None:
    place = Place(7, 3)
    game = Game(1, (play(0, "31", "8/5"),), places=(place,), place=Place(5, 1), claim_place=Place(8, 36))
    problem = Problem("error", "unreadable_cell", {"text": "x"}, place, 1)
    stored = Transcript(("Bob", "Carol"), 3, (game,), format="mat", dialect="galaxy", problems=(problem,))
    again = from_data(json.loads(json.dumps(to_data(stored))))
    assert again == stored
    assert again.games[0].places == (place,)
    assert (again.games[0].place, again.games[0].claim_place) == (Place(5, 1), Place(8, 36))
    assert (again.format, again.dialect, again.problems) == ("mat", "galaxy", (problem,))


def changed(path: str, value: Any) -> bytes:
    """Return MATCH with another value at `path` (`games.0.number`)."""
    data = json.loads(WRITTEN)
    *way, last = path.split(".")
    target = data
    for step in way:
        target = target[int(step) if step.isdecimal() else step]
    target[int(last) if last.isdecimal() else last] = value
    return json.dumps(data).encode()


@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        ("players", ["Bob"], "players"),
        ("players", None, "players"),
        ("players.0", 7, "players[0]"),
        ("players.0", "x" * 2000, "players[0]"),
        ("length", -1, "length"),
        ("length", True, "length"),
        ("jacoby", "no", "jacoby"),
        ("info", [], "info"),
        ("games", {}, "games"),
        ("games.0", 3, "games[0]"),
        ("games.0.number", 0, "games[0].number"),
        ("games.0.start", [1, 2, 3], "games[0].start"),
        ("games.0.claim", {"winner": 2}, "games[0].claim.winner"),
        ("games.0.events.0.side", -1, "games[0].events[0].side"),
        ("games.0.events.0.kind", "jump", "games[0].events[0].kind"),
        ("games.0.events.0.dice", [3, 10], "games[0].events[0].dice[1]"),
        ("games.0.events.0.dice", "31", "games[0].events[0].dice"),
        ("games.0.events.0.moves.1", "8-5", "games[0].events[0].moves[1]"),
        ("games.0.events.0.position", [0] * 26, "games[0].events[0].position"),
        ("games.0.events.0.extra", 3, "games[0].events[0].extra"),
        ("games.0.events.0.extra", {"a": json.loads("[" * 50 + "]" * 50)}, "games[0].events[0].extra"),
    ],
)
def test_a_wrong_value_is_refused_by_its_path(path: str, value: Any, where: str) -> None:
    with pytest.raises(Refused) as refused:
        read(changed(path, value))
    assert refused.value.code == "bad_field"
    assert refused.value.params["where"] == where
    assert where in refused.value.message


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b'{"format": "barpoint-match",', "bad_json"),
        (b'{"format": NaN}', "bad_json"),
        (b'{"format": 1e999}', "bad_json"),
        (b'{"format": "barpoint-match", "version": 1, "weather\\ud800": 1}', "bad_json"),
        (b'{"a":' + b"[" * 100_000, "bad_json"),
        (b'{"a":' + b"1" * 100_000 + b"}", "bad_json"),
        (b'{"format": "chess"}', "other_json"),
        (b"{}", "other_json"),
        (b'{"format": "barpoint-match", "version": 2}', "unknown_version"),
        (b'{"format": "barpoint-match", "version": 1, "players": ["a", "b"], "games": []}', "no_match"),
    ],
)
def test_json_of_another_kind_is_refused(content: bytes, code: str) -> None:
    with pytest.raises(Refused) as refused:
        read(content)
    assert refused.value.code == code


def test_unknown_fields_are_skipped_with_a_note() -> None:
    transcript = read(changed("games.0.weather", "rain"))
    assert codes(transcript) == [("note", "unknown_fields")]
    assert transcript.problems[0].params["first"] == "games[0].weather"
    assert transcript == MATCH


def test_the_limits_hold() -> None:
    with pytest.raises(Refused, check=lambda error: error.code == "too_many_plies"):
        read(WRITTEN.encode(), Limits(plies=3))
    with pytest.raises(Refused, check=lambda error: error.code == "too_many_games"):
        read(WRITTEN.encode(), Limits(games=0))


def test_values_that_json_does_not_have_are_refused_in_writing() -> None:
    game = Game(1, (Event(0, Kind.TAKE, extra={"clock": float("nan")}),))
    with pytest.raises(ValueError, match="JSON"):
        write(Transcript(("Bob", "Carol"), 3, (game,)), "json")


JSON_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def any_event(draw: st.DrawFn) -> Event:
    """An event of any kind with any fields."""
    event = draw(plays())
    return event._replace(
        kind=draw(st.sampled_from(list(Kind))),
        side=draw(SIDE),
        value=draw(st.none() | NUMBER),
        points=draw(st.none() | NUMBER),
        position=draw(st.none() | positions()),
        extra=draw(st.none() | st.dictionaries(TEXT, JSON_VALUE, max_size=3)),
    )


@pytest.mark.slow
@RECORD_SETTINGS
@given(
    transcripts(
        any_event(), names=TEXT, info=st.dictionaries(TEXT, TEXT, max_size=4), crawford=st.none() | st.booleans()
    )
)
def test_everything_survives(transcript: Transcript) -> None:
    assert read(write(transcript, "json")) == transcript
    assert from_data(json.loads(json.dumps(to_data(transcript)))) == transcript


def values_in(data: Any) -> int:
    """Count the values and names of decoded JSON."""
    if isinstance(data, dict):
        return 1 + len(data) + sum(map(values_in, data.values()))
    return 1 + (sum(map(values_in, data)) if isinstance(data, list) else 0)


def test_json_may_have_so_many_values_and_no_more() -> None:
    record = write(replace(MATCH, info={"Event": 'Commas, "quotes": [1], {2} \\'}), "json")
    count = values_in(json.loads(record))
    read(record, Limits(values=count))
    with pytest.raises(Refused) as refused:
        read(record, Limits(values=count - 1))
    assert refused.value.code == "too_many_values"


@pytest.mark.slow
def test_json_of_as_many_plies_as_a_record_may_have_is_read() -> None:
    game = replace(MATCH.games[0], events=MATCH.games[0].events[:1] * Limits().plies)
    assert len(read(write(replace(MATCH, games=(game,)), "json")).games[0].events) == Limits().plies
