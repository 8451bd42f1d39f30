"""Verdicts of the engine as JSON, as they are stored and sent by the API; computed in a limited process."""

from typing import Any

import engine
from engine.errors import Refused
from engine.records import to_data
from engine.verdict import Finding, GameVerdict, Outcome, Severity
from engine.verdict import Verdict as EngineVerdict
from matches.records.comparison import fingerprints
from matches.records.foreign_formats import foreign_format, read_foreign

Json = dict[str, Any]


def checked_record(data: bytes) -> Json:
    """Return format, dialect, transcript (None if it cannot be read) and fingerprints of a record, and its verdict."""
    try:
        check = _check_foreign(data) if foreign_format(data) else engine.check_record(data)
    except Refused as refused:
        return storable(rejected(refused))  # type: ignore[no-any-return]
    transcript = to_data(check.transcript) if check.transcript else None
    facts: Json = {"format": check.format, "dialect": check.dialect, "transcript": transcript}
    facts["fingerprints"] = fingerprints(check.transcript) if check.transcript else []
    return storable(facts | {"verdict": as_json(check.verdict)})  # type: ignore[no-any-return]


def _check_foreign(data: bytes) -> engine.Check:
    """Refused: what `read_foreign` refuses."""
    transcript = read_foreign(data)
    return engine.Check(transcript.format, transcript.dialect, transcript, engine.adjudicate(transcript))


def rejected(refused: Refused) -> Json:
    """Return the same for a record that cannot be read."""
    finding = Finding(Severity.ERROR, refused.code, refused.params)
    verdict = EngineVerdict(Outcome.REJECTED, ("", ""), None, (0, 0), (0, 0), None, (), (finding,))
    return {"format": "", "dialect": "", "transcript": None, "fingerprints": [], "verdict": as_json(verdict)}


def as_json(verdict: EngineVerdict) -> Json:
    """Convert a verdict to JSON values. Findings have codes and parameters, so that they can be translated."""
    return {
        "outcome": verdict.outcome.value,
        "players": list(verdict.players),
        "length": verdict.length,
        "start": list(verdict.start),
        "score": list(verdict.score),
        "winner": verdict.winner,
        "rests_on_words": verdict.rests_on_words,
        "games": [_game(game) for game in verdict.games],
        "findings": [_finding(finding) for finding in verdict.findings],
    }


def _game(game: GameVerdict) -> Json:
    return {
        "number": game.number,
        "start": list(game.start),
        "end": list(game.end),
        "crawford": game.crawford,
        "winner": game.winner,
        "kind": game.kind.value,
        "cube": game.cube,
        "points": game.points,
        "ended_by": game.ended_by,
        "rests_on_words": game.rests_on_words,
    }


def _finding(finding: Finding) -> Json:
    return {
        "severity": finding.severity.value,
        "code": finding.code,
        "params": dict(finding.params),
        "game": finding.game,
        "ply": finding.ply,
        "line": finding.place.line,
        "column": finding.place.column,
        "xgid": finding.xgid,
        "nearest": list(finding.nearest),
    }


def storable(value: Any) -> Any:
    """Replace characters in a JSON value that a database cannot store: NUL and unpaired surrogates."""
    if isinstance(value, str):
        return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {storable(name): storable(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [storable(inner) for inner in value]
    return value
