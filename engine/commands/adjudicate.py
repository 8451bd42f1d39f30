"""`barpoint adjudicate FILE... [--json]`: verdicts on match records."""

import json
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any, TextIO

from engine.adjudication import Check, check_record
from engine.verdict import Finding, GameVerdict, Outcome

SUMMARY = "check match records against the rules"
HELP = (
    "Read match records (.mat and other text, .sgf, .xg, .json) and check them against the rules. "
    "Exit status: 0 if all were accepted, 1 if any was not, 2 if a file could not be read."
)

_ACCEPTED = (Outcome.ACCEPTED, Outcome.ACCEPTED_WITH_WARNINGS)
_ALL_ACCEPTED, _NOT_ALL_ACCEPTED, _NOT_ALL_READ = 0, 1, 2
_BAR_WIDTH = 30
_CLEAR_LINE = "\r\033[K"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--json", action="store_true", help="one JSON object a line instead of text")


def run(options: Namespace) -> int:
    """Print the verdict on each file; the worst of them decides the exit status."""
    progress = _Progress(len(options.files), sys.stderr)
    status = _ALL_ACCEPTED
    for index, name in enumerate(options.files):
        progress.show(index)
        try:
            data = Path(name).read_bytes()
        except OSError as error:
            progress.clear()
            print(f"{name}: {error.strerror}", file=sys.stderr)
            status = _NOT_ALL_READ
            continue
        check = check_record(data)
        progress.clear()
        print(json.dumps(_as_json(name, check), ensure_ascii=False) if options.json else f"{name}: {check.verdict}")
        if check.verdict.outcome not in _ACCEPTED:
            status = max(status, _NOT_ALL_ACCEPTED)
    return status


class _Progress:
    """A progress bar, shown only on a terminal and for more than one file."""

    def __init__(self, total: int, stream: TextIO) -> None:
        self.total = total
        self.stream = stream
        self.shown = total > 1 and stream.isatty()

    def show(self, done: int) -> None:
        """Draw the bar in the last line."""
        if self.shown:
            filled = _BAR_WIDTH * done // self.total
            bar = "#" * filled + "." * (_BAR_WIDTH - filled)
            print(f"\r[{bar}] {done + 1}/{self.total}", end="", file=self.stream, flush=True)

    def clear(self) -> None:
        """Clear the line, so that a verdict can be printed."""
        if self.shown:
            print(_CLEAR_LINE, end="", file=self.stream, flush=True)


def _as_json(name: str, check: Check) -> dict[str, Any]:
    """The verdict on a file, under the keys that scripts rely on."""
    verdict = check.verdict
    return {
        "file": name,
        "format": check.format,
        "match_length": verdict.length,
        "players": verdict.players,
        "outcome": verdict.outcome,
        "score": verdict.score,
        "winner": verdict.winner,
        "games": [_game_as_json(game) for game in verdict.games],
        "findings": [_finding_as_json(finding) for finding in verdict.findings],
    }


def _game_as_json(game: GameVerdict) -> dict[str, Any]:
    keys = ("number", "start", "end", "crawford", "winner", "kind", "cube", "points")
    return {key: getattr(game, key) for key in keys}


def _finding_as_json(finding: Finding) -> dict[str, Any]:
    return {
        "severity": finding.severity,
        "code": finding.code,
        "game": finding.game,
        "ply": finding.ply,
        "line": finding.place.line,
        "column": finding.place.column,
        "message": finding.message,
    }
