"""Actors: every service takes one as `by`, and the log stores it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from players.models import Club, LogEntry, User


@dataclass(frozen=True, slots=True)
class Actor:
    """A user, a signed link for one side of a match, or the system."""

    kind: LogEntry.By
    user: User | None = None
    side: int | None = None
    """For a link: the side of the match it acts for."""
    person: int | None = None
    """For a pair that plays a match: the id of the one of the two who acts for both; the log keeps it."""

    @classmethod
    def of(cls, user: User) -> "Actor":
        return cls(LogEntry.By.USER, user)

    @classmethod
    def link(cls, side: int) -> "Actor":
        return cls(LogEntry.By.LINK, side=side)


SYSTEM = Actor(LogEntry.By.SYSTEM)
"""Workers: deadlines, pairing, sweeps."""


def log(by: Actor, verb: str, topic: str, *, club: Club | None = None, **params: Any) -> LogEntry:
    """Write a log entry; call it in the transaction that makes the change. `params` are plain JSON values.

    Of whoever acts for a pair, `params.person` has the id.
    """
    entry = _entry(by, verb, topic, params, club)
    entry.save()
    return entry


def log_all(by: Actor, verb: str, changes: Iterable[tuple[str, dict[str, Any]]], *, club: Club | None = None) -> None:
    """Write many log entries with the same verb, given as (topic, params), as `log` does."""
    rows = (_entry(by, verb, topic, params, club) for topic, params in changes)
    LogEntry.objects.bulk_create(rows, batch_size=500)


def _entry(by: Actor, verb: str, topic: str, params: dict[str, Any], club: Club | None) -> LogEntry:
    person = {} if by.person is None else {"person": by.person}
    return LogEntry(by=by.kind, user=by.user, club=club, topic=topic, verb=verb, params=params | person)


def apply(row: Any, values: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Save the fields that differ and return them as field → [before, after], for the log."""
    changed = {name: [getattr(row, name), value] for name, value in values.items() if getattr(row, name) != value}
    for name, (_, value) in changed.items():
        setattr(row, name, value)
    if changed:
        row.save()
    return changed
