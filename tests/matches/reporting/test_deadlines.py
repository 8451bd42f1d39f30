"""Sweeps: due work is done once, whatever else fails."""

from datetime import datetime

import pytest
from django.core import mail
from django.core.mail import EmailMessage

from engine.records import write
from engine.simulation import play_out
from matches.lifecycle.finish import standing_result
from matches.models import Claim, Match, Submission
from matches.records.submissions import MAX_ATTEMPTS, RecordFile
from matches.reporting import deadlines, records, reports
from matches.reporting.records import adjudicate_submission
from players.actors import Actor
from players.models import Notification, Player, User
from players.notifications.emails import send_emails
from tests.matches.cast import BOB, CAROL, NOW, match_between, minutes

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


@pytest.fixture
def claim(match: Match, bob: User) -> Claim:
    """Bob reports that he won 7–5."""
    return reports.report_score(
        match=match, side=BOB, report=reports.ScoreReport(BOB, (7, 5)), by=Actor.of(bob), now=NOW
    ).report


def emailed(user: User, now: datetime) -> list[EmailMessage]:
    """The e-mails that are sent to a user now."""
    mail.outbox.clear()
    send_emails(user=user.pk, now=now)
    return mail.outbox


def test_an_email_asks_the_loser_but_starts_no_waiting_time(match: Match, claim: Claim, carol: User) -> None:
    (message,) = emailed(carol, minutes(2))
    assert message.to == [carol.email]
    assert message.subject == "Bob reports a 7–5 win against you. Is that right?"
    assert f"/m/{match.public_id}.1." in message.body
    claim.refresh_from_db()
    assert claim.emailed_at == minutes(2)
    assert deadlines.accept_due_reports(now=minutes(100_000)) == 0, "an unread e-mail is no answer"
    assert emailed(carol, minutes(3)) == [], "nobody is written to twice"


def test_a_seen_report_stands_after_its_waiting_time(match: Match, claim: Claim) -> None:
    reports.acknowledge(match=match, side=CAROL, by=Actor.link(CAROL), now=minutes(2))
    assert deadlines.accept_due_reports(now=minutes(12)) == 0, "answers on their way are waited for"
    assert deadlines.accept_due_reports(now=minutes(12.01)) == 1
    result = standing_result(match)
    assert result is not None
    assert (result.by, result.at) == ("system", minutes(12.01))
    assert deadlines.accept_due_reports(now=minutes(13)) == 0


def test_nobody_is_notified_who_has_no_account(bob_player: Player) -> None:
    ghost = Player.objects.create(name="Ghost")
    match = match_between(bob_player, ghost)
    reports.report_score(match=match, side=BOB, report=reports.ScoreReport(BOB, (7, 5)), by=Actor.link(BOB), now=NOW)
    assert not Notification.objects.exists()


def test_no_email_is_sent_about_an_answered_report(match: Match, claim: Claim, carol: User) -> None:
    reports.confirm(match=match, side=CAROL, by=Actor.link(CAROL), now=minutes(0.5))
    assert emailed(carol, minutes(2)) == []


def test_a_record_sent_in_time_takes_precedence_over_the_report(
    bob_player: Player, carol_player: Player, carol: User
) -> None:
    match = match_between(bob_player, carol_player, length=3)
    claim = reports.report_score(
        match=match, side=BOB, report=reports.ScoreReport(BOB, (3, 1)), by=Actor.link(BOB), now=NOW
    ).report
    reports.acknowledge(match=match, side=CAROL, by=Actor.link(CAROL), now=NOW)
    carol_won = write(play_out(6, 3, players=("Bob", "Carol")), "mat")
    row = records.submit_for_match(
        match=match, side=CAROL, file=RecordFile(carol_won, "upload"), by=Actor.of(carol), now=minutes(9)
    ).submission
    deadlines.accept_due_reports(now=minutes(20))
    assert standing_result(match) is None
    adjudicate_submission(submission_id=row.pk, now=minutes(21))
    match.refresh_from_db()
    assert (match.state, standing_result(match)) == (Match.State.DISPUTED, None)
    assert claim.public_id in match.claims.filter(state="contested").values_list("public_id", flat=True)


def test_the_sweep_applies_a_verdict_that_a_crash_left_unapplied(match: Match, bob: User) -> None:
    row = records.submit_for_match(
        match=match, side=BOB, file=RecordFile(b"not a match", "paste"), by=Actor.of(bob), now=NOW
    ).submission
    Submission.objects.filter(pk=row.pk).update(attempts=MAX_ATTEMPTS)
    assert adjudicate_submission(submission_id=row.pk, now=minutes(1)) is None
    row.refresh_from_db()
    assert (row.state, row.standing) == (Submission.State.FAILED, Submission.Standing.WAITING)
    assert deadlines.settle_waiting_records(now=minutes(2)) == 1
    row.refresh_from_db()
    assert (row.standing, row.refusal["code"]) == (Submission.Standing.REFUSED, "adjudication_gave_up")
    assert deadlines.settle_waiting_records(now=minutes(3)) == 0


def test_the_signal_is_sent_again_until_a_receiver_has_acted(match: Match, claim: Claim, heard: list[int]) -> None:
    reports.confirm(match=match, side=CAROL, by=Actor.link(CAROL), now=NOW)
    assert deadlines.announce_unsettled(now=minutes(0)) == 0, "the first signal may still be at work"
    assert deadlines.announce_unsettled(now=minutes(1)) == 1
    assert heard == [match.pk]
    Match.objects.update(unsettled=False)
    assert deadlines.announce_unsettled(now=minutes(2)) == 0


def test_a_failing_row_does_not_stop_the_others(bob_player: Player, carol_player: Player, bob: User) -> None:
    rows = []
    for _ in range(2):
        match = match_between(bob_player, carol_player)
        rows.append(
            records.submit_for_match(
                match=match, side=BOB, file=RecordFile(b"nothing", "paste"), by=Actor.of(bob), now=NOW
            ).submission
        )
    # A row that says it is checked but has a transcript that nobody can read: a bug, not a refusal.
    Submission.objects.update(state=Submission.State.DONE)
    Submission.objects.filter(pk=rows[0].pk).update(transcript={"games": 7})
    with pytest.raises(ExceptionGroup):
        deadlines.settle_waiting_records(now=minutes(1))
    rows[1].refresh_from_db()
    assert rows[1].standing == Submission.Standing.REFUSED
    assert records.apply_verdict(submission_id=rows[1].pk, now=minutes(1)) is None
