"""`barpoint convert FILE --to mat|sgf|json`: a match record in another format, on standard output."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from engine.adjudication import normalised
from engine.errors import Refused, sentence
from engine.records import FORMATS, read, write
from engine.transcript import Problem

SUMMARY = "write a match record in another format"
HELP = (
    "Convert a match record. What could not be understood is left out of the new record and listed on standard "
    "error. Exit status: 0, 1 if anything was left out, or 2 if the file could not be read."
)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--to", choices=FORMATS, required=True)


def run(options: Namespace) -> int:
    """Read and write; plays are written as single steps with their actual hits, except in JSON."""
    try:
        transcript = read(Path(options.file).read_bytes())
    except OSError as error:
        print(f"{options.file}: {error.strerror}", file=sys.stderr)
        return 2
    except Refused as refused:
        print(f"{options.file}: {refused.message}", file=sys.stderr)
        return 2
    for problem in transcript.problems:
        print(f"{options.file}:{_described(problem)}", file=sys.stderr)
    converted = transcript if options.to == "json" else normalised(transcript)
    sys.stdout.buffer.write(write(converted, options.to))
    sys.stdout.flush()
    return 1 if any(problem.severity == "error" for problem in transcript.problems) else 0


def _described(problem: Problem) -> str:
    """Where the reader met a problem, and what it was."""
    line, column = problem.place
    place = "" if line is None else f"{line}:" if column is None else f"{line}:{column}:"
    return f"{place} {problem.severity}: {sentence(problem.code, problem.params)}"
