"""Results: versions, what each kind of result requires, and the signal."""

from typing import Any

import pytest
from pytest_django import DjangoCaptureOnCommitCallbacks

from engine.errors import Refused
from matches.lifecycle.finish import Basis, ResultInput, append_result, check_result, match_settled, standing_result
from matches.lifecycle.opening import set_due
from matches.models import Match, RatingPool, Result
from matches.ratings.services import dirty_since
from players.actors import SYSTEM, Actor
from players.models import Player, User
from tests.matches.cast import BOB, CAROL, NOW, match_between, minutes, open_match
from tests.matches.ratings.history import void

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
Kind, Source = Result.Kind, Result.Source


def rule(match: Match, winner: int | None, score: tuple[int, int] | None, at: Any = NOW, **more: Any) -> Result:
    fields = {"kind": Kind.PLAYED, "source": Source.DIRECTOR, "by": SYSTEM, **more}
    outcome, by = ResultInput(winner, score, fields.pop("kind")), fields.pop("by")
    return append_result(match, outcome, Basis(**fields), by=by, now=at)


def test_the_highest_version_stands_and_earlier_ones_are_unchanged(match: Match) -> None:
    rule(match, BOB, (7, 5), minutes(1))
    rule(match, CAROL, (5, 7), minutes(9))
    versions = list(match.results.order_by("version").values_list("version", "winner", "score_0", "score_1"))
    assert versions == [(1, BOB, 7, 5), (2, CAROL, 5, 7)]
    standing = standing_result(match)
    assert standing is not None
    assert standing.version == 2
    assert (match.finished_at, match.seq) == (minutes(1), 2)


def test_the_signal_is_sent_after_the_commit(
    match: Match, heard: list[int], django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        rule(match, BOB, (7, 5))
        assert heard == []
    assert heard == [match.pk]
    assert Match.objects.get().unsettled


def test_a_match_without_a_topic_sends_no_signal(
    bob_player: Player,
    carol_player: Player,
    heard: list[int],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    friendly = match_between(bob_player, carol_player, parent_topic="")
    with django_capture_on_commit_callbacks(execute=True):
        rule(friendly, BOB, (7, 5))
    assert (heard, friendly.unsettled) == ([], False)


def test_a_failing_receiver_leaves_the_result_and_the_match_unsettled(
    match: Match, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    def fail(**_: Any) -> None:
        raise RuntimeError("the room above is broken")

    match_settled.connect(fail)
    try:
        with django_capture_on_commit_callbacks(execute=True):
            rule(match, BOB, (7, 5))
    finally:
        match_settled.disconnect(fail)
    stored = Match.objects.get()
    assert (stored.state, stored.unsettled, stored.results.count()) == (Match.State.SETTLED, True, 1)


def test_ratings_are_marked_from_the_first_match_that_changed(match: Match, pool: RatingPool) -> None:
    rule(match, BOB, (7, 5), minutes(30))
    assert dirty_since(pool) == (minutes(30), match.pk)
    earlier = match_between(*match.players)
    rule(earlier, CAROL, (5, 7), minutes(10))
    rule(match, CAROL, (5, 7), minutes(40))
    assert dirty_since(pool) == (minutes(10), earlier.pk)


def test_an_unrated_match_marks_nothing(bob_player: Player, carol_player: Player, pool: RatingPool) -> None:
    rule(match_between(bob_player, carol_player, rated=False), BOB, (7, 5))
    assert dirty_since(pool) is None


@pytest.mark.parametrize(
    ("kind", "winner", "score"),
    [
        (Kind.PLAYED, BOB, (9, 4)),
        (Kind.PLAYED, CAROL, (0, 8)),
        (Kind.CONCESSION, CAROL, (5, 3)),
        (Kind.FLAG, BOB, None),
        (Kind.WALKOVER, BOB, None),
        (Kind.FORFEIT, CAROL, None),
        (Kind.DOUBLE_FORFEIT, None, None),
        (Kind.LEADER, BOB, (4, 3)),
        (Kind.SETTLED, None, (4, 4)),
        (Kind.RULING, None, None),
        (Kind.RULING, CAROL, (6, 4)),
    ],
)
def test_a_match_can_end_with_a_valid_result(kind: str, winner: int | None, score: tuple[int, int] | None) -> None:
    check_result(length=7, start=(0, 0), winner=winner, score=score, kind=kind)


@pytest.mark.parametrize(
    ("kind", "winner", "score", "code"),
    [
        (Kind.PLAYED, BOB, None, "result_score_missing"),
        (Kind.PLAYED, None, (7, 5), "result_winner_missing"),
        (Kind.PLAYED, BOB, (6, 5), "result_not_reached"),
        (Kind.CONCESSION, None, (3, 5), "result_winner_missing"),
        (Kind.CONCESSION, BOB, (3, 8), "result_loser_leads"),
        (Kind.WALKOVER, None, None, "result_winner_missing"),
        (Kind.DOUBLE_FORFEIT, BOB, None, "result_no_winner"),
        (Kind.LEADER, BOB, (3, 4), "result_loser_leads"),
        (Kind.LEADER, BOB, None, "result_score_missing"),
        (Kind.RULING, BOB, (7, 7), "result_both_reached"),
        (Kind.RULING, BOB, (7, 0), "result_below_start"),
    ],
)
def test_a_match_cannot_end_with_an_invalid_result(
    kind: str, winner: int | None, score: tuple[int, int] | None, code: str
) -> None:
    with pytest.raises(Refused) as refused:
        check_result(length=7, start=(0, 1), winner=winner, score=score, kind=kind)
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"length": 0}, "bad_length"),
        ({"length": 26}, "bad_length"),
        ({"start_score": (7, 0)}, "bad_score"),
        ({"start_score": (-1, 0)}, "bad_score"),
    ],
)
def test_a_match_with_invalid_settings_is_not_opened(
    bob_player: Player, carol_player: Player, change: dict[str, Any], code: str
) -> None:
    with pytest.raises(Refused) as refused:
        match_between(bob_player, carol_player, **change)
    assert refused.value.code == code


def test_nobody_plays_against_themselves(bob_player: Player) -> None:
    with pytest.raises(Refused, match="match_same_player"):
        open_match(players=(bob_player, bob_player), length=7, by=SYSTEM, now=NOW)


def test_a_void_match_is_kept_and_accepts_no_results(match: Match, pool: RatingPool, alice: User) -> None:
    rule(match, BOB, (7, 5), minutes(1))
    pool.marks.all().delete()
    void(match, by=Actor.of(alice), now=minutes(2), reason="drawn anew")
    stored = Match.objects.get()
    standing = standing_result(stored)
    assert standing is not None
    assert (stored.state, standing.kind, standing.version, standing.reason) == ("void", "void", 2, "drawn anew")
    assert stored.finished_at == minutes(1)
    assert dirty_since(pool) == (minutes(1), match.pk)
    with pytest.raises(Refused) as refused:
        rule(stored, BOB, (7, 5))
    assert refused.value.code == "match_void"


def test_a_deadline_can_be_changed_while_the_match_is_open(match: Match) -> None:
    assert set_due(match, due_at=minutes(90), by=SYSTEM).seq == 1
    assert set_due(match, due_at=minutes(90), by=SYSTEM).seq == 1
    row = Match.objects.get()
    assert row.due_at == minutes(90)
    rule(row, BOB, (7, 5))
    with pytest.raises(Refused) as refused:
        set_due(match, due_at=None, by=SYSTEM)
    assert refused.value.code == "match_settled"
