"""A preview of ratings equals the ratings after the results are written and replayed."""

from collections.abc import Mapping
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from matches.lifecycle.finish import Basis, ResultInput, append_result
from matches.lifecycle.locks import lock_match
from matches.models import Match, PlayerRating, RatingChange, RatingMark, RatingPool, Result
from matches.ratings import services as ratings
from matches.ratings.preview import RatingPreview, SupposedResult, preview_ratings
from players.actors import SYSTEM
from players.models import LogEntry, Player
from tests.matches.ratings.history import (
    LATER,
    Kind,
    bob,
    carol,
    correct,
    erik,
    played,
    player,
    record,
    reinstate,
    replay,
    void,
)
from tests.tiers import TIER

__all__ = ["bob", "carol", "erik"]

pytestmark = pytest.mark.django_db
Places = dict[tuple[int, int], float]


def stored() -> Places:
    """The rating of everybody who has rating, by pool and player."""
    return {(rating.pool_id, rating.player_id): rating.rating for rating in PlayerRating.objects.all()}


def differing(before: Places, after: Places) -> dict[tuple[int, int], tuple[float, float]]:
    """Ratings (before, after) that differ; players without ratings have the first rating."""
    pairs = {place: (before.get(place, 1500.0), after.get(place, 1500.0)) for place in before.keys() | after.keys()}
    return {place: pair for place, pair in pairs.items() if pair[0] != pair[1]}


def before_and_after(previews: list[RatingPreview]) -> dict[tuple[int, int], tuple[float, float]]:
    assert len({(preview.pool, preview.player) for preview in previews}) == len(previews)
    return {(preview.pool, preview.player): (preview.before, preview.after) for preview in previews}


def replay_all() -> None:
    for pool in RatingPool.objects.order_by("pk"):
        replay(pool=pool)


def come_true(outcomes: Mapping[int, SupposedResult]) -> None:
    """Write these results as a director would."""
    with transaction.atomic():
        for number, outcome in outcomes.items():
            match = lock_match(number)
            if outcome.kind == Kind.VOID:
                void(match, rated=outcome.rated and outcome.winner is not None)
                continue
            if match.state == Match.State.VOID:
                reinstate(match)
                match.refresh_from_db()
            score = None
            if outcome.kind in (Kind.PLAYED, Kind.LEADER):
                score = (match.length, 0) if outcome.winner == 0 else (0, match.length)
            same = match.results.filter(submission=outcome.submission).exclude(submission=None).first()
            basis = Basis("director", same.submission if same else None)
            append_result(match, ResultInput(outcome.winner, score, outcome.kind), basis, by=SYSTEM, now=LATER)
    replay_all()


def test_the_last_match_with_the_other_winner_is_previewed(bob: Player, carol: Player, erik: Player) -> None:
    played(erik, carol, hours=1)
    match = played(bob, carol, hours=2, length=7)
    replay()
    before = stored()
    seen = preview_ratings({match.pk: SupposedResult(1, Kind.PLAYED)})
    assert [preview.player for preview in seen] == [bob.pk, carol.pk], "he has the higher K"
    assert seen[0].change < 0 < seen[1].change
    assert abs(seen[0].change) > abs(seen[1].change)
    assert stored() == before
    come_true({match.pk: SupposedResult(1, Kind.PLAYED)})
    assert before_and_after(seen) == differing(before, stored())


def test_an_earlier_match_changes_later_opponents_too(bob: Player, carol: Player, erik: Player) -> None:
    match = played(bob, carol, hours=1)
    played(erik, bob, hours=2)
    replay()
    assert {preview.player for preview in preview_ratings({match.pk: SupposedResult(1, Kind.FLAG)})} == {
        bob.pk,
        carol.pk,
        erik.pk,
    }


def test_the_same_outcome_changes_nothing(bob: Player, carol: Player) -> None:
    match = played(bob, carol)
    replay()
    assert preview_ratings({match.pk: SupposedResult(0, Kind.CONCESSION)}) == []
    assert preview_ratings({match.pk: SupposedResult(0, Kind.VOID)}) == []
    assert preview_ratings({}) == []


@pytest.mark.parametrize(
    "outcome",
    [
        SupposedResult(None, Kind.VOID),
        SupposedResult(0, Kind.VOID, rated=False),
        SupposedResult(0, Kind.WALKOVER),
        SupposedResult(None, Kind.RULING),
        SupposedResult(1, Kind.PLAYED, rated=False),
    ],
)
def test_a_match_can_become_unrated(outcome: SupposedResult, bob: Player, carol: Player) -> None:
    match = played(bob, carol, length=7)
    replay()
    here = ratings.default_pool().pk
    assert preview_ratings({match.pk: outcome}) == [
        RatingPreview(here, bob.pk, 1526.457513, 1500), RatingPreview(here, carol.pk, 1473.542487, 1500),
    ]  # fmt: skip


def test_a_match_can_become_rated_at_its_place_in_the_order(bob: Player, carol: Player, erik: Player) -> None:
    match = played(bob, carol, hours=1, kind=Kind.FORFEIT)
    played(bob, erik, hours=2)
    replay()
    seen = before_and_after(preview_ratings({match.pk: SupposedResult(0, Kind.PLAYED)}))
    before = stored()
    come_true({match.pk: SupposedResult(0, Kind.PLAYED)})
    assert seen == differing(before, stored())
    assert len(seen) == 3


def test_unfinished_and_unrated_matches_are_left_out(bob: Player, carol: Player) -> None:
    unrated = played(bob, carol, rated=False)
    waiting = Match.objects.create(player_0=bob, player_1=carol, length=7)
    replay()
    nobodys = waiting.pk + 1
    assert (
        preview_ratings({number: SupposedResult(1, Kind.PLAYED) for number in (unrated.pk, waiting.pk, nobodys)}) == []
    )


def test_a_voided_walkover_does_not_count(bob: Player, carol: Player) -> None:
    match = played(bob, carol, kind=Kind.WALKOVER)
    replay()
    assert preview_ratings({match.pk: SupposedResult(0, Kind.VOID)}) == []


def test_each_match_changes_its_own_pool(bob: Player, carol: Player) -> None:
    online = RatingPool.objects.create(name="Online")
    here, there = played(bob, carol, length=9), played(bob, carol, length=1, pool=online)
    replay_all()
    seen = preview_ratings({match.pk: SupposedResult(1, Kind.PLAYED) for match in (there, here)})
    site = ratings.default_pool().pk
    assert [(match.pool, match.player) for match in seen] == [
        (site, bob.pk), (site, carol.pk), (online.pk, bob.pk), (online.pk, carol.pk),
    ]  # fmt: skip


def test_pending_replays_are_included(bob: Player, carol: Player, erik: Player) -> None:
    played(erik, carol, hours=1)
    replay()
    late = played(erik, bob, hours=0)
    match = played(bob, carol, hours=2)
    before = stored()
    outcomes = {match.pk: SupposedResult(1, Kind.PLAYED)}
    seen = before_and_after(preview_ratings(outcomes))
    assert (late.rating_changes.exists(), len(seen)) == (False, 3)
    come_true(outcomes)
    assert seen == differing(before, stored())


def test_a_replay_in_progress_is_included(bob: Player, carol: Player, erik: Player) -> None:
    played(erik, carol, hours=1)
    match = played(bob, carol, hours=2)
    replay()
    outcomes = {match.pk: SupposedResult(1, Kind.PLAYED)}
    assert len(preview_ratings(outcomes)) == 2
    played(erik, bob, hours=0)
    assert ratings._claim(ratings.default_pool().pk, LATER) is not None
    assert ratings.dirty_since(ratings.default_pool()) is None
    assert len(preview_ratings(outcomes)) == 3


def test_merged_players_count_as_one_player(bob: Player, carol: Player, erik: Player) -> None:
    played(erik, carol, hours=1)
    match = played(bob, carol, hours=2)
    replay()
    Player.objects.filter(pk=erik.pk).update(merged_into=bob)
    before, outcomes = stored(), {match.pk: SupposedResult(1, Kind.PLAYED)}
    seen = before_and_after(preview_ratings(outcomes))
    come_true(outcomes)
    assert seen == differing(before, stored())
    assert len(seen) == 3


def test_a_corrected_match_counts_with_its_correction(bob: Player, carol: Player) -> None:
    match = played(bob, carol)
    correct(match, winner=1)
    void(match)
    replay()
    before, outcomes = stored(), {match.pk: SupposedResult(1, Kind.VOID)}
    seen = before_and_after(preview_ratings(outcomes))
    assert [after > was for was, after in seen.values()] == [False, True]
    come_true(outcomes)
    assert seen == differing(before, stored())


def test_a_record_in_which_a_side_never_moved_does_not_count(bob: Player, carol: Player) -> None:
    match = played(bob, carol, kind=Kind.CONCESSION, submission=record(0))
    replay()
    void(match)
    had = match.results.exclude(kind=Result.Kind.VOID).order_by("-version").first()
    assert had is not None
    assert preview_ratings({match.pk: SupposedResult.of(had)}) == []
    assert preview_ratings({match.pk: SupposedResult(0, Kind.VOID)}) == []
    assert len(preview_ratings({match.pk: SupposedResult(0, Kind.CONCESSION)})) == 2


# How much it takes


@pytest.mark.slow
def test_previewing_the_last_match_takes_a_constant_number_of_queries(bob: Player, carol: Player, erik: Player) -> None:
    cast = [bob, carol, erik]
    counts = []
    for number in range(30):
        match = played(cast[number % 3], cast[(number + 1) % 3], hours=number)
        replay()
        with CaptureQueriesContext(connection) as queries:
            assert len(preview_ratings({match.pk: SupposedResult(1, Kind.PLAYED)})) == 2
        counts.append(len(queries))
    assert len(set(counts[3:])) == 1
    assert counts[-1] <= 15


def test_earlier_ratings_are_taken_from_the_stored_changes(bob: Player, carol: Player) -> None:
    """Otherwise every preview would replay the whole history."""
    first, last = played(bob, carol, hours=1), played(bob, carol, hours=2)
    replay()
    outcomes = {last.pk: SupposedResult(1, Kind.PLAYED)}
    before = preview_ratings(outcomes)
    # By hand and without a mark, so that nothing tells of it.
    first.results.update(winner=1)
    assert preview_ratings(outcomes) == before


# Any history

KINDS = [Kind.PLAYED, Kind.PLAYED, Kind.CONCESSION, Kind.FLAG, Kind.WALKOVER, Kind.SETTLED, Kind.LEADER]
A_MATCH = st.fixed_dictionaries(
    {
        "who": st.integers(0, 4),
        "further": st.integers(1, 4),
        "hours": st.integers(0, 3),
        "length": st.integers(1, 25),
        "kind": st.sampled_from(KINDS),
        "rated": st.sampled_from([True, True, True, True, False]),
        "online": st.sampled_from([False, False, True]),
        "movers": st.sampled_from([None, None, (0, 1), (0,)]),
        "voided": st.sampled_from([None, None, None, True, False]),
        "replayed": st.booleans(),
    }
)
A_CHANGE = st.tuples(
    st.integers(0, 11), st.sampled_from(["other", "void", "rated void", "again"]), st.sampled_from(KINDS),
    st.sampled_from([0, 1]),
)  # fmt: skip


def season(plans: list[dict[str, Any]], online: RatingPool, cast: list[Player]) -> list[Match]:
    matches = []
    for plan in plans:
        proof = record(*plan["movers"]) if plan["movers"] else None
        match = played(
            cast[plan["who"]], cast[(plan["who"] + plan["further"]) % 5], hours=plan["hours"], length=plan["length"],
            kind=plan["kind"], rated=plan["rated"], pool=online if plan["online"] else None, submission=proof,
        )  # fmt: skip
        if plan["voided"] is not None:
            void(match, rated=plan["voided"])
        if plan["replayed"]:
            replay_all()
        matches.append(match)
    return matches


def outcome_of(match: Match, change: str, kind: str, winner: int) -> SupposedResult:
    had = match.results.exclude(kind=Result.Kind.VOID).order_by("-version").first()
    assert had is not None
    if change == "again":
        return SupposedResult.of(had)
    if change == "other":
        return SupposedResult(winner, kind)
    return SupposedResult(had.winner, Kind.VOID, rated=change == "rated void")


@pytest.mark.slow
@given(
    ones=st.lists(A_MATCH, min_size=1, max_size=10),
    changes=st.lists(A_CHANGE, min_size=1, max_size=5),
    merged=st.booleans(),
)
@settings(
    max_examples=TIER.examples // 4,
    # What fails is short already, and every attempt to make it shorter takes a while.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_a_preview_equals_the_ratings_after_the_change(
    ones: list[dict[str, Any]], changes: list[tuple[int, str, str, int]], merged: bool
) -> None:
    with transaction.atomic():
        cast = [player(name) for name in ("Bob", "Carol", "Erik", "Frida", "Gus")]
        matches = season(ones, RatingPool.objects.create(name="Online"), cast)
        if merged:
            Player.objects.filter(pk=cast[0].pk).update(merged_into=cast[1])
        outcomes = {}
        for number, *change in changes:
            match = matches[number % len(matches)]
            outcomes[match.pk] = outcome_of(match, *change)
        before = stored()
        written = [model.objects.count() for model in (Result, RatingChange, RatingMark, LogEntry)]
        seen = preview_ratings(outcomes)
        assert stored() == before
        assert [model.objects.count() for model in (Result, RatingChange, RatingMark, LogEntry)] == written
        assert seen == sorted(seen, key=lambda preview: -abs(preview.change))
        come_true(outcomes)
        # Pools of which none of these matches counts are not looked at, even where a replay is about to change them.
        changed = Match.objects.filter(pk__in=outcomes, rated=True)
        pools = {match.pool_id or ratings.default_pool().pk for match in changed}
        become = differing(before, stored())
        assert before_and_after(seen) == {place: pair for place, pair in become.items() if place[0] in pools}
        transaction.set_rollback(True)
