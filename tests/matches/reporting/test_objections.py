"""Objections: once, to an unanswered result, without freezing anything."""

from datetime import timedelta

import pytest
from django.test import Client

from core.text_lengths import MAX_NOTE_LENGTH
from engine.errors import Refused
from engine.records import write
from engine.simulation import play_out
from matches.lifecycle import links
from matches.lifecycle.finish import Basis, ResultInput, append_result, standing_result
from matches.models import Match, Objection, Result
from matches.records.submissions import RecordFile
from matches.reporting import records, reports
from matches.reporting.objections import answer_objection, object_to_result
from matches.reporting.records import adjudicate_submission
from matches.reporting.reports import accept_unanswered
from players.actors import Actor
from players.models import LogEntry, Player, User
from tests.matches.cast import BOB, CAROL, NOW, match_between, minutes

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
State = Objection.State


@pytest.fixture
def unanswered_match(match: Match, bob: User) -> Match:
    """A match in which Bob's 7–5 stands since 20:11, because Carol saw it at 20:01 and did not answer."""
    claim = reports.report_score(
        match=match, side=BOB, report=reports.ScoreReport(BOB, (7, 5)), by=Actor.of(bob), now=NOW
    ).report
    reports.acknowledge(match=match, side=CAROL, by=Actor.link(CAROL), now=minutes(1))
    accept_unanswered(claim_id=claim.pk, now=minutes(11))
    match.refresh_from_db()
    return match


def object_(match: Match, at: float = 20, side: int = CAROL, reason: str = "We did not play.") -> Objection:
    return object_to_result(match=match, side=side, reason=reason, by=Actor.link(side), now=minutes(at))


def code(match: Match, **more: object) -> str:
    with pytest.raises(Refused) as refused:
        object_(match, **more)  # type: ignore[arg-type]
    return refused.value.code


def test_an_objection_freezes_nothing(unanswered_match: Match) -> None:
    objection = object_(unanswered_match)
    unanswered_match.refresh_from_db()
    assert (objection.state, objection.side, unanswered_match.state) == (State.OPEN, CAROL, Match.State.SETTLED)
    entry = LogEntry.objects.get(verb="objected")
    assert entry.params["reason"] == "We did not play."


def test_a_player_can_object_once(unanswered_match: Match, alice: User) -> None:
    objection = object_(unanswered_match)
    assert code(unanswered_match) == "objection_made"
    answer_objection(objection=objection, upheld=False, answer="Two saw it.", by=Actor.of(alice), now=minutes(30))
    assert code(unanswered_match, at=40) == "objection_made"


def test_only_the_player_who_lost_can_object(unanswered_match: Match) -> None:
    assert code(unanswered_match, side=BOB) == "nothing_to_object_to"


def test_an_objection_has_a_reason_that_can_be_read(unanswered_match: Match) -> None:
    assert code(unanswered_match, reason=" ") == "objection_reason_missing"
    assert code(unanswered_match, reason="x" * (MAX_NOTE_LENGTH + 1)) == "note_too_long"
    object_(unanswered_match, reason="x" * MAX_NOTE_LENGTH)


@pytest.mark.parametrize(("at", "possible"), [(11, True), (24 * 60 + 1, True), (24 * 60 + 1.1, False)])
def test_a_player_can_object_until_a_day_after_seeing_the_report(
    unanswered_match: Match, at: float, possible: bool
) -> None:
    if possible:
        assert object_(unanswered_match, at=at).state == State.OPEN
    else:
        assert code(unanswered_match, at=at) == "objection_late"


def test_there_are_at_least_ten_minutes_to_object(bob_player: Player, carol_player: Player) -> None:
    match = match_between(bob_player, carol_player, claim_wait=3 * 24 * 3600)
    claim = reports.report_score(
        match=match, side=BOB, report=reports.ScoreReport(BOB, (7, 5)), by=Actor.link(BOB), now=NOW
    ).report
    reports.acknowledge(match=match, side=CAROL, by=Actor.link(CAROL), now=NOW)
    accept_unanswered(claim_id=claim.pk, now=NOW + timedelta(days=3))
    match.refresh_from_db()
    assert code(match, at=3 * 24 * 60 + 10.1) == "objection_late"
    assert object_(match, at=3 * 24 * 60 + 10).state == State.OPEN


def test_confirmed_and_decided_results_cannot_be_objected_to(match: Match, bob: User, alice: User) -> None:
    reports.report_score(match=match, side=BOB, report=reports.ScoreReport(BOB, (7, 5)), by=Actor.of(bob), now=NOW)
    assert code(match) == "nothing_to_object_to"
    reports.confirm(match=match, side=CAROL, by=Actor.link(CAROL), now=minutes(1))
    assert code(match) == "nothing_to_object_to"


def test_a_directors_correction_upholds_it(unanswered_match: Match, alice: User) -> None:
    objection = object_(unanswered_match)
    ruling = ResultInput(CAROL, (5, 7), Result.Kind.RULING)
    basis = Basis(Result.Source.DIRECTOR, reason="Misread sheet.")
    append_result(unanswered_match, ruling, basis, by=Actor.of(alice), now=minutes(30))
    objection.refresh_from_db()
    assert (objection.state, objection.answered_by, objection.answer) == (State.UPHELD, alice, "Misread sheet.")
    assert code(unanswered_match, at=31) == "nothing_to_object_to"


def test_an_objection_is_answered_once_with_a_reason(unanswered_match: Match, alice: User) -> None:
    objection = object_(unanswered_match)
    with pytest.raises(Refused, match="objection_answer_missing"):
        answer_objection(objection=objection, upheld=True, answer=" ", by=Actor.of(alice), now=minutes(30))
    answer_objection(objection=objection, upheld=False, answer="Two saw it.", by=Actor.of(alice), now=minutes(30))
    with pytest.raises(Refused, match="objection_answered"):
        answer_objection(objection=objection, upheld=True, answer="Yes", by=Actor.of(alice), now=minutes(31))


# Abuse, over HTTP


def path(match: Match, side: int | None, *rest: str) -> str:
    return "/".join(["/m", links.token_for(match, side), *rest, ""])


def after(match: Match) -> int:
    return Match.objects.get(pk=match.pk).seq


def test_a_second_objection_on_the_page_is_refused_and_keeps_its_text(unanswered_match: Match) -> None:
    # Of a result that unanswered_match long ago as this test runs, so that the page's own clock lets it in.
    unanswered_match.claims.update(seen_at=None)
    client = Client()
    sent = {"reason": "We did not play.", "after": after(unanswered_match)}
    page = client.post(path(unanswered_match, CAROL, "object"), sent, follow=True).content.decode()
    assert "Your objection was sent to the director." in page
    assert "Is this result wrong?" not in page
    again = client.post(
        path(unanswered_match, CAROL, "object"), {"reason": "Really not.", "after": after(unanswered_match)}
    )
    assert again.status_code == 409
    assert 'data-code="objection_made"' in again.content.decode()
    assert unanswered_match.objections.count() == 1
    result = standing_result(unanswered_match)
    assert result is not None
    assert (result.winner, result.version) == (BOB, 1)


def sent_record(match: Match, side: int, data: bytes) -> None:
    """Send a record by a personal link and have it checked."""
    response = Client().post(path(match, side, "records"), {"text": data.decode()}, follow=True)
    assert response.status_code == 200
    adjudicate_submission(submission_id=match.submissions.get().pk, now=minutes(1))
    match.refresh_from_db()


def test_a_forged_record_waits_for_the_loser_who_contests_it(bob_player: Player, carol_player: Player) -> None:
    match = match_between(bob_player, carol_player, length=3)
    sent_record(match, BOB, write(play_out(1, 3, players=("Bob", "Carol")), "mat"))
    assert (match.state, match.results.count()) == (Match.State.CLAIMED, 0)
    page = Client().get(path(match, CAROL)).content.decode()
    assert "Confirm this score" in page
    sent = {"note": "We never played.", "after": match.seq}
    assert "Disputed" in Client().post(path(match, CAROL, "contest"), sent, follow=True).content.decode()
    assert not match.results.exists()


@pytest.mark.parametrize("records_stand", [False, True])
def test_a_record_without_plays_does_not_settle_the_match(
    bob_player: Player, carol_player: Player, records_stand: bool
) -> None:
    match = match_between(bob_player, carol_player, length=5, records_stand=records_stand)
    sent_record(match, BOB, b" 5 point match\n\n Game 1\n Bob : 0    Carol : 0\n Wins 5 points and the match\n")
    assert (match.state, match.results.count(), match.claims.count()) == (Match.State.OPEN, 0, 0)
    assert match.submissions.get().refusal["code"] == "record_unmoved"


def test_an_anonymous_report_is_overruled_by_a_signed_one(match: Match) -> None:
    anonymous = {"score_0": 7, "score_1": 2, "i_am": "1", "after": 0}
    Client().post(path(match, None, "claim"), anonymous)
    true = {"score_0": 4, "score_1": 7, "after": after(match)}
    page = Client().post(path(match, CAROL, "claim"), true, follow=True).content.decode()
    assert 'data-state="claimed"' in page
    assert [(claim.side, claim.state) for claim in match.claims.all()] == [(None, "overruled"), (CAROL, "open")]
    Client().post(path(match, BOB, "confirm"), {"after": after(match)})
    result = standing_result(match)
    assert result is not None
    assert (result.winner, result.score) == (CAROL, (4, 7))


def test_opening_a_link_does_not_start_the_waiting_time(bob_player: Player, carol_player: Player) -> None:
    match = match_between(bob_player, carol_player, length=3)
    sent = records.submit_for_match(
        match=match,
        side=BOB,
        file=RecordFile(write(play_out(1, 3, players=("Bob", "Carol")), "mat"), "upload"),
        by=Actor.link(BOB),
        now=NOW,
    ).submission
    adjudicate_submission(submission_id=sent.pk, now=NOW)
    for _ in range(3):
        Client().get(path(match, CAROL))
    assert match.claims.get().stands_at is None
