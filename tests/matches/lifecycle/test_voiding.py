"""Voiding matches, with or without their rating, and reinstating them."""

from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pytest_django import DjangoCaptureOnCommitCallbacks

from engine.errors import Refused
from matches.lifecycle.finish import Basis, ResultInput, append_result, standing_result
from matches.models import Match, PlayerRating, RatingChange, Submission
from matches.ratings import services as ratings
from players.actors import SYSTEM, Actor
from players.models import LogEntry, Player, User
from tests.matches.cast import match_between
from tests.matches.ratings.history import LATER, NOON, Kind, correct, played, player, record, reinstate, replay, void
from tournaments.state import integrity

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
RATED = {Kind.PLAYED, Kind.CONCESSION, Kind.FLAG}
Rows = list[tuple[Any, ...]]


def rows() -> tuple[Rows, Rows]:
    """All stored ratings, without the ids of rows."""
    changes = RatingChange.objects.order_by("pool", "finished_at", "match", "player")
    fields = [field.attname for field in RatingChange._meta.concrete_fields if not field.primary_key]
    standings = [field.attname for field in PlayerRating._meta.concrete_fields if not field.primary_key]
    return (
        list(changes.values_list(*fields)),
        list(PlayerRating.objects.order_by("pool", "player").values_list(*standings)),
    )


def differences() -> ratings.Differences:
    return ratings.check_ratings(ratings.default_pool())


# Void, and still rated


def test_a_void_match_leaves_the_ratings_unless_it_stays_rated(bob_player: Player, carol_player: Player) -> None:
    match = played(bob_player, carol_player)
    replay()
    before = rows()
    void(match, rated=True, reason="drawn anew")
    replay()
    assert rows() == before
    assert before[0]
    assert not differences()
    standing = standing_result(match)
    assert standing is not None
    assert (standing.kind, standing.winner, standing.score, standing.reason) == (Kind.VOID, 0, (7, 3), "drawn anew")
    assert Match.objects.get().state == Match.State.VOID
    void(match)
    replay()
    assert rows() == ([], [])
    assert not differences()


def test_whether_a_void_match_is_rated_can_be_changed_later(bob_player: Player, carol_player: Player) -> None:
    match = played(bob_player, carol_player)
    replay()
    before = rows()
    assert [void(match, rated=rated).winner for rated in (False, True, True, False)] == [None, 0, 0, None]
    void(match, rated=True)
    replay()
    assert rows() == before


@pytest.mark.parametrize("kind", [kind for kind in Kind.values if kind != Kind.VOID])
def test_only_results_that_were_rated_can_stay_rated(kind: str, bob_player: Player, carol_player: Player) -> None:
    match = played(bob_player, carol_player, kind=kind)
    assert void(match, rated=True).winner == (0 if kind in RATED else None)
    replay()
    assert RatingChange.objects.exists() is (kind in RATED)


def test_a_match_without_a_result_cannot_stay_rated(bob_player: Player, carol_player: Player) -> None:
    match = match_between(bob_player, carol_player)
    assert void(match, rated=True).winner is None
    replay()
    assert rows() == ([], [])


@pytest.mark.parametrize("movers", [(0, 1), (0,)])
def test_the_record_of_a_void_match_still_decides_whether_both_sides_moved(
    movers: tuple[int, ...], bob_player: Player, carol_player: Player
) -> None:
    match = played(bob_player, carol_player, kind=Kind.CONCESSION, submission=record(*movers))
    replay()
    before = rows()
    assert void(match, rated=True).submission is not None
    replay()
    assert rows() == before
    assert not differences()
    assert bool(before[0]) is (movers == (0, 1))


def test_the_log_says_whether_a_voided_match_stays_rated(bob_player: Player, carol_player: Player) -> None:
    match = played(bob_player, carol_player)
    for rated in (True, False):
        void(match, rated=rated)
    void(played(bob_player, carol_player, kind=Kind.WALKOVER), rated=True)
    void(played(bob_player, carol_player, rated=False), rated=True)
    entries = LogEntry.objects.filter(verb="match_voided").order_by("pk").values_list("params", flat=True)
    assert [params["rated"] for params in entries] == [True, False, False, False]


def test_an_unrated_match_with_a_side_that_never_moved_passes_the_check(
    bob_player: Player, carol_player: Player
) -> None:
    played(bob_player, carol_player, kind=Kind.CONCESSION, submission=record(0), rated=False)
    assert not differences()


# Taken back


def test_the_result_of_a_void_match_can_be_reinstated(bob_player: Player, carol_player: Player, alice: User) -> None:
    proof = record(0, 1)
    match = match_between(bob_player, carol_player)
    Submission.objects.filter(pk=proof.pk).update(match=match, standing=Submission.Standing.STANDS)
    had = append_result(
        match,
        ResultInput(1, (5, 8)),
        Basis("record", proof, waived=[("clock", 2, None)], reason="as recorded"),
        by=SYSTEM,
        now=NOON,
    )
    void(match, reason="the wrong two")
    proof.refresh_from_db()
    assert proof.standing == Submission.Standing.REFUSED
    back = reinstate(match, by=Actor.of(alice), reason="they were right")
    same = ("winner", "score", "kind", "source", "submission", "waived", "reason")
    had.refresh_from_db()
    assert [getattr(back, name) for name in same] == [getattr(had, name) for name in same]
    assert (back.version, back.user, back.at) == (3, alice, LATER)
    row = Match.objects.get()
    assert (row.state, row.finished_at, row.unsettled, row.seq) == (Match.State.SETTLED, NOON, False, 3)
    proof.refresh_from_db()
    assert (proof.standing, proof.refusal) == (Submission.Standing.STANDS, None)
    entry = LogEntry.objects.get(verb="match_reinstated")
    assert (entry.params["reason"], entry.params["winner"], entry.params["version"]) == ("they were right", 1, 3)


def test_reinstating_a_match_sends_no_signal(
    bob_player: Player,
    carol_player: Player,
    heard: list[int],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    match = played(bob_player, carol_player, parent_topic="division:abc")
    void(match)
    with django_capture_on_commit_callbacks(execute=True):
        reinstate(match)
    assert heard == []


def test_only_a_void_match_can_be_reinstated(bob_player: Player, carol_player: Player) -> None:
    match = played(bob_player, carol_player)
    with pytest.raises(Refused) as refused:
        reinstate(match)
    assert refused.value.code == "match_not_void"
    assert match.results.count() == 1


def test_a_match_without_a_result_cannot_be_reinstated(bob_player: Player, carol_player: Player) -> None:
    match = match_between(bob_player, carol_player)
    void(match)
    with pytest.raises(Refused) as refused:
        reinstate(match)
    assert refused.value.code == "match_without_result"
    assert Match.objects.get().state == Match.State.VOID


def test_a_reinstated_match_accepts_results_and_can_be_voided_again(bob_player: Player, carol_player: Player) -> None:
    match = played(bob_player, carol_player)
    for rated in (True, False):
        void(match, rated=rated)
        reinstate(match)
    correct(match, winner=1, score=(2, 7))
    void(match)
    back = reinstate(match)
    assert (back.version, back.winner, back.score) == (8, 1, (2, 7))


Played = tuple[int, int, int, int, str, tuple[int, ...] | None, bool]
A_MATCH = st.tuples(
    st.integers(0, 3), st.integers(1, 3), st.integers(0, 3), st.integers(1, 25),
    st.sampled_from([kind for kind in Kind.values if kind != Kind.VOID]),
    st.sampled_from([None, None, (0, 1), (0,)]), st.sampled_from([True, True, True, False]),
)  # fmt: skip
A_VOIDING = st.tuples(st.integers(0, 7), st.booleans(), st.booleans())


@pytest.mark.slow
@given(season=st.lists(A_MATCH, min_size=1, max_size=8), voidings=st.lists(A_VOIDING, min_size=1, max_size=6))
@settings(
    max_examples=40,
    # What fails is short already, and every attempt to make it shorter takes a while.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_voiding_and_reinstating_leaves_the_ratings_unchanged(
    season: list[Played], voidings: list[tuple[int, bool, bool]]
) -> None:
    with transaction.atomic():
        cast = [player(name) for name in ("Bob", "Carol", "Erik", "Frida")]
        matches = []
        for who, further, hours, length, kind, movers, rated in season:
            two = cast[who], cast[(who + further) % 4]
            proof = None if movers is None else record(*movers)
            matches.append(played(*two, hours=hours, length=length, kind=kind, submission=proof, rated=rated))
        replay()
        before = rows()
        gone = set()
        for number, rated, at_once in voidings:
            match = matches[number % len(matches)]
            void(match, rated=rated)
            gone.add(match)
            if at_once:
                replay()
                assert not differences()
        for match in gone:
            reinstate(match)
        replay()
        assert rows() == before
        assert not differences()
        transaction.set_rollback(True)


@pytest.mark.parametrize("rated", [True, False])
def test_the_integrity_check_finds_nothing_after_voiding_or_reinstating(
    rated: bool, bob_player: Player, carol_player: Player
) -> None:
    match = match_between(bob_player, carol_player, parent_topic="")
    append_result(match, ResultInput(1, (5, 7)), Basis("director"), by=SYSTEM, now=NOON)
    for change in (lambda: void(match, rated=rated), lambda: reinstate(match)):
        change()
        replay()
        assert list(integrity.differences()) == []
