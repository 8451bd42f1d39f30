"""A director after the matches: a correction, the prizes, the closing, and the next week."""

import re

import pytest

from formats.settings import StageSettings
from players.models import Club, User
from tests.journeys.conftest import Journey
from tests.tournaments.support.drawn_divisions import DivisionBuilder
from tournaments.models import Division


@pytest.fixture
def third_round(builder: DivisionBuilder) -> Division:
    """A knockout of eight before its final."""
    division = builder.drawn(8, StageSettings("knockout"))
    builder.play(division, 6)
    return division


@pytest.mark.journey("correct two rounds ago, and undo it")
def test_a_correction_from_the_bracket(journey: Journey, third_round: Division, alice: User) -> None:
    director = journey.on_phone(alice)
    director.tap("Harbour Weekend")
    director.tap(re.compile("bracket", re.I), first=True)
    director.tap("M1")
    winner = director.reads(r"\n(.+) won 7–3\.")
    director.tap("Correct this result…")
    pair = [director.reads(r"Who won\?" + r"\s+.+" * side + r"\s+(.+)\n") for side in (0, 1)]
    (loser,) = set(pair) - {winner}
    director.type(winner, "5")
    director.type(loser, "7")
    director.tap("Preview")
    director.tap("Correct all")
    director.tap("Apply")
    director.sees("M1 was corrected")
    director.tap("Undo…")
    director.tap("Undo the correction")
    director.sees("was undone")


@pytest.mark.journey("prizes, closing, summary")
def test_prizes_closing_and_summary(journey: Journey, builder: DivisionBuilder, club: Club, alice: User) -> None:
    division = builder.drawn(8, StageSettings("knockout"), fee=10)
    builder.play(division)
    director = journey.at_desk(alice)
    director.tap("Events")
    director.tap("Harbour Weekend")
    director.tap("Console")
    director.tap(re.compile("^Arrivals"))
    director.tap_text("All here and paid…")
    director.tap(re.compile("^8 players are here"))
    director.sees("8\nhere")
    director.tap(re.compile("^Prizes"))
    director.tap("Publish prizes")
    for _prize in range(4):
        director.tap(re.compile("^Pay "), first=True)
    director.type("Counted", "0")
    director.tap(re.compile("Nothing was missing"))
    director.tap("Summary")
    director.sees("Champion")


@pytest.mark.journey("next week the same")
def test_next_week_the_same(journey: Journey, third_round: Division, alice: User) -> None:
    director = journey.at_desk(alice)
    director.tap("Harbour Weekend")
    director.tap("Same again next week")
    director.tap("Save")
    director.tap("Publish")
    director.sees("published")
