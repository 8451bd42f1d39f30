"""Positions and match states as short texts: GNU Backgammon IDs and XGID (docs/rules.md §5)."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import (
    Act,
    Action,
    MatchState,
    Phase,
    Position,
    Refused,
    apply,
    gnubg_match_id,
    parse_gnubg_ids,
    parse_xgid,
    xgid,
)
from engine.ids import copied_position
from tests.engine.boards import board, positions

START_ID = "4HPwATDgc/ABMA"
LEFT, RIGHT = 0, 1


def test_the_start_has_its_well_known_id():
    assert Position.start().gnubg_id == START_ID
    assert Position.from_gnubg_id(START_ID) == Position.start()


def test_the_first_block_is_the_player_not_on_roll():
    asymmetric = board({1: 3, 6: 4, 13: 2, 25: 2}, {24: 1, 20: 2, 5: 2, 0: 1})
    assert asymmetric.gnubg_id == "YQDAoIMHDAADAA"
    assert Position.from_gnubg_id("YQDAoIMHDAADAA") == asymmetric


@given(positions())
def test_every_position_is_restored_from_its_id(position):
    assert Position.from_gnubg_id(position.gnubg_id) == position


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "bad_position_id"),
        ("4HPwATDgc/ABM", "bad_position_id"),
        ("4HPwATDgc/ABMAA", "bad_position_id"),
        ("4HPwATDgc/ABMA==", "bad_position_id"),
        ("4HPwATDgc/AB!A", "bad_position_id"),
        ("4HPwATDgc/ABMÄ", "bad_position_id"),
        ("4HPwATDgc ABMA", "bad_position_id"),
        ("//////////////", "bad_position_id"),
        ("AAAAAAAAAAAAAA", "no_checkers_left"),
        ("//8AAAAAAAAAAA", "too_many_checkers"),
        ("AQAAAAAAAgAAAA", "two_sides_on_a_point"),
        ("AAAAAAAAAAAAQA", "bad_position_id"),
    ],
)
def test_an_impossible_position_id_is_refused(text, code):
    with pytest.raises(Refused) as refused:
        Position.from_gnubg_id(text)
    assert refused.value.code == code


@given(st.text(alphabet="ABCDwxyz0189+/=", min_size=10, max_size=16))
def test_any_position_id_is_read_or_refused(text):
    try:
        position = Position.from_gnubg_id(text)
    except Refused:
        return
    assert Position.from_gnubg_id(position.gnubg_id) == position


TO_ROLL = MatchState.start(7)._replace(turn=RIGHT, phase=Phase.TO_ROLL)
DOUBLED = MatchState.start(7)._replace(turn=LEFT, phase=Phase.DOUBLED)
MATCH_IDS = [
    ("cAngAAAAAAAE", TO_ROLL),
    ("cInlAAAAAAAE", TO_ROLL._replace(phase=Phase.TO_PLAY, dice=(3, 1))),
    ("MBngAAAAAAAE", DOUBLED),
    ("EQHgAAAAAAAE", apply(DOUBLED, Action(Act.TAKE, RIGHT))),
    ("8AngAGAAIAAE", MatchState.start(7, (6, 4))._replace(turn=RIGHT, phase=Phase.TO_ROLL)),
    ("cAkAAAAAAAAA", MatchState.start(0, jacoby=True)._replace(turn=RIGHT, phase=Phase.TO_ROLL)),
    ("cAkAAAAAAAAE", MatchState.start(0)._replace(turn=RIGHT, phase=Phase.TO_ROLL)),
]


@pytest.mark.parametrize(("text", "state"), MATCH_IDS)
def test_a_match_id_holds_cube_score_dice_and_turn(text, state):
    assert gnubg_match_id(state) == text
    assert parse_gnubg_ids(START_ID, text) == state


def test_a_match_id_holds_a_resignation():
    state = TO_ROLL._replace(cube=2, cube_owner=RIGHT)
    offered = apply(state, Action(Act.RESIGN, RIGHT, value=2))
    assert gnubg_match_id(offered) == "UUHgAAAAAAAE"
    assert parse_gnubg_ids(START_ID, "UUHgAAAAAAAE") == offered
    assert gnubg_match_id(apply(offered, Action(Act.REFUSE, LEFT))) == "UQngAAAAAAAE"


def test_one_point_short_without_the_mark_is_after_the_crawford_game():
    assert parse_gnubg_ids(START_ID, "8AngAGAAIAAE").crawford
    after = parse_gnubg_ids(START_ID, "MAGgAEAAGAAE")
    assert (after.length, after.score, after.crawford, after.crawford_played) == (5, (4, 3), False, True)


def test_gnubg_gives_the_same_match_ids(shared_data):
    rows = json.loads((shared_data / "ids_verified.json").read_text())
    assert len(rows) >= 15
    for row in rows:
        state = parse_gnubg_ids(row["pos"], row["match"])
        decoded = row["decoded"]
        assert gnubg_match_id(state) == row["match"], row["tag"]
        assert state.position.gnubg_id == row["pos"]
        assert state.score == (decoded["s0"], decoded["s1"])
        assert (state.length, state.turn, state.crawford) == (
            decoded["length"],
            decoded["move"],
            bool(decoded["crawford"]),
        )
        assert (state.cube, state.cube_owner) == (
            1 << decoded["cube_log2"],
            {3: None}.get(decoded["owner"], decoded["owner"]),
        )
        assert state.to_act == decoded["turn"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "cAngAAAAAAA",
        "cAngAAAAAAAEA",
        "cAngAAAAAAA!",
        "cAngAAAAAAÄE",
        "IAngAAAAAAAE",
        "cPnvAAAAAAAE",
        "cAn/AQAAAAAE",
    ],
)
def test_an_impossible_match_id_is_refused(text):
    with pytest.raises(Refused) as refused:
        parse_gnubg_ids(START_ID, text)
    assert refused.value.code == "bad_match_id"


def test_the_dice_of_a_match_id_have_no_order():
    text = gnubg_match_id(MatchState.start(7)._replace(turn=RIGHT, phase=Phase.TO_PLAY, dice=(3, 1)))
    bits = int.from_bytes(base64.b64decode(text), "little")
    high, low = bits >> 15 & 7, bits >> 18 & 7
    exchanged = bits & ~(0b111111 << 15) | low << 15 | high << 18
    assert (high, low) == (3, 1)
    assert parse_gnubg_ids(START_ID, base64.b64encode(exchanged.to_bytes(9, "little")).decode()).dice == (3, 1)


@given(st.binary(min_size=9, max_size=9))
def test_any_match_id_is_read_or_refused(raw):
    text = base64.b64encode(raw).decode()
    try:
        state = parse_gnubg_ids(START_ID, text)
    except Refused:
        return
    assert parse_gnubg_ids(START_ID, gnubg_match_id(state)) == state


XGIDS = [
    ("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10", TO_ROLL._replace(phase=Phase.TO_PLAY, dice=(3, 1))),
    ("XGID=-b----E-C---eE---c-e----B-:0:0:-1:31:0:0:0:7:10", apply(MatchState.start(7), Action(Act.ROLL, dice=(3, 1)))),
    ("XGID=-b----E-C---eE---c-e----B-:1:1:1:00:2:3:0:7:10",
     MatchState.start(7, (3, 2))._replace(turn=RIGHT, phase=Phase.TO_ROLL, cube=2, cube_owner=RIGHT)),
    ("XGID=-b----E-C---eE---c-e----B-:1:-1:1:00:2:3:0:7:10",
     MatchState.start(7, (3, 2))._replace(turn=RIGHT, phase=Phase.TO_ROLL, cube=2, cube_owner=LEFT)),
    ("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:6:2:1:7:10",
     MatchState.start(7, (2, 6))._replace(turn=RIGHT, phase=Phase.TO_ROLL)),
    ("XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:0:7:10", DOUBLED._replace(turn=RIGHT)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "state"), XGIDS)
def test_an_xgid_holds_the_whole_state(text, state):
    assert f"XGID={xgid(state)}".split(":")[:4] == text.split(":")[:4]
    assert parse_xgid(text) == parse_xgid(text.removeprefix("XGID=")) == parse_xgid(f"  {text}\n")
    assert parse_xgid(text) == parse_xgid(xgid(state)) == state


def test_the_letters_of_an_xgid_are_seen_from_the_bottom_whoever_is_on_roll():
    text = "aB--BBC-----d---a-c-bcB-B-:0:0:1:61:0:0:0:7:10"
    bottom = parse_xgid(text)
    top = parse_xgid(text.replace(":1:61:", ":-1:61:"))
    assert bottom.position.counts[0] == -1
    assert top.position == bottom.position.swapped()
    assert (bottom.turn, top.turn) == (RIGHT, LEFT)
    assert [xgid(bottom), xgid(top)] == [text, text.replace(":1:61:", ":-1:61:")]


def test_gnubg_reads_the_same_from_an_xgid(shared_data):
    rows = json.loads((shared_data / "xgid_verified.json").read_text())
    assert len(rows) >= 14
    for row in rows:
        if any(mark in row["xgid"] for mark in (":D:", ":B:", ":-1:")):
            continue  # gnubg takes no offered cube and turns the other board round
        state, decoded = parse_xgid(row["xgid"]), row["dec"]
        assert state.position.gnubg_id == row["pos"], row["xgid"]
        assert state.score == (decoded["s0"], decoded["s1"]), row["xgid"]
        assert gnubg_match_id(state) == row["match"], row["xgid"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "XGID=",
        "-b----E-C---eE---c-e----B-",
        "-b----E-C---eE---c-e----B:0:0:1:31:0:0:0:7:10",
        "-b----E-C---eE---c-e----B1:0:0:1:31:0:0:0:7:10",
        "-b----E-C---eE---c-e----B-:x:0:1:31:0:0:0:7:10",
        "-b----E-C---eE---c-e----B-:0:2:1:31:0:0:0:7:10",
        "-b----E-C---eE---c-e----B-:0:0:0:31:0:0:0:7:10",
        "-b----E-C---eE---c-e----B-:0:0:1:37:0:0:0:7:10",
        "-b----E-C---eE---c-e----B-:0:0:1:3:0:0:0:7:10",
        "-b----E-C---eE---c-e----B-:0:0:1:31:-1:0:0:7:10",
        "-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:65:10",
        "-b----E-C---eE---c-e----B-:99:0:1:31:0:0:0:7:10",
        "-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10:1:1",
        "-b----E-C---eE---c-e----B-:0:0:1:31:9:0:0:7:10",
        "-b----E-C---eE---c-e----B-:0:0:1:31:0:7:0:7:10",
        "see the photo on my phone",
    ],
)
def test_an_impossible_xgid_is_refused(text):
    with pytest.raises(Refused) as refused:
        parse_xgid(text)
    assert refused.value.code == "bad_xgid"


@pytest.mark.parametrize(
    ("letters", "code"),
    [
        ("A" + "-" * 25, "wrong_bar_side"),
        ("-" * 25 + "a", "wrong_bar_side"),
        ("-P" + "-" * 24, "too_many_checkers"),
        ("-" * 26, "no_checkers_left"),
    ],
)
def test_an_xgid_of_an_impossible_board_is_refused(letters, code):
    with pytest.raises(Refused) as refused:
        parse_xgid(f"{letters}:0:0:1:31:0:0:0:7:10")
    assert refused.value.code == code


XG = "-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"
COPIED = [
    f"xgid={XG}",
    f"XGID: {XG}",
    f"“XGID={XG}”",
    f"'{XG}'",
    f"\xa0XGID={XG}\n\nX:Ada   O:Ben\nScore is X:0 O:0 7 pt.(s) match.\n +13-14-15-16-17-18------19-20-21-22-23-24-+",
    f'"XGID={XG}" X to play 31',
]


@pytest.mark.parametrize("text", COPIED)
def test_an_xgid_is_read_as_programs_and_people_copy_it(text):
    assert parse_xgid(text) == parse_xgid(XG)
    assert copied_position(text) == f"XGID={XG}"


@pytest.mark.parametrize(
    "text",
    [
        "4HPwATDgc/ABMA",
        " “4HPwATDgc/ABMA”",
        "Position ID: 4HPwATDgc/ABMA  Match ID: cAngAAAAAAAE",
        "4HPwATDgc/ABMA:cAngAAAAAAAE",
    ],
)
def test_a_position_id_is_read_as_programs_copy_it(text):
    assert copied_position(text) == "4HPwATDgc/ABMA"


@pytest.mark.parametrize(
    "text", ["", "see the photo", "-b----E-C---eE---c-e----", "4HPwATDgc/AB", "photographed24", "__"]
)
def test_what_is_no_position_is_refused(text):
    with pytest.raises(Refused):
        copied_position(text)


@given(st.text(alphabet="-abAB012:D", max_size=60))
def test_any_xgid_is_read_or_refused(text):
    try:
        state = parse_xgid(text)
    except Refused:
        return
    assert parse_xgid(xgid(state)) == state


def test_a_cube_too_large_for_a_match_id_leaves_other_fields_intact():
    huge = TO_ROLL._replace(cube=1 << 40, cube_owner=LEFT)
    assert parse_gnubg_ids(START_ID, gnubg_match_id(huge)) == huge._replace(cube=1 << 15)
