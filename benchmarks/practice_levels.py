"""What the practice opponents lose, measured on the same decisions for all: `python -m benchmarks.practice_levels`.

The decisions are those of matches that gnubg plays against itself at 0-ply, with small errors, from a seed. Left out
are plays without a choice and cube decisions that are clear. gnubg judges them at 2-ply, the depth of the strongest
level, which therefore loses nothing here by definition. Each opponent decides each of them many times, with new noise
each time. One line an opponent: what a decision costs in points, the performance rating that is, its standard error
over the decisions, and by how many standard errors (of the difference, decision by decision) it is worse than the next.
docs/playing.md has what it printed.
"""

import argparse
import os
import time
from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from random import Random
from statistics import fmean, stdev
from typing import NamedTuple

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
django.setup()

from engine.actions import Act, Action, Phase  # noqa: E402
from engine.bots import Bot, decide  # noqa: E402
from engine.match import MatchState, apply  # noqa: E402
from matches.analysis.arithmetic import double_error, performance_rating, take_error  # noqa: E402
from matches.analysis.backends.base import Backend, Depth  # noqa: E402
from matches.analysis.backends.chosen import NAMES, backend_named  # noqa: E402
from matches.analysis.values import CubeEquities, Judgement  # noqa: E402
from matches.models import PracticeLevel  # noqa: E402
from matches.play.bots import STRENGTHS, chosen_play, doubles, has_choice, takes  # noqa: E402

DECISIONS, LENGTH, SEED = 300, 7, 2026
NOISE = 0.03
"""Of both sides in the matches that the decisions are taken from."""
REPEATS = 20
"""How often each opponent makes each decision."""
CLEAR = 0.3
"""A cube decision is left out if neither choice is that close to the other."""


class Decision(NamedTuple):
    """A decision, as the levels see it at a glance, and as it is judged."""

    state: MatchState
    seen: Judgement
    truth: Judgement


def states(player: Backend, chance: Random) -> Iterator[tuple[MatchState, Judgement]]:
    """Yield the decisions with a choice of one match after the other."""
    while True:
        state = MatchState.start(LENGTH)
        while not state.is_over:
            dice = (chance.randint(1, 6), chance.randint(1, 6))
            if state.phase is Phase.OPENING:
                state = apply(state, Action(Act.ROLL, dice=dice)) if dice[0] != dice[1] else state
                continue
            if not has_choice(state):
                action = decide(state, Bot.CLUB, chance)
            else:
                seen = player.advise(state, Depth.QUICK)
                yield state, seen
                action = decided(state, seen, NOISE, chance)
            state = apply(state, action._replace(dice=dice) if action.act is Act.ROLL else action)


def decided(state: MatchState, seen: Judgement, noise: float, chance: Random) -> Action:
    """Return what a level does about a decision that it sees so."""
    side = state.to_act
    if seen.equities is None:
        best = chosen_play(seen.candidates, noise, chance).play
        play = next(play for play in state.legal_plays() if str(play) == best)
        return Action(Act.PLAY, side, moves=tuple((step.source, step.target) for step in play.steps))
    if state.phase is Phase.DOUBLED:
        return Action(Act.TAKE if takes(seen.equities, noise, chance) else Act.DROP, side)
    return Action(Act.DOUBLE if doubles(seen.equities, noise, chance) else Act.ROLL, side)


def is_clear(equities: CubeEquities, *, is_answer: bool) -> bool:
    """Whether a cube decision is one that nobody has to think about."""
    doubled = min(equities.double_take, equities.double_pass)
    one, other = (equities.double_take, equities.double_pass) if is_answer else (equities.no_double, doubled)
    return abs(one - other) > CLEAR


def decisions(program: Backend, count: int) -> list[Decision]:
    """The first so many decisions, judged."""
    judged: list[Decision] = []
    for state, seen in states(program, Random(SEED)):  # noqa: S311, no secret
        truth = program.advise(state, Depth.DEEP)
        if truth.equities is None or not is_clear(truth.equities, is_answer=state.phase is Phase.DOUBLED):
            judged.append(Decision(state, seen, truth))
        if len(judged) == count:
            break
    return judged


def lost(decision: Decision, action: Action) -> float:
    """Return what an action loses, in points of the cube."""
    state, truth = decision.state, decision.truth
    if truth.equities is not None:
        if state.phase is Phase.DOUBLED:
            return take_error(truth.equities, taken=action.act is Act.TAKE)
        return double_error(truth.equities, doubled=action.act is Act.DOUBLE)
    result = apply(state, action).position
    names = {str(play): play.result.swapped() for play in state.legal_plays()}
    played = next((each for each in truth.candidates if names[each.play] == result), None)
    # The game may be over after it, and the board another one.
    return 0.0 if played is None else max(0.0, truth.candidates[0].equity - played.equity)


Player = Callable[[Decision, Random], Action]


def players() -> dict[str, Player]:
    """The opponents, the weakest kind first."""

    def bot(style: Bot) -> Player:
        return lambda decision, chance: decide(decision.state, style, chance)

    def level(of_level: PracticeLevel) -> Player:
        depth, noise = STRENGTHS[of_level]

        def act(decision: Decision, chance: Random) -> Action:
            seen = decision.truth if depth is Depth.DEEP else decision.seen
            return decided(decision.state, seen, noise, chance)

        return act

    return {
        **{f"bot: {style.value}": bot(style) for style in Bot},
        **{f"level: {of_level.value}": level(of_level) for of_level in PracticeLevel},
    }


def losses(player: Player, rows: Sequence[Decision], repeats: int) -> list[float]:
    """What each decision costs a player on average."""
    chance = Random(SEED)  # noqa: S311, no secret
    return [fmean(lost(row, player(row, chance)) for _ in range(repeats)) for row in rows]


def standard_error(values: Sequence[float]) -> float:
    return stdev(values) / sqrt(len(values))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", choices=NAMES, default="gnubg", help="the program of the levels, and the judge")
    parser.add_argument("--decisions", type=int, default=DECISIONS)
    parser.add_argument("--only", nargs="+", default=[], help="opponents, such as `bot: club`")
    options = parser.parse_args()
    began = time.monotonic()
    rows = decisions(backend_named(options.backend), options.decisions)
    cubes = sum(row.truth.equities is not None for row in rows)
    print(f"{len(rows)} decisions, {cubes} of them with the cube; judged in {time.monotonic() - began:.0f} s")
    costs: dict[str, list[float]] = {}
    for name, player in players().items():
        if options.only and name not in options.only:
            continue
        is_same_each_time = name in ("bot: pip", "bot: club", f"level: {PracticeLevel.STRONGEST.value}")
        began = time.monotonic()
        costs[name] = losses(player, rows, 1 if is_same_each_time else REPEATS)
        if name == "bot: club":
            print(f"bot: club takes {(time.monotonic() - began) / len(rows) * 1000:.1f} ms a decision")
    order = sorted(costs, key=lambda name: -fmean(costs[name]))
    for name, following in zip(order, [*order[1:], ""], strict=True):
        rating, error = performance_rating(costs[name]), performance_rating([standard_error(costs[name])])
        line = f"{name:18} {fmean(costs[name]):.4f} a decision  PR {rating:6.1f} ± {error:4.1f}"
        if following:
            differences = [one - other for one, other in zip(costs[name], costs[following], strict=True)]
            line += f"  worse than the next by {fmean(differences) / (standard_error(differences) or 1):.1f} errors"
        print(line, flush=True)


if __name__ == "__main__":
    main()
