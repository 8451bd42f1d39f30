"""A director who has never been here runs a first evening."""

import re

import pytest

from players.models import Club, User
from tests.browser.test_floor import NAMES
from tests.journeys.conftest import Journey
from tests.journeys.evenings import last_week
from tournaments.models import Payment


@pytest.mark.journey("first evening, until the first call")
@pytest.mark.usefixtures("draw_worker")
def test_from_signing_up_to_the_first_call(journey: Journey) -> None:
    alice = journey.at_desk()
    alice.tap("Start a club night", first=True)
    alice.type("Your name", "Alice")
    alice.type("Email address", "alice@example.org")
    alice.type("Password", "crawford-1969")
    alice.tap("Create account")
    alice.type("Name", "Harbour Backgammon")
    alice.choose("Country", "Denmark")
    alice.type("Currency of fees", "EUR")
    alice.tap("Create a club")
    alice.type("New players, one on each line", "\n".join(name for name in NAMES if "Alice" not in name))
    alice.tap("Start")
    alice.sees("The evening is started.")
    alice.sees(re.compile("[4-9] called"))


@pytest.mark.journey("tonight, same as last week, and undone")
def test_tonight_is_started_as_last_week(journey: Journey, club: Club, alice: User) -> None:
    last_week(club, alice)
    director = journey.on_phone(alice)
    director.tap("Start tonight")
    director.tap("Use it")
    director.sees("8 named")
    director.tap("Start with 8 players")
    director.sees("The evening is started.")
    director.sees("4 called")
    director.tap(re.compile("^Undo ·"))
    director.sees("The same players get the same draw.")


@pytest.mark.journey("fees of 13, taken after the start, and undone")
def test_fees_are_taken_after_the_start(journey: Journey, club: Club, alice: User) -> None:
    last_week(club, alice, 13)
    director = journey.on_phone(alice)
    director.tap("Start tonight")
    director.tap("Use it")
    director.sees("13 named")
    director.type("Entry fee (tickets)", "10")
    director.tap("Start with 13 players")
    director.sees("The evening is started.")
    before = director.taps
    director.tap(re.compile("^Arrivals"))
    director.tap_text("All paid…")
    director.tap("13 players paid 130 tickets in cash")
    director.does_not_see("Owes")
    assert director.taps - before <= 4
    director.tap(re.compile("^Floor"))
    director.tap_text("Undo: fee · 13 players paid 130 tickets.")
    director.sees("no payment is deleted")
    director.tap("Undo")
    director.sees("Undone: 13 players paid 130 tickets.")
    assert sorted(Payment.objects.values_list("amount", flat=True)) == [-10] * 13 + [10] * 13
