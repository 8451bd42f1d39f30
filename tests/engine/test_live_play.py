"""Live matches: plays in notation, legal actions, the director's acts, and flags."""

import pytest

from engine import Act, Action, Phase, Position, Refused, adjudicate, apply
from engine.match import FlagRule, MatchState
from engine.recording import record
from engine.scoring import WinKind

OPENED = apply(MatchState.start(7), Action(Act.ROLL, dice=(3, 1)))


def after(state, *actions):
    for action in actions:
        state = apply(state, action)
    return state


def refused(state, action):
    with pytest.raises(Refused) as error:
        apply(state, action)
    return error.value.code


@pytest.mark.parametrize("notation", ["8/5 6/5", "6/5, 8/5", "8/5,6/5"])
def test_a_play_is_given_in_notation(notation):
    state = apply(OPENED, Action.play(notation))
    assert state == apply(OPENED, Action(Act.PLAY, 0, moves=((8, 5), (6, 5))))
    assert state.turn == 1


def test_a_play_of_the_other_side_is_refused():
    assert refused(OPENED, Action.play("8/5 6/5", side=1)) == "not_your_turn"
    assert refused(OPENED, Action.play("8/5 7/6")) == "no_checker"


def test_legal_actions_are_those_that_apply_accepts():
    state = MatchState.start(3)
    assert state.legal_actions() == {Act.ROLL, Act.CONCEDE}
    state = OPENED
    assert state.legal_actions() == {Act.PLAY, Act.RESIGN, Act.CONCEDE}
    state = apply(state, Action.play("8/5 6/5"))
    assert state.legal_actions() == {Act.ROLL, Act.DOUBLE, Act.RESIGN, Act.CONCEDE}
    state = apply(state, Action(Act.DOUBLE, 1))
    assert state.legal_actions() == {Act.TAKE, Act.DROP, Act.RESIGN, Act.CONCEDE}
    state = apply(state, Action(Act.TAKE, 0))
    assert state.legal_actions() == {Act.ROLL, Act.RESIGN, Act.CONCEDE}  # the cube is Bob's
    assert apply(state, Action(Act.CONCEDE, 1)).legal_actions() == frozenset()


def test_the_plays_of_the_dice_on_the_board():
    assert "8/5 6/5" in map(str, OPENED.legal_plays())
    with pytest.raises(Refused):
        MatchState.start(3).legal_plays()


def test_a_director_sets_the_score():
    state = after(OPENED, Action(Act.SET_SCORE, score=(6, 2)))
    assert (state.score, state.crawford, state.position) == ((6, 2), True, OPENED.position)
    assert refused(state, Action(Act.SET_SCORE, score=(7, 2))) == "bad_score"
    assert refused(state, Action(Act.SET_SCORE)) == "bad_score"


def test_a_director_ends_a_game():
    state = apply(OPENED, Action(Act.END_GAME, 1, value=2))
    assert (state.score, state.phase, state.position) == ((0, 2), Phase.OPENING, Position.start())
    assert state.results[-1].kind is WinKind.RULING
    assert refused(OPENED, Action(Act.END_GAME, 1)) == "bad_ruling"
    assert apply(OPENED, Action(Act.END_GAME, 0, value=7)).winner == 0


@pytest.mark.parametrize(("length", "accepted"), [(3, {2, 3, 4, 6, 7, 8}), (5, {2, 4, 5, 6, 7, 8}), (9, {2, 4, 6})])
def test_a_director_gives_only_points_that_a_record_can_say(length, accepted):
    doubled = [
        Action(Act.ROLL, dice=(3, 1)),
        Action.play("8/5 6/5"),
        Action(Act.DOUBLE, 1),
        Action(Act.TAKE, 0),
    ]
    state = after(MatchState.start(length), *doubled)
    for points in range(1, 9):
        ruling = Action(Act.END_GAME, 1, value=points)
        assert state.can_give(1, points) == (points in accepted)
        if points not in accepted:
            continue
        verdict = adjudicate(record(MatchState.start(length), [*doubled, ruling], ("Bob", "Carol")))
        assert [finding.code for finding in verdict.findings if finding.severity == "error"] == []


def test_an_adjourned_match_resumes_where_it_was():
    adjourned = apply(OPENED, Action(Act.ADJOURN))
    assert (adjourned.position, adjourned.turn, adjourned.dice) == (OPENED.position, 0, (3, 1))
    assert refused(adjourned, Action.play("8/5 6/5")) == "not_now"
    assert apply(adjourned, Action(Act.RESUME)) == OPENED
    assert apply(adjourned, Action(Act.CONCEDE, 1)).winner == 0
    assert refused(OPENED, Action(Act.RESUME)) == "not_now"


def test_a_fallen_flag_costs_what_the_flag_rule_says():
    def flagged(rule):
        state = apply(MatchState.start(7, flag_rule=rule), Action(Act.ROLL, dice=(3, 1)))
        return apply(state, Action(Act.FLAG, 0))

    lost = flagged(FlagRule.MATCH_LOST)
    assert (lost.winner, lost.ending) == (1, WinKind.FLAG)
    game = flagged(FlagRule.GAME_LOST)
    assert (game.winner, game.score, game.results[-1].kind) == (None, (0, 1), WinKind.FLAG)
    claim = flagged(FlagRule.CLAIM)
    assert (claim.winner, claim.phase) == (None, Phase.TO_PLAY)
    later = apply(claim, Action.play("8/5 6/5"))
    assert Act.CLAIM_FLAG in later.legal_actions()
    assert refused(later, Action(Act.CLAIM_FLAG, 0)) == "no_flag_fallen"
    assert apply(later, Action(Act.CLAIM_FLAG, 1)).winner == 1


@pytest.mark.parametrize("rule", FlagRule)
@pytest.mark.parametrize("act", [Act.CONCEDE, Act.FLAG])
@pytest.mark.parametrize("loser", [0, 1])
@pytest.mark.parametrize("refused_before", [False, True])
def test_a_match_that_ends_while_a_resignation_waits_for_its_answer_is_recorded(rule, act, loser, refused_before):
    start = MatchState.start(5, flag_rule=rule)
    actions = [Action(Act.ROLL, dice=(3, 1)), Action.play("8/5 6/5"), Action(Act.ROLL, 1, dice=(3, 1))]
    actions += [Action.play("8/5 6/5", 1), Action(Act.ROLL, 0, dice=(5, 3)), Action(Act.RESIGN, 0, value=1)]
    if refused_before:
        actions += [Action(Act.REFUSE, 1), Action(Act.RESIGN, 0, value=2)]
    actions.append(Action(act, loser))
    if act is Act.FLAG and rule is FlagRule.CLAIM:
        actions.append(Action(Act.CLAIM_FLAG, 1 - loser))
    state = after(start, *actions)
    verdict = adjudicate(record(start, actions, ("Bob", "Carol")))
    assert [finding.code for finding in verdict.findings if finding.severity == "error"] == []
    assert (verdict.winner, verdict.games[0].winner) == (state.winner, 1 - loser)


def test_a_match_with_a_claimed_flag_is_recorded():
    start = MatchState.start(7, flag_rule=FlagRule.CLAIM)
    actions = [Action(Act.ROLL, dice=(3, 1)), Action.play("8/5 6/5"), Action(Act.ROLL, 1, (6, 4))]
    actions += [Action.play("24/14"), Action(Act.FLAG, 0), Action(Act.CLAIM_FLAG, 1)]
    verdict = adjudicate(record(start, actions, ("Bob", "Carol")))
    assert (verdict.winner, verdict.games[-1].kind) == (1, WinKind.FLAG)
