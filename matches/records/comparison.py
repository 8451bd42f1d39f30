"""Whether two records hold the same match, whichever programs wrote them."""

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, NamedTuple

from engine import Transcript, replay
from engine.transcript import Kind

_COMPARED = (Kind.PLAY, Kind.ILLEGAL, Kind.DOUBLE, Kind.TAKE, Kind.DROP)


class Ply(NamedTuple):
    """Where two records differ: game and roll, counted as in a finding."""

    game: int
    ply: int


def first_difference(one: Transcript, other: Transcript, *, turned: bool) -> Ply | None:
    """Return the first ply at which two records differ; None if their dice, positions and cube actions are equal.

    `turned`: the left player of one is the right player of the other. Names, the order of the dice and of the steps,
    and a last roll without a play are left out of account: programs differ in them.
    """
    for here, there in zip_longest(_plies(one, turned=False), _plies(other, turned=turned)):
        if here is None or there is None or here[1] != there[1]:
            first: Ply = min(ply for ply, _ in filter(None, (here, there)))
            return first
    return None


def _plies(transcript: Transcript, *, turned: bool) -> Iterator[tuple[Ply, Any]]:
    for frame in replay(transcript):
        if frame.kind in _COMPARED and (frame.legal or frame.kind is Kind.ILLEGAL):
            dice = sorted(frame.dice or ())
            yield Ply(frame.game, frame.ply), (frame.game, frame.side ^ turned, frame.kind, dice, frame.after)
