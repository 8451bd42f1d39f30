"""The fold of a live match under any actions in any order: what always holds."""

import json
from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from engine import FlagRule, MatchState, Refused
from engine.actions import Act, Phase
from engine.clock import MINUTE, SECOND, Clock, ClockSettings
from matches.play.codec import from_data, to_data
from matches.play.live import PAUSES, EventKind, LiveEvent, LiveState, after_event

SIDES = st.sampled_from([0, 1])
ANY_KIND = st.sampled_from([*Act, *EventKind])
DIE = st.integers(1, 6)


class LiveMachine(RuleBasedStateMachine):
    """Two players, a director, and time that goes on; everything not allowed is refused and changes nothing."""

    @initialize(length=st.integers(1, 15), rule=st.sampled_from(FlagRule), clocked=st.booleans(), seed=st.integers())
    def begin(self, length: int, rule: FlagRule, clocked: bool, seed: int) -> None:
        self.random = Random(seed)
        self.at = 0
        self.given = [2 * MINUTE, 2 * MINUTE]
        clock = Clock.of(ClockSettings(12 * SECOND, 2 * MINUTE)) if clocked else None
        self.state = LiveState.start(MatchState.start(length, flag_rule=rule), clock, at=0)
        self.set_scores = 0

    def apply(self, event: LiveEvent) -> None:
        """Apply an event; a refusal leaves everything as it was."""
        before = self.state
        try:
            self.state = after_event(before, event)
        except Refused:
            assert self.state is before
            return
        self._check_step(before, event)

    def _check_step(self, before: LiveState, event: LiveEvent) -> None:
        """What one event may change."""
        if event.kind == EventKind.ADJUST_CLOCK:
            assert event.side is not None
            self.given[event.side] += event.value or 0
        self.set_scores += event.kind == Act.SET_SCORE
        if event.kind in set(EventKind):
            assert self.state.match == before.match
        if before.clock is not None and self.state.clock is not None and event.kind != EventKind.ADJUST_CLOCK:
            for was, now in zip(before.clock.sides, self.state.clock.sides, strict=True):
                assert now.bank <= was.bank

    @rule(milliseconds=st.integers(0, 20_000))
    def time_passes(self, milliseconds: int) -> None:
        """Until something is due, which then happens at its time."""
        self.at += milliseconds
        due = self.state.due_at()
        if due is None or due > self.at:
            return
        if self.state.is_paused:
            self.apply(LiveEvent(EventKind.CONTINUE, due))
        elif self.state.match.flagged is None and self.state.clock is not None:
            self.apply(LiveEvent(Act.FLAG, due, self.state.clock.fallen(self.at)))

    @rule(side=SIDES)
    def get_ready(self, side: int) -> None:
        self.apply(LiveEvent(EventKind.READY, self.at, side))
        if self.state.awaits_opening_roll:
            self.apply(LiveEvent(Act.ROLL, self.at, dice=self.random.choice([(6, 1), (3, 5), (4, 2)])))
            assert self.state.match.phase is Phase.TO_PLAY
            assert self.state.ready == (False, False)

    @precondition(lambda self: self.state.match.phase is Phase.TO_ROLL)
    @rule(dice=st.tuples(DIE, DIE))
    def roll_and_play(self, dice: tuple[int, int]) -> None:
        """A whole turn, so that games come to their end."""
        self.apply(LiveEvent(Act.ROLL, self.at, self.state.match.turn, dice))
        self.play()

    @precondition(lambda self: self.state.match.phase is Phase.TO_PLAY)
    @rule()
    def play(self) -> None:
        if self.state.match.phase is not Phase.TO_PLAY:
            return
        plays = self.state.match.legal_plays()
        steps = self.random.choice(plays).steps if plays else ()
        moves = tuple((step.source, step.target) for step in steps)
        self.apply(LiveEvent(Act.PLAY, self.at, self.state.match.turn, moves=moves))

    @rule(kind=st.sampled_from([Act.DOUBLE, Act.TAKE, Act.DROP, Act.RESIGN, Act.ACCEPT, Act.REFUSE]))
    def decide(self, kind: str) -> None:
        """What the side to act may do beside rolling and playing."""
        self.apply(LiveEvent(kind, self.at, self.state.match.to_act, value=1 if kind == Act.RESIGN else None))

    @rule(side=SIDES, both_continue=st.booleans())
    def pause(self, side: int, both_continue: bool) -> None:
        self.apply(LiveEvent(EventKind.PAUSE, self.at, side))
        if both_continue:
            for ready in (0, 1):
                self.apply(LiveEvent(EventKind.CONTINUE, self.at, ready))

    @rule(resume=st.booleans())
    def adjourn(self, resume: bool) -> None:
        self.apply(LiveEvent(Act.ADJOURN, self.at))
        if resume:
            self.apply(LiveEvent(Act.RESUME, self.at))

    @rule(
        kind=ANY_KIND,
        side=st.sampled_from([None, 0, 1]),
        value=st.sampled_from([None, 1, 2, 3, 5_000]),
        score=st.sampled_from([None, (0, 0), (1, 0)]),
    )
    def anything(self, kind: str, side: int | None, value: int | None, score: tuple[int, int] | None) -> None:
        """Whatever somebody may send; no play and no roll, which have rules of their own, and no flag."""
        if kind not in (Act.PLAY, Act.ROLL, Act.FLAG):
            self.apply(LiveEvent(str(kind), self.at, side, value=value, score=score))

    @invariant()
    def the_cache_is_lossless(self) -> None:
        assert from_data(json.loads(json.dumps(to_data(self.state)))) == self.state

    @invariant()
    def points_add_up(self) -> None:
        match = self.state.match
        if not self.set_scores:
            won = [sum(game.points for game in match.results if game.winner == side) for side in (0, 1)]
            assert won == list(match.score)
        assert match.is_over == (match.winner is not None)

    @invariant()
    def time_is_only_spent(self) -> None:
        clock = self.state.clock
        if clock is not None:
            assert all(0 <= side.bank <= given for side, given in zip(clock.sides, self.given, strict=True))

    @invariant()
    def only_whoever_must_act_spends_time(self) -> None:
        match, clock = self.state.match, self.state.clock
        if clock is None:
            return
        if match.is_over or match.phase is Phase.ADJOURNED or self.state.is_paused or match.flagged is not None:
            assert clock.running == ()
        elif match.phase is Phase.OPENING:
            assert clock.running == tuple(side for side in (0, 1) if not self.state.ready[side])
        else:
            assert clock.running == (match.to_act,)

    @invariant()
    def pauses_are_few(self) -> None:
        assert max(self.state.pauses) <= PAUSES


TestLiveMatches = LiveMachine.TestCase
TestLiveMatches.settings = settings(max_examples=60, stateful_step_count=60)


def code(state: LiveState, event: LiveEvent) -> str:
    with pytest.raises(Refused) as refused:
        after_event(state, event)
    return refused.value.code


def test_the_opening_roll_waits_until_both_are_ready_once() -> None:
    state = LiveState.start(MatchState.start(5), None, at=0)
    roll = LiveEvent(Act.ROLL, 9, dice=(3, 1))
    for side in (0, 1):
        assert code(state, roll) == "not_ready"
        state = after_event(state, LiveEvent(EventKind.READY, 5, side))
        assert code(state, LiveEvent(EventKind.READY, 6, side)) == "already_ready"
    assert after_event(state, roll).match.turn == 0


def test_only_what_began_is_ended() -> None:
    state = LiveState.start(MatchState.start(5), None, at=0)
    assert code(state, LiveEvent(EventKind.CONTINUE, 5, 0)) == "not_paused"
    away = after_event(state, LiveEvent(EventKind.AWAY, 5, 0))
    assert code(away, LiveEvent(EventKind.LEFT, 6, 0)) == "already_away"


def test_a_declined_resignation_is_followed_by_a_higher_one() -> None:
    state = LiveState.start(MatchState.start(5), None, at=0)
    for event in (
        LiveEvent(EventKind.READY, 1, 0),
        LiveEvent(EventKind.READY, 1, 1),
        LiveEvent(Act.ROLL, 2, dice=(3, 1)),
    ):
        state = after_event(state, event)
    offered = after_event(state, LiveEvent(Act.RESIGN, 3, 0, value=1))
    declined = after_event(offered, LiveEvent(Act.REFUSE, 4, 1))
    assert code(declined, LiveEvent(Act.RESIGN, 5, 0, value=1)) == "resignation_too_low"
    after_event(declined, LiveEvent(Act.RESIGN, 5, 0, value=2))
