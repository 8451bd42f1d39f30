"""Ratings after random histories, and with real threads and workers."""

import threading
import time
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from matches.models import Match, PlayerRating, RatingChange, RatingPool, Result
from matches.ratings import services as ratings
from players.models import Player
from tests.matches.ratings.history import LATER, Kind, correct, played, player, replay

ENDINGS = st.sampled_from([Kind.PLAYED, Kind.CONCESSION, Kind.WALKOVER, Kind.VOID])


class Season(RuleBasedStateMachine):
    """Matches arrive in any order; results are corrected, players merged and unmerged, workers replay."""

    @initialize()
    def begin(self) -> None:
        Result.objects.all().delete()
        RatingPool.objects.all().delete()
        Match.objects.all().delete()
        Player.objects.update(merged_into=None)
        Player.objects.all().delete()
        self.cast = [player(name) for name in ("Bob", "Carol", "Erik", "Frida")]
        self.matches: list[Match] = []

    @rule(two=st.permutations(range(4)), hours=st.integers(0, 5), length=st.integers(1, 25), kind=ENDINGS)
    def a_match_ends(self, two: list[int], hours: int, length: int, kind: str) -> None:
        self.matches.append(played(self.cast[two[0]], self.cast[two[1]], hours=hours, length=length, kind=kind))

    @precondition(lambda self: self.matches)
    @rule(data=st.data(), kind=ENDINGS)
    def a_result_is_corrected(self, data: st.DataObject, kind: str) -> None:
        correct(data.draw(st.sampled_from(self.matches)), winner=data.draw(st.integers(0, 1)), kind=kind)

    @rule(who=st.integers(0, 2), undo=st.booleans())
    def players_are_merged_or_parted(self, who: int, undo: bool) -> None:
        # Always into a later one, so that nobody is merged into himself in the end.
        into = None if undo else self.cast[who + 1]
        Player.objects.filter(pk=self.cast[who].pk).update(merged_into=into)

    @rule()
    def a_worker_replays(self) -> None:
        replay()

    @invariant()
    def nothing_differs(self) -> None:
        assert not ratings.check_ratings(ratings.default_pool())

    def teardown(self) -> None:
        if not hasattr(self, "cast"):
            return
        replay()
        pool = ratings.default_pool()
        assert not ratings.check_ratings(pool)
        stored = list(RatingChange.objects.order_by("pk").values())
        done = ratings.rebuild_pool(pool=pool, now=LATER)
        assert done is not None
        assert done.written == 0
        assert list(RatingChange.objects.order_by("pk").values()) == stored


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.django_db
def test_after_any_season_the_ratings_follow_from_the_results() -> None:
    run_state_machine_as_test(
        Season,
        settings=settings(
            max_examples=25,
            stateful_step_count=15,
            suppress_health_check=[HealthCheck.function_scoped_fixture],
        ),
    )


@pytest.fixture
def bob_and_carol(transactional_db: None) -> tuple[Player, Player]:
    return player("Bob"), player("Carol")


def in_a_thread(work: Any) -> tuple[threading.Thread, list[Any]]:
    done: list[Any] = []

    def run() -> None:
        try:
            done.append(work())
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread, done


def test_a_replay_waits_for_a_result_that_is_being_written(bob_and_carol: tuple[Player, Player]) -> None:
    """Otherwise it could remove the mark without seeing the result."""
    bob, carol = bob_and_carol
    wrong = played(bob, carol)
    replay()
    with transaction.atomic():
        correct(wrong, winner=1)
        thread, done = in_a_thread(replay)
        time.sleep(0.3)
        assert done == [] or done == [None], "nothing to see before the commit"
        waited = thread.is_alive()
    thread.join(20)
    if waited:
        assert done[0] is not None
        assert PlayerRating.objects.get(player=carol).wins == 1
    else:
        assert replay() is not None
    assert not ratings.check_ratings(ratings.default_pool())


def test_concurrent_results_and_workers_lose_nothing(bob_and_carol: tuple[Player, Player]) -> None:
    ratings.default_pool()
    cast = [*bob_and_carol, player("Erik"), player("Frida")]

    def play(number: int) -> None:
        for hours in range(5):
            played(cast[number], cast[number - 1], hours=hours)
            replay()

    threads = [in_a_thread(lambda number=number: play(number))[0] for number in range(4)]
    for thread in threads:
        thread.join(60)
    while replay() is not None:
        pass
    assert PlayerRating.objects.count() == 4
    assert RatingChange.objects.count() == 40
    assert not ratings.check_ratings(ratings.default_pool())


def test_a_worker_replays_from_the_mark_of_a_result(celery_worker: Any, bob_and_carol: tuple[Player, Player]) -> None:
    played(*bob_and_carol)
    until = time.monotonic() + 60
    while not PlayerRating.objects.exists():
        assert time.monotonic() < until, "no worker came"
        time.sleep(0.05)
    assert PlayerRating.objects.get(player=bob_and_carol[0]).wins == 1


def test_the_sweep_replays_pools_whose_message_was_lost(
    celery_worker: Any, valkey: Any, bob_and_carol: tuple[Player, Player]
) -> None:
    bob, carol = bob_and_carol
    pool = ratings.default_pool()
    match = Match.objects.create(player_0=bob, player_1=carol, length=7, finished_at=LATER)
    Result.objects.create(match=match, version=1, winner=0, kind=Kind.PLAYED, source="director", by="system")
    pool.marks.create(finished_at=LATER, match=match.pk)
    assert ratings.send_again(now=timezone.now()) == 1
    until = time.monotonic() + 60
    while not PlayerRating.objects.exists():
        assert time.monotonic() < until, "no worker came"
        time.sleep(0.05)
