"""Row locks in the order of docs/locking.md, and match numbers, which are never reused."""

from collections.abc import Collection
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import F, Q, QuerySet

from core.live.publishing import publish, touch
from core.locks import for_update
from matches.models import Match
from tournaments.models import Division, Tournament
from tournaments.state.floor import hint_self_calling
from tournaments.state.versions import DivisionPart

# Row locks on divisions and their matches, taken in the order of docs/locking.md: divisions first, then matches.
#
# And the end of a change to a locked division.


def lock_division(division_id: int) -> Division:
    """Return the division, locked until the transaction ends. Lock matches only after their division."""
    return for_update(Division.objects.select_related("tournament__club")).get(pk=division_id)


def division_changed(division: Division, *fields: str, part: DivisionPart | None = DivisionPart.PLAN) -> None:
    """Save these fields of a locked division after a visible change, raise its `seq`, and publish that on commit.

    `part` is what has changed, so that only those are refused who decided about it (`refuse_stale`).
    """
    values = {field: getattr(division, field) for field in fields}
    numbers = ["seq", part] if part is not None else ["seq"]
    Division.objects.filter(pk=division.pk).update(**dict.fromkeys(numbers, F("seq") + 1), **values)
    division.seq += 1
    if part is not None:
        setattr(division, part, division.seq)
    transaction.on_commit(partial(_publish, division.topic, division.seq, division.tournament), robust=True)


def _publish(topic: str, seq: int, event: Tournament) -> None:
    publish(topic, seq)
    touch(event.topic)
    hint_self_calling(event.pk)


def lock_matches(match_ids: list[int] | QuerySet[Any, Any]) -> dict[int, Match]:
    """Lock these matches in ascending order; return them by id, with their players and clubs."""
    if isinstance(match_ids, list) and not match_ids:
        return {}
    rows = Match.objects.filter(pk__in=match_ids).select_related("player_0", "player_1", "club")
    return _lock(rows)


def lock_undecided_match(match_id: int) -> Match | None:
    """Lock a match, with its players and club, unless it has a result, a dispute or is void: None, and nothing locked.

    PostgreSQL looks at the state again once it has waited for the lock.
    """
    rows = Match.objects.exclude(state__in=(Match.State.SETTLED, Match.State.DISPUTED, Match.State.VOID))
    return for_update(rows.select_related("player_0", "player_1", "club").filter(pk=match_id)).first()


def lock_unfinished_matches(
    divisions: Collection[Division], also: Collection[int] = (), *, live: bool = True
) -> dict[int, Match]:
    """Lock every match that settling these locked divisions may write to, and the ids in `also`; return them by id.

    Call this before reading results: until the commit nobody can begin, report or settle any of these matches.
    Without `live`, those that are being played here are left to their players; lock them before voiding them.
    """
    left_alone = [Match.State.SETTLED, Match.State.VOID] + ([] if live else [Match.State.LIVE])
    unfinished = Q(unsettled=True) | ~Q(state__in=left_alone)
    of_divisions = Q(parent_topic__in=[division.topic for division in divisions])
    return _lock(Match.objects.filter(of_divisions & unfinished | Q(pk__in=also)))


def _lock(rows: QuerySet[Match]) -> dict[int, Match]:
    return {match.pk: match for match in for_update(rows.order_by("pk"))}


# Match numbers: unique in the event and never reused, even if a draw is taken back (docs/locking.md).
#
# `Tournament.last_number` is the highest number used so far. The row of the event is the lock for numbering. It is
# taken before the locks of divisions; a transaction that already holds a division may only take it without waiting.


def lock_event(tournament_id: int) -> Tournament:
    """Return the event with its club, locked until the transaction ends. Call this before locking its divisions."""
    return for_update(Tournament.objects.select_related("club")).get(pk=tournament_id)


def calendar_changed(event: Tournament, now: datetime) -> None:
    """Note that the calendar of a locked event shows something else, so that calendar programs take it over."""
    event.calendar_sequence += 1
    event.calendar_changed_at = now
    event.save(update_fields=["calendar_sequence", "calendar_changed_at"])


def lock_event_if_free(tournament_id: int) -> Tournament | None:
    """Lock the event without waiting, while holding a division; return None if another transaction holds it.

    Not waiting prevents a deadlock. A transaction that has already locked the event gets it again.
    """
    return for_update(Tournament.objects.filter(pk=tournament_id), skip_locked=True).first()


def take_numbers(event: Tournament, count: int) -> int:
    """Reserve `count` match numbers of a locked event and return the first one."""
    # Read again: the instance may have been loaded before other numbers were taken in this transaction.
    event.refresh_from_db(fields=["last_number"])
    first = event.last_number + 1
    event.last_number += count
    event.save(update_fields=["last_number"])
    return first


def take_number(event: Tournament, number: int) -> None:
    """Reserve a match number of a locked event that stood on paper first; numbers taken later are higher."""
    event.refresh_from_db(fields=["last_number"])
    event.last_number = max(event.last_number, number)
    event.save(update_fields=["last_number"])
