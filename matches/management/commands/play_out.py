"""./manage.py play_out --seed S --length N --to mat|sgf|json"""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from core.messages import sentence
from engine import Refused
from engine.records import write, write_mat
from engine.records.mat_writer import STYLES
from engine.simulation import Style, play_out
from matches.records.downloads import CONTENT_TYPES


class Command(BaseCommand):
    """Write a legal match between simple players to standard output: sample data of our own."""

    help = "Play a match by chance and write its record; the same seed gives the same match."
    requires_system_checks: tuple[str, ...] = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What to play, and how to write it."""
        parser.add_argument("--seed", type=int, required=True)
        parser.add_argument("--length", type=int, required=True, help="points to win")
        parser.add_argument("--to", choices=tuple(CONTENT_TYPES), default="mat")
        parser.add_argument("--dialect", choices=tuple(STYLES), help="the program whose .mat is imitated")
        parser.add_argument("--players", nargs=2, metavar=("LEFT", "RIGHT"), default=("Ada", "Ben"))
        parser.add_argument("--style", choices=[style.value for style in Style], default=Style.SIMPLE.value)

    def handle(self, *args: Any, **options: Any) -> None:
        """Play and write."""
        style = Style(options["style"])
        left, right = options["players"]
        try:
            match = play_out(options["seed"], options["length"], players=(left, right), styles=(style, style))
            if options["dialect"] and options["to"] == "mat":
                record = write_mat(match, options["dialect"])
            else:
                record = write(match, options["to"])
        except Refused as refused:
            self.stderr.write(sentence(refused.code, refused.params))
            sys.exit(2)
        sys.stdout.buffer.write(record)
        sys.stdout.flush()
