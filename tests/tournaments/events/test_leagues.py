"""Leagues with a last day, after which unplayed matches count by the rule of the league."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from clubhouse import copies as seasons
from engine.errors import Refused
from formats.settings import LEAGUE, StageSettings
from formats.tables.round_robin import Unplayed
from matches.lifecycle.finish import ResultInput
from matches.models import Result
from matches.reporting.reports import ScoreReport, report_score
from players.actors import Actor
from players.models import Player
from tests.event_cast import NOON
from tournaments.draws import services as draws
from tournaments.entries import late
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.events.deadlines import set_deadlines
from tournaments.models import Division, Fixture, Round
from tournaments.results import services as results
from tournaments.results.overdue import apply_deadline, due_fixtures
from tournaments.state import stages
from tournaments.state.derivation import states_of
from tournaments.state.integrity import differences

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
END = datetime(2026, 12, 31, 23, tzinfo=UTC)
"""Midnight in Copenhagen, the time zone of the event."""
AFTER = END + timedelta(seconds=1)
LAST_DAY = StageSettings(LEAGUE, until="2026-12-31", win=3.0, loss=1.0)
League = Callable[..., Division]


@pytest.fixture
def league(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> League:
    """Return a function that publishes a league of four players and plays its first match."""

    def make(unplayed: Unplayed = Unplayed.NOTHING, **settings: Any) -> Division:
        division = make_division(name="First", match_length=3, deadline_rule="lots")
        entries.enter(division=division, players=make_players(4), by=by_alice, now=NOON)
        division.refresh_from_db()
        season = replace(LAST_DAY, unplayed=unplayed, **settings)
        stages.set_stages(division=division, stages=[season], after=division.seq, by=by_alice, now=NOON)
        events.publish_tournament(tournament=division.tournament, by=by_alice, now=NOON)
        draw = draws.request_draw(division=division, by=by_alice, now=NOON)
        draws.make_draft(draw_id=draw.pk, now=NOON)
        division.refresh_from_db()
        draws.publish_draw(division=division, after=division.seq, by=by_alice, now=NOON)
        first = open_matches(division)[0]
        results.enter_result(fixture=first, result=ResultInput(0, (3, 0)), by=by_alice, now=NOON)
        division.refresh_from_db()
        return division

    return make


def open_matches(division: Division) -> list[Fixture]:
    rows = Fixture.objects.filter(stage__division=division, status=Fixture.Status.READY)
    return list(rows.select_related("stage", "match").order_by("number"))


def sweep(now: datetime) -> list[str | None]:
    return [apply_deadline(fixture_id=pk, now=now) for pk in due_fixtures(now)]


def points(division: Division) -> list[float]:
    (state,) = states_of(division)
    return [row.points for row in state.tables[0].rows]


def test_every_match_is_due_at_the_end_of_the_last_day_in_the_event_zone(league: League, by_alice: Actor) -> None:
    division = league()
    late.enter_late(division=division, players=[Player.objects.create(name="Late")], by=by_alice, now=NOON)

    due = Fixture.objects.filter(stage__division=division).values_list("due_at", "match__due_at")
    assert len(due) == 10
    assert set(due) == {(END, END)}
    assert sweep(END) == []


@pytest.mark.parametrize(("unplayed", "expected"), [("nothing", [3, 1, 0, 0]), ("half", [6, 4.5, 4.5, 4])])
def test_unplayed_matches_count_by_the_rule_of_the_league(league: League, unplayed: str, expected: list[float]) -> None:
    division = league(Unplayed(unplayed))
    assert len(sweep(AFTER)) == 5

    division.refresh_from_db()
    assert points(division) == expected
    assert division.status == Division.Status.FINISHED
    assert Result.objects.filter(source=Result.Source.DEADLINE, kind=Result.Kind.DOUBLE_FORFEIT).count() == 5
    assert list(differences()) == []
    assert [len(players) for _before, players in seasons.preview_season(division.tournament)] == [4]


def test_with_rulings_the_season_waits_for_the_director(league: League, by_alice: Actor) -> None:
    division = league(Unplayed.RULING)
    assert sweep(AFTER) == ["director"] * 5
    assert sweep(AFTER) == []
    with pytest.raises(Refused) as refused:
        seasons.preview_season(division.tournament)
    assert refused.value.code == "season_not_over"

    for fixture in open_matches(division):
        results.rule(fixture=fixture, winner=1, score=None, by=by_alice, now=AFTER, reason="Did not answer.")
    assert len(seasons.preview_season(division.tournament)) == 1


def test_a_report_before_the_last_day_still_waits_for_its_answer(league: League) -> None:
    division = league()
    match = open_matches(division)[0].match
    assert match is not None
    report_score(match=match, side=0, report=ScoreReport(0, (3, 1)), by=Actor.link(0), now=END - timedelta(minutes=1))

    assert sorted(map(str, sweep(AFTER))) == ["director"] + ["season_over"] * 4
    match.refresh_from_db()
    assert match.state == "claimed"


def test_deadlines_by_round_are_refused(league: League, by_alice: Actor) -> None:
    division = league()
    with pytest.raises(Refused) as refused:
        set_deadlines(division=division, deadlines=[END], after=division.seq, by=by_alice, now=NOON)
    assert refused.value.code == "deadlines_by_season"
    assert set(Round.objects.filter(bracket__stage__division=division).values_list("deadline", flat=True)) == {END}


def test_a_league_without_a_last_day_has_no_deadlines(league: League) -> None:
    division = league(until="")
    assert not Fixture.objects.filter(stage__division=division).exclude(due_at=None).exists()
    assert due_fixtures(AFTER + timedelta(days=999)) == []


def test_a_league_past_its_last_day_cannot_be_drawn(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> None:
    division = make_division(name="First")
    entries.enter(division=division, players=make_players(4), by=by_alice, now=NOON)
    division.refresh_from_db()
    stages.set_stages(division=division, stages=[LAST_DAY], after=division.seq, by=by_alice, now=NOON)
    events.publish_tournament(tournament=division.tournament, by=by_alice, now=NOON)
    draw = draws.request_draw(division=division, by=by_alice, now=NOON)
    draws.make_draft(draw_id=draw.pk, now=NOON)
    division.refresh_from_db()

    with pytest.raises(Refused):
        draws.publish_draw(division=division, after=division.seq, by=by_alice, now=END)
    with pytest.raises(Refused) as refused:
        draws.publish_draw(division=division, after=division.seq, by=by_alice, now=AFTER)
    assert refused.value.code == "season_past"
    assert refused.value.params == {"until": "2026-12-31"}
    with pytest.raises(Refused) as refused:
        draws.request_draw(division=division, by=by_alice, now=AFTER, reason="Again")
    assert refused.value.code == "season_past"
