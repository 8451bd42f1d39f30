"""eXtreme Gammon's binary files, built here byte by byte from the published format."""

import struct
import zlib
from collections.abc import Iterable

import pytest

from engine.errors import Refused
from engine.records import Limits, read
from engine.transcript import Event, Kind, StatedResult, Transcript

from .samples import codes, events, play

RECORD = 2560
START = (0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0)
NO_MOVE = (-1,) * 8
HIDDEN = (0,) * 8


def record(kind: int, *fields: tuple[int, str, object]) -> bytes:
    """Return a record of this kind with the given values (offset, struct format, value or values)."""
    data = bytearray(RECORD)
    data[8] = kind
    for place, layout, value in fields:
        values = value if isinstance(value, tuple) else (value,)
        struct.pack_into(f"<{layout}", data, place, *values)
    return bytes(data)


def header(length: int = 7, version: int = 32, magic: int = 0x494C4D44, variation: int = 0) -> bytes:
    wide = [(place, "256s", text.encode("utf-16-le")) for place, text in ((880, "Bób"), (1138, "Carol"), (622, "Cup"))]
    ansi = [(9, "41p", b"Bob"), (50, "41p", b"Carol")]
    numbers = [(92, "2i", (length, variation)), (100, "2B", (1, 1)), (552, "2i", (version, magic))]
    return record(0, *ansi, *wide, *numbers, (128, "d", 45256.395833333336))


def game(*score: int, number: int = 1, crawford: int = 0, board: tuple[int, ...] = START) -> bytes:
    return record(1, (12, "2i", score or (0, 0)), (20, "B", crawford), (21, "26b", board), (48, "i", number))


def roll(
    player: int, dice: tuple[int, int], moves: Iterable[int], invalid: int = 0, board: tuple[int, ...] = START
) -> bytes:
    numbers = (tuple(moves) + NO_MOVE)[:8]
    return record(
        3,
        (35, "26b", board),
        (64, "i", player),
        (68, "8i", numbers),
        (100, "2i", dice),
        (2480, "i", invalid),
    )


def cube(player: int, double: int, take: int, beaver: int = -1, log: int = 0) -> bytes:
    return record(2, (12, "i", player), (16, "3i", (double, take, beaver)), (32, "i", log))


def result(winner: int, points: int, termination: int) -> bytes:
    return record(4, (24, "3i", (winner, points, termination)))


def packed(records: bytes, name: bytes = b"temp.xg") -> bytes:
    """Return an `.xg` file with these records: header and picture, packed files, packed list, trailer."""
    body = zlib.compress(records)
    entry = struct.pack("<256p256p4IB3x", name, b"", len(records), len(body), 0, 0, 0)
    files = zlib.compress(entry)
    trailer = struct.pack("<6I12x", 0, 1, 1, len(files), len(body), 1)
    return b"RGMH" + bytes(100) + body + files + trailer


def xg(*records: bytes, head: bytes | None = None) -> Transcript:
    return read(packed(b"".join((head or header(), game(), *records))))


def test_header_and_plays() -> None:
    transcript = xg(roll(1, (5, 1), (12, 7, 23, 22)), roll(-1, (6, 4), (24, 20, 5, -1)), roll(1, (6, 6), NO_MOVE))
    assert transcript.players == ("Bób", "Carol")
    assert transcript.length == 7
    assert (transcript.format, transcript.crawford_rule, transcript.jacoby) == ("xg", True, False)
    assert transcript.info == {"Event": "Cup", "EventDate": "2023.11.26", "EventTime": "09.30"}
    assert transcript.games[0].start == (0, 0)
    assert events(transcript) == (play(0, "51", "13/8", "24/23"), play(1, "64", "25/21", "6/0"), play(0, "66"))


def test_anything_below_the_first_point_is_off() -> None:
    assert events(xg(roll(1, (6, 5), (3, -3, 0, -5)))) == (play(0, "65", "4/0", "1/0"),)


def test_names_of_old_versions_are_not_in_unicode() -> None:
    assert xg(head=header(version=20)).players == ("Bob", "Carol")


def test_a_play_never_shown_is_unknown() -> None:
    assert events(xg(roll(1, (5, 3), HIDDEN)))[0] == Event(0, Kind.PLAY, (5, 3), None)


def test_the_turn_at_which_an_unfinished_game_stopped_is_no_play() -> None:
    assert events(xg(roll(1, (0, 0), NO_MOVE))) == ()


@pytest.mark.parametrize(
    ("record_", "kinds"),
    [
        (cube(1, -2, -1), []),
        (cube(1, 0, -1), []),
        (cube(1, 1, 1), [Kind.DOUBLE, Kind.TAKE]),
        (cube(1, 1, 0), [Kind.DOUBLE, Kind.DROP]),
        (cube(1, 1, -1), [Kind.DOUBLE]),
        (cube(1, 1, 2, 1), [Kind.DOUBLE, Kind.BEAVER, Kind.TAKE]),
    ],
)
def test_cube_records(record_: bytes, kinds: list[Kind]) -> None:
    assert [event.kind for event in events(xg(record_))] == kinds


def test_the_value_of_a_double_follows_from_the_cube_before() -> None:
    assert events(xg(cube(-1, 1, 1, log=-2)))[:1] == (Event(1, Kind.DOUBLE, value=8),)


@pytest.mark.parametrize(
    ("termination", "last"),
    [
        (0, None),
        (2, None),
        (101, Event(1, Kind.RESIGN, points=2)),
        (104, Event(1, Kind.RESIGN, points=2)),
        (1000, None),
    ],
)
def test_how_a_game_ended(termination: int, last: Event | None) -> None:
    transcript = xg(result(1, 2, termination))
    assert transcript.games[0].claim == StatedResult(0, 2)
    assert events(transcript) == ((last,) if last else ())


def test_a_settled_game_is_noted() -> None:
    assert codes(xg(result(1, 2, 1001))) == [("note", "settled_game")]


def test_an_illegal_play_gives_the_position_after_it() -> None:
    board = (0, -2, 0, 0, 0, 0, 5, 0, 2, 0, 0, 0, -5, 5, 0, 0, 1, -3, 0, -5, 0, 0, 0, 0, 2, 0)
    [event] = events(xg(roll(-1, (5, 3), (1, 2, 3, 4), invalid=2, board=board)))
    assert (event.side, event.kind, event.dice) == (1, Kind.ILLEGAL, (5, 3))
    assert event.position is not None
    assert event.position.counts == board  # as the mover sees it, on either side


def test_a_game_may_start_from_another_position() -> None:
    board = list(START)
    board[24], board[23] = 1, 1
    transcript = read(packed(header() + game(board=tuple(board)) + roll(1, (5, 1), (12, 7, 23, 22))))
    assert events(transcript)[0].kind is Kind.SET_POSITION


def test_money_play() -> None:
    transcript = xg(head=header(length=99_999))
    assert (transcript.length, transcript.jacoby) == (0, True)


def test_another_kind_of_backgammon_is_an_error() -> None:
    assert codes(xg(head=header(variation=1))) == [("error", "other_variant")]


def test_points_that_do_not_exist_are_reported() -> None:
    transcript = xg(roll(1, (5, 1), (30, 7, 23, 22)), roll(1, (50, 1), NO_MOVE))
    assert codes(transcript) == [("error", "unreadable_cell")] * 2


def test_a_file_that_breaks_off_is_reported() -> None:
    assert codes(read(packed(header() + game() + bytes(100)))) == [("error", "cut_short")]


@pytest.mark.parametrize(
    "data",
    [
        b"RGMH",
        b"RGMH" + bytes(200),
        packed(header() + game())[:-5],
        packed(header() + game(), name=b"other"),
        packed(header(magic=0) + game()),
        packed(b""),
    ],
)
def test_damaged_files_are_refused(data: bytes) -> None:
    with pytest.raises(Refused, match="damaged"):
        read(data)


def test_a_file_without_a_game_is_refused() -> None:
    with pytest.raises(Refused, check=lambda error: error.code == "no_match"):
        read(packed(header()))


@pytest.mark.slow
def test_a_file_that_unpacks_to_too_much_is_refused_without_unpacking_it() -> None:
    bomb = packed(bytes(200 * 1024 * 1024))
    assert len(bomb) < Limits().bytes
    with pytest.raises(Refused, check=lambda error: error.code == "inflates_too_much"):
        read(bomb)


def test_a_list_of_files_that_unpacks_to_too_much_is_refused() -> None:
    files = zlib.compress(bytes(50 * 1024 * 1024))
    with pytest.raises(Refused, check=lambda error: error.code == "inflates_too_much"):
        read(b"RGMH" + files + struct.pack("<6I12x", 0, 1, 1, len(files), 0, 1))


def test_the_limits_hold() -> None:
    data = packed(header() + game() + roll(1, (5, 1), NO_MOVE) * 4 + game(number=2))
    with pytest.raises(Refused, check=lambda error: error.code == "too_many_plies"):
        read(data, Limits(plies=3))
    with pytest.raises(Refused, check=lambda error: error.code == "too_many_games"):
        read(data, Limits(games=1))
