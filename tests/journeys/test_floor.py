"""A director with a phone in one hand, during the evening."""

import re

import pytest

from players.models import Club, User
from tests.browser.test_floor import NAMES, evening
from tests.journeys.conftest import Journey
from tests.journeys.evenings import entered_event
from tournaments.models import Tournament

__all__ = ["evening"]


@pytest.mark.journey("arrivals and fees of 19")
def test_nineteen_arrive_and_pay(journey: Journey, club: Club, alice: User) -> None:
    entered_event(club, alice, fee=10)
    director = journey.on_phone(alice)
    director.tap("Friday Knockout")
    director.tap("Console")
    director.tap(re.compile("^Arrivals"))
    for name in NAMES:
        director.tap(f"{name} is here and paid")
    director.sees("19\nhere")
    director.does_not_see("Owes")


@pytest.mark.journey("all of 19 here and paid")
def test_all_of_nineteen_are_here_and_have_paid(journey: Journey, club: Club, alice: User) -> None:
    entered_event(club, alice, fee=10)
    director = journey.on_phone(alice)
    director.tap("Friday Knockout")
    director.tap("Console")
    director.tap(re.compile("^Arrivals"))
    before = director.taps
    director.tap_text("All here and paid…")
    director.tap("19 players are here, 190 tickets paid in cash")
    director.sees("19\nhere")
    director.does_not_see("Owes")
    assert director.taps - before == 2


@pytest.mark.journey("result on a phone")
def test_a_result_on_the_phone(journey: Journey, evening: Tournament, alice: User) -> None:
    director = journey.on_phone(alice)
    director.tap("Saturday Night")
    director.tap("Floor")
    left = director.reads(r"\n2\nM\d+\n.*\n(.+)\n")
    right = director.reads(rf"\n{left}\n.\n(.+)\n")
    director.tap(re.compile("^Table 2"))
    director.type(left, "7")
    director.type(right, "4")
    director.tap(re.compile("^Save 7–4"))
    director.sees("7–4", within="Just in")


@pytest.mark.journey("result by a line, and taken back")
def test_a_result_by_a_line(journey: Journey, evening: Tournament, alice: User) -> None:
    director = journey.at_desk(alice)
    director.tap("Saturday Night")
    director.tap("Floor")
    number = director.reads(r"\n1\nM(\d+)\n")
    director.type("Quick entry", f"m{number} 7-4")
    director.press("Enter")
    director.sees("7–4", within="Just in")
    # The cursor is back in the line. Entered twice, it is refused.
    director.type("Quick entry", "undo")
    director.press("Enter")
    director.does_not_see("7–4")


@pytest.mark.journey("late entry")
def test_a_late_entry(journey: Journey, evening: Tournament, alice: User) -> None:
    director = journey.on_phone(alice)
    director.tap("Saturday Night")
    director.tap("Floor")
    director.tap(re.compile("^Arrivals"))
    director.type("Find or add a player", "Wanda Late")
    director.tap("New player Wanda Late")
    director.tap("Let in")
    director.sees("Wanda Late")


@pytest.mark.journey("no-show")
def test_a_no_show(journey: Journey, evening: Tournament, alice: User) -> None:
    director = journey.on_phone(alice)
    director.tap("Saturday Night")
    director.tap("Floor")
    absent = director.reads(r"57 min\n(.+)\n")
    director.tap(re.compile("^Needs you"))
    director.tap_text("Who is missing?")
    director.tap(absent)
    director.sees("forfeit")
    director.sees("Nothing needs your attention")


@pytest.mark.journey("a player goes home")
def test_a_player_goes_home(journey: Journey, evening: Tournament, alice: User) -> None:
    director = journey.on_phone(alice)
    director.tap("Saturday Night")
    director.tap("Floor")
    director.tap(re.compile("^Arrivals"))
    director.tap(f"More about {NAMES[0]}")
    director.tap("Withdraw from this division")
    director.sees(f"{NAMES[0]} has been withdrawn")


@pytest.mark.journey("a table breaks, and is repaired")
def test_a_table_breaks(journey: Journey, evening: Tournament, alice: User) -> None:
    director = journey.on_phone(alice)
    director.tap("Saturday Night")
    director.tap("Floor")
    director.tap(re.compile("^Table 1"))
    director.choose("They sit at table", "5")
    director.tap("Move")
    director.tap(re.compile("^Table 1"))
    director.type("Out of use because", "Leg broken")
    director.tap("Take out of use")
    director.sees("Leg broken")
    # Repaired.
    director.tap(re.compile("^Table 1"))
    director.tap("Back in use")
    director.does_not_see("Leg broken")
