"""A director who has never been here runs a first evening."""

import re

import pytest

from players.models import Club, User
from tests.browser.test_floor import NAMES
from tests.journeys.conftest import Journey
from tests.journeys.evenings import last_week


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
    alice.type("Country", "DK")
    alice.type("Currency of fees", "EUR")
    alice.tap("Create club")
    alice.type("Tables", "6")
    alice.tap("Create event")
    alice.tap("Create division")
    alice.type("Paste a list", "\n".join(NAMES))
    alice.tap("Check the names")
    alice.tap("Enter 19 players")
    alice.tap("Go to the draw")
    alice.tap("Publish event and draw")
    alice.tap("Publish this draw")
    alice.sees("Main draw")
    alice.tap("Open the floor")
    alice.tap("Call to table 1")
    alice.sees("is called to table 1")


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
