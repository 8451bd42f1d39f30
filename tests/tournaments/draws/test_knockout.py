"""A knockout from its draw to its final, driven by the services."""

from collections.abc import Callable

import pytest

from engine.errors import Refused
from matches.lifecycle.finish import ResultInput
from matches.models import Match, Result
from players.actors import Actor
from tests.event_cast import NOON
from tests.tournaments.support.knockouts import fixtures, play_all
from tournaments.draws.rounds import request_round
from tournaments.entries import services as entries
from tournaments.models import Division, Entry, Fixture, Slot, Stage, Tournament
from tournaments.results import services as results

pytestmark = pytest.mark.django_db
Drawn = Callable[..., Division]


@pytest.mark.parametrize("count", [2, 3, 5, 8, 13, pytest.param(97, marks=pytest.mark.slow)])
def test_a_field_of_any_size_has_a_single_winner(drawn: Drawn, by_alice: Actor, count: int) -> None:
    division = drawn(count)

    play_all(division, by_alice)

    division.refresh_from_db()
    assert division.status == Division.Status.FINISHED
    assert division.tournament.status == Tournament.Status.FINISHED
    assert Result.objects.filter(match__parent_topic=division.topic).count() == count - 1
    assert {fixture.status for fixture in fixtures(division)} <= {Fixture.Status.DECIDED, Fixture.Status.BYE}


def test_byes_are_only_in_the_first_round(drawn: Drawn) -> None:
    division = drawn(5)

    byes = Slot.objects.filter(fixture__stage__division=division, status=Slot.Status.BYE)

    assert byes.count() == 3
    assert {slot.round.number for slot in byes.select_related("round")} == {1}


def test_the_seed_is_secret_its_hash_public_and_every_draft_listed(drawn: Drawn) -> None:
    division = drawn(4)

    stage = Stage.objects.get(division=division)

    assert len(stage.seed) == len(stage.seed_hash) == 64
    assert stage.seed != stage.seed_hash
    assert stage.draws.get().number == 1


def test_a_result_is_replaced_until_the_next_match_has_begun(drawn: Drawn, by_alice: Actor) -> None:
    division = drawn(4)
    first, second, final = fixtures(division)
    for fixture in (first, second):
        results.enter_result(fixture=fixture, result=ResultInput(0, (7, 3)), by=by_alice, now=NOON)

    results.enter_result(fixture=first, result=ResultInput(1, (5, 7)), by=by_alice, now=NOON)

    final.refresh_from_db()
    assert final.match is not None
    assert final.match.player_0 == first.match.player_1
    assert Match.objects.filter(state=Match.State.VOID).count() == 1, "the planned final is void, not deleted"
    results.enter_result(fixture=final, result=ResultInput(0, (7, 0)), by=by_alice, now=NOON)
    with pytest.raises(Refused) as refused:
        results.enter_result(fixture=first, result=ResultInput(0, (7, 5)), by=by_alice, now=NOON)
    assert refused.value.code == "successor_begun"


def test_a_score_is_corrected_even_after_the_next_match(drawn: Drawn, by_alice: Actor) -> None:
    division = drawn(4)
    play_all(division, by_alice)
    first = fixtures(division)[0]

    result = results.enter_result(fixture=first, result=ResultInput(0, (7, 6)), by=by_alice, now=NOON)

    assert (result.version, result.score) == (2, (7, 6))


def test_a_withdrawal_gives_walkovers_to_current_and_later_opponents(drawn: Drawn, by_alice: Actor) -> None:
    division = drawn(4)
    first, second, final = fixtures(division)
    results.enter_result(fixture=first, result=ResultInput(0, (7, 3)), by=by_alice, now=NOON)
    finalist = Entry.objects.get(division=division, player=first.match.player_0)

    entries.withdraw(entry=finalist, by=by_alice, now=NOON)
    results.enter_result(fixture=second, result=ResultInput(1, (2, 7)), by=by_alice, now=NOON)

    final.refresh_from_db()
    assert final.match is not None
    walkover = final.match.results.get()
    assert (walkover.kind, walkover.winner) == (Result.Kind.WALKOVER, 1)
    division.refresh_from_db()
    assert division.status == Division.Status.FINISHED


def test_a_double_forfeit_gives_the_next_opponent_a_walkover(drawn: Drawn, by_alice: Actor) -> None:
    division = drawn(4)
    first, second, final = fixtures(division)

    results.enter_result(
        fixture=first, result=ResultInput(None, kind=Result.Kind.DOUBLE_FORFEIT), by=by_alice, now=NOON
    )
    results.enter_result(fixture=second, result=ResultInput(0, (7, 1)), by=by_alice, now=NOON)

    final.refresh_from_db()
    assert final.status == Fixture.Status.WALKOVER
    assert [slot.status for slot in final.slots.order_by("side")] == [Slot.Status.WALKOVER, Slot.Status.ENTRY]
    division.refresh_from_db()
    assert division.status == Division.Status.FINISHED


def test_the_rounds_of_a_knockout_are_not_paired(drawn: Callable[..., Division], by_alice: Actor) -> None:
    division = drawn(4)
    with pytest.raises(Refused, match="not_by_rounds"):
        request_round(division=division, after=division.seq, by=by_alice, now=NOON)
