"""The bots: legal in every phase, and better the more they know."""

from random import Random

import pytest

from engine import Act, Action, MatchState, Phase, Position, apply
from engine.bots import Bot, decide
from engine.bots.cube import match_chance, should_double, should_take, take_point
from engine.bots.features import hitting_rolls
from engine.bots.network import BotChances, chances


def dice(chance: Random) -> tuple[int, int]:
    return chance.randint(1, 6), chance.randint(1, 6)


def play_match(bots: tuple[Bot, Bot], length: int, seed: int) -> MatchState:
    """A whole match; `apply` refuses whatever is not legal."""
    chance, state = Random(seed), MatchState.start(length)
    while not state.is_over:
        if state.phase is Phase.OPENING:
            state = apply(state, Action(Act.ROLL, dice=dice(chance)))
            continue
        assert state.to_act is not None
        action = decide(state, bots[state.to_act], chance)
        state = apply(state, action._replace(dice=dice(chance)) if action.act is Act.ROLL else action)
    return state


def wins(bot: Bot, other: Bot, *, matches: int, length: int) -> int:
    """How many matches `bot` wins, on each side by turns."""
    won = 0
    for seed in range(matches):
        side = seed % 2
        bots = (bot, other) if side == 0 else (other, bot)
        won += play_match(bots, length, seed).winner == side
    return won


@pytest.mark.slow
@pytest.mark.parametrize("other", [Bot.RANDOM, Bot.PIP])
@pytest.mark.parametrize("length", [1, 5])
def test_the_club_bot_beats_the_others(other: Bot, length: int) -> None:
    # Of equal players one in ten thousand would win 31 of 40 or more.
    assert wins(Bot.CLUB, other, matches=40, length=length) >= 31


@pytest.mark.slow
def test_the_pip_bot_beats_the_random_one() -> None:
    assert wins(Bot.PIP, Bot.RANDOM, matches=40, length=1) >= 31


def test_the_same_seed_gives_the_same_match() -> None:
    bots = (Bot.CLUB, Bot.RANDOM)
    assert play_match(bots, 3, 7) == play_match(bots, 3, 7)
    assert play_match(bots, 3, 7) != play_match(bots, 3, 8)


def rolled(first: int, second: int) -> MatchState:
    """The opening position with a roll."""
    return apply(MatchState.start(7), Action(Act.ROLL, dice=(first, second)))


@pytest.mark.parametrize(
    ("roll", "play"),
    [
        ((3, 1), {(8, 5), (6, 5)}),
        ((4, 2), {(8, 4), (6, 4)}),
        ((6, 1), {(13, 7), (8, 7)}),
        ((5, 3), {(8, 3), (6, 3)}),
        ((6, 5), {(24, 18), (18, 13)}),
    ],
)
def test_the_club_bot_makes_the_points_everybody_makes(roll: tuple[int, int], play: set[tuple[int, int]]) -> None:
    assert set(decide(rolled(*roll), Bot.CLUB, Random(1)).moves) == play


def winning_chance(counts: list[int]) -> float:
    return chances(Position.from_counts(counts)).win


def test_the_winning_chance_of_a_race_follows_the_pips() -> None:
    level = [0] * 26
    level[6], level[5], level[4] = 5, 5, 5
    level[19], level[20], level[21] = -5, -5, -5
    even = winning_chance(level)
    assert 0.5 < even < 0.85, "on roll"
    ahead = [*level]
    ahead[6], ahead[1] = 4, 1
    assert winning_chance(ahead) > even
    nearly_off = [0] * 26
    nearly_off[1], nearly_off[24] = 1, -15
    assert winning_chance(nearly_off) > 0.95


def test_the_opening_is_worth_what_everybody_says() -> None:
    """Source: GNU Backgammon 1.07, whose cubeless chances are 52.1%, 15.4% and 13.0%."""
    win, win_gammon, lose_gammon = chances(Position())
    assert win == pytest.approx(0.521, abs=0.04)
    assert win_gammon == pytest.approx(0.154, abs=0.06)
    assert lose_gammon == pytest.approx(0.130, abs=0.06)
    assert chances(Position()) == chances(Position().swapped())


def test_a_game_that_is_over_is_certain() -> None:
    over = [0] * 26
    over[1] = 15
    assert chances(Position.from_counts(over)) == BotChances(0.0, 0.0, 1.0)
    assert chances(Position.from_counts(over).swapped()) == BotChances(1.0, 1.0, 0.0)
    over[1] = 14
    assert chances(Position.from_counts(over)) == BotChances(0.0, 0.0, 0.0)


def test_nobody_loses_a_gammon_with_a_checker_off() -> None:
    counts = [0] * 26
    counts[20], counts[6], counts[24] = 2, 12, -14
    seen = chances(Position.from_counts(counts))
    assert (seen.win_gammon, seen.lose_gammon) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("checkers", "rolls"),
    [
        # The table of shots in every textbook: rolls of 36 that hit a blot in the open, by the distance.
        *(({1 + distance: 1, 1: -1}, rolls) for distance, rolls in enumerate((11, 12, 14, 15, 15, 17), start=1)),
        *(({1 + distance: 1, 1: -1}, rolls) for distance, rolls in ((7, 6), (8, 6), (9, 5), (10, 3), (11, 2), (12, 3))),
        ({25: 1, 24: -2, 23: -1}, 11),
        # Four away with the points between closed: only the fours.
        ({5: 1, 1: -1, 2: -2, 3: -2, 4: -2}, 11),
        ({6: 1}, 0),
    ],
)
def test_the_rolls_that_hit_are_those_of_the_books(checkers: dict[int, int], rolls: int) -> None:
    counts = [0] * 26
    for point, count in checkers.items():
        counts[point] = count
    assert hitting_rolls(counts) == rolls


def test_nobody_decides_before_the_opening_roll() -> None:
    with pytest.raises(ValueError, match="nobody is to act"):
        decide(MatchState.start(3), Bot.CLUB, Random(1))


# The cube


def test_the_chances_of_a_match_add_up() -> None:
    for own in range(1, 16):
        for opposing in range(1, 16):
            assert match_chance(own, opposing) + match_chance(opposing, own) == pytest.approx(1)
    assert (match_chance(0, 3), match_chance(3, -1)) == (1.0, 0.0)


def test_the_take_point_is_about_a_quarter_far_from_the_end() -> None:
    even = BotChances(0.5, 0.0, 0.0)
    assert 0.19 < take_point(MatchState.start(15), 0, even) < 0.26
    assert take_point(MatchState.start(0), 0, even) == pytest.approx(0.215), "in money play"
    assert take_point(MatchState.start(15), 0, BotChances(0.3, 0.05, 0.25)) > 0.26, "gammons cost"


def test_a_bot_doubles_and_takes_within_a_window() -> None:
    state = MatchState.start(9)
    seen = [
        BotChances(0.5, 0.1, 0.1),
        BotChances(0.74, 0.15, 0.05),
        BotChances(0.9, 0.1, 0.0),
        BotChances(0.97, 0.8, 0.0),
    ]
    assert [should_double(state, 0, each) for each in seen] == [False, True, True, False]
    assert [should_take(state, 1, BotChances(win, 0.02, 0.1)) for win in (0.1, 0.35)] == [False, True]


def test_whoever_is_behind_doubles_after_the_crawford_game() -> None:
    state = MatchState.start(5, (4, 2))._replace(crawford=False, crawford_played=True, phase=Phase.TO_ROLL, turn=1)
    assert decide(state, Bot.CLUB, Random(1)).act is Act.DOUBLE


@pytest.mark.parametrize("bot", list(Bot))
def test_every_bot_accepts_a_resignation_that_costs_enough(bot: Bot) -> None:
    state = rolled(6, 5)
    resigned = apply(state, Action(Act.RESIGN, 0, value=2))
    assert decide(resigned, bot, Random(1)).act is Act.ACCEPT


def test_a_single_game_is_refused_where_a_gammon_is_near() -> None:
    counts = [0] * 26
    counts[24], counts[23], counts[1], counts[2] = 13, 2, 0, 0
    counts[20] = -1
    state = MatchState.start(7)._replace(phase=Phase.TO_ROLL, turn=0, position=Position.from_counts(counts))
    resigned = apply(state, Action(Act.RESIGN, 0, value=1))
    assert decide(resigned, Bot.CLUB, Random(1)).act is Act.REFUSE


def test_a_dead_cube_stays_where_it_is() -> None:
    counts = [*Position().counts]
    counts[24], counts[14] = 0, 2
    state = MatchState.start(3)._replace(phase=Phase.TO_ROLL, turn=0, position=Position.from_counts(counts))
    assert decide(state, Bot.PIP, Random(1)).act is Act.DOUBLE
    assert decide(state._replace(cube=4, cube_owner=0), Bot.PIP, Random(1)).act is Act.ROLL
