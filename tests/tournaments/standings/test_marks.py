"""Letters, marks and figures of tables."""

from types import SimpleNamespace
from typing import Any

from tournaments.standings.changes import RatingLine
from tournaments.standings.labels import letter
from tournaments.standings.standings import TableView


def test_the_letter_of_a_round_stands_in_the_legend() -> None:
    assert [letter(kind) for kind in ("bye_requested", "bye_drawn", "missed", "absent")] == ["R", "B", "late", "A"]


def test_the_line_below_those_who_advance_follows_the_last_of_them() -> None:
    def table(*advances: bool) -> TableView:
        lines: list[Any] = [SimpleNamespace(advances=each) for each in advances]
        return TableView("swiss", "Swiss", lines, [], over=True)

    assert table(True, False, True, False).last_advancing == 3
    assert table(False, False).last_advancing == 0


def test_a_change_of_a_rating_has_a_sign_and_a_size() -> None:
    line = RatingLine("Bob", "k3v9w2xq7m", before=1512.5, after=1500.0)
    assert (line.change, line.distance) == (-12.5, 12.5)
