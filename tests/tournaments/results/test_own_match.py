"""A director who plays: somebody else decides the match, or a reason stands beside the result."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from matches.lifecycle.finish import ResultInput
from matches.models import Match, Result
from matches.reporting import reports
from players.actors import Actor
from players.models import Club, Membership, Player, User
from tests.event_cast import NOON
from tests.tournaments.support.own_match import draw_pair, refusal
from tournaments.models import Division, Fixture
from tournaments.results import corrections, quick_entry
from tournaments.results import services as results

pytestmark = pytest.mark.django_db
REASON = "Bob has left; his message says 7-3."


@pytest.fixture
def bob_player(bob: User, club: Club) -> Player:
    """Bob, a member without a role."""
    player = Player.objects.create(name="Bob", user=bob)
    Membership.objects.create(club=club, player=player)
    return player


@pytest.fixture
def fixture(make_division: Callable[..., Division], bob_player: Player, by_alice: Actor) -> Fixture:
    """M1, in which Alice, the only director, meets Bob."""
    return draw_pair(make_division(), [Player.objects.get(name="Alice"), bob_player], by_alice)


def decide(fixture: Fixture, act: str, by: Actor, reason: str) -> Result:
    common: dict[str, Any] = {"fixture": fixture, "by": by, "now": NOON, "reason": reason}
    if act == "result":
        return results.enter_result(result=ResultInput(0, (7, 3)), **common)
    if act == "forfeit":
        return results.forfeit(side=1, **common)
    return results.rule(winner=0, score=None, **common)


ACTS = ("result", "forfeit", "rule")


@pytest.mark.parametrize("act", ["result", "forfeit"])
def test_the_only_director_gives_a_reason(fixture: Fixture, by_alice: Actor, act: str) -> None:
    assert refusal(lambda: decide(fixture, act, by_alice, " ")) == "own_match_reason"
    assert not Result.objects.exists()


WAYS = {
    "a step": {"result": ResultInput(0, (7, 3))},
    "to be undone": {"result": ResultInput(0, (7, 3)), "settle_after": timedelta(seconds=5)},
    "the whole division": {"result": ResultInput(0, kind=Result.Kind.FORFEIT)},
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_result_is_checked_the_same_whichever_way_it_goes(
    fixture: Fixture, by_alice: Actor, way: dict[str, Any]
) -> None:
    def refused(reason: str, after: int | None = None) -> str:
        acts = {"by": by_alice, "now": NOON, "reason": reason, "after": after}
        return refusal(lambda: results.enter_result(fixture=fixture, **way, **acts))

    assert refused(" ") == "own_match_reason"
    assert refused(REASON, after=99) == "stale"
    Division.objects.update(status=Division.Status.CANCELLED)
    assert refused(REASON) == "tournament_not_open"
    assert not Result.objects.exists()


@pytest.mark.parametrize("act", ACTS)
def test_with_a_reason_the_result_is_recorded_and_marked(fixture: Fixture, by_alice: Actor, act: str) -> None:
    result = decide(fixture, act, by_alice, REASON)
    assert (result.own_match, result.reason) == (True, REASON)


@pytest.mark.parametrize("role", [Membership.Role.ASSISTANT, Membership.Role.DIRECTOR])
@pytest.mark.parametrize("act", ACTS)
def test_where_somebody_else_can_decide_nobody_decides_their_own_match(
    fixture: Fixture, club: Club, carol: User, by_alice: Actor, act: str, role: str
) -> None:
    Membership.objects.create(club=club, player=Player.objects.create(name="Carol", user=carol), role=role)
    assert refusal(lambda: decide(fixture, act, by_alice, REASON)) == "own_match"
    assert not decide(fixture, act, Actor.of(carol), REASON).own_match


def test_an_opponent_who_directs_too_is_not_somebody_else(
    fixture: Fixture, bob_player: Player, by_alice: Actor
) -> None:
    Membership.objects.filter(player=bob_player).update(role=Membership.Role.DIRECTOR)
    assert decide(fixture, "result", by_alice, REASON).own_match


def test_nor_is_who_has_left_or_has_no_account(fixture: Fixture, club: Club, carol: User, by_alice: Actor) -> None:
    director = Membership.Role.DIRECTOR
    gone = Player.objects.create(name="Carol", user=carol)
    Membership.objects.create(club=club, player=gone, role=director, left_at=NOON)
    Membership.objects.create(club=club, player=Player.objects.create(name="Paper"), role=director)
    assert decide(fixture, "result", by_alice, REASON).own_match


def test_a_player_merged_into_the_director_is_the_director(
    make_division: Callable[..., Division], bob_player: Player, by_alice: Actor, club: Club
) -> None:
    before = Player.objects.create(name="Alice B.")
    Membership.objects.create(club=club, player=before)
    fixture = draw_pair(make_division(), [before, bob_player], by_alice)
    assert fixture.match is not None
    Player.objects.filter(pk=before.pk).update(merged_into=Player.objects.get(name="Alice"))
    assert refusal(lambda: decide(fixture, "result", by_alice, "")) == "own_match_reason"


def test_a_line_cannot_carry_a_reason_so_it_is_refused(fixture: Fixture, by_alice: Actor) -> None:
    event = fixture.stage.division.tournament
    line = {"tournament": event, "text": "m1 7-3", "division": None, "by": by_alice, "now": NOON}
    assert refusal(lambda: quick_entry.enter_line(**line)) == "own_match_reason"


def test_a_correction_of_the_own_match_and_its_undo_need_a_reason(fixture: Fixture, by_alice: Actor) -> None:
    decide(fixture, "result", by_alice, REASON)
    other = ResultInput(1, (3, 7), Result.Kind.PLAYED)

    def seq() -> int:
        return Division.objects.get().seq

    def correct(reason: str) -> Any:
        correction = corrections.CorrectionInput(other, "correct_all", reason)
        return corrections.apply_correction(fixture=fixture, correction=correction, after=seq(), by=by_alice, now=NOON)

    assert refusal(lambda: correct("")) == "own_match_reason"
    corrected = correct(REASON)
    assert corrected.after.own_match

    def undo(reason: str) -> Any:
        return corrections.undo_correction(correction=corrected, after=seq(), by=by_alice, now=NOON, reason=reason)

    assert refusal(lambda: undo("")) == "own_match_reason"
    assert undo(REASON).after.own_match


def test_players_still_report_their_own_match(fixture: Fixture, alice: User) -> None:
    match = fixture.match
    assert match is not None
    side = [player.user_id for player in match.players].index(alice.pk)
    reports.report_score(
        match=match,
        side=side,
        report=reports.ScoreReport(side, (7, 3) if side == 0 else (3, 7)),
        by=Actor.of(alice),
        now=NOON,
    )
    assert Match.objects.get(pk=match.pk).state == Match.State.CLAIMED
