"""Shorter matches that let an evening finish before closing time.

Only rounds that nobody has begun are shortened, and the least important bracket first. Each way is simulated a few
times with and without the change, so the gain is rough: enough to choose by, not a forecast. Without Django.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from formats.forecast.finish_times import Pace, RemainingMatch, mean_finish

MIN_LENGTH = 3
STEP = 2
"""Lengths are odd by custom: 7, then 5, then 3 points."""
RUNS = 6
MAX_OPTIONS = 4
MIN_GAIN = 5.0
"""In minutes; less is not worth telling the players."""

RoundKey = tuple[str, int]
"""The row and the number of a round."""


@dataclass(frozen=True, slots=True)
class Shortening:
    """Rounds of a bracket that are played to fewer points. `was` is the longest of their lengths."""

    row: str
    rounds: tuple[int, ...]
    was: int
    length: int


@dataclass(frozen=True, slots=True)
class ClosingOption:
    """One way to finish earlier: what is shortened, and how many minutes earlier the evening is over."""

    shortenings: tuple[Shortening, ...]
    gain: float
    in_time: bool

    @property
    def rounds(self) -> int:
        return sum(len(shortening.rounds) for shortening in self.shortenings)


@lru_cache(maxsize=16)
def closing_options(
    matches: tuple[RemainingMatch, ...], pace: Pace, *, begun: frozenset[RoundKey], late_by: float
) -> tuple[ClosingOption, ...]:
    """Return up to four ways to gain time, those that gain `late_by` minutes first, the gentlest of them first.

    `begun` are the rounds in which something has happened; their length stays. Empty if nothing helps.
    """
    rounds = _open_rounds(matches, begun)
    before = mean_finish(matches, pace, runs=RUNS)
    options = []
    for shortenings in _candidates(rounds, _rows_by_importance(matches)):
        gain = before - mean_finish(_shortened(matches, shortenings), pace, runs=RUNS)
        if gain >= MIN_GAIN:
            options.append(ClosingOption(shortenings, gain, gain >= late_by))
    # The candidates come gentlest first, and sorting keeps that order among those that are in time.
    ordered = sorted(options, key=lambda option: (not option.in_time, 0.0 if option.in_time else -option.gain))
    return tuple(ordered[:MAX_OPTIONS])


def _open_rounds(matches: Sequence[RemainingMatch], begun: Collection[RoundKey]) -> dict[str, dict[int, int]]:
    """Return row -> number -> length of the rounds that can be shortened."""
    rounds: dict[str, dict[int, int]] = {}
    for match in matches:
        if not match.gate and (match.row, match.round) not in begun and match.length > MIN_LENGTH:
            rounds.setdefault(match.row, {})[match.round] = match.length
    return rounds


def _rows_by_importance(matches: Sequence[RemainingMatch]) -> list[str]:
    """Return the rows, the one that matters least first."""
    ranks = {match.row: match.rank for match in matches}
    return sorted(ranks, key=lambda row: (-ranks[row], row))


def _candidates(rounds: Mapping[str, Mapping[int, int]], rows: Sequence[str]) -> list[tuple[Shortening, ...]]:
    """Return what could be shortened: single brackets by 2 and by 4 points, then several together."""
    open_rows = [row for row in rows if row in rounds]
    single = [(_shorten(row, rounds[row], by),) for by in (STEP, 2 * STEP) for row in open_rows]
    together = [
        tuple(_shorten(row, rounds[row], by) for row in open_rows[:count])
        for by in (STEP, 2 * STEP)
        for count in range(2, len(open_rows) + 1)
    ]
    return list(dict.fromkeys(single + together))


def _shorten(row: str, lengths: Mapping[int, int], by: int) -> Shortening:
    longest = max(lengths.values())
    length = max(MIN_LENGTH, longest - by)
    return Shortening(row, tuple(sorted(number for number, own in lengths.items() if own > length)), longest, length)


def _shortened(matches: Sequence[RemainingMatch], shortenings: Sequence[Shortening]) -> tuple[RemainingMatch, ...]:
    lengths = {(row.row, number): row.length for row in shortenings for number in row.rounds}
    return tuple(
        match if match.gate else replace(match, length=lengths.get((match.row, match.round), match.length))
        for match in matches
    )
