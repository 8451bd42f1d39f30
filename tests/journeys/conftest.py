"""Journeys from the front door, and the table of what they took."""

import time
from collections.abc import Iterator

import pytest

from players.models import User
from tests.browser.chromium import Chromium
from tests.browser.conftest import (
    DESK,
    PHONE,
    OpenPage,
    axe,
    browser,
    builder,
    club,
    draw_worker,
    expected_errors,
    fits,
    looked_at,
    open_page,
    site,
)
from tests.integrity import differences_left
from tests.journeys.ceilings import CEILINGS
from tests.journeys.person import NOTES_WHEN_LEFT, Person

__all__ = [
    "axe",
    "browser",
    "builder",
    "club",
    "draw_worker",
    "expected_errors",
    "fits",
    "looked_at",
    "open_page",
    "site",
]

FIGURES = "journey"


class Journey:
    """The people of a journey, who open the front page or an address from paper."""

    def __init__(self, open_page: OpenPage) -> None:
        self._open_page = open_page
        self.people: list[Person] = []

    def at_desk(self, user: User | None = None, *, address: str = "/") -> Person:
        """Somebody with a mouse and a keyboard."""
        return self._arrive(address, user, touch=False)

    def on_phone(self, user: User | None = None, *, address: str = "/") -> Person:
        """Somebody with a phone in one hand."""
        return self._arrive(address, user, touch=True)

    def _arrive(self, address: str, user: User | None, *, touch: bool) -> Person:
        width = PHONE if touch else DESK
        page = self._open_page(address, width=width, user=user, touch=touch, script=NOTES_WHEN_LEFT)
        self.people.append(Person(page, touch=touch))
        return self.people[-1]


@pytest.fixture
def journey(request: pytest.FixtureRequest, open_page: OpenPage, chromium: Chromium) -> Iterator[Journey]:
    """A journey, whose taps and keystrokes may not exceed the ceiling named by its marker.

    What it leaves follows from the facts.
    """
    marker = request.node.get_closest_marker("journey")
    (name,) = marker.args
    journey, began = Journey(open_page), time.monotonic()
    yield journey
    seconds = time.monotonic() - began
    taps = sum(person.taps for person in journey.people)
    keystrokes = sum(person.keystrokes for person in journey.people)
    request.node.user_properties.append((FIGURES, (name, taps, keystrokes, round(seconds, 1))))
    ceiling = CEILINGS[name]
    assert taps <= ceiling.taps, f"{name}: {taps} taps, of {ceiling.taps} allowed"
    assert keystrokes <= ceiling.keystrokes, f"{name}: {keystrokes} keystrokes, of {ceiling.keystrokes} allowed"
    # An open page goes on writing.
    chromium.close_contexts()
    assert differences_left() == []


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the table of the journeys that ran."""
    reports = [row for rows in terminalreporter.stats.values() for row in rows]
    properties = [pair for report in reports for pair in getattr(report, "user_properties", ())]
    figures = {value[0]: value for key, value in properties if key == FIGURES}
    if not figures:
        return
    terminalreporter.section("journeys: taps and keystrokes, of those allowed, and seconds")
    for name in (name for name in CEILINGS if name in figures):
        _, taps, keystrokes, seconds = figures[name]
        most = CEILINGS[name]
        counted = f"{taps:3} of {most.taps:3} {keystrokes:5} of {most.keystrokes:3}"
        terminalreporter.write_line(f"{name:38} {counted} {seconds:6.1f} s   before: {most.before}")
