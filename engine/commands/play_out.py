"""`barpoint play-out --seed S --length N`: a legal match between simple players, on standard output."""

import sys
from argparse import ArgumentParser, Namespace

from engine.errors import Refused
from engine.records import FORMATS, write, write_mat
from engine.records.mat_writer import STYLES
from engine.simulation import PlayStyle, play_out

SUMMARY = "write a match between simple players, as sample data"
HELP = "Play a random match and write its record; the same seed gives the same match."


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--length", type=int, required=True, help="points to win")
    parser.add_argument("--to", choices=FORMATS, default="mat")
    parser.add_argument("--dialect", choices=tuple(STYLES), help="write .mat as this program does")
    parser.add_argument("--players", nargs=2, metavar=("LEFT", "RIGHT"), default=("Ada", "Ben"))
    parser.add_argument("--style", choices=[style.value for style in PlayStyle], default=PlayStyle.SIMPLE.value)


def run(options: Namespace) -> int:
    style = PlayStyle(options.style)
    left, right = options.players
    try:
        match = play_out(options.seed, options.length, players=(left, right), styles=(style, style))
        if options.dialect and options.to == "mat":
            record = write_mat(match, options.dialect)
        else:
            record = write(match, options.to)
    except Refused as refused:
        print(refused.message, file=sys.stderr)
        return 2
    sys.stdout.buffer.write(record)
    sys.stdout.flush()
    return 0
