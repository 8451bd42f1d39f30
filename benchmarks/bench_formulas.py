"""Whether the comparison of rating formulas recognises the one that generated matches follow, and what it costs.

Each formula generates matches whose every result has the chance that the formula gives at that moment, and matches
between players of fixed strengths by its chance alone. It is recognised if it is named best, or is within the listed
uncertainty. With fixed strengths, formulas of the same chance differ in how fast they learn; the best may be another.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from time import process_time

from formats.glicko2 import Rated, after_period, expected_score
from formats.rating_comparison import Comparison, compare_families
from formats.ratings import FAMILIES, RatedMatch, k_factor, win_probability

MATCHES = 20_000
RUNS = 5
PLAYERS = 60
OF_WEEK = 80
LENGTHS = (3, 5, 7, 9, 11)
MONDAY = datetime(2020, 1, 6, tzinfo=UTC)


def of_formula(family: str, rng: Random) -> Iterator[RatedMatch]:
    """Yield matches that follow the running ratings of a formula."""
    settings = FAMILIES[family]
    known = dict.fromkeys(range(PLAYERS), (settings.start_rating, 0))
    for number in range(MATCHES):
        first, second = rng.sample(range(PLAYERS), 2)
        length = rng.choice(LENGTHS)
        first_wins = rng.random() < win_probability(known[first][0], known[second][0], length, settings.formula)
        winner, loser = (first, second) if first_wins else (second, first)
        lost = win_probability(known[loser][0], known[winner][0], length, settings.formula)
        stake = settings.formula.stake_of(length) * lost
        for player, sign in ((winner, 1), (loser, -1)):
            rating, experience = known[player]
            change = sign * stake * k_factor(experience, length, settings.ramp)
            known[player] = rating + change, experience + length
        yield RatedMatch(MONDAY + timedelta(hours=number), number, winner, loser, length)


def of_glicko2(rng: Random) -> Iterator[RatedMatch]:
    """Yield matches that follow the ratings and deviations before their week."""
    known = dict.fromkeys(range(PLAYERS), Rated())
    results: dict[int, list[tuple[Rated, float]]] = {}
    for number in range(MATCHES):
        week, minute = divmod(number, OF_WEEK)
        if not minute:
            known = {player: after_period(rated, results.get(player, [])) for player, rated in known.items()}
            results = {}
        first, second = rng.sample(range(PLAYERS), 2)
        first_wins = rng.random() < expected_score(known[first], known[second])
        winner, loser = (first, second) if first_wins else (second, first)
        results.setdefault(winner, []).append((known[loser], 1.0))
        results.setdefault(loser, []).append((known[winner], 0.0))
        at = MONDAY + timedelta(weeks=week, minutes=minute)
        yield RatedMatch(at, number, winner, loser, rng.choice(LENGTHS))


def of_strengths(family: str, rng: Random) -> Iterator[RatedMatch]:
    """Yield matches between players of fixed strengths, with the chance of a formula."""
    formula = FAMILIES[family].formula
    strengths = [rng.gauss(0, formula.scale / 16) for _ in range(PLAYERS)]
    for number in range(MATCHES):
        first, second = rng.sample(range(PLAYERS), 2)
        length = rng.choice(LENGTHS)
        first_wins = rng.random() < win_probability(strengths[first], strengths[second], length, formula)
        winner, loser = (first, second) if first_wins else (second, first)
        yield RatedMatch(MONDAY + timedelta(hours=number), number, winner, loser, length)


def recognised(comparison: Comparison | None, family: str) -> str:
    """Return `named`, `listed` or `missed`, with the formulas that may be as good as the best."""
    assert comparison is not None  # noqa: S101 - there are enough matches
    as_good = [row.family for row in comparison.predictions if row.is_as_good]
    how = "named" if comparison.predictions[0].family == family else "listed" if family in as_good else "missed"
    return f"{how:7} {', '.join(as_good)}"


def main() -> None:
    """Compare the formulas on matches of each."""
    for family in FAMILIES:
        for run in range(RUNS):
            rng = Random(f"{family} {run}")  # noqa: S311 - invented results
            matches = list(of_glicko2(rng) if family == "glicko2" else of_formula(family, rng))
            began = process_time()
            print(f"{family:14} own ratings  {recognised(compare_families(matches), family)}", end="")
            print(f"  ({process_time() - began:.1f} s of CPU)")
        if family != "glicko2":
            matches = list(of_strengths(family, Random(f"strengths {family}")))  # noqa: S311 - invented results
            print(f"{family:14} strengths    {recognised(compare_families(matches), family)}")


if __name__ == "__main__":
    main()
