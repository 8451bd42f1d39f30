"""Locking the floor of an event, and recording what happened there."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from core.live.publishing import touch_on_commit
from core.locks import for_update
from engine.errors import Refused
from matches.lifecycle.locks import matches_topic
from matches.models import Match
from players.actors import Actor, log_all
from players.models import Player
from players.people.rows import touch_users_on_commit
from tournaments.events.venues import tables_for_event
from tournaments.floor.derivation import floor_state
from tournaments.floor.halls import floors_beside, on_the_day_of
from tournaments.floor.notifications import notify_calls
from tournaments.floor.selectors import load_facts
from tournaments.floor.state import FloorMatchState, FloorState, MatchOnFloor
from tournaments.models import Fixture, Floor, FloorEvent, FloorKind, Table, Tournament
from tournaments.state.floor import hint_on_commit
from tournaments.state.locks import lock_event, lock_matches


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
    (row,) = lock_fixtures([fixture.pk])
    assert row.match is not None  # noqa: S101, it is locked
    return row, row.match


def lock_fixtures(ids: Collection[int]) -> list[Fixture]:
    """Return the fixtures with these ids as they are now, in this order, with their matches locked (`lock_fixture`)."""
    matches = lock_matches(Fixture.objects.filter(pk__in=ids).values("match"))
    rows = Fixture.objects.select_related("stage__division__tournament").in_bulk(list(ids))
    for row in rows.values():
        match = matches.get(row.match_id or 0)
        if match is None or match.state == Match.State.VOID:
            raise Refused("fixture_not_ready", fixture=row.number)
        row.match = match
    return [rows[key] for key in ids]


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


def floor_changed(floor: Floor, *fields: str, times: int = 1) -> None:
    """Save these fields of a locked floor, and raise the number from which one knows how often it has changed."""
    floor.seq += times
    floor.save(update_fields=["seq", *fields])


def record(floor: Floor, kind: FloorKind, about: FactTarget, *, by: Actor, now: datetime) -> FloorEvent:
    """Append a fact to a locked floor, log it and, after commit, announce it."""
    (event,) = record_all(floor, kind, [about], by=by, now=now)
    return event


def record_all(
    floor: Floor, kind: FloorKind, targets: Sequence[FactTarget], *, by: Actor, now: datetime
) -> list[FloorEvent]:
    """Append facts of a kind to a locked floor, in this order, log them and, after commit, announce them."""
    if not targets:
        return []
    events = FloorEvent.objects.bulk_create(
        FloorEvent(
            tournament=floor.tournament, kind=kind, fixture=about.fixture,
            match=about.fixture.match if about.fixture is not None else None, table=about.table, player=about.player,
            params=about.params, undoes=about.undoes, at=now, by=by.kind, user=by.user,
        )
        for about in targets
    )  # fmt: skip
    floor_changed(floor, times=len(events))
    log_all(by, f"floor_{kind}", map(_log_line, events), club=floor.tournament.club)
    announce(floor, now, [event.fixture for event in events if event.fixture is not None])
    notify_calls(floor.tournament, events, now)
    return events


def _log_line(event: FloorEvent) -> tuple[str, dict[str, Any]]:
    """Return topic and params of a fact in the log."""
    params = {**event.params, **({"table": event.table.label} if event.table else {}), "act": f"floor-{event.pk}"}
    if event.undoes_id is not None:
        params["undoes"] = f"floor-{event.undoes_id}"
    return (event.tournament if event.match is None else event.match).topic, params


def announce(floor: Floor, now: datetime, fixtures: Iterable[Fixture] = ()) -> None:
    """After commit, tell open pages, the players of the matches and the autopilot that the floor has changed.

    The same for events beside it that are played today, whose tables and people it may have taken or freed.
    """
    beside = Tournament.objects.filter(on_the_day_of(floor.tournament, now), floor__in=floor.beside)
    changed = [floor.tournament, *(beside if floor.beside else ())]
    touch_on_commit(*(event.topic for event in changed))
    hint_on_commit(*(event.pk for event in changed))
    matches = [fixture.match for fixture in fixtures if fixture.match is not None]
    touch_on_commit(*(matches_topic(match.parent_topic) for match in matches))
    touch_users_on_commit(player for match in matches for player in match.players)


def latest(fixture: Fixture, *kinds: FloorKind) -> FloorEvent | None:
    """Return the last fact of these kinds about the two who meet in a fixture that was not undone (`state.applies`)."""
    match = fixture.match
    if match is None:
        return None
    rows = FloorEvent.objects.filter(fixture=fixture, kind__in=kinds, undone_by=None)
    same = rows.filter(match__player_0=match.player_0_id, match__player_1=match.player_1_id)
    return same.order_by("-pk").first()
