"""A position as a small PNG picture, for links that are shared: board, checkers, dice and cube."""

import struct
import zlib
from math import isqrt

from engine.keys import BAR
from matches.records.board import (
    BOTTOM,
    HEIGHT,
    LEFT_TABLE,
    POINT_HEIGHT,
    POINT_WIDTH,
    RIGHT_TABLE,
    TOP,
    WIDTH,
    Diagram,
    Scene,
    draw,
    point_x,
)

Color = bytes
FRAME, FELT, TRAY = bytes((74, 50, 38)), bytes((40, 72, 63)), bytes((56, 37, 28))
SAND, RUST = bytes((205, 185, 140)), bytes((165, 88, 63))
LIGHT, DARK = bytes((251, 246, 233)), bytes((27, 32, 40))
EDGES = {"white": (LIGHT, bytes((58, 43, 34))), "black": (DARK, bytes((211, 219, 227)))}
CUBE_COLOR, INK = bytes((243, 233, 210)), bytes((43, 29, 21))
CHECKER_RADIUS, DIE_SIZE, CUBE_SIZE, PIP_RADIUS = 23, 52, 52, 5
TRAY_LEFT, TRAY_WIDTH = 818, 60
CUBE_X = 43
DIGITS = {
    "0": (7, 5, 5, 5, 7),
    "1": (2, 6, 2, 2, 7),
    "2": (7, 1, 7, 4, 7),
    "3": (7, 1, 7, 1, 7),
    "4": (5, 5, 7, 1, 1),
    "5": (7, 4, 7, 1, 7),
    "6": (7, 4, 7, 5, 7),
    "7": (7, 1, 2, 2, 2),
    "8": (7, 5, 7, 5, 7),
    "9": (7, 5, 7, 1, 7),
}
"""Each digit as five rows of three dots, the left one as the highest bit."""
DOT = 5
PNG = b"\x89PNG\r\n\x1a\n"


class Canvas:
    """Rows of pixels in RGB."""

    def __init__(self, width: int, height: int, color: Color) -> None:
        self.width, self.height = width, height
        self.rows = [bytearray(color * width) for _ in range(height)]

    def rectangle(self, left: int, top: int, width: int, height: int, color: Color) -> None:
        for y in range(max(top, 0), min(top + height, self.height)):
            self._run(y, left, left + width, color)

    def disc(self, x: int, y: int, radius: int, color: Color) -> None:
        for row in range(max(y - radius, 0), min(y + radius + 1, self.height)):
            half = isqrt(radius * radius - (row - y) ** 2)
            self._run(row, x - half, x + half + 1, color)

    def triangle(self, x: int, base: int, tip: int, width: int, color: Color) -> None:
        """A point of the board; `tip` and `base` are rows."""
        step = 1 if tip > base else -1
        for row in range(base, tip, step):
            half = width * abs(tip - row) // abs(tip - base) // 2
            self._run(row, x - half, x + half, color)

    def text(self, x: int, y: int, text: str, color: Color) -> None:
        """Write a number around a middle."""
        left = x - (len(text) * 4 - 1) * DOT // 2
        for index, digit in enumerate(text):
            for row, bits in enumerate(DIGITS[digit]):
                for column in range(3):
                    if bits & (4 >> column):
                        place = left + (index * 4 + column) * DOT
                        self.rectangle(place, y - 5 * DOT // 2 + row * DOT, DOT, DOT, color)

    def png(self) -> bytes:
        """The picture as a file."""
        header = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        pixels = zlib.compress(b"".join(b"\0" + bytes(row) for row in self.rows), 6)
        return PNG + _chunk(b"IHDR", header) + _chunk(b"IDAT", pixels) + _chunk(b"IEND", b"")

    def _run(self, y: int, start: int, end: int, color: Color) -> None:
        start, end = max(start, 0), min(end, self.width)
        if start < end:
            self.rows[y][3 * start : 3 * end] = color * (end - start)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def picture(diagram: Diagram) -> bytes:
    """Return the position of a diagram as a PNG file."""
    scene = draw(diagram)
    canvas = Canvas(WIDTH, HEIGHT, FRAME)
    _ground(canvas)
    for slab in scene.slabs:
        fill, edge = EDGES[slab.colour]
        canvas.rectangle(slab.x, slab.y, 54, 12, edge)
        canvas.rectangle(slab.x + 1, slab.y + 1, 52, 10, fill)
    for checker in scene.checkers:
        fill, edge = EDGES[checker.colour]
        canvas.disc(checker.x, checker.y, CHECKER_RADIUS, edge)
        canvas.disc(checker.x, checker.y, CHECKER_RADIUS - 3, fill)
        if checker.label:
            canvas.text(checker.x, checker.y, checker.label, edge)
    _dice(canvas, scene)
    _cube(canvas, scene)
    return canvas.png()


def _ground(canvas: Canvas) -> None:
    for left in (LEFT_TABLE, RIGHT_TABLE):
        canvas.rectangle(left, TOP, 6 * POINT_WIDTH, BOTTOM - TOP, FELT)
    for top in (TOP, BOTTOM - POINT_HEIGHT - 20):
        canvas.rectangle(TRAY_LEFT, top, TRAY_WIDTH, POINT_HEIGHT + 20, TRAY)
    for point in range(1, BAR):
        base, tip = (BOTTOM - 1, BOTTOM - POINT_HEIGHT) if point <= 12 else (TOP, TOP + POINT_HEIGHT)
        canvas.triangle(point_x(point), base, tip, POINT_WIDTH, RUST if point % 2 else SAND)


def _dice(canvas: Canvas, scene: Scene) -> None:
    for die in scene.dice:
        fill, edge = EDGES[die.colour]
        left, top = die.x - DIE_SIZE // 2, die.y - DIE_SIZE // 2
        canvas.rectangle(left, top, DIE_SIZE, DIE_SIZE, edge)
        canvas.rectangle(left + 2, top + 2, DIE_SIZE - 4, DIE_SIZE - 4, fill)
        for pip in die.pips:
            canvas.disc(pip.x, pip.y, PIP_RADIUS, edge)


def _cube(canvas: Canvas, scene: Scene) -> None:
    if scene.offered is not None:
        x, y, text = scene.offered.x, scene.offered.y, scene.offered.label
    elif scene.cube is not None and not scene.cube.dimmed:
        x, y, text = CUBE_X, scene.cube.side_y, scene.cube.text
    else:
        return
    canvas.rectangle(x - CUBE_SIZE // 2, y - CUBE_SIZE // 2, CUBE_SIZE, CUBE_SIZE, INK)
    canvas.rectangle(x - CUBE_SIZE // 2 + 2, y - CUBE_SIZE // 2 + 2, CUBE_SIZE - 4, CUBE_SIZE - 4, CUBE_COLOR)
    canvas.text(x, y, text, INK)
