"""The format for an evening: what so many players can play at so many tables before closing time. Without Django.

Formats with more and longer matches are tried first. The first one that is over in time in nine of ten simulated
evenings is proposed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from tournaments.formats.forecast.durations import MEAN_SHARE, MINUTES_PER_POINT
from tournaments.formats.forecast.finish_times import Finish, Pace, rule_of_thumb
from tournaments.formats.forecast.forecasts import forecast_stages
from tournaments.formats.settings import ELIMINATION, KNOCKOUT, PROGRESSIVE, ROUND_ROBIN, SWISS, StageSettings

RUNS = 40
"""Simulated evenings for each format: enough to choose by, not a forecast."""
LARGEST_ROUND_ROBIN = 6
FEWEST_FOR_LAST_CHANCE = 6
FEWEST_FOR_SWISS = 8
LENGTHS = (9, 7, 5, 3)
LEAST_POINTS = 3
SHORTEST_OF_ALL = 1
"""Only where nothing longer is over in time."""
HOPELESS = 1.25
SWISS_ROUNDS = (5, 4, 3)


@dataclass(frozen=True, slots=True)
class FormatProposal:
    """A format, the match length of its main draw or rounds, and when it is over, in minutes after the start."""

    stages: tuple[StageSettings, ...]
    length: int
    finish: Finish
    in_time: bool


@lru_cache(maxsize=64)
def propose_format(players: int, tables: int, minutes: float) -> FormatProposal:
    """Return the format for this many players and tables that is over within `minutes`; the fastest one if none is.

    >>> proposal = propose_format(16, 8, 300)
    >>> proposal.stages[0].format, proposal.length, proposal.in_time
    ('progressive', 5, True)
    """
    proposals: list[FormatProposal] = []
    for stage, length in _candidates(players):
        if is_hopeless(stage, length, players, tables, minutes):
            continue
        forecast = forecast_stages([stage], players, default_lengths=(length,), pace=Pace(tables, runs=RUNS))
        if forecast.finish is None:
            continue
        proposal = FormatProposal((stage,), length, forecast.finish, forecast.finish.late <= minutes)
        if proposal.in_time:
            return proposal
        proposals.append(proposal)
    return min(proposals, key=lambda proposal: proposal.finish.late)


def _candidates(players: int) -> Iterator[tuple[StageSettings, int]]:
    """Yield stages with their match length, the one that players would like best first."""
    if 2 < players <= LARGEST_ROUND_ROBIN:
        yield from ((StageSettings(ROUND_ROBIN), length) for length in LENGTHS)
    if players >= FEWEST_FOR_LAST_CHANCE:
        for length in LENGTHS[:-1]:
            yield _with_consolation(length, last_chance=True), length
    if players > 2:
        for length in LENGTHS[1:]:
            yield _with_consolation(length, last_chance=False), length
    if players >= FEWEST_FOR_SWISS:
        for rounds in SWISS_ROUNDS:
            yield from ((StageSettings(SWISS, rounds=rounds), length) for length in LENGTHS[1:])
    yield from ((StageSettings(KNOCKOUT), length) for length in (*LENGTHS, SHORTEST_OF_ALL))


def is_hopeless(stage: StageSettings, length: int, players: int, tables: int, minutes: float) -> bool:
    """Whether a format takes far too long, so that it need not be simulated."""
    if length == SHORTEST_OF_ALL:
        return False
    if stage.format in ELIMINATION:
        matches, rounds = players - 1, (players - 1).bit_length()
    else:
        rounds = stage.rounds or players - 1
        matches = rounds * (players // 2)
    at_tables = matches * length * MINUTES_PER_POINT * MEAN_SHARE / tables
    in_rounds = rule_of_thumb(rounds, [length]) if stage.format in ELIMINATION else 0.0
    return max(at_tables, in_rounds) > HOPELESS * minutes


def _with_consolation(length: int, *, last_chance: bool) -> StageSettings:
    """Return a knockout whose consolation and last chance are each two points shorter than the bracket before."""
    lower = max(LEAST_POINTS, length - 2)
    if not last_chance:
        return StageSettings(PROGRESSIVE, lower_lengths=(lower,))
    return StageSettings(
        PROGRESSIVE, lower_lengths=(lower,), last_lengths=(max(LEAST_POINTS, lower - 2),), last_chance=""
    )
