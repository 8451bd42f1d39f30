"""How long players wait, and when it is over, in rounds and without; and when a stage that is being played is over.

Waiting is the time between two matches of a player, in minutes a player for the whole stage, without the walk to the
table and the rest that everybody has.
"""

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from random import Random
from statistics import median_low

from formats.continuous.night import EveningField, NightForecast, SimulatedEvening, forecast_night
from formats.continuous.night import EveningPace as NightPace
from formats.continuous.state import FlowState, moment_of
from formats.forecast.brackets import StageEstimate
from formats.forecast.counts import NONE, Count, lives_runs
from formats.forecast.durations import MEAN_SHARE, player_tempo, shares
from formats.forecast.finish_times import MAX_RUNS, MIN_RUNS, NORMAL, OVERDUE, Finish, Pace, remaining_share
from formats.plans import lengths_of
from formats.settings import LIVES, StageSettings

NIGHTS, NIGHTS_OF_MANY, MANY = 12, 4, 40
"""Simulated nights; fewer for fields of more than `MANY`, whose nights take longer and differ less."""
MATCHES_IN_ALL_NIGHTS = 1_000
PUBLISHED_AFTER = 3.0
"""Minutes from the last result of a round to the next round."""


@dataclass(frozen=True, slots=True)
class WaitComparison:
    """The mean minutes that a player waits in all, and when the stage is over."""

    wait: float
    finish: Finish


@lru_cache(maxsize=256)
def night_of(
    settings: StageSettings,
    players: int,
    tables: int,
    length: int,
    pace: NightPace,
    switch_after: float | None = None,
) -> NightForecast:
    """Return what to expect of a stage without rounds, whose bracket is drawn after `switch_after` minutes at most."""
    runs = NIGHTS if players <= MANY else NIGHTS_OF_MANY
    return forecast_night(settings, players, tables, length=length, pace=pace, runs=runs, switch_after=switch_after)


def night_before_bracket(
    settings: StageSettings, players: int, default_lengths: Sequence[int], pace: Pace, starts: datetime | None
) -> NightForecast | None:
    """Return what to expect of a stage whose bracket a clock draws; None of any other stage.

    `starts` is in the zone of the event.
    """
    if not settings.is_continuous or not settings.switch_time or starts is None or starts.tzinfo is None:
        return None
    moment = moment_of(settings.switch_time, starts, starts.tzinfo)
    assert moment is not None  # noqa: S101, it has a time
    minutes = (moment - starts).total_seconds() / 60
    length = _length(settings, default_lengths)
    return night_of(settings, players, pace.tables, length, _night_pace(pace), minutes)


def without_rounds(
    estimates: Sequence[StageEstimate],
    stages: Sequence[StageSettings],
    players: int,
    default_lengths: Sequence[int],
    pace: Pace,
    night: NightForecast | None = None,
) -> list[StageEstimate]:
    """Return the estimates with the times of a first stage without rounds; those after it are moved accordingly.

    `night` is what is known of the first stage.
    """
    first, *later = estimates
    if not stages[0].is_continuous or first.finish is None:
        return list(estimates)
    if night is None:
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
) -> tuple[WaitComparison, WaitComparison]:
    """Return a stage in rounds and the same stage without; a Swiss needs a number of rounds."""
    length, own = _length(settings, default_lengths), _night_pace(pace)
    night = night_of(settings, players, pace.tables, length, own)
    rounds = _in_rounds(settings, players, pace.tables, length, own)
    return rounds, WaitComparison(night.wait, Finish(night.end, night.latest))


@lru_cache(maxsize=256)
def _in_rounds(settings: StageSettings, players: int, tables: int, length: int, pace: NightPace) -> WaitComparison:
    chance = Random(f"{players}:{tables}:{length}")  # noqa: S311, a forecast
    if settings.format == LIVES:
        courses: Sequence[Sequence[int]] = [run.entrants for run in lives_runs(players, settings.lives)]
    else:
        courses = [[players] * (settings.rounds or 1)]
    nights = [_round_by_round(courses[number % len(courses)], tables, length, pace, chance) for number in range(NIGHTS)]
    ends = sorted(end for _wait, end in nights)
    wait = sum(wait for wait, _end in nights) / len(nights) / players
    return WaitComparison(wait, Finish(ends[len(ends) // 2], ends[-1 - len(ends) // 10]))


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


# A night that is being played.


@dataclass(frozen=True, slots=True)
class Running:
    """A match in progress: the minutes played at its table, None before its first roll, and its running score."""

    number: int
    length: int
    played: float | None = None
    score: tuple[int, int] | None = None

    def left(self, minutes_per_point: float, walk: float, chance: Random) -> float:
        """Draw the minutes that it still takes."""
        full = self.length * minutes_per_point
        if self.score is not None and any(self.score):
            away, opponent_away = (max(self.length - points, 0) for points in self.score)
            share = remaining_share(away, opponent_away, self.length)
            return full * share * chance.choice(shares(max(1, round(self.length * share))))
        if self.played is None:
            return walk + full * chance.choice(shares(self.length))
        longer = [share for share in shares(self.length) if full * share > self.played]
        return full * chance.choice(longer) - self.played if longer else full * OVERDUE * chance.random()


def rest_of_night(
    state: FlowState, running: Sequence[Running], *, now: datetime, length: int, pace: Pace
) -> tuple[tuple[float, ...], int]:
    """Return when a stage without rounds is over, in minutes from now, in nights from the quickest to the slowest.

    The other figure is how many entries are then in the bracket that follows, in most nights; 0 if none follows. Each
    night is played to its end by the rule of the stage, at all tables of the pace; `length` is that of the matches to
    come. Equal facts within the same minute give an equal answer, without playing the nights again.
    """
    met = tuple(sorted((tuple(sorted(pair)), places) for pair, places in state.met.items()))
    key = replace(state, met=_HashableMeetings(met))
    return _rest_of_night(key, tuple(running), now, length, pace)


class _HashableMeetings(dict[frozenset[int], tuple[int, ...]]):
    """The meetings of a state in a form that can be a part of the key of a cache."""

    def __init__(self, rows: Sequence[tuple[Sequence[int], tuple[int, ...]]]) -> None:
        super().__init__((frozenset(pair), places) for pair, places in rows)
        self._hash = hash(tuple(rows))

    def __hash__(self) -> int:  # type: ignore[override]
        return self._hash


@lru_cache(maxsize=16)
def _rest_of_night(
    state: FlowState, running: Sequence[Running], now: datetime, length: int, pace: Pace
) -> tuple[tuple[float, ...], int]:
    own = _night_pace(pace)
    share = 1 if state.settings.format == LIVES else 2
    matches = sum(player.left for player in state.players) // share
    runs = min(MAX_RUNS, max(MIN_RUNS, MATCHES_IN_ALL_NIGHTS // max(1, matches)))
    ends, going_on = [], []
    for number in range(runs):
        chance = Random(number)  # noqa: S311, a forecast
        evening = math.exp(pace.uncertainty * NORMAL.inv_cdf((number + 0.5) / runs))
        people = EveningField({player.entry: player_tempo(chance) for player in state.players})
        night = SimulatedEvening.from_state(
            state,
            now=now,
            running={match.number: match.left(pace.minutes_per_point * evening, own.walk, chance) for match in running},
            tables=pace.tables,
            people=people,
            chance=chance,
            pace=replace(own, a_point=own.a_point * evening),
            length=length,
        )
        played = night.play()
        ends.append(pace.paused + played.end)
        going_on.append(played.switched or 0)
    return tuple(ends), median_low(going_on)
