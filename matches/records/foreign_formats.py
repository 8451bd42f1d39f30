"""Reads OGXM, and the `.bgf` files of BGBlitz, by `gvformat` where that is installed (`make records`).

Only dice, steps, the cube and resignations are taken, so that our engine alone judges the match. `gvformat` would
unpack a `.bgf` of any size, so it is given what has been unpacked here.
"""

import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from engine import Position, Transcript, legal_plays, replay
from engine.errors import Refused
from engine.keys import CHECKERS
from engine.records.limits import DEFAULT_LIMITS, Limits
from engine.transcript import Event, Game, Kind, Move, Problem, StatedResult

READ_BY_US = ".mat, .txt, .sgf, .xg, .json"
"""The formats that need no package."""
_OGXM = b"OGXM"
_SMILE = b":)\n"
"""How the binary JSON of Jackson begins, which `.bgf` contains."""
_BGF = re.compile(rb"\s*\{[^\n]{0,65536}\n(?=:\)\n|\x1f\x8b|x[\x01\x9c\xda])")
"""A line of JSON, then Smile, plain or packed by gzip or zlib."""
_BINARY = re.compile(rb"[\x00-\x08]")
"""What every such file contains; without it, one would be read as a small text, in no limited process."""
_CUBE = {21: Kind.DOUBLE, 22: Kind.TAKE, 23: Kind.DROP, 32: Kind.BEAVER}
_RESIGNATIONS, _MARKERS = (27, 28), (24, 25, 26, 29, 30)
_LAST_ROLL, _SET_POSITION = 20, 31

Json = Mapping[str, Any]


def foreign_format(data: bytes) -> str:
    """Return `ogxm` or `bgf`, by the content of a file; empty for any other."""
    if data.startswith(_OGXM):
        return "ogxm"
    return "bgf" if _BGF.match(data) and _BINARY.search(data) else ""


def refuse_without_reader(data: bytes) -> None:
    """Refused: `format_not_installed` for a file that only `gvformat` reads, where that is not installed."""
    name = foreign_format(data)
    if name and find_spec("gvformat") is None:
        raise Refused("format_not_installed", format=name.upper(), formats=READ_BY_US)


def read_foreign(data: bytes, limits: Limits = DEFAULT_LIMITS) -> Transcript:
    """Return the match of a file that `foreign_format` knows.

    Refused: `format_not_installed`, `record_too_large` if it unpacks to more than the limit, `too_many_games`,
    `too_many_plies`, `unreadable_record` for whatever else is wrong with it.
    """
    refuse_without_reader(data)
    name = foreign_format(data)
    try:
        document = _document(name, data, limits)
        return _with_legal_plays(_transcript(name, document, limits))
    except (Refused, MemoryError):
        raise
    except Exception:  # noqa: BLE001, a library that was not written for hostile files may raise anything
        raise Refused("unreadable_record") from None


def _document(name: str, data: bytes, limits: Limits) -> Json:
    import gvformat

    read: Callable[..., Json]
    if name == "ogxm":
        read = gvformat.read_gvab
        return read(data, derive_ogids=False)
    read = gvformat.convert_bgf
    return read(_unpacked(data, limits))


def _unpacked(data: bytes, limits: Limits) -> bytes:
    """Return a `.bgf` with its content unpacked. Refused: `record_too_large`."""
    header, _, content = data.partition(b"\n")
    if not content.startswith(_SMILE):
        unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
        content = unpacker.decompress(content, limits.inflated_bytes + 1)
        if len(content) > limits.inflated_bytes:
            raise Refused("record_too_large", limit=limits.inflated_bytes, mebibytes=limits.inflated_bytes >> 20)
        if not unpacker.eof:
            raise Refused("unreadable_record")
    if not content.startswith(_SMILE):
        # Packed twice, it would be unpacked again, without a limit.
        raise Refused("unreadable_record")
    return header + b"\n" + content


def _transcript(name: str, document: Json, limits: Limits) -> Transcript:
    games = document["games"]
    if not games:
        raise Refused("no_match")
    if len(games) > limits.games:
        raise Refused("too_many_games", limit=limits.games)
    if sum(len(game["plies"]) for game in games) > limits.plies:
        raise Refused("too_many_plies", limit=limits.plies)
    variant = document.get("variant")
    problems = (Problem("error", "other_variant", {"name": str(variant)}),) if variant else ()
    length = int(document["match_length"])
    return Transcript(
        players=(_line(document["player_white"]), _line(document["player_black"])),
        length=length,
        games=tuple(_game(number, game) for number, game in enumerate(games, start=1)),
        crawford_rule=bool(document["crawford"]) or not length,
        jacoby=not length and bool(document["jacoby"]),
        start=_start(document.get("score_start")),
        format=name,
        dialect="bgblitz" if name == "bgf" else name,
        problems=problems,
    )


def _with_legal_plays(transcript: Transcript) -> Transcript:
    """Return the match with a play in place of each position that a legal play of its roll leads to.

    `gvformat` writes as illegal what does not fit its steps, such as 14/off with 5-5.
    """
    games = list(transcript.games)
    for frame in replay(transcript) if any(_illegal(game) for game in games) else ():
        if frame.kind is Kind.ILLEGAL and frame.dice is not None:
            play = next((play for play in legal_plays(frame.before, frame.dice) if play.result == frame.after), None)
            if play is not None:
                game = games[frame.game - 1]
                events = list(game.events)
                moves = tuple(Move((step.source, step.target)) for step in play.steps)
                events[frame.event] = events[frame.event]._replace(kind=Kind.PLAY, moves=moves, position=None)
                games[frame.game - 1] = replace(game, events=tuple(events))
    return replace(transcript, games=tuple(games))


def _illegal(game: Game) -> bool:
    return any(event.kind is Kind.ILLEGAL for event in game.events)


def _line(name: str) -> str:
    return " ".join(name.split())


def _start(score: Sequence[int] | None) -> tuple[int, int] | None:
    return (int(score[0]), int(score[1])) if score else None


def _game(number: int, game: Json) -> Game:
    """Return a game. Its result is taken only where it was given up without a resignation, since nothing else says so.

    `gvformat` writes the roll at which a game was given up with no steps, as it writes a dance.
    """
    events: list[Event] = []
    borne_off = [0, 0]
    for ply in game["plies"]:
        side, action = 1 - int(ply["color"]), int(ply["action_id"])
        if action in _RESIGNATIONS:
            events.append(Event(side, Kind.RESIGN, points=int(game["points_won"]) or None))
        elif action not in _MARKERS:
            events.append(_event(side, action, ply))
            borne_off[side] += sum(move.points[-1] == 0 for move in events[-1].moves or ())
    at = len(events) - 1
    while at >= 0 and events[at].kind is Kind.RESIGN:
        at -= 1
    if at >= 0 and events[at].kind is Kind.PLAY and not events[at].moves:
        events[at] = events[at]._replace(moves=None)
    is_shown = max(borne_off) == CHECKERS or (bool(events) and events[-1].kind in (Kind.DROP, Kind.RESIGN))
    claim = None
    if game["winner"] in (0, 1) and not is_shown:
        claim = StatedResult(int(game["winner"]), int(game["points_won"]) or None)
    return Game(number, tuple(events), claim=claim)


def _event(side: int, action: int, ply: Json) -> Event:
    if action <= _LAST_ROLL:
        moves = tuple(_move(side, step) for step in ply["moves"])
        return Event(side, Kind.PLAY, (int(ply["d1"]), int(ply["d2"])), moves)
    if action == _SET_POSITION:
        position = _position(side, [int(count) for count in ply["set_position"]])
        dice = (int(ply["d1"]), int(ply["d2"])) if "d1" in ply else None
        return Event(side, Kind.ILLEGAL if dice else Kind.SET_POSITION, dice, position=position)
    return Event(side, _CUBE[action])


def _position(side: int, board: list[int]) -> Position:
    try:
        return Position.from_counts([-count for count in board] if side else board[::-1])
    except Refused:
        raise Refused("unreadable_record") from None


def _move(side: int, step: Json) -> Move:
    """Return one step; the file numbers the points as the right player does, whose bar is 25."""
    start = int(step["from"]) if side else 25 - int(step["from"])
    return Move((start, max(0, start - int(step["pips"]))))
