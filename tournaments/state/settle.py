"""From facts to where everybody stands: the one place that writes derived states of fixtures and slots."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple

from django.db import transaction
from django.db.models import F, Q

from core.locks import for_update
from matches.lifecycle.finish import append_result
from matches.lifecycle.opening import Opening, open_matches
from matches.lifecycle.own_match import check_own_win
from matches.lifecycle.voiding import reinstate_matches, void_matches
from matches.models import Match, Result
from players.actors import SYSTEM, Actor
from players.models import Player
from tournaments.formats.progress import FixtureState, Progress
from tournaments.models import Advance, Division, Entry, Fixture, Slot, Stage, Tournament
from tournaments.state.advancement import go_on, held_up_divisions, unfinished_divisions
from tournaments.state.derivation import StageState, stages_of, state_of
from tournaments.state.numbering import lock_event, lock_event_if_free
from tournaments.state.plans import Places, StageRows, set_drawn
from tournaments.state.preview import was_rated_while_void


class Settled(NamedTuple):
    """What settling changed."""

    fixtures: list[int]
    """Numbers of the fixtures whose state or players changed."""
    opened: list[Match]


def lock(division_id: int) -> Division:
    """The division, locked until the transaction ends; whoever needs matches too locks them after it."""
    return for_update(Division.objects.select_related("tournament__club")).get(pk=division_id)


def lock_matches(match_ids: list[int]) -> dict[int, Match]:
    """Matches of a division, locked in ascending order."""
    return _locked(Q(pk__in=match_ids))


def hold(divisions: Collection[Division], also: Collection[int] = ()) -> dict[int, Match]:
    """Locks every match that settling these locked divisions may write to, and `also`; by ascending id.

    To be called before results are read: none of these is then begun, claimed or settled until the commit.
    """
    undone = Q(unsettled=True) | ~Q(state__in=[Match.State.SETTLED, Match.State.VOID])
    return _locked(Q(parent_topic__in=[division.topic for division in divisions]) & undone | Q(pk__in=also))


def _locked(which: Q) -> dict[int, Match]:
    rows = for_update(Match.objects.filter(which).order_by("pk"))
    return {match.pk: match for match in rows}


def settle(
    division: Division,
    *,
    by: Actor = SYSTEM,
    now: datetime,
    held: Mapping[int, Match] | None = None,
    void_rated: bool | None = True,
    withdrawal_reason: str | None = None,
) -> Settled:
    """Brings a locked division up to its facts; writes only what differs.

    Opens the match of every fixture whose two players are known, books the walkover where one of them will not
    come, and finishes stage, division and tournament when all is decided. `held` are the matches that the caller has
    locked by `hold`, before he looked at any. A match that was played and is voided, because others stand in its
    fixture now, stays rated with `void_rated`; None: as it was when it was void before, if it ever was.
    `withdrawal_reason` is given where `by` withdraws somebody or lets them back in: a walkover by which `by` wins is
    then their own decision, with this as its public reason. Refused: what `check_own_win` refuses.
    """
    changed: list[int] = []
    opened: list[Match] = []
    # Only what is locked while the results are read: another version that comes later must be told of, too.
    told = [match.pk for match in (hold([division]) if held is None else held).values()]
    # Called off: what was decided stays, and nothing is opened any more.
    stages = [] if division.status == Division.Status.CANCELLED else stages_of(division)
    places: Places = {}
    over = False
    while stages:
        stage = stages.pop(0)
        while True:
            rows = StageRows(stage)
            state = state_of(rows, places)
            changed += _write(rows, state.progress)
            opened += _open_matches(division, rows, state.progress.fixtures, now, void_rated=void_rated)
            if not _book_walkovers(rows, state.progress.fixtures, now, by, withdrawal_reason):
                break
        places = state.places
        over = over or state.over
        _finish_stage(state)
        stages += go_on(division, state, now)
    told += [match.pk for match in opened]
    reported = Match.objects.filter(pk__in=told, parent_topic=division.topic, unsettled=True).update(unsettled=False)
    # Another score changes the standings, if no fixture.
    if changed or opened or reported:
        Division.objects.filter(pk=division.pk).update(seq=F("seq") + 1)
    _finish_division(division)
    if over:
        # What another division does at the same time is seen only now; and its transaction may have held the event.
        transaction.on_commit(partial(settle_held_up, division_id=division.pk, now=now), robust=True)
    return Settled(sorted(set(changed)), opened)


def settle_division(*, division_id: int, now: datetime) -> Settled:
    """`settle` in a transaction of its own: what follows a result that came from a player."""
    with transaction.atomic():
        return settle(lock(division_id), now=now)


def settle_held_up(*, division_id: int, now: datetime) -> None:
    """`settle` of a division that waits for its event, if it does; the event is locked first."""
    if not held_up_divisions(division_id).exists():
        return
    with transaction.atomic():
        lock_event(Division.objects.values_list("tournament", flat=True).get(pk=division_id))
        settle(lock(division_id), now=now)


def _write(rows: StageRows, progress: Progress) -> list[int]:
    """Stores what differs from the rows; leaving a slot comes before entering one (nobody twice in a round)."""
    states = progress.fixtures
    for slot, source in rows.redrawn(progress):
        set_drawn(slot, source)
    fixtures, slots = [], []
    for number, row in rows.fixtures.items():
        state = states[number]
        if row.status != state.status.value:
            row.status = Fixture.Status(state.status.value)
            fixtures.append(row)
        for slot, stands in zip(rows.slots[row.pk], state.slots, strict=True):
            if (slot.status, slot.entry_id, slot.absent_id) != (stands.status.value, stands.entry, stands.absent):
                slots.append((slot, stands))
    left = [slot.pk for slot, _ in slots if slot.entry_id is not None]
    Slot.objects.filter(pk__in=left).update(status=Slot.Status.TO_BE_DECIDED, entry=None)
    for slot, stands in slots:
        slot.status = Slot.Status(stands.status.value)
        slot.entry_id, slot.absent_id = stands.entry, stands.absent
    Slot.objects.bulk_update([slot for slot, _ in slots], ["status", "entry", "absent"], batch_size=500)
    Fixture.objects.bulk_update(fixtures, ["status"], batch_size=500)
    touched = {slot.fixture_id for slot, _ in slots} | {row.pk for row in fixtures}
    return [row.number for row in rows.fixtures.values() if row.pk in touched]


def _open_matches(
    division: Division, rows: StageRows, states: Mapping[int, FixtureState], now: datetime, *, void_rated: bool | None
) -> list[Match]:
    """A match for every fixture whose two entrants are known; one whose players changed is voided first.

    Where the two have met in this fixture before, what they played then stands again.
    """
    waiting = {number: state.entrants for number, state in states.items() if state.entrants is not None}
    ids = {entry for pair in waiting.values() for entry in pair}
    players = {entry.pk: entry.player for entry in Entry.objects.filter(pk__in=ids).select_related("player")}
    lengths = {round_.pk: round_.length for round_ in rows.rounds}
    pairs = {number: (players[first], players[second]) for number, (first, second) in waiting.items()}
    _let_go(
        division, [row for number, row in rows.fixtures.items() if _others(row, pairs.get(number))], now, void_rated
    )
    to_play = {number: pair for number, pair in pairs.items() if rows.fixtures[number].match is None}
    met = _met_before(
        {rows.fixtures[number]: pair for number, pair in to_play.items() if number in rows.former_results}
    )
    _reinstate(division, met, now)
    fresh = [(rows.fixtures[number], pair) for number, pair in to_play.items() if rows.fixtures[number] not in met]
    return _open(division, [(row, Opening(pair, lengths[row.round_id], due_at=row.due_at)) for row, pair in fresh], now)


def _others(row: Fixture, pair: tuple[Player, Player] | None) -> bool:
    """Whether the match of a fixture is void, or not between these two, or there are no two any more."""
    if row.match is None:
        return False
    if row.match.state == Match.State.VOID:
        return True
    return pair is None or (row.match.player_0_id, row.match.player_1_id) != (pair[0].pk, pair[1].pk)


def _open(division: Division, fresh: Sequence[tuple[Fixture, Opening]], now: datetime) -> list[Match]:
    matches = open_matches(
        [opening for _, opening in fresh],
        club=division.tournament.club,
        parent_topic=division.topic,
        crawford=division.crawford,
        rated=division.rated,
        pool=division.pool,
        claim_wait=division.claim_wait,
        records_stand=division.records_stand,
        by=SYSTEM,
        now=now,
    )
    for (row, _), match in zip(fresh, matches, strict=True):
        row.match = match
    Fixture.objects.bulk_update([row for row, _ in fresh], ["match"], batch_size=500)
    return matches


def _let_go(division: Division, rows: Sequence[Fixture], now: datetime, rated: bool | None) -> None:
    """Voids matches whose players are not the ones any more; they stay, their fixtures let them go."""
    going = {row.match_id: row for row in rows if row.match is not None and row.match.state != Match.State.VOID}
    ids = [pk for pk in going if pk is not None]
    if ids:
        stay = was_rated_while_void(ids) if rated is None else dict.fromkeys(ids, rated)
        voided = {match: stay[pk] for pk, match in lock_matches(ids).items()}
        void_matches(voided, club=division.tournament.club, by=SYSTEM, now=now)
        link = Fixture.former.through
        link.objects.bulk_create(
            [link(fixture_id=row.pk, match_id=pk) for pk, row in going.items()], ignore_conflicts=True
        )
    for row in rows:
        row.match = None
    Fixture.objects.bulk_update(rows, ["match"], batch_size=500)


def _met_before(pairs: Mapping[Fixture, tuple[Player, Player]]) -> dict[Fixture, Match]:
    """The matches these have finished in their fixture, before others came to stand in it."""
    link = Fixture.former.through
    if not pairs:
        return {}
    rows = link.objects.filter(fixture__in=list(pairs), match__finished_at__isnull=False).order_by("match")
    by_pk = {row.pk: row for row in pairs}
    met = {}
    for fixture, match, first, second in rows.values_list("fixture", "match", "match__player_0", "match__player_1"):
        row = by_pk[fixture]
        if (pairs[row][0].pk, pairs[row][1].pk) == (first, second):
            met[row] = match
    locked = lock_matches(list(met.values()))
    return {row: locked[match] for row, match in met.items()}


def _reinstate(division: Division, met: Mapping[Fixture, Match], now: datetime) -> None:
    """The two are back: what they played stands again, and so does who was to go on from it."""
    if not met:
        return
    matches = list(met.values())
    before = {
        result.match_id: result.pk
        for result in Result.objects.filter(match__in=matches).exclude(kind=Result.Kind.VOID).order_by("version")
    }
    results = reinstate_matches(matches, club=division.tournament.club, by=SYSTEM, now=now)
    kept = {advance.result_id: advance for advance in Advance.objects.filter(result__in=before.values())}
    Advance.objects.bulk_create(
        Advance(result=result, fixture=row, side=had.side, places=had.places)
        for row, result in zip(met, results, strict=True)
        if (had := kept.get(before[result.match_id])) is not None
    )
    link = Fixture.former.through
    link.objects.filter(fixture__in=list(met), match__in=matches).delete()
    for row, match in met.items():
        row.match = match
    Fixture.objects.bulk_update(list(met), ["match"], batch_size=500)


def _book_walkovers(
    rows: StageRows, states: Mapping[int, FixtureState], now: datetime, by: Actor, withdrawal_reason: str | None
) -> bool:
    """Writes the result of matches that one side, or both, will not come to; whether there were any."""
    matches = {number: rows.fixtures[number].match for number, state in states.items() if state.walkover is not None}
    locked = lock_matches([match.pk for match in matches.values() if match is not None])
    open_ = {number: locked[match.pk] for number, match in matches.items() if match and not locked[match.pk].is_over}
    for number, match in open_.items():
        walkover = states[number].walkover
        winner = walkover.winner if walkover is not None else None
        kind = Result.Kind.WALKOVER if winner is not None else Result.Kind.DOUBLE_FORFEIT
        is_own = withdrawal_reason is not None and check_own_win(match, winner, by, withdrawal_reason)
        append_result(
            match,
            winner=winner,
            score=None,
            kind=kind,
            source=Result.Source.FORMAT,
            by=by if is_own else SYSTEM,
            now=now,
            reason=withdrawal_reason or "" if is_own else "",
            own_match=is_own,
        )
    return bool(open_)


def _finish_stage(state: StageState) -> None:
    status = Stage.Status.FINISHED if state.over else Stage.Status.RUNNING
    if state.stage.status != status:
        state.stage.status = status
        state.stage.save(update_fields=["status"])


def _finish_division(division: Division) -> None:
    """Finished when every stage is; running again when a correction opens one. The event follows its divisions."""
    if division.status not in (Division.Status.RUNNING, Division.Status.FINISHED):
        return
    over = not division.stages.exclude(status=Stage.Status.FINISHED).exists()
    status = Division.Status.FINISHED if over else Division.Status.RUNNING
    if division.status != status:
        division.status = status
        division.save(update_fields=["status"])
    _finish_event(division)


def _finish_event(division: Division) -> None:
    """Brings the event's status up to its divisions, unless another transaction holds the event just now."""
    all_over = division.status == Division.Status.FINISHED and not unfinished_divisions(division.tournament_id).exists()
    status = Tournament.Status.FINISHED if all_over else Tournament.Status.RUNNING
    if division.tournament.status not in (Tournament.Status.RUNNING, Tournament.Status.FINISHED, status):
        return
    if division.tournament.status != status and lock_event_if_free(division.tournament_id) is not None:
        Tournament.objects.filter(pk=division.tournament_id).update(status=status)
