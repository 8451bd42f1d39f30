"""Plays in backgammon notation: `24/18*/13`, `bar/22`, `6/off(2)`."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from engine.errors import Refused
from engine.keys import BAR, OFF
from engine.transcript import Move


class Step(NamedTuple):
    """One checker moved by one die."""

    source: int
    target: int
    die: int
    hit: bool = False

    def __str__(self) -> str:
        return _written([(self.source, False), (self.target, self.hit)])


def point_name(point: int) -> str:
    """`bar`, `off` or the number."""
    return "bar" if point == BAR else "off" if point == OFF else str(point)


def standard_notation(steps: Sequence[Step]) -> str:
    """Return a play as players write it: high points first, the steps of one checker joined, equal moves counted.

    Intermediate points are shown only where they hit; `6/5*(2)` hits with the first of two. No steps: an empty string.
    """
    ways: dict[tuple[int, int], list[Journey]] = {}
    for journey in _journeys(steps):
        ways.setdefault((journey[0][0], journey[-1][0]), []).append(journey)
    shown = []
    for alike in ways.values():
        text = _written(max(alike, key=lambda journey: sum(hit for _, hit in journey)))
        shown.append(f"{text}({len(alike)})" if len(alike) > 1 else text)
    return " ".join(shown)


_WORD = re.compile(
    r"(?P<way>(?:bar|b|\d{1,2})\*?(?:/(?:off|o|\d{1,2})\*?)+)(?:\((?P<times>[1-4])\))?(?P<star>\*?)",
    re.IGNORECASE | re.ASCII,
)
_POINTS = {"bar": BAR, "b": BAR, "off": OFF, "o": OFF} | {str(point): point for point in range(BAR + 1)}
_POINTS |= {f"0{point}": point for point in range(10)}


def parse_play(text: str) -> list[tuple[int, ...]]:
    """Return the moves of a play, each as its points: `24/18*/13 6/5(2)` is [(24, 18, 13), (6, 5), (6, 5)].

    Moves are separated by blanks or commas; bar and off may be written `b` and `o`, or 25 and 0.
    Raises Refused (`bad_notation`) for anything else.
    """
    if not isinstance(text, str):
        raise Refused("bad_notation", text=text)
    try:
        return [move.points for word in text.replace(",", " ").split() for move in moves_of_word(word)]
    except Refused:
        raise Refused("bad_notation", text=text) from None


@lru_cache(maxsize=4096)
def moves_of_word(word: str) -> tuple[Move, ...]:
    """Return the moves of one word, with their hits: `8/5*(2)` is two moves, the first with a hit.

    `0/0`, which some programs write for no move, gives none. Raises Refused (`bad_notation`).
    """
    match = _WORD.fullmatch(word)
    if match is None:
        raise Refused("bad_notation", text=word)
    names = match["way"].lower().split("/")
    points = tuple(_POINTS.get(name.rstrip("*"), _NO_POINT) for name in names)
    if points == (OFF, OFF):
        return ()
    if not OFF < points[0] <= BAR or max(points[1:]) >= BAR:
        raise Refused("bad_notation", text=word)
    stars = [name.endswith("*") for name in names[1:]]
    stars[-1] = stars[-1] or bool(match["star"])
    first = Move(points, tuple(stars) if any(stars) else ())
    return (first,) + (Move(points),) * (int(match["times"] or 1) - 1)


_NO_POINT = 99


Journey = list[tuple[int, bool]]
"""The points of one checker, each with whether it hit there."""


def _journeys(steps: Sequence[Step]) -> list[Journey]:
    """Join the steps of each checker; an intermediate point is kept where the checker hit."""
    journeys: list[Journey] = []
    for step in sorted(steps, key=lambda step: (-step.source, -step.target)):
        arrived = (step.target, step.hit)
        for journey in journeys:
            if journey[-1][0] == step.source:
                if not journey[-1][1]:
                    journey.pop()
                journey.append(arrived)
                break
        else:
            journeys.append([(step.source, False), arrived])
    return journeys


def _written(journey: Journey) -> str:
    return "/".join(point_name(point) + "*" * hit for point, hit in journey)


def written_play(moves: Iterable[Move] | None) -> str:
    """Return a play as the record writes it; `?` if it was not recorded."""
    if moves is None:
        return "?"
    return " ".join(
        _written([*zip(move.points, [False, *move.hits, *[False] * len(move.points)], strict=False)]) for move in moves
    )
