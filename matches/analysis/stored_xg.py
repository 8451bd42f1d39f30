"""The analysis that eXtreme Gammon stores in its `.xg` files.

A play has up to 32 candidates, each with the board after it, its depth and seven numbers: the chances to lose a
backgammon, a gammon and the game, to win the game, a gammon and a backgammon, and the equity. A cube decision has such
numbers, too, and the equities of no double, double and take, and double and drop. All are normalised to the cube.
Source: the format published at extremegammon.com/xgformat.aspx; what its fields hold was checked with real files.
"""

import struct
from collections.abc import Iterator, Sequence

from engine import Position
from engine.errors import Refused
from engine.records.limits import DEFAULT_LIMITS
from engine.records.xg_container import match_records
from engine.records.xg_reader import CUBE, HEADER_GAME, MOVE, RECORD, Field, read_xg
from engine.transcript import Kind as EventKind
from engine.transcript import Transcript
from matches.analysis.judging import judged
from matches.analysis.situations import situations_of
from matches.analysis.values import (
    AnalysedMatch,
    Candidate,
    Chances,
    CubeEquities,
    DecisionKind,
    Judgement,
    Situation,
    chances_of,
)

_KIND = 8
_VERSION = Field(552, struct.Struct("<i"))
_DICE = Field(100, struct.Struct("<2i"))
_DOUBLED = Field(16, struct.Struct("<i"))
_CUBE_EVALUATION_AT = 64 + 60
_CUBE_EQUITIES_AT, _CUBE_EQUITIES = 64 + 88, struct.Struct("<3f")
_PLAYS = 124
"""Offset of the candidates of a play; the offsets below are within it."""
_COUNT = Field(_PLAYS + 64, struct.Struct("<i"))
_MAX_PLAYS = 32
_BOARDS, _BOARD = _PLAYS + 68, struct.Struct("<26b")
_LEVELS, _LEVEL = _PLAYS + 1156, struct.Struct("<h2x")
_EVALUATIONS, _EVALUATION = _PLAYS + 1284, struct.Struct("<7f")
_LUCK_AT, _LUCK = 2320, struct.Struct("<d")
_ROUNDING = 0.01
_NOT_ANALYSED = -900
"""Below it a number says that there was no analysis."""
_DEPTHS = {12: "3-ply", 100: "rollout", 998: "book", 999: "book"}
_DEPTHS |= {1000: "XG Roller", 1001: "XG Roller+", 1002: "XG Roller++"}
_PLAIN_LEVELS = range(7)

_Key = tuple[int, int]
"""Game and event."""


def stored_analysis(data: bytes) -> AnalysedMatch:
    """Return the analysis in an `.xg` file, with the errors computed as everywhere here.

    Refused: what `read_xg` and `situations_of` refuse, and `analysis_unreadable` if the file has no analysis.
    """
    records = match_records(data, DEFAULT_LIMITS)
    transcript = read_xg(data)
    situations = situations_of(transcript)
    judgements = dict(_judgements(records, transcript, situations))
    pairs = [(situation, judgements[at]) for at, situation in enumerate(situations) if at in judgements]
    if not pairs:
        raise Refused("analysis_unreadable")
    return AnalysedMatch(
        backend="xg",
        version=str(_VERSION.of(records[:RECORD])[0]),
        settings={},
        cpu_seconds=0.0,
        memory=0,
        decisions=judged(pairs),
    )


def _judgements(
    records: bytes, transcript: Transcript, situations: Sequence[Situation]
) -> Iterator[tuple[int, Judgement]]:
    """Yield the index and the analysis of each situation that the file has analysed."""
    turns = _turns(records, transcript)
    for at, situation in enumerate(situations):
        cube, play = turns.get((situation.game, situation.event), (None, None))
        if situation.kind is DecisionKind.TAKE:
            cube, _ = turns.get((situation.game, situation.event - 1), (None, None))
        record = play if situation.kind is DecisionKind.PLAY else cube
        judgement = None if record is None else _judgement(record, situation)
        if judgement is not None:
            yield at, judgement


def _turns(records: bytes, transcript: Transcript) -> dict[_Key, tuple[bytes | None, bytes | None]]:
    """Return the records of the cube and of the play by the game and event that they became."""
    turns: dict[_Key, tuple[bytes | None, bytes | None]] = {}
    game, at = 0, 0
    cube: bytes | None = None
    for record in (records[offset : offset + RECORD] for offset in range(RECORD, len(records) - RECORD + 1, RECORD)):
        kind = record[_KIND]
        if kind == HEADER_GAME:
            game, at, cube = game + 1, 0, None
        elif kind == CUBE:
            cube = record
        elif kind != MOVE or not any(_DICE.of(record)):
            continue
        if kind == CUBE and _DOUBLED.of(record)[0] == 1:
            at = _next(transcript, game, at, EventKind.DOUBLE)
            turns[game, at] = record, None
            at, cube = at + 1, None
        elif kind == MOVE:
            at = _next(transcript, game, at, EventKind.PLAY)
            turns[game, at] = cube, record
            at, cube = at + 1, None
    return turns


def _next(transcript: Transcript, game: int, at: int, kind: EventKind) -> int:
    """Return the index of the next event of a kind. Refused: `analysis_unreadable` if there is none."""
    if not 0 < game <= len(transcript.games):
        raise Refused("analysis_unreadable")
    events = transcript.games[game - 1].events
    following = (number for number in range(at, len(events)) if events[number].kind is kind)
    number = next(following, None)
    if number is None:
        raise Refused("analysis_unreadable")
    return number


def _judgement(record: bytes, situation: Situation) -> Judgement | None:
    if situation.kind is not DecisionKind.PLAY:
        equities = CubeEquities(*_CUBE_EQUITIES.unpack_from(record, _CUBE_EQUITIES_AT))
        analysed = any((equities.no_double, equities.double_take)) and equities.no_double > _NOT_ANALYSED
        chances = _chances(_EVALUATION.unpack_from(record, _CUBE_EVALUATION_AT))
        return Judgement(equities=equities, chances=chances) if analysed else None
    # In the order of the file: plays that were looked at less deeply come last, whatever their equities.
    candidates = tuple(_candidates(record, situation))
    if situation.choices and not any(candidate.played for candidate in candidates):
        return None
    (luck,) = _LUCK.unpack_from(record, _LUCK_AT)
    return Judgement(candidates=candidates, luck=luck if luck > _NOT_ANALYSED else None)


def _candidates(record: bytes, situation: Situation) -> Iterator[Candidate]:
    names = {play.result: str(play) for play in situation.legal_plays()}
    for number in range(min(_COUNT.of(record)[0], _MAX_PLAYS)):
        board = _BOARD.unpack_from(record, _BOARDS + number * _BOARD.size)
        try:
            result = Position.from_counts(board)
        except Refused:
            continue
        if result not in names:
            continue
        numbers = _EVALUATION.unpack_from(record, _EVALUATIONS + number * _EVALUATION.size)
        (level,) = _LEVEL.unpack_from(record, _LEVELS + number * _LEVEL.size)
        played = result == situation.result
        yield Candidate(names[result], numbers[-1], None, _depth(level), played, _chances(numbers))


def _chances(numbers: Sequence[float]) -> Chances | None:
    lose_backgammon, lose_gammon, lose, win, win_gammon, win_backgammon, _ = numbers
    if abs(win + lose - 1) > _ROUNDING:
        return None
    return chances_of((win, win_gammon, win_backgammon, lose_gammon, lose_backgammon))


def _depth(level: int) -> str:
    return f"{level + 1}-ply" if level in _PLAIN_LEVELS else _DEPTHS.get(level, str(level))
