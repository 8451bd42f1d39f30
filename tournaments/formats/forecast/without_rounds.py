"""How long players wait, and when it is over, in rounds and without; to compare the two before an evening.

Waiting is the time between two matches of a player, in minutes a player for the whole stage, without the walk to the
table and the rest that everybody has.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from random import Random

from tournaments.formats.continuous.night import Field, Night, NightForecast, forecast_night
from tournaments.formats.continuous.night import Pace as NightPace
from tournaments.formats.continuous.state import FlowPair, FlowState
from tournaments.formats.forecast.brackets import StageEstimate
from tournaments.formats.forecast.counts import NONE, Count, lives_runs
from tournaments.formats.forecast.durations import MEAN_SHARE
from tournaments.formats.forecast.finish_times import Finish, Pace
from tournaments.formats.plans import lengths_of
from tournaments.formats.settings import LIVES, StageSettings

NIGHTS, NIGHTS_OF_MANY, MANY = 12, 4, 40
"""Simulated nights; fewer for fields of more than `MANY`, whose nights take longer and differ less."""
PUBLISHED_AFTER = 3.0
"""Minutes from the last result of a round to the next round."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The mean minutes that a player waits in all, and when the stage is over."""

    wait: float
    finish: Finish


@lru_cache(maxsize=256)
def night_of(settings: StageSettings, players: int, tables: int, length: int, pace: NightPace) -> NightForecast:
    """Return what to expect of a stage without rounds."""
    runs = NIGHTS if players <= MANY else NIGHTS_OF_MANY
    return forecast_night(settings, players, tables, length=length, pace=pace, runs=runs)


def without_rounds(
    estimates: Sequence[StageEstimate],
    stages: Sequence[StageSettings],
    players: int,
    default_lengths: Sequence[int],
    pace: Pace,
) -> list[StageEstimate]:
    """Return the estimates with the times of a first stage without rounds; those after it are moved accordingly."""
    first, *later = estimates
    if not stages[0].is_continuous or first.finish is None:
        return list(estimates)
    night = night_of(stages[0], players, pace.tables, _length(stages[0], default_lengths), _night_pace(pace))
    sooner, sooner_late = night.end - first.finish.median, night.latest - first.finish.late
    moved = [
        replace(
            estimate,
            brackets=tuple(
                replace(
                    bracket,
                    rounds=tuple(
                        replace(round_, finish=_moved(round_.finish, sooner, sooner_late)) for round_ in bracket.rounds
                    ),
                )
                for bracket in estimate.brackets
            ),
            finish=_moved(estimate.finish, sooner, sooner_late),
        )
        for estimate in later
    ]
    own = replace(
        first,
        brackets=(),
        byes=NONE,
        rounds=NONE,
        matches_each=Count(night.fewest, night.most),
        finish=Finish(night.end, night.latest),
    )
    return [own, *moved]


def _moved(finish: Finish | None, median: float, late: float) -> Finish | None:
    return None if finish is None else Finish(max(0.0, finish.median + median), max(0.0, finish.late + late))


def _length(settings: StageSettings, default_lengths: Sequence[int]) -> int:
    return lengths_of(settings, "", default_lengths)[0]


def _night_pace(pace: Pace) -> NightPace:
    return NightPace(a_point=pace.minutes_per_point * MEAN_SHARE, rest=pace.rest)


def compare(
    settings: StageSettings, players: int, default_lengths: Sequence[int], pace: Pace
) -> tuple[Comparison, Comparison]:
    """Return a stage in rounds and the same stage without; a Swiss needs a number of rounds."""
    length, own = _length(settings, default_lengths), _night_pace(pace)
    night = night_of(settings, players, pace.tables, length, own)
    rounds = _in_rounds(settings, players, pace.tables, length, own)
    return rounds, Comparison(night.wait, Finish(night.end, night.latest))


@lru_cache(maxsize=256)
def _in_rounds(settings: StageSettings, players: int, tables: int, length: int, pace: NightPace) -> Comparison:
    chance = Random(f"{players}:{tables}:{length}")  # noqa: S311, a forecast
    if settings.format == LIVES:
        courses: Sequence[Sequence[int]] = [run.entrants for run in lives_runs(players, settings.lives)]
    else:
        courses = [[players] * (settings.rounds or 1)]
    nights = [_round_by_round(courses[number % len(courses)], tables, length, pace, chance) for number in range(NIGHTS)]
    ends = sorted(end for _wait, end in nights)
    wait = sum(wait for wait, _end in nights) / len(nights) / players
    return Comparison(wait, Finish(ends[len(ends) // 2], ends[-1 - len(ends) // 10]))


def _round_by_round(
    entrants: Sequence[int], tables: int, length: int, pace: NightPace, chance: Random
) -> tuple[float, float]:
    """Play rounds of so many players each; return the sum of their waits, and the end."""
    at = wait = 0.0
    for number, count in enumerate(entrants):
        free = [0.0] * tables
        ends = []
        for _match in range(count // 2):
            begins = heapq.heappop(free)
            ends.append(begins + pace.walk + pace.minutes(length, 1.0, chance))
            heapq.heappush(free, ends[-1])
            wait += 2 * begins
        over = max(ends, default=0.0)
        if number + 1 < len(entrants):
            over += PUBLISHED_AFTER
            wait += sum(2 * (over - end) for end in ends) + count % 2 * over
        at += over
    return wait, at


# The rest of a night that is being played.


class _Recorded(Night):
    """A night that notes its pairs in the order in which they are made."""

    pairs: list[tuple[int, int]]

    def _begin(self, number: int, pair: FlowPair) -> None:
        self.pairs.append((pair.first, pair.second))
        super()._begin(number, pair)


def rest_of_night(state: FlowState, now: datetime, length: int, tables: int, course: int) -> list[tuple[int, int]]:
    """Return the pairs that are made in one possible course of the rest of a stage without rounds, in order."""
    chance = Random(course)  # noqa: S311, a forecast
    pace = NightPace()
    running = {match.number: pace.minutes(length, 1.0, chance) for match in state.playing}
    # Nobody stays away for good, and new pairs have other numbers than the matches that go on.
    free = tuple(replace(player, blocked="") for player in state.players)
    highest = max([state.pairings, *running])
    night = _Recorded.from_state(
        replace(state, players=free, pairings=highest),
        running=running,
        now=now,
        tables=max(1, tables),
        people=Field({player.entry: 1.0 for player in state.players}),
        chance=chance,
        pace=pace,
        length=length,
    )
    assert isinstance(night, _Recorded)  # noqa: S101, it is made by its class
    night.pairs = []
    night.play()
    return night.pairs
