"""Which decisions are chosen, and of which analysis."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from matches.models import Analysis, Decision, Match, Submission
from matches.presentation.visibility import NOBODY, Viewer
from matches.review.choice import (
    Choosable,
    chosen,
    decisions_of_match,
    decisions_of_night,
    decisions_to_check,
    is_to_check,
)
from players.models import Club, Player, User
from tests.matches.analysis.rows import BLUNDER, analysis_of
from tests.matches.cast import NOW, match_between

SHARED = Path(__file__).parents[4] / "shared/data/morning/three.json"
CASES = json.loads(SHARED.read_text())["cases"] if SHARED.exists() else []
needs_cases = pytest.mark.skipif(not CASES, reason="the cases of the specification are not here")
BOB = 0
Queries = Callable[[int], AbstractContextManager[Any]]


@pytest.fixture
def other(bob_player: Player, carol_player: Player, club: Club) -> Match:
    """Not played yet."""
    return match_between(bob_player, carol_player, club=club)


def row(**fields: Any) -> Choosable:
    usual = {"match": 0, "game": 1, "event": 3, "kind": "play", "played": "x", "error": 0.1, "error_winning": 0.02}
    return Choosable(**{**usual, "position": "p", "winning": 0.5, "counted": True, **fields})


@needs_cases
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_cases_of_the_specification(case: dict[str, Any]) -> None:
    ids = {row(**{key: value for key, value in each.items() if key != "id"}): each["id"] for each in case["decisions"]}
    assert [ids[each] for each in chosen(ids)] == case["chosen"]
    assert [ids[each] for each in ids if is_to_check(each)] == case.get("check_record", [])


def test_three_are_chosen_by_what_they_cost_and_never_filled_up() -> None:
    rows = [row(position=number, error_winning=number / 100) for number in range(1, 6)]
    assert [each.position for each in chosen(rows)] == [5, 4, 3]
    assert chosen([row(error=0.049), row(error_winning=0.004), row(winning=0.98), row(counted=False)]) == []


def test_the_same_again_and_a_double_missed_repeatedly_are_one() -> None:
    same = [row(game=game, error_winning=game / 100) for game in (1, 2)]
    assert chosen(same) == [same[1]]
    missed = [row(kind="double", played="no_double", position=at, event=at, error_winning=at / 100) for at in (1, 2)]
    wrong = row(kind="double", played="double", position=3)
    assert chosen([*missed, wrong]) == [missed[1], wrong]
    assert len(chosen([missed[0], missed[1]._replace(game=2)])) == 2


def test_a_loss_that_is_too_large_is_for_checking_the_record() -> None:
    wrong = row(error=1.2)
    assert (chosen([wrong]), is_to_check(wrong), is_to_check(row())) == ([], True, False)


@pytest.mark.django_db
class TestStored:
    """Of Bob and Carol's analysed match, in which the eighth play of each game is a blunder."""

    def test_a_player_sees_their_own_and_nobody_else_any(
        self, analysis: Analysis, match: Match, bob: User, carol: User, dave: User
    ) -> None:
        Player.objects.update(analysis_visibility=Player.AnalysisVisibility.PUBLIC)
        found = {user.pk: decisions_of_match(match, Viewer.of(user)) for user in (bob, carol, dave)}
        assert not found[dave.pk]
        assert not decisions_of_match(match, NOBODY)
        blunders = Decision.objects.filter(analysis=analysis, error=BLUNDER)
        shown = [each.decision for user in (bob, carol) for each in found[user.pk]]
        assert {each.pk for each in shown} == {each.pk for each in blunders}
        for side, user in enumerate((bob, carol)):
            assert all(each.decision.side == side for each in found[user.pk])
        assert {each.source for of in found.values() for each in of} == {"gnubg 2-ply"}
        assert {each.cost for of in found.values() for each in of} == {BLUNDER / 4}

    def test_the_sides_of_a_swapped_record_are_exchanged(self, analysis: Analysis, match: Match, bob: User) -> None:
        Analysis.objects.update(swapped=True)
        Decision.objects.filter(analysis=analysis).update(error=BLUNDER, error_winning=0.04)
        assert {each.decision.side for each in decisions_of_match(match, Viewer.of(bob))} == {1}

    def test_a_shallow_analysis_is_never_used(self, analysis: Analysis, match: Match, bob: User) -> None:
        viewer = Viewer.of(bob)
        Decision.objects.filter(analysis=analysis).update(error=BLUNDER, error_winning=0.04)
        assert decisions_of_match(match, viewer)
        for fields in ({"settings": {"plays": "0-ply"}}, {"backend": "bgsage"}, {"backend": "club"}):
            usual = {"backend": "gnubg", "settings": {"plays": "2-ply"}}
            Analysis.objects.filter(pk=analysis.pk).update(**{**usual, **fields})
            assert decisions_of_match(match, viewer) == []

    def test_one_play_that_was_looked_at_less_deeply_is_not_compared(
        self, analysis: Analysis, match: Match, bob: User
    ) -> None:
        for decision in analysis.decisions.all():
            decision.candidates[-1]["depth"] = "0-ply"
            decision.error, decision.error_winning = BLUNDER, 0.04
            decision.save()
        assert decisions_of_match(match, Viewer.of(bob)) == []

    def test_the_analysis_in_a_record_stands_in_where_ours_is_shallow(
        self, analysis: Analysis, match: Match, record: Submission, bob: User
    ) -> None:
        viewer = Viewer.of(bob)
        theirs = analysis_of(record, match=match, now=NOW)
        Analysis.objects.filter(pk=theirs.pk).update(origin=Analysis.Origin.SENDER, backend="xg", settings={})
        for decision in theirs.decisions.filter(side=BOB, error__gte=0.03):
            decision.error, decision.error_winning = 0.5, 0.1
            for candidate in decision.candidates:
                candidate |= {"depth": "3-ply", "chances": [0.5, 0.1, 0.0, 0.1, 0.0]}
            decision.save()
        assert {each.source for each in decisions_of_match(match, viewer)} <= {"gnubg 2-ply"}
        Analysis.objects.filter(pk=analysis.pk).update(settings={"plays": "0-ply"})
        assert {each.source for each in decisions_of_match(match, viewer)} == {"XG, from your opponent’s file"}
        Submission.objects.filter(pk=record.pk).update(side=BOB)
        assert {each.source for each in decisions_of_match(match, viewer)} == {"XG, from your file"}
        for decision in theirs.decisions.all():
            for candidate in decision.candidates:
                candidate.pop("chances", None)
            decision.save()
        assert decisions_of_match(match, viewer) == []

    def test_a_night_takes_as_many_queries_as_a_match(
        self, analysis: Analysis, match: Match, other: Match, bob: User, django_assert_max_num_queries: Queries
    ) -> None:
        viewer = Viewer.of(bob)
        analysis.decisions.filter(error__gt=0).update(error=BLUNDER, error_winning=0.04)
        with django_assert_max_num_queries(6):
            shown = decisions_of_night([other, match], viewer)
        assert [each.decision for each in shown] == [each.decision for each in decisions_of_match(match, viewer)]
        assert {each.match for each in shown} == {match}

    def test_losses_above_one_are_to_be_checked(self, analysis: Analysis, match: Match, bob: User) -> None:
        viewer = Viewer.of(bob)
        assert decisions_to_check(match, viewer) == []
        analysis.decisions.filter(side=BOB, error__gt=0).update(error=1.1)
        assert {each.decision.error for each in decisions_to_check(match, viewer)} == {1.1}
        assert decisions_of_match(match, viewer) == []
