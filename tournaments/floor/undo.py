"""Undoing what a director did last on the floor."""

from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from engine.errors import Refused
from players.actors import Actor
from tournaments.floor.evening import restore_length
from tournaments.floor.journal import About, lock_fixture, lock_floor, record
from tournaments.models import Fixture, FloorEvent, FloorKind, Tournament
from tournaments.state.floor import BEGINNINGS, save_beginning

OF_BEGUN_MATCHES = (*BEGINNINGS, FloorKind.SHORTENED)
"""Facts that say more about a match than where it is on the floor."""


def undo(*, tournament: Tournament, event: FloorEvent, by: Actor, now: datetime) -> FloorEvent:
    """Undo the last fact that this user recorded at this event, and return it.

    The fact is named, so that a repeated request undoes nothing more. Refused: `tournament_not_open`,
    `nothing_to_undo_on_floor` if the fact is not theirs, `not_last_on_floor` if they recorded another one since,
    `floor_built_on` if something else happened at the same match or table since.
    """
    with transaction.atomic():
        floor = lock_floor(tournament.pk, now)
        undone = _facts_of(tournament, by).filter(pk=event.pk).first()
        if undone is None:
            raise Refused("nothing_to_undo_on_floor")
        if FloorEvent.objects.filter(undoes=undone).exists():
            return undone
        if undone != last_of(tournament, by):
            raise Refused("not_last_on_floor")
        _refuse_built_on(undone)
        about = About(fixture=undone.fixture, table=undone.table, player=undone.player, undoes=undone)
        if undone.kind in OF_BEGUN_MATCHES and undone.fixture is not None:
            locked, match = lock_fixture(undone.fixture)
            if undone.kind == FloorKind.SHORTENED:
                restore_length(match, undone, by=by)
            record(floor, FloorKind.UNDONE, _of(about, locked), by=by, now=now)
            save_beginning(match)
        else:
            record(floor, FloorKind.UNDONE, about, by=by, now=now)
    return undone


def last_of(tournament: Tournament, by: Actor) -> FloorEvent | None:
    """Return the last fact that a user recorded at an event and that was not undone."""
    return _facts_of(tournament, by).filter(undone_by=None).order_by("-pk").first()


def _facts_of(tournament: Tournament, by: Actor) -> QuerySet[FloorEvent]:
    """Return the facts that a user recorded at an event, with what their sentences need."""
    rows = FloorEvent.objects.filter(tournament=tournament, by=by.kind, user=by.user).exclude(kind=FloorKind.UNDONE)
    names = ("fixture__match__player_0", "fixture__match__player_1")
    return rows.select_related(*names, "table", "player")


def _of(about: About, fixture: Fixture) -> About:
    return About(fixture=fixture, table=about.table, player=about.player, undoes=about.undoes)


def _refuse_built_on(event: FloorEvent) -> None:
    """Refuse if a later fact is about the same match or the same table."""
    same = Q()
    if event.fixture_id is not None:
        same |= Q(fixture=event.fixture_id)
    if event.table_id is not None:
        same |= Q(table=event.table_id)
    if not same:
        return
    later = FloorEvent.objects.filter(same, tournament=event.tournament_id, pk__gt=event.pk, undone_by=None)
    if later.exclude(kind=FloorKind.UNDONE).exists():
        raise Refused("floor_built_on")
