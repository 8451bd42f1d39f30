"""What the rule of a stage without rounds decides from, as the database and the floor have it."""

from collections.abc import Iterator, Mapping, Sequence, Set
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from formats.continuous.state import (
    ABSENT,
    AWAY,
    BUSY,
    NO_TABLE,
    FlowMatch,
    FlowPlayer,
    FlowState,
    SettledMatch,
    moment_of,
)
from formats.graph import EntryId
from formats.settings import LIVES
from matches.lifecycle.begun import has_begun
from matches.models import Match
from players.people.rows import PersonId
from tournaments.floor.derivation import ACTIVE, seats_elsewhere
from tournaments.floor.state import FloorState, TableState
from tournaments.models import Entry, Fixture, Pairing, Stage, Table
from tournaments.state.derivation import StageState
from tournaments.state.names import club_of_each
from tournaments.state.pairings import begun_counts
from tournaments.state.stage_rows import StageRows

AS_LONG_AGO = timedelta(hours=1)
"""How long ago a stage began that was drawn later than now."""
WALK_MINUTES = 2
"""From a call to the table: a player is paired so long before the rest ends."""


def flow_state_of(stage: Stage, state: StageState, floor: FloorState, now: datetime) -> FlowState:
    rows, event = state.rows, state.event
    assert event is not None  # noqa: S101, a stage without rounds has one
    settings, division = rows.settings, rows.of_division
    begun = begun_counts(rows)
    number = event.next_round
    present = [player.entry for player in event.players if player.active(number)]
    clubs = club_of_each(stage.division, present) if stage.division.apart else {}
    standing = [row for row in rows.pairings if not row.taken_back]
    met: dict[frozenset[EntryId], tuple[int, ...]] = {}
    for at, row in enumerate(standing, start=1):
        pair = frozenset((row.first_id, row.second_id))
        met[pair] = (*met.get(pair, ()), at)
    playing = []
    for row in standing:
        if not state.progress.fixtures[row.number].over:
            fixture = rows.fixtures[row.number]
            playing.append(FlowMatch(row.number, (row.first_id, row.second_id), _counts(fixture, floor)))
    joins = _joins(state, standing, floor, now)
    busy = _busy_elsewhere(stage, floor)
    without_table = _without_table(floor) | seats_elsewhere(floor.facts, now).keys()
    players = []
    for entry in present:
        left = settings.lives - event.losses[entry] - rows.lives_missed.get(entry, 0)
        if settings.format != LIVES:
            left = (settings.rounds or 0) - begun[entry] - event.pairing_byes[entry]
        why, match = _why_not(division.entries[entry], floor, busy, now)
        if not why and not without_table.isdisjoint(floor.facts.people_in(division.entries[entry])):
            why = NO_TABLE
        players.append(
            FlowPlayer(
                entry, max(0, left), begun[entry], joins[entry], why, clubs.get(entry), match, event.scores[entry]
            ),
        )
    apart = {*division.kept_apart, *division.persons}
    return FlowState(
        settings,
        tuple(players),
        tuple(playing),
        met,
        frozenset(apart),
        bytes.fromhex(stage.seed),
        len(standing),
        tuple(row for row in _settled(state, standing, now - timedelta(minutes=settings.window)) if row.at <= now),
        moment_of(settings.switch_time, _began(rows), ZoneInfo(stage.division.tournament.time_zone)),
    )


def _began(rows: StageRows) -> datetime:
    """Return when the first pairs of a stage were published; there may have been none."""
    published = rows.of_division.paired[rows.stage.pk][0].published_at
    assert published is not None  # noqa: S101, it is published
    return published


def _settled(state: StageState, standing: Sequence[Pairing], since: datetime) -> Iterator[SettledMatch]:
    for row in standing:
        match = state.rows.fixtures[row.number].match
        if match is None or match.finished_at is None or not state.progress.fixtures[row.number].over:
            continue
        if match.finished_at > since:
            yield SettledMatch(match.finished_at, (row.first_id, row.second_id))


def _counts(fixture: Fixture, floor: FloorState) -> bool:
    """Whether others may not get too far ahead of a match that is going on."""
    match, row = fixture.match, floor.matches.get(fixture.pk)
    if match is not None and match.state == Match.State.DISPUTED:
        return False
    return row is None or not (row.facts.lead_waived or row.facts.adjourned is not None)


def _joins(state: StageState, standing: Sequence[Pairing], floor: FloorState, now: datetime) -> dict[EntryId, datetime]:
    """Return entry -> from when on it can be paired, as far as it is not in a match.

    What was recorded later than now, before the clock was set back, holds nobody up.
    """
    rows = state.rows
    began = _began(rows)
    if began > now:
        began = now - AS_LONG_AGO
    rest = timedelta(minutes=max(0, floor.facts.settings.rest - WALK_MINUTES))
    joins: dict[EntryId, datetime] = {}
    for entry, row in rows.of_division.entries.items():
        recorded = [row.entered_at, *([row.checked_in_at] if row.checked_in_at is not None else [])]
        moments = [began, *(moment for moment in recorded if moment <= now)]
        if row.away_until is not None:
            moments.append(row.away_until)
        joins[entry] = max(moments)
    for pairing in standing:
        match = rows.fixtures[pairing.number].match
        if match is None or match.finished_at is None or match.finished_at > now:
            continue
        free = match.finished_at + (rest if has_begun(match) else timedelta())
        for entry in (pairing.first_id, pairing.second_id):
            joins[entry] = max(joins[entry], free)
    return joins


def _busy_elsewhere(stage: Stage, floor: FloorState) -> dict[PersonId, int]:
    """Return person -> the number of the match of another stage that they are called to or play."""
    others = [row for row in floor.matches.values() if row.facts.stage != stage.pk and row.state in ACTIVE]
    return {person: row.number for row in others for person in floor.facts.people_at(row.facts)}


def _without_table(floor: FloorState) -> Set[PersonId]:
    """Return who needs an accessible table while the event has some and none of them is free."""
    facts, accessible = floor.facts, Table.Category.ACCESSIBLE
    tables = [floor.tables[row.table] for row in facts.tables if row.category == accessible]
    usable = [row for row in tables if row.state != TableState.OUT]
    is_any_free = any(row.state in (TableState.FREE, TableState.KEPT) for row in usable)
    return set() if is_any_free or not usable else facts.needs_accessible


def _why_not(entry: Entry, floor: FloorState, busy: Mapping[PersonId, int], now: datetime) -> tuple[str, int | None]:
    persons = floor.facts.people_in(entry)
    for person in persons:
        if person in busy:
            return BUSY, busy[person]
    if any(until > now for until in away_until(entry, floor)):
        return AWAY, None
    if any(floor.presence.is_absent(person) for person in persons):
        return ABSENT, None
    return "", None


def away_until(entry: Entry, floor: FloorState) -> list[datetime]:
    """Return when those who play with an entry and are away come back, as recorded in any division."""
    times = [floor.facts.away.get(person) for person in floor.facts.people_in(entry)]
    return [until for until in times if until is not None]
