"""How long first losers wait, with byes on fixed lines and by lot, and the table of that in the docs."""

from pathlib import Path

import pytest

from formats.elimination.byes import LowerByes
from formats.forecast.stages import planned_before
from formats.forecast.waits import waits_by_choice, waits_of_stage
from formats.graph import CONSOLATION
from formats.settings import DOUBLE, KNOCKOUT, PROGRESSIVE, StageSettings

DOCS = Path(__file__).resolve().parents[2] / "docs" / "draws.md"
EVENTS = 300
"""Simulated for each row of the table, with each way."""


def rows():
    """The rows of the table, by number of players."""
    lines = [line for line in DOCS.read_text(encoding="utf-8").splitlines() if " min | " in line]
    return {int(line.split("|")[1]): line for line in lines}


def lots_of_lines(size: int) -> str:
    """How many of how many entrants each lot of a consolation is among, as "2 of 5, 4 of 7"; "none" if none."""
    graph = planned_before(StageSettings(PROGRESSIVE), None, 1, size)
    lots = [
        f"{len(round_.entrants)} of {2 * len(round_.fixtures) - 1}"
        for round_ in graph.bracket(CONSOLATION).rounds
        if round_.entrants
    ]
    return ", ".join(lots) or "none"


def consolation_row(size: int) -> str:
    """The row of the table for so many players: minutes and rematches on lines, then by lot."""
    waits = waits_by_choice(StageSettings(PROGRESSIVE), None, 1, size, (7,), runs=EVENTS)
    lines, lots = waits[LowerByes.LINES], waits[LowerByes.LOTS]
    return (
        f"| {size} | {lots_of_lines(size)} | {lines.mean:.0f} / {lots.mean:.0f} min"
        f" | {lines.longest:.0f} / {lots.longest:.0f} min | {lines.rematches:.2f} / {lots.rematches:.2f} |"
    )


def waits(*stages, entrants, lengths=(7,)):
    return waits_of_stage(stages, len(stages), entrants, default_lengths=lengths)


@pytest.mark.parametrize("size", [13, 19, pytest.param(32, marks=pytest.mark.slow)])
def test_the_table_in_the_docs_has_the_figures_of_the_simulation(size):
    assert rows()[size] == consolation_row(size)


@pytest.mark.slow
def test_the_table_in_the_docs_says_for_every_field_which_lines_are_by_lot():
    table = rows()
    assert sorted(table) == list(range(4, 65))
    for size, row in table.items():
        assert row.split(" | ")[1] == lots_of_lines(size)


@pytest.mark.parametrize("size", [10, 13, 18, 19])
def test_first_losers_wait_less_on_fixed_lines(size):
    found = waits(StageSettings(PROGRESSIVE), entrants=size)
    lines, lots = found[LowerByes.LINES], found[LowerByes.LOTS]
    assert 0 < lines.mean < lots.mean
    assert lines.mean < lines.longest < lots.longest


def test_without_byes_both_ways_are_the_same():
    found = waits(StageSettings(PROGRESSIVE), entrants=16)
    assert found[LowerByes.LINES] == found[LowerByes.LOTS]


def test_waits_grow_with_the_length_of_matches_and_are_those_of_the_stage_that_is_asked_for():
    short, long = (waits(StageSettings(PROGRESSIVE), entrants=13, lengths=(length,)) for length in (3, 9))
    assert short[LowerByes.LINES].mean < long[LowerByes.LINES].mean
    groups = StageSettings("groups", groups=4, qualifiers=3)
    assert waits(groups, StageSettings(DOUBLE), entrants=12)[LowerByes.LINES].longest > 0


def test_a_stage_without_lower_bracket_or_with_an_impossible_one_has_no_waits():
    assert waits(StageSettings(KNOCKOUT), entrants=13) == {}
    assert waits(StageSettings(PROGRESSIVE), entrants=2) == {}
