"""A match has begun once it has a score or a report that was not withdrawn."""

from datetime import timedelta

import pytest

from matches.lifecycle.begun import has_begun
from matches.lifecycle.finish import Basis, ResultInput, append_result
from matches.lifecycle.opening import rebuild_beginnings
from matches.models import Match, Result
from matches.records.submissions import RecordFile
from matches.reporting import appointments, records, reports
from matches.reporting.records import adjudicate_submission
from players.actors import Actor
from players.models import User
from tests.matches.cast import BOB, CAROL, NOW, minutes
from tests.matches.ratings.history import void

pytestmark = pytest.mark.django_db


def again(match: Match) -> Match:
    return Match.objects.get(pk=match.pk)


def enter(match: Match, kind: str, score: tuple[int, int] | None, alice: User, at: float) -> Result:
    return append_result(
        again(match),
        ResultInput(BOB, score, kind),
        Basis(Result.Source.DIRECTOR),
        by=Actor.of(alice),
        now=minutes(at),
    )


def test_proposed_and_agreed_times_do_not_begin_a_match(match: Match) -> None:
    day = NOW + timedelta(days=1)
    offered = appointments.propose(match=match, side=BOB, offer=appointments.Dates([day]), by=Actor.link(BOB), now=NOW)
    assert not has_begun(again(match))
    appointments.accept(proposal=offered, side=CAROL, time=day, by=Actor.link(CAROL), now=NOW)
    assert not has_begun(again(match))


def test_a_refused_record_does_not_begin_a_match(match: Match, bob: User) -> None:
    row = records.submit_for_match(
        match=match, side=BOB, file=RecordFile(b"nothing of the kind", "paste"), by=Actor.of(bob), now=NOW
    ).submission
    assert not has_begun(again(match))
    adjudicate_submission(submission_id=row.pk, now=NOW)
    row.refresh_from_db()
    assert row.standing == "refused"
    assert not has_begun(again(match))


def test_a_report_begins_a_match_until_it_is_withdrawn(match: Match) -> None:
    reports.report_score(
        match=match, side=BOB, report=reports.ScoreReport(BOB, (7, 5)), by=Actor.link(BOB), now=minutes(3)
    )
    assert again(match).begun_at == minutes(3)
    reports.withdraw_report(match=match, side=BOB, by=Actor.link(BOB), now=minutes(4))
    assert not has_begun(again(match))


def test_a_walkover_does_not_begin_a_match_but_a_score_does(match: Match, alice: User) -> None:
    enter(match, Result.Kind.WALKOVER, None, alice, at=1)
    assert not has_begun(again(match))
    enter(match, Result.Kind.PLAYED, (7, 5), alice, at=2)
    enter(match, Result.Kind.PLAYED, (7, 4), alice, at=3)
    assert again(match).begun_at == minutes(2)
    enter(match, Result.Kind.WALKOVER, None, alice, at=4)
    assert not has_begun(again(match)), "the score was taken back"


def test_voiding_does_not_change_when_a_match_began(match: Match, alice: User) -> None:
    enter(match, Result.Kind.PLAYED, (7, 5), alice, at=2)
    void(match)
    assert again(match).begun_at == minutes(2)
    assert rebuild_beginnings() == 0


def test_rebuilding_derives_begun_at_again(match: Match, alice: User) -> None:
    enter(match, Result.Kind.PLAYED, (7, 5), alice, at=2)
    Match.objects.update(begun_at=NOW)
    assert rebuild_beginnings() == 1
    assert again(match).begun_at == minutes(2)
