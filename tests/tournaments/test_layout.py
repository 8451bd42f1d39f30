"""How brackets are laid out: rounds by name, boxes joined, large ones in sections."""

import pytest

from tournaments.formats.graph import CONSOLATION, MAIN
from tournaments.layout import CURVES, MERGE, STRAIGHT, Box, Column, Line, joined, round_name, tree

NOBODY = Line("to_be_decided", "")


def columns(*counts: int) -> list[Column]:
    """Rounds with so many fixtures, each winner going on where a bracket leads him."""
    made, number = [], 1
    starts = []
    for count in counts:
        starts.append(number)
        made.append(Column("", 7, [Box(at, "waiting", (NOBODY, NOBODY)) for at in range(number, number + count)]))
        number += count
    for depth, column in enumerate(made[:-1]):
        step = 2 if counts[depth] == 2 * counts[depth + 1] else 1
        for at, box in enumerate(column.boxes):
            box.winner_to = starts[depth + 1] + at // step
    return made


@pytest.mark.parametrize(
    ("fixtures", "name"),
    [(1, "Final"), (2, "Semi-finals"), (4, "Quarter-finals"), (8, "Round of 16"), (128, "Round of 256")],
)
def test_rounds_of_the_main_draw_are_named_by_who_is_left(fixtures: int, name: str) -> None:
    assert round_name(MAIN, 1, fixtures, 8) == name


def test_rounds_of_a_consolation_are_numbered() -> None:
    assert [round_name(CONSOLATION, number, 2, 3) for number in (1, 2, 3)] == ["C1", "C2", "C final"]


def test_two_boxes_lead_into_one_or_one_into_one() -> None:
    made = joined(columns(4, 2, 2, 1))
    assert [column.joins for column in made] == [MERGE, STRAIGHT, MERGE, ""]


def test_where_straight_lines_cannot_lead_curves_do_from_the_middle_of_each_box() -> None:
    made = columns(4, 2)
    made[0].boxes[0].winner_to = 6
    first = joined(made)[0]
    assert first.joins == CURVES
    assert first.links == ((12.5, 75.0), (37.5, 25.0), (62.5, 75.0), (87.5, 75.0))
    assert not any(box.far for box in first.boxes)


def test_where_no_line_leads_words_do() -> None:
    made = columns(2, 1, 1)
    made[0].boxes[1].winner_to = 4
    made[2].boxes[0].winner_to = 9
    joined(made)
    assert [box.far for column in made for box in column.boxes] == [False, True, False, True]


def test_64_places_stand_in_one_piece() -> None:
    assert tree(MAIN, columns(32, 16, 8, 4, 2, 1)).whole


def test_more_stand_in_sections_of_32_and_what_follows_them() -> None:
    made = tree(MAIN, columns(64, 32, 16, 8, 4, 2, 1))
    assert [section.title for section in made.sections] == [
        "Places 1–32", "Places 33–64", "Places 65–96", "Places 97–128", "To the final",
    ]  # fmt: skip
    assert [len(column.boxes) for column in made.sections[1].columns] == [16, 8, 4, 2, 1]
    assert [len(column.boxes) for column in made.sections[-1].columns] == [2, 1]
    assert sorted(box.number for box in made.boxes) == list(range(1, 128))
    assert {column.joins for column in made.sections[1].columns[:-1]} == {MERGE}
