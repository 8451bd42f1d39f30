"""Deadlines of rounds and of single matches."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from engine.errors import Refused
from players.actors import Actor
from players.models import LogEntry
from tests.event_cast import NOON
from tournaments.events.deadlines import extend_deadline, set_deadlines
from tournaments.models import Division, Fixture, Round

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
WEEK = timedelta(days=7)


def set_(division: Division, by: Actor, *deadlines: datetime | None) -> Division:
    return set_deadlines(division=division, deadlines=deadlines, after=division.seq, by=by, now=NOON)


def first(division: Division) -> Fixture:
    return Fixture.objects.select_related("match", "stage").get(stage__division=division, number=1)


def test_deadlines_set_before_the_draw_are_those_of_its_rounds(
    make_division: Callable[..., Division], drawn: Callable[..., Division], by_alice: Actor
) -> None:
    division = drawn(4, name="A")
    division = set_(division, by_alice, NOON + WEEK, NOON + 2 * WEEK)
    rounds = Round.objects.filter(bracket__stage__division=division).order_by("number")
    assert [row.deadline for row in rounds] == [NOON + WEEK, NOON + 2 * WEEK]


def test_open_matches_move_with_their_round_unless_extended(drawn: Callable[..., Division], by_alice: Actor) -> None:
    division = set_(drawn(4), by_alice, NOON + WEEK)
    extend_deadline(fixture=first(division), due_at=NOON + 3 * WEEK, by=by_alice, now=NOON)
    division.refresh_from_db()

    set_(division, by_alice, NOON + 2 * WEEK)

    due = dict(Fixture.objects.filter(stage__division=division).values_list("number", "due_at"))
    assert due == {1: NOON + 3 * WEEK, 2: NOON + 2 * WEEK, 3: None}
    assert first(division).match.due_at == NOON + 3 * WEEK  # type: ignore[union-attr]
    second = Fixture.objects.select_related("match").get(stage__division=division, number=2)
    assert second.match is not None
    assert second.match.due_at == NOON + 2 * WEEK


def test_an_overdue_match_waits_again_after_an_extension(drawn: Callable[..., Division], by_alice: Actor) -> None:
    division = drawn(4)
    Fixture.objects.filter(stage__division=division).update(deadline_done=True, due_at=NOON - WEEK)

    extend_deadline(fixture=first(division), due_at=NOON + WEEK, by=by_alice, now=NOON)

    assert not first(division).deadline_done
    entry = LogEntry.objects.get(verb="deadline_moved")
    assert entry.params["changes"]["deadline"] == [(NOON - WEEK).isoformat(), (NOON + WEEK).isoformat()]


def test_a_deadline_must_be_in_the_future_and_needs_the_current_seq(
    drawn: Callable[..., Division], by_alice: Actor
) -> None:
    division = drawn(4)
    for due_at, after, code in ((NOON, None, "deadline_not_ahead"), (NOON + WEEK, 77, "stale")):
        with pytest.raises(Refused) as refused:
            extend_deadline(fixture=first(division), due_at=due_at, after=after, by=by_alice, now=NOON)
        assert refused.value.code == code
    with pytest.raises(Refused) as refused:
        set_deadlines(division=division, deadlines=[NOON], after=division.seq + 1, by=by_alice, now=NOON)
    assert refused.value.code == "stale"


def test_setting_the_same_deadlines_changes_nothing(drawn: Callable[..., Division], by_alice: Actor) -> None:
    division = set_(drawn(4), by_alice, NOON + WEEK)
    again = set_(division, by_alice, NOON + WEEK)
    assert again.seq == division.seq
