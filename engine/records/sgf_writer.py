"""Writes SGF with `GM[6]` that GNU Backgammon reads; `sgf_reader` explains the letters and properties.

Things for which SGF has no property are written in private ones, which other programs ignore: `BP[W:resign:2:]` is a
resignation within a game (side, kind, times the cube, points), an answer to one, a conceded match or a fallen flag;
`IL[W:31]` says that the position in its node is the one after an illegal play.
"""

import re
from collections.abc import Iterator

from engine.keys import BAR, CHECKERS, OFF
from engine.position import Position
from engine.records.sgf_reader import ENDINGS, INFO_OF_PROPERTY, LEFT
from engine.records.sgf_syntax import escaped
from engine.transcript import Event, Game, Kind, Move, Transcript

_DATE = re.compile(r"([0-9]{4})\.([0-9]{2})\.([0-9]{2})").fullmatch
_NAMES = "WB"
_CUBE_WORDS = {Kind.DOUBLE: "double", Kind.BEAVER: "double", Kind.TAKE: "take", Kind.DROP: "drop"}


def _letter(point: int, side: int) -> str:
    if point in (BAR, OFF):
        return "y" if point == BAR else "z"
    return chr(96 + (point if side == LEFT else 25 - point))


def _steps(moves: tuple[Move, ...], side: int) -> str:
    """Return the letters of every step, from and to; a move over several points is several steps."""
    return "".join(
        _letter(start, side) + _letter(end, side)
        for move in moves
        for start, end in zip(move.points, move.points[1:], strict=False)
    )


def _roll(dice: tuple[int, int] | None) -> str:
    return f"{dice[0]}{dice[1]}" if dice else "00"


def _board(position: Position | None, side: int) -> str:
    """Return a board: all points emptied, then every checker added."""
    if position is None:
        return "AE[a:y]"
    counts = position.counts
    own = [(side, point) for point in range(1, 26) for _ in range(counts[point])]
    other = [(1 - side, 25 - point) for point in range(25) for _ in range(-counts[point])]
    text = "AE[a:y]"
    for owner, name in enumerate(("AW", "AB")):
        letters = [_letter(point, owner) for placed_by, point in own + other if placed_by == owner]
        text += name + "".join(f"[{letter}]" for letter in letters) if letters else ""
    return text


def _nodes(event: Event) -> Iterator[str]:
    name = _NAMES[event.side]
    match event.kind:
        case Kind.PLAY if event.moves is None:
            yield f"PL[{name}]DI[{_roll(event.dice)}]"
        case Kind.PLAY:
            yield f"{name}[{_roll(event.dice)}{_steps(event.moves or (), event.side)}]"
        case Kind.SET_POSITION:
            yield f"PL[{name}]{_board(event.position, event.side)}"
        case Kind.ILLEGAL:
            dice = _roll(event.dice) if event.dice else ""
            board = _board(event.position, event.side) if event.position else ""
            yield f"PL[{_NAMES[1 - event.side]}]IL[{name}:{dice}]{board}"
        case Kind.SET_CUBE:
            yield f"CP[{'wbc'[event.side]}]"
            if event.value is not None:
                yield f"CV[{event.value}]"
        case kind if kind in _CUBE_WORDS:
            yield f"{name}[{_CUBE_WORDS[kind]}]"
        case kind:
            value, points = ("" if number is None else number for number in (event.value, event.points))
            yield f"BP[{name}:{kind.value}:{value}:{points}]"


def _result(game: Game) -> tuple[str, tuple[Event, ...]]:
    """Return the value of `RE`, and the events without a resignation that it already states.

    A game that was not played to its end is marked `R`; without it gnubg takes the game for unfinished.
    """
    claim, events = game.claim, game.events
    if claim is None:
        return "", events
    points = "" if claim.points is None else claim.points
    result = f"{_NAMES[claim.winner]}+{points}"
    if _is_played_out(game, claim.winner):
        return result, events
    last = events[-1] if events else None
    already_stated = len(events) > 1 and events[-2].kind in ENDINGS
    if last == Event(1 - claim.winner, Kind.RESIGN, points=claim.points) and not already_stated:
        events = events[:-1]
    return f"{result}R", events


def _is_played_out(game: Game, winner: int) -> bool:
    """Whether a drop or the winner's last checker ended the game."""
    last = game.events[-1] if game.events else None
    if last is None or last.kind is Kind.DROP:
        return last is not None
    if last.side != winner or not last.moves:
        return False
    borne_off = 0
    for event in game.events:
        if event.position is not None:
            borne_off = event.position.borne_off[event.side != winner]
        elif event.side == winner:
            borne_off += sum(move.points[-1] == OFF for move in event.moves or ())
    return borne_off >= CHECKERS


def _crawford(transcript: Transcript, index: int) -> bool:
    """Whether this is the Crawford game: as marked, or else the first game with a side one point short."""
    game, length = transcript.games[index], transcript.length
    if game.crawford is not None or not length or length == 1 or not transcript.crawford_rule:
        return bool(game.crawford)
    starts = [earlier.start for earlier in transcript.games[: index + 1]]
    short = [start is not None and start.count(length - 1) == 1 for start in starts]
    return short[-1] and not any(short[:-1])


def _rules(transcript: Transcript, index: int) -> str:
    rules = ["Crawford"] if transcript.crawford_rule and transcript.length != 0 else []
    rules += ["CrawfordGame"] if _crawford(transcript, index) else []
    rules += ["Jacoby"] if transcript.jacoby else []
    # If the rule is off, that has to be stated: without `RU` a reader assumes the usual rules.
    say = rules or not transcript.crawford_rule
    no_mark = transcript.games[index].crawford is None and not transcript.jacoby
    silent = no_mark and (transcript.length in (0, 1) or transcript.format == "sgf")
    return f"RU[{':'.join(rules)}]" if say and not silent else ""


def _info(transcript: Transcript) -> str:
    info = dict(transcript.info)
    if info.get("Player 1", transcript.players[0]) != transcript.players[0]:
        info["Player 1 Elo"], info["Player 2 Elo"] = info.get("Player 2 Elo", ""), info.get("Player 1 Elo", "")
    text = ""
    for name, key in INFO_OF_PROPERTY.items():
        value = info.get(key, "")
        if name == "DT" and (date := _DATE(value)):
            value = "-".join(date.groups())
        text += f"{name}[{escaped(value)}]" if value else ""
    return text


def _root(transcript: Transcript, index: int, result: str) -> str:
    game = transcript.games[index]
    information = f"[length:{transcript.length}]" if transcript.length is not None else ""
    information += f"[game:{game.number - 1}]"
    if game.start is not None:
        information += f"[ws:{game.start[0]}][bs:{game.start[1]}]"
    left, right = (escaped(name) for name in transcript.players)
    return (
        f"FF[4]GM[6]CA[UTF-8]AP[Barpoint:1]MI{information}PW[{left}]PB[{right}]"
        f"{_info(transcript) if index == 0 else ''}{_rules(transcript, index)}{f'RE[{result}]' if result else ''}"
    )


def write_sgf(transcript: Transcript) -> bytes:
    """Return the match as SGF in UTF-8, one game tree for each game.

    SGF has no hits, no moves over several points, no cube values and no clocks; our JSON has them.
    """
    lines = []
    for index, game in enumerate(transcript.games):
        result, events = _result(game)
        nodes = [_root(transcript, index, result), *(node for event in events for node in _nodes(event))]
        lines.append("(;" + "\n;".join(nodes) + ")\n")
    return "".join(lines).encode()
