"""Pairs that are not to meet, as directors see them."""

from dataclasses import dataclass

from tournaments.draws.services.kept_apart import can_keep_apart
from tournaments.models import Division, Entry, KeptApart
from tournaments.state.names import Names


@dataclass(frozen=True, slots=True)
class Apart:
    """Two who are kept apart, by their entries and names."""

    first: Entry
    second: Entry
    names: tuple[str, str]


@dataclass(frozen=True, slots=True)
class ApartView:
    """All such pairs, and whom a director can choose for another one: public id and name."""

    pairs: list[Apart]
    choices: list[tuple[str, str]]


def pairs_apart(division: Division, names: Names) -> list[Apart]:
    """Pairs that are kept apart, the first noted first."""
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
    """None where nothing is left to be drawn in which two could be kept apart."""
    if not can_keep_apart(division):
        return None
    there = [entry for entry in names.entries.values() if entry.status != Entry.Status.OUT]
    choices = sorted(((entry.public_id, names.of(entry.pk)) for entry in there), key=lambda one: one[1].casefold())
    return ApartView(pairs_apart(division, names), choices)
