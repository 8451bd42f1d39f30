"""Cancelled events: results stay, and no more matches are opened."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from engine.errors import Refused
from matches.lifecycle.finish import ResultInput
from matches.models import Match, Result
from matches.reporting.reports import ScoreReport, report_score
from players.actors import SYSTEM, Actor
from players.models import Player
from tests.event_cast import NOON
from tests.tournaments.support.correcting import KNOCKOUT, Cup
from tests.tournaments.support.knockouts import fixtures
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Division, Tournament
from tournaments.results import services as results
from tournaments.state.integrity import differences
from tournaments.state.settle import settle_division

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
Drawn = Callable[..., Division]


def call_off(division: Division, by: Actor) -> None:
    events.cancel_tournament(tournament=division.tournament, by=by, now=NOON)


def test_cancelling_settles_recent_results_first(drawn: Drawn, by_alice: Actor, settings: Any) -> None:
    settings.OWN_LOSS_PENDING = 0
    division = drawn(4)
    first, second, final = fixtures(division)
    results.enter_result(fixture=first, result=ResultInput(0, (7, 3)), by=by_alice, now=NOON)
    assert second.match is not None
    # The division is not settled after the commit, as if the process had been killed in between.
    report_score(match=second.match, side=1, report=ScoreReport(0, (7, 2)), by=Actor.link(1), now=NOON)

    call_off(division, by_alice)
    settle_division(division_id=division.pk, now=NOON)

    final.refresh_from_db()
    assert final.match is not None
    assert final.match.state == Match.State.VOID, "the final was opened and is now void"
    assert not Match.objects.filter(state=Match.State.OPEN).exists()
    assert list(differences()) == []


def test_results_and_entries_of_a_cancelled_event_cannot_change(drawn: Drawn, by_alice: Actor) -> None:
    division = drawn(4)
    first = fixtures(division)[0]
    results.enter_result(fixture=first, result=ResultInput(0, (7, 3)), by=by_alice, now=NOON)
    call_off(division, by_alice)

    with pytest.raises(Refused) as replaced:
        results.enter_result(fixture=first, result=ResultInput(1, (3, 7)), by=by_alice, now=NOON)
    with pytest.raises(Refused) as withdrawn:
        entries.withdraw(entry=division.entries.all()[0], by=by_alice, now=NOON)

    assert (replaced.value.code, withdrawn.value.code) == ("tournament_not_open", "tournament_not_open")
    assert Result.objects.exclude(kind=Result.Kind.VOID).count() == 1


def test_a_cancelled_event_gets_no_new_division(drawn: Drawn, by_alice: Actor) -> None:
    division = drawn(2)
    seen_before = division.tournament
    events.cancel_tournament(tournament=Tournament.objects.get(pk=seen_before.pk), by=by_alice, now=NOON)

    with pytest.raises(Refused) as refused:
        events.create_division(tournament=seen_before, by=by_alice, now=NOON, name="Late")

    assert refused.value.code == "tournament_not_open"


def test_a_result_cannot_be_replaced_by_none(drawn: Drawn, by_alice: Actor) -> None:
    first = fixtures(drawn(4))[0]

    with pytest.raises(Refused) as refused:
        results.enter_result(fixture=first, result=ResultInput(None, kind=Result.Kind.VOID), by=by_alice, now=NOON)

    assert refused.value.code == "result_void"


def test_queries_of_cancelling_do_not_grow_with_the_event(
    make_players: Callable[[int], list[Player]],
) -> None:
    queries = {}
    for count in (8, 64):
        cup = Cup.of(make_players(count), KNOCKOUT, f"of {count}").play(Random(1), most=0)
        with CaptureQueriesContext(connection) as captured:
            call_off(cup.division, SYSTEM)
        queries[count] = len(captured)
    assert Match.objects.filter(state=Match.State.VOID).count() == 4 + 32
    assert queries[64] <= queries[8]


@pytest.mark.parametrize("lengths", [{"round_lengths": [5, 0]}, {"match_length": 0}, {"round_lengths": ["7"]}])
def test_a_division_needs_lengths_that_can_be_played(
    lengths: dict[str, object], make_division: Callable[..., Division], by_alice: Actor
) -> None:
    tournament = make_division().tournament
    with pytest.raises(Refused) as refused:
        events.create_division(tournament=tournament, by=by_alice, now=NOON, name="Masters", **lengths)
    assert refused.value.code == "bad_round_lengths"
    assert not tournament.divisions.filter(name="Masters").exists()
