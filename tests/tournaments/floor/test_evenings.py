"""Simulated evenings through the services: nobody is double-booked, and no table stands idle while a match is ready."""

from datetime import timedelta
from itertools import product

import pytest

from demo import evenings
from demo.evenings import CHANCES, FORECAST_AT, first_come_end, simulate_evening, simulate_two_events
from demo.management.commands.simulate_evening import FAULTS, calibration, summary
from tournaments.floor import calls as autopilot
from tournaments.floor import derivation
from tournaments.floor.state import MatchFacts, MatchProgress, Rank
from tournaments.models import Tournament


@pytest.mark.slow
@pytest.mark.django_db
def test_an_evening_books_everybody_once_leaves_no_table_idle_and_can_be_repeated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    report = simulate_evening(players=9, tables=3, seed=7)
    assert report == simulate_evening(players=9, tables=3, seed=7)
    assert Tournament.objects.count() == 0
    figures = summary([report])
    assert {name: figures[name] for name in FAULTS} == dict.fromkeys(FAULTS, 0)
    assert report.ended > 60
    assert list(calibration([report])) == list(product(FORECAST_AT, CHANCES))
    # With an autopilot that calls nothing after the first round, tables stand idle and matches are left over.
    calls = iter([True])
    called = autopilot.call_ready
    monkeypatch.setattr(autopilot, "call_ready", lambda **arguments: called(**arguments) if next(calls, False) else [])
    idle = simulate_evening(players=9, tables=3, seed=7)
    assert idle.idle_with_ready > 0
    assert idle.integrity_differences > 0


@pytest.mark.slow
@pytest.mark.django_db
def test_an_evening_without_rounds_books_everybody_once_too() -> None:
    report = simulate_evening(players=9, tables=3, seed=7, continuous=True)
    assert Tournament.objects.count() == 0
    figures = summary([report])
    assert {name: figures[name] for name in FAULTS} == dict.fromkeys(FAULTS, 0)
    assert report.ended > 60


@pytest.mark.slow
@pytest.mark.django_db
def test_nobody_is_called_to_tables_of_two_events_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = summary([*simulate_two_events(players=9, tables=3, seed=7)])
    assert {name: figures[name] for name in FAULTS} == dict.fromkeys(FAULTS, 0)
    # If tables of other events did not count, the one who plays in both would be called by both.
    monkeypatch.setattr(derivation, "ELSEWHERE_FOR", timedelta())
    assert sum(report.double_booked_players for report in simulate_two_events(players=9, tables=3, seed=7)) > 0


def match(fixture: int, *leads_to: int) -> MatchFacts:
    return MatchFacts(fixture, fixture, 1, 1, Rank.MAIN, 7, MatchProgress.SETTLED, leads_to=leads_to)


def test_first_come_first_served_fills_the_tables_in_the_order_in_which_players_were_known() -> None:
    rows = [match(1, 4), match(2, 4), match(3), match(4)]
    minutes = {1: 60.0, 2: 40.0, 3: 30.0, 4: 50.0}
    assert first_come_end(rows, minutes, tables=2) == 60 + evenings.REST + 50
    assert first_come_end(rows, minutes, tables=1) == 60 + 40 + 30 + 50
