"""Reporting a match from both sides at once, on PostgreSQL: one report stands, the other is refused, none fails.

Each race has a control: the same services without the row lock, run until the fault shows.
"""

import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import count
from types import ModuleType
from typing import Any

import pytest
from django.db import connection, transaction

from engine.records import write
from engine.simulation import play_out
from matches.lifecycle.finish import Basis, ResultInput, append_result
from matches.lifecycle.locks import lock_match
from matches.models import Claim, Match, Result, Submission
from matches.records.services.submissions import RecordFile
from matches.reporting.services import deadlines, record_outcomes, records, report_outcomes, reports
from matches.reporting.services.adjudication import adjudicate_submission
from players.actors import SYSTEM, Actor
from players.models import LogEntry, Player
from tests.concurrency.racing import PATIENCE, at_once, faults, refusals
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
CONTROLS = 40
"""Races in which an unguarded fault must show; it shows in the first few."""

Rival = Callable[[], Any]


@pytest.fixture
def new_match(bob_player: Player, carol_player: Player) -> Callable[..., Match]:
    """Open another match to 3 between Bob and Carol."""
    return lambda **settings: match_between(
        bob_player, carol_player, length=3, parent_topic="", rated=False, **settings
    )


@pytest.fixture
def without_lock(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run the services without the lock: two threads read the match before either of them writes."""
    both_have_read = threading.Barrier(2)

    def unguarded(match_id: int) -> Match:
        match = Match.objects.select_related("player_0__user", "player_1__user", "club").get(pk=match_id)
        both_have_read.wait(PATIENCE)
        return match

    modules: tuple[ModuleType, ...] = (reports, record_outcomes)
    for module in modules:
        monkeypatch.setattr(module, "lock_match", unguarded)
    monkeypatch.setattr(report_outcomes, "lock_match_if_free", unguarded)
    yield
    both_have_read.abort()


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


def test_control_contradictory_reports_without_the_lock(new_match: Callable[..., Match], without_lock: None) -> None:
    for _ in range(CONTROLS):
        match = new_match()
        contradict(match)
        if not is_consistent_dispute(match):
            return
    pytest.fail("without the lock nothing went wrong, so the test above shows nothing")


# Two reports by the loser, as two clicks send them


def test_two_clicks_of_the_loser_give_one_result(new_match: Callable[..., Match]) -> None:
    for _ in range(ROUNDS):
        match = new_match()
        outcomes = at_once(say(match, CAROL, BOB, (3, 1)), say(match, CAROL, BOB, (3, 1)))
        assert faults(outcomes) == []
        assert refusals(outcomes) == ["match_settled"]
        assert match.results.count() == 1


def test_control_two_clicks_without_the_lock(new_match: Callable[..., Match], without_lock: None) -> None:
    for _ in range(CONTROLS):
        match = new_match()
        outcomes = at_once(say(match, CAROL, BOB, (3, 1)), say(match, CAROL, BOB, (3, 1)))
        if faults(outcomes) or match.results.count() != 1:
            return
    pytest.fail("without the lock nothing went wrong, so the test above shows nothing")


# Two uploads

NUMBERS = count(1)


def checked_record(match: Match, side: int, seed: int) -> Submission:
    """Return a record whose verdict has not had its effect yet."""
    data = write(play_out(seed, 3, players=("Bob", "Carol")), "mat") + b"\n" * next(NUMBERS)
    row = records.submit_for_match(
        match=match, side=side, file=RecordFile(data, "upload"), by=Actor.link(side), now=NOW
    ).submission
    Submission.objects.filter(pk=row.pk).update(standing=Submission.Standing.NONE)
    adjudicate_submission(submission_id=row.pk, now=NOW)
    Submission.objects.filter(pk=row.pk).update(standing=Submission.Standing.WAITING)
    return row


def upload_two(match: Match) -> list[Any]:
    first, second = checked_record(match, BOB, 1), checked_record(match, CAROL, 6)
    return at_once(
        lambda: record_outcomes.apply_verdict(submission_id=first.pk, now=NOW),
        lambda: record_outcomes.apply_verdict(submission_id=second.pk, now=NOW),
    )


def test_two_uploads_that_differ_are_a_dispute(new_match: Callable[..., Match]) -> None:
    for _ in range(ROUNDS):
        match = new_match()
        assert faults(upload_two(match)) == []
        assert is_consistent_dispute(match)
        assert set(match.submissions.values_list("standing", flat=True)) == {Submission.Standing.REPORT}
        assert not match.results.exists()


def test_control_two_uploads_without_the_lock(new_match: Callable[..., Match], without_lock: None) -> None:
    for _ in range(CONTROLS):
        match = new_match()
        if faults(upload_two(match)) or not is_consistent_dispute(match):
            return
    pytest.fail("without the lock nothing went wrong, so the test above shows nothing")


# A report against the director's result


def rule(match: Match, lock: Callable[[int], Match]) -> Result:
    with transaction.atomic():
        return append_result(
            lock(match.pk),
            ResultInput(CAROL, (0, 3), Result.Kind.RULING),
            Basis(Result.Source.DIRECTOR),
            by=Actor(LogEntry.By.SYSTEM),
            now=NOW,
        )


def test_a_report_never_stands_over_the_directors_result(new_match: Callable[..., Match]) -> None:
    for _ in range(ROUNDS):
        match = new_match()
        outcomes = at_once(say(match, CAROL, BOB, (3, 1)), lambda match=match: rule(match, lock_match))
        assert faults(outcomes) == []
        assert refusals(outcomes) in ([], ["match_settled"])
        versions = list(match.results.order_by("version").values_list("source", flat=True))
        assert versions in (["director"], ["claim", "director"])


def test_control_a_report_against_the_director_without_the_lock(
    new_match: Callable[..., Match], without_lock: None
) -> None:
    for _ in range(CONTROLS):
        match = new_match()
        outcomes = at_once(say(match, CAROL, BOB, (3, 1)), lambda match=match: rule(match, reports.lock_match))
        if faults(outcomes) or match.results.first().source != "director":
            return
    pytest.fail("without the lock nothing went wrong, so the test above shows nothing")


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


def test_control_two_workers_without_the_lock(new_match: Callable[..., Match], without_lock: None) -> None:
    for _ in range(CONTROLS):
        match = new_match()
        claim = due_claim_unguarded(match)
        stand = lambda pk=claim.pk: report_outcomes.accept_unanswered(claim_id=pk, now=minutes(11))  # noqa: E731
        if faults(at_once(stand, stand)) or match.results.count() != 1:
            return
    pytest.fail("without the lock nothing went wrong, so the test above shows nothing")


def due_claim_unguarded(match: Match) -> Claim:
    """Write the same row directly: the unguarded service waits for a second reader."""
    Match.objects.filter(pk=match.pk).update(state=Match.State.CLAIMED)
    return Claim.objects.create(
        match=match, side=BOB, winner=BOB, score_0=3, score_1=1, by=SYSTEM.kind, seen_at=NOW, stands_at=minutes(10)
    )


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
