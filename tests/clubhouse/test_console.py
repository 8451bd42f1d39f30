"""The console: what needs the director, open matches, divisions, and reports confirmed at once."""

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from matches.models import ChatMessage, ChatReport, Result, Submission
from matches.reporting import reports
from players.actors import Actor
from tests.event_cast import NOW, RunningEvent
from tests.pages import html
from tests.tournaments.support.pages import needs, page, post, report_first_match, text
from tournaments.models import Division, Fixture, Floor, Tournament

pytestmark = pytest.mark.django_db


def test_without_needs_the_open_matches_are_listed(running: RunningEvent, alice_client: Client) -> None:
    assert "Nothing needs your attention." in needs(alice_client, running)
    html = text(page(alice_client, f"{running.url}console/"))
    assert "2 matches" in html
    assert "M1" in html
    assert "0 of 2" in html


def test_a_dispute_is_listed_before_a_report(running: RunningEvent, alice_client: Client) -> None:
    report_first_match(running, acknowledged=True)
    assert "Unconfirmed" in needs(alice_client, running)
    assert "Accepted automatically in 9 min" in needs(alice_client, running)
    reports.contest(match=running.fixture.match, side=1, by=Actor.link(1), now=NOW)  # type: ignore[arg-type]
    assert "Dispute" in needs(alice_client, running)
    assert "Unconfirmed" not in needs(alice_client, running)


def test_a_report_the_other_player_has_not_seen_is_marked(running: RunningEvent, alice_client: Client) -> None:
    report_first_match(running)
    assert "Not answered" in needs(alice_client, running)
    assert "so it will not be accepted automatically" in needs(alice_client, running)


def test_a_passed_deadline_left_to_the_director_is_listed(running: RunningEvent, alice_client: Client) -> None:
    Fixture.objects.filter(pk=running.fixture.pk).update(deadline_done=True, due_at=NOW)
    assert "Deadline passed" in needs(alice_client, running)


def test_a_rejected_record_is_listed(running: RunningEvent, alice_client: Client) -> None:
    Submission.objects.create(
        match=running.fixture.match, standing="refused", source="upload", data=b"", size=0, sha256="0" * 64
    )
    assert "Record rejected" in needs(alice_client, running)


def test_a_reported_chat_message_waits_there_and_on_the_floor(running: RunningEvent, alice_client: Client) -> None:
    message = ChatMessage.objects.create(match=running.fixture.match, room="players", side=0, text="You cheat")
    ChatReport.objects.create(message=message, side=1, reason="Rude.")
    assert "You cheat" in needs(alice_client, running)
    assert "Rude." in needs(alice_client, running)
    Floor.objects.create(tournament=running.tournament, opened_at=NOW)
    floor = f"{running.url}floor/"
    assert "You cheat" in page(alice_client, floor)
    url = f"/matches/{message.match.public_id}/chat/{message.public_id}/"
    assert "You cheat" not in html(post(alice_client, url, {"decision": "remove", "next": floor}))


def test_an_htmx_request_gets_only_the_live_part(running: RunningEvent, alice_client: Client) -> None:
    for path in ("console/", "console/log/", "status/"):
        part = alice_client.get(running.url + path, headers={"HX-Request": "true"}).content.decode()
        assert part.strip()
        assert "<html" not in part


def test_a_second_division_is_reached_by_its_name(
    running: RunningEvent, alice_client: Client, make_division: Callable[..., Division], tournament: Tournament
) -> None:
    tournament.refresh_from_db()
    other = make_division(name="Masters")
    html = page(alice_client, f"{running.url}console/")
    assert f"?division={other.public_id}" in html
    chosen = page(alice_client, f"{running.url}console/?division={other.public_id}")
    assert "0 players entered." in text(chosen)


def test_a_click_confirms_all_reports_on_the_page(running: RunningEvent, alice_client: Client) -> None:
    for number in (1, 2):
        match = Fixture.objects.get(stage__division=running.division, number=number).match
        assert match is not None
        reports.report_score(
            match=match, side=0, report=reports.ScoreReport(0, (7, 3)), by=Actor.link(0), now=timezone.now()
        )
    html = page(alice_client, f"{running.url}console/")
    assert "Confirm all unopposed (2)" in text(html)
    report_ids = re.findall(r'name="report" value="(\w+)"', html)
    answer = post(alice_client, f"{running.url}console/confirm-all/", {"report": report_ids})
    assert "Confirmed: M1, M2." in text(answer.content.decode())
    assert Result.objects.count() == 2


def test_reports_can_be_read_and_confirmed_by_the_api(running: RunningEvent, alice_client: Client) -> None:
    report_first_match(running)
    url = f"/api/v1/tournaments/{running.tournament.public_id}/reports/"
    (waiting,) = alice_client.get(url).json()
    assert (waiting["number"], waiting["score"], waiting["code"]) == (1, [7, 3], None)
    (done,) = alice_client.post(url, {"reports": [waiting["report"]]}, content_type="application/json").json()
    assert (done["number"], done["code"]) == (1, None)
    assert Result.objects.get().score == (7, 3)
