"""What follows from a correction in later apps, such as prizes: each registers its own when Django starts."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from core.left_out import DivisionBroken
from tournaments.models import Division
from tournaments.state.derivation import StageState


class Consequence(NamedTuple):
    """How an app finds what would change, and how the API represents a change."""

    changes: Callable[[Division, Sequence[StageState]], Sequence[Any]]
    """Takes the division and the stages that would be different, and returns the changes as pages show them."""
    represent: Callable[[Any], Mapping[str, Any]]


_consequences: dict[str, Consequence] = {}


def register(name: str, consequence: Consequence) -> None:
    """Preview what follows from corrections under this name."""
    _consequences[name] = consequence


def changes_of(division: Division, states: Sequence[StageState]) -> dict[str, Sequence[Any]]:
    """Return by name what would change; nothing where it depends on another division that cannot be derived."""
    changes: dict[str, Sequence[Any]] = dict.fromkeys(_consequences, ())
    for name, consequence in _consequences.items():
        with suppress(DivisionBroken):
            changes[name] = consequence.changes(division, states)
    return changes


def represented(division: Division, states: Sequence[StageState]) -> dict[str, list[Mapping[str, Any]]]:
    """Return by name what would change, as the API represents it."""
    changes = changes_of(division, states)
    return {name: [_consequences[name].represent(change) for change in changes[name]] for name in changes}
