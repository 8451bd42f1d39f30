"""A director with a phone in one hand, during the evening."""

import re

import pytest
from django.utils import timezone

from players.actors import Actor
from players.models import Club, User
from tests.browser.test_floor import NAMES, evening
from tests.journeys.conftest import Journey
from tests.journeys.evenings import entered_event
from tournaments.entries import check_in
from tournaments.models import Entry, Tournament

__all__ = ["evening"]


@pytest.mark.journey("arrivals and fees of 19")
def test_nineteen_arrive_and_pay(journey: Journey, club: Club, alice: User) -> None:
    entered_event(club, alice, fee=10)
    director = journey.on_phone(alice)
    director.tap("Friday Knockout")
    director.tap("Console")
    director.tap("Check-in")
    for name in NAMES:
        director.tap(re.compile(f"^{re.escape(name)}"), role="button")
    director.sees("19 here")
    director.tap("Cash")
    for name in NAMES:
        director.tap(re.compile("^Take"), within=name)
    director.sees("190")


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
    director.tap("More")
    director.tap("Entries")
    director.type("Add a player", "Wanda Late")
    director.tap("Add")
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
    director.tap("More")
    director.tap("Entries")
    director.tap(f"Withdraw {NAMES[0]}")
    director.sees(re.compile(f"M\\d+: {NAMES[0]} .+ goes through"))
    director.tap("Withdraw from this division")
    director.sees(f"{NAMES[0]} has been withdrawn")


@pytest.mark.journey("gone home, found out by the call")
def test_a_player_who_was_called_has_gone_home(journey: Journey, evening: Tournament, alice: User) -> None:
    director = journey.on_phone(alice)
    director.tap("Saturday Night")
    director.tap("Floor")
    absent = director.reads(r"57 min\n(.+)\n")
    director.tap(re.compile("^Needs you"))
    director.tap_text("Gone home?")
    director.tap(f"{absent} has gone home…")
    director.sees(re.compile(f"{absent} forfeits, and .+ goes through"))
    director.sees(f"{absent} no longer plays in: Main draw, Progressive consolation")
    director.tap("Withdraw from the whole event")
    director.sees(f"{absent} has been withdrawn")
    director.sees("Nothing needs your attention")


@pytest.mark.journey("calls follow check-in: all here")
def test_calls_follow_check_in(journey: Journey, evening: Tournament, alice: User) -> None:
    entry = Entry.objects.select_related("division__tournament").get(player__name=NAMES[0])
    check_in.mark(entry=entry, state="here", by=Actor.of(alice), now=timezone.now())
    director = journey.on_phone(alice)
    director.tap("Saturday Night")
    director.tap("Floor")
    director.sees("not here")
    director.tap("All here")
    director.sees("players are here")
    director.does_not_see("not here")


@pytest.mark.journey("a table breaks, and is repaired")
def test_a_table_breaks(journey: Journey, evening: Tournament, alice: User) -> None:
    director = journey.on_phone(alice)
    director.tap("Saturday Night")
    director.tap("Floor")
    director.tap(re.compile("^Table 1"))
    director.tap_text("Table 1 is broken…")
    director.type("What is broken?", "Leg broken")
    director.tap("Take the table out of use")
    director.sees("goes to table 5")
    director.sees("Leg broken")
    # Repaired.
    director.tap(re.compile("^Table 1"))
    director.tap("Back in use")
    director.does_not_see("Leg broken")
