"""Two directors act on the floor at once: a match is called once, a table gets one match, a result wins over a call."""

import threading
from collections.abc import Callable
from datetime import timedelta
from functools import partial

from django.db import transaction

from matches.lifecycle.finish import ResultInput
from players.actors import SYSTEM
from players.models import Notification
from tests.concurrency.event import POSTGRESQL_ONLY, EventBuilder, fixtures
from tests.concurrency.racing import PATIENCE, at_once, faults, refusals, without_locks
from tests.event_cast import NOON
from tournaments.floor import calls, evening, selectors
from tournaments.floor.closing_time import stop_calling
from tournaments.floor.state import FloorMatchState
from tournaments.models import Autopilot, Division, Fixture, Floor, FloorEvent, Table, Tournament
from tournaments.results import services as results

pytestmark = POSTGRESQL_ONLY
RACES = 4


def evening_of(builder: EventBuilder, tables: int = 3) -> tuple[Division, list[Table]]:
    """A division of eight others that is drawn, with some tables."""
    builder.other_people()
    division = builder.drawn(8)
    division.tournament.tables = tables
    division.tournament.save()
    evening.open_floor(tournament=division.tournament, **builder.acts)
    return division, list(division.tournament.floor_tables.all())


def call(builder: EventBuilder, fixture: Fixture, table: Table) -> Callable[[], FloorEvent]:
    return partial(calls.call, fixture=fixture, table=table, **builder.acts)


def test_two_directors_call_a_match_to_two_tables(builder: EventBuilder) -> None:
    for _ in range(RACES):
        division, tables = evening_of(builder)
        first = fixtures(division)[0]
        outcomes = at_once(*(call(builder, first, table) for table in tables[:2]))
        assert faults(outcomes) == []
        assert refusals(outcomes) == ["match_called"]


def test_two_directors_call_two_matches_to_a_table(builder: EventBuilder) -> None:
    for _ in range(RACES):
        division, tables = evening_of(builder)
        outcomes = at_once(*(call(builder, fixture, tables[0]) for fixture in fixtures(division)[:2]))
        assert faults(outcomes) == []
        assert refusals(outcomes) == ["table_taken"]


def two_workers_at_the_end(builder: EventBuilder) -> list[Callable[[], FloorEvent | None]]:
    """Return what two workers do at the end of an event whose matches wait to be called by hand."""
    division, _tables = evening_of(builder)
    ends_at = NOON + timedelta(hours=1)
    Tournament.objects.filter(pk=division.tournament_id).update(ends_at=ends_at)
    keep = partial(stop_calling, tournament_id=division.tournament_id, now=ends_at + timedelta(seconds=10))
    return [keep, keep]


def pushes() -> int:
    return Notification.objects.filter(kind="closing_time").count()


def test_two_workers_tell_the_directors_once_of_closing_time(builder: EventBuilder) -> None:
    for race in range(1, RACES + 1):
        outcomes = at_once(*two_workers_at_the_end(builder))
        assert faults(outcomes) + refusals(outcomes) == []
        assert pushes() == race


def test_control_without_the_lock_of_the_floor_they_are_told_twice(builder: EventBuilder) -> None:
    workers = two_workers_at_the_end(builder)
    with without_locks(Floor):
        outcomes = at_once(*workers)
    assert faults(outcomes) + refusals(outcomes) == []
    assert pushes() == 2


def one_pair_in_two_events(builder: EventBuilder) -> list[Callable[[], FloorEvent]]:
    """Return the calls of a match in each of two events, of the same two people."""
    builder.other_people()
    divisions = [builder.drawn(2) for _ in range(2)]
    for division in divisions:
        division.tournament.tables = 2
        division.tournament.save()
        evening.open_floor(tournament=division.tournament, **builder.acts)
    return [
        call(builder, fixtures(division)[0], division.tournament.floor_tables.all()[number])
        for number, division in enumerate(divisions)
    ]


def test_two_events_call_the_same_people_at_once_and_one_waits(builder: EventBuilder) -> None:
    for _ in range(RACES):
        outcomes = at_once(*one_pair_in_two_events(builder))
        assert faults(outcomes) == []
        assert refusals(outcomes) == ["player_elsewhere"]


def test_control_without_the_lock_of_the_floors_both_events_call_them(builder: EventBuilder) -> None:
    calls_of_both = one_pair_in_two_events(builder)
    with without_locks(Floor):
        outcomes = at_once(*calls_of_both)
    assert faults(outcomes) + refusals(outcomes) == []


def two_events_in_a_hall(builder: EventBuilder) -> tuple[list[Division], list[Callable[[], FloorEvent]]]:
    """Return two divisions, and the calls of the first match of each to the first table, which they share."""
    events = [evening_of(builder, tables=2) for _ in range(2)]
    hall = f"Hall of {events[0][0].pk}"
    Tournament.objects.filter(pk__in=[division.tournament_id for division, _tables in events]).update(venue=hall)
    return [division for division, _tables in events], [
        call(builder, fixtures(division)[0], tables[0]) for division, tables in events
    ]


def test_two_desks_race_for_the_table_that_their_events_share(builder: EventBuilder) -> None:
    for _ in range(RACES):
        _divisions, calls_of_both = two_events_in_a_hall(builder)
        outcomes = at_once(*calls_of_both)
        assert faults(outcomes) == []
        assert refusals(outcomes) == ["table_elsewhere"]


def test_control_without_the_lock_of_the_floors_both_events_get_the_table(builder: EventBuilder) -> None:
    _divisions, calls_of_both = two_events_in_a_hall(builder)
    with without_locks(Floor):
        outcomes = at_once(*calls_of_both)
    assert faults(outcomes) + refusals(outcomes) == []


def test_workers_of_two_events_in_a_hall_call_one_match_to_each_table(builder: EventBuilder) -> None:
    for _ in range(RACES):
        divisions, _calls = two_events_in_a_hall(builder)
        for division in divisions:
            evening.set_autopilot(tournament=division.tournament, mode=Autopilot.CALL, **builder.acts)
        workers = [partial(calls.call_ready, tournament_id=row.tournament_id, now=NOON) for row in divisions]
        assert faults(at_once(*workers, *workers)) == []
        called = FloorEvent.objects.filter(kind="called", tournament__divisions__in=divisions)
        assert sorted(called.values_list("table__label", flat=True)) == ["1", "2"]


def test_control_without_the_lock_of_the_floor_two_matches_get_a_table(builder: EventBuilder) -> None:
    division, tables = evening_of(builder)
    with without_locks(Floor):
        outcomes = at_once(*(call(builder, fixture, tables[0]) for fixture in fixtures(division)[:2]))
    assert faults(outcomes) + refusals(outcomes) == []
    assert FloorEvent.objects.filter(kind="called", table=tables[0]).count() == 2


def test_a_result_and_a_call_at_once_neither_fail_nor_leave_a_decided_match_at_a_table(builder: EventBuilder) -> None:
    for _ in range(RACES):
        division, tables = evening_of(builder)
        first = fixtures(division)[0]
        won = ResultInput.played((1, 0))
        outcomes = at_once(
            call(builder, first, tables[0]),
            partial(results.enter_result, fixture=first, result=won, **builder.acts),
        )
        assert faults(outcomes) == []
        assert refusals(outcomes) in ([], ["match_finished"])
        row = selectors.floor(division.tournament, NOON).state.matches[first.pk]
        assert (row.state, row.table) == (FloorMatchState.SETTLED, None)


def test_a_call_waits_for_the_result_that_is_being_entered(builder: EventBuilder) -> None:
    division, tables = evening_of(builder)
    first = fixtures(division)[0]
    entered, outcomes = threading.Event(), []

    def late_call() -> None:
        entered.wait(PATIENCE)
        outcomes.extend(at_once(call(builder, first, tables[0])))

    thread = threading.Thread(target=late_call)
    thread.start()
    with transaction.atomic():
        results.enter_result(fixture=first, result=ResultInput.played((1, 0)), **builder.acts)
        entered.set()
        thread.join(0.3)
        assert outcomes == []
    thread.join(PATIENCE)
    assert refusals(outcomes) == ["match_finished"]


def test_workers_and_a_director_call_each_match_once(builder: EventBuilder) -> None:
    for _ in range(RACES):
        division, tables = evening_of(builder)
        tournament = division.tournament
        evening.set_autopilot(tournament=tournament, mode=Autopilot.CALL, by=SYSTEM, now=NOON)
        worker = partial(calls.call_ready, tournament_id=tournament.pk, now=NOON)
        outcomes = at_once(worker, worker, call(builder, fixtures(division)[3], tables[0]))
        assert faults(outcomes) == []
        called = FloorEvent.objects.filter(tournament=tournament, kind="called")
        assert called.count() == len(tables) == len(set(called.values_list("fixture", flat=True)))
        assert len(set(called.values_list("table", flat=True))) == len(tables)


def test_two_first_calls_open_the_floor_once(builder: EventBuilder) -> None:
    for _ in range(RACES):
        division = builder.drawn(4)
        division.tournament.tables = 2
        division.tournament.save()
        opened = partial(evening.open_floor, tournament=division.tournament, **builder.acts)
        assert faults(at_once(opened, opened)) == []
        assert division.tournament.floor_tables.count() == 2
