"""Late entries: players who enter while the division is being played, with a preview, and how one is undone."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import Q, QuerySet

from engine.errors import Refused
from formats.continuous.state import moment_of
from formats.elimination.knockout import eligible_byes, take_bye
from formats.elimination.places import fixtures_by_round, rounds_before
from formats.forecast.stages import matches_each
from formats.graph import BYE, MAIN, EntryId, EntrySource, Fixture, Graph, Round
from formats.plans import TABLE, LateDrop, as_drawn, lengths_of, planned_anew, with_late_drop
from formats.settings import (
    BY_ROUND,
    KNOCKOUT,
    LEAGUE,
    LIVES,
    MAX_ROUNDS,
    PLACES,
    PROGRESSIVE,
    SWISS,
    check_league_size,
)
from formats.states import FixtureStatus
from formats.swiss.lives import LAST_ROUND_FOR_LIVES
from matches.lifecycle.begun import is_untouched
from matches.lifecycle.own_match import check_own_match, side_of
from matches.lifecycle.voiding import void_matches
from matches.models import Match
from matches.ratings.services import ratings_of
from players.actors import SYSTEM, Actor, log
from players.models import Player
from players.models.people import pair_name
from players.people.pairs import known_pair
from players.people.rows import canonical
from tournaments.entries.returns import bring_back, preview_return
from tournaments.entries.services import Side, locked_sides, next_number, refuse_sides, refuse_spent, same_side
from tournaments.models import (
    Bracket,
    Division,
    Draw,
    Entry,
    LateEntry,
    MissedMatch,
    Slot,
    Stage,
    Tournament,
    Withdrawal,
)
from tournaments.models import Fixture as FixtureRow
from tournaments.models import Round as RoundRow
from tournaments.state.commitments import lot
from tournaments.state.derivation import StageState, states_of
from tournaments.state.format_labels import FORMAT_NAMES
from tournaments.state.locks import (
    division_changed,
    lock_division,
    lock_event,
    lock_matches,
    lock_unfinished_matches,
    take_numbers,
)
from tournaments.state.pairings import begun_counts, lives_of_latecomer, missed_by_latecomer
from tournaments.state.places import free_places, may_reenter, passed_over, refuse_passing
from tournaments.state.plans import LATER_BY, deadline_of, entrants_as_data, set_source, settings_of, store_round
from tournaments.state.preview import Consequences, DivisionFacts, consequences_of
from tournaments.state.settle import settle
from tournaments.state.stage_rows import DivisionRows, StageRows
from tournaments.state.stages import round_deadlines
from tournaments.state.versions import DivisionPart, refuse_stale

# Whether and how a late entry joins a running division; nothing is written here.


LATE = "late"
"""Key of the lot that orders the byes of a stage for late entries."""
JOINED_LATE = (SWISS, LIVES, KNOCKOUT, PROGRESSIVE, PLACES, LEAGUE)
"""Formats that accept late entries."""


class ByePlan(NamedTuple):
    """A late entry into a bracket: the graph with the entry in it, the fixture whose bye it takes, and its loser."""

    graph: Graph
    fixture: int
    drop: LateDrop


def plan_bye(
    state: StageState, entry: EntryId, same: Collection[EntryId], first_number: int | None = None
) -> ByePlan | None:
    """Return the bye that a late entry takes by lot; None if none is free. `same` are other entries of the person.

    All late entries of a stage share one order of byes, so neither another name nor an undo draws a new lot. Lower
    brackets that are planned anew are numbered from `first_number`, by default the next free number of the event.
    """
    begun = _begun_fixtures(state)
    try:
        graph, number = take_bye(state.rows.graph, entry, lots=lot(state.stage, LATE), begun=begun, apart_from=same)
    except Refused as refused:
        if refused.code != "no_bye_left":
            raise
        return None
    stage = state.stage
    if stage.format not in (PROGRESSIVE, PLACES):
        return ByePlan(graph, number, LateDrop.NONE)
    if first_number is None:
        event = Tournament.objects.filter(pk=stage.division.tournament_id)
        first_number = event.values_list("last_number", flat=True)[0] + 1
    graph, drop = with_late_drop(
        graph=graph, fixture=number, begun=begun, first_number=first_number, **_drawn_with(stage)
    )
    # Without a way on for those who lose, nobody can join who is to play to the end.
    return None if drop is LateDrop.OUT and stage.format == PLACES else ByePlan(graph, number, drop)


def free_byes(state: StageState, same: Collection[EntryId], graph: Graph | None = None) -> list[EntryId]:
    """Return the entries whose bye a late entry may take; the lot that decides is not drawn. `same` as in `plan_bye`.

    `graph` is the plan, if it is not the stored one.
    """
    graph = graph or state.rows.graph
    sources = (graph.fixture(number).sources for number in eligible_byes(graph, _begun_fixtures(state), same))
    return [source.entry for pair in sources for source in pair if isinstance(source, EntrySource)]


def _drawn_with(stage: Stage) -> dict[str, Any]:
    """Return the seed, the draft and the settings with which the stage was drawn."""
    draw = stage.draws.filter(state=Draw.State.PUBLISHED).first()
    settings = settings_of(stage) if draw is None else as_drawn(settings_of(stage), draw.algorithm)
    return {"settings": settings, "seed": bytes.fromhex(stage.seed), "draft": 1 if draw is None else draw.number}


def check_running(division: Division) -> None:
    """Refuse unless the division is running: `tournament_not_open`, `division_not_drawn`."""
    if not division.tournament.is_open or division.status in (Division.Status.FINISHED, Division.Status.CANCELLED):
        raise Refused("tournament_not_open")
    if division.status != Division.Status.RUNNING:
        raise Refused("division_not_drawn")


def may_come_late(division: Division) -> bool:
    """Whether a running division has a format that accepts late entries."""
    if division.status != Division.Status.RUNNING or division.tournament.status != Tournament.Status.RUNNING:
        return False
    first = division.stages.order_by("number").first()
    return first is not None and first.format in JOINED_LATE and first.status == Stage.Status.RUNNING


def check_accepts_late(division: Division, state: StageState, now: datetime) -> None:
    """Refuse if this stage accepts no late entries, or no longer does.

    Refused: `late_entry_not_possible`, `late_entry_closed`, `joining_closed`.
    """
    if state.stage.format not in JOINED_LATE or state.over or state.rows.settings.ended:
        raise Refused("late_entry_not_possible", format=str(FORMAT_NAMES[state.stage.format]))
    settings = state.rows.settings
    paired = len(state.event.rounds) if state.event is not None else 0
    last = LAST_ROUND_FOR_LIVES if settings.format == LIVES else (settings.rounds or MAX_ROUNDS) - 1
    if settings.is_continuous:
        if settings.format == LIVES and lives_of_latecomer(state) < 1:
            raise Refused("too_late_for_lives", matches=missed_by_latecomer(state))
        if settings.format == SWISS and missed_by_latecomer(state) >= (settings.rounds or 0):
            raise Refused("late_entry_not_possible", format=str(FORMAT_NAMES[state.stage.format]))
        _refuse_after_time(division, state, now)
        return
    if settings.format in BY_ROUND and paired > last:
        raise Refused("late_entry_closed", round=paired)
    closing = settings.join_until or settings.until
    today = now.astimezone(ZoneInfo(division.tournament.time_zone)).date()
    if settings.format == LEAGUE and closing and today > date.fromisoformat(closing):
        raise Refused("joining_closed", until=closing)


def _refuse_after_time(division: Division, state: StageState, now: datetime) -> None:
    """Refuse once the time is over until which somebody may enter a stage without rounds: `joining_closed`."""
    pairings, until = state.rows.pairings, state.rows.settings.late_until
    if until and pairings:
        moment = moment_of(until, pairings[0].batch.at, ZoneInfo(division.tournament.time_zone))
        if moment is not None and now >= moment:
            raise Refused("joining_closed", until=until)


def _begun_fixtures(state: StageState) -> frozenset[int]:
    """Return the numbers of fixtures that have begun or are decided; byes do not count."""
    open_ = (FixtureStatus.WAITING, FixtureStatus.READY, FixtureStatus.BYE)
    begun = set()
    for number, progress in state.progress.fixtures.items():
        row = state.rows.fixtures.get(number)
        match = row.match if row is not None else None
        touched = match is not None and not is_untouched(match)
        if touched or (progress.status not in open_ and BYE not in state.progress.graph.fixture(number).sources):
            begun.add(number)
    # A lower match that was played by others before has to stay where its correction is recorded.
    graph = state.progress.graph
    return frozenset(begun) | {
        number for number in state.rows.former_results if graph.bracket_of.get(number, MAIN) != MAIN
    }


# Previews of late entries, and undoing a late entry with its preview.


@dataclass(frozen=True, slots=True)
class Newcomer:
    entry: int
    """Placeholder for the entry's id: 0 for the first newcomer, -1 for the second, and so on."""
    player: Player | None
    """None for a new player."""
    name: str
    waits: bool = False
    round: int | None = None
    """The first round they play, if rounds are paired one by one."""
    missed: int | None = None
    """The matches that they have missed, if there are no rounds."""
    lives: tuple[int, int] | None = None
    """The lives with which they enter a stage without rounds, and with how many all began."""
    by_lot: bool = False
    """Whether each match missed costs a life or not by lot, which is drawn when they are let in."""
    matches: int = 0
    """Number of matches added to a league."""
    byes: Sequence[EntryId] = ()
    """The entries of a bracket one of whose byes is taken, by a lot that is drawn when the newcomer is let in."""
    drop: LateDrop = LateDrop.NONE
    """What becomes of the loser of the match that the newcomer plays first."""


@dataclass(frozen=True, slots=True)
class LatePreview:
    """Late entries and how they would join; `seq` is the division's.

    Whose bye each takes is not in it: a director who knew could choose whom to let in first.
    """

    division: Division
    seq: int
    newcomers: Sequence[Newcomer]
    at_least: int | None = None
    """The fewest matches that everybody in a bracket plays afterwards; None for other formats."""
    passes: Sequence[Entry] = ()
    """Who waits and comes before them."""


@dataclass(frozen=True, slots=True)
class UndoLatePreview:
    """A late entry and the changes that undoing it would make; `seq` is the division's."""

    late: LateEntry
    seq: int
    following: Consequences
    anew: Graph | None = None
    """The plan with lower brackets planned anew, if that is how the loser of the match goes out of them again."""


def preview_late(
    *, division: Division, players: Sequence[Player | str | tuple[Player | str, ...]], now: datetime
) -> LatePreview:
    """Preview `enter_late` for these players and pairs; a name stands for a new player.

    Refused: what `enter_late` refuses.
    """
    check_running(division)
    newcomers: list[Newcomer] = []
    graph: Graph | None = None
    stored = DivisionRows(division).drawn[0].graph
    for at, player in enumerate(players):
        state = states_of(division, read=rows_of(division, graph))[0]
        check_accepts_late(division, state, now)
        people = player if isinstance(player, tuple) else (player,)
        persons = [canonical(person) for person in people if isinstance(person, Player)]
        known = None
        if len(persons) == len(people):
            known = persons[0] if len(people) == 1 else known_pair(*persons)
        names = [person.name if isinstance(person, Player) else person for person in people]
        name = known.name if known is not None else pair_name(names) if len(names) > 1 else names[0]
        if known:
            refuse_sides(division, [known], _others(division, known))
        _former_entry(state, known, persons, now)
        accepted = sum(not newcomer.waits for newcomer in newcomers)
        full = free_places(division, leaving=-accepted) == 0
        newcomer = Newcomer(-at, known, name, waits=full)
        if not full:
            newcomer, graph = _plan(division, state, newcomer, graph, stored)
        newcomers.append(newcomer)
    let_in = [_entry_so_far(division, newcomer.player, now) for newcomer in newcomers if not newcomer.waits]
    passes = passed_over(division, let_in)
    return LatePreview(division, division.seq, newcomers, matches_each(graph).least if graph else None, passes)


def _others(division: Division, player: Player) -> QuerySet[Entry]:
    """Return the entries that stand, without the one with which a player waits."""
    waiting = division.entries.filter(same_side(player), status=Entry.Status.WAITING)
    return division.entries.exclude(status=Entry.Status.OUT).exclude(pk__in=waiting.values("pk"))


def _entry_so_far(division: Division, player: Player | None, now: datetime) -> Entry:
    """Return the entry with which a player waits, or else a new one."""
    rows = division.entries.filter(same_side(player), status=Entry.Status.WAITING) if player is not None else ()
    return next(iter(rows), Entry(entered_at=now))


def _plan(
    division: Division, state: StageState, newcomer: Newcomer, graph: Graph | None, stored: Graph
) -> tuple[Newcomer, Graph | None]:
    """Return how a newcomer joins, and the plan of the bracket with them in it."""
    if state.rows.settings.is_continuous:
        settings = state.rows.settings
        is_certain = settings.format == LIVES and not settings.is_missed_by_lot
        lives = (lives_of_latecomer(state), settings.lives) if is_certain else None
        by_lot = settings.is_missed_by_lot
        return replace(newcomer, missed=missed_by_latecomer(state), lives=lives, by_lot=by_lot), graph
    if state.event is not None:
        return replace(newcomer, round=state.event.next_round), graph
    if state.stage.format == LEAGUE:
        gone = {item.entry for item in state.rows.withdrawals()}
        others = len(set(state.rows.graph.entries) - gone)
        return replace(newcomer, matches=others * (2 if state.rows.settings.twice else 1)), graph
    rows = division.entries.filter(same_side(newcomer.player)) if newcomer.player else Entry.objects.none()
    same = [row.pk for row in rows]
    numbers = [division.tournament.last_number, *(graph or stored).fixtures]
    plan = plan_bye(state, newcomer.entry, same, first_number=max(numbers) + 1)
    if plan is None:
        return replace(newcomer, waits=True), graph
    # The byes of the stored plan, for each newcomer: what is left after the first would show the lot of the first.
    return replace(newcomer, byes=free_byes(state, same, stored), drop=plan.drop), plan.graph


def rows_of(division: Division, graph: Graph | None, withdrawn: Collection[int] = ()) -> list[StageRows]:
    """Return the facts of a division, with `graph` as the plan of its first stage if given."""
    rows = DivisionRows(division, withdrawn=withdrawn).drawn
    if graph is not None:
        rows[0].graph = graph
    return rows


def _following(
    division: Division, graph: Graph | None = None, withdrawn: Collection[int] = (), *, only_main: bool = False
) -> Consequences:
    """Return what follows from another plan of the first stage, or from withdrawals."""
    states = (DivisionFacts(division, rows).states() for rows in (None, rows_of(division, graph, withdrawn)))
    following = consequences_of(division, *states)
    if graph is None or not only_main:
        return following
    changes = (change for change in following.changes if graph.bracket_of[change.row.number] == MAIN)
    return replace(following, changes=tuple(changes))


def preview_undo(*, entry: Entry) -> UndoLatePreview:
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
        following, anew = _following(division, withdrawn=[entry.pk]), None
        begun = list(paired[:1])
    else:
        graph, anew = _graph_before(late)
        following = _following(division, graph, only_main=anew is not None)
        begun = [change.row.number for change in following.changes if change.undoes_play]
    if begun:
        raise Refused("late_entry_begun", name=entry.player.shown_name, fixture=min(begun))
    return UndoLatePreview(late, division.seq, following, anew)


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


def _graph_before(late: LateEntry) -> tuple[Graph, Graph | None]:
    """Return the plan without a late entry, and that plan with its lower brackets planned anew, or None if they stay.

    They are planned anew if they were so with the late entry or since. Refused: `late_entry_begun` if one of their
    matches has begun.
    """
    division = late.stage.division
    rows = DivisionRows(division).of(late.stage)
    before = dict(late.entrants)
    for row in rows.rounds:
        row.entrants = before.get(row.pk, row.entrants)
    graph = rows.graph
    for number, side in late.slots:
        if number in graph.fixtures:
            graph = graph.with_source(number, side, BYE)
    own = graph.bracket(MAIN).rounds[0].fixtures
    taken = next(fixture.number for fixture in own if fixture.number in [number for number, _side in late.slots])
    if taken not in graph.next_of_loser:
        return graph, None
    begun = _begun_fixtures(states_of(division, read=DivisionRows(division).drawn)[0])
    lower = sorted(number for number in begun if graph.bracket_of[number] != MAIN)
    anew = planned_anew(
        graph=graph,
        begun=lower,
        first_number=division.tournament.last_number + 1,
        **_drawn_with(late.stage),
    )
    if anew is None:
        raise Refused("late_entry_begun", name=late.entry.player.shown_name, fixture=min(lower, default=taken))
    return graph, anew


def undo_late(*, entry: Entry, after: int, by: Actor, now: datetime, reason: str = "") -> LateEntry:
    """Undo a late entry, so that the byes it took are byes again. `after` is the `seq` of the preview.

    Undoing a re-entry lets the previous entry back in, if it was withdrawn with it.
    Refused: `stale`, what `preview_undo` and `preview_return` refuse, and what `check_own_match` refuses if the
    director gets the bye back and so avoids a match.
    """
    with transaction.atomic():
        event = lock_event(entry.division.tournament_id)
        division = lock_division(entry.division_id)
        entry.refresh_from_db()
        entry.division = division
        refuse_stale(division, after, by=by)
        preview = preview_undo(entry=entry)
        matches = [change.row.match_id for change in preview.following.changes if change.row.match_id is not None]
        locked_matches = lock_unfinished_matches([division], matches)
        if any(locked_matches[pk].seq != seq for pk, seq in _match_versions(preview)):
            raise Refused("stale")
        _void_own_match(preview, locked_matches, by, now, reason)
        _restore(preview.late, entry, by, now)
        if preview.anew is not None:
            _plan_lower_anew(states_of(division)[0], preview.anew, event=event, now=now)
        undone = LateEntry.objects.create(
            entry=entry, stage=preview.late.stage, undoes=preview.late, reason=reason, at=now, by=by.user
        )
        log(by, "late_entry_undone", division.topic, club=division.tournament.club, entry=entry.pk, reason=reason)
        division_changed(division, part=DivisionPart.ENTRIES)
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


def _match_versions(preview: UndoLatePreview) -> list[tuple[int, int]]:
    matches = [change.row.match for change in preview.following.changes]
    return [(match.pk, match.seq) for match in matches if match is not None]


def _void_own_match(
    preview: UndoLatePreview, locked_matches: Mapping[int, Match], by: Actor, now: datetime, reason: str
) -> None:
    """Void the director's own match against the late entry, with a public reason."""
    entry = preview.late.entry
    for change in preview.following.changes:
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
        RoundRow.objects.filter(pk=key).update(entrants=entrants)
    for number, side in late.slots:
        # Those of a lower bracket are gone if it was planned anew.
        if slot := Slot.objects.filter(fixture__stage=late.stage, fixture__number=number, side=side).first():
            set_source(slot, BYE)
    missed = MissedMatch.objects.filter(stage=late.stage, entry=entry, batch=None, taken_back_at=None)
    missed.update(taken_back_at=now, taken_back_by=by.user)
    waited = late.before == Entry.Status.WAITING
    entry.status = Entry.Status.WAITING if waited else Entry.Status.OUT
    entry.withdrawn_at = None if waited else now
    entry.save(update_fields=["status", "withdrawn_at"])
    if late.before == Entry.Status.OUT:
        Withdrawal.objects.create(entry=entry, at=now, by=by.user)


# Late entries: players who enter while the division is being played.
#
# How they join depends on the format: a Swiss with the next round, lives with the second, a knockout by taking a bye
# drawn by lot, a league by meeting everybody. If no bye or place is free, they go on the waiting list.


@dataclass(frozen=True, slots=True)
class _Arrival:
    """A locked running division when a player arrives."""

    division: Division
    event: Tournament
    """Locked as well: late entries may add matches, which are numbered in the event."""
    state: StageState
    by: Actor
    now: datetime

    @property
    def stage(self) -> Stage:
        return self.state.stage


def enter_late(
    *,
    division: Division,
    players: Iterable[Side],
    by: Actor,
    now: datetime,
    after: int | None = None,
    past_waiting: bool = False,
) -> list[Entry]:
    """Enter players into a running division; the byes they take are drawn by lot.

    `after` is the division's `seq` from the preview, and `past_waiting` confirms that they come before others who have
    an earlier turn. Players without a free place or bye go on the waiting list.
    Entering a player who waits there lets them in; a player who has withdrawn from a Swiss returns to it.
    Refused: `stale`, `tournament_not_open`, `division_not_drawn`, `late_entry_not_possible`, `late_entry_closed`,
    `joining_closed`, `division_size`, `former_member`, `suspended`, `others_wait`, `reentry_not_offered`,
    and as `pair_of` and `refuse_sides`.
    """
    with transaction.atomic():
        event = lock_event(division.tournament_id)
        row = lock_division(division.pk)
        refuse_stale(row, after, by=by)
        check_running(row)
        locked_matches = lock_unfinished_matches([row])
        entries = []
        for player in locked_sides(players):
            state = states_of(row)[0]
            check_accepts_late(row, state, now)
            entries.append(_enter_player(_Arrival(row, event, state, by, now), player))
        let_in = [entry for entry in entries if entry.status == Entry.Status.IN]
        refuse_passing(row, let_in, past_waiting=past_waiting)
        division_changed(row, part=DivisionPart.ENTRIES)
        settle(row, by=by, now=now, locked=locked_matches)
    return entries


def _enter_player(arrival: _Arrival, player: Player) -> Entry:
    division = arrival.division
    entry, before = _entry_of(arrival, player)
    joined = None if free_places(division, leaving=1) == 0 else JOIN[arrival.stage.format](arrival, entry)
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
    refuse_sides(division, [player], _others(division, player))
    entry = _former_entry(arrival.state, player, [player], now)
    before = entry.status if entry is not None else ""
    if entry is None:
        number = next_number(division, player)
        entry = Entry(division=division, player=player, number=number, entered_at=now, entered_by=arrival.by.user)
    entry.status, entry.withdrawn_at = Entry.Status.IN, None
    if entry.rating is None:
        club = division.tournament.club
        entry.rating = ratings_of(players=[player.pk], pool=division.pool, club=club)[player.pk]
    entry.save()
    Withdrawal.objects.filter(entry=entry, bracket=None, taken_back_at=None).update(taken_back_at=now)
    return entry, before


def _former_entry(state: StageState, player: Player | None, people: Iterable[Player], now: datetime) -> Entry | None:
    """Return the entry with which a late player goes on; refuse who began before and would begin anew.

    `people` are those of a pair that is not known yet. A player enters again without a loss in their way as long as
    re-entry is open, but nobody enters a bracket for all places twice. Refused: `reentry_not_offered`.
    """
    division, own = state.stage.division, Q(pk=None)
    entry = None
    if player is not None:
        rows = division.entries.filter(same_side(player))
        entry = rows.filter(status=Entry.Status.WAITING).first()
        if entry is None and state.stage.format in BY_ROUND:
            gone = {"withdrawals__taken_back_at": None, "withdrawals__bracket": None}
            entry = rows.filter(status=Entry.Status.OUT, **gone).first()
        if entry is None and state.stage.format == PLACES and next_number(division, player) > 1:
            raise Refused("reentry_not_offered")
        own = same_side(player) if may_reenter(division, now) else Q(pk=entry and entry.pk)
    refuse_spent([state], people, own=own)
    return entry


# How a player joins, by format: each returns parameters for the log, or None if nothing is free


def _with_next_round(arrival: _Arrival, entry: Entry) -> dict[str, Any] | None:
    """Write nothing: the player takes part when the next round is paired, or is free if there are no rounds.

    Without rounds the matches that everybody else has begun are missed.
    """
    assert arrival.state.event is not None  # noqa: S101, its rounds are paired one by one
    if arrival.state.rows.settings.is_continuous:
        missed = missed_by_latecomer(arrival.state) - begun_counts(arrival.state.rows)[entry.pk]
        if missed > 0:
            by_lot = arrival.state.rows.settings.is_missed_by_lot
            MissedMatch.objects.create(stage=arrival.stage, entry=entry, count=missed, by_lot=by_lot, at=arrival.now)
        return {"missed": max(0, missed)}
    return {"round": arrival.state.event.next_round}


def _by_a_bye(arrival: _Arrival, entry: Entry) -> dict[str, Any] | None:
    """Take a bye of the first round by lot; the loser of the new match drops like the other losers of the round."""
    same = [row.pk for row in arrival.division.entries.filter(same_side(entry.player)) if row.pk != entry.pk]
    plan = plan_bye(arrival.state, entry.pk, same)
    if plan is None:
        return None
    written = write_plan(arrival.state, plan, event=arrival.event, now=arrival.now)
    return {"fixture": plan.fixture, "lot": [LATE], "written": written}


def write_plan(state: StageState, plan: ByePlan, *, event: Tournament, now: datetime) -> dict[str, Any]:
    """Store changed sources and changed entrants of rounds drawn later, or lower brackets that were planned anew.

    Return the data that undoes it: the values of the fields of `LateEntry` with these names. The event is locked.
    """
    before, after = state.rows.graph, plan.graph
    slots_written, entrants_before = [], []
    if plan.drop is LateDrop.ANEW:
        _plan_lower_anew(state, after, event=event, now=now)
        after = replace(before, brackets=(after.bracket(MAIN),))
    for row in state.rows.rounds if plan.drop is LateDrop.BYE else ():
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


def _plan_lower_anew(state: StageState, graph: Graph, *, event: Tournament, now: datetime) -> None:
    """Replace the lower brackets that differ in `graph`, none of whose matches has begun, by those in it."""
    stage, rows = state.stage, state.rows
    stay = {MAIN, *(bracket.key for bracket in graph.brackets if bracket in rows.graph.brackets)}
    lower = {row.key: row for row in rows.brackets if row.key not in stay}
    own = {row.pk for row in rows.rounds if row.bracket_id in {bracket.pk for bracket in lower.values()}}
    old = [row for row in rows.fixtures.values() if row.round_id in own]
    matches = [row.match_id for row in old if row.match is not None and row.match.state != Match.State.VOID]
    locked = lock_matches([pk for pk in matches if pk is not None])
    void_matches(dict.fromkeys(locked.values(), False), club=stage.division.tournament.club, by=SYSTEM, now=now)
    Slot.objects.filter(fixture__in=old).delete()
    FixtureRow.objects.filter(pk__in=[row.pk for row in old]).delete()
    RoundRow.objects.filter(bracket__in=lower.values()).delete()
    planned = [(order, bracket) for order, bracket in enumerate(graph.brackets) if bracket.key not in stay]
    for key in lower.keys() - {bracket.key for _order, bracket in planned}:
        lower.pop(key).delete()
    fixtures = [fixture for _order, bracket in planned for fixture in bracket.fixtures]
    first = take_numbers(event, len(fixtures))
    assert not fixtures or first == fixtures[0].number  # noqa: S101, the event is locked
    later_by = LATER_BY | rounds_before(fixtures_by_round(graph))
    for order, bracket in planned:
        row = lower.get(bracket.key)
        if row is None:
            row = Bracket.objects.create(stage=stage, key=bracket.key, order=order, fed_by=bracket.fed_by or "")
        default = lengths_of(rows.settings, bracket.key, stage.division.lengths)
        for round_ in bracket.rounds:
            # A length or deadline that a director has changed since the draw stays.
            before = next((old for old in rows.rounds if (old.bracket_id, old.number) == (row.pk, round_.number)), None)
            length = before.length if before is not None else default[min(round_.number, len(default)) - 1]
            at_first = deadline_of(bracket.key, round_.number, round_deadlines(stage), later_by)
            store_round(row, round_, lengths=[length], deadline=before.deadline if before is not None else at_first)


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
    PLACES: _by_a_bye,
    LEAGUE: _against_everybody,
}
"""Format -> how a late entry joins it; other formats accept none."""
