"""Random services in four threads at once: each is done, refused or left for later; none fails.

test_successors shows what happens if the locks are taken in another order.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import count
from random import Random
from typing import Any

import pytest

from demo.club import DIALECTS, written
from engine.errors import Refused
from engine.simulation import play_out
from matches.lifecycle.finish import ResultInput
from matches.models import Claim, Match, Result, Submission
from matches.ratings.services import default_pool, replay_pool
from matches.records.submissions import RecordFile
from matches.reporting import appointments, records, reports
from matches.reporting.deadlines import accept_due_reports, announce_unsettled, settle_waiting_records
from matches.reporting.records import adjudicate_submission
from players.actors import Actor
from tests.concurrency.event import POSTGRESQL_ONLY, EventBuilder
from tests.concurrency.racing import at_once, faults
from tests.event_cast import NOON
from tests.tiers import TEST_SEED, TIER
from tournaments.entries import services as entries
from tournaments.models import Entry, Fixture, Tournament
from tournaments.results import overdue
from tournaments.results import services as results
from tournaments.state.integrity import differences
from tournaments.state.settle import settle_division

pytestmark = POSTGRESQL_ONLY
THREADS = 4
A_TURN = 10
"""The number of services a thread calls before all threads check the state together."""


class Somebody:
    """A thread that acts as player, director and worker in turn, all in the same event.

    `seconds` counts the seconds since noon for all threads.
    """

    def __init__(self, builder: EventBuilder, event: Tournament, seed: int, seconds: Iterator[int]) -> None:
        self.builder, self.event, self.chance, self.seconds = builder, event, Random(seed), seconds
        self.counted: Counter[str] = Counter()
        self.acts: tuple[Callable[[], object], ...] = (
            *(self.claims, self.claims, self.answers, self.takes_back, self.concedes, self.proposes),
            *(self.sends_a_record, self.sends_a_record, self.checks),
            *(self.books, self.books, self.replaces, self.withdraws, self.leaves, self.sweeps, self.replays),
        )

    def works(self) -> Counter[str]:
        """Take a turn; refusals are counted, other exceptions are raised."""
        for _ in range(A_TURN):
            act = self.chance.choice(self.acts)
            try:
                act()
                self.counted[act.__name__] += 1
            except Refused as refused:
                self.counted[f"{act.__name__}: {refused.code}"] += 1
        return self.counted

    @property
    def now(self) -> datetime:
        """A second later each time, so that facts have times of their own."""
        return NOON + timedelta(seconds=next(self.seconds))

    @property
    def as_director(self) -> dict[str, Any]:
        return self.builder.acts | {"now": self.now}

    def match(self) -> Match:
        topics = [division.topic for division in self.event.divisions.all()]
        return self.chance.choice(list(Match.objects.filter(parent_topic__in=topics)))

    def fixture(self, **which: Any) -> Fixture | None:
        rows = Fixture.objects.filter(stage__division__tournament=self.event, **which)
        fixtures = list(rows.select_related("stage", "match"))
        return self.chance.choice(fixtures) if fixtures else None

    def score(self) -> tuple[int, tuple[int, int]]:
        winner = self.chance.randrange(2)
        return winner, ((1, 0) if winner == 0 else (0, 1))

    def claims(self) -> None:
        winner, score = self.score()
        side = self.chance.randrange(2)
        reports.report_score(
            match=self.match(), side=side, report=reports.ScoreReport(winner, score), by=Actor.link(side), now=self.now
        )

    def answers(self) -> None:
        claims = list(Claim.objects.filter(state=Claim.State.OPEN).select_related("match"))
        if claims:
            claim = self.chance.choice(claims)
            side = 1 - claim.side
            answer = self.chance.choice([reports.confirm, reports.confirm, reports.contest])
            answer(match=claim.match, side=side, by=Actor.link(side), now=self.now)

    def takes_back(self) -> None:
        side = self.chance.randrange(2)
        reported = list(Claim.objects.filter(state=Claim.State.OPEN, side=side).select_related("match"))
        if reported:
            match = self.chance.choice(reported).match
            reports.withdraw_report(match=match, side=side, by=Actor.link(side), now=self.now)

    def concedes(self) -> None:
        if (fixture := self.fixture(match__state=Match.State.DISPUTED)) is not None and fixture.match is not None:
            side = self.chance.randrange(2)
            reports.concede(match=fixture.match, side=side, by=Actor.link(side), now=self.now)

    def proposes(self) -> None:
        side, times = self.chance.randrange(2), [NOON + timedelta(hours=1)]
        appointments.propose(
            match=self.match(), side=side, offer=appointments.Dates(times), by=Actor.link(side), now=self.now
        )

    def sends_a_record(self) -> None:
        match, side = self.match(), self.chance.randrange(2)
        names = (match.player_0.name, match.player_1.name)
        data = written(play_out(self.chance.randrange(20), 1, players=names), self.chance.choice(DIALECTS), "m").data
        records.submit_for_match(
            match=match, side=side, file=RecordFile(data, "upload"), by=Actor.link(side), now=self.now
        )

    def checks(self) -> None:
        """Check the record that waits longest; two threads often choose the same."""
        row = Submission.objects.filter(state=Submission.State.QUEUED).order_by("pk").first()
        if row is not None:
            adjudicate_submission(submission_id=row.pk, now=self.now)

    def books(self) -> None:
        if (fixture := self.fixture(status=Fixture.Status.READY)) is not None:
            winner, score = self.score()
            after = fixture.match.seq if fixture.match is not None else None
            results.enter_result(fixture=fixture, result=ResultInput(winner, score), after=after, **self.as_director)

    def replaces(self) -> None:
        if (fixture := self.fixture(status=Fixture.Status.DECIDED)) is not None:
            winner, score = self.score()
            results.enter_result(fixture=fixture, result=ResultInput(winner, score), **self.as_director)

    def withdraws(self) -> None:
        present = list(Entry.objects.filter(division__tournament=self.event, status=Entry.Status.IN))
        if present and self.chance.randrange(3) == 0:
            entries.withdraw(entry=self.chance.choice(present), **self.as_director)

    def leaves(self) -> None:
        if self.chance.randrange(6) == 0:
            leaver = self.chance.choice(self.builder.cast)
            entries.withdraw_from_event(tournament=self.event, player=leaver, **self.as_director)

    def sweeps(self) -> None:
        now = self.now + timedelta(days=2)
        for fixture in overdue.due_fixtures(now)[:1]:
            overdue.apply_deadline(fixture_id=fixture, now=now)
        for sweep in (accept_due_reports, settle_waiting_records, announce_unsettled):
            sweep(now=now)

    def replays(self) -> None:
        replay_pool(pool_id=default_pool().pk, now=self.now)


def new_event(builder: EventBuilder, chance: Random) -> Tournament:
    """Two divisions with the same eight players; a few matches are due."""
    event = builder.event()
    for _ in range(2):
        division = builder.drawn(8, event, deadline_rule="lots")
        first = Fixture.objects.filter(stage__division=division).order_by("number")[: chance.randrange(3)]
        Fixture.objects.filter(pk__in=[row.pk for row in first]).update(due_at=NOON + timedelta(days=1))
    return event


def the_rest_is_done() -> None:
    """Run the workers once more at the end."""
    later = NOON + timedelta(days=3)
    for row in Submission.objects.filter(state__in=[Submission.State.QUEUED, Submission.State.WORKING]):
        adjudicate_submission(submission_id=row.pk, now=later)
    settle_waiting_records(now=later)
    announce_unsettled(now=later)
    while replay_pool(pool_id=default_pool().pk, now=later) is not None:
        pass


@pytest.mark.soak
def test_interleavings_leave_a_consistent_event(builder: EventBuilder) -> None:
    chance, counted, done, began = Random(TEST_SEED), Counter[str](), 0, time.monotonic()
    while done < TIER.interleavings:
        event = new_event(builder, chance)
        seconds = count()
        people = [Somebody(builder, event, chance.randrange(10**9), seconds) for _ in range(THREADS)]
        outcomes = at_once(*[person.works for person in people])
        assert faults(outcomes) == []
        the_rest_is_done()
        assert [str(difference) for difference in differences()] == []
        done += THREADS * A_TURN
        for person in people:
            counted.update(person.counted)
    print(f"{done} services in {time.monotonic() - began:.0f} s: {dict(counted.most_common())}")
    assert counted.keys() >= {"claims", "books", "replaces", "checks", "sweeps", "withdraws"}
    assert Result.objects.count() > TIER.interleavings // THREADS // A_TURN


def test_a_division_settled_by_all_at_once_is_settled_once(builder: EventBuilder) -> None:
    for _ in range(5):
        division = builder.drawn(8)
        first = Fixture.objects.filter(stage__division=division).select_related("match").order_by("number")[0]
        Match.objects.filter(pk=first.match_id).update(unsettled=True)
        again = lambda pk=division.pk: settle_division(division_id=pk, now=NOON)  # noqa: E731
        outcomes = at_once(*[again] * THREADS)
        assert faults(outcomes) == []
        assert Match.objects.filter(parent_topic=division.topic).count() == 4
        assert not Match.objects.filter(unsettled=True).exists()
