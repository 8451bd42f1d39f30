"""Formats for an evening: what so many players can play at so many tables before closing time. Without Django.

Each format is offered with the longest matches with which nine of ten simulated evenings end in time. A format that
uses the time is proposed before one that leaves much of it unused.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from formats.forecast.counts import Count
from formats.forecast.durations import MEAN_SHARE, MINUTES_PER_POINT
from formats.forecast.finish_times import Finish, Pace, rule_of_thumb
from formats.forecast.forecasts import Forecast, forecast_stages
from formats.settings import (
    DOUBLE,
    ELIMINATION,
    KNOCKOUT,
    LIVES,
    PLACES,
    PROGRESSIVE,
    ROUND_ROBIN,
    SWISS,
    PairingMode,
    StageSettings,
    strict,
)

RUNS = 40
"""Simulated evenings for each format: enough to choose by, not a forecast."""
SMALL_FIELD = 6
"""Up to this many players a round robin is what they like best, and with a few less they can meet twice."""
MAX_FOR_ROUND_ROBIN = 16
MAX_FOR_TWICE = 5
MAX_FOR_DOUBLE = 32
MIN_FOR_DOUBLE = 4
MAX_FOR_PLACES = 32
MIN_FOR_PLACES = 6
MIN_FOR_CONSOLATION = 4
MIN_FOR_LAST_CHANCE = 6
MIN_FOR_SWISS = 8
MIN_FOR_FLOW = 8
"""With fewer players hardly anybody suitable is ever free."""
MAX_FOR_FLOW = 64
"""A larger field is proposed no nights without rounds, which take seconds to simulate; they can be chosen."""
MIN_SWISS_ROUNDS = 3
MORE_SWISS_ROUNDS = 2
"""How many more rounds than a knockout would have are offered at most."""
ENOUGH_SWISS_ROUNDS = 5
LENGTHS = (13, 11, 9, 7, 5, 3)
MIN_MATCHES = 2
"""Matches that everybody plays in a format that is proposed first, if there is one."""
USUAL_LENGTH = 5
"""Shorter matches are chosen only if no longer ones fit."""
MIN_LENGTH_OF_ALL = 1
"""Only where nothing longer is over in time."""
HOPELESS = 1.25
WELL_USED = 0.75
"""Share of the time that a proposed format takes at least, if any format does."""
MAX_CHANGE = 12
"""Points by which the match lengths of a format are changed at most to fit another evening."""

Stages = tuple[StageSettings, ...]


@dataclass(frozen=True, slots=True)
class FormatProposal:
    """A format with its match length in the main draw, when it is over (minutes after the start), and for how many.

    `name` is that of its preset; `matches_each` are the fewest and the most matches of one player.
    """

    name: str
    stages: Stages
    length: int
    finish: Finish
    matches_each: Count
    in_time: bool


def propose_format(players: int, tables: int, minutes: float) -> FormatProposal:
    """Return the format for this many players and tables that is over within `minutes`; the fastest one if none is.

    >>> proposal = propose_format(16, 8, 300)
    >>> proposal.stages[0].format, proposal.length, proposal.in_time
    ('progressive', 5, True)
    """
    return propose_formats(players, tables, minutes)[0]


@lru_cache(maxsize=256)
def propose_formats(players: int, tables: int, minutes: float, *, at_stake: bool = False) -> tuple[FormatProposal, ...]:
    """Return a proposal for each format, first the one to choose, then the others that fit, then those too long.

    Where a fee or a prize is `at_stake`, what is proposed without rounds is strict.
    """
    formats = _formats(players, at_stake=at_stake)
    proposals = [_proposal(name, variants, players, tables, minutes) for name, variants in formats]
    fitting = [proposal for proposal in proposals if proposal.in_time]
    too_long = [proposal for proposal in proposals if not proposal.in_time]
    if not fitting:
        last_resort = _proposed("knockout", StageSettings(KNOCKOUT), MIN_LENGTH_OF_ALL, players, tables, minutes)
        others = [proposal for proposal in too_long if proposal.name != "knockout"]
        return tuple(sorted([last_resort, *others], key=lambda proposal: proposal.finish.late))
    # A format without rounds, or with a place for everybody, is offered beside the others, which stay the default.
    usual = [row for row in fitting if not row.stages[0].is_continuous and row.stages[0].format != PLACES]
    best = _best(usual or fitting, minutes)
    return (best, *(proposal for proposal in fitting if proposal is not best), *too_long)


def _best(fitting: Sequence[FormatProposal], minutes: float) -> FormatProposal:
    """Return the first format in which nobody goes home after one match, that is not hurried and uses the time.

    If none does all of this, the one that uses most of the time.
    """
    several = [proposal for proposal in fitting if proposal.matches_each.least >= MIN_MATCHES]
    unhurried = [proposal for proposal in several if proposal.length >= USUAL_LENGTH]
    well_used = [proposal for proposal in unhurried if proposal.finish.late >= WELL_USED * minutes]
    if well_used:
        return well_used[0]
    return max(unhurried or several or fitting, key=lambda proposal: proposal.finish.late)


def _formats(players: int, *, at_stake: bool) -> Iterator[tuple[str, Stages]]:
    """Yield each format with its variants, those that players like best first."""
    turns = (False, True) if players <= MAX_FOR_TWICE else (False,)
    round_robin = ("roundrobin", tuple(StageSettings(ROUND_ROBIN, twice=twice) for twice in turns))
    if 2 < players <= SMALL_FIELD:
        yield round_robin
    if players >= MIN_FOR_LAST_CHANCE:
        yield "consolation", (StageSettings(PROGRESSIVE, last_chance=""), StageSettings(PROGRESSIVE))
    elif players >= MIN_FOR_CONSOLATION:
        yield "consolation", (StageSettings(PROGRESSIVE),)
    if players >= MIN_FOR_SWISS:
        most = min(_knockout_rounds(players) + MORE_SWISS_ROUNDS, players - 1)
        rounds = range(MIN_SWISS_ROUNDS, most + 1)
        yield "swiss", tuple(StageSettings(SWISS, rounds=count) for count in rounds)
    if MIN_FOR_DOUBLE <= players <= MAX_FOR_DOUBLE:
        yield "double", (StageSettings(DOUBLE),)
    yield "knockout", (StageSettings(KNOCKOUT),)
    if MIN_FOR_FLOW <= players <= MAX_FOR_FLOW:
        flow = StageSettings(LIVES, lives=2, pairing=PairingMode.CONTINUOUS)
        yield "flow", (strict(flow) if at_stake else flow,)
    if MIN_FOR_PLACES <= players <= MAX_FOR_PLACES:
        yield "places", (StageSettings(PLACES),)
    if SMALL_FIELD < players <= MAX_FOR_ROUND_ROBIN:
        yield round_robin


def _knockout_rounds(players: int) -> int:
    return (players - 1).bit_length()


def _proposal(name: str, variants: Stages, players: int, tables: int, minutes: float) -> FormatProposal:
    """Return the variant that suits the evening best, each with the longest matches that fit."""
    offers = [_longest(name, stage, players, tables, minutes) for stage in variants]
    fitting = [offer for offer in offers if offer.in_time]
    if not fitting:
        return min(offers, key=lambda offer: offer.finish.late)
    enough = min(_knockout_rounds(players), ENOUGH_SWISS_ROUNDS)
    return max(
        fitting,
        key=lambda offer: (
            offer.length >= USUAL_LENGTH,
            (offer.stages[0].rounds or enough) >= enough,
            offer.finish.late,
        ),
    )


def _longest(name: str, stage: StageSettings, players: int, tables: int, minutes: float) -> FormatProposal:
    """Return a format with the longest matches that are over in time; with the shortest ones if none are."""
    for length in LENGTHS[:-1]:
        if not is_hopeless(stage, length, players, tables, minutes):
            proposal = _proposed(name, stage, length, players, tables, minutes)
            if proposal.in_time:
                return proposal
    return _proposed(name, stage, LENGTHS[-1], players, tables, minutes)


def _proposed(
    name: str, stage: StageSettings, length: int, players: int, tables: int, minutes: float
) -> FormatProposal:
    complete = offered(stage, length)
    forecast = forecast_evening((complete,), (length,), players, tables)
    assert forecast.finish is not None  # noqa: S101, the formats that are offered are possible for the field
    return FormatProposal(
        name, (complete,), length, forecast.finish, forecast.matches_each, forecast.finish.late <= minutes
    )


def offered(stage: StageSettings, length: int) -> StageSettings:
    """Return a stage as it is offered with this match length: each lower bracket is two points shorter."""
    if stage.format != PROGRESSIVE:
        return stage
    lower = max(LENGTHS[-1], length - 2)
    last = () if stage.last_chance is None else (max(LENGTHS[-1], lower - 2),)
    return replace(stage, lower_lengths=(lower,), last_lengths=last)


@lru_cache(maxsize=1024)
def forecast_evening(stages: Stages, lengths: tuple[int, ...], players: int, tables: int) -> Forecast:
    """Return the forecast of a format by as many simulated evenings as formats are chosen by."""
    return forecast_stages(stages, players, default_lengths=lengths, pace=Pace(tables, runs=RUNS))


def is_hopeless(stage: StageSettings, length: int, players: int, tables: int, minutes: float) -> bool:
    """Whether a format takes far too long, so that it need not be simulated."""
    if stage.format in ELIMINATION:
        rounds = _knockout_rounds(players)
        matches = players // 2 * (rounds - 1) if stage.format == PLACES else players - 1
    elif stage.format == LIVES:
        rounds, matches = 0, players * stage.lives - 1
    else:
        rounds = stage.rounds or (players - 1) * (2 if stage.twice else 1)
        matches = rounds * (players // 2)
    at_tables = matches * length * MINUTES_PER_POINT * MEAN_SHARE / tables
    in_rounds = rule_of_thumb(rounds, [length]) if stage.format in ELIMINATION else 0.0
    return max(at_tables, in_rounds) > HOPELESS * minutes


# Changing the match lengths of a format so that it suits another evening.


def fit_lengths(
    stages: Sequence[StageSettings], lengths: Sequence[int], players: int, tables: int, minutes: float
) -> tuple[Stages, tuple[int, ...]]:
    """Return a format, and the lengths of its division, with the longest matches that are over within `minutes`.

    All lengths change by the same even number of points, to no less than 3 and no more than 13 points in the longest
    match. A format that never fits gets its shortest matches; one without a forecast, as a league, stays as it is.
    """
    changed: tuple[Stages, tuple[int, ...]] = (tuple(stages), tuple(lengths))
    for points in range(MAX_CHANGE, -MAX_CHANGE - 1, -2):
        candidate = tuple(_changed(stage, points) for stage in stages), _lengthened(lengths, points)
        if _longest_length(*candidate) > max(LENGTHS[0], _longest_length(stages, lengths)):
            continue
        finish = forecast_evening(*candidate, players, tables).finish
        if finish is None:
            return tuple(stages), tuple(lengths)
        changed = candidate
        if finish.late <= minutes:
            break
    return changed


def _changed(stage: StageSettings, points: int) -> StageSettings:
    return replace(
        stage,
        lengths=_lengthened(stage.lengths, points),
        lower_lengths=_lengthened(stage.lower_lengths, points),
        last_lengths=_lengthened(stage.last_lengths, points),
        final_lengths=_lengthened(stage.final_lengths, points),
    )


def _lengthened(lengths: Iterable[int], points: int) -> tuple[int, ...]:
    return tuple(max(min(length, LENGTHS[-1]), length + points) for length in lengths)


def _longest_length(stages: Sequence[StageSettings], lengths: Sequence[int]) -> int:
    own = (
        length
        for stage in stages
        for length in (*stage.lengths, *stage.lower_lengths, *stage.last_lengths, *stage.final_lengths)
    )
    return max([*own, *lengths])
