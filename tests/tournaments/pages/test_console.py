"""The console: what needs the director, the line, the sheet of a match, the log, the workers."""

import math
import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from redis import Redis

from matches.models import Claim, Match, Result, Submission
from matches.reporting.services import records, reports
from matches.reporting.services.adjudication import adjudicate_submission
from players.actors import Actor
from players.models import User
from tests.matches.records.samples import ILLEGAL, simulated
from tests.tournaments.conftest import NOW, RunningEvent
from tests.tournaments.pages.test_division import page, text
from tournaments.models import Division, Entry, Fixture, Tournament, Withdrawal
from tournaments.results.services import heartbeat
from tournaments.state.log import ON_A_PAGE, entries_of

pytestmark = pytest.mark.django_db
SAID = {"after": 0, "left": 7, "right": 3}


def claimed(running: RunningEvent, *, side: int = 0, told: bool = False, winner: int = 0) -> Match:
    """M1 with a claim of the winner's."""
    assert running.fixture.match is not None
    report = reports.report_score(
        match=running.fixture.match,
        side=side,
        winner=winner,
        score=(7, 3) if winner == 0 else (3, 7),
        by=Actor.link(side),
        now=timezone.now(),
    ).report
    if told:
        reports.acknowledge(match=report.match, side=1 - side, by=Actor.link(1 - side), now=timezone.now())
    return Match.objects.get(pk=running.fixture.match.pk)


def post(client: Client, path: str, data: dict[str, Any]) -> Any:
    return client.post(path, data, follow=True)


def needs(client: Client, running: RunningEvent) -> str:
    """What stands under “Needs you”."""
    html = page(client, f"{running.url}console/")
    return text(html[html.index('id="needs"') : html.index('id="ready"')])


def test_nothing_waits_and_the_open_matches_are_there(running: RunningEvent, alice_client: Client) -> None:
    assert "Nothing waits for you." in needs(alice_client, running)
    html = text(page(alice_client, f"{running.url}console/"))
    assert "2 matches" in html
    assert "M1" in html
    assert "0 of 2" in html


def test_a_dispute_stands_before_a_claim(running: RunningEvent, alice_client: Client) -> None:
    claimed(running, told=True)
    assert "Unconfirmed" in needs(alice_client, running)
    assert "Stands in 9 min" in needs(alice_client, running)
    reports.contest(match=running.fixture.match, side=1, by=Actor.link(1), now=NOW)  # type: ignore[arg-type]
    assert "Dispute" in needs(alice_client, running)
    assert "Unconfirmed" not in needs(alice_client, running)


def test_a_report_that_nobody_has_seen_says_so(running: RunningEvent, alice_client: Client) -> None:
    claimed(running)
    assert "Not answered" in needs(alice_client, running)
    assert "so it does not stand by itself" in needs(alice_client, running)


def test_a_deadline_that_passed_under_the_directors_rule_waits_for_him(
    running: RunningEvent, alice_client: Client
) -> None:
    Fixture.objects.filter(pk=running.fixture.pk).update(deadline_done=True, due_at=NOW)
    assert "Deadline passed" in needs(alice_client, running)


def test_a_record_that_does_not_settle_the_match_waits_for_him(running: RunningEvent, alice_client: Client) -> None:
    Submission.objects.create(
        match=running.fixture.match, standing="refused", source="upload", data=b"", size=0, sha256="0" * 64
    )
    assert "Record rejected" in needs(alice_client, running)


def test_a_line_is_booked_and_said_back(running: RunningEvent, alice_client: Client) -> None:
    answer = post(
        alice_client, f"{running.url}console/quick/", {"line": "m1 7-3", "division": running.division.public_id}
    )
    match = Match.objects.get(pk=running.fixture.match_id)
    assert f"M1 · {match.player_0.name} – {match.player_1.name} 7–3" in text(answer.content.decode())
    assert match.state == Match.State.SETTLED


def in_the_line(html: str) -> str:
    """What stands in the field of quick entry."""
    found = re.search(r'<textarea id="line"[^>]*>(.*?)</textarea>', html, re.DOTALL)
    assert found is not None
    return unescape(found[1])


def test_after_a_line_the_field_has_the_focus_again(running: RunningEvent, alice_client: Client) -> None:
    answer = post(alice_client, f"{running.url}console/quick/", {"line": "m1 7-3"})
    html = answer.content.decode()
    assert "autofocus" in html[html.index('id="line"') :][:600]
    assert in_the_line(html) == ""
    assert "autofocus" not in page(alice_client, f"{running.url}console/")


def test_what_was_not_booked_comes_back_for_editing(running: RunningEvent, alice_client: Client) -> None:
    answer = alice_client.post(f"{running.url}console/quick/", {"line": "m1 7-3; m9 7-1; nobody 7-0"})
    assert answer.status_code == 422
    html = answer.content.decode()
    assert in_the_line(html) == "m9 7-1\nnobody 7-0"
    assert "There is no M9" in text(html)
    assert "Nobody called nobody" in text(html)
    assert Result.objects.get().score == (7, 3)


def test_a_settled_match_leads_to_its_correction_filled_in(running: RunningEvent, alice_client: Client) -> None:
    post(alice_client, f"{running.url}console/quick/", {"line": "m1 7-3"})
    html = alice_client.post(f"{running.url}console/quick/", {"line": "m1 4-7"}).content.decode()
    link = re.search(r'href="([^"]*/correct/[^"]*)"', html)
    assert link is not None
    correction = page(alice_client, unescape(link[1]))
    assert re.search(r'id="left"[^>]*value="4"', correction)
    assert re.search(r'id="right"[^>]*value="7"', correction)
    assert 'name="choice"' in correction, "it shows at once what would follow"


def test_a_question_mark_shows_what_can_be_typed(running: RunningEvent, alice_client: Client) -> None:
    answer = alice_client.post(f"{running.url}console/quick/", {"line": "?"})
    assert answer.status_code == 200
    assert "takes back your last line" in text(answer.content.decode())
    assert in_the_line(answer.content.decode()) == ""


def test_undo_says_what_it_took_back(running: RunningEvent, alice_client: Client) -> None:
    post(alice_client, f"{running.url}console/quick/", {"line": "m1 7-3"})
    answer = post(alice_client, f"{running.url}console/quick/", {"line": "undo"})
    assert "The result of M1 was taken back." in text(answer.content.decode())
    fixture = Fixture.objects.select_related("match").get(pk=running.fixture.pk)
    assert fixture.match is not None
    assert fixture.match.state == Match.State.OPEN


def test_an_unknown_division_is_no_division(running: RunningEvent, alice_client: Client) -> None:
    fields = {"line": "m1 7-3", "division": "nowhere"}
    assert alice_client.post(f"{running.url}console/quick/", fields).status_code == 422
    assert not Result.objects.exists()


def test_lines_can_be_entered_by_the_api(running: RunningEvent, alice_client: Client) -> None:
    url = f"/api/v1/tournaments/{running.tournament.public_id}/lines/"
    answer = alice_client.post(url, {"lines": "m1 7-3\nm9 7-1; undo"}, content_type="application/json")
    assert [(one["what"], one["number"], one["code"]) for one in answer.json()] == [
        ("booked", 1, None),
        ("refused", None, "line_no_fixture"),
        ("undone", 1, None),
    ]


def test_a_line_with_a_fault_stays_in_the_field_with_its_reason(running: RunningEvent, alice_client: Client) -> None:
    answer = alice_client.post(f"{running.url}console/quick/", {"line": "m1 eleven"})
    assert answer.status_code == 422
    html = answer.content.decode()
    assert in_the_line(html) == "m1 eleven"
    assert "autofocus" in html
    assert "is no result" in text(html)
    assert not Result.objects.exists()


def test_the_claims_stand_side_by_side_and_one_click_confirms(running: RunningEvent, alice_client: Client) -> None:
    match = claimed(running)
    reports.report_score(match=match, side=1, winner=1, score=(3, 7), by=Actor.link(1), now=NOW)
    match.refresh_from_db()
    html = page(alice_client, running.fixture_url)
    assert html.index(">7–3<") < html.index(">3–7<")

    post(alice_client, f"{running.fixture_url}result/", {"after": match.seq, "left": 3, "right": 7})

    match.refresh_from_db()
    assert match.state == Match.State.SETTLED
    states = dict(Claim.objects.values_list("side", "state"))
    assert states == {0: Claim.State.OVERRULED, 1: Claim.State.STANDS}


def test_a_stale_form_is_told_what_happened_meanwhile(running: RunningEvent, alice_client: Client) -> None:
    claimed(running)
    answer = alice_client.post(f"{running.fixture_url}result/", {**SAID, "seen": "1"})
    assert answer.status_code == 409
    said = text(answer.content.decode())
    assert "Changes since you opened this page:" in said
    assert "reported a result" in said
    assert not Result.objects.exists()


def test_two_clicks_book_one_result(running: RunningEvent, alice_client: Client) -> None:
    answers = [alice_client.post(f"{running.fixture_url}result/", SAID) for _twice in range(2)]
    assert [answer.status_code for answer in answers] == [302, 302]
    assert Result.objects.count() == 1
    other = alice_client.post(f"{running.fixture_url}result/", {**SAID, "right": 4})
    assert other.status_code == 409


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [("7", "7", "Only one player can reach"), ("6", "3", "is not a final score"), ("", "3", "required"),
     ("-1", "7", "greater than or equal"), ("many", "7", "whole number")],
)  # fmt: skip
def test_a_score_that_cannot_be_is_refused_with_its_reason(
    running: RunningEvent, alice_client: Client, left: str, right: str, said: str
) -> None:
    answer = alice_client.post(f"{running.fixture_url}result/", {"after": 0, "left": left, "right": right})
    assert answer.status_code == 422
    assert said in text(answer.content.decode())
    assert not Result.objects.exists()


def test_one_side_or_both_forfeit(running: RunningEvent, alice_client: Client) -> None:
    post(alice_client, f"{running.fixture_url}forfeit/", {"after": 0, "side": "0", "reason": "no show"})
    result = Result.objects.get()
    assert (result.winner, result.kind, result.reason) == (1, Result.Kind.FORFEIT, "no show")
    post(alice_client, f"{running.fixture_url}forfeit/", {"after": 1, "side": "both"})
    assert Result.objects.latest("version").kind == Result.Kind.DOUBLE_FORFEIT


def test_a_ruling_needs_a_reason(running: RunningEvent, alice_client: Client) -> None:
    bare = {"after": 0, "winner": "1", "left": "", "right": ""}
    answer = alice_client.post(f"{running.fixture_url}rule/", bare)
    assert answer.status_code == 422
    assert "Give the reason of the ruling" in text(answer.content.decode())
    post(alice_client, f"{running.fixture_url}rule/", {**bare, "reason": "score sheet lost"})
    result = Result.objects.get()
    assert (result.winner, result.score, result.kind) == (1, None, Result.Kind.RULING)


def test_a_result_whose_successor_has_begun_is_refused_clearly(running: RunningEvent, alice_client: Client) -> None:
    for line in ("m1 7-3", "m2 7-3", "m3 7-3"):
        post(alice_client, f"{running.url}console/quick/", {"line": line})
    match = Match.objects.get(pk=running.fixture.match_id)
    answer = alice_client.post(f"{running.fixture_url}result/", {"after": match.seq, "left": 3, "right": 7})
    assert answer.status_code == 409
    assert "M3 has begun" in text(answer.content.decode())


def test_a_match_gets_more_time(running: RunningEvent, alice_client: Client) -> None:
    later = timezone.now() + timedelta(days=400)
    post(alice_client, f"{running.fixture_url}extend/", {"after": 0, "due_at": later.strftime("%Y-%m-%dT%H:%M")})
    running.fixture.refresh_from_db()
    assert running.fixture.due_at is not None
    past = alice_client.post(f"{running.fixture_url}extend/", {"after": 1, "due_at": "2020-01-01T10:00"})
    assert past.status_code == 422
    assert "lies in the future" in text(past.content.decode())


@pytest.mark.parametrize("scope", ["bracket", "division", "event"])
def test_a_player_is_withdrawn_from_what_the_director_says(
    running: RunningEvent, alice_client: Client, scope: str
) -> None:
    post(alice_client, f"{running.fixture_url}withdraw/", {"side": "0", "scope": scope, "reason": "ill"})
    withdrawal = Withdrawal.objects.get()
    assert (withdrawal.bracket is not None) == (scope == "bracket")
    assert (withdrawal.entry.status == Entry.Status.OUT) == (scope != "bracket")
    assert Result.objects.get().kind == Result.Kind.WALKOVER


def test_an_assistant_enters_results_and_does_not_rule(
    running: RunningEvent, erin: User, as_user: Callable[[User], Client]
) -> None:
    browser = as_user(erin)
    html = page(browser, running.fixture_url)
    assert "Forfeit…" in html
    assert "Rule…" not in html
    assert "Settings" not in page(browser, f"{running.url}console/")
    assert browser.post(f"{running.fixture_url}result/", SAID).status_code == 302


def test_a_match_whose_players_are_not_known_says_where_they_come_from(
    running: RunningEvent, alice_client: Client
) -> None:
    final = Fixture.objects.get(stage__division=running.division, number=3)
    html = text(page(alice_client, f"{running.url}fixtures/{final.public_id}/"))
    assert "Winner of M1" in html
    answer = alice_client.post(f"{running.url}fixtures/{final.public_id}/result/", SAID)
    assert answer.status_code == 409
    assert "M3 cannot have a result yet" in text(answer.content.decode())


def test_a_page_for_htmx_is_only_the_part_that_changes(running: RunningEvent, alice_client: Client) -> None:
    for path in ("console/", "console/log/", "status/"):
        html = alice_client.get(running.url + path, headers={"HX-Request": "true"}).content.decode()
        assert html.strip()
        assert "<html" not in html


def test_the_log_says_who_did_what_from_what_to_what(running: RunningEvent, alice_client: Client) -> None:
    post(alice_client, f"{running.fixture_url}result/", {**SAID, "reason": "seen by me"})
    said = text(page(alice_client, f"{running.url}console/log/"))
    assert "Alice recorded a result M1" in said
    assert "7–3" in said
    assert "seen by me" in said
    only = text(page(alice_client, f"{running.url}console/log/?kind=draw&who=people"))
    assert "published the draw" in only
    assert "recorded a result" not in only
    assert "The system" not in only


def test_a_long_log_has_pages(running: RunningEvent, alice_client: Client, by_alice: Actor) -> None:
    from players.actors import log

    for number in range(120):
        log(by_alice, "checked_in", running.division.topic, club=running.tournament.club, count=number)
    # How often the event was drawn until Bob meets Carol is left to chance, and each draft is a line.
    pages = math.ceil(entries_of(running.tournament).count() / ON_A_PAGE)
    assert pages >= 3
    assert f"Page 1 of {pages}" in text(page(alice_client, f"{running.url}console/log/"))
    assert f"Page 2 of {pages}" in text(page(alice_client, f"{running.url}console/log/?page=2"))


@pytest.mark.usefixtures("valkey")
def test_the_workers_page_tells_who_is_silent(running: RunningEvent, alice_client: Client, valkey: Redis) -> None:
    def said() -> str:
        return text(page(alice_client, f"{running.url}status/"))

    assert "never seen" in said()
    heartbeat.beat(timezone.now() - timedelta(seconds=3))
    assert "last seen 3 s ago" in said()
    assert "alive" in said()
    heartbeat.beat(timezone.now() - timedelta(minutes=5))
    assert "beat is not running" in said()
    valkey.rpush(heartbeat.QUEUE, "hint", "hint")
    assert "2 messages waiting" in said()
    assert "no worker takes them" in said()


@pytest.mark.usefixtures("broker_down")
def test_the_workers_page_works_without_a_broker(running: RunningEvent, alice_client: Client) -> None:
    said = text(page(alice_client, f"{running.url}status/"))
    assert "does not answer" in said
    assert "Nothing is lost" in said


def test_what_waits_for_workers_is_counted(running: RunningEvent, alice_client: Client) -> None:
    Fixture.objects.filter(pk=running.fixture.pk).update(due_at=NOW - timedelta(days=1))
    Match.objects.filter(pk=running.fixture.match_id).update(unsettled=True)
    said = text(page(alice_client, f"{running.url}status/"))
    assert "Deadlines to apply 1" in said
    assert "Results to apply to their division 1" in said


def test_a_second_division_is_reached_by_its_name(
    running: RunningEvent, alice_client: Client, make_division: Callable[..., Division], tournament: Tournament
) -> None:
    tournament.refresh_from_db()
    other = make_division(name="Masters")
    html = page(alice_client, f"{running.url}console/")
    assert f"?division={other.public_id}" in html
    chosen = page(alice_client, f"{running.url}console/?division={other.public_id}")
    assert "0 players entered." in text(chosen)


def sent_in(running: RunningEvent, text: bytes, by: User) -> Submission:
    """A record of M1, adjudicated as a worker does it."""
    assert running.fixture.match is not None
    row = records.submit_for_match(
        match=running.fixture.match,
        side=0,
        data=text,
        source="upload",
        by=Actor.of(by),
        submitter=by,
        now=timezone.now(),
    ).submission
    adjudicate_submission(submission_id=row.pk, now=timezone.now())
    row.refresh_from_db()
    return row


def test_a_rejected_record_stands_once_its_faults_are_waived(
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


def test_a_record_that_breaks_off_stands_with_the_score_of_the_director(
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


def test_one_tap_confirms_the_reports_on_the_page(running: RunningEvent, alice_client: Client) -> None:
    for number in (1, 2):
        match = Fixture.objects.get(stage__division=running.division, number=number).match
        assert match is not None
        reports.report_score(match=match, side=0, winner=0, score=(7, 3), by=Actor.link(0), now=timezone.now())
    html = page(alice_client, f"{running.url}console/")
    assert "Confirm all unopposed (2)" in text(html)
    report_ids = re.findall(r'name="report" value="(\w+)"', html)
    answer = post(alice_client, f"{running.url}console/confirm-all/", {"report": report_ids})
    assert "Confirmed: M1, M2." in text(answer.content.decode())
    assert Result.objects.count() == 2


def test_reports_can_be_read_and_confirmed_by_the_api(running: RunningEvent, alice_client: Client) -> None:
    claimed(running)
    url = f"/api/v1/tournaments/{running.tournament.public_id}/reports/"
    (waiting,) = alice_client.get(url).json()
    assert (waiting["number"], waiting["score"], waiting["code"]) == (1, [7, 3], None)
    (done,) = alice_client.post(url, {"reports": [waiting["report"]]}, content_type="application/json").json()
    assert (done["number"], done["code"]) == (1, None)
    assert Result.objects.get().score == (7, 3)
