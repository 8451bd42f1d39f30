"""The picture of a position: a PNG file that others can read, with the checkers in their places."""

import struct
import zlib

from engine import Position
from matches.play.replay import DARK, FELT, LIGHT, picture
from matches.records.board import HEIGHT, WIDTH, Diagram, draw

NAMES = ("Bob", "Carol")


def pixels(data: bytes) -> list[bytes]:
    """The rows of a picture whose rows are not filtered."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    chunks, at = {}, 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, content = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length : at + 12 + length]) == (zlib.crc32(kind + content),)
        chunks[kind], at = content, at + 12 + length
    assert struct.unpack(">IIBBBBB", chunks[b"IHDR"]) == (WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    raw, size = zlib.decompress(chunks[b"IDAT"]), 3 * WIDTH + 1
    return [raw[row * size + 1 : (row + 1) * size] for row in range(HEIGHT)]


def test_every_checker_is_drawn_in_its_colour() -> None:
    diagram = Diagram(Position.start(), 0, NAMES, dice=(6, 4))
    rows = pixels(picture(diagram))
    checkers = draw(diagram).checkers
    assert len(checkers) == 30
    for checker in checkers:
        color = rows[checker.y][3 * checker.x : 3 * checker.x + 3]
        assert color == (LIGHT if checker.colour == "white" else DARK)
    assert rows[HEIGHT // 2][3 * 200 : 3 * 200 + 3] == FELT


def test_an_offered_cube_stands_on_the_board_and_a_crawford_game_has_none() -> None:
    start = Position.start()
    centred, offered, crawford = (
        picture(Diagram(start, 0, NAMES, offered=is_offered, cube_in_play=in_play))
        for is_offered, in_play in ((False, True), (True, True), (False, False))
    )
    assert len({centred, offered, crawford}) == 3
