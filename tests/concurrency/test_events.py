"""Two people, or two workers, change an event at once: one change is made, the other is refused or does nothing.

Each race has a control in which the fault shows: the same services without the locks, or the same steps in the order
that the lock prevents.
"""

from datetime import timedelta
from typing import Any

from matches.lifecycle.finish import ResultInput
from matches.models import Match, Result
from matches.reporting import reports
from players.actors import Actor
from players.models import LogEntry
from tests.concurrency.event import POSTGRESQL_ONLY, EventBuilder, entry_of, fixtures, match_of
from tests.concurrency.racing import at_once, faults, refusals, without_locks
from tests.event_cast import NOON
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.models import Division, Entry, Fixture, Slot, Withdrawal
from tournaments.results import overdue
from tournaments.results import services as results
from tournaments.state.integrity import differences

pytestmark = POSTGRESQL_ONLY
ROUNDS = 6
LATE = NOON + timedelta(days=1, seconds=1)


def is_clean() -> bool:
    return list(differences()) == []


def fails(outcomes: list[Any], match: Match) -> bool:
    """Return whether there was an error page, or not exactly one result."""
    return bool(faults(outcomes)) or match.results.count() != 1


# A withdrawal against a result


def withdraw_and_report(builder: EventBuilder) -> tuple[Match, list[Any]]:
    """Side 0 withdraws while the director records that it won."""
    first = fixtures(builder.drawn(4))[0]
    match, leaver = match_of(first), entry_of(first, 0)
    return match, at_once(
        lambda: entries.withdraw(entry=leaver, **builder.acts),
        lambda: results.enter_result(fixture=first, result=ResultInput(0, (1, 0)), after=match.seq, **builder.acts),
    )


def test_a_withdrawal_or_a_result_comes_first(builder: EventBuilder) -> None:
    for _ in range(ROUNDS):
        match, outcomes = withdraw_and_report(builder)
        assert faults(outcomes) == []
        result = match.results.get()
        walked_over = result.kind == Result.Kind.WALKOVER
        assert result.winner == (1 if walked_over else 0)
        assert refusals(outcomes) == (["stale"] if walked_over else [])
        assert is_clean()


def test_control_a_withdrawal_against_a_result_without_the_locks(builder: EventBuilder) -> None:
    with without_locks(before=Result):
        match, outcomes = withdraw_and_report(builder)
    assert fails(outcomes, match)


def withdraw_and_concede(builder: EventBuilder) -> tuple[Match, list[Any]]:
    """Side 0 withdraws while side 1 reports a loss."""
    first = fixtures(builder.drawn(4))[0]
    match, leaver = match_of(first), entry_of(first, 0)
    report: dict[str, Any] = {"side": 1, "report": reports.ScoreReport(0, (1, 0)), "by": Actor.link(1), "now": NOON}
    return match, at_once(
        lambda: entries.withdraw(entry=leaver, **builder.acts),
        lambda: reports.report_score(match=match, **report),
    )


def test_a_withdrawal_or_a_players_report_comes_first(builder: EventBuilder) -> None:
    for _ in range(ROUNDS):
        match, outcomes = withdraw_and_concede(builder)
        assert faults(outcomes) == []
        walked_over = match.results.get().kind == Result.Kind.WALKOVER
        assert refusals(outcomes) == (["match_settled"] if walked_over else [])
        assert is_clean()


def test_control_a_withdrawal_against_a_report_without_the_locks(builder: EventBuilder) -> None:
    with without_locks(before=Result):
        match, outcomes = withdraw_and_concede(builder)
    assert fails(outcomes, match)


# Two workers at the same deadline


def sweep_twice(builder: EventBuilder) -> tuple[Match, list[Any]]:
    first = fixtures(builder.drawn(4, deadline_rule="lots"))[0]
    Fixture.objects.filter(pk=first.pk).update(due_at=NOON + timedelta(days=1))
    sweep = lambda: overdue.apply_deadline(fixture_id=first.pk, now=LATE)  # noqa: E731
    return match_of(first), at_once(sweep, sweep)


def test_two_workers_at_one_deadline_apply_the_rule_once(builder: EventBuilder) -> None:
    for number in range(1, ROUNDS + 1):
        match, outcomes = sweep_twice(builder)
        assert sorted(outcomes, key=str) == [None, "lots"]
        assert match.results.get().source == Result.Source.DEADLINE
        assert LogEntry.objects.filter(verb="deadline_lots").count() == number
        assert is_clean()


def test_control_two_workers_at_one_deadline_without_the_locks(builder: EventBuilder) -> None:
    with without_locks():
        match, outcomes = sweep_twice(builder)
    assert fails(outcomes, match)


# A report against the director's result


def concede_and_rule(builder: EventBuilder) -> tuple[Match, list[Any]]:
    """Side 1 reports a loss while the director records that it won."""
    first = fixtures(builder.drawn(4))[0]
    match = match_of(first)
    report: dict[str, Any] = {"side": 1, "report": reports.ScoreReport(0, (1, 0)), "by": Actor.link(1), "now": NOON}
    return match, at_once(
        lambda: reports.report_score(match=match, after=match.seq, **report),
        lambda: results.enter_result(fixture=first, result=ResultInput(1, (0, 1)), after=match.seq, **builder.acts),
    )


def test_of_a_report_and_the_directors_result_one_stands(builder: EventBuilder) -> None:
    for _ in range(ROUNDS):
        match, outcomes = concede_and_rule(builder)
        assert faults(outcomes) == []
        assert refusals(outcomes) == ["stale"]
        assert match.results.count() == 1
        assert is_clean()


def test_control_a_report_against_the_director_without_the_locks(builder: EventBuilder) -> None:
    with without_locks():
        match, outcomes = concede_and_rule(builder)
    assert fails(outcomes, match)


# Publishing against withdrawing


def publish_and_withdraw(builder: EventBuilder) -> tuple[Entry, list[Any]]:
    division = builder.drafted(4)
    leaver = division.entries.order_by("pk")[0]
    return leaver, at_once(
        lambda: draws.publish_draw(division=division, after=division.seq, **builder.acts),
        lambda: entries.withdraw(entry=leaver, **builder.acts),
    )


def is_waited_for_after_withdrawing(entry: Entry) -> bool:
    entry.refresh_from_db()
    left = entry.status == Entry.Status.OUT and not Withdrawal.objects.filter(entry=entry).exists()
    return left and Slot.objects.filter(source_entry=entry).exists()


def test_an_entry_withdrawn_while_the_draw_is_published_is_not_waited_for(builder: EventBuilder) -> None:
    for _ in range(ROUNDS):
        leaver, outcomes = publish_and_withdraw(builder)
        assert faults(outcomes) == []
        assert refusals(outcomes) in ([], ["stale"])
        assert not is_waited_for_after_withdrawing(leaver)
        leaver.division.refresh_from_db()
        published = leaver.division.status == Division.Status.RUNNING
        assert published == (refusals(outcomes) == [])
        walkovers = Result.objects.filter(match__parent_topic=leaver.division.topic, kind=Result.Kind.WALKOVER)
        assert walkovers.count() == published
        assert is_clean()


def test_control_publishing_against_withdrawing_without_the_locks(builder: EventBuilder) -> None:
    with without_locks():
        leaver, _outcomes = publish_and_withdraw(builder)
    assert is_waited_for_after_withdrawing(leaver)


# Two directors


def two_directors(builder: EventBuilder) -> tuple[Match, list[Any]]:
    first = fixtures(builder.drawn(4))[0]
    match = match_of(first)
    return match, at_once(
        lambda: results.enter_result(fixture=first, result=ResultInput(0, (1, 0)), after=match.seq, **builder.acts),
        lambda: results.enter_result(fixture=first, result=ResultInput(1, (0, 1)), after=match.seq, **builder.acts),
    )


def test_of_two_directors_the_second_is_refused_as_stale(builder: EventBuilder) -> None:
    for _ in range(ROUNDS):
        match, outcomes = two_directors(builder)
        assert faults(outcomes) == []
        assert refusals(outcomes) == ["stale"]
        assert match.results.count() == 1
        assert is_clean()


def test_control_two_directors_without_the_locks(builder: EventBuilder) -> None:
    with without_locks():
        match, outcomes = two_directors(builder)
    assert fails(outcomes, match)
