"""Locking the floor of an event, and recording what happened there."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from core.live.publishing import touch_on_commit
from core.locks import for_update
from engine.errors import Refused
from matches.lifecycle.locks import lock_match, matches_topic
from matches.models import Match
from players.actors import Actor, log
from players.models import Player
from players.people.rows import touch_users_on_commit
from tournaments.events.venues import tables_for_event
from tournaments.floor.derivation import floor_state
from tournaments.floor.halls import floors_beside, on_the_day_of
from tournaments.floor.notifications import notify_call
from tournaments.floor.selectors import load_facts
from tournaments.floor.state import FloorMatchState, FloorState, MatchOnFloor
from tournaments.models import Fixture, Floor, FloorEvent, FloorKind, Table, Tournament
from tournaments.state.floor import hint_on_commit
from tournaments.state.locks import lock_event


@dataclass(frozen=True, slots=True)
class FactTarget:
    fixture: Fixture | None = None
    table: Table | None = None
    player: Player | None = None
    params: dict[str, Any] = field(default_factory=dict)
    undoes: FloorEvent | None = None


def lock_floor(tournament_id: int, now: datetime) -> Floor:
    """Return the floor of an open event, locked until the transaction ends; open it if it is not open yet.

    Lock the floor before divisions and matches (docs/locking.md). Refused: `tournament_not_open`.
    """
    floor = _locked(tournament_id)
    if floor is None:
        event = lock_event(tournament_id)
        _refuse_closed(event)
        _floor, created = Floor.objects.get_or_create(tournament=event, defaults={"opened_at": now})
        if created:
            create_tables(event)
        floor = _locked(tournament_id)
        assert floor is not None  # noqa: S101, created above
    _refuse_closed(floor.tournament)
    return floor


def _locked(tournament_id: int) -> Floor | None:
    """Lock the floor of an event, if it is open, and those beside it (docs/locking.md).

    Nobody is called there then while it is decided who may be called here, and to which table.
    """
    rows = floors_beside(tournament_id).select_related("tournament__club").order_by("pk")
    floors = {floor.tournament_id: floor for floor in for_update(rows)}
    floor = floors.pop(tournament_id, None)
    if floor is not None:
        floor.beside = tuple(floors.values())
    return floor


def _refuse_closed(event: Tournament) -> None:
    if not event.is_open:
        raise Refused("tournament_not_open")


def create_tables(event: Tournament) -> None:
    """Create the tables of an event like the tables of the club's venue, as many as it says, unless it has some."""
    if not event.floor_tables.exists():
        tables = tables_for_event(event.club, event.tables or 0)
        Table.objects.bulk_create(
            Table(tournament=event, label=label, order=order, category=category)
            for order, (label, category) in enumerate(tables, start=1)
        )


def lock_fixture(fixture: Fixture) -> tuple[Fixture, Match]:
    """Lock the match of a fixture and return both as they are now. Refused: `fixture_not_ready`.

    Nobody can report or settle the match, or give the fixture other players, before the transaction ends.
    """
    match_id = Fixture.objects.values_list("match", flat=True).get(pk=fixture.pk)
    if match_id is None:
        raise Refused("fixture_not_ready", fixture=fixture.number)
    match = lock_match(match_id)
    row = Fixture.objects.select_related("stage__division__tournament").get(pk=fixture.pk)
    if row.match_id != match.pk or match.state == Match.State.VOID:
        raise Refused("fixture_not_ready", fixture=fixture.number)
    row.match = match
    return row, match


def read_state(floor: Floor, now: datetime) -> FloorState:
    return floor_state(load_facts(floor.tournament, now, floor=floor), now)


def match_on_floor(state: FloorState, fixture: Fixture) -> MatchOnFloor:
    """Return a match of the floor. Refused: `not_on_floor` if it is not played at the tables of the event."""
    row = state.matches.get(fixture.pk)
    if row is None:
        raise Refused("not_on_floor", fixture=fixture.number)
    return row


def refuse_over(row: MatchOnFloor) -> None:
    """Refuse a match that is not being played any more (`match_finished`) or for the time being (`match_adjourned`)."""
    if row.state in (FloorMatchState.REPORTED, FloorMatchState.SETTLED):
        raise Refused("match_finished", fixture=row.number)
    if row.state == FloorMatchState.ADJOURNED:
        raise Refused("match_adjourned", fixture=row.number)


def floor_changed(floor: Floor, *fields: str) -> None:
    """Save these fields of a locked floor, and raise the number from which one knows that it has changed."""
    floor.seq += 1
    floor.save(update_fields=["seq", *fields])


def record(floor: Floor, kind: FloorKind, about: FactTarget, *, by: Actor, now: datetime) -> FloorEvent:
    """Append a fact to a locked floor, log it and, after commit, announce it."""
    match = about.fixture.match if about.fixture is not None else None
    event = FloorEvent.objects.create(
        tournament=floor.tournament, kind=kind, fixture=about.fixture, match=match, table=about.table,
        player=about.player, params=about.params, undoes=about.undoes, at=now, by=by.kind, user=by.user,
    )  # fmt: skip
    floor_changed(floor)
    params = {**about.params, **({"table": about.table.label} if about.table else {}), "act": f"floor-{event.pk}"}
    if about.undoes is not None:
        params["undoes"] = f"floor-{about.undoes.pk}"
    topic = floor.tournament.topic if match is None else match.topic
    log(by, f"floor_{kind}", topic, club=floor.tournament.club, **params)
    announce(floor, about.fixture, now)
    notify_call(event)
    return event


def announce(floor: Floor, fixture: Fixture | None, now: datetime) -> None:
    """After commit, tell open pages, the players of the match and the autopilot that the floor has changed.

    The same for events beside it that are played today, whose tables and people it may have taken or freed.
    """
    beside = Tournament.objects.filter(on_the_day_of(floor.tournament, now), floor__in=floor.beside)
    changed = [floor.tournament, *(beside if floor.beside else ())]
    touch_on_commit(*(event.topic for event in changed))
    hint_on_commit(*(event.pk for event in changed))
    if fixture is not None and fixture.match is not None:
        touch_on_commit(matches_topic(fixture.match.parent_topic))
        touch_users_on_commit(fixture.match.players)


def latest(fixture: Fixture, *kinds: FloorKind) -> FloorEvent | None:
    """Return the last fact of these kinds about the two who meet in a fixture that was not undone (`state.applies`)."""
    match = fixture.match
    if match is None:
        return None
    rows = FloorEvent.objects.filter(fixture=fixture, kind__in=kinds, undone_by=None)
    same = rows.filter(match__player_0=match.player_0_id, match__player_1=match.player_1_id)
    return same.order_by("-pk").first()
