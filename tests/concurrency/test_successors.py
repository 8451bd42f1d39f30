"""Two requests affect each other through a third row: the next match, the division, the event."""

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from django.db import transaction
from django.db.utils import OperationalError

from matches.lifecycle.finish import ResultInput
from matches.models import Match, Result
from matches.reporting import reports
from players.actors import Actor
from players.models import Player
from tests.concurrency.event import POSTGRESQL_ONLY, EventBuilder, fixtures, match_of
from tests.concurrency.racing import PATIENCE, at_once, faults, refusals, without_locks
from tests.event_cast import NOON
from tournaments.entries import services as entries
from tournaments.models import Division, Fixture, Tournament
from tournaments.results import services as results
from tournaments.state.integrity import differences
from tournaments.state.locks import lock_division, lock_matches

pytestmark = POSTGRESQL_ONLY
ROUNDS = 6
A_MOMENT = 0.5
"""Seconds in which the other request gets as far as it can."""


def before_the_final(builder: EventBuilder) -> tuple[Fixture, Match]:
    """Return the first semifinal, and the match of the final, which is ready."""
    first, second, final = fixtures(builder.drawn(4))
    for fixture in (first, second):
        results.enter_result(fixture=fixture, result=ResultInput(0, (1, 0)), **builder.acts)
    return first, match_of(final)


def concede(final: Match) -> Callable[[], Any]:
    """Report that side 1 lost the final."""
    return lambda: reports.report_score(
        match=final, side=1, report=reports.ScoreReport(0, (1, 0)), by=Actor.link(1), now=NOON
    )


def played_and_void(final: Match) -> bool:
    return set(final.results.values_list("kind", flat=True)) == {Result.Kind.PLAYED, Result.Kind.VOID}


# A result replaced while the next match begins


def replace_and_concede(builder: EventBuilder, first: Fixture, final: Match) -> list[Any]:
    replace = partial(results.enter_result, fixture=first, result=ResultInput(1, (0, 1)), **builder.acts)
    return at_once(replace, concede(final))


def test_a_result_is_replaced_or_the_next_match_begins_but_not_both(builder: EventBuilder) -> None:
    for _ in range(ROUNDS):
        first, final = before_the_final(builder)
        outcomes = replace_and_concede(builder, first, final)
        assert faults(outcomes) == []
        assert refusals(outcomes) in (["successor_begun"], ["match_void"])
        assert not played_and_void(final)
        assert list(differences()) == []


def test_control_a_result_replaced_without_locking_the_next_match(builder: EventBuilder) -> None:
    first, final = before_the_final(builder)
    with without_locks(Match):
        outcomes = replace_and_concede(builder, first, final)
    assert refusals(outcomes) == []
    assert faults(outcomes) or played_and_void(final)


# A request that needs both locks the division first, then its matches


def test_replacing_a_result_and_reporting_the_next_match_never_deadlock(builder: EventBuilder) -> None:
    for _ in range(ROUNDS):
        first, final = before_the_final(builder)
        again = concede(final)
        replaced = partial(results.enter_result, fixture=first, result=ResultInput(1, (0, 1)), **builder.acts)
        assert faults(at_once(again, replaced, again)) == []


def test_control_the_match_locked_before_the_division(builder: EventBuilder) -> None:
    """A report that settles in its own transaction holds the match and waits for the division."""
    first, final = before_the_final(builder)
    both = threading.Barrier(2)

    def take(*steps: Callable[[], object]) -> None:
        with transaction.atomic():
            steps[0]()
            both.wait(PATIENCE)
            steps[1]()

    the_division = lambda: lock_division(first.stage.division_id)  # noqa: E731
    the_match = lambda: lock_matches([final.pk])  # noqa: E731
    outcomes = at_once(lambda: take(the_division, the_match), lambda: take(the_match, the_division))

    assert [type(fault) for fault in faults(outcomes)] == [OperationalError], "PostgreSQL has ended one of them"


def test_a_withdrawal_from_two_divisions_never_deadlocks(builder: EventBuilder) -> None:
    for _ in range(ROUNDS):
        event = builder.event()
        divisions = [builder.drawn(4, event), builder.drawn(4, event)]
        leaver = builder.cast[0]
        conceded = [match for division in divisions for match in matches_of(division, leaver)]
        outcomes = at_once(
            lambda event=event, leaver=leaver: entries.withdraw_from_event(
                tournament=event, player=leaver, **builder.acts
            ),
            *[lost_by(match, leaver) for match in conceded],
        )
        assert faults(outcomes) == []
        assert [match.results.count() for match in conceded] == [1, 1]
        assert list(differences()) == []


def matches_of(division: Division, player: Player) -> list[Match]:
    matches = [match_of(fixture) for fixture in fixtures(division) if fixture.match is not None]
    return [match for match in matches if player.pk in (match.player_0_id, match.player_1_id)]


def lost_by(match: Match, player: Player) -> Callable[[], Any]:
    """The player withdraws on their own, so it takes effect at once."""
    side = 0 if match.player_0_id == player.pk else 1
    score = (0, 1) if side == 0 else (1, 0)
    return lambda: reports.report_score(
        match=match, side=side, report=reports.ScoreReport(1 - side, score), by=Actor.link(side), now=NOON
    )


# Two divisions that end at once


def test_an_event_is_over_when_its_last_two_divisions_end_at_once(builder: EventBuilder) -> None:
    event = builder.event()
    first, second = (fixtures(builder.drawn(2, event))[0] for _ in range(2))
    booked = threading.Event()

    def end(final: Fixture) -> None:
        results.enter_result(fixture=final, result=ResultInput(0, (1, 0)), **builder.acts)

    def end_and_commit_late() -> None:
        with transaction.atomic():
            end(first)
            booked.set()
            time.sleep(A_MOMENT)

    def end_meanwhile() -> None:
        booked.wait(PATIENCE)
        end(second)

    assert faults(at_once(end_and_commit_late, end_meanwhile)) == []

    event.refresh_from_db()
    assert event.status == Tournament.Status.FINISHED


def test_control_two_divisions_that_look_at_each_other_without_the_lock(builder: EventBuilder) -> None:
    event = builder.event()
    divisions = [builder.drawn(2, event) for _ in range(2)]
    both = threading.Barrier(2)

    def finish(division: Division) -> None:
        with transaction.atomic():
            Division.objects.filter(pk=division.pk).update(status=Division.Status.FINISHED)
            another = event.divisions.exclude(status=Division.Status.FINISHED).exists()
            both.wait(PATIENCE)
            if not another:
                Tournament.objects.filter(pk=event.pk).update(status=Tournament.Status.FINISHED)

    assert faults(at_once(*[lambda division=division: finish(division) for division in divisions])) == []

    event.refresh_from_db()
    assert event.status == Tournament.Status.RUNNING, "both divisions are over, and the event is not"
