"""What a later app shows on the home of an event or of a player: it registers its panels when Django starts."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any

from players.access import Visitor
from tournaments.models import Tournament


class Home(StrEnum):
    """A page on which panels are shown."""

    EVENT = "event"
    """A panel takes the visitor and the event."""
    PLAYER = "player"
    """A panel takes what `matches.lifecycle.events.MatchEvents` is asked by its name."""


Panel = Callable[..., Any]
_panels: dict[tuple[Home, str], Panel] = {}


def register(home: Home, name: str, panel: Panel) -> None:
    _panels[home, name] = panel


def panel_of(home: Home, name: str) -> Panel:
    return _panels[home, name]


def event_panels(user: Visitor, event: Tournament) -> dict[str, Any]:
    """Return what is shown on the home of an event, by name."""
    return {name: panel(user, event) for (home, name), panel in _panels.items() if home == Home.EVENT}
