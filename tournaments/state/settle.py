"""Settling: write the derived state of a division, and open and finish what follows from it.

This is the only place that writes the states of fixtures and slots.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import NamedTuple

from django.db import transaction

from matches.models import Match
from players.actors import SYSTEM, Actor
from tournaments.formats.progress import Progress
from tournaments.models import Division, Fixture, Slot, Stage, Tournament
from tournaments.state.advancement import stalled_divisions, start_next, unfinished_divisions
from tournaments.state.derivation import StageState, state_of
from tournaments.state.fixture_matches import record_walkovers, update_matches
from tournaments.state.locks import division_changed, lock_division, lock_unfinished_matches
from tournaments.state.numbering import lock_event, lock_event_if_free
from tournaments.state.plans import Places, set_drawn
from tournaments.state.stage_rows import DivisionRows, StageRows


class Settled(NamedTuple):
    """What settling changed."""

    fixtures: list[int]
    """Numbers of the fixtures whose state or players changed."""
    opened: list[Match]


@dataclass
class _Settling:
    """One run of `settle`: how it was called, and what it has changed so far."""

    division: Division
    by: Actor
    now: datetime
    void_rated: bool | None
    withdrawal_reason: str | None
    rows: DivisionRows
    fixtures: set[int] = field(default_factory=set)
    opened: list[Match] = field(default_factory=list)
    has_finished_stage: bool = False

    def write(self) -> None:
        """Write the state of every drawn stage, and of those that start because the one before is over."""
        stages = [rows.stage for rows in self.rows.drawn]
        places: Places = {}
        while stages:
            state = self._write_stage(stages.pop(0), places)
            places = state.places
            if started := start_next(self.division, state, self.now):
                stages += started
                self.rows = DivisionRows(self.division)

    def _write_stage(self, stage: Stage, places: Places) -> StageState:
        """Write the state of a stage until no walkover follows from it, and return that state."""
        while True:
            rows = self.rows.of(stage)
            state = state_of(rows, places)
            fixtures = state.progress.fixtures
            stored = {row: (row.status, row.match_id) for row in rows.fixtures.values()}
            self.fixtures.update(_write(rows, state.progress))
            self.opened += update_matches(self.division, rows, fixtures, self.now, void_rated=self.void_rated)
            changed = [row for row, values in stored.items() if (row.status, row.match_id) != values]
            Fixture.objects.bulk_update(changed, ["status", "match"], batch_size=500)
            if not record_walkovers(rows, fixtures, self.now, self.by, self.withdrawal_reason):
                break
            self.rows = DivisionRows(self.division)
        self.has_finished_stage |= state.over
        _update_stage_status(state)
        return state


def settle(
    division: Division,
    *,
    by: Actor = SYSTEM,
    now: datetime,
    locked: Mapping[int, Match] | None = None,
    rows: DivisionRows | None = None,
    void_rated: bool | None = True,
    withdrawal_reason: str | None = None,
) -> Settled:
    """Derive the state of a locked division from its facts and write only what differs.

    Open the match of every fixture whose two players are known, record a walkover where one of them will not appear,
    and finish the stage, division and tournament when everything is decided.

    `locked` are the matches that the caller locked with `lock_unfinished_matches` before reading any, or `rows` what
    the caller has read and locked. A played match that is voided because its players changed stays rated if
    `void_rated`; None keeps what held when it was last void.
    `withdrawal_reason` is set when `by` withdraws somebody or lets them back in: a walkover that `by` wins is then
    recorded as their own decision, with this public reason. Refused: see `check_own_win`.
    """
    # Only these were locked while the results were read: a result that arrives later must still be reported.
    # A match being played here is locked only to void it: one that finishes must not stop the play of the others.
    if rows is not None:
        locked = rows.locked
    elif locked is None:
        locked = lock_unfinished_matches([division], live=False)
    unsettled = [pk for pk, match in locked.items() if match.unsettled]
    run = _Settling(division, by, now, void_rated, withdrawal_reason, rows or DivisionRows(division))
    # A cancelled division keeps what is decided and opens nothing more.
    if division.status != Division.Status.CANCELLED:
        run.write()
    reported = Match.objects.filter(pk__in=unsettled, parent_topic=division.topic).update(unsettled=False)
    # A new score can change the standings without changing any fixture.
    if run.fixtures or run.opened or reported or (rows is not None and rows.has_new_result):
        division_changed(division)
    _update_division_status(division, run.rows.stages)
    if run.has_finished_stage:
        # Only after the commit can we see what other divisions did meanwhile, and whether one of them held the event.
        transaction.on_commit(partial(settle_stalled, division_id=division.pk, now=now), robust=True)
    return Settled(sorted(run.fixtures), run.opened)


def settle_division(*, division_id: int, now: datetime) -> Settled:
    """Lock and settle a division in a transaction of its own, as after a result that a player reported."""
    with transaction.atomic():
        return settle(lock_division(division_id), now=now)


def settle_stalled(*, division_id: int, now: datetime) -> None:
    """Settle a division that was waiting for the lock of its event, if it is still waiting; lock the event first."""
    if not stalled_divisions(division_id).exists():
        return
    with transaction.atomic():
        lock_event(Division.objects.values_list("tournament", flat=True).get(pk=division_id))
        settle(lock_division(division_id), now=now)


def _write(rows: StageRows, progress: Progress) -> list[int]:
    """Write the slots that differ, set the status of fixtures, and return the numbers of those that changed.

    The caller saves the fixtures. Slots are emptied before any is filled, because nobody may stand in two slots of a
    round even for a moment.
    """
    for slot, source in rows.redrawn(progress):
        set_drawn(slot, source)
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
    status = Stage.Status.FINISHED if state.over else Stage.Status.RUNNING
    if state.stage.status != status:
        state.stage.status = status
        state.stage.save(update_fields=["status"])


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
