"""./manage.py convert FILE --to mat|sgf|json"""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from core.messages import sentence
from engine import Refused, normalised
from engine.records import read, write
from engine.transcript import Problem
from matches.records.downloads import CONTENT_TYPES


class Command(BaseCommand):
    """Write a match record in another format to standard output: no database, no server."""

    help = (
        "Convert a match record. What could not be understood is left out of the new record and listed on standard "
        "error. Exit status: 0, 1 if anything was left out, or 2 if the file could not be read."
    )
    requires_system_checks: tuple[str, ...] = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The file and the format."""
        parser.add_argument("file", metavar="FILE")
        parser.add_argument("--to", choices=tuple(CONTENT_TYPES), required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        """Read, write; plays are written as single steps with their true hits, save in JSON."""
        try:
            transcript = read(Path(options["file"]).read_bytes())
        except OSError as error:
            self.stderr.write(f"{options['file']}: {error.strerror}")
            sys.exit(2)
        except Refused as refused:
            self.stderr.write(f"{options['file']}: {sentence(refused.code, refused.params)}")
            sys.exit(2)
        for problem in transcript.problems:
            self.stderr.write(f"{options['file']}:{_described(problem)}")
        kept = transcript if options["to"] == "json" else normalised(transcript)
        sys.stdout.buffer.write(write(kept, options["to"]))
        sys.stdout.flush()
        if any(problem.severity == "error" for problem in transcript.problems):
            sys.exit(1)


def _described(problem: Problem) -> str:
    """The place and the sentence of something that could not be read, or was read in an unusual way."""
    line, column = problem.place
    place = "" if line is None else f"{line}:" if column is None else f"{line}:{column}:"
    return f"{place} {problem.severity}: {sentence(problem.code, problem.params)}"
