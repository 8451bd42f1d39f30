"""Random events with late entries, withdrawals, returns and corrections, played to their end by a director's services.

The driver knows only what a director sees: the matches that can be played, the page of the rounds, and the ways out
that this page offers when a round cannot be paired. It fails if it does not know how to go on.
"""

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from django.db import transaction
from django.test import TestCase

from engine.errors import Refused
from formats.settings import BY_ROUND, FORMATS, NextRound, StageSettings
from matches.lifecycle.finish import ResultInput
from players.actors import SYSTEM
from players.models import Club, Player
from tests.event_cast import NOON
from tests.integrity import differences_left
from tests.tiers import TEST_SEED, TIER
from tests.tournaments.support.swiss_rounds import DivisionDriver
from tournaments.draws import kept_apart, rounds, undo
from tournaments.draws import lists as draw_lists
from tournaments.draws import services as draws
from tournaments.draws.lists import next_round
from tournaments.draws.rounds import RoundChanges, WayOut, paired_stage_of
from tournaments.entries import late, returns
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import ByeRequest, Correction, Division, Draw, Entry, Fixture, Slot, Tournament
from tournaments.results import corrections
from tournaments.results import services as results
from tournaments.results.corrections import CorrectionInput
from tournaments.state.stages import set_stages

MAX_STEPS = 400
"""Far more than any of these events needs."""
MAX_DEEDS = 14
DEEDS_PER_MATCH = 0.35
ENOUGH = 20
"""Events among which there is always a correction and a return."""


class Evening(DivisionDriver):
    """An event of one division with random stages, and a director who does random things to it."""

    def __init__(self, chance: Random, field: int | None = None) -> None:
        club = Club.objects.create(name="Harbour", slug="harbour", time_zone="Europe/Copenhagen")
        event = events.create_tournament(club=club, by=SYSTEM, now=NOON, name="Open", starts_at=NOON)
        super().__init__(events.create_division(tournament=event, by=SYSTEM, now=NOON, name="Main"), SYSTEM)
        self.chance = chance
        self.done: Counter[str] = Counter()
        self.refusals: Counter[str] = Counter()
        self.deeds = chance.randrange(MAX_DEEDS)
        size = field or chance.randint(4, 13)
        self.enter([Player.objects.create(name=f"Player {number}") for number in range(size)])
        events.publish_tournament(tournament=event, by=SYSTEM, now=NOON)
        self.draw()

    def draw(self) -> None:
        """Set formats until the draw can be published."""
        while not self.is_drawn():
            if self.asks(set_stages, division=self.division, stages=self.stages(), after=self.seq) is None:
                continue
            self.asks(draws.request_draw, division=self.division, reason="another format")
            self.make_drafts()
            self.asks(draws.publish_draw, division=self.division, after=self.seq)

    def is_drawn(self) -> bool:
        self.division.refresh_from_db()
        return self.division.status != Division.Status.ENTRIES

    def stages(self) -> list[StageSettings]:
        """One to three stages of any format."""
        return [self.stage() for _ in range(self.chance.choice([1, 2, 2, 3]))]

    def stage(self) -> StageSettings:
        chance, format_ = self.chance, self.chance.choice(FORMATS)
        chosen: dict[str, Any] = {"qualifiers": chance.randint(1 if format_ == "groups" else 2, 6)}
        if format_ in BY_ROUND:
            chosen["next_round"] = chance.choice([NextRound.ASK, NextRound.DRAFT])
        if format_ == "swiss":
            chosen["rounds"] = chance.choice([None, 1, 2, 3, 4, 6])
        if format_ == "progressive" and chance.random() < 0.3:
            chosen["last_chance"] = ""
        return StageSettings(format_, **chosen)

    def asks(self, service: Callable[..., Any], **arguments: Any) -> Any:
        """Call a service as a director does; a refusal is counted."""
        try:
            with TestCase.captureOnCommitCallbacks(execute=True), transaction.atomic():
                answer = service(**arguments, by=self.by, now=self.now())
        except Refused as refused:
            self.refusals[refused.code] += 1
            return None
        self.done[service.__name__] += 1
        return answer

    def make_drafts(self) -> None:
        """Make the drafts that were requested, as a worker does."""
        for draw in Draw.objects.filter(stage__division=self.division, state=Draw.State.REQUESTED):
            draws.make_draft(draw_id=draw.pk, now=self.now())

    # What happens in between

    def deed(self) -> None:
        """Do one of the things that directors do in an evening, if it is possible now."""
        self.chance.choice(
            [self.withdraw_one, self.withdraw_one, self.let_back, self.let_back, self.let_in, self.correct,
             self.correct, self.undo_correction, self.leave_bracket, self.grant_bye, self.keep_apart, self.unpair]
        )()  # fmt: skip

    def pick(self, rows: Any) -> Any:
        found = list(rows.order_by("pk"))
        return self.chance.choice(found) if found else None

    def entry(self, status: str = Entry.Status.IN) -> Entry | None:
        rows = Entry.objects.filter(division=self.division, status=status)
        found = self.pick(rows.select_related("division__tournament__club", "player"))
        assert found is None or isinstance(found, Entry)
        return found

    def withdraw_one(self) -> None:
        if (entry := self.entry()) is not None:
            self.asks(entries.withdraw, entry=entry)

    def let_back(self) -> None:
        if (entry := self.entry(Entry.Status.OUT)) is None:
            return
        try:
            seen = returns.preview_return(entry=entry).mark
        except Refused as refused:
            self.refusals[refused.code] += 1
        else:
            self.asks(returns.bring_back, entry=entry, seen=seen)

    def let_in(self) -> None:
        self.asks(late.enter_late, division=self.division, players=[Player.objects.create(name="Late")])

    def decided(self) -> Any:
        rows = Fixture.objects.filter(stage__division=self.division, status=Fixture.Status.DECIDED)
        return self.pick(rows.select_related("stage__division", "match"))

    def correct(self) -> None:
        if (fixture := self.decided()) is None:
            return
        length, winner = fixture.match.length, self.chance.randrange(2)
        played = ResultInput(winner, (length, 0) if winner == 0 else (0, length))
        result = self.chance.choice([played, played, ResultInput(None, None, "double_forfeit")])
        choice = self.chance.choice(["correct_all", "keep_bracket"])
        correction = CorrectionInput(result, choice)
        self.asks(corrections.apply_correction, fixture=fixture, correction=correction, after=self.seq)

    def undo_correction(self) -> None:
        rows = Correction.objects.filter(fixture__stage__division=self.division)
        if (row := self.pick(rows.select_related("fixture__stage__division", "before", "after"))) is not None:
            self.asks(corrections.undo_correction, correction=row, after=self.seq)

    def leave_bracket(self) -> None:
        slots = Slot.objects.filter(fixture__stage__division=self.division).exclude(entry=None)
        if (slot := self.pick(slots.select_related("fixture__stage", "fixture__round__bracket"))) is not None:
            self.asks(results.withdraw_from_bracket, slot=slot)

    def grant_bye(self) -> None:
        if (entry := self.entry()) is not None:
            self.asks(rounds.request_bye, entry=entry, round_number=self.chance.randint(1, 4), kind="half")

    def keep_apart(self) -> None:
        first, second = self.entry(), self.entry()
        if first is not None and second is not None:
            self.asks(kept_apart.keep_apart, first=first, second=second)

    def unpair(self) -> None:
        if (option := undo.round_to_take_back(self.division)) is not None:
            chosen = {"division": self.division, "round_number": option.round, "after": self.seq}
            self.asks(undo.undo_paired_round, reason="a result was wrong", **chosen)

    # How it goes on

    def play(self) -> None:
        """Play to the end; fails if a director would not know how to go on."""
        for _ in range(MAX_STEPS):
            self.make_drafts()
            self.division.refresh_from_db()
            if self.deeds and self.chance.random() < DEEDS_PER_MATCH:
                self.deeds -= 1
                self.deed()
            elif ready := self.ready():
                self.finish(self.chance.choice(ready))
            elif self.division.status == Division.Status.FINISHED:
                return
            else:
                self.next_round()
        raise AssertionError(f"it does not end: {self.story()}")

    def finish(self, fixture: Fixture) -> None:
        kind = self.chance.random()
        if kind < 0.05:
            result = ResultInput(None, None, "double_forfeit")
            assert self.asks(results.enter_result, fixture=fixture, result=result), self.story()
        elif kind < 0.1:
            assert self.asks(results.forfeit, fixture=fixture, side=self.chance.randrange(2)), self.story()
        else:
            self.report(fixture, self.chance.randrange(2))

    def next_round(self) -> None:
        """Do what the page of the rounds offers."""
        current = paired_stage_of(self.division)
        upcoming = next_round(self.division, current)
        fixed = {"division": self.division, "after": self.seq}
        if upcoming.state == draw_lists.DRAFT and not upcoming.outdated:
            self.asks(draws.publish_draw, **fixed)
        elif upcoming.state in (draw_lists.DRAFT, draw_lists.COMPLETE):
            self.asks(rounds.request_round, reason="paired again", **fixed)
        else:
            assert upcoming.state == draw_lists.REFUSED, (upcoming.state, self.story())
            assert upcoming.ways_out.ways, (upcoming.draft and upcoming.draft.refusal, self.story())
            self.take(self.chance.choice(upcoming.ways_out.ways), upcoming.ways_out.end_after)

    def take(self, way: WayOut, end_after: int) -> None:
        """Take a way out of a round that cannot be paired."""
        fixed = {"division": self.division, "after": self.seq}
        self.done[f"way out: {way.value}"] += 1
        if way == WayOut.REMATCHES:
            self.asks(rounds.change_rounds, changes=RoundChanges(allow_rematches=True), **fixed)
        elif way == WayOut.END:
            self.asks(rounds.change_rounds, changes=RoundChanges(rounds=end_after), **fixed)
        elif way == WayOut.ADD_PLAYERS:
            self.let_in()
        elif way == WayOut.LET_MEET:
            pair = self.pick(self.division.kept_apart.filter(taken_back_at=None).select_related("first", "second"))
            self.asks(kept_apart.let_meet, first=pair.first, second=pair.second)
        elif way == WayOut.CANCEL_BYE:
            rows = ByeRequest.objects.filter(entry__division=self.division, taken_back_at=None)
            bye = self.pick(rows.select_related("entry__division", "entry__player"))
            self.asks(rounds.withdraw_bye, entry=bye.entry, round_number=bye.round)

    def story(self) -> str:
        """What happened, for a failure."""
        shown = [f"{stage.format} {stage.settings} {stage.status}" for stage in self.division.stages.order_by("number")]
        players = self.division.entries.count()
        return f"{players} players; {'; '.join(shown)}; {dict(self.done)}; refused: {dict(self.refusals)}"


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.django_db
def test_every_event_can_be_played_to_its_end_with_what_a_director_has() -> None:
    done: Counter[str] = Counter()
    refusals: Counter[str] = Counter()
    for number in range(TIER.ended_events):
        with transaction.atomic():
            evening = Evening(Random(f"{TEST_SEED}:{number}"))
            try:
                evening.play()
                evening.division.refresh_from_db()
                event = Tournament.objects.get(pk=evening.division.tournament_id)
                assert event.status == Tournament.Status.FINISHED, evening.story()
                assert differences_left() == [], evening.story()
            except BaseException:
                print(f"event {number} of TEST_SEED={TEST_SEED}")
                raise
            done += evening.done
            refusals += evening.refusals
            transaction.set_rollback(True)
    print(f"{TIER.ended_events} of {TIER.ended_events} events ended; done: {dict(done.most_common())}")
    print(f"refused: {dict(refusals.most_common())}")
    if TIER.ended_events >= ENOUGH:
        assert done["apply_correction"], "nothing was corrected"
        assert done["bring_back"], "nobody came back"
