"""Whether two records hold the same match, whichever programs wrote them."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import Any, NamedTuple

from engine import Transcript, replay
from engine.transcript import Kind

_COMPARED = (Kind.PLAY, Kind.ILLEGAL, Kind.DOUBLE, Kind.TAKE, Kind.DROP)

MIN_ROLLS = 10
"""Rolls from which on two games with the same dice and plays can only be the same game."""


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


def fingerprints(transcript: Transcript) -> list[int]:
    """Return what tells each long game of a match from all others; of a match of short games, one for all of them.

    A fingerprint covers dice and positions as the side on roll sees them, so that names, sides and spelling do not
    matter. Rolls that moved nothing are left out, since not every program writes them.
    """
    # A record may give two games the same number.
    games = tuple(replace(game, number=number) for number, game in enumerate(transcript.games))
    plays: dict[int, list[tuple[int, list[int], int]]] = {}
    for frame in replay(replace(transcript, games=games)):
        if frame.dice and frame.after != frame.before:
            plays.setdefault(frame.game, []).append((frame.ply, sorted(frame.dice), frame.after.key))
    long_games = [game for game in plays.values() if game[-1][0] >= MIN_ROLLS]
    distinct: list[Any] = long_games or [list(plays.values())] * bool(plays)
    digests = (hashlib.sha256(repr(game).encode()).digest() for game in distinct)
    return [int.from_bytes(digest[:8], "big", signed=True) for digest in digests]
