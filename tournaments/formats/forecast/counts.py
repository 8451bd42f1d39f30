"""How many rounds and matches a format takes that is paired round by round, before anything is played.

Results are tosses of a coin throughout. What is certain is said by `Count`; what depends on results comes from a
number of runs, equal for equal input.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from random import Random

MOST_RUNS, LEAST_RUNS = 60, 10
PLAYERS_IN_ALL_RUNS = 8000


@dataclass(frozen=True, slots=True)
class Count:
    """How many: exactly so many where both are equal, else at least and at most."""

    least: int
    most: int

    @classmethod
    def of(cls, exactly: int) -> "Count":
        """So many, no more and no less."""
        return cls(exactly, exactly)

    def __add__(self, other: "Count") -> "Count":
        return Count(self.least + other.least, self.most + other.most)

    @property
    def exact(self) -> bool:
        """Whether it does not depend on results."""
        return self.least == self.most


NONE = Count(0, 0)


def rounds_until_unbeaten(players: int) -> Mapping[int, float]:
    """Number of rounds -> chance that a Swiss of so many players has at most one unbeaten after just so many.

    The unbeaten meet each other; of an odd number one has the bye in the first round, and meets somebody beaten later.

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


def likeliest_rounds(chances: Mapping[int, float]) -> int:
    """The number of rounds that is reached or undercut half of the time."""
    sofar = 0.0
    for number in sorted(chances):
        sofar += chances[number]
        if sofar >= 0.5:
            return number
    return max(chances)


@dataclass(frozen=True, slots=True)
class LivesRun:
    """One invented event with lives: how many were still in at the start of each round."""

    entrants: tuple[int, ...]

    @property
    def matches(self) -> tuple[int, ...]:
        """Matches of each round; of an odd number one sits out."""
        return tuple(count // 2 for count in self.entrants)


@lru_cache(maxsize=64)
def lives_runs(players: int, lives: int, seed: int = 1) -> tuple[LivesRun, ...]:
    """Invented events with so many lives each, the shortest first.

    Whoever has most lives meets his like; the real pairing also looks at earlier meetings, which hardly changes how
    many rounds it takes.
    """
    count = max(LEAST_RUNS, min(MOST_RUNS, PLAYERS_IN_ALL_RUNS // max(players, 1)))
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
        left = [one for one in left if one] + resting
    return LivesRun(tuple(entrants))


def lives_matches(players: int, lives: int) -> Count:
    """Every match costs a life: all lives of all but one, and fewer than all of the last one's.

    >>> lives_matches(16, 3)
    Count(least=45, most=47)
    """
    if players < 2:
        return NONE
    return Count(lives * (players - 1), lives * players - 1)
