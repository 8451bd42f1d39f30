"""Our own match record: JSON with everything that a Transcript holds, described in `docs/match-json.md`.

Reading is strict: a wrong value means an error in the program that wrote the file. Unknown fields are skipped with a
note, so that a later version can add some.
"""

import json
import math
import re
from dataclasses import replace
from typing import Any, NoReturn

from engine.errors import Refused
from engine.notation import moves_of_word
from engine.position import Position
from engine.records.json_fields import (
    Fields,
    bad_field,
    boolean,
    items,
    list_of,
    pair_of,
    plain_object,
    text,
    whole_number,
)
from engine.records.limits import DEFAULT_LIMITS, Limits
from engine.records.mat_cells import SHOWN
from engine.transcript import Event, Game, Kind, Move, Place, Problem, StatedResult, Transcript

FORMAT = "barpoint-match"
VERSION = 1
_KINDS = {kind.value: kind for kind in Kind}
_HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]").search
"""An escape that may be half of a surrogate pair, which is possible in JSON but not in UTF-8."""
_STRING = re.compile(r'"(?:[^"\\]++|\\.?)*+"?', re.DOTALL)
"""A text, or all that follows a quotation mark that is never closed."""
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def write_json(transcript: Transcript) -> bytes:
    """Return the match as our JSON in UTF-8, one event a line.

    Raises ValueError or TypeError if `extra` holds values that JSON does not have.
    """
    data = to_data(transcript, places=False)
    games = data.pop("games")
    head = _ENCODER.encode(data)[:-1]
    return f'{head},"games":[{",".join(_game_lines(game) for game in games)}\n]}}\n'.encode()


def _game_lines(game: dict[str, Any]) -> str:
    events = game.pop("events")
    head = _ENCODER.encode(game)[:-1]
    lines = ",".join(f"\n{_ENCODER.encode(event)}" for event in events)
    return f'\n{head},"events":[{lines}]}}'


def to_data(transcript: Transcript, *, places: bool = True) -> dict[str, Any]:
    """Return the match as dicts and lists for JSON; `from_data` is the reverse.

    With `places`, the data of the file it was read from is included: format and dialect, the place of each event, and
    the problems of the reader.
    """
    data: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "players": list(transcript.players),
        "length": transcript.length,
        "crawford_rule": transcript.crawford_rule,
        "jacoby": transcript.jacoby,
        "start": _listed(transcript.start),
        "info": dict(transcript.info),
    }
    if places:
        data["source"] = {"format": transcript.format, "dialect": transcript.dialect}
        data["problems"] = [
            problem._asdict() | {"params": dict(problem.params), "place": list(problem.place)}
            for problem in transcript.problems
        ]
    data["games"] = [_game_data(game, places) for game in transcript.games]
    return data


def _listed(values: tuple[Any, ...] | None) -> list[Any] | None:
    return None if values is None else list(values)


def _game_data(game: Game, places: bool) -> dict[str, Any]:
    data: dict[str, Any] = {
        "number": game.number,
        "start": _listed(game.start),
        "crawford": game.crawford,
        "claim": None if game.claim is None else game.claim._asdict(),
        "events": [_event_data(event) for event in game.events],
    }
    if places:
        data["place"] = list(game.place)
        data["claim_place"] = list(game.claim_place)
        data["places"] = [list(place) for place in game.places]
    return data


def _event_data(event: Event) -> dict[str, Any]:
    data = {
        "side": event.side,
        "kind": event.kind.value,
        "dice": _listed(event.dice),
        "moves": None if event.moves is None else [_move_text(move) for move in event.moves],
        "value": event.value,
        "points": event.points,
        "position": None if event.position is None else list(event.position.counts),
        "extra": None if event.extra is None else dict(event.extra),
    }
    return {name: value for name, value in data.items() if value is not None}


def _move_text(move: Move) -> str:
    names = ["bar" if point == 25 else "off" if point == 0 else str(point) for point in move.points]
    stars = ["", *("*" if hit else "" for hit in move.hits)] + [""] * len(names)
    return "/".join(name + star for name, star in zip(names, stars, strict=False))


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(digits)
    return number


def read_json(content: str, limits: Limits = DEFAULT_LIMITS) -> Transcript:
    """Read our JSON.

    Raises Refused: `bad_json` (not JSON), `other_json` (JSON of another kind), `unknown_version`,
    `bad_field` (with the path of the wrong value and what was expected), and those of the limits.
    """
    if len(content) > limits.values and _number_of_values(content) > limits.values:
        raise Refused("too_many_values", limit=limits.values)
    try:
        data = json.loads(content, parse_constant=_no_constant, parse_float=_finite)
        if _HALF_CHARACTER(content):
            _ENCODER.encode(data).encode()
    except json.JSONDecodeError as error:
        raise Refused("bad_json", line=error.lineno, column=error.colno) from None
    except (ValueError, RecursionError):
        raise Refused("bad_json", line=1, column=1) from None
    return from_data(data, limits)


def _number_of_values(content: str) -> int:
    """Return how many values JSON has, or a few more: each but the first follows a comma, a colon or a bracket."""
    outside_texts = _STRING.sub("", content)
    return 1 + sum(outside_texts.count(mark) for mark in ",:[{")


def from_data(data: Any, limits: Limits = DEFAULT_LIMITS) -> Transcript:
    """Return the match of data from `to_data` or of decoded JSON. Raises Refused as `read_json` does."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise Refused("other_json")
    version = data.get("version")
    if version != VERSION:
        raise Refused("unknown_version", version=version if type(version) is int else "?", known=VERSION)
    unknown: list[str] = []
    fields = Fields(data, "", unknown)
    fields.values.pop("format")
    fields.values.pop("version")
    source = Fields(fields.take("source", plain_object) or {}, "source", unknown)
    problems = fields.take("problems", list_of(_problem)) or ()
    crawford_rule = fields.take("crawford_rule", boolean)
    transcript = Transcript(
        players=fields.need("players", pair_of(text)),
        length=fields.take("length", whole_number()),
        games=_games(fields, unknown, limits),
        crawford_rule=crawford_rule is not False,
        jacoby=fields.take("jacoby", boolean) or False,
        start=fields.take("start", pair_of(whole_number())),
        info=fields.take("info", _info) or {},
        format=source.take("format", text) or "json",
        dialect=source.take("dialect", text) or "barpoint",
        problems=problems,
    )
    source.done()
    fields.done()
    if not unknown:
        return transcript
    note = Problem("note", "unknown_fields", {"count": len(unknown), "first": unknown[0][:SHOWN]})
    return replace(transcript, problems=(*transcript.problems, note))


def _games(fields: Fields, unknown: list[str], limits: Limits) -> tuple[Game, ...]:
    games: list[Game] = []
    plies = 0
    for value, where in fields.need("games", items):
        if len(games) == limits.games:
            raise Refused("too_many_games", limit=limits.games)
        games.append(_game(Fields(value, where, unknown)))
        plies += len(games[-1].events)
        if plies > limits.plies:
            raise Refused("too_many_plies", limit=limits.plies)
    if not games:
        raise Refused("no_match")
    return tuple(games)


def _game(fields: Fields) -> Game:
    number = fields.need("number", whole_number(1))
    events = fields.need("events", items)
    game = Game(
        number=number,
        events=tuple(_event(Fields(value, where, fields.unknown)) for value, where in events),
        start=fields.take("start", pair_of(whole_number())),
        crawford=fields.take("crawford", boolean),
        claim=fields.take("claim", _claim),
        places=fields.take("places", list_of(_place)) or (),
        place=fields.take("place", _place) or Place(),
        claim_place=fields.take("claim_place", _place) or Place(),
    )
    fields.done()
    return game


def _event(fields: Fields) -> Event:
    kind = fields.need("kind", _kind)
    lowest_side = -1 if kind is Kind.SET_CUBE else 0
    event = Event(
        side=fields.need("side", whole_number(lowest_side, 1)),
        kind=kind,
        dice=fields.take("dice", pair_of(whole_number(0, 9))),
        moves=fields.take("moves", _moves),
        value=fields.take("value", whole_number()),
        points=fields.take("points", whole_number()),
        position=fields.take("position", _position),
        extra=fields.take("extra", plain_object),
    )
    fields.done()
    return event


def _kind(value: Any, where: str) -> Kind:
    if not isinstance(value, str) or value not in _KINDS:
        bad_field(where, "one of " + ", ".join(_KINDS))
    return _KINDS[value]


def _moves(value: Any, where: str) -> tuple[Move, ...]:
    moves: list[Move] = []
    for item, path in items(value, where):
        try:
            moves += moves_of_word(text(item, path))
        except Refused:
            bad_field(path, "a move such as 24/18*/13, bar/22 or 6/off")
    return tuple(moves)


def _position(value: Any, where: str) -> Position:
    counts = list_of(whole_number(-15, 15))(value, where)
    try:
        return Position.from_counts(counts)
    except Refused:
        bad_field(where, "the 26 counts of a possible position")


def _claim(value: Any, where: str) -> StatedResult:
    fields = Fields(value, where, [])
    winner = fields.need("winner", whole_number(0, 1))
    return StatedResult(winner, fields.take("points", whole_number()), fields.take("match", boolean) or False)


def _place(value: Any, where: str) -> Place:
    if not isinstance(value, list) or len(value) != 2:
        bad_field(where, "a list of line and column")
    number = whole_number(1)
    return Place(*(None if item is None else number(item, where) for item in value))


def _info(value: Any, where: str) -> dict[str, str]:
    fields = plain_object(value, where)
    return {text(key, where): text(item, f"{where}.{key}"[:SHOWN]) for key, item in fields.items()}


def _problem(value: Any, where: str) -> Problem:
    fields = Fields(value, where, [])
    return Problem(
        severity=fields.need("severity", text),
        code=fields.need("code", text),
        params=fields.take("params", plain_object) or {},
        place=fields.take("place", _place) or Place(),
        game=fields.take("game", whole_number(1)),
    )
