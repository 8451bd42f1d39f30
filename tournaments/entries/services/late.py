"""Late entries: players who enter while the division is being played.

How they join depends on the format: a Swiss with the next round, lives with the second, a knockout by taking a bye
drawn by lot, a league by meeting everybody. If no bye or place is free, they go on the waiting list.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from engine.errors import Refused
from matches.models import Match
from matches.ratings.services import ratings_of
from players.actors import Actor, log
from players.models import Player
from players.people.rows import canonical
from tournaments.entries.services.entries import next_number, same_person
from tournaments.entries.services.late_plans import LATE, check_accepts_late, check_running, plan_bye
from tournaments.events.services.events import entries_in
from tournaments.formats.graph import EntrySource, Fixture, Graph, Round
from tournaments.formats.plans import TABLE, lengths_of
from tournaments.formats.settings import (
    BY_ROUND,
    KNOCKOUT,
    LEAGUE,
    LIVES,
    PROGRESSIVE,
    SWISS,
    check_league_size,
)
from tournaments.models import Bracket, Division, Entry, LateEntry, Stage, Tournament, Withdrawal
from tournaments.state.derivation import StageState, states_of
from tournaments.state.locks import division_changed, lock_division, lock_unfinished_matches
from tournaments.state.numbering import lock_event, take_numbers
from tournaments.state.plans import entrants_as_data, set_source, store_round
from tournaments.state.settle import settle


@dataclass(frozen=True, slots=True)
class _Arrival:
    """A locked running division when a player arrives."""

    division: Division
    event: Tournament
    """Locked as well: late entries may add matches, which are numbered in the event."""
    state: StageState
    locked_matches: Mapping[int, Match]
    by: Actor
    now: datetime

    @property
    def stage(self) -> Stage:
        """The stage that the player joins."""
        return self.state.stage


def enter_late(
    *, division: Division, players: Iterable[Player], by: Actor, now: datetime, after: int | None = None
) -> list[Entry]:
    """Enter players into a running division; the byes they take are drawn by lot.

    `after` is the division's `seq` from the preview. Players without a free place or bye go on the waiting list.
    Entering a player who waits there lets them in; a player who has withdrawn from a Swiss returns to it.
    Refused: `stale`, `tournament_not_open`, `division_not_drawn`, `already_entered`, `late_entry_not_possible`,
    `late_entry_closed`, `joining_closed`, `division_size`.
    """
    with transaction.atomic():
        event = lock_event(division.tournament_id)
        row = lock_division(division.pk)
        if after is not None and row.seq != after:
            raise Refused("stale")
        check_running(row)
        locked_matches = lock_unfinished_matches([row])
        entries = []
        for player in players:
            state = states_of(row)[0]
            check_accepts_late(row, state, now)
            entries.append(_enter_player(_Arrival(row, event, state, locked_matches, by, now), player))
        division_changed(row)
        settle(row, by=by, now=now, locked=locked_matches)
    return entries


def _enter_player(arrival: _Arrival, player: Player) -> Entry:
    division = arrival.division
    entry, before = _entry_of(arrival, player)
    full = division.capacity is not None and entries_in(division) > division.capacity
    joined = None if full else JOIN[arrival.stage.format](arrival, entry)
    if joined is None:
        entry.status = Entry.Status.WAITING
        entry.save(update_fields=["status"])
    else:
        LateEntry.objects.create(
            entry=entry,
            stage=arrival.stage,
            **joined.pop("written", {}),
            before=before,
            at=arrival.now,
            by=arrival.by.user,
        )
    log_params = {"entry": entry.pk, "status": entry.status, **(joined or {})}
    log(arrival.by, "entered_late", division.topic, club=division.tournament.club, **log_params)
    return entry


def _entry_of(arrival: _Arrival, player: Player) -> tuple[Entry, str]:
    """Return the entry of a late player, saved as in, and its status before (empty for a new entry).

    It is a new entry, the one on the waiting list, or the one withdrawn from a stage that is paired round by round.
    """
    division, now, player = arrival.division, arrival.now, canonical(player)
    rows = division.entries.filter(same_person(player))
    if rows.filter(status=Entry.Status.IN).exists():
        raise Refused("already_entered", name=player.shown_name)
    entry = rows.filter(status=Entry.Status.WAITING).first()
    if entry is None and arrival.stage.format in BY_ROUND:
        entry = rows.filter(status=Entry.Status.OUT, withdrawals__taken_back_at=None, withdrawals__bracket=None).first()
    before = entry.status if entry is not None else ""
    if entry is None:
        number = next_number(division, player)
        entry = Entry(division=division, player=player, number=number, entered_at=now, entered_by=arrival.by.user)
    entry.status, entry.withdrawn_at = Entry.Status.IN, None
    if entry.rating is None:
        entry.rating = ratings_of(players=[player.pk], pool=division.pool)[player.pk]
    entry.save()
    Withdrawal.objects.filter(entry=entry, bracket=None, taken_back_at=None).update(taken_back_at=now)
    return entry, before


# How a player joins, by format: each returns parameters for the log, or None if nothing is free


def _with_next_round(arrival: _Arrival, entry: Entry) -> dict[str, Any] | None:
    """Write nothing: the player takes part when the next round is paired."""
    assert arrival.state.event is not None  # noqa: S101, its rounds are paired one by one
    return {"round": arrival.state.event.next_round}


def _by_a_bye(arrival: _Arrival, entry: Entry) -> dict[str, Any] | None:
    """Take a bye of the first round by lot; the loser of the new match drops like the other losers of the round."""
    same = [row.pk for row in arrival.division.entries.filter(same_person(entry.player)) if row.pk != entry.pk]
    plan = plan_bye(arrival.state, entry.pk, same)
    if plan is None:
        return None
    written = write_plan(arrival.state, arrival.state.rows.graph, plan.graph)
    return {"fixture": plan.fixture, "lot": [LATE], "written": written}


def write_plan(state: StageState, before: Graph, after: Graph) -> dict[str, Any]:
    """Store changed sources and changed entrants of rounds drawn later; return the data that undoes it.

    The values are those of the fields of `LateEntry` with these names.
    """
    slots_written, entrants_before = [], []
    for row in state.rows.rounds:
        first = next(fixture.number for fixture in state.rows.fixtures.values() if fixture.round_id == row.pk)
        entrants = after.round_of[first].entrants
        if entrants != before.round_of[first].entrants:
            entrants_before.append([row.pk, row.entrants])
            row.entrants = entrants_as_data(entrants)
            row.save(update_fields=["entrants"])
    for number, fixture in after.fixtures.items():
        slots = state.rows.slots[state.rows.fixtures[number].pk]
        for slot, old, new in zip(slots, before.fixture(number).sources, fixture.sources, strict=True):
            if old != new:
                set_source(slot, new)
                slots_written.append([number, slot.side])
    return {"slots": slots_written, "entrants": entrants_before}


def _against_everybody(arrival: _Arrival, entry: Entry) -> dict[str, Any] | None:
    """Add a round with a match against every other entry, or two if opponents meet twice."""
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


JOIN: Mapping[str, Callable[[_Arrival, Entry], dict[str, Any] | None]] = {
    SWISS: _with_next_round,
    LIVES: _with_next_round,
    KNOCKOUT: _by_a_bye,
    PROGRESSIVE: _by_a_bye,
    LEAGUE: _against_everybody,
}
"""Format -> how a late entry joins it; other formats accept none."""
