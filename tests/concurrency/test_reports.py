"""Reporting a match from both sides at once, on PostgreSQL: one report stands, the other is refused, none fails.

Each race has a control: the same services without the row lock, so that the fault shows.
"""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from itertools import count
from typing import Any

import pytest
from django.db import connection, transaction

from engine.adjudication import adjudicate
from engine.records import write
from engine.simulation import play_out
from engine.transcript import Transcript
from matches.lifecycle.finish import Basis, ResultInput, append_result
from matches.lifecycle.locks import lock_match
from matches.models import Claim, Match, Result, Submission
from matches.records.submissions import RecordFile
from matches.reporting import deadlines, records, reports
from matches.reporting.records import adjudicate_submission
from players.actors import Actor
from players.models import LogEntry, Player
from tests.concurrency.racing import at_once, faults, refusals, without_locks
from tests.matches.cast import BOB, CAROL, NOW, match_between, minutes
from tests.matches.conftest import bob_player, carol_player, club, pool

__all__ = ["bob_player", "carol_player", "club", "pool"]

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="SQLite lets one writer in at a time; set DATABASE_URL to PostgreSQL"
    ),
]
ROUNDS = 15

Rival = Callable[[], Any]


@pytest.fixture
def new_match(bob_player: Player, carol_player: Player) -> Callable[..., Match]:
    """Open another match to 3 between Bob and Carol."""
    return lambda **settings: match_between(
        bob_player, carol_player, length=3, parent_topic="", rated=False, **settings
    )


def say(match: Match, side: int, winner: int, score: tuple[int, int]) -> Rival:
    return lambda: reports.report_score(
        match=match, side=side, report=reports.ScoreReport(winner, score), by=Actor.link(side), now=NOW
    )


# Two contradictory reports


def contradict(match: Match) -> list[Any]:
    return at_once(say(match, BOB, BOB, (3, 1)), say(match, CAROL, CAROL, (1, 3)))


def is_consistent_dispute(match: Match) -> bool:
    match.refresh_from_db()
    states = set(match.claims.values_list("state", flat=True))
    return match.state == Match.State.DISPUTED and states == {Claim.State.CONTESTED} and match.claims.count() == 2


def test_two_contradictory_reports_are_a_dispute(new_match: Callable[..., Match]) -> None:
    for _ in range(ROUNDS):
        match = new_match()
        assert faults(contradict(match)) == []
        assert is_consistent_dispute(match)


def test_control_contradictory_reports_without_the_lock(new_match: Callable[..., Match]) -> None:
    match = new_match()
    with without_locks():
        outcomes = contradict(match)
    assert faults(outcomes) + refusals(outcomes) == []
    assert not is_consistent_dispute(match)


# Two reports by the loser, as two clicks send them


def test_two_clicks_of_the_loser_give_one_result(new_match: Callable[..., Match]) -> None:
    for _ in range(ROUNDS):
        match = new_match()
        outcomes = at_once(say(match, CAROL, BOB, (3, 1)), say(match, CAROL, BOB, (3, 1)))
        assert faults(outcomes) == []
        assert refusals(outcomes) == ["match_settled"]
        assert match.results.count() == 1


def test_control_two_clicks_without_the_lock(new_match: Callable[..., Match]) -> None:
    match = new_match()
    with without_locks():
        outcomes = at_once(say(match, CAROL, BOB, (3, 1)), say(match, CAROL, BOB, (3, 1)))
    assert faults(outcomes) or match.results.count() != 1


# Two uploads

NUMBERS = count(1)


def won_by(side: int) -> Transcript:
    """Return a match that this side wins, another one each time: the same plays settle no second match."""
    matches = (play_out(seed, 3, players=("Bob", "Carol")) for seed in NUMBERS)
    return next(match for match in matches if adjudicate(match).winner == side)


def checked_record(match: Match, side: int, transcript: Transcript) -> Submission:
    """Return a record whose verdict has not had its effect yet."""
    data = write(transcript, "mat")
    row = records.submit_for_match(
        match=match, side=side, file=RecordFile(data, "upload"), by=Actor.link(side), now=NOW
    ).submission
    Submission.objects.filter(pk=row.pk).update(standing=Submission.Standing.NONE)
    adjudicate_submission(submission_id=row.pk, now=NOW)
    Submission.objects.filter(pk=row.pk).update(standing=Submission.Standing.WAITING)
    return row


def upload_two(match: Match) -> list[Any]:
    first, second = checked_record(match, BOB, won_by(BOB)), checked_record(match, CAROL, won_by(CAROL))
    return at_once(
        lambda: records.apply_verdict(submission_id=first.pk, now=NOW),
        lambda: records.apply_verdict(submission_id=second.pk, now=NOW),
    )


def test_two_uploads_that_differ_are_a_dispute(new_match: Callable[..., Match]) -> None:
    for _ in range(ROUNDS):
        match = new_match()
        assert faults(upload_two(match)) == []
        assert is_consistent_dispute(match)
        assert set(match.submissions.values_list("standing", flat=True)) == {Submission.Standing.REPORT}
        assert not match.results.exists()


def test_control_two_uploads_without_the_lock(new_match: Callable[..., Match]) -> None:
    match = new_match()
    with without_locks(before=Claim):
        outcomes = upload_two(match)
    assert faults(outcomes) or not is_consistent_dispute(match)


# The same plays for two matches


def settle_two(matches: list[Match]) -> list[Any]:
    """The loser of a record sends it for two matches."""
    transcript = won_by(BOB)
    rows = [checked_record(match, CAROL, transcript) for match in matches]
    return at_once(*(partial(records.apply_verdict, submission_id=row.pk, now=NOW) for row in rows))


def settled(matches: list[Match]) -> int:
    return Result.objects.filter(match__in=matches).count()


def test_the_same_plays_settle_one_match(new_match: Callable[..., Match]) -> None:
    for _ in range(ROUNDS):
        matches = [new_match(), new_match()]
        assert faults(settle_two(matches)) == []
        assert settled(matches) == 1


def test_control_the_same_plays_without_the_lock(new_match: Callable[..., Match]) -> None:
    matches = [new_match(), new_match()]
    with without_locks():
        assert faults(settle_two(matches)) == []
    assert settled(matches) == 2


# A report against the director's result


def rule(match: Match) -> Result:
    with transaction.atomic():
        return append_result(
            lock_match(match.pk),
            ResultInput(CAROL, (0, 3), Result.Kind.RULING),
            Basis(Result.Source.DIRECTOR),
            by=Actor(LogEntry.By.SYSTEM),
            now=NOW,
        )


def test_a_report_never_stands_over_the_directors_result(new_match: Callable[..., Match]) -> None:
    for _ in range(ROUNDS):
        match = new_match()
        outcomes = at_once(say(match, CAROL, BOB, (3, 1)), lambda match=match: rule(match))
        assert faults(outcomes) == []
        assert refusals(outcomes) in ([], ["match_settled"])
        versions = list(match.results.order_by("version").values_list("source", flat=True))
        assert versions in (["director"], ["claim", "director"])


def test_control_a_report_against_the_director_without_the_lock(new_match: Callable[..., Match]) -> None:
    match = new_match()
    with without_locks():
        outcomes = at_once(say(match, CAROL, BOB, (3, 1)), lambda: rule(match))
    assert faults(outcomes) or match.results.first().source != "director"


# Two workers at the same deadline, and an answer at the last moment


def due_claim(match: Match, at: datetime) -> Claim:
    claim = reports.report_score(
        match=match, side=BOB, report=reports.ScoreReport(BOB, (3, 1)), by=Actor.link(BOB), now=NOW
    ).report
    Claim.objects.filter(pk=claim.pk).update(seen_at=NOW, stands_at=at)
    return claim


def test_two_workers_at_one_deadline_settle_it_once(new_match: Callable[..., Match]) -> None:
    for _ in range(ROUNDS):
        match = new_match()
        due_claim(match, minutes(10))
        sweep = lambda: deadlines.accept_due_reports(now=minutes(11))  # noqa: E731
        assert faults(at_once(sweep, sweep)) == []
        assert match.results.count() == 1


def test_control_two_workers_without_the_lock(new_match: Callable[..., Match]) -> None:
    match = new_match()
    due_claim(match, minutes(10))
    sweep = lambda: deadlines.accept_due_reports(now=minutes(11))  # noqa: E731
    with without_locks():
        outcomes = at_once(sweep, sweep)
    assert faults(outcomes) or match.results.count() != 1


def test_an_answer_at_the_last_moment_or_the_deadline_but_not_both(new_match: Callable[..., Match]) -> None:
    for _ in range(ROUNDS):
        match = new_match()
        due_claim(match, minutes(10))
        outcomes = at_once(
            lambda: deadlines.accept_due_reports(now=minutes(11)),
            lambda match=match: reports.contest(match=match, side=CAROL, by=Actor.link(CAROL), now=minutes(10)),
        )
        assert faults(outcomes) == []
        match.refresh_from_db()
        settled = match.state == Match.State.SETTLED
        assert match.results.count() == settled
        assert refusals(outcomes) == (["match_settled"] if settled else [])
