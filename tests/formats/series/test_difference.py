"""What a correction changes in a series."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from formats.series.difference import difference
from formats.series.facts import events_from
from formats.series.plan import plan_from
from formats.series.table import season
from tests.formats.series.test_points import evening, places, seasons
from tests.formats.series.test_seasons_from_files import DATA


def corrected(event):
    """The event with the winner and the loser of the final exchanged."""
    main, *others = event.divisions[0].brackets
    main = replace(main, placings=(main.placings[1], main.placings[0], *main.placings[2:]))
    matches = tuple(
        replace(match, winner=match.loser, loser=match.winner)
        if (match.bracket, match.to_final) == ("main", 0)
        else match
        for match in event.divisions[0].matches
    )
    division = replace(event.divisions[0], brackets=(main, *others), matches=matches)
    return replace(event, divisions=(division, *event.divisions[1:]))


@pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data/seasons is not there")
def test_a_final_turned_round_changes_the_rows_of_the_reference_and_no_others():
    reference = json.loads((DATA / "correction_preview.json").read_text())
    data = json.loads((DATA / reference["base"]).read_text())
    plan, events = plan_from(data), events_from(data)
    index = [event.id for event in events].index("e3")
    after = season(plan, (*events[:index], corrected(events[index]), *events[index + 1 :]))
    change = difference(season(plan, events), after, places=7)
    for row, expected in zip(change.rows, reference["expected_changes"], strict=True):
        assert row.player == expected["player"]
        assert [row.before.rank, row.after.rank] == expected["rank"]
        assert [row.before.total, row.after.total] == [Fraction(total) for total in expected["total"]]
        assert [list(row.before.counted), list(row.after.counted)] == expected["counted"]
        points = row.points.get("e3", (None, None))
        assert points == tuple(value and Fraction(value) for value in expected["e3"])
    assert (change.no_longer, change.now) == (("Quin",), ("Lea",))


def test_a_correction_that_changes_no_points_changes_no_row():
    for plan, events in seasons():
        assert difference(season(plan, events), season(plan, events), places=3).rows == ()


def test_who_appears_only_after_a_correction_has_a_row_without_a_before():
    plan = plan_from(places(10, 6))
    before, after = season(plan, (evening("e1", ("Ada",)),)), season(plan, (evening("e1", ("Ada",), ("Ben",)),))
    (row,) = difference(before, after).rows
    assert (row.player, row.before.total, row.after.total, row.points) == ("Ben", None, 6, {"e1": (None, 6)})
