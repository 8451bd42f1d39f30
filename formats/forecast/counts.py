"""How many rounds and matches a format takes that is paired round by round, before anything is played.

Every match is assumed to be even. A `Count` is certain; what depends on results is simulated, with equal output
for equal input.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random

MAX_RUNS, MIN_RUNS = 200, 10
COURSES = 60
"""The courses of a Swiss first by which the chances of its number of rounds are told apart."""
SIMILAR = 5
"""One in so many simulated events is similar enough to one in progress."""
PLAYERS_IN_ALL_RUNS = 8000


@dataclass(frozen=True, slots=True)
class Count:
    """A number that depends on results: at least `least` and at most `most`; exact if they are equal."""

    least: int
    most: int

    @classmethod
    def of(cls, exactly: int) -> "Count":
        return cls(exactly, exactly)

    def __add__(self, other: "Count") -> "Count":
        return Count(self.least + other.least, self.most + other.most)

    @property
    def exact(self) -> bool:
        """Whether it is independent of the results."""
        return self.least == self.most


NONE = Count(0, 0)


def rounds_until_unbeaten(players: int) -> Mapping[int, float]:
    """Return number of rounds -> chance that a Swiss first has at most one unbeaten player after that many rounds.

    Unbeaten players meet each other. If their number is odd, one gets the bye in the first round and in later rounds
    meets somebody who has lost.

    >>> rounds_until_unbeaten(5)
    {2: 0.5, 3: 0.5}
    """
    chances = {players // 2 + players % 2: 1.0}
    over: dict[int, float] = {}
    number = 1
    while chances:
        following: dict[int, float] = {}
        for unbeaten, chance in chances.items():
            if unbeaten <= 1:
                over[number] = over.get(number, 0.0) + chance
                continue
            half, odd = divmod(unbeaten, 2)
            for left, share in ((half, 0.5), (half + 1, 0.5)) if odd else ((half, 1.0),):
                following[left] = following.get(left, 0.0) + chance * share
        chances = following
        number += 1
    return over


def swiss_courses(
    rounds: Mapping[int, float], matches: int, played: int = 0
) -> tuple[tuple[tuple[bool, ...], ...], ...]:
    """Return by round, from the one after those `played` on, in which courses its `matches` are played.

    `rounds` are chances of a number of rounds.

    >>> swiss_courses({2: 1.0}, 1)
    (((True,),), ((True,),))
    """
    likely = {number: chance for number, chance in sorted(rounds.items()) if number >= played} or {played: 1.0}
    total = sum(likely.values())
    lasts = [last for last, chance in likely.items() for _ in range(max(1, round(COURSES * chance / total)))]
    lasts = lasts if len(likely) > 1 else lasts[:1]
    return tuple((tuple(last >= number for last in lasts),) * matches for number in range(played + 1, max(lasts) + 1))


@dataclass(frozen=True, slots=True)
class LivesRun:
    """A simulated event with lives: how many players were still in at the start of each round."""

    entrants: tuple[int, ...]

    @property
    def matches(self) -> tuple[int, ...]:
        """The matches of each round; if the number of players is odd, one sits out."""
        return tuple(count // 2 for count in self.entrants)


@lru_cache(maxsize=64)
def lives_runs(players: int, lives: int, seed: int = 1) -> tuple[LivesRun, ...]:
    """Simulate events with this many lives a player; return the shortest first.

    Players with equally many lives meet. The real pairing also avoids rematches, which hardly changes the number of
    rounds.
    """
    count = max(MIN_RUNS, min(MAX_RUNS, PLAYERS_IN_ALL_RUNS // max(players, 1)))
    runs = [_lives_run(players, lives, Random(f"{seed}:{run}")) for run in range(count)]  # noqa: S311 - a forecast
    return tuple(sorted(runs, key=lambda run: (len(run.entrants), sum(run.entrants))))


def _lives_run(players: int, lives: int, chance: Random) -> LivesRun:
    left = [lives] * players
    entrants: list[int] = []
    while len(left) > 1:
        entrants.append(len(left))
        left.sort(reverse=True)
        resting = [left.pop(chance.randrange(len(left)))] if len(left) % 2 else []
        bits = chance.getrandbits(len(left) // 2)
        for pair in range(len(left) // 2):
            left[2 * pair + (bits >> pair & 1)] -= 1
        left = [count for count in left if count] + resting
    return LivesRun(tuple(entrants))


def lives_courses(runs: Sequence[LivesRun], played: int = 0) -> tuple[tuple[tuple[bool, ...], ...], ...]:
    """Return by round, from the one after those `played` on, in which of the `runs` its matches are played."""
    longest = max(len(run.entrants) for run in runs)
    courses = []
    for at in range(played, longest):
        counts = [run.matches[at] if at < len(run.entrants) else 0 for run in runs]
        courses.append(tuple(tuple(count > match for count in counts) for match in range(max(counts))))
    return tuple(courses)


def lives_runs_like(players: int, lives: int, played: int, matches: int) -> tuple[LivesRun, ...]:
    """Return the simulated events most like one with so many `matches` in the last of the rounds `played`."""
    runs = [run for run in lives_runs(players, lives) if len(run.entrants) >= played] if played else []
    if not runs:
        return lives_runs(players, lives)[0 if not played else -1 :]
    differences = sorted(abs(run.matches[played - 1] - matches) for run in runs)
    most = differences[min(len(differences), max(MIN_RUNS, len(runs) // SIMILAR)) - 1]
    return tuple(run for run in runs if abs(run.matches[played - 1] - matches) <= most)


def lives_matches(players: int, lives: int) -> Count:
    """Return how many matches there are: each costs a life, and only one player keeps at least one.

    >>> lives_matches(16, 3)
    Count(least=45, most=47)
    """
    if players < 2:
        return NONE
    return Count(lives * (players - 1), lives * players - 1)
