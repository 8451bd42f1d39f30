"""How long players wait, and when it is over, in rounds and without, before an evening and during it.

Waiting is the time between two matches of a player, in minutes a player for the whole stage, without the walk to the
table and the rest that everybody has.
"""

import heapq
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from itertools import cycle, islice
from random import Random

from tournaments.formats.continuous.night import Field, Night, NightForecast, forecast_night
from tournaments.formats.continuous.night import Pace as NightPace
from tournaments.formats.continuous.state import FlowMatch, FlowPlayer, FlowState
from tournaments.formats.forecast.brackets import StageEstimate
from tournaments.formats.forecast.counts import NONE, Count, lives_runs
from tournaments.formats.forecast.durations import MEAN_SHARE, player_tempo
from tournaments.formats.forecast.finish_times import Finish, FinishTimes, Pace, RoundTimes, finish_of_runs
from tournaments.formats.graph import EntryId
from tournaments.formats.plans import lengths_of
from tournaments.formats.settings import LIVES, StageSettings

NIGHTS, NIGHTS_OF_MANY, MANY = 12, 4, 40
"""Simulated nights; fewer for fields of more than `MANY`, whose nights take longer and differ less."""
DRAWS = 20
"""How often a duration is drawn that is longer than what was played already."""
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


# During an evening.


@dataclass(frozen=True, slots=True)
class NightInProgress:
    """A stage without rounds that is being played, with everything that its rest depends on, to be compared.

    Times are whole minutes from now. `running` has, for each match in progress, its number, its two entries, its length
    and the minutes played so far.
    """

    settings: StageSettings
    players: tuple[FlowPlayer, ...]
    running: tuple[tuple[int, tuple[EntryId, EntryId], int, float], ...]
    met: tuple[tuple[frozenset[EntryId], tuple[int, ...]], ...]
    forbidden: frozenset[frozenset[EntryId]]
    seed: bytes
    pairings: int
    length: int
    now: datetime


@lru_cache(maxsize=64)
def ends_of(night: NightInProgress, pace: Pace) -> tuple[float, ...]:
    """Return when the stage is over in each simulated rest of it, in minutes from now."""
    chance = Random(1)  # noqa: S311, a forecast
    playing = tuple(FlowMatch(number, pair) for number, pair, _length, _played in night.running)
    state = FlowState(
        night.settings, night.players, playing, dict(night.met), night.forbidden, night.seed, night.pairings
    )
    own, ends = _night_pace(pace), []
    runs = NIGHTS if len(night.players) <= MANY else NIGHTS_OF_MANY
    for _run in range(2 * runs):
        tempo = math.exp(chance.gauss(0, pace.uncertainty))
        evening = replace(own, a_point=own.a_point * tempo)
        people = Field({player.entry: player_tempo(chance) for player in night.players})
        running = {number: _left(length, played, evening, chance) for number, _pair, length, played in night.running}
        rest = Night.from_state(
            state, running=running, now=night.now, tables=pace.tables, people=people, chance=chance, pace=evening,
            length=night.length,
        )  # fmt: skip
        ends.append(pace.paused + rest.play().end)
    return tuple(ends)


def _left(length: int, played: float, pace: NightPace, chance: Random) -> float:
    """Draw how long a match still takes that has been played for some minutes."""
    draws = (pace.minutes(length, 1.0, chance) - played for _draw in range(DRAWS))
    return next((minutes for minutes in draws if minutes > 0), pace.a_point)


def with_night(times: FinishTimes, row: str, later: Collection[str], ends: Sequence[float], length: int) -> FinishTimes:
    """Return the times with a stage without rounds in one piece; the `later` rows follow on it."""
    runs = max((len(column) for column in times.ends.values()), default=len(ends))
    own = tuple(islice(cycle(ends), runs))
    moved = {
        key: tuple(end + before for end, before in zip(column, own, strict=True)) if key in later else column
        for key, column in times.ends.items()
        if key != row
    }
    finish = finish_of_runs(own)
    rounds = [
        replace(
            round_,
            begins=round_.begins + finish.median,
            finish=Finish(round_.finish.median + finish.median, round_.finish.late + finish.late),
        )
        if round_.row in later
        else round_
        for round_ in times.rounds
        if round_.row != row
    ]
    rounds.append(RoundTimes(row, 0, 0.0, finish, length))
    columns = {**moved, row: own}
    total = finish_of_runs([max(run) for run in zip(*columns.values(), strict=True)])
    return FinishTimes(tuple(rounds), total, times.next_main, columns)
