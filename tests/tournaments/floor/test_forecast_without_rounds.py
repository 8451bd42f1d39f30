"""The forecast of a night without rounds, from its start to its bracket."""

from dataclasses import replace
from datetime import timedelta

import pytest

from clubhouse.tonight import EveningPlan, start_evening
from formats.settings import KNOCKOUT, LIVES, PairingMode, StageSettings
from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from players.models import Club, Membership, Player
from tests.event_cast import NOON
from tournaments.floor import selectors
from tournaments.floor.calls import call_ready
from tournaments.floor.calls import start as begin
from tournaments.floor.page.forecast import chart_of, evening_forecast, pilot_options
from tournaments.models import Fixture, Tournament
from tournaments.results.services import enter_result

pytestmark = pytest.mark.django_db
FLOW = StageSettings(LIVES, lives=2, lengths=(5,), pairing=PairingMode.CONTINUOUS)


def started(club: Club, by: Actor, *stages: StageSettings, tables: int = 6, hours: int = 12) -> Tournament:
    people = [Player.objects.create(name=f"Member {number}") for number in range(1, 13)]
    Membership.objects.bulk_create(Membership(club=club, player=player) for player in people)
    plan = EveningPlan(tables, NOON + timedelta(hours=hours), stages, people)
    return start_evening(club=club, plan=plan, by=by, now=NOON)


@pytest.mark.slow
def test_the_whole_rest_is_one_row(club: Club, by_alice: Actor) -> None:
    event = started(club, by_alice, FLOW)
    evening = evening_forecast(selectors.floor(event, NOON))
    assert [row.rounds for row in evening.rows] == [{1: "Without rounds"}]
    assert 3 * 60 < evening.total.median < evening.total.late < 11 * 60
    assert len(chart_of(evening).lines) == 1


@pytest.mark.slow
def test_few_tables_make_it_late(club: Club, by_alice: Actor) -> None:
    event = started(club, by_alice, FLOW, tables=2)
    evening = evening_forecast(selectors.floor(event, NOON))
    # 23 matches of 40 minutes and the walk, at two tables
    assert evening.total.median > 23 * 40 / 2


def test_no_length_is_offered_for_what_has_no_rounds(club: Club, by_alice: Actor) -> None:
    event = started(club, by_alice, FLOW, hours=2)
    evening = evening_forecast(selectors.floor(event, NOON))
    assert evening.late_by > 60
    assert pilot_options(evening) == []


def test_the_bracket_begins_when_the_lives_are_over(club: Club, by_alice: Actor) -> None:
    lives, bracket = replace(FLOW, qualifiers=8), StageSettings(KNOCKOUT)
    evening = evening_forecast(selectors.floor(started(club, by_alice, lives, bracket), NOON))
    ends = evening.forecast.ends
    (own,) = (row for row in ends if row.endswith(":Lives"))
    others = [minutes for row, minutes in ends.items() if row != own]
    assert others
    assert all(later > first for minutes in others for first, later in zip(ends[own], minutes, strict=True))


@pytest.mark.slow
def test_a_night_comes_closer_to_its_end(club: Club, by_alice: Actor) -> None:
    event, now = started(club, by_alice, FLOW), NOON
    before = evening_forecast(selectors.floor(event, now)).total.median
    call_ready(tournament_id=event.pk, now=now)
    fixtures = list(Fixture.objects.filter(stage__division__tournament=event, status="ready").select_related("match"))
    for fixture in fixtures:
        begin(fixture=fixture, by=by_alice, now=now)
    now += timedelta(minutes=40)
    for fixture in fixtures:
        enter_result(fixture=fixture, result=ResultInput(0, (5, 3)), by=by_alice, now=now)
    after = evening_forecast(selectors.floor(event, now)).total.median
    assert before * 0.6 < after < before - 20
