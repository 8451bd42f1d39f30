"""Row locks on divisions and their matches, taken in the order of docs/locking.md: divisions first, then matches.

And the end of a change to a locked division.
"""

from collections.abc import Callable, Collection
from functools import partial

from django.db import transaction
from django.db.models import F, Q

from core.live.publishing import publish, touch
from core.locks import for_update
from matches.models import Match
from tournaments.models import Division

Observer = Callable[[int], None]
_observers: list[Observer] = []


def when_changed(observer: Observer) -> None:
    """Call `observer` with the id of the event after each committed change to one of its divisions."""
    _observers.append(observer)


def lock_division(division_id: int) -> Division:
    """Return the division, locked until the transaction ends. Lock matches only after their division."""
    return for_update(Division.objects.select_related("tournament__club")).get(pk=division_id)


def division_changed(division: Division, *fields: str) -> None:
    """Save these fields of a locked division after a visible change, raise its `seq`, and publish that on commit."""
    values = {field: getattr(division, field) for field in fields}
    Division.objects.filter(pk=division.pk).update(seq=F("seq") + 1, **values)
    division.seq += 1
    transaction.on_commit(partial(_publish, division.pk), robust=True)


def _publish(division_id: int) -> None:
    rows = Division.objects.filter(pk=division_id)
    for seq, public_id, event_id, event_public_id in rows.values_list(
        "seq", "public_id", "tournament", "tournament__public_id"
    ):
        publish(f"division:{public_id}", seq)
        touch(f"tournament:{event_public_id}")
        for observer in _observers:
            observer(event_id)


def lock_matches(match_ids: list[int]) -> dict[int, Match]:
    """Lock these matches in ascending order; return them by id."""
    return _lock(Q(pk__in=match_ids))


def lock_unfinished_matches(
    divisions: Collection[Division], also: Collection[int] = (), *, live: bool = True
) -> dict[int, Match]:
    """Lock every match that settling these locked divisions may write to, and the ids in `also`; return them by id.

    Call this before reading results: until the commit nobody can begin, report or settle any of these matches.
    Without `live`, those that are being played here are left to their players; lock them before voiding them.
    """
    left_alone = [Match.State.SETTLED, Match.State.VOID] + ([] if live else [Match.State.LIVE])
    unfinished = Q(unsettled=True) | ~Q(state__in=left_alone)
    return _lock(Q(parent_topic__in=[division.topic for division in divisions]) & unfinished | Q(pk__in=also))


def _lock(condition: Q) -> dict[int, Match]:
    return {match.pk: match for match in for_update(Match.objects.filter(condition).order_by("pk"))}
