"""The page of a match: results, forfeits, rulings, deadlines, withdrawals and records."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from matches.models import Claim, Match, Result, Submission
from matches.records.submissions import RecordFile
from matches.reporting import records, reports
from matches.reporting.records import adjudicate_submission
from players.actors import Actor
from players.models import User
from tests.event_cast import NOW, RunningEvent
from tests.matches.records.samples import ILLEGAL, simulated
from tests.pages import html as page_html
from tests.tournaments.support.pages import needs, page, post, report_first_match, text
from tournaments.models import Entry, Fixture, Withdrawal

pytestmark = pytest.mark.django_db
VALID_RESULT = {"after": 0, "left": 7, "right": 3}


def test_reports_are_shown_side_by_side_and_confirmed_with_a_click(running: RunningEvent, alice_client: Client) -> None:
    match = report_first_match(running)
    reports.report_score(match=match, side=1, report=reports.ScoreReport(1, (3, 7)), by=Actor.link(1), now=NOW)
    match.refresh_from_db()
    html = page(alice_client, running.fixture_url)
    assert html.index(">Bob won 7–3.<") < html.index(">Carol won 7–3.<")

    post(alice_client, f"{running.fixture_url}result/", {"after": match.seq, "left": 3, "right": 7})

    match.refresh_from_db()
    assert match.state == Match.State.SETTLED
    states = dict(Claim.objects.values_list("side", "state"))
    assert states == {0: Claim.State.OVERRULED, 1: Claim.State.STANDS}


def test_a_stale_form_shows_what_happened_meanwhile(running: RunningEvent, alice_client: Client) -> None:
    report_first_match(running)
    answer = alice_client.post(f"{running.fixture_url}result/", {**VALID_RESULT, "seen": "1"})
    assert answer.status_code == 409
    page_text = text(page_html(answer))
    assert "Changes since you opened this page:" in page_text
    assert "reported a result" in page_text
    assert not Result.objects.exists()


def test_two_clicks_enter_a_single_result(running: RunningEvent, alice_client: Client) -> None:
    answers = [alice_client.post(f"{running.fixture_url}result/", VALID_RESULT) for _twice in range(2)]
    assert [answer.status_code for answer in answers] == [302, 302]
    assert Result.objects.count() == 1
    other = alice_client.post(f"{running.fixture_url}result/", {**VALID_RESULT, "right": 4})
    assert other.status_code == 409


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [("7", "7", "Only one player can reach"), ("6", "3", "is not a final score"), ("", "3", "required"),
     ("-1", "7", "greater than or equal"), ("many", "7", "whole number")],
)  # fmt: skip
def test_a_score_that_cannot_be_is_refused_with_its_reason(
    running: RunningEvent, alice_client: Client, left: str, right: str, message: str
) -> None:
    answer = alice_client.post(f"{running.fixture_url}result/", {"after": 0, "left": left, "right": right})
    assert answer.status_code == 422
    assert message in text(page_html(answer))
    assert not Result.objects.exists()


def test_either_side_or_both_forfeit(running: RunningEvent, alice_client: Client) -> None:
    post(alice_client, f"{running.fixture_url}forfeit/", {"after": 0, "side": "0", "reason": "no show"})
    result = Result.objects.get()
    assert (result.winner, result.kind, result.reason) == (1, Result.Kind.FORFEIT, "no show")
    post(alice_client, f"{running.fixture_url}forfeit/", {"after": 1, "side": "both"})
    assert Result.objects.latest("version").kind == Result.Kind.DOUBLE_FORFEIT


def test_a_ruling_needs_a_reason(running: RunningEvent, alice_client: Client) -> None:
    bare = {"after": 0, "kind": "ruling", "winner": "1", "left": "", "right": ""}
    answer = alice_client.post(f"{running.fixture_url}rule/", bare)
    assert answer.status_code == 422
    assert "Give a reason for the ruling" in text(page_html(answer))
    post(alice_client, f"{running.fixture_url}rule/", {**bare, "reason": "score sheet lost"})
    result = Result.objects.get()
    assert (result.winner, result.score, result.kind) == (1, None, Result.Kind.RULING)


def test_a_result_whose_successor_has_begun_is_refused_clearly(running: RunningEvent, alice_client: Client) -> None:
    for line in ("m1 7-3", "m2 7-3", "m3 7-3"):
        post(alice_client, f"{running.url}console/quick/", {"line": line})
    match = Match.objects.get(pk=running.fixture.match_id)
    answer = alice_client.post(f"{running.fixture_url}result/", {"after": match.seq, "left": 3, "right": 7})
    assert answer.status_code == 409
    assert "M3 has begun" in text(page_html(answer))


def test_a_match_gets_more_time(running: RunningEvent, alice_client: Client) -> None:
    later = timezone.now() + timedelta(days=400)
    post(alice_client, f"{running.fixture_url}extend/", {"after": 0, "due_at": later.strftime("%Y-%m-%dT%H:%M")})
    running.fixture.refresh_from_db()
    assert running.fixture.due_at is not None
    past = alice_client.post(f"{running.fixture_url}extend/", {"after": 1, "due_at": "2020-01-01T10:00"})
    assert past.status_code == 422
    assert "must be in the future" in text(page_html(past))


@pytest.mark.parametrize("scope", ["bracket", "division", "event"])
def test_a_player_is_withdrawn_from_the_chosen_scope(running: RunningEvent, alice_client: Client, scope: str) -> None:
    fields = {"side": "0", "scope": scope, "reason": "ill"}
    asked = page_html(alice_client.post(f"{running.fixture_url}withdraw/", fields))
    assert "forfeits, and" in text(asked)
    assert not Withdrawal.objects.exists(), "what follows is shown first"
    post(alice_client, f"{running.fixture_url}withdraw/", {**fields, "confirmed": "on"})
    withdrawal = Withdrawal.objects.get()
    assert (withdrawal.bracket is not None) == (scope == "bracket")
    assert (withdrawal.entry.status == Entry.Status.OUT) == (scope != "bracket")
    assert Result.objects.get().kind == Result.Kind.WALKOVER


def test_an_assistant_enters_results_and_does_not_rule(
    running: RunningEvent, erin: User, as_user: Callable[[User], Client]
) -> None:
    browser = as_user(erin)
    html = page(browser, running.fixture_url)
    assert "Record the forfeit…" in html
    assert "Rule…" not in html
    assert "Settings" not in page(browser, f"{running.url}console/")
    assert browser.post(f"{running.fixture_url}result/", VALID_RESULT).status_code == 302


def test_a_match_without_players_names_its_sources(running: RunningEvent, alice_client: Client) -> None:
    final = Fixture.objects.get(stage__division=running.division, number=3)
    html = text(page(alice_client, f"{running.url}fixtures/{final.public_id}/"))
    assert "Winner of M1" in html
    answer = alice_client.post(f"{running.url}fixtures/{final.public_id}/result/", VALID_RESULT)
    assert answer.status_code == 409
    assert "M3 cannot have a result yet" in text(page_html(answer))


def sent_in(running: RunningEvent, text: bytes, by: User) -> Submission:
    """A record of M1, adjudicated as a worker does it."""
    assert running.fixture.match is not None
    row = records.submit_for_match(
        match=running.fixture.match,
        side=0,
        file=RecordFile(text, "upload"),
        by=Actor.of(by),
        now=timezone.now(),
    ).submission
    adjudicate_submission(submission_id=row.pk, now=timezone.now())
    row.refresh_from_db()
    return row


def test_a_rejected_record_is_accepted_once_its_faults_are_waived(
    running: RunningEvent, alice_client: Client, bob: User
) -> None:
    row = sent_in(running, simulated(length=5), bob)
    assert row.standing == Submission.Standing.REFUSED
    assert "Record rejected" in needs(alice_client, running)
    html = page(alice_client, running.fixture_url)
    waivable = re.findall(r'name="waive" value="([^"]+)"', html)
    assert waivable == ["record_length||"]
    match = Match.objects.get(pk=running.fixture.match_id)
    form = {"after": match.seq, "record": row.public_id, "winner": "record", "reason": "agreed to play to five"}

    refused = alice_client.post(f"{running.fixture_url}accept/", form)
    assert refused.status_code == 422
    assert not Result.objects.exists()
    post(alice_client, f"{running.fixture_url}accept/", {**form, "waive": waivable})

    result = Result.objects.get()
    assert (result.submission, result.waived) == (row, [["record_length", None, None]])
    final = Fixture.objects.get(stage__division=running.division, number=3)
    assert final.slots.filter(entry__isnull=False).count() == 1, "the bracket has moved on"


def test_a_record_with_the_plays_of_another_match_names_that_match(
    running: RunningEvent, alice_client: Client, bob: User
) -> None:
    first, second = Fixture.objects.filter(stage__division=running.division, number__lte=2).order_by("number")
    assert first.match is not None
    assert second.match is not None
    record = simulated(length=7, players=(first.match.player_0.name, first.match.player_1.name))
    assert sent_in(running, record, bob).standing == Submission.Standing.STANDS
    again = simulated(length=7, players=(second.match.player_0.name, second.match.player_1.name))
    assert sent_in(replace(running, fixture=second), again, bob).refusal == {"code": "record_repeats", "params": {}}
    html = page(alice_client, f"{running.url}fixtures/{second.public_id}/")
    assert re.findall(r'name="waive" value="([^"]+)"', html) == ["record_repeats||"]
    assert "The same plays already stand for another match: " in text(html)
    assert f"M1 · {' – '.join(first.match.names)}." in text(html)


def test_an_incomplete_record_is_accepted_with_the_directors_score(
    running: RunningEvent, alice_client: Client, bob: User
) -> None:
    row = sent_in(running, ILLEGAL.replace("3 point", "7 point").encode(), bob)
    waivable = re.findall(r'name="waive" value="([^"]+)"', page(alice_client, running.fixture_url))
    assert waivable
    match = Match.objects.get(pk=running.fixture.match_id)
    form = {"after": match.seq, "record": row.public_id, "waive": waivable, "winner": "1", "left": "3", "right": "7"}
    post(alice_client, f"{running.fixture_url}accept/", form)
    result = Result.objects.get()
    assert (result.winner, result.score, result.kind) == (1, (3, 7), Result.Kind.RULING)
