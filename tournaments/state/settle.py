"""Settling: write the derived state of a division, and open and finish what follows from it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q

from formats.progress import Progress
from formats.settings import (
    DOUBLE,
    ELIMINATION,
    GROUPS,
    KNOCKOUT,
    LEAGUE,
    PLACES,
    PROGRESSIVE,
    ROUND_ROBIN,
    SWISS,
    NextRound,
)
from formats.states import FixtureState
from matches.lifecycle.finish import Announced, Basis, ResultInput, append_result
from matches.lifecycle.opening import MatchSettings, Opening, open_matches, renumber_entries
from matches.lifecycle.own_match import check_own_win
from matches.lifecycle.voiding import reinstate_matches, reopen_match, void_matches
from matches.models import Match, Result
from matches.play.directing import adjourn_boards, restore_boards
from players.actors import SYSTEM, Actor
from players.models import Player
from tournaments.models import Advance, Division, Draw, Entry, Fixture, Round, Slot, Stage, Tournament
from tournaments.state.advancement import request_draft, stalled_divisions, start_next, unfinished_divisions
from tournaments.state.derivation import StageState, state_of
from tournaments.state.floor import save_beginning
from tournaments.state.locks import (
    division_changed,
    lock_division,
    lock_event,
    lock_event_if_free,
    lock_matches,
    lock_unfinished_matches,
)
from tournaments.state.notifications import notify_ready, notify_walkover
from tournaments.state.pairings import update_pairings
from tournaments.state.plans import is_continuous, set_drawn, set_source, settings_of
from tournaments.state.preview import stay_rated
from tournaments.state.stage_rows import UNPLAYED, DivisionRows, StageRows
from tournaments.state.start_scores import start_score
from tournaments.state.versions import DivisionPart

# The match of a fixture: opened when both players are known, voided when they change, reinstated when they return.
#
# Only `settle` calls these, with the division locked.


BATCH = 500
FOLLOWING = (Slot.Source.WINNER, Slot.Source.LOSER)
"""Sources of slots whose entrants come from other matches of the stage."""


class Entrants(NamedTuple):
    """The two entries of a division that meet in a fixture."""

    entries: tuple[Entry, Entry]

    @property
    def players(self) -> tuple[Player, Player]:
        first, second = self.entries
        return first.player, second.player

    @property
    def numbers(self) -> tuple[int, int]:
        """Which of their entries in the division they play with."""
        first, second = self.entries
        return first.number, second.number

    def opening(self, division: Division, length: int, due_at: datetime | None) -> Opening:
        start = start_score(division, self.entries, length)
        return Opening(self.players, length, start, due_at=due_at, entry_numbers=self.numbers)


def update_matches(
    division: Division, rows: StageRows, states: Mapping[int, FixtureState], now: datetime, *, void_rated: bool | Result
) -> list[Match]:
    """Give every fixture with two known entrants its match; return the matches that were opened.

    A match whose players changed is voided first. If the two have met in this fixture before, their old match and its
    result stand again instead. `void_rated` as in `settle`. The caller saves the fixtures.
    """
    pairs = _pairs(states, rows.of_division.entries)
    outdated = [row for number, row in rows.fixtures.items() if _is_outdated(row, pairs.get(number))]
    _detach(division, outdated, now, void_rated)
    unmatched = {number: pair for number, pair in pairs.items() if rows.fixtures[number].match is None}
    former = _former_matches(rows, unmatched)
    _reinstate(division, former, now)
    have_former = {match.number for match in rows.former_matches}
    missing = {rows.fixtures[number]: pair for number, pair in unmatched.items() if number in have_former}
    boards = _restore_boards({row: pair for row, pair in missing.items() if row not in former}, now)
    lengths = {round_.pk: round_.length for round_ in rows.rounds}
    openings = []
    for number, pair in unmatched.items():
        row = rows.fixtures[number]
        if row not in former and row not in boards:
            openings.append((row, pair.opening(division, lengths[row.round_id], row.due_at)))
    opened = _open(division, rows.slots, openings, now)
    matches = {rows.fixtures[number].match: pair.numbers for number, pair in pairs.items()}
    renumber_entries({row: new for row, new in matches.items() if row is not None and row.entry_numbers != new})
    return opened


def record_walkovers(
    rows: StageRows, states: Mapping[int, FixtureState], now: datetime, by: Actor, withdrawal_reason: str | None
) -> bool:
    """Write the results of matches that one side or both will not come to; return whether there were any."""
    matches = {number: rows.fixtures[number].match for number, state in states.items() if state.walkover is not None}
    locked = lock_matches([match.pk for match in matches.values() if match is not None])
    unplayed = {number: locked[match.pk] for number, match in matches.items() if match and not locked[match.pk].is_over}
    for number, match in unplayed.items():
        walkover = states[number].walkover
        winner = walkover.winner if walkover is not None else None
        kind = Result.Kind.WALKOVER if winner is not None else Result.Kind.DOUBLE_FORFEIT
        is_own = withdrawal_reason is not None and check_own_win(match, winner, by, withdrawal_reason)
        basis = Basis(Result.Source.FORMAT, reason=withdrawal_reason or "" if is_own else "", own_match=is_own)
        outcome, author = ResultInput(winner, kind=kind), by if is_own else SYSTEM
        append_result(match, outcome, basis, by=author, now=now, announced_by=Announced.CALLER)
        if withdrawal_reason is not None and winner is not None:
            notify_walkover(rows.of_division.division, rows.fixtures[number], match, winner, now)
    return bool(unplayed)


def let_go_on(fixture: Fixture, match: Match, state: str, *, by: Actor, now: datetime) -> None:
    """Give a fixture of a locked division the match back that was stopped in it, in the `state` that it had.

    The match is locked, and the caller settles the division.
    """
    if state == Match.State.LIVE:
        (match,) = restore_boards([match.pk], now=now)
    else:
        reopen_match(match, state, by=by, now=now)
    Fixture.former.through.objects.filter(fixture=fixture, match=match).delete()
    fixture.match = match
    fixture.save(update_fields=["match"])


def continue_match(fixture: Fixture, before: Match) -> None:
    """Let the match that was opened in place of one whose result was undone wait as long, and be played as that was."""
    opened = Match.objects.filter(pk__in=Fixture.objects.filter(pk=fixture.pk).values("match")).exclude(pk=before.pk)
    opened = opened.filter(player_0=before.player_0_id, player_1=before.player_1_id)
    opened.update(created_at=before.created_at, length=before.length, start_0=before.start_0, start_1=before.start_1)


def _pairs(states: Mapping[int, FixtureState], entries: Mapping[int, Entry]) -> dict[int, Entrants]:
    """Return the two entrants of each fixture that has both, by fixture number."""
    pairs = {}
    for number, state in states.items():
        if state.entrants is not None:
            first, second = (entries[entry] for entry in state.entrants)
            pairs[number] = Entrants((first, second))
    return pairs


def _is_outdated(row: Fixture, pair: Entrants | None) -> bool:
    """Whether the fixture has a match that is void or not between these two players."""
    if row.match is None:
        return False
    if row.match.state == Match.State.VOID:
        return True
    return pair is None or (row.match.player_0_id, row.match.player_1_id) != _ids(pair)


def _ids(pair: Entrants) -> tuple[int, int]:
    first, second = pair.players
    return first.pk, second.pk


def _open(
    division: Division,
    slots: Mapping[int, Sequence[Slot]],
    openings: Sequence[tuple[Fixture, Opening]],
    now: datetime,
) -> list[Match]:
    if not openings:
        return []
    matches = open_matches(
        [opening for _, opening in openings],
        settings=MatchSettings(
            club=division.tournament.club,
            parent_topic=division.topic,
            crawford=division.crawford,
            rated=division.rated,
            pool=division.pool,
            claim_wait=division.claim_wait,
            records_stand=division.records_stand,
        ),
        by=SYSTEM,
        now=now,
    )
    for (row, _), match in zip(openings, matches, strict=True):
        row.match = match
    following = [row for row, _ in openings if any(slot.source in FOLLOWING for slot in slots[row.pk])]
    notify_ready(division, following, now)
    return matches


def _detach(division: Division, rows: Sequence[Fixture], now: datetime, rated: bool | Result) -> None:
    """Void the matches of these fixtures and link them as former matches, so that they can be reinstated."""
    live = {row.match_id: row for row in rows if row.match is not None and row.match.state != Match.State.VOID}
    ids = [pk for pk in live if pk is not None]
    if ids:
        adjourn_boards(ids, now=now)
        stays_rated = stay_rated(ids, rated)
        voided = {match: stays_rated[pk] for pk, match in lock_matches(ids).items()}
        void_matches(voided, club=division.tournament.club, by=SYSTEM, now=now)
        link = Fixture.former.through
        link.objects.bulk_create(
            [link(fixture_id=row.pk, match_id=pk) for pk, row in live.items()], ignore_conflicts=True
        )
    for row in rows:
        row.match = None


def _former_matches(rows: StageRows, pairs: Mapping[int, Entrants]) -> dict[Fixture, Match]:
    """Return the matches whose results count again because these pairs are back in their fixtures, locked."""
    former = {
        rows.fixtures[number]: match
        for number, pair in pairs.items()
        for match, result in rows.former_results.get(number, ())
        if result.between == tuple(entry.pk for entry in pair.entries)
    }
    locked = lock_matches(list(former.values()))
    return {row: locked[match] for row, match in former.items()}


def _restore_boards(pairs: Mapping[Fixture, Entrants], now: datetime) -> set[Fixture]:
    """Give fixtures back the matches that these pairs were playing here when others took their places."""
    if not pairs:
        return set()
    link = Fixture.former.through
    unfinished = link.objects.filter(
        fixture__in=list(pairs),
        match__state=Match.State.VOID,
        match__live__isnull=False,
        match__finished_at__isnull=True,
    )
    rows = {row.pk: row for row in pairs}
    boards: dict[Fixture, int] = {}
    for fixture, match, first, second in unfinished.order_by("match_id").values_list(
        "fixture", "match", "match__player_0", "match__player_1"
    ):
        row = rows[fixture]
        if _ids(pairs[row]) == (first, second):
            boards[row] = match  # The latest, should there be several.
    restored = {match.pk: match for match in restore_boards(boards.values(), now=now)}
    link.objects.filter(fixture__in=list(boards), match__in=restored).delete()
    for row, match_id in boards.items():
        row.match = restored[match_id]
    return set(boards)


def _reinstate(division: Division, former: Mapping[Fixture, Match], now: datetime) -> None:
    """Reinstate former matches, each with its result and with whoever was to advance from it."""
    if not former:
        return
    matches = list(former.values())
    before = {
        result.match_id: result.pk
        for result in Result.objects.filter(match__in=matches).exclude(kind=Result.Kind.VOID).order_by("version")
    }
    results = reinstate_matches(matches, club=division.tournament.club, by=SYSTEM, now=now)
    advances = {advance.result_id: advance for advance in Advance.objects.filter(result__in=before.values())}
    Advance.objects.bulk_create(
        Advance(result=result, fixture=row, side=advance.side, places=advance.places)
        for row, result in zip(former, results, strict=True)
        if (advance := advances.get(before[result.match_id])) is not None
    )
    link = Fixture.former.through
    link.objects.filter(fixture__in=list(former), match__in=matches).delete()
    for row, match in former.items():
        row.match = match


# This is the only place that writes the states of fixtures and slots.


class Settled(NamedTuple):
    fixtures: list[int]
    """Numbers of the fixtures whose state or players changed."""
    opened: list[Match]


@dataclass
class _Settling:
    """One run of `settle`: how it was called, and what it has changed so far."""

    division: Division
    by: Actor
    now: datetime
    void_rated: bool | Result
    withdrawal_reason: str | None
    rows: DivisionRows
    fixtures: set[int] = field(default_factory=set)
    opened: list[Match] = field(default_factory=list)
    has_finished_stage: bool = False

    def write(self) -> None:
        """Write the state of every drawn stage, and of those that start because the one before is over."""
        stages = [rows.stage for rows in self.rows.drawn]
        state: StageState | None = None
        while stages:
            state = self._write_stage(stages.pop(0), state)
            if started := start_next(self.division, state, self.now):
                stages += started
                self.rows = DivisionRows(self.division)

    def _write_stage(self, stage: Stage, before: StageState | None) -> StageState:
        """Write the state of a stage until no walkover follows from it, and return that state."""
        while True:
            state = state_of(self.rows.of(stage), before)
            rows, fixtures = state.rows, state.progress.fixtures
            if rows.settings.is_continuous:
                update_pairings(rows, state, by=self.by, now=self.now)
            stored = {row: (row.status, row.match_id) for row in rows.fixtures.values()}
            self.fixtures.update(_write(rows, state.progress))
            self.opened += update_matches(self.division, rows, fixtures, self.now, void_rated=self.void_rated)
            changed = [row for row, values in stored.items() if (row.status, row.match_id) != values]
            Fixture.objects.bulk_update(changed, ["status", "match"], batch_size=500)
            self._derive_beginnings(rows, {row: match for row, (_status, match) in stored.items()})
            if not record_walkovers(rows, fixtures, self.now, self.by, self.withdrawal_reason):
                break
            self.rows = DivisionRows(self.division)
        self.has_finished_stage |= state.over
        _update_stage_status(state)
        return state

    def _derive_beginnings(self, rows: StageRows, before: Mapping[Fixture, int | None]) -> None:
        """Derive whether matches have begun that have just taken the place of others, and whether those had.

        What is recorded on the floor of two players in a fixture holds for as long as they meet there.
        """
        had_match = {former.number for former in rows.former_matches}
        replaced = {row: match for row, match in before.items() if row.match_id != match}
        for row, match in replaced.items():
            if row.match is not None and (match is not None or row.number in had_match):
                save_beginning(row.match)
        if gone := [match for match in replaced.values() if match is not None]:
            for match_gone in Match.objects.filter(pk__in=gone, begun_at__isnull=False):
                save_beginning(match_gone)


def settle(
    division: Division,
    *,
    by: Actor = SYSTEM,
    now: datetime,
    locked: Mapping[int, Match] | None = None,
    rows: DivisionRows | None = None,
    void_rated: bool | Result = True,
    withdrawal_reason: str | None = None,
    keep_waiting: bool = False,
    part: DivisionPart | None = None,
) -> Settled:
    """Derive the state of a locked division from its facts and write only what differs.

    Open the match of every fixture whose two players are known, record a walkover where one of them will not appear,
    and finish the stage, division and tournament when everything is decided.

    `locked` are the matches that the caller locked with `lock_unfinished_matches` before reading any, or `rows` what
    the caller has read and locked. A played match that is voided because its players changed stays rated if
    `void_rated`; given the version of a result, it is rated as it was before that version, for an exact undo.
    `withdrawal_reason` is set when `by` withdraws somebody or lets them back in: a walkover that `by` wins is then
    recorded as their own decision, with this public reason. Refused: see `check_own_win`.

    Nothing follows from a result before its `Match.settle_at`. Other changes than results do not wait for that: they
    end the waiting, unless `keep_waiting`. `part` is as for `division_changed`.
    """
    # Only these were locked while the results were read: a result that arrives later must still be reported.
    # A match being played here is locked only to void it: one that finishes must not stop the play of the others.
    if rows is not None:
        locked = rows.locked
    elif locked is None:
        locked = lock_unfinished_matches([division], live=False)
    if not keep_waiting:
        stop_waiting(locked.values())
    unsettled = [pk for pk, match in locked.items() if match.unsettled and match.settle_at is None]
    run = _Settling(division, by, now, void_rated, withdrawal_reason, rows or DivisionRows(division))
    # A cancelled division keeps what is decided and opens nothing more.
    if division.status != Division.Status.CANCELLED:
        run.write()
    reported = Match.objects.filter(pk__in=unsettled, parent_topic=division.topic).update(unsettled=False)
    # A new score can change the standings without changing any fixture.
    if run.fixtures or run.opened or reported or (rows is not None and rows.has_new_result):
        division_changed(division, part=part)
    _update_division_status(division, run.rows.stages)
    if run.has_finished_stage:
        # Only after the commit can we see what other divisions did meanwhile, and whether one of them held the event.
        transaction.on_commit(partial(settle_stalled, division_id=division.pk, now=now), robust=True)
    return Settled(sorted(run.fixtures), run.opened)


def stop_waiting(matches: Iterable[Match]) -> None:
    """Let something follow at once from the results of these locked matches that can still be undone."""
    waiting = [match for match in matches if match.settle_at is not None]
    for match in waiting:
        match.settle_at = None
    if waiting:
        Match.objects.filter(pk__in=[match.pk for match in waiting]).update(settle_at=None)


# The first result of a match usually decides that match and moves its two players on: then nothing else is read.


STEPPING = (KNOCKOUT, DOUBLE, PROGRESSIVE, PLACES, SWISS, ROUND_ROBIN, GROUPS, LEAGUE)
"""Formats in which a result changes its own match and those that its two players move to. A life lost may do more."""
UNDECIDED = (Fixture.Status.WAITING, Fixture.Status.READY)


@dataclass(frozen=True)
class FixtureAdvance:
    """A ready fixture, and where its players move to by its first result, as stored while the division is locked."""

    fixture: Fixture
    slots: tuple[Slot, Slot]
    moves: Mapping[Fixture, tuple[Slot, Slot]]
    """The fixtures that its players move to, with the slot that is filled and the other one."""
    next_round: int = 0
    """The round to be requested, because this is the last result of a round; 0 for none."""


def step_of(division: Division, fixture: Q, *, after_version: int) -> FixtureAdvance | None:
    """Return what the first result of a fixture of a locked division changes; None if it may change anything else.

    It may if it ends the stage, if places of the stage are entrants of a later one, if a bye, a walkover or a
    withdrawal follows, if a round is drawn late or a match depends on a condition, or if there were other results:
    versions of this match after `after_version`, former matches of a next one, or a result that is not settled yet.
    Then the whole division is settled.
    """
    running = division.status == Division.Status.RUNNING and division.tournament.status == Tournament.Status.RUNNING
    if not running or division.reentry_until is not None:
        return None
    unsettled = Match.objects.filter(parent_topic=division.topic, unsettled=True, settle_at=None)
    same_stage = Fixture.objects.filter(stage=OuterRef("stage"))
    withdrawn = {"entry__withdrawals__isnull": False, "entry__withdrawals__taken_back_at": None}
    fixtures = Fixture.objects.filter(
        fixture,
        ~Exists(Stage.objects.filter(division=division, number__gt=OuterRef("stage__number"))),
        ~Exists(Round.objects.filter(bracket__stage=OuterRef("stage")).exclude(entrants=[])),
        ~Exists(same_stage.filter(needed_if_fixture=OuterRef("number"))),
        ~Exists(Slot.objects.filter(fixture=OuterRef("pk"), **withdrawn)),
        ~Exists(Result.objects.filter(match=OuterRef("match"), version__gt=after_version)),
        ~Exists(unsettled.exclude(pk=OuterRef("match"))),
        status=Fixture.Status.READY,
        needed_if_fixture=None,
        stage__division=division,
        stage__status=Stage.Status.RUNNING,
        stage__format__in=STEPPING,
    )
    others = Exists(same_stage.filter(status__in=UNDECIDED).exclude(pk=OuterRef("pk")))
    row = fixtures.annotate(is_last=~others).select_related("stage").first()
    if row is None or is_continuous(row.stage):
        return None
    row.stage.division = division
    next_round = _round_to_request(row.stage) if row.is_last else 0
    if next_round is None:
        return None
    by_fixture = _own_and_next_slots(row)
    first, second = by_fixture.pop(row)
    moves = {}
    for following, slots in by_fixture.items():
        if (move := _move(row, following, slots)) is None:
            return None
        moves[following] = move
    complete = [following for following, (_, other) in moves.items() if other.entry_id is not None]
    if any(slot.had_match for following in complete for slot in by_fixture[following]):
        return None
    return FixtureAdvance(row, (first, second), moves, next_round)


def _round_to_request(stage: Stage) -> int | None:
    """Return the round to be requested after the last result of a round, 0 for none, or None if that is not certain."""
    settings = settings_of(stage)
    paired = Fixture.objects.filter(stage=stage).aggregate(rounds=Count("round", distinct=True))["rounds"]
    if settings.format != SWISS or settings.rounds is None or paired >= settings.rounds or settings.ended:
        return None
    if settings.next_round == NextRound.ASK:
        return 0
    return None if stage.draws.filter(round=paired + 1).exists() else paired + 1


def _own_and_next_slots(fixture: Fixture) -> dict[Fixture, list[Any]]:
    """Return the slots of a fixture, and in an elimination those of the fixtures that its players move to.

    `had_match` is whether there is a former match of a slot's fixture.
    """
    wanted = Q(fixture=fixture)
    if fixture.stage.format in ELIMINATION:
        fed = Slot.objects.filter(fixture__stage=fixture.stage_id, source__in=FOLLOWING, source_fixture=fixture.number)
        wanted |= Q(fixture__in=fed.values("fixture"))
    slots: dict[Fixture, list[Any]] = {}
    former = Fixture.former.through.objects.filter(fixture=OuterRef("fixture"))
    rows = Slot.objects.filter(wanted).select_related("fixture__round", "entry__player")
    rows = rows.annotate(had_match=Exists(former))
    for slot in rows.order_by("fixture__number", "side"):
        slots.setdefault(slot.fixture, []).append(slot)
    return slots


def _move(fixture: Fixture, following: Fixture, slots: Sequence[Slot]) -> tuple[Slot, Slot] | None:
    """Return the slot of a fixture that a player of the one before moves to, and the other one.

    None if the slot is not simply open, or if more than filling it would follow.
    """
    fed = [slot for slot in slots if slot.source in FOLLOWING and slot.source_fixture == fixture.number]
    own, other = fed[0], next(slot for slot in slots if slot is not fed[0])
    is_open = own.status == Slot.Status.TO_BE_DECIDED and own.absent_id is None and not own.is_seat
    waits = following.status == Fixture.Status.WAITING and following.match_id is None
    known = other.status in (Slot.Status.ENTRY, Slot.Status.TO_BE_DECIDED) and other.absent_id is None
    plain = len(fed) == 1 and is_open and waits and known and following.needed_if_fixture is None
    return (own, other) if plain else None


def take_step(division: Division, step: FixtureAdvance, match: Match, result: Result, *, now: datetime) -> Settled:
    """Write what follows from the first result of a match, which was played, and open the matches that are ready.

    It is what `settle` would write. The caller has locked the division and the match.
    """
    assert result.winner is not None  # noqa: S101, the caller has checked it
    advancing = {
        Slot.Source.WINNER.value: step.slots[result.winner].entry,
        Slot.Source.LOSER.value: step.slots[1 - result.winner].entry,
    }
    ready: dict[Fixture, list[Slot]] = {}
    for row, (slot, other) in step.moves.items():
        slot.status, slot.entry = Slot.Status.ENTRY, advancing[slot.source]
        if other.entry_id is not None:
            row.status = Fixture.Status.READY
            ready[row] = sorted((slot, other), key=lambda slot: slot.side)
    Slot.objects.bulk_update([slot for slot, _ in step.moves.values()], ["status", "entry"])
    openings = []
    for row, slots in ready.items():
        first, second = (slot.entry for slot in slots)
        assert first is not None  # noqa: S101, both are filled
        assert second is not None  # noqa: S101
        openings.append((row, Entrants((first, second)).opening(division, row.round.length, row.due_at)))
    opened = _open(division, {row.pk: slots for row, slots in ready.items()}, openings, now)
    step.fixture.status = Fixture.Status.DECIDED
    Fixture.objects.bulk_update([step.fixture, *ready], ["status", "match"])
    if match.unsettled:
        Match.objects.filter(pk=match.pk).update(unsettled=False, settle_at=None)
    if step.next_round:
        at_once = settings_of(step.fixture.stage).next_round == NextRound.PUBLISH
        request_draft(step.fixture.stage, step.next_round, at_once=at_once, now=now)
    division_changed(division, part=None)
    return Settled(sorted([step.fixture.number, *(row.number for row in step.moves)]), opened)


def is_plain(result: ResultInput | Result) -> bool:
    """Whether a result was played and has a winner, so that it can be taken as a step."""
    return result.winner is not None and result.kind not in UNPLAYED and result.kind != Result.Kind.VOID


def settle_division(*, division_id: int, now: datetime, match_id: int | None = None) -> Settled:
    """Lock and settle a division in a transaction of its own, as after the result of this match, if it is given.

    Nothing happens while that result can still be undone without consequences.
    """
    with transaction.atomic():
        division = lock_division(division_id)
        if match_id is None:
            return settle(division, now=now, keep_waiting=True)
        if Match.objects.filter(pk=match_id, settle_at__gt=now).exists():
            return Settled([], [])
        step = step_of(division, Q(match=match_id), after_version=1)
        if step is not None:
            match = lock_matches([match_id])[match_id]
            result = Result.objects.filter(match=match).first()
            if result is not None and is_plain(result):
                return take_step(division, step, match, result, now=now)
        locked = lock_unfinished_matches([division], [match_id], live=False)
        stop_waiting([locked[match_id]])
        return settle(division, now=now, locked=locked, keep_waiting=True)


def settle_stalled(*, division_id: int, now: datetime) -> None:
    """Settle a division that was waiting for the lock of its event, if it is still waiting; lock the event first."""
    if not stalled_divisions(division_id).exists():
        return
    with transaction.atomic():
        lock_event(Division.objects.values_list("tournament", flat=True).get(pk=division_id))
        settle(lock_division(division_id), now=now, keep_waiting=True)


def _write(rows: StageRows, progress: Progress) -> list[int]:
    """Write the slots that differ, set the status of fixtures, and return the numbers of those that changed.

    The caller saves the fixtures. Slots are emptied before any is filled, because nobody may stand in two slots of a
    round even for a moment.
    """
    for slot, source in rows.redrawn(progress):
        (set_drawn if slot.is_seat else set_source)(slot, source)
    touched, slots = set(), []
    for number, row in rows.fixtures.items():
        state = progress.fixtures[number]
        if row.status != state.status.value:
            row.status = Fixture.Status(state.status.value)
            touched.add(row.pk)
        for slot, derived in zip(rows.slots[row.pk], state.slots, strict=True):
            if (slot.status, slot.entry_id, slot.absent_id) != (derived.status.value, derived.entry, derived.absent):
                slots.append((slot, derived))
    left = [slot.pk for slot, _ in slots if slot.entry_id is not None]
    Slot.objects.filter(pk__in=left).update(status=Slot.Status.TO_BE_DECIDED, entry=None)
    for slot, derived in slots:
        slot.status = Slot.Status(derived.status.value)
        slot.entry_id, slot.absent_id = derived.entry, derived.absent
    Slot.objects.bulk_update([slot for slot, _ in slots], ["status", "entry", "absent"], batch_size=500)
    touched |= {slot.fixture_id for slot, _ in slots}
    return [row.number for row in rows.fixtures.values() if row.pk in touched]


def _update_stage_status(state: StageState) -> None:
    """Finish a stage or reopen it; a draft of a round that will not be played any more is discarded."""
    status = Stage.Status.FINISHED if state.over else Stage.Status.RUNNING
    if state.stage.status != status:
        state.stage.status = status
        state.stage.save(update_fields=["status"])
        if state.over and state.event is not None:
            drafts = state.stage.draws.filter(state__in=[Draw.State.REQUESTED, Draw.State.DRAFT])
            drafts.update(state=Draw.State.DISCARDED, publish_at=None)


def _update_division_status(division: Division, stages: Iterable[Stage]) -> None:
    """Finish a division whose stages are all finished, or reopen it after a correction; then update the event."""
    if division.status not in (Division.Status.RUNNING, Division.Status.FINISHED):
        return
    over = all(stage.status == Stage.Status.FINISHED for stage in stages)
    status = Division.Status.FINISHED if over else Division.Status.RUNNING
    if division.status != status:
        division.status = status
        division.save(update_fields=["status"])
    _update_event_status(division)


def _update_event_status(division: Division) -> None:
    """Derive the event's status from its divisions, unless another transaction holds the event."""
    all_over = division.status == Division.Status.FINISHED and not unfinished_divisions(division.tournament_id).exists()
    status = Tournament.Status.FINISHED if all_over else Tournament.Status.RUNNING
    if division.tournament.status not in (Tournament.Status.RUNNING, Tournament.Status.FINISHED, status):
        return
    if division.tournament.status != status and lock_event_if_free(division.tournament_id) is not None:
        Tournament.objects.filter(pk=division.tournament_id).update(status=status)
