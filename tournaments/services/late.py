"""Somebody comes when his division is already being played.

What he can still join depends on the format: a Swiss with its next round, lives with the second, a knockout by taking
a bye drawn by lot, a league by meeting everybody. Where nothing is free he is put on the waiting list.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import F

from engine.errors import Refused
from matches.begun import is_untouched
from matches.models import Match
from matches.services.ratings import ratings_of
from players.actors import Actor, log
from players.canonical import canonical
from players.models import Player
from tournaments.derivation import StageState, states_of
from tournaments.formats.blueprint import TABLE, lengths_of
from tournaments.formats.graph import BYE, CONSOLATION, MAIN, EntrySource, Fixture, Graph, Round
from tournaments.formats.knockout import take_bye
from tournaments.formats.lower_bracket import take_late_drop
from tournaments.formats.progress import FixtureStatus
from tournaments.formats.settings import (
    BY_ROUND,
    KNOCKOUT,
    LEAGUE,
    LIVES,
    MOST_ROUNDS,
    PROGRESSIVE,
    SWISS,
    check_league_size,
)
from tournaments.lots import lot
from tournaments.models import Bracket, Division, Entry, Stage, Tournament, Withdrawal
from tournaments.plans import entrants_as_data, set_source, store_round
from tournaments.services.entries import same_person
from tournaments.services.events import entries_in
from tournaments.services.numbering import lock_event, take_numbers
from tournaments.services.settle import hold, lock, settle

LATE = "late"
"""The key of the lot that puts the byes of a stage in the order in which late entries take them."""
LAST_ROUND_FOR_LIVES = 1
"""Rounds of a stage with lives that may be paired when somebody still joins."""


@dataclass(frozen=True, slots=True)
class _Arrival:
    """A running division, locked, at the moment somebody comes."""

    division: Division
    event: Tournament
    """Locked too: late entries may bring new matches, which are numbered in the event."""
    state: StageState
    held: Mapping[int, Match]
    by: Actor
    now: datetime

    @property
    def stage(self) -> Stage:
        """The stage that entries go into."""
        return self.state.stage


def enter_late(*, division: Division, players: Iterable[Player], by: Actor, now: datetime) -> list[Entry]:
    """Enters players into a division that is being played; the byes they take are drawn by lot.

    Whoever does not fit (no place, or no bye left) is on the waiting list. Whoever waits there and is entered again
    comes in; whoever has withdrawn from a Swiss comes back into it.
    Refused: `tournament_not_open`, `division_not_drawn`, `already_entered`, `late_entry_not_possible`,
    `late_entry_closed`, `joining_closed`, `division_size`.
    """
    with transaction.atomic():
        event = lock_event(division.tournament_id)
        row = lock(division.pk)
        if not row.tournament.is_open or row.status in (Division.Status.FINISHED, Division.Status.CANCELLED):
            raise Refused("tournament_not_open")
        if row.status != Division.Status.RUNNING:
            raise Refused("division_not_drawn")
        held = hold([row])
        made = []
        for player in players:
            state = states_of(row)[0]
            join = _way_in(row, state, now)
            made.append(_come_in(_Arrival(row, event, state, held, by, now), player, join))
        Division.objects.filter(pk=row.pk).update(seq=F("seq") + 1)
        settle(row, by=by, now=now, held=held)
    return made


def may_come_late(division: Division) -> bool:
    """Whether the format of a running division lets anybody in at all."""
    if division.status != Division.Status.RUNNING or division.tournament.status != Tournament.Status.RUNNING:
        return False
    first = division.stages.order_by("number").first()
    return first is not None and first.format in WAYS and first.status == Stage.Status.RUNNING


def _way_in(division: Division, state: StageState, now: datetime) -> "Way":
    """How somebody joins this format, if it is not too late."""
    way = WAYS.get(state.stage.format)
    if way is None or state.over:
        raise Refused("late_entry_not_possible", format=state.stage.get_format_display())
    settings = state.rows.settings
    paired = len(state.event.rounds) if state.event is not None else 0
    last = LAST_ROUND_FOR_LIVES if settings.format == LIVES else (settings.rounds or MOST_ROUNDS) - 1
    if settings.format in BY_ROUND and paired > last:
        raise Refused("late_entry_closed", round=paired)
    closing = settings.join_until or settings.until
    today = now.astimezone(ZoneInfo(division.tournament.time_zone)).date()
    if settings.format == LEAGUE and closing and today > date.fromisoformat(closing):
        raise Refused("joining_closed", until=closing)
    return way


def _come_in(arrival: _Arrival, player: Player, join: "Way") -> Entry:
    division = arrival.division
    entry = _entry_of(arrival, player)
    full = division.capacity is not None and entries_in(division) > division.capacity
    told = None if full else join(arrival, entry)
    if told is None:
        entry.status = Entry.Status.WAITING
        entry.save(update_fields=["status"])
    what = {"entry": entry.pk, "status": entry.status, **(told or {})}
    log(arrival.by, "entered_late", division.topic, club=division.tournament.club, **what)
    return entry


def _entry_of(arrival: _Arrival, player: Player) -> Entry:
    """His entry: a new one, the one that waits, or the one that has left a stage whose rounds are paired one by one."""
    division, now, player = arrival.division, arrival.now, canonical(player)
    rows = division.entries.filter(same_person(player))
    if rows.filter(status=Entry.Status.IN).exists():
        raise Refused("already_entered", name=player.shown_name)
    entry = rows.filter(status=Entry.Status.WAITING).first()
    if entry is None and arrival.stage.format in BY_ROUND:
        entry = rows.filter(status=Entry.Status.OUT, withdrawals__taken_back_at=None, withdrawals__bracket=None).first()
    if entry is None:
        entry = Entry(division=division, player=player, entered_at=now, entered_by=arrival.by.user)
    entry.status, entry.withdrawn_at = Entry.Status.IN, None
    if entry.rating is None:
        entry.rating = ratings_of(players=[player.pk], pool=division.pool)[player.pk]
    entry.save()
    Withdrawal.objects.filter(entry=entry, bracket=None, taken_back_at=None).update(taken_back_at=now)
    return entry


# The ways in: what the log tells of it, None where nothing is free


def _with_next_round(arrival: _Arrival, entry: Entry) -> dict[str, Any] | None:
    """Nothing is to be planned: the next round is paired with him."""
    assert arrival.state.event is not None  # noqa: S101, its rounds are paired one by one
    return {"round": arrival.state.event.next_round}


def _by_a_bye(arrival: _Arrival, entry: Entry) -> dict[str, Any] | None:
    """A bye of the first round, by lot; where its losers go to a consolation, so does the loser there."""
    rows = arrival.state.rows
    before = rows.graph
    begun = _begun(arrival.state)
    same = [row.pk for row in arrival.division.entries.filter(same_person(entry.player)) if row.pk != entry.pk]
    # One order of the byes for everybody who comes late: neither another name nor an undo draws another lot.
    lots = lot(arrival.stage, LATE)
    try:
        graph, number = take_bye(before, entry.pk, lots=lots, begun=begun, apart_from=same)
    except Refused as refused:
        if refused.code != "no_bye_left":
            raise
        return None
    graph = _with_drop(graph, number, begun)
    _write_changes(arrival.state, before, graph)
    return {"fixture": number, "lot": [LATE]}


def _begun(state: StageState) -> frozenset[int]:
    """Fixtures in which somebody has begun to play, or that are decided otherwise; a bye is neither."""
    open_ = (FixtureStatus.WAITING, FixtureStatus.READY, FixtureStatus.BYE)
    begun = set()
    for number, stands in state.progress.fixtures.items():
        match = state.rows.fixtures[number].match
        moved = match is not None and not is_untouched(match)
        if moved or (stands.status not in open_ and BYE not in state.progress.graph.fixture(number).sources):
            begun.add(number)
    return frozenset(begun)


def _with_drop(graph: Graph, number: int, begun: frozenset[int]) -> Graph:
    """Whoever loses there drops, if the consolation takes losers of that round and has a bye left; else he does not."""
    first = graph.bracket(MAIN).rounds[0].fixtures
    if not any(fixture.number in graph.next_of_loser for fixture in first):
        return graph
    try:
        return take_late_drop(graph, number, CONSOLATION, begun)
    except Refused as refused:
        if refused.code != "no_bye_left":
            raise
        return graph


def _write_changes(state: StageState, before: Graph, after: Graph) -> None:
    """Stores the sources that differ, and who comes into a round that is still to be drawn."""
    for row in state.rows.rounds:
        fixture = next(one.number for one in state.rows.fixtures.values() if one.round_id == row.pk)
        entrants = after.round_of[fixture].entrants
        if entrants != before.round_of[fixture].entrants:
            row.entrants = entrants_as_data(entrants)
            row.save(update_fields=["entrants"])
    for number, fixture in after.fixtures.items():
        slots = state.rows.slots[state.rows.fixtures[number].pk]
        for slot, old, new in zip(slots, before.fixture(number).sources, fixture.sources, strict=True):
            if old != new:
                set_source(slot, new)


def _against_everybody(arrival: _Arrival, entry: Entry) -> dict[str, Any] | None:
    """A match against each who is in, in a round of its own; twice where all meet twice."""
    stage, rows = arrival.stage, arrival.state.rows
    gone = {item.entry for item in rows.withdrawals()}
    others = [other for other in dict.fromkeys(rows.graph.entries) if other not in gone]
    check_league_size(len(others) + 1)
    bracket = Bracket.objects.get(stage=stage, key=TABLE)
    pairs = [(entry.pk, other) for other in others]
    pairs += [(other, entry.pk) for other in others] if rows.settings.twice else []
    first = take_numbers(arrival.event, len(pairs))
    fixtures = tuple(Fixture(first + at, (EntrySource(a), EntrySource(b))) for at, (a, b) in enumerate(pairs))
    last = rows.rounds[-1]
    lengths = lengths_of(rows.settings, TABLE, stage.division.lengths)
    store_round(bracket, Round(last.number + 1, fixtures), lengths=lengths, deadline=last.deadline, once_each=False)
    return {"round": last.number + 1}


Way = Callable[[_Arrival, Entry], dict[str, Any] | None]
WAYS: Mapping[str, Way] = {
    SWISS: _with_next_round,
    LIVES: _with_next_round,
    KNOCKOUT: _by_a_bye,
    PROGRESSIVE: _by_a_bye,
    LEAGUE: _against_everybody,
}
"""Format -> how somebody joins it while it is played; others cannot be joined."""
