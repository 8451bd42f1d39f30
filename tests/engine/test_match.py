"""A match, action by action (docs/rules.md §2). Bob is side 0, Carol is side 1."""

import pytest

from engine import Act, Action, MatchState, Phase, Position, Refused, apply
from engine.scoring import WinKind
from tests.engine.boards import board, pairs

BOB, CAROL = 0, 1


def after(state, *actions):
    """Return the state after these actions."""
    for action in actions:
        state = apply(state, action)
    return state


def roll(side, dice):
    return Action(Act.ROLL, side, dice=dice)


def opening(bob, carol):
    return Action(Act.ROLL, dice=(bob, carol))


def play(side, text):
    return Action(Act.PLAY, side, moves=pairs(text))


def act(kind, side, value=None):
    return Action(kind, side, value=value)


def to_roll(length=7, score=(0, 0), *, position=None, **more):
    """Return a state in the middle of a game, with Bob to roll."""
    state = MatchState.start(length, score)
    return state._replace(turn=BOB, phase=Phase.TO_ROLL, position=position or Position.start(), **more)


def refusal(state, action):
    with pytest.raises(Refused) as refused:
        apply(state, action)
    assert refused.value.message != refused.value.code
    return refused.value.code


ALMOST_WON = {1: 1}
"""A board seen by Bob, who wins the game with any roll."""


# The opening


def test_the_higher_die_opens_and_plays_both():
    state = after(MatchState.start(7), opening(3, 1))
    assert (state.turn, state.dice, state.phase) == (BOB, (3, 1), Phase.TO_PLAY)
    assert after(MatchState.start(7), opening(1, 3)).turn == CAROL


def test_equal_dice_are_rolled_again():
    state = MatchState.start(7)
    assert after(state, opening(4, 4)) == state
    assert after(state, opening(4, 4), opening(4, 4), opening(2, 5)).turn == CAROL


def test_the_turn_passes_with_the_play():
    state = after(MatchState.start(7), opening(3, 1), play(BOB, "8/5 6/5"))
    assert (state.turn, state.phase, state.dice) == (CAROL, Phase.TO_ROLL, None)
    assert state.position.gnubg_id == "sGfwATDgc/ABMA"
    assert after(state, roll(CAROL, (6, 6))).dice == (6, 6)


def test_only_the_opening_roll_is_possible_before_the_opening():
    for kind in (Act.PLAY, Act.TAKE, Act.DROP, Act.RESIGN, Act.ACCEPT, Act.REFUSE):
        assert refusal(MatchState.start(7), act(kind, BOB)) == "not_now"
    assert refusal(MatchState.start(7), act(Act.DOUBLE, BOB)) == "double_before_opening"


@pytest.mark.parametrize("dice", [None, (0, 0), (7, 1), (-1, 2), (1, 1.5), ("3", "1")])
def test_impossible_dice_are_refused(dice):
    assert refusal(MatchState.start(7), Action(Act.ROLL, dice=dice)) == "bad_dice"
    assert refusal(to_roll(), Action(Act.ROLL, BOB, dice=dice)) == "bad_dice"


def test_a_side_without_a_move_plays_nothing():
    closed = board({25: 1, 1: 14}, dict.fromkeys(range(19, 25), 2))
    state = after(to_roll(position=closed), roll(BOB, (6, 4)))
    assert refusal(state, play(BOB, "bar/19")) == "blocked"
    assert after(state, play(BOB, "")).turn == CAROL


@pytest.mark.parametrize(
    ("text", "code"),
    [("", "must_play"), ("8/5", "must_play_both"), ("24/22 6/5", "wrong_die"), ("13/9 13/10 6/5", "more_than_dice")],
)
def test_an_illegal_play_is_refused_with_its_reason(text, code):
    assert refusal(after(MatchState.start(7), opening(3, 1)), play(BOB, text)) == code


# The cube


def test_a_double_taken_turns_the_cube_and_gives_it_to_the_taker():
    doubled = after(to_roll(), act(Act.DOUBLE, BOB))
    assert (doubled.phase, doubled.to_act, doubled.cube) == (Phase.DOUBLED, CAROL, 1)
    taken = after(doubled, act(Act.TAKE, CAROL))
    assert (taken.cube, taken.cube_owner, taken.to_act, taken.phase) == (2, CAROL, BOB, Phase.TO_ROLL)


def test_a_double_dropped_costs_the_value_before_the_offer():
    taken = after(to_roll(), act(Act.DOUBLE, BOB), act(Act.TAKE, CAROL))
    redoubled = after(taken._replace(turn=CAROL), act(Act.DOUBLE, CAROL))
    dropped = after(redoubled, act(Act.DROP, BOB))
    assert dropped.score == (0, 2)
    assert dropped.results[0][2:6] == (CAROL, WinKind.DROP, 2, 2)
    assert (dropped.cube, dropped.cube_owner, dropped.phase, dropped.game) == (1, None, Phase.OPENING, 2)


def test_only_the_owner_redoubles_and_there_is_no_limit():
    state, owner = to_roll(length=64), None
    for power in range(1, 12):
        assert refusal(state._replace(cube_owner=CAROL), act(Act.DOUBLE, BOB)) == "cube_not_owned"
        state = after(state._replace(cube_owner=owner), act(Act.DOUBLE, BOB), act(Act.TAKE, CAROL))
        assert state.cube == 2**power
        owner = BOB


@pytest.mark.parametrize(
    ("state", "code"),
    [
        (to_roll(cube=2, cube_owner=CAROL), "cube_not_owned"),
        (to_roll(7, (6, 0)), "cube_in_crawford"),
        (to_roll(7, (0, 6)), "cube_in_crawford"),
        (to_roll(1), "cube_in_one_point"),
        (to_roll()._replace(phase=Phase.TO_PLAY, dice=(3, 1)), "not_now"),
        (to_roll()._replace(turn=CAROL), "not_your_turn"),
        (after(to_roll(), act(Act.DOUBLE, BOB)), "not_now"),
    ],
)
def test_bob_may_not_double(state, code):
    assert refusal(state, act(Act.DOUBLE, BOB)) == code


def test_a_double_is_answered_before_anything_else_by_the_other_side():
    doubled = after(to_roll(), act(Act.DOUBLE, BOB))
    assert refusal(doubled, roll(BOB, (6, 1))) == "not_now"
    assert refusal(doubled, act(Act.TAKE, BOB)) == "not_your_turn"
    assert refusal(doubled, act(Act.DROP, BOB)) == "not_your_turn"
    assert refusal(to_roll(), act(Act.TAKE, CAROL)) == "not_now"


def test_a_dead_cube_can_be_turned_but_is_not_offered():
    dead = to_roll(7, (5, 6), cube=2, cube_owner=BOB, crawford=False)
    assert not dead.may_double
    assert after(dead, act(Act.DOUBLE, BOB)).phase is Phase.DOUBLED


@pytest.mark.parametrize(
    ("state", "may"),
    [
        (to_roll(), True),
        (to_roll(cube=4, cube_owner=BOB), True),
        (to_roll(cube=4, cube_owner=CAROL), False),
        (to_roll(1), False),
        (to_roll(5, (4, 1)), False),
        (to_roll()._replace(phase=Phase.TO_PLAY), False),
    ],
)
def test_a_state_says_whether_the_cube_may_be_offered(state, may):
    assert state.may_double is may


# Crawford


def game_won_by(state, winner, times=1):
    """Play the next game: its loser resigns when on turn."""
    loser = 1 - winner
    state = after(state, opening(3, 1) if loser == BOB else opening(1, 3))
    return after(state, act(Act.RESIGN, loser, times), *([act(Act.ACCEPT, winner)] if times < 3 else []))


def test_the_crawford_game_is_played_once_and_never_again():
    state, crawford = MatchState.start(3), []
    for winner in (BOB, BOB, CAROL, CAROL):
        crawford.append(state.crawford)
        state = game_won_by(state, winner)
    assert crawford == [False, False, True, False]
    assert state.score == (2, 2)
    assert not state.crawford
    assert after(state._replace(phase=Phase.TO_ROLL, turn=BOB), act(Act.DOUBLE, BOB)).phase is Phase.DOUBLED


def test_a_match_that_skips_one_point_short_has_no_crawford_game():
    state = game_won_by(MatchState.start(5, (3, 0)), BOB, 2)
    assert state.is_over
    assert not any(result.crawford for result in state.results)


def test_a_match_of_one_point_has_no_crawford_game():
    assert not MatchState.start(1).crawford


@pytest.mark.parametrize("score", [(6, 0), (0, 6), (6, 3)])
def test_a_start_one_point_short_makes_the_next_game_the_crawford_game(score):
    assert MatchState.start(7, score).crawford
    assert not MatchState.start(7, score, crawford_rule=False).crawford


def test_a_start_with_both_sides_one_point_short_is_no_crawford_game():
    assert not MatchState.start(5, (4, 4)).crawford


def test_penalty_points_count_from_the_start():
    state = MatchState.start(5, (0, 2))
    assert game_won_by(state, BOB).score == (1, 2)
    assert game_won_by(state, CAROL, 3).winner == CAROL


@pytest.mark.parametrize(
    ("length", "score", "code"),
    [
        (-1, (0, 0), "bad_length"),
        (65, (0, 0), "bad_length"),
        (7, (7, 0), "bad_score"),
        (7, (0, 9), "bad_score"),
        (7, (-1, 0), "bad_score"),
        (0, (-1, 0), "bad_score"),
        (1, (1, 0), "bad_score"),
    ],
)
def test_an_impossible_start_of_a_match_is_refused(length, score, code):
    with pytest.raises(Refused) as refused:
        MatchState.start(length, score)
    assert refused.value.code == code


# Resignation, concession, time


@pytest.mark.parametrize("times", [1, 2])
def test_a_resignation_costs_its_multiple_of_the_cube_when_it_is_accepted(times):
    offered = after(to_roll(cube=2, cube_owner=CAROL), act(Act.RESIGN, BOB, times))
    assert (offered.phase, offered.to_act) == (Phase.RESIGNED, CAROL)
    state = after(offered, act(Act.ACCEPT, CAROL))
    assert state.score == (0, 2 * times)
    assert state.results[0].kind is WinKind.RESIGNATION


@pytest.mark.parametrize(
    "state",
    [
        to_roll(),
        to_roll()._replace(phase=Phase.TO_PLAY, dice=(6, 4)),
        to_roll()._replace(turn=CAROL, phase=Phase.DOUBLED),
    ],
)
def test_play_goes_on_where_it_was_when_a_resignation_is_refused(state):
    assert after(state, act(Act.RESIGN, BOB, 1), act(Act.REFUSE, CAROL)) == state


def test_a_resignation_of_all_that_can_be_lost_needs_no_answer():
    assert after(to_roll(), act(Act.RESIGN, BOB, 3)).score == (0, 3)
    race = board({6: 14, 18: 1}, {19: 15})
    assert after(to_roll(position=race), act(Act.RESIGN, BOB, 2)).score == (0, 2)
    one_off = board({6: 14}, {19: 15})
    assert after(to_roll(position=one_off), act(Act.RESIGN, BOB, 1)).score == (0, 1)


def test_a_resignation_in_answer_to_a_double_is_at_the_old_value():
    doubled = after(to_roll(), act(Act.DOUBLE, BOB))
    assert refusal(doubled, act(Act.RESIGN, BOB, 1)) == "not_your_turn"
    assert after(doubled, act(Act.RESIGN, CAROL, 1), act(Act.ACCEPT, BOB)).score == (1, 0)


@pytest.mark.parametrize("times", [None, 0, 4, -1, 64])
def test_only_a_single_game_a_gammon_or_a_backgammon_can_be_resigned(times):
    assert refusal(to_roll(), act(Act.RESIGN, BOB, times)) == "bad_resignation"


def test_nobody_resigns_out_of_turn_or_answers_their_own_resignation():
    assert refusal(to_roll(), act(Act.RESIGN, CAROL, 1)) == "not_your_turn"
    offered = after(to_roll(), act(Act.RESIGN, BOB, 1))
    assert refusal(offered, act(Act.ACCEPT, BOB)) == "not_your_turn"
    assert refusal(offered, roll(BOB, (2, 1))) == "not_now"
    assert refusal(to_roll(), act(Act.ACCEPT, CAROL)) == "not_now"


@pytest.mark.parametrize("side", [BOB, CAROL])
@pytest.mark.parametrize("state", [MatchState.start(7), to_roll(7, (4, 2)), after(to_roll(), act(Act.DOUBLE, BOB))])
def test_either_side_may_concede_or_lose_the_match_on_time_at_any_moment(state, side):
    for kind, ending in ((Act.CONCEDE, WinKind.CONCESSION), (Act.FLAG, WinKind.FLAG)):
        over = after(state, act(kind, side))
        assert (over.winner, over.ending, over.score, over.results) == (1 - side, ending, state.score, ())
        assert over.is_over


def test_a_game_lost_on_time_costs_the_cube():
    state = after(to_roll(cube=4, cube_owner=BOB), act(Act.FLAG, CAROL, 1))
    assert state.score == (4, 0)
    assert state.results[0].kind is WinKind.FLAG
    assert not state.is_over


def test_only_a_side_of_the_match_can_act():
    for side in (None, 2, -1, "bob"):
        assert refusal(to_roll(), act(Act.DOUBLE, side)) == "not_your_turn"
        assert refusal(to_roll(), act(Act.CONCEDE, side)) == "not_your_turn"


# The end


@pytest.mark.parametrize(
    ("loser", "kind", "points"),
    [({24: 14}, WinKind.SINGLE, 2), ({7: 15}, WinKind.GAMMON, 4), ({7: 14, 2: 1}, WinKind.BACKGAMMON, 6)],
)
def test_bearing_off_wins_the_cube_times_one_two_or_three(loser, kind, points):
    state = to_roll(9, position=board(ALMOST_WON, loser), cube=2, cube_owner=CAROL)
    won = after(state, roll(BOB, (4, 3)), play(BOB, "1/off"))
    assert won.score == (points, 0)
    assert won.results[0][:6] == (1, (0, 0), BOB, kind, 2, points)
    assert (won.game, won.phase, won.position, won.cube) == (2, Phase.OPENING, Position.start(), 1)


def test_the_last_checker_may_go_off_with_one_die():
    state = to_roll(position=board({2: 1}, {24: 14, 1: 1}))
    assert after(state, roll(BOB, (2, 1)), play(BOB, "2/off")).results[0].kind is WinKind.BACKGAMMON


def test_the_first_to_reach_the_length_wins_and_keeps_every_point():
    state = to_roll(7, (5, 4), position=board(ALMOST_WON, {7: 15}), cube=2, cube_owner=BOB)
    over = after(state, roll(BOB, (6, 5)), play(BOB, "1/off"))
    assert (over.is_over, over.winner, over.score, over.ending) == (True, BOB, (9, 4), WinKind.GAMMON)
    assert over.to_act is None


@pytest.mark.parametrize("kind", list(Act))
def test_no_action_is_possible_after_the_end(kind):
    over = after(MatchState.start(7), act(Act.CONCEDE, BOB))
    assert refusal(over, Action(kind, CAROL, dice=(6, 1), value=1)) == "match_over"


@pytest.mark.parametrize("length", range(1, 65))
def test_a_match_of_any_length_is_won_by_the_first_to_reach_it(length):
    state, games = MatchState.start(length), 0
    while not state.is_over:
        state, games = game_won_by(state, CAROL), games + 1
    assert (games, state.score, state.winner) == (length, (0, length), CAROL)
    assert [result.crawford for result in state.results].count(True) == (length > 1)


def test_money_play_goes_on_until_somebody_concedes():
    state = MatchState.start(0)
    for _ in range(20):
        state = game_won_by(state, BOB, 3)
    assert (state.score, state.is_over, state.crawford) == ((60, 0), False, False)


@pytest.mark.parametrize(("owner", "points"), [(None, 1), (BOB, 2)])
def test_under_jacoby_a_gammon_counts_only_after_the_cube_was_turned(owner, points):
    money = MatchState.start(0, jacoby=True)._replace(turn=BOB, phase=Phase.TO_ROLL)
    state = money._replace(position=board(ALMOST_WON, {7: 15}), cube_owner=owner)
    assert after(state, roll(BOB, (6, 5)), play(BOB, "1/off")).score == (points, 0)


def test_jacoby_is_for_money_only():
    assert not MatchState.start(7, jacoby=True).jacoby
