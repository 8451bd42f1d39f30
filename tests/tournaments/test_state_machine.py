"""A club's event under everything that directors, players, workers and time may do to it, in any order.

After every step the bracket, the match states and the ratings are what the facts give, and what is refused has changed
nothing. Hypothesis looks for the order that breaks it. To shorten what it found, which takes minutes, add Phase.shrink.
"""

from collections import Counter
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from demo.club import DIALECTS, with_an_illegal_play, written
from engine.simulation import play_out
from matches.lifecycle.finish import ResultInput
from matches.models import Claim, Match, Objection, Proposal, Submission
from matches.records.submissions import RecordFile
from matches.reporting import appointments, objections, records, reports
from matches.reporting.deadlines import accept_due_reports, announce_unsettled, settle_waiting_records
from matches.reporting.records import adjudicate_submission
from players.actors import Actor
from tests.tiers import TIER
from tests.tournaments.support.event_machine import World, replay
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.events import deadlines
from tournaments.events import services as events
from tournaments.models import Correction, Division, Draw, Entry, Fixture, Slot
from tournaments.results import corrections, overdue
from tournaments.results import services as results
from tournaments.results.corrections import CorrectionInput
from tournaments.results.services import withdraw_from_bracket
from tournaments.state.settle import settle_division

ENOUGH = 20
"""Histories among which there is always a correction; fewer may have none."""
LATEST = 20
"""Nobody cancels an event of which nothing has happened yet."""
SELDOM = 8
"""One in so many: else everybody would be gone before anything is played."""
ENDINGS = ("played", "played", "concession", "forfeit", "double_forfeit", "settled", "ruling", "leader", "void")
NOBODY_CAME = ResultInput(None, None, "double_forfeit")
FAULTS = ("", "", "", "", "length", "play", "nickname", "names")
SIGNED_AND_OPEN = Claim.objects.filter(state=Claim.State.OPEN, side__isnull=False)
chances = st.randoms(use_true_random=False)
totals: Counter[str] = Counter()
"""What was done and what refused, by all runs together."""


class Event(RuleBasedStateMachine):
    """A knockout or two, from its creation to wherever chance leads."""

    @initialize(
        count=st.sampled_from([8, 4, 5, 3, 2, 0]),
        played=st.integers(0, 6),
        length=st.integers(1, 3),
        rule_=st.sampled_from(Division.DeadlineRule.values),
        rated=st.sampled_from([True, True, False]),
        method=st.sampled_from(Division.DrawMethod.values),
    )
    def alice_opens_an_event(self, count: int, played: int, length: int, rule_: str, rated: bool, method: str) -> None:
        self.world = World()
        self.steps = 0
        chosen = {"match_length": length, "deadline_rule": rule_, "rated": rated, "draw_method": method}
        division = self.world.new_division("Open", extension_hours=24, **chosen)
        assert division is not None
        if count > 1:
            self.world.draw(division, count)
        for _ in range(played):
            if (fixture := Fixture.objects.filter(status=Fixture.Status.READY).order_by("number").first()) is not None:
                result = ResultInput(0, (length, 0))
                self.world.asks(results.enter_result, fixture=fixture, result=result, **self.alice)

    # Who and what a step is about

    @property
    def alice(self) -> dict[str, Any]:
        return {"by": self.world.alice, "now": self.world.now}

    def player(self, side: int | None) -> dict[str, Any]:
        return {"by": Actor.link(side or 0), "now": self.world.now}

    def pick(self, chance: Random, rows: Any) -> Any:
        """One of these, or None where there are none."""
        candidates = list(rows.order_by("pk"))
        return chance.choice(candidates) if candidates else None

    def match(self, chance: Random) -> Match | None:
        """One that is not over, mostly."""
        rows = Match.objects.select_related("player_0", "player_1")
        undone = rows.exclude(state__in=[Match.State.SETTLED, Match.State.VOID])
        match = self.pick(chance, rows if chance.randrange(SELDOM) == 0 or not undone.exists() else undone)
        assert match is None or isinstance(match, Match)
        return match

    def fixture(self, chance: Random) -> Fixture | None:
        """One that is ready, mostly."""
        rows = Fixture.objects.select_related("match", "stage")
        ready = rows.filter(status=Fixture.Status.READY)
        fixture = self.pick(chance, rows if chance.randrange(3) == 0 or not ready.exists() else ready)
        assert fixture is None or isinstance(fixture, Fixture)
        return fixture

    # Entries and draws

    @rule(chance=chances)
    def the_field_changes(self, chance: Random) -> None:
        asks, division = self.world.asks, self.pick(chance, Division.objects.select_related("tournament__club"))
        if chance.randrange(2):
            players = chance.sample(self.world.cast, chance.randint(1, 4))
            asks(entries.enter, division=division, players=players, **self.alice)
        elif chance.randrange(SELDOM // 2) == 0:
            player, event = chance.choice(self.world.cast), self.world.tournament
            asks(entries.withdraw_from_event, tournament=event, player=player, **self.alice)
        elif (entry := self.pick(chance, Entry.objects)) is not None and chance.randrange(2):
            asks(entries.withdraw, entry=entry, **self.alice)
        elif (slot := self.pick(chance, Slot.objects.exclude(entry=None))) is not None:
            asks(withdraw_from_bracket, slot=slot, **self.alice)

    @rule(chance=chances)
    def the_draw_goes_on(self, chance: Random) -> None:
        division = self.pick(chance, Division.objects.select_related("tournament__club"))
        requested = Draw.objects.filter(state=Draw.State.REQUESTED).order_by("pk").first()
        if requested is not None and chance.randrange(SELDOM):
            self.world.asks(draws.make_draft, draw_id=requested.pk, now=self.world.now)
        elif chance.randrange(2):
            reason = chance.choice(["", "a name was missing"])
            self.world.asks(draws.request_draw, division=division, reason=reason, **self.alice)
        else:
            after = division.seq - (chance.randrange(SELDOM) == 0)
            self.world.asks(draws.publish_draw, division=division, after=after, **self.alice)

    @rule(chance=chances)
    def the_event_changes(self, chance: Random) -> None:
        event = self.world.tournament
        if chance.randrange(2):
            self.world.asks(events.publish_tournament, tournament=event, **self.alice)
        elif chance.randrange(2):
            rule_ = chance.choice(Division.DeadlineRule.values)
            capacity = chance.choice([None, 2, 3])
            self.world.new_division("Beginners", match_length=1, deadline_rule=rule_, capacity=capacity)
        elif self.steps > LATEST and chance.randrange(SELDOM) == 0:
            self.world.asks(events.cancel_tournament, tournament=event, **self.alice)

    # What players say

    @rule(chance=chances)
    def a_player_claims_a_score(self, chance: Random) -> None:
        if (match := self.match(chance)) is None:
            return
        side, winner, lost = chance.choice([0, 1, None]), chance.randrange(2), chance.randint(0, match.length)
        score = (match.length, lost) if winner == 0 else (lost, match.length)
        report = {"match": match, "report": reports.ScoreReport(winner, score)}
        report["after"] = match.seq - (chance.randrange(SELDOM) == 0)
        if side is None:
            says = chance.choice([0, 1, None])
            self.world.asks(reports.report_from_sheet, says_side=says, **report, **self.player(None))
        else:
            self.world.asks(reports.report_score, side=side, **report, **self.player(side))

    @precondition(lambda self: SIGNED_AND_OPEN.all().exists())
    @rule(chance=chances)
    def a_claim_is_answered(self, chance: Random) -> None:
        claim = self.pick(chance, SIGNED_AND_OPEN.select_related("match"))
        side = 1 - claim.side
        answer = chance.choice([reports.confirm, reports.contest, reports.withdraw_report, reports.acknowledge])
        side = claim.side if answer is reports.withdraw_report else side
        self.world.asks(answer, match=claim.match, side=side, **self.player(side))

    @precondition(lambda self: Match.objects.filter(state=Match.State.DISPUTED).exists())
    @rule(chance=chances)
    def a_dispute_is_conceded(self, chance: Random) -> None:
        match, side = self.pick(chance, Match.objects.filter(state=Match.State.DISPUTED)), chance.randrange(2)
        self.world.asks(reports.concede, match=match, side=side, **self.player(side))

    @precondition(lambda self: Claim.objects.filter(stood_unanswered=True).exists())
    @rule(chance=chances)
    def a_player_objects_and_a_director_answers(self, chance: Random) -> None:
        report = self.pick(chance, Claim.objects.filter(stood_unanswered=True).select_related("match"))
        side = 1 - report.side
        self.world.asks(objections.object_to_result, match=report.match, side=side, reason="No.", **self.player(side))
        if (objection := Objection.objects.filter(state=Objection.State.OPEN).first()) and chance.randrange(2):
            upheld = chance.random() < 0.5
            self.world.asks(
                objections.answer_objection, objection=objection, upheld=upheld, answer="Seen.", **self.alice
            )

    @rule(chance=chances)
    def players_look_for_a_time(self, chance: Random) -> None:
        side = chance.randrange(2)
        offered = self.pick(chance, Proposal.objects.filter(state=Proposal.State.OPEN).select_related("match"))
        if offered is not None and chance.randrange(2):
            self.world.asks(
                appointments.accept, proposal=offered, side=side, time=offered.instants[0], **self.player(side)
            )
        elif (match := self.match(chance)) is not None:
            times = [self.world.now + timedelta(hours=chance.randint(1, 40))]
            offer = appointments.Dates(times)
            self.world.asks(appointments.propose, match=match, side=side, offer=offer, **self.player(side))

    # Records

    @rule(chance=chances, dialect=st.sampled_from(DIALECTS), fault=st.sampled_from(FAULTS))
    def a_record_is_sent_in(self, chance: Random, dialect: str, fault: str) -> None:
        if (match := self.match(chance)) is None:
            return
        left, right = (player.name for player in match.players)
        names = {"nickname": ("shark", right), "names": ("anon1", "anon2")}.get(fault, (left, right))
        length = match.length + 1 if fault == "length" else match.length
        side = chance.choice([0, 1, None])
        transcript = play_out(chance.randrange(10), length, players=names[::-1] if chance.randrange(2) else names)
        if fault == "play":
            transcript = with_an_illegal_play(transcript)
        file = RecordFile(written(transcript, dialect, "match").data, "upload")
        self.world.asks(records.submit_for_match, match=match, side=side, file=file, **self.player(side))

    @precondition(lambda self: Submission.objects.exists())
    @rule(chance=chances)
    def a_record_is_looked_at(self, chance: Random) -> None:
        unidentified = self.pick(chance, Submission.objects.filter(standing=Submission.Standing.NAMES))
        record = unidentified or self.pick(chance, Submission.objects.select_related("match"))
        if record.is_open:
            self.world.asks(adjudicate_submission, submission_id=record.pk, now=self.world.now)
        elif record is unidentified and chance.randrange(SELDOM):
            answer = {"swapped": chance.random() < 0.5, "side": record.side}
            self.world.asks(records.identify_players, submission=record, **answer, **self.player(record.side))
        else:
            self.alice_accepts(record, chance)

    def alice_accepts(self, record: Submission, chance: Random) -> None:
        fixture = Fixture.objects.select_related("stage").filter(match=record.match).first()
        swapped = chance.choice([None, False, True])
        faults = self.world.asks(records.faults_of, submission=record, swapped=swapped) or []
        waived = [fault.name for fault in faults] if chance.randrange(SELDOM) else []
        if fixture is not None:
            ruling = records.RecordRuling(waived, swapped)
            self.world.asks(results.accept_record, fixture=fixture, submission=record, ruling=ruling, **self.alice)

    # What directors say

    @rule(chance=chances, kind=st.sampled_from(ENDINGS))
    def alice_enters_a_result(self, chance: Random, kind: str) -> None:
        if (fixture := self.fixture(chance)) is None:
            return
        length = fixture.match.length if fixture.match is not None else 1
        winner = None if kind == "double_forfeit" and chance.randrange(SELDOM) else chance.choice([0, 1, 0, 1, None])
        score = (length, chance.randrange(length)) if winner == 0 else (chance.randrange(length), length)
        submitted: dict[str, Any] = {"result": ResultInput(winner, score if winner is not None else None, kind)}
        submitted["after"] = fixture.match.seq if fixture.match is not None else None
        first = self.world.asks(results.enter_result, fixture=fixture, **submitted, **self.alice)
        if first is not None and chance.randrange(2):
            second = self.world.asks(results.enter_result, fixture=fixture, **submitted, **self.alice)
            assert second == first, "the second of two clicks books nothing"

    @precondition(lambda self: Fixture.objects.filter(status=Fixture.Status.DECIDED).exists())
    @rule(chance=chances)
    def alice_gives_a_match_to_the_other(self, chance: Random) -> None:
        fixture = self.pick(chance, Fixture.objects.filter(status=Fixture.Status.DECIDED).select_related("stage"))
        standing = fixture.match.results.order_by("-version")[0]
        winner = chance.randrange(2) if standing.winner is None else 1 - standing.winner
        score = (fixture.match.length, 0) if winner == 0 else (0, fixture.match.length)
        self.world.asks(results.enter_result, fixture=fixture, result=ResultInput(winner, score), **self.alice)

    @precondition(lambda self: Fixture.objects.filter(status=Fixture.Status.DECIDED).exists())
    @rule(chance=chances, choice=st.sampled_from(["correct_all", "correct_all", "keep_bracket", "let_stand"]))
    def alice_corrects_a_result(self, chance: Random, choice: str) -> None:
        fixture = self.pick(
            chance, Fixture.objects.filter(status=Fixture.Status.DECIDED).select_related("stage__division")
        )
        standing = fixture.match.results.order_by("-version")[0]
        winner = chance.randrange(2) if standing.winner is None else 1 - standing.winner
        score = (fixture.match.length, 0) if winner == 0 else (0, fixture.match.length)
        new = chance.choice([ResultInput(winner, score), ResultInput(winner, None, "forfeit"), NOBODY_CAME])
        correction = CorrectionInput(new, choice, voided_rated=chance.random() < 0.5)
        after = fixture.stage.division.seq - (chance.randrange(SELDOM) == 0)
        submitted = {"fixture": fixture, "correction": correction, "after": after}
        first = self.world.asks(corrections.apply_correction, **submitted, **self.alice)
        if first is not None:
            second = self.world.asks(corrections.apply_correction, **submitted, **self.alice)
            assert second == first, "the second of two clicks corrects nothing"

    @precondition(lambda self: Correction.objects.exists())
    @rule(chance=chances)
    def alice_undoes_a_correction(self, chance: Random) -> None:
        correction = self.pick(chance, Correction.objects.select_related("fixture__stage__division", "before", "after"))
        after = correction.fixture.stage.division.seq
        self.world.asks(corrections.undo_correction, correction=correction, after=after, **self.alice)

    @rule(chance=chances)
    def somebody_forfeits(self, chance: Random) -> None:
        if (fixture := self.fixture(chance)) is not None:
            self.world.asks(results.forfeit, fixture=fixture, side=chance.randrange(2), **self.alice)

    @rule(chance=chances)
    def deadlines_move(self, chance: Random) -> None:
        division, fixture = self.pick(chance, Division.objects), self.fixture(chance)
        if fixture is not None and chance.randrange(2):
            due = self.world.now + timedelta(hours=chance.randint(-1, 48))
            self.world.asks(deadlines.extend_deadline, fixture=fixture, due_at=due, **self.alice)
            return
        hours = [chance.choice([None, -1, 12, 48]) for _ in range(3)]
        ends = [None if more is None else self.world.now + timedelta(hours=more) for more in hours]
        self.world.asks(deadlines.set_deadlines, division=division, deadlines=ends, after=division.seq, **self.alice)

    # Time and workers

    @rule(hours=st.sampled_from([0.1, 1.0, 13.0, 49.0]), adjudicated=st.booleans())
    def time_passes_and_workers_work(self, hours: float, adjudicated: bool) -> None:
        self.world.later(hours)
        now = self.world.now
        open_records = Submission.objects.filter(state=Submission.State.QUEUED).order_by("pk")
        for record in open_records if adjudicated else []:
            self.world.asks(adjudicate_submission, submission_id=record.pk, now=now)
        for fixture in overdue.due_fixtures(now):
            self.world.asks(overdue.apply_deadline, fixture_id=fixture, now=now)
        for sweep in (accept_due_reports, settle_waiting_records, announce_unsettled):
            self.world.asks(sweep, now=now)
        replay()

    @rule(chance=chances)
    def settling_again_changes_nothing(self, chance: Random) -> None:
        division = self.pick(chance, Division.objects)
        before = self.world.fingerprint()
        settled = self.world.asks(settle_division, division_id=division.pk, now=self.world.now)
        assert (settled.fixtures, settled.opened) == ([], [])
        assert self.world.fingerprint() == before

    # What holds

    @invariant()
    def everything_follows_from_the_facts(self) -> None:
        if hasattr(self, "world"):
            self.steps += 1
            self.world.check()

    def teardown(self) -> None:
        if not hasattr(self, "world"):
            return
        totals.update(self.world.done + self.world.refusals)
        totals["steps"] += self.steps
        try:
            replay()
            self.world.check()
        finally:
            self.world.undo()


@pytest.mark.slow
@pytest.mark.landing
@pytest.mark.soak
@pytest.mark.postgresql
@pytest.mark.django_db
def test_whatever_happens_to_an_event_it_follows_from_the_facts() -> None:
    run_state_machine_as_test(
        Event,
        settings=settings(
            max_examples=TIER.events,
            stateful_step_count=TIER.event_steps,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],
        ),
    )
    print(dict(totals.most_common()))
    assert totals["enter_result"], "nothing happened"
    assert totals["apply_correction"] or TIER.events < ENOUGH, "nothing was corrected"
