"""The places of a division: how many are free, who waits for one, and filling them in turn.

Whoever is here has a turn before those who are not; otherwise it is the order of entry. Before the draw, each service
that may free a place ends with `fill_places`. Afterwards a director lets somebody in (`entries/late.py`).
"""

from collections.abc import Collection
from datetime import datetime

from engine.errors import Refused
from formats.settings import KNOCKOUT, PROGRESSIVE
from players.actors import SYSTEM, log_all
from tournaments.models import Division, Entry, Stage, Tournament
from tournaments.state.names import shown_entry
from tournaments.state.notifications import notify_moved_up

OVER = (Tournament.Status.FINISHED, Tournament.Status.CANCELLED)
WITH_REENTRY = (KNOCKOUT, PROGRESSIVE)
"""Formats in which a player can enter again."""


def may_reenter(division: Division, now: datetime) -> bool:
    """Whether a division accepts re-entries now."""
    if division.status != Division.Status.RUNNING or division.tournament.status != Tournament.Status.RUNNING:
        return False
    if division.reentry_until is None or now >= division.reentry_until:
        return False
    first = division.stages.order_by("number").first()
    return first is not None and first.format in WITH_REENTRY and first.status == Stage.Status.RUNNING


def entries_in(division: Division) -> int:
    """Return the number of entries, without the waiting list."""
    return division.entries.filter(status=Entry.Status.IN).count()


def free_places(division: Division, *, leaving: int = 0) -> int | None:
    """Return how many places are free once so many have left; None if their number is not limited."""
    return None if division.capacity is None else max(0, division.capacity - entries_in(division) + leaving)


def is_full(division: Division) -> bool:
    return free_places(division) == 0


def waiting_list(division: Division, *, first: Collection[int] = ()) -> list[Entry]:
    """Return who waits, in turn; the entries `first` have a turn before all others."""
    rows = division.entries.filter(status=Entry.Status.WAITING).select_related("player__merged_into")
    return sorted(rows, key=lambda entry: (entry.pk not in first, entry.turn))


def moving_up(division: Division, *, leaving: int = 0, first: Collection[int] = ()) -> list[Entry]:
    """Return who gets a place, once so many have left, while a division takes entries, in turn."""
    if division.status != Division.Status.ENTRIES or division.tournament.status in OVER:
        return []
    return waiting_list(division, first=first)[: free_places(division, leaving=leaving)]


def fill_places(
    division: Division, now: datetime, *, first: Collection[int] = (), untold: Collection[int] = ()
) -> None:
    """Give the free places of a locked division that takes entries to those who wait, in turn, and tell them.

    The entries `first` had a place before what is undone; those in `untold` have not heard that they had lost it.
    """
    moving = moving_up(division, first=first)
    if not moving:
        return
    for entry in moving:
        entry.status = Entry.Status.IN
    Entry.objects.bulk_update(moving, ["status"])
    lines = [(division.topic, {"entry": entry.pk}) for entry in moving]
    log_all(SYSTEM, "moved_up", lines, club=division.tournament.club)
    # Only directors know of an event that is not published.
    if division.tournament.status != Tournament.Status.DRAFT:
        notify_moved_up(division, [entry for entry in moving if entry.pk not in untold], now)


def passed_over(division: Division, admitted: Collection[Entry]) -> list[Entry]:
    """Return who waits and would have a turn before somebody of these, in turn.

    Once anybody is checked in, those who wait and are not here count as missing, so that nobody passes them.
    """
    is_used = division.entries.exclude(status=Entry.Status.OUT).exclude(checked_in_at=None).exists()
    waiting = [entry for entry in waiting_list(division) if entry.checked_in_at is not None or not is_used]
    return [entry for entry in waiting if entry not in admitted and any(entry.turn < row.turn for row in admitted)]


def refuse_passing(division: Division, admitted: Collection[Entry], *, past_waiting: bool) -> None:
    """Refuse (`others_wait`, with their names) to let these in before who waits, unless a director has confirmed it."""
    passed = [] if past_waiting else passed_over(division, admitted)
    if passed:
        raise Refused("others_wait", names=", ".join(shown_entry(entry, staff=True) for entry in passed))
