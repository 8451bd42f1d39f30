"""Pairing without rounds by two workers, two directors, and while a result comes in: one batch, nobody in it twice."""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import transaction

from clubhouse.tonight import EveningPlan, start_evening
from formats.settings import LIVES, StageSettings
from formats.settings import PairingMode as Mode
from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from players.models import Club, Player, User
from tests.concurrency.event import POSTGRESQL_ONLY
from tests.concurrency.racing import at_once, faults, refusals, without_locks
from tests.event_cast import NOON
from tournaments.floor.batches import make_due_batches, pair_now
from tournaments.floor.calls import start
from tournaments.floor.journal import lock_floor
from tournaments.models import Batch, Division, Fixture, Floor, OpenPairing, Pairing, PendingBatch, Stage, Tournament
from tournaments.results.services import enter_result
from tournaments.state.locks import lock_event

pytestmark = POSTGRESQL_ONLY
RACES = 4


@pytest.fixture
def free_again(club: Club, alice: User, make_players: Callable[[int], list[Player]]) -> Callable[[], Tournament]:
    """A night of eight at four tables, all of whose first matches are over: everybody is free."""
    by = Actor.of(alice)
    stages = (StageSettings(LIVES, lives=2, lengths=(5,), pairing=Mode.CONTINUOUS),)

    def make() -> Tournament:
        # Other people each time, and no other event: nobody may be called who is still at a table of the last one, nor
        # to a table that it has.
        Tournament.objects.update(status=Tournament.Status.FINISHED)
        plan = EveningPlan(4, NOON + timedelta(hours=8), stages, make_players(8))
        event = start_evening(club=club, plan=plan, by=by, now=NOON, key="")
        Tournament.objects.filter(pk=event.pk).update(undo_until=None)
        for fixture in Fixture.objects.filter(stage__division__tournament=event).order_by("number"):
            start(fixture=fixture, by=by, now=NOON + timedelta(minutes=1))
            later = NOON + timedelta(minutes=30)
            enter_result(fixture=fixture, result=ResultInput(0, (5, 2)), by=by, now=later)
        return event

    return make


LATER = NOON + timedelta(minutes=40)


def pairs_of(event: Tournament) -> Counter[int]:
    """Entry -> the open pairings it is in."""
    rows = Fixture.objects.filter(stage__division__tournament=event, status="ready")
    return Counter(entry for fixture in rows for entry in fixture.slots.values_list("entry", flat=True))


def second_batches(event: Tournament) -> int:
    return Batch.objects.filter(stage__division__tournament=event, number__gt=1).count()


def test_two_workers_make_one_batch(free_again: Callable[[], Tournament]) -> None:
    for _ in range(RACES):
        event = free_again()
        outcomes = at_once(*[partial(make_due_batches, tournament_id=event.pk, now=LATER)] * 2)
        assert faults(outcomes) == []
        assert second_batches(event) == 1
        assert max(pairs_of(event).values()) == 1


def test_two_directors_tap_at_once_and_one_is_told(free_again: Callable[[], Tournament], alice: User) -> None:
    for _ in range(RACES):
        event = free_again()
        stage, division = Stage.objects.get(division__tournament=event), event.divisions.get()
        acts: dict[str, Any] = {"stage": stage, "after": division.seq, "by": Actor.of(alice), "now": LATER}
        outcomes = at_once(*[partial(pair_now, **acts)] * 2)
        assert faults(outcomes) == []
        assert refusals(outcomes) == ["stale"]
        assert second_batches(event) == 1


def test_a_worker_and_a_director_make_one_batch(free_again: Callable[[], Tournament], alice: User) -> None:
    for _ in range(RACES):
        event = free_again()
        stage, division = Stage.objects.get(division__tournament=event), event.divisions.get()
        acts: dict[str, Any] = {"stage": stage, "after": division.seq, "by": Actor.of(alice), "now": LATER}
        outcomes = at_once(partial(pair_now, **acts), partial(make_due_batches, tournament_id=event.pk, now=LATER))
        assert faults(outcomes) == []
        assert second_batches(event) == 1
        assert max(pairs_of(event).values()) == 1


def test_a_result_and_a_batch_at_once_leave_nobody_in_two_matches(
    free_again: Callable[[], Tournament], alice: User
) -> None:
    for _ in range(RACES):
        event, by = free_again(), Actor.of(alice)
        make_due_batches(tournament_id=event.pk, now=LATER)
        first = Fixture.objects.filter(stage__division__tournament=event, status="ready").order_by("number").first()
        assert first is not None
        start(fixture=first, by=by, now=LATER)
        end = LATER + timedelta(minutes=9)
        outcomes = at_once(
            partial(enter_result, fixture=first, result=ResultInput(0, (5, 1)), by=by, now=end),
            partial(make_due_batches, tournament_id=event.pk, now=end),
        )
        assert faults(outcomes) == []
        make_due_batches(tournament_id=event.pk, now=end + timedelta(minutes=5))
        assert max(pairs_of(event).values()) == 1
        standing = OpenPairing.objects.filter(pairing__batch__stage__division__tournament=event)
        assert standing.count() == pairs_of(event).total()


def test_control_without_the_locks_two_workers_collide(free_again: Callable[[], Tournament]) -> None:
    event = free_again()
    with without_locks(Division, Tournament, Floor):
        outcomes = at_once(*[partial(make_due_batches, tournament_id=event.pk, now=LATER)] * 2)
    # The database admits one batch of a number; the other worker fails.
    assert faults(outcomes) != []
    assert Pairing.objects.filter(batch__number=2).count() == 4


def test_looking_for_a_batch_waits_for_no_lock(free_again: Callable[[], Tournament]) -> None:
    event = free_again()
    resting = NOON + timedelta(minutes=31)
    with transaction.atomic():
        lock_floor(lock_event(event.pk).pk, resting)
        (made,) = at_once(partial(make_due_batches, tournament_id=event.pk, now=resting))
    assert made.batches == []
    assert PendingBatch.objects.get(stage__division__tournament=event).due_at == NOON + timedelta(minutes=33)
