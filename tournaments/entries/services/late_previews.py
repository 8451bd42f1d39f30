"""Previews of late entries, and undoing a late entry with its preview."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction

from engine.errors import Refused
from matches.lifecycle.own_match import check_own_match, side_of
from matches.lifecycle.voiding import void_matches
from matches.models import Match
from players.actors import Actor, log
from players.models import Player
from players.people.rows import canonical
from tournaments.entries.services.entries import same_person
from tournaments.entries.services.late_plans import check_accepts_late, check_running, plan_bye
from tournaments.entries.services.returns import bring_back, preview_return
from tournaments.events.services.events import entries_in
from tournaments.formats.graph import BYE, Graph
from tournaments.formats.settings import BY_ROUND, LEAGUE
from tournaments.models import Division, Entry, LateEntry, Round, Slot, Withdrawal
from tournaments.state.derivation import StageState, states_of
from tournaments.state.locks import division_changed, lock_division, lock_unfinished_matches
from tournaments.state.plans import set_source
from tournaments.state.preview import DivisionFacts, FixtureChange, changes_between
from tournaments.state.settle import settle
from tournaments.state.stage_rows import DivisionRows, StageRows


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A late entry in a preview."""

    entry: int
    """Placeholder for the entry's id in the changes: 0 for the first newcomer, -1 for the second, and so on."""
    player: Player | None
    """None for a new player."""
    name: str
    waits: bool = False
    round: int | None = None
    """The first round they play, if rounds are paired one by one."""
    matches: int = 0
    """Number of matches added to a league."""


@dataclass(frozen=True, slots=True)
class LatePreview:
    """Late entries and the changes they would make; `seq` is the division's."""

    division: Division
    seq: int
    newcomers: Sequence[Newcomer]
    changes: Sequence[FixtureChange]


@dataclass(frozen=True, slots=True)
class UndoPreview:
    """A late entry and the changes that undoing it would make; `seq` is the division's."""

    late: LateEntry
    seq: int
    changes: Sequence[FixtureChange]


def preview_late(*, division: Division, players: Sequence[Player | str], now: datetime) -> LatePreview:
    """Preview `enter_late` for these players; a name stands for a new player.

    Refused: what `enter_late` refuses.
    """
    check_running(division)
    newcomers: list[Newcomer] = []
    graph: Graph | None = None
    for at, player in enumerate(players):
        state = states_of(division, read=_rows(division, graph))[0]
        check_accepts_late(division, state, now)
        known = canonical(player) if isinstance(player, Player) else None
        name = known.name if known is not None else str(player)
        if known and division.entries.filter(same_person(known), status=Entry.Status.IN).exists():
            raise Refused("already_entered", name=known.shown_name)
        accepted = sum(not newcomer.waits for newcomer in newcomers)
        full = division.capacity is not None and entries_in(division) + accepted >= division.capacity
        newcomer = Newcomer(-at, known, name, waits=full)
        if not full:
            newcomer, graph = _plan(division, state, newcomer, graph)
        newcomers.append(newcomer)
    changes = [] if graph is None else _changes(division, graph)
    return LatePreview(division, division.seq, newcomers, changes)


def _plan(
    division: Division, state: StageState, newcomer: Newcomer, graph: Graph | None
) -> tuple[Newcomer, Graph | None]:
    """Return how a newcomer joins, and the plan of the bracket with them in it."""
    if state.event is not None:
        return replace(newcomer, round=state.event.next_round), graph
    if state.stage.format == LEAGUE:
        gone = {item.entry for item in state.rows.withdrawals()}
        others = len(set(state.rows.graph.entries) - gone)
        return replace(newcomer, matches=others * (2 if state.rows.settings.twice else 1)), graph
    rows = division.entries.filter(same_person(newcomer.player)) if newcomer.player else Entry.objects.none()
    plan = plan_bye(state, newcomer.entry, [row.pk for row in rows])
    return (replace(newcomer, waits=True), graph) if plan is None else (newcomer, plan.graph)


def _rows(division: Division, graph: Graph | None) -> list[StageRows]:
    """Return the facts of a division, with `graph` as the plan of its first stage if given."""
    rows = DivisionRows(division).drawn
    if graph is not None:
        rows[0].graph = graph
    return rows


def _changes(division: Division, graph: Graph) -> list[FixtureChange]:
    return changes_between(
        division, DivisionFacts(division).states(), DivisionFacts(division, _rows(division, graph)).states()
    )


def preview_undo(*, entry: Entry) -> UndoPreview:
    """Preview undoing a late entry.

    Refused: `not_late`, `late_entry_not_last`, `late_entry_of_league`, `late_entry_begun`, `tournament_not_open`.
    """
    division = entry.division
    check_running(division)
    late = standing_late_entry(entry)
    if late is None:
        raise Refused("not_late", name=entry.player.shown_name)
    if late.stage.format == LEAGUE:
        raise Refused("late_entry_of_league", name=entry.player.shown_name)
    later = _built_on(late)
    if later is not None:
        raise Refused("late_entry_not_last", name=later.entry.player.shown_name)
    if late.stage.format in BY_ROUND:
        paired = Slot.objects.filter(entry=entry).order_by("fixture__number").values_list("fixture__number", flat=True)
        changes: list[FixtureChange] = []
        begun = list(paired[:1])
    else:
        changes = _changes(division, _graph_before(late))
        begun = [change.row.number for change in changes if change.undoes_play]
    if begun:
        raise Refused("late_entry_begun", name=entry.player.shown_name, fixture=min(begun))
    return UndoPreview(late, division.seq, changes)


def standing_late_entry(entry: Entry) -> LateEntry | None:
    """Return the late entry of an entry, unless it was undone or the division was drawn again since."""
    rows = entry.late.filter(undoes=None, undone_by=None).select_related("stage", "entry__player")
    late = rows.order_by("-pk").first()
    if late is None or entry.status != Entry.Status.IN:
        return None
    drawn_again = late.stage.draws.filter(published_at__gt=late.at, round=0).exists()
    return None if drawn_again else late


def _built_on(late: LateEntry) -> LateEntry | None:
    """Return the newest late entry that changed the entrants of the same rounds; each fills byes of its own."""
    rows = LateEntry.objects.filter(stage=late.stage, pk__gt=late.pk, undoes=None, undone_by=None)
    rounds = {key for key, _ in late.entrants}
    later = rows.select_related("entry__player").order_by("-pk") if rounds else ()
    return next((row for row in later if rounds.intersection(key for key, _ in row.entrants)), None)


def _graph_before(late: LateEntry) -> Graph:
    rows = DivisionRows(late.stage.division).of(late.stage)
    before = dict(late.entrants)
    for row in rows.rounds:
        row.entrants = before.get(row.pk, row.entrants)
    graph = rows.graph
    for number, side in late.slots:
        graph = graph.with_source(number, side, BYE)
    return graph


def undo_late(*, entry: Entry, after: int, by: Actor, now: datetime, reason: str = "") -> LateEntry:
    """Undo a late entry, so that the byes it took are byes again. `after` is the `seq` of the preview.

    Undoing a re-entry lets the previous entry back in, if it was withdrawn with it.
    Refused: `stale`, what `preview_undo` and `preview_return` refuse, and what `check_own_match` refuses if the
    director gets the bye back and so avoids a match.
    """
    with transaction.atomic():
        division = lock_division(entry.division_id)
        entry.refresh_from_db()
        entry.division = division
        if division.seq != after:
            raise Refused("stale")
        preview = preview_undo(entry=entry)
        matches = [change.row.match_id for change in preview.changes if change.row.match_id is not None]
        locked_matches = lock_unfinished_matches([division], matches)
        if any(locked_matches[pk].seq != seq for pk, seq in _match_versions(preview)):
            raise Refused("stale")
        _void_own_match(preview, locked_matches, by, now, reason)
        _restore(preview.late, entry, by, now)
        undone = LateEntry.objects.create(
            entry=entry, stage=preview.late.stage, undoes=preview.late, reason=reason, at=now, by=by.user
        )
        log(by, "late_entry_undone", division.topic, club=division.tournament.club, entry=entry.pk, reason=reason)
        division_changed(division)
        settle(division, by=by, now=now, locked=locked_matches)
        _let_previous_back(preview.late, by, now, reason)
    return undone


def _let_previous_back(late: LateEntry, by: Actor, now: datetime, reason: str) -> None:
    """Undo the withdrawal that came with a re-entry, unless it was undone since."""
    if late.withdrawal is None or late.withdrawal.taken_back_at is not None:
        return
    previous = Entry.objects.select_related("division__tournament__club", "player").get(pk=late.withdrawal.entry_id)
    seen = preview_return(entry=previous).mark
    bring_back(entry=previous, seen=seen, by=by, now=now, reason=reason)


def _match_versions(preview: UndoPreview) -> list[tuple[int, int]]:
    matches = [change.row.match for change in preview.changes]
    return [(match.pk, match.seq) for match in matches if match is not None]


def _void_own_match(
    preview: UndoPreview, locked_matches: Mapping[int, Match], by: Actor, now: datetime, reason: str
) -> None:
    """Void the director's own match against the late entry, with a public reason."""
    entry = preview.late.entry
    for change in preview.changes:
        match = locked_matches.get(change.row.match_id or 0)
        side = side_of(match, by) if match is not None else None
        if match is None or side is None or match.players[side].pk == entry.player_id:
            continue
        if check_own_match(match, by, reason):
            club = entry.division.tournament.club
            void_matches({match: False}, club=club, by=by, now=now, reason=reason, own_match=True)


def _restore(late: LateEntry, entry: Entry, by: Actor, now: datetime) -> None:
    """Restore the plan and the entry to what they were before the late entry."""
    for key, entrants in late.entrants:
        Round.objects.filter(pk=key).update(entrants=entrants)
    for number, side in late.slots:
        set_source(Slot.objects.get(fixture__stage=late.stage, fixture__number=number, side=side), BYE)
    waited = late.before == Entry.Status.WAITING
    entry.status = Entry.Status.WAITING if waited else Entry.Status.OUT
    entry.withdrawn_at = None if waited else now
    entry.save(update_fields=["status", "withdrawn_at"])
    if late.before == Entry.Status.OUT:
        Withdrawal.objects.create(entry=entry, at=now, by=by.user)
