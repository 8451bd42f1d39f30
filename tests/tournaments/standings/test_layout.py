"""How brackets are laid out: rounds by name, boxes joined, large ones in sections."""

from itertools import combinations, pairwise

import pytest

from formats.forecast.stages import choices_of
from formats.graph import CONSOLATION, LOWER, MAIN, WinnerOf
from formats.plans import draw_places, plan_of, sources_of
from formats.settings import DOUBLE, PROGRESSIVE, StageSettings
from tournaments.standings.brackets import (
    CURVES,
    MERGE,
    STRAIGHT,
    BoxSide,
    FixtureBox,
    RoundColumn,
    connect,
    round_name,
    tree,
    uncross,
)

NOBODY = BoxSide("to_be_decided", "")


def columns(*counts: int) -> list[RoundColumn]:
    """Rounds with so many fixtures, each winner going on where a bracket leads him."""
    created, number = [], 1
    starts = []
    for count in counts:
        starts.append(number)
        created.append(
            RoundColumn("", 7, [FixtureBox(at, "waiting", (NOBODY, NOBODY)) for at in range(number, number + count)])
        )
        number += count
    for depth, column in enumerate(created[:-1]):
        step = 2 if counts[depth] == 2 * counts[depth + 1] else 1
        for at, box in enumerate(column.boxes):
            box.winner_to = starts[depth + 1] + at // step
    return created


@pytest.mark.parametrize(
    ("fixtures", "name"),
    [(1, "Final"), (2, "Semi-finals"), (4, "Quarter-finals"), (8, "Round of 16"), (128, "Round of 256")],
)
def test_rounds_of_the_main_draw_are_named_by_who_is_left(fixtures: int, name: str) -> None:
    number = 9 - fixtures.bit_length()
    assert round_name(MAIN, number, fixtures, 8) == name
    assert round_name(MAIN, number, 1, 8) == name, "with later starts it has fewer matches"


def test_rounds_before_the_first_later_start_are_qualifying_rounds() -> None:
    vienna = (8, 8, 8, 8, 4, 2, 1)
    names = [round_name(MAIN, number, fixtures, 7, starts=5) for number, fixtures in enumerate(vienna, 1)]
    assert names[:2] == ["Qualifying round 1", "Qualifying round 2"]
    assert names[2:] == ["Round of 32", "Round of 16", "Quarter-finals", "Semi-finals", "Final"]
    assert round_name(MAIN, 1, 4, 4, starts=3) == "Qualifying round"
    assert round_name(MAIN, 1, 16, 5, starts=4) == "Round of 32", "24 players, of whom 8 have a bye, fill their round"


def test_rounds_of_a_consolation_are_numbered() -> None:
    assert [round_name(CONSOLATION, number, 2, 3) for number in (1, 2, 3)] == ["C1", "C2", "C final"]


def test_boxes_lead_two_to_one_or_straight_on() -> None:
    connected = connect(columns(4, 2, 2, 1))
    assert [column.joins for column in connected] == [MERGE, STRAIGHT, MERGE, ""]


def test_curves_connect_the_middles_of_boxes_where_straight_lines_cannot() -> None:
    curved = columns(4, 2)
    curved[0].boxes[0].winner_to = 6
    first = connect(curved)[0]
    assert first.joins == CURVES
    assert first.links == ((12.5, 75.0), (37.5, 25.0), (62.5, 75.0), (87.5, 75.0))
    assert not any(box.far for box in first.boxes)


def test_without_a_line_the_next_match_is_named() -> None:
    unconnected = columns(2, 1, 1)
    unconnected[0].boxes[1].winner_to = 4
    unconnected[2].boxes[0].winner_to = 9
    connect(unconnected)
    assert [box.far for column in unconnected for box in column.boxes] == [False, True, False, True]


def test_64_places_are_a_single_piece() -> None:
    assert tree(MAIN, columns(32, 16, 8, 4, 2, 1)).whole


def test_larger_brackets_have_sections_of_32_and_a_final_section() -> None:
    bracket = tree(MAIN, columns(64, 32, 16, 8, 4, 2, 1))
    assert [section.title for section in bracket.sections] == [
        "Places 1–32", "Places 33–64", "Places 65–96", "Places 97–128", "To the final",
    ]  # fmt: skip
    assert [len(column.boxes) for column in bracket.sections[1].columns] == [16, 8, 4, 2, 1]
    assert [len(column.boxes) for column in bracket.sections[-1].columns] == [2, 1]
    assert sorted(box.number for box in bracket.boxes) == list(range(1, 128))
    assert {column.joins for column in bracket.sections[1].columns[:-1]} == {MERGE}


def columns_of(stage: StageSettings, size: int, key: str) -> list[RoundColumn]:
    """The lower bracket of a plan, drawn rounds as they are meant."""
    seed = bytes(32)
    graph = plan_of(stage, sources_of(draw_places(stage, range(1, size + 1), seed=seed).places), seed=seed)
    sides = {
        source.fixture: (number, side)
        for number in graph.fixtures
        for side, source in enumerate(graph.intended(number))
        if isinstance(source, WinnerOf)
    }
    created = []
    for round_ in graph.bracket(key).rounds:
        boxes = [FixtureBox(fixture.number, "waiting", (NOBODY, NOBODY)) for fixture in round_.fixtures]
        for box in boxes:
            box.winner_to, box.winner_side = sides.get(box.number, (None, 0))
        created.append(RoundColumn("", 7, boxes))
    return created


def crossings(drawn: list[RoundColumn]) -> int:
    """Pairs of lines to the next column that cross, each line ending at the upper or lower side of its box."""
    count = 0
    for column, following in pairwise(drawn):
        places = {box.number: place for place, box in enumerate(following.boxes)}
        ends = [(places[box.winner_to], box.winner_side) for box in column.boxes if box.winner_to in places]
        count += sum(first > second for first, second in combinations(ends, 2))
    return count


@pytest.mark.parametrize("size", [5, 8, 11, 13, 16, 19, 23, 32, 35, 48])
def test_lines_of_lower_brackets_do_not_cross(size: int) -> None:
    for format_, key in ((DOUBLE, LOWER), (PROGRESSIVE, CONSOLATION)):
        for proposal in choices_of(StageSettings(format_), size).lower:
            planned = columns_of(StageSettings(format_, pattern=str(proposal.pattern)), size, key)
            assert crossings(uncross(planned)) == 0, proposal.pattern


def test_lines_of_a_lower_bracket_would_cross_in_the_order_of_the_numbers() -> None:
    assert crossings(columns_of(StageSettings(DOUBLE), 19, LOWER)) > 0


def test_a_main_bracket_keeps_the_order_of_its_numbers() -> None:
    ordered = columns(8, 4, 2, 1)
    assert [[box.number for box in column.boxes] for column in uncross(ordered)] == [
        [box.number for box in column.boxes] for column in ordered
    ]
