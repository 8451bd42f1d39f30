"""Which shortening of rounds was the last one, and whether it can be undone."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from players.models import LogEntry
from tournaments.draws.services.round_lengths import LENGTHS_CHANGED, RoundLength, rounds_begun
from tournaments.models import Round, Tournament


@dataclass(frozen=True, slots=True)
class Shortened:
    """The last change of match lengths in an event: who made it and when, and the changes that undo it."""

    at: datetime
    who: str
    undo: tuple[RoundLength, ...]

    @property
    def value(self) -> str:
        """The changes as the form takes them."""
        return " ".join(":".join(map(str, change)) for change in self.undo)


def last_shortening(tournament: Tournament) -> Shortened | None:
    """Return the last change of lengths if it shortened rounds that still have that length and have not begun."""
    topics = [division.topic for division in tournament.divisions.all()]
    rows = LogEntry.objects.filter(verb=LENGTHS_CHANGED, topic__in=topics).select_related("user")
    entry = rows.order_by("-pk").first()
    if entry is None:
        return None
    changes = [RoundLength(*change) for change in entry.params["rounds"]]
    if any(change.length >= change.seen for change in changes) or not _still_hold(changes):
        return None
    undo = tuple(RoundLength(change.round, change.length, change.seen) for change in changes)
    return Shortened(entry.at, entry.user.display_name if entry.user is not None else "", undo)


def _still_hold(changes: Sequence[RoundLength]) -> bool:
    """Whether these rounds have the lengths that they were given, and nobody has begun them."""
    ids = [change.round for change in changes]
    lengths = dict(Round.objects.filter(pk__in=ids).values_list("pk", "length"))
    return all(lengths.get(change.round) == change.length for change in changes) and not rounds_begun(ids)
