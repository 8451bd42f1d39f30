"""Matches as OGXM and as `.bgf`, for which BGBlitz's binary JSON (Smile) is written as far as it is needed."""

import gzip
import zlib
from typing import Any

import gvformat
from gvformat.mat import mat_to_ogxm

from engine import Position, adjudicate, replay
from engine.records import write
from engine.transcript import Kind, Transcript

HEADER = b'{"format":"BGF","version":"1.0","compress":true,"useSmile":true}\n'


def ogxm(transcript: Transcript) -> bytes:
    """Return a match as OGXM."""
    data: bytes = gvformat.write_gvab(mat_to_ogxm(write(transcript, "mat").decode()))
    return data


def ogxm_of_positions(transcript: Transcript) -> bytes:
    """Return the same, with the first six plays only as the positions they lead to, as for illegal plays."""
    document = mat_to_ogxm(write(transcript, "mat").decode())
    plies, frames = document["games"][0]["plies"], replay(transcript)
    for at, frame in enumerate(frames[:6]):
        first, second = frame.dice or (0, 0)
        board = [-count for count in frame.after.counts] if frame.side else list(frame.after.counts[::-1])
        plies[at] = {"color": 1 - frame.side, "action_id": 31, "d1": first, "d2": second, "set_position": board}
    data: bytes = gvformat.write_gvab(document)
    return data


def bgf(transcript: Transcript) -> bytes:
    """Return a match as BGBlitz writes it; the left player is green."""
    verdict, frames = adjudicate(transcript), replay(transcript)
    start = Position.start().counts
    games = [
        {
            "scoreGreen": game.start[0],
            "scoreRed": game.start[1],
            "isCrawford": game.crawford,
            "initial": {"points": [*start[24:0:-1], 0, 0], "cube": 1, "cubeOwner": 0},
            "moves": [move for frame in frames if frame.game == game.number for move in _moves(frame)],
            "wonPoints": game.points,
            "wasResignation": game.ended_by == "resignation",
        }
        for game in verdict.games
    ]
    left, right = transcript.players
    final = {"finalGreen": verdict.score[0], "finalRed": verdict.score[1]}
    names = {"nameGreen": left, "nameRed": right, "matchlen": transcript.length, "useCrawford": True}
    return HEADER + gzip.compress(smile({**names, **final, "games": games}))


def packed_zeros(mebibytes: int, wbits: int = 31) -> bytes:
    """Return a `.bgf` that unpacks to this size, by gzip (31) or zlib (15)."""
    packer = zlib.compressobj(9, wbits=wbits)
    start = packer.compress(b":)\n\0") + packer.flush(zlib.Z_FULL_FLUSH)
    return HEADER + start + mebibytes * (packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH))


def _moves(frame: Any) -> list[dict[str, Any]]:
    player = {"player": 2 * frame.side - 1}
    if frame.kind in (Kind.TAKE, Kind.DROP):
        decision = {"cubeDecision": {"hasDoubled": True, "hasAccepted": frame.kind is Kind.TAKE}}
        nothing = {"from": [-1] * 4, "to": [-1] * 4}
        return [{"player": -player["player"], **nothing, "equity": decision}, {**player, **nothing}]
    if frame.kind is not Kind.PLAY:
        return []
    first, second = frame.dice
    if not frame.steps:
        dance = {"from": [first, -1, -1, -1], "to": [second, -1, -1, -1], "dancingEquity": 0}
        return [{**player, **dance}]
    free = [-1] * (4 - len(frame.steps))
    points = {"from": [s.source for s in frame.steps] + free, "to": [s.target for s in frame.steps] + free}
    return [{**player, **points, "red": first, "green": second}]


def smile(value: Any) -> bytes:
    """Return a JSON value as Smile, without shared names."""
    return b":)\n\0" + _value(value)


def _value(value: Any) -> bytes:
    if isinstance(value, bool):
        return b"\x23" if value else b"\x22"
    if isinstance(value, int):
        zigzag = value << 1 if value >= 0 else (-value << 1) - 1
        return b"\x24" + (bytes([zigzag >> 6]) if zigzag >> 6 else b"") + bytes([0x80 | zigzag & 0x3F])
    if isinstance(value, str):
        return bytes([0x3F + len(value)]) + value.encode("ascii")
    if isinstance(value, list):
        return b"\xf8" + b"".join(map(_value, value)) + b"\xf9"
    return b"\xfa" + b"".join(bytes([0x7F + len(key)]) + key.encode() + _value(value[key]) for key in value) + b"\xfb"
