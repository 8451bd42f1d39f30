"""Random legal matches to their end, with invariants checked after every action."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from engine import (
    Act,
    Action,
    MatchState,
    Phase,
    Refused,
    apply,
    gnubg_match_id,
    legal_plays,
    parse_gnubg_ids,
    parse_xgid,
    xgid,
)
from tests.engine.boards import dice
from tests.engine.naive import legal_boards


class Match(RuleBasedStateMachine):
    """A match of any length from any start, with any action the rules allow, and sometimes one they do not."""

    @initialize(length=st.integers(1, 9), left=st.integers(0, 8), right=st.integers(0, 8))
    def begins(self, length, left, right):
        self.state = MatchState.start(length, (min(left, length - 1), min(right, length - 1)))
        self.first = self.state
        self.crawford_games = {self.state.game} if self.state.crawford else set()

    def does(self, act, side, **more):
        before = self.state
        self.state = apply(before, Action(act, side, **more))
        if self.state.crawford:
            self.crawford_games.add(self.state.game)

    def refuses(self, act, side, **more):
        before = self.state
        with pytest.raises(Refused) as refused:
            apply(before, Action(act, side, **more))
        assert refused.value.message != refused.value.code

    @precondition(lambda self: self.state.phase in (Phase.OPENING, Phase.TO_ROLL))
    @rule(rolled=dice)
    def somebody_rolls(self, rolled):
        self.does(Act.ROLL, self.state.turn, dice=rolled)

    @precondition(lambda self: self.state.phase is Phase.TO_PLAY)
    @rule(data=st.data(), many=st.integers(1, 30))
    def roll_and_play(self, data, many):
        """Play several turns at once, or games would never end."""
        chance = data.draw(st.randoms(use_true_random=False))
        game = self.state.game
        for _ in range(many):
            if self.state.phase is Phase.TO_ROLL:
                self.does(Act.ROLL, self.state.turn, dice=(chance.randint(1, 6), chance.randint(1, 6)))
            self.play_one_roll(chance)
            if self.state.game != game or self.state.is_over:
                return

    def play_one_roll(self, chance):
        state = self.state
        plays = legal_plays(state.position, state.dice)
        if chance.random() < 0.1:
            assert {play.result.counts for play in plays} == legal_boards(state.position.counts, state.dice)
        steps = chance.choice(plays).steps if plays else ()
        self.does(Act.PLAY, state.turn, moves=tuple((step.source, step.target) for step in steps))

    @precondition(lambda self: self.state.may_double)
    @rule(answer=st.sampled_from([Act.TAKE, Act.TAKE, Act.DROP]))
    def the_cube_is_offered(self, answer):
        before = self.state
        self.does(Act.DOUBLE, before.turn)
        self.does(answer, 1 - before.turn)
        if answer is Act.TAKE:
            assert (self.state.cube, self.state.cube_owner) == (2 * before.cube, 1 - before.turn)
        else:
            assert sum(self.state.score) == sum(before.score) + before.cube

    @precondition(lambda self: self.state.phase in (Phase.TO_ROLL, Phase.TO_PLAY))
    @rule(times=st.integers(1, 3), accepted=st.booleans())
    def somebody_resigns(self, times, accepted):
        before = self.state
        self.does(Act.RESIGN, before.turn, value=times)
        if self.state.phase is Phase.RESIGNED:
            self.does(Act.ACCEPT if accepted else Act.REFUSE, 1 - before.turn)
            if not accepted:
                assert self.state == before
                return
        assert sum(self.state.score) == sum(before.score) + times * before.cube

    @rule(act=st.sampled_from(list(Act)), side=st.sampled_from([None, 0, 1, 5]))
    def what_is_not_allowed_changes_nothing(self, act, side):
        if act in (Act.CONCEDE, Act.FLAG) and side in (0, 1) and not self.state.is_over:
            return
        if act in (Act.ADJOURN, Act.END_GAME):  # a director may do these at any time
            return
        if side == self.state.to_act and act not in (Act.ROLL, Act.PLAY, Act.RESIGN) and not self.state.is_over:
            return
        self.refuses(act, side, dice=(0, 7), moves=((1, 24),), value=9)

    @invariant()
    def every_checker_is_on_the_board_or_off(self):
        counts = self.state.position.counts
        assert sum(map(abs, counts)) + sum(self.state.position.borne_off) == 30
        assert counts[0] <= 0 <= counts[25]

    @invariant()
    def the_score_is_the_sum_of_the_games(self):
        score, state = list(self.first.score), self.state
        for number, result in enumerate(state.results, start=1):
            assert (result.number, result.start) == (number, tuple(score))
            assert result.points in (result.cube, 2 * result.cube, 3 * result.cube)
            score[result.winner] += result.points
        assert state.score == tuple(score)
        assert state.is_over == (max(score) >= state.length)
        if state.is_over:
            assert score[state.winner] >= state.length > score[1 - state.winner]

    @invariant()
    def there_is_at_most_one_crawford_game_and_its_cube_is_never_turned(self):
        assert len(self.crawford_games) <= 1
        played = [result for result in self.state.results if result.crawford]
        assert all(result.cube == 1 for result in played)
        assert not (self.state.crawford and self.state.may_double)
        one_point_each = self.first.score.count(self.first.length - 1) == 2
        if self.state.length > 1 and self.state.length - 1 in self.state.score and not one_point_each:
            assert self.crawford_games

    @invariant()
    def the_cube_is_a_power_of_two_and_owned_once_it_was_turned(self):
        assert self.state.cube.bit_count() == 1
        assert (self.state.cube == 1) == (self.state.cube_owner is None)

    @invariant()
    def identifiers_tell_the_same(self):
        state = self.state
        if state.is_over or state.phase is Phase.OPENING:
            return
        again = parse_gnubg_ids(state.position.gnubg_id, gnubg_match_id(state))
        same = parse_xgid(xgid(state))
        for name in ("position", "turn", "phase", "score", "length", "cube", "cube_owner", "crawford"):
            assert getattr(again, name) == getattr(same, name) == getattr(state, name), name


Match.TestCase.settings = settings(max_examples=40, stateful_step_count=60)
TestMatch = Match.TestCase
