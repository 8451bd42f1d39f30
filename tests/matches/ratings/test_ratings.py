"""Ratings follow the results, whatever changes."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from matches.models import PlayerRating, RatingChange, RatingPool, Result
from matches.ratings import services as ratings
from matches.ratings.rated import BEGINNING, Key
from players.models import Player
from tests.matches.ratings.history import LATER, NOON, Kind, bob, carol, correct, erik, played, player, record, replay

__all__ = ["bob", "carol", "erik"]

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


def rating(of: Player) -> float | None:
    return PlayerRating.objects.filter(player=of).values_list("rating", flat=True).first()


def differences() -> ratings.Differences:
    return ratings.check_ratings(ratings.default_pool())


def test_a_first_match_rates_two_players(bob: Player, carol: Player) -> None:
    match = played(bob, carol, length=7)
    done = replay()
    assert done == ratings.Replayed(since=BEGINNING, matches=1, written=4)
    assert (rating(bob), rating(carol)) == (1526.457513, 1473.542487)
    change = RatingChange.objects.get(match=match, player=carol)
    assert (change.won, change.opponent, change.opponent_before, change.change) == (False, bob, 1500, -26.457513)
    standing = PlayerRating.objects.get(player=bob)
    assert (standing.matches, standing.wins, standing.experience) == (1, 1, 7)
    assert standing.last_change == 26.457513
    assert standing.last_played_at == NOON


def test_an_up_to_date_pool_is_not_replayed(bob: Player, carol: Player) -> None:
    played(bob, carol)
    replay()
    assert replay() is None


RATED = {Kind.PLAYED, Kind.CONCESSION, Kind.FLAG}


@pytest.mark.parametrize("kind", Kind.values)
def test_only_played_conceded_and_timed_out_matches_are_rated(kind: str, bob: Player, carol: Player) -> None:
    played(bob, carol, kind=kind)
    replay()
    assert RatingChange.objects.count() == (2 if kind in RATED else 0)
    assert PlayerRating.objects.count() == (2 if kind in RATED else 0)


def test_an_unrated_match_changes_no_ratings(bob: Player, carol: Player) -> None:
    played(bob, carol, rated=False)
    assert replay() is None or not RatingChange.objects.exists()


def test_a_match_that_becomes_unrated_leaves_the_ratings(bob: Player, carol: Player) -> None:
    match = played(bob, carol)
    replay()
    match.rated = False
    match.save()
    with transaction.atomic():
        ratings.mark_dirty(match=match)
    replay()
    assert rating(bob) is None


@pytest.mark.parametrize(("movers", "rated"), [((0, 1), True), ((0,), False), ((), False)])
def test_a_record_in_which_a_side_never_moved_is_not_rated(
    movers: tuple[int, ...], rated: bool, bob: Player, carol: Player
) -> None:
    match = played(bob, carol, kind=Kind.CONCESSION, submission=record(*movers))
    replay()
    assert match.moved is rated
    assert RatingChange.objects.exists() is rated
    assert not differences()


def test_a_correction_replays_only_later_matches(bob: Player, carol: Player, erik: Player) -> None:
    played(bob, carol, hours=0)
    wrong = played(carol, erik, hours=1)
    played(erik, bob, hours=2)
    replay()
    first = list(RatingChange.objects.filter(finished_at=NOON).values())
    correct(wrong, winner=1)
    done = replay()
    assert done is not None
    assert (done.since, done.matches) == (Key(wrong.finished_at, wrong.pk), 2)
    assert list(RatingChange.objects.filter(finished_at=NOON).values()) == first
    assert not RatingChange.objects.get(match=wrong, player=carol).won
    assert PlayerRating.objects.get(player=carol).wins == 0
    assert not differences()


def test_a_replay_does_not_rewrite_correct_rows(bob: Player, carol: Player) -> None:
    match = played(bob, carol)
    replay()
    correct(match, winner=0, score=(7, 6))
    done = replay()
    assert done is not None
    assert (done.matches, done.written) == (1, 0)


def test_a_void_match_leaves_no_rating_changes(bob: Player, carol: Player) -> None:
    match = played(bob, carol)
    replay()
    correct(match, winner=None, kind=Kind.VOID)
    replay()
    assert not RatingChange.objects.exists()
    assert not PlayerRating.objects.exists()


def test_a_replay_starts_at_the_earliest_mark(bob: Player, carol: Player) -> None:
    first, second = played(bob, carol, hours=1), played(bob, carol, hours=2)
    replay()
    for match in (first, second):
        correct(match, winner=1)
    assert ratings.dirty_since(ratings.default_pool()) == (first.finished_at, first.pk)


def test_matches_that_finish_at_the_same_time_count_by_their_id(bob: Player, carol: Player, erik: Player) -> None:
    first, second = played(bob, carol), played(bob, erik)
    replay()
    correct(second, winner=1)
    done = replay()
    assert done is not None
    assert done.matches == 1
    correct(first, winner=1)
    done = replay()
    assert done is not None
    assert done.matches == 2
    assert not differences()


# Merged players and other settings


def test_merged_players_are_rated_as_one_player(bob: Player, carol: Player) -> None:
    robert = player("Robert")
    played(carol, robert, hours=0)
    played(bob, carol, hours=1)
    replay()
    apart = rating(bob)
    Player.objects.filter(pk=robert.pk).update(merged_into=bob)
    assert ratings.send_again(now=LATER) == 1
    replay()
    assert rating(robert) is None
    assert PlayerRating.objects.get(player=bob).matches == 2
    assert not differences()
    assert ratings.send_again(now=LATER) == 0
    Player.objects.filter(pk=robert.pk).update(merged_into=None)
    replay()
    assert rating(bob) == apart
    assert PlayerRating.objects.get(player=robert).matches == 1
    assert not differences()


def test_a_match_between_two_merged_players_is_not_rated(bob: Player, carol: Player) -> None:
    played(bob, carol)
    replay()
    Player.objects.filter(pk=carol.pk).update(merged_into=bob)
    replay()
    assert not PlayerRating.objects.exists()
    assert not differences()


def test_merging_players_without_matches_replays_nothing(bob: Player, carol: Player, erik: Player) -> None:
    played(bob, carol)
    replay()
    Player.objects.filter(pk=erik.pk).update(merged_into=bob)
    assert replay() is None
    assert ratings.send_again(now=LATER) == 0


def test_changed_settings_replay_everything(bob: Player, carol: Player) -> None:
    played(bob, carol, length=7)
    replay()
    RatingPool.objects.update(start_rating=1800, ramp="none")
    assert ratings.send_again(now=LATER) == 1
    done = replay()
    assert done is not None
    assert done.since == BEGINNING
    assert (rating(bob), rating(carol)) == (1805.291503, 1794.708497)
    assert not differences()


def test_a_match_counts_in_its_own_pool_only(bob: Player, carol: Player) -> None:
    pool = RatingPool.objects.create(name="Online")
    played(bob, carol, pool=pool)
    replay()
    assert not RatingChange.objects.exists()
    replay(pool=pool)
    assert set(RatingChange.objects.values_list("pool", flat=True)) == {pool.pk}


def test_players_without_ratings_have_the_first_rating(bob: Player, carol: Player, erik: Player) -> None:
    played(bob, carol, length=7)
    replay()
    Player.objects.filter(pk=erik.pk).update(merged_into=bob)
    newcomer = player("Newcomer")
    ids = [player.pk for player in (carol, erik, newcomer)]
    assert ratings.ratings_of(players=ids) == {carol.pk: 1473.542487, erik.pk: 1526.457513, newcomer.pk: 1500}


# One worker at a time


def claim(now: Any = LATER) -> Any:
    return ratings._claim(ratings.default_pool().pk, now)


def test_a_claimed_pool_is_left_to_its_worker(bob: Player, carol: Player) -> None:
    played(bob, carol)
    assert claim() is not None
    assert replay(LATER + timedelta(seconds=59)) is None
    assert ratings.send_again(now=LATER + timedelta(seconds=59)) == 0


def test_the_claim_of_a_dead_worker_is_taken_over(bob: Player, carol: Player) -> None:
    match = played(bob, carol)
    replay()
    correct(match, winner=1)
    dead = claim()
    later = LATER + timedelta(seconds=61)
    assert ratings.send_again(now=later) == 1
    done = replay(later)
    assert done is not None
    assert done.since == dead.since == Key(match.finished_at, match.pk)
    assert not differences()


def test_a_worker_whose_claim_expired_writes_nothing(bob: Player, carol: Player) -> None:
    match = played(bob, carol)
    slow = claim()
    stale = ratings.folded(slow.pool, slow.since, slow.same)
    assert stale.matches == 1
    correct(match, winner=1)
    replay(LATER + timedelta(seconds=61))
    assert ratings._replay(slow) is None
    assert rating(bob) == 1473.542487


def test_a_result_recorded_during_a_replay_is_not_lost(bob: Player, carol: Player) -> None:
    first = played(bob, carol, hours=1)
    mine = claim()
    played(carol, bob, hours=2)
    # The mark of the second match is its own: the claim has taken away only the first.
    assert ratings.dirty_since(ratings.default_pool()) is not None
    correct(first, winner=1)
    assert ratings._replay(mine) is not None
    assert ratings.send_again(now=LATER) == 1
    replay()
    assert not differences()
    assert PlayerRating.objects.get(player=carol).wins == 2


# Checking


def test_the_check_finds_rows_changed_by_hand(bob: Player, carol: Player) -> None:
    match = played(bob, carol, submission=record(0, 1))
    replay()
    assert not differences()
    RatingChange.objects.filter(player=bob).update(rating_after=2000)
    PlayerRating.objects.filter(player=carol).delete()
    type(match).objects.update(moved=False)
    report = differences()
    assert set(report.changes) == {(match.pk, bob.pk), (match.pk, carol.pk)}
    assert report.unmoved == {match.pk: (False, True)}
    type(match).objects.update(moved=True)
    report = differences()
    assert set(report.changes) == {(match.pk, bob.pk)}
    stored, derived = report.changes[match.pk, bob.pk]
    assert stored is not None
    assert derived is not None
    assert (stored.rating_after, derived.rating_after) == (2000, 1526.457513)
    assert list(report.standings) == [carol.pk]
    assert RatingChange.objects.get(player=bob).rating_after == 2000, "a check writes nothing"


def test_rebuilding_repairs_rows_changed_by_hand(bob: Player, carol: Player) -> None:
    played(bob, carol)
    replay()
    RatingChange.objects.filter(player=bob).update(rating_after=2000)
    PlayerRating.objects.all().delete()
    done = ratings.rebuild_pool(pool=ratings.default_pool(), now=LATER)
    assert done is not None
    assert done.written == 3
    assert not differences()


def test_the_check_ignores_rows_of_a_pending_replay(bob: Player, carol: Player) -> None:
    played(bob, carol, hours=1)
    replay()
    played(bob, carol, hours=2)
    assert not differences()
    RatingChange.objects.filter(player=bob).update(rating_after=2000)
    assert differences()


def test_the_check_fetches_the_pool_again(bob: Player, carol: Player) -> None:
    pool = ratings.default_pool()
    played(bob, carol)
    replay()
    RatingChange.objects.filter(player=bob).update(rating_after=2000)
    assert ratings.check_ratings(pool), "the pool as it was before the replay"


def test_the_check_ignores_merged_players_from_their_first_match_on(bob: Player, carol: Player) -> None:
    played(bob, carol, hours=1)
    played(player("Robert"), carol, hours=2)
    replay()
    Player.objects.filter(name="Robert").update(merged_into=bob)
    assert not differences()
    RatingChange.objects.filter(player=bob).update(rating_after=2000)
    assert differences()


# How much it takes


def test_replaying_the_last_match_takes_a_constant_number_of_queries(bob: Player, carol: Player, erik: Player) -> None:
    cast = [bob, carol, erik]
    counts = []
    for number in range(40):
        match = played(cast[number % 3], cast[(number + 1) % 3], hours=number)
        with CaptureQueriesContext(connection) as queries:
            done = replay()
        assert done is not None
        if number:
            assert done.matches == 1
        counts.append(len(queries))
        assert match.pk
    assert len(set(counts[3:])) == 1
    assert counts[-1] <= 26
    assert not differences()


@pytest.mark.slow
def test_results_are_recorded_while_the_broker_is_down(
    bob: Player, carol: Player, broker_down: None, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True) as callbacks:
        played(bob, carol)
    assert callbacks
    assert replay() is not None
    assert Result.objects.count() == 1
