"""./manage.py adjudicate FILE... [--json]"""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, OutputWrapper

from engine import check_record
from matches.presentation import labels as wording
from matches.records.verdicts import as_json, with_messages

ACCEPTED = ("accepted", "accepted_with_warnings")
ALL_ACCEPTED, NOT_ALL_ACCEPTED, NOT_ALL_READ = 0, 1, 2
BAR_WIDTH = 30
CLEAR_LINE = "\r\033[K"


class Command(BaseCommand):
    """Adjudicate match records: no database, no server."""

    help = (
        "Read match records (.mat and other text, .sgf, .xg, .json) and play them through by the rules. "
        "Exit status: 0 if all were accepted, 1 if any was not, 2 if a file could not be read."
    )
    requires_system_checks: tuple[str, ...] = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The files, and how to answer."""
        parser.add_argument("files", nargs="+", metavar="FILE")
        parser.add_argument("--json", action="store_true", help="one JSON object a line instead of text")

    def handle(self, *args: Any, **options: Any) -> None:
        """Answer file by file; the worst of them decides the exit status."""
        names = options["files"]
        progress = Progress(len(names), self.stderr)
        status = ALL_ACCEPTED
        for done, name in enumerate(names):
            progress.show(done)
            try:
                data = Path(name).read_bytes()
            except OSError as error:
                progress.clear()
                self.stderr.write(f"{name}: {error.strerror}")
                status = NOT_ALL_READ
                continue
            check = check_record(data)
            answer = for_programs(name, check.format, as_json(check.verdict))
            progress.clear()
            self.stdout.write(json.dumps(answer, ensure_ascii=False) if options["json"] else in_words(answer))
            if answer["outcome"] not in ACCEPTED:
                status = max(status, NOT_ALL_ACCEPTED)
        self.stdout.flush()
        sys.exit(status)


class Progress:
    """A bar on a terminal where there are many files; nothing anywhere else."""

    def __init__(self, total: int, stream: OutputWrapper) -> None:
        self.total = total
        self.stream = stream
        self.shown = total > 1 and stream.isatty()

    def show(self, done: int) -> None:
        """Draw the bar in the last line."""
        if self.shown:
            filled = BAR_WIDTH * done // self.total
            bar = "#" * filled + "." * (BAR_WIDTH - filled)
            self.stream.write(f"\r[{bar}] {done + 1}/{self.total}", style_func=str, ending="")
            self.stream.flush()

    def clear(self) -> None:
        """Free the line for an answer."""
        if self.shown:
            self.stream.write(CLEAR_LINE, style_func=str, ending="")
            self.stream.flush()


def for_programs(name: str, record_format: str, verdict: Mapping[str, Any]) -> dict[str, Any]:
    """The verdict under the names that programs rely on."""
    games = ("number", "start", "end", "crawford", "winner", "kind", "cube", "points")
    findings = ("severity", "code", "game", "ply", "line", "column", "message")
    return {
        "file": name,
        "format": record_format,
        "match_length": verdict["length"],
        "players": verdict["players"],
        "outcome": verdict["outcome"],
        "score": verdict["score"],
        "winner": verdict["winner"],
        "games": [{key: game[key] for key in games} for game in verdict["games"]],
        "findings": [{key: found[key] for key in findings} for found in with_messages(verdict["findings"])],
    }


def in_words(answer: Mapping[str, Any]) -> str:
    """The verdict for a person at a terminal."""
    lines = [f"{answer['file']}: {wording.outcome(answer['outcome'])[0]}"]
    if answer["games"]:
        left, right = wording.names(answer["players"])
        score = "{}–{}".format(*answer["score"])
        lines.append(f"  {wording.length(answer['match_length'])}, {left} – {right} {score}")
    for found in answer["findings"]:
        place = ", ".join(f"{key} {found[key]}" for key in ("game", "ply", "line") if found[key] is not None)
        lines.append(f"  {found['severity']}: {found['message']}" + (f" ({place})" if place else ""))
    return "\n".join(lines)
