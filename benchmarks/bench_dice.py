"""The dice of matches played here: 10 million rolls of the scheme as dice, and what a player gains by new chains.

    python -m benchmarks.bench_dice [--rolls 10000000] [--seed 1] [--processes 2]

Matches are rolled from whole chains of both sides and the server (docs/dice.md). Chi-square tests: of the 36 rolls; of
each side's rolls; of the 30 opening rolls; and of independence between a roll and the next one, and between two rolls
of the same side. Each gives the chance that good dice look at least as odd. A control without the rule that skips bytes
of 252 and more shows what the tests notice.
"""

import argparse
import hashlib
import hmac
import os
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from itertools import pairwise
from math import erfc, sqrt
from multiprocessing import Pool
from random import Random
from time import perf_counter
from typing import NamedTuple

from engine.dice import LINKS, ChainTag, opening_roll, previous, roll

ROLLS_OF_A_MATCH = LINKS
FACES = 6
ROLLS = FACES * FACES
OPENINGS = ROLLS - FACES
CONTROL_ROLLS = 1_000_000
SUSPICIOUS = 1e-4
"""A chance below which the benchmark fails. The rolls follow from the seed, so a run that passes passes again."""
RECOMMITS, TRIES = 100_000, 100
"""New chains of the grinding player in all, and for each roll."""
Pair = tuple[int, int]


class Tally(NamedTuple):
    """Counts over matches; a roll is a number from 0 to 35."""

    rolls: Counter[int]
    sides: Counter[Pair]
    """By side and roll."""
    openings: Counter[int]
    next_rolls: Counter[Pair]
    """Of a roll and the next one."""
    own_next_rolls: Counter[Pair]
    """Of a roll and the next one of the same side."""

    @classmethod
    def total(cls, tallies: Iterable["Tally"]) -> "Tally":
        """The sum of several."""
        total = cls(Counter(), Counter(), Counter(), Counter(), Counter())
        for tally in tallies:
            for counts, more in zip(total, tally, strict=True):
                counts.update(more)
        return total


def links_of(match: str, owner: str, secret: bytes) -> list[bytes]:
    """All links of a chain, the first one first."""
    tag, link = ChainTag(match, owner), secret
    links = [link]
    for _ in range(LINKS - 1):
        link = previous(tag, link)
        links.append(link)
    return links[::-1]


def play(number: int, seed: int) -> Tally:
    """Roll one long match, in which the sides take turns, and as many openings as a chain of the server has links."""
    match = f"{seed}-{number}"
    left, right, server = (
        links_of(match, owner, hashlib.sha256(f"{match} {owner}".encode()).digest()) for owner in ("0", "1", "server")
    )
    rolls = []
    fresh, latest = iter(left), right[0]
    other = iter(right)
    next(other)
    for at in range(ROLLS_OF_A_MATCH):
        link = next(fresh)
        high, low = roll(server[at], match, at + 1, fresh=link, latest=latest)
        rolls.append((high - 1) * FACES + low - 1)
        latest, fresh, other = link, other, fresh
    sides = Counter((at % 2, each) for at, each in enumerate(rolls))
    openings: Counter[int] = Counter()
    for at in range(0, ROLLS_OF_A_MATCH, 16):
        high, low = opening_roll(server[at], f"{match} opening", at + 1, links=(left[at], right[at]))
        openings[(high - 1) * FACES + low - 1] += 1
    return Tally(
        Counter(rolls),
        sides,
        openings,
        Counter(pairwise(rolls)),
        Counter(zip(rolls, rolls[2:], strict=False)),
    )


def uniformity(counts: Mapping[int, int], cells: int) -> float:
    """The chance that a fair die gives counts as uneven as these."""
    expected = sum(counts.values()) / cells
    statistic = sum((count - expected) ** 2 for count in counts.values()) / expected
    return upper_tail(statistic + (cells - len(counts)) * expected, cells - 1)


def independence(pairs: Mapping[Pair, int]) -> float:
    """The chance that independent rolls give pairs as uneven as these, given how often each roll is first or second."""
    total = sum(pairs.values())
    firsts, seconds = Counter[int](), Counter[int]()
    for (first, second), count in pairs.items():
        firsts[first] += count
        seconds[second] += count
    statistic = 0.0
    for first, first_count in firsts.items():
        for second, second_count in seconds.items():
            expected = first_count * second_count / total
            statistic += (pairs.get((first, second), 0) - expected) ** 2 / expected
    return upper_tail(statistic, (len(firsts) - 1) * (len(seconds) - 1))


def upper_tail(statistic: float, freedom: int) -> float:
    """The chance that chi-square is at least this, by the cube-root approximation of Wilson and Hilferty."""
    spread = 2 / (9 * freedom)
    return erfc(((statistic / freedom) ** (1 / 3) - 1 + spread) / sqrt(2 * spread)) / 2


def control() -> float:
    """The uniformity of rolls from the first byte of each HMAC, whichever it is."""
    bytes_seen = Counter(hmac.digest(b"control", b"%d" % number, "sha256")[0] for number in range(CONTROL_ROLLS))
    counts: Counter[int] = Counter()
    for byte, count in bytes_seen.items():
        counts[byte % ROLLS] += count
    return uniformity(counts, ROLLS)


def pips(dice: tuple[int, int]) -> int:
    """What a roll is worth."""
    return 4 * dice[0] if dice[0] == dice[1] else sum(dice)


def grind(seed: int) -> tuple[float, float]:
    """Mean pips of a player who runs the server and makes new chains until the next roll looks best.

    First where the chain serves at once, which is marked weak; then where the opponent reveals a link before, which is
    the rule.
    """
    chance = Random(seed)  # noqa: S311, repeatable
    at_once, by_the_rule = 0, 0
    for number in range(1, RECOMMITS // TRIES + 1):
        server, latest, fresh = (chance.randbytes(32) for _ in range(3))
        # The first link of a chain looks like any other 32 bytes; chains of 4,096 links would only take longer.
        links = [chance.randbytes(32) for _ in range(TRIES)]
        best = max(links, key=lambda link: pips(roll(server, "grinding", number, fresh=link, latest=latest)))
        at_once += pips(roll(server, "grinding", number, fresh=best, latest=latest))
        by_the_rule += pips(roll(server, "grinding", number, fresh=best, latest=fresh))
    return at_once * TRIES / RECOMMITS, by_the_rule * TRIES / RECOMMITS


def main() -> int:
    """Measure and print; 1 if the dice look odd."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rolls", type=int, default=10_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    options = parser.parse_args()
    matches = -(-options.rolls // ROLLS_OF_A_MATCH)
    begun = perf_counter()
    with Pool(options.processes) as pool:
        tally = Tally.total(pool.imap_unordered(partial(play, seed=options.seed), range(matches), chunksize=8))
    seconds = perf_counter() - begun
    rolled = sum(tally.rolls.values())
    print(
        f"{rolled:,} rolls in {matches:,} matches, {rolled / seconds:,.0f} a second with {options.processes} processes"
    )
    chances = {
        "the 36 rolls": uniformity(tally.rolls, ROLLS),
        "rolls of side 0": uniformity({each: count for (side, each), count in tally.sides.items() if not side}, ROLLS),
        "rolls of side 1": uniformity({each: count for (side, each), count in tally.sides.items() if side}, ROLLS),
        f"the 30 opening rolls ({sum(tally.openings.values()):,})": uniformity(tally.openings, OPENINGS),
        "a roll and the next": independence(tally.next_rolls),
        "a roll and the next of the same side": independence(tally.own_next_rolls),
    }
    print("\nchi-square of                            chance")
    for name, chance in chances.items():
        print(f"{name:40}{chance:8.4f}")
    biased = control()
    print(f"control: no bytes skipped, {CONTROL_ROLLS:,} rolls {biased:.1e}")
    at_once, by_the_rule = grind(options.seed)
    print(f"\n{RECOMMITS:,} new chains of a player who runs the server, {TRIES} for each roll; pips a roll")
    print(f"no gain {49 / 6:.2f}, chain used at once (marked weak) {at_once:.2f}, by the rule {by_the_rule:.2f}")
    # The spread of the pips of a roll is 4.30.
    no_gain = abs(by_the_rule - 49 / 6) < 4 * 4.30 / sqrt(RECOMMITS / TRIES)
    return 0 if min(chances.values()) > SUSPICIOUS > biased and no_gain else 1


if __name__ == "__main__":
    sys.exit(main())
