"""Late entries before they are made, and undone: previewed from the same plan, applied as one step."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction
from django.db.models import F

from engine.errors import Refused
from matches.lifecycle.own_match import check_own_match, side_of
from matches.lifecycle.voiding import void_matches
from matches.models import Match
from players.actors import Actor, log
from players.models import Player
from players.people.canonical import canonical
from tournaments.entries.services.entries import same_person
from tournaments.entries.services.late_plans import check_open, check_running, plan_bye
from tournaments.events.services.events import entries_in
from tournaments.formats.graph import BYE, Graph
from tournaments.formats.settings import BY_ROUND, LEAGUE
from tournaments.models import Division, Entry, LateEntry, Round, Slot, Withdrawal
from tournaments.state.derivation import StageState, stages_of, states_of
from tournaments.state.locks import lock_division, lock_unfinished_matches
from tournaments.state.plans import set_source
from tournaments.state.preview import DivisionFacts, FixtureChange, changes_between
from tournaments.state.settle import settle
from tournaments.state.stage_rows import StageRows


@dataclass(frozen=True, slots=True)
class Newcomer:
    """What one late entry would mean."""

    entry: int
    """Stands for the entry in the changes: 0 for the first newcomer, -1 for the second, and so on."""
    player: Player | None
    """None for somebody new."""
    name: str
    waits: bool = False
    round: int | None = None
    """The round from which they play, where rounds are paired one by one."""
    matches: int = 0
    """Matches that a league gets."""


@dataclass(frozen=True, slots=True)
class LatePreview:
    """Late entries before they are made; `seq` is that of the division."""

    division: Division
    seq: int
    newcomers: Sequence[Newcomer]
    changes: Sequence[FixtureChange]


@dataclass(frozen=True, slots=True)
class UndoPreview:
    """A late entry before it is undone; `seq` is that of the division."""

    late: LateEntry
    seq: int
    changes: Sequence[FixtureChange]


def preview_late(*, division: Division, players: Sequence[Player | str], now: datetime) -> LatePreview:
    """Exactly what `enter_late` would do with these players, a name being somebody new; nothing is written.

    Refused: as `enter_late`.
    """
    check_running(division)
    newcomers: list[Newcomer] = []
    graph: Graph | None = None
    for at, player in enumerate(players):
        state = states_of(division, read=_rows(division, graph))[0]
        check_open(division, state, now)
        someone = canonical(player) if isinstance(player, Player) else None
        name = someone.name if someone is not None else str(player)
        if someone and division.entries.filter(same_person(someone), status=Entry.Status.IN).exists():
            raise Refused("already_entered", name=someone.shown_name)
        coming = sum(not one.waits for one in newcomers)
        full = division.capacity is not None and entries_in(division) + coming >= division.capacity
        if full:
            newcomers.append(Newcomer(-at, someone, name, waits=True))
            continue
        newcomer, graph = _plan(division, state, Newcomer(-at, someone, name), graph)
        newcomers.append(newcomer)
    changes = [] if graph is None else _changes(division, graph)
    return LatePreview(division, division.seq, newcomers, changes)


def _plan(
    division: Division, state: StageState, newcomer: Newcomer, graph: Graph | None
) -> tuple[Newcomer, Graph | None]:
    """How somebody comes in, and the plan of the bracket with them in it, if it is another one."""
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
    """The facts of a division with another plan of its first stage to think of."""
    rows = [StageRows(stage) for stage in stages_of(division)]
    if graph is not None:
        rows[0].graph = graph
    return rows


def _changes(division: Division, graph: Graph) -> list[FixtureChange]:
    return changes_between(
        division, DivisionFacts(division).states(), DivisionFacts(division, _rows(division, graph)).states()
    )


def preview_undo(*, entry: Entry) -> UndoPreview:
    """Exactly what undoing a late entry would do; nothing is written.

    Refused: `not_late`, `late_entry_not_last`, `late_entry_of_league`, `late_entry_begun`, `tournament_not_open`.
    """
    division = entry.division
    check_running(division)
    late = standing_late_entry(entry)
    if late is None:
        raise Refused("not_late", name=entry.player.shown_name)
    if late.stage.format == LEAGUE:
        raise Refused("late_entry_of_league", name=entry.player.shown_name)
    rows = LateEntry.objects.filter(stage=late.stage, pk__gt=late.pk, undoes=None, undone_by=None).exclude(slots=[])
    later = rows.select_related("entry__player").order_by("-pk").first()
    if later is not None and late.slots:
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
    """How an entry came in late, unless that was undone or the draw was made again since."""
    rows = entry.late.filter(undoes=None, undone_by=None).select_related("stage", "entry__player")
    late = rows.order_by("-pk").first()
    if late is None or entry.status != Entry.Status.IN:
        return None
    drawn_again = late.stage.draws.filter(published_at__gt=late.at, round=0).exists()
    return None if drawn_again else late


def _graph_before(late: LateEntry) -> Graph:
    rows = StageRows(late.stage)
    before = dict(late.entrants)
    for row in rows.rounds:
        row.entrants = before.get(row.pk, row.entrants)
    graph = rows.graph
    for number, side in late.slots:
        graph = graph.with_source(number, side, BYE)
    return graph


def undo_late(*, entry: Entry, after: int, by: Actor, now: datetime, reason: str = "") -> LateEntry:
    """Undoes a late entry: the byes it took are byes again. `after` is the `seq` of the preview.

    Refused: `stale`, what `preview_undo` refuses, and what `check_own_match` refuses where the bye goes back to the
    director, whom it spares a match.
    """
    with transaction.atomic():
        division = lock_division(entry.division_id)
        entry.refresh_from_db()
        entry.division = division
        if division.seq != after:
            raise Refused("stale")
        preview = preview_undo(entry=entry)
        matches = [change.row.match_id for change in preview.changes if change.row.match_id is not None]
        held = lock_unfinished_matches([division], matches)
        if any(held[pk].seq != seq for pk, seq in _seen(preview)):
            raise Refused("stale")
        _void_own_match(preview, held, by, now, reason)
        _restore(preview.late, entry, by, now)
        undone = LateEntry.objects.create(
            entry=entry, stage=preview.late.stage, undoes=preview.late, reason=reason, at=now, by=by.user
        )
        log(by, "late_entry_undone", division.topic, club=division.tournament.club, entry=entry.pk, reason=reason)
        Division.objects.filter(pk=division.pk).update(seq=F("seq") + 1)
        settle(division, by=by, now=now, locked=held)
    return undone


def _seen(preview: UndoPreview) -> list[tuple[int, int]]:
    matches = [change.row.match for change in preview.changes]
    return [(match.pk, match.seq) for match in matches if match is not None]


def _void_own_match(preview: UndoPreview, held: Mapping[int, Match], by: Actor, now: datetime, reason: str) -> None:
    """Voids the director's match against the late entry, with the reason that everybody reads."""
    entry = preview.late.entry
    for change in preview.changes:
        match = held.get(change.row.match_id or 0)
        side = side_of(match, by) if match is not None else None
        if match is None or side is None or match.players[side].pk == entry.player_id:
            continue
        if check_own_match(match, by, reason):
            club = entry.division.tournament.club
            void_matches({match: False}, club=club, by=by, now=now, reason=reason, own_match=True)


def _restore(late: LateEntry, entry: Entry, by: Actor, now: datetime) -> None:
    """The plan and the entry are what they were before the late entry."""
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
