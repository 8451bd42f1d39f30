"""Plays in the field's notation: `24/18*/13`, `bar/22`, `6/off(2)`."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from engine.errors import Refused
from engine.position import BAR, OFF


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
    """A play as players write it: high points first, one checker's steps joined, equal ways counted.

    Touch-downs are shown only where they hit; `6/5*(2)` hits with the first of two. No step is the empty string.
    """
    ways: dict[tuple[int, int], list[Journey]] = {}
    for journey in _journeys(steps):
        ways.setdefault((journey[0][0], journey[-1][0]), []).append(journey)
    shown = []
    for alike in ways.values():
        text = _written(max(alike, key=lambda journey: sum(hit for _, hit in journey)))
        shown.append(f"{text}({len(alike)})" if len(alike) > 1 else text)
    return " ".join(shown)


def parse_play(text: str) -> list[tuple[int, ...]]:
    """The written sub-moves of a play, each as its points: `24/18*/13 6/5(2)` is [(24, 18, 13), (6, 5), (6, 5)].

    Raises Refused (`bad_notation`) for anything else.
    """
    moves: list[tuple[int, ...]] = []
    for word in text.lower().replace("*", "").split():
        body, bracket, times = word.partition("(")
        names = body.split("/")
        repeats = times.removesuffix(")") if bracket else "1"
        if len(names) < 2 or repeats not in _REPEATS or (bracket and not times.endswith(")")):
            raise Refused("bad_notation", text=text)
        points = tuple(_point(name, text) for name in names)
        moves.extend([points] * int(repeats))
    return moves


_REPEATS = ("1", "2", "3", "4")


def _point(name: str, text: str) -> int:
    if name in ("bar", "off"):
        return BAR if name == "bar" else OFF
    if not (name.isdecimal() and name.isascii() and len(name) <= 2 and int(name) <= BAR):
        raise Refused("bad_notation", text=text)
    return int(name)


Journey = list[tuple[int, bool]]
"""A checker's way: each point with whether it hit there."""


def _journeys(steps: Sequence[Step]) -> list[Journey]:
    """Joins the steps of one checker; a checker that hit on its way keeps that point."""
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


def written_play(moves: Iterable["WrittenMove"] | None) -> str:
    """A play in the record's own words; `?` where it was not recorded."""
    if moves is None:
        return "?"
    return " ".join(
        _written([*zip(move.points, [False, *move.hits, *[False] * len(move.points)], strict=False)]) for move in moves
    )


class WrittenMove(Protocol):
    """What `engine.transcript.Move` is to this module."""

    @property
    def points(self) -> tuple[int, ...]: ...
    @property
    def hits(self) -> tuple[bool, ...]: ...
