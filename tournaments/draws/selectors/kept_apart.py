"""Pairs that are kept apart, as directors see them."""

from dataclasses import dataclass

from tournaments.draws.services.kept_apart import can_keep_apart
from tournaments.models import Division, Entry, KeptApart
from tournaments.state.names import Names


@dataclass(frozen=True, slots=True)
class Apart:
    """Two entries that are kept apart, with their names."""

    first: Entry
    second: Entry
    names: tuple[str, str]


@dataclass(frozen=True, slots=True)
class ApartView:
    """All pairs, and the entries (public id, name) a director can choose for another pair."""

    pairs: list[Apart]
    choices: list[tuple[str, str]]


def pairs_apart(division: Division, names: Names) -> list[Apart]:
    """Return the pairs that are kept apart, oldest first."""
    rows = KeptApart.objects.filter(division=division, taken_back_at=None)
    return [
        Apart(
            names.entries[row.first_id],
            names.entries[row.second_id],
            (names.of(row.first_id), names.of(row.second_id)),
        )
        for row in rows
    ]


def apart_view(division: Division, names: Names) -> ApartView | None:
    """Return the pairs and choices; None if nothing is left to draw or pair."""
    if not can_keep_apart(division):
        return None
    entries = [entry for entry in names.entries.values() if entry.status != Entry.Status.OUT]
    choices = [(entry.public_id, names.of(entry.pk)) for entry in entries]
    return ApartView(pairs_apart(division, names), sorted(choices, key=lambda choice: choice[1].casefold()))
