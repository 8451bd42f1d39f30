"""Who does something: every service takes one of these as `by`, and the log keeps it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from players.models import Club, LogEntry, User


@dataclass(frozen=True, slots=True)
class Actor:
    """A user, a signed link for one side of a match, or the system."""

    kind: LogEntry.By
    user: User | None = None
    side: int | None = None
    """For a link: the side of the match it speaks for."""

    @classmethod
    def of(cls, user: User) -> "Actor":
        """Somebody who is signed in."""
        return cls(LogEntry.By.USER, user)

    @classmethod
    def link(cls, side: int) -> "Actor":
        """The holder of a personal link for one side."""
        return cls(LogEntry.By.LINK, side=side)


SYSTEM = Actor(LogEntry.By.SYSTEM)
"""The workers: deadlines, pairing, sweeps."""


def log(by: Actor, verb: str, topic: str, *, club: Club | None = None, **params: Any) -> LogEntry:
    """Writes who did what to what; call it inside the transaction that does it. `params` are plain JSON values."""
    return LogEntry.objects.create(by=by.kind, user=by.user, club=club, topic=topic, verb=verb, params=params)


def log_all(by: Actor, verb: str, told: Iterable[tuple[str, dict[str, Any]]], *, club: Club | None = None) -> None:
    """The same for many at once: what was done, to each topic with its params."""
    rows = (
        LogEntry(by=by.kind, user=by.user, club=club, topic=topic, verb=verb, params=params) for topic, params in told
    )
    LogEntry.objects.bulk_create(rows, batch_size=500)
