"""Players' reports as an event has them: what they lead to, objections before the director, the event's own rule."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from formats.settings import ROUND_ROBIN, StageSettings
from matches.lifecycle import links
from matches.lifecycle.finish import ResultInput
from matches.models import Match, Objection
from matches.reporting import reports
from matches.reporting.objections import object_to_result
from matches.reporting.reports import accept_unanswered
from players.actors import Actor
from players.models import Player
from tests.event_cast import NOW, RunningEvent, publish
from tests.pages import html
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Division, Fixture
from tournaments.results import services as results
from tournaments.standings.rounds import playable
from tournaments.state.stages import set_stages

pytestmark = pytest.mark.django_db


def match_of(running: RunningEvent) -> Match:
    assert running.fixture.match is not None
    return running.fixture.match


def previewed(running: RunningEvent, side: int | None, **score: Any) -> str:
    token = links.token_for(match_of(running), side)
    return html(Client().get(f"/m/{token}/report/", {"score_0": 7, "score_1": 4, **score}))


def test_a_report_says_what_it_means_in_the_event(running: RunningEvent) -> None:
    match = match_of(running)
    assert "You play on: Final, M3." in previewed(running, 0)
    assert "You are out: Main draw." in previewed(running, 1)
    from_sheet = previewed(running, None, i_am="0")
    assert f"{match.player_0.shown_name} plays on: Final, M3." in from_sheet
    assert f"{match.player_1.shown_name} is out: Main draw." in from_sheet
    assert not match.claims.exists()


@pytest.fixture
def objection(running: RunningEvent) -> Objection:
    """Side 0 reported 7–3, which came to stand by itself; side 1 objects."""
    match, now = match_of(running), timezone.now()
    report = reports.report_score(
        match=match, side=0, report=reports.ScoreReport(0, (7, 3)), by=Actor.link(0), now=now
    ).report
    reports.acknowledge(match=match, side=1, by=Actor.link(1), now=now)
    accept_unanswered(claim_id=report.pk, now=now + timedelta(minutes=10))
    return object_to_result(
        match=match, side=1, reason="We did not play.", by=Actor.link(1), now=now + timedelta(minutes=11)
    )


def console(alice_client: Client, running: RunningEvent) -> str:
    return html(alice_client.get(f"{running.url}console/"))


def answer(client: Client, running: RunningEvent, objection: Objection, **fields: Any) -> Any:
    seq = Match.objects.get(pk=objection.match_id).seq
    body = {"objection": objection.public_id, "after": seq, "reason": "Two saw it.", **fields}
    return client.post(f"{running.fixture_url}objection/", body)


def test_an_objection_needs_the_director_and_is_dismissed_with_a_reason(
    alice_client: Client, running: RunningEvent, objection: Objection
) -> None:
    page = console(alice_client, running)
    assert 'data-need="objection"' in page
    assert "We did not play." in page
    refused = answer(alice_client, running, objection, upheld="0", reason="")
    assert refused.status_code == 422
    assert answer(alice_client, running, objection, upheld="0").status_code == 302
    objection.refresh_from_db()
    assert (objection.state, objection.answer) == (Objection.State.DISMISSED, "Two saw it.")
    assert 'data-need="objection"' not in console(alice_client, running)


def test_an_objection_that_is_upheld_leads_to_the_correction(
    alice_client: Client, running: RunningEvent, objection: Objection
) -> None:
    assert "No later match has begun" in alice_client.get(running.fixture_url).content.decode()
    response = answer(alice_client, running, objection, upheld="1")
    assert response.headers["Location"] == f"{running.fixture_url}correct/"
    objection.refresh_from_db()
    assert objection.state == Objection.State.UPHELD
    match = Match.objects.get(pk=objection.match_id)
    assert (match.state, match.results.count()) == (Match.State.SETTLED, 1), "it still stands until it is corrected"


def test_a_begun_successor_only_changes_the_advice(
    alice_client: Client, running: RunningEvent, objection: Objection, by_alice: Actor
) -> None:
    second = Fixture.objects.get(stage__division=running.division, number=2)
    results.enter_result(fixture=second, result=ResultInput(0, (7, 1)), by=by_alice, now=timezone.now())
    final = Fixture.objects.get(stage__division=running.division, number=3)
    assert final.match is not None
    reports.report_score(
        match=final.match, side=0, report=reports.ScoreReport(0, (7, 1)), by=Actor.link(0), now=timezone.now()
    )
    assert "Later matches have begun" in alice_client.get(running.fixture_url).content.decode()
    assert answer(alice_client, running, objection, upheld="0").status_code == 302


def test_an_objection_is_answered_by_api(alice_client: Client, running: RunningEvent, objection: Objection) -> None:
    seq = Match.objects.get(pk=objection.match_id).seq
    path = f"/api/v1/fixtures/{running.fixture.public_id}/objection/"
    body = {"objection": objection.public_id, "upheld": False, "reason": "Two saw it.", "after": seq}
    assert alice_client.post(path, body, content_type="application/json").status_code == 200
    again = alice_client.post(path, {**body, "after": seq + 1}, content_type="application/json")
    assert (again.status_code, again.json()["code"]) == (409, "objection_answered")


def test_an_objection_to_another_match_is_not_found(
    alice_client: Client, running: RunningEvent, objection: Objection
) -> None:
    other = Fixture.objects.get(stage__division=running.division, number=2)
    path = f"{running.url}fixtures/{other.public_id}/objection/"
    body = {"objection": objection.public_id, "after": 0, "reason": "No.", "upheld": "1"}
    assert alice_client.post(path, body).status_code == 404


def test_an_event_says_whether_records_stand_at_once_and_its_matches_know(
    running: RunningEvent, client: Client, by_alice: Actor
) -> None:
    assert (
        "count as the sender’s report, which the other player confirms"
        in client.get(running.division_url).content.decode()
    )
    assert not match_of(running).records_stand
    division = Division.objects.get(pk=running.division.pk)
    changed = {"by": by_alice, "now": timezone.now(), "records_stand": True}
    events.update_division(division=division, after=division.seq, **changed)
    assert "an accepted record counts at once" in client.get(running.division_url).content.decode()
    for number in (1, 2):
        fixture = Fixture.objects.get(stage__division=division, number=number)
        results.enter_result(fixture=fixture, result=ResultInput(0, (7, 1)), by=by_alice, now=timezone.now())
    final = Fixture.objects.get(stage__division=division, number=3)
    assert final.match is not None
    assert final.match.records_stand


def open_fixtures(division: Division) -> list[Fixture]:
    rows = Fixture.objects.filter(stage__division=division, status=Fixture.Status.READY).order_by("number")
    return list(rows.select_related("match", "stage", "round__bracket"))


def test_whoever_has_reported_is_free_for_the_next_match(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> None:
    division = make_division(name="All", match_length=7)
    entries.enter(division=division, players=make_players(4), by=by_alice, now=NOW)
    events.publish_tournament(tournament=division.tournament, by=by_alice, now=NOW)
    division.refresh_from_db()
    set_stages(division=division, stages=[StageSettings(ROUND_ROBIN)], after=division.seq, by=by_alice, now=NOW)
    publish(division, by_alice)
    first, second, *later = open_fixtures(division)
    assert playable(open_fixtures(division)) == [first, second]
    for fixture in (first, second):
        assert fixture.match is not None
        reports.report_score(
            match=fixture.match, side=1, report=reports.ScoreReport(0, (7, 1)), by=Actor.link(1), now=timezone.now()
        )
    assert playable(open_fixtures(division)) == [first, second, *later[:2]]
