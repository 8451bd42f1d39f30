"""Verdicts of the engine as JSON, as they are stored and sent by the API."""

from collections.abc import Mapping
from typing import Any

from core.messages import sentence
from engine.verdict import Finding, GameVerdict, Verdict

Json = dict[str, Any]


def as_json(verdict: Verdict) -> Json:
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


def with_messages(findings: list[Mapping[str, Any]]) -> list[Json]:
    """Add messages in the active language to the findings."""
    return [{**finding, "message": sentence(finding["code"], finding["params"])} for finding in findings]


def storable(value: Any) -> Any:
    """Replace characters in a JSON value that a database cannot store: NUL and unpaired surrogates."""
    if isinstance(value, str):
        return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {storable(name): storable(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [storable(inner) for inner in value]
    return value
