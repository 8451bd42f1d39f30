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
from typing import Any, NamedTuple

from engine.dice import LINKS, ChainTag, opening_roll, previous, roll
from verify.verify_dice import Verifier

ROLLS_OF_A_MATCH = LINKS
FACES = 6
ROLLS = FACES * FACES
OPENINGS = ROLLS - FACES
CONTROL_ROLLS = 1_000_000
SUSPICIOUS = 1e-4
"""A chance below which the benchmark fails. The rolls follow from the seed, so a run that passes passes again."""
RECOMMITS, TRIES = 100_000, 100
"""New chains of the grinding player in all, and for each roll."""
DEVICES, SWITCHED_MATCHES, SWITCHED_TURNS = 5, 50, 1_000
"""Of the operator who changes devices: they play so many turns of each match."""
FAIR = 49 / 6
"""Mean pips of fair dice."""
PIPS_SPREAD = 4.30
"""The standard deviation of the pips of a roll."""
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


def links_of(match: str, owner: str, secret: bytes, number: int = 1) -> list[bytes]:
    """All links of a chain, the first one first."""
    tag, link = ChainTag(match, owner, number), secret
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


class Operator:
    """A player who runs the server and has five devices, beside an honest opponent; both write down the proof.

    The operator knows what each device would roll as soon as the opponent has revealed a link.
    """

    def __init__(self, number: int, seed: int) -> None:
        self.match = f"switching-{seed}-{number}"
        owners = [("0", device) for device in range(1, DEVICES + 1)] + [("1", 1), ("server", 1)]
        secrets = {key: hashlib.sha256(f"{self.match} {key}".encode()).digest() for key in owners}
        self.links = {key: links_of(self.match, key[0], secrets[key], key[1]) for key in owners}
        self.used = dict.fromkeys(owners, 0)
        self.reveals = {"0": 0, "1": 0}
        self.armings: list[dict[str, Any]] = []
        self.rolls: list[dict[str, Any]] = []
        for owner, device in owners[:-1]:
            self.arm(owner, device)
        self.latest = b""
        self.seen = 0

    @property
    def export(self) -> dict[str, Any]:
        """The proof, for verify/verify_dice.py."""
        anchors = {key: previous(ChainTag(self.match, *key), links[0]).hex() for key, links in self.links.items()}
        chains = [{"owner": owner, "number": device, "anchor": anchors[owner, device]} for owner, device in anchors]
        armings = sorted(self.armings, key=lambda arming: str(arming["owner"]))
        return {"match": self.match, "chains": chains, "armings": armings, "rolls": self.rolls}

    def arm(self, owner: str, device: int) -> None:
        self.armings.append({"owner": owner, "chain": device, "own_reveals": self.reveals[owner]})

    def reveal(self, owner: str, device: int = 1) -> dict[str, Any]:
        key = (owner, device)
        link = self.links[key][self.used[key]]
        self.used[key] += 1
        data: dict[str, Any] = {"owner": owner, "chain": device, "number": self.used[key], "link": link.hex()}
        if owner == "server":
            return data
        self.reveals[owner] += 1
        return data | {"seen": sum(arming["owner"] != owner for arming in self.armings)}

    def open(self) -> None:
        self.note(None, [self.reveal("0", DEVICES), self.reveal("1")], weak=False)

    def opponents_turn(self) -> None:
        """The opponent rolls, and reveals a link with the play."""
        self.note(1, [self.reveal("1")], weak=False)
        link = self.reveal("1")
        self.rolls[-1]["play_link"] = link
        self.latest, self.seen = bytes.fromhex(link["link"]), link["seen"]

    def would_roll(self, device: int) -> Pair:
        """What a device would roll now."""
        key, number = self.links["server", 1][self.used["server", 1]], len(self.rolls) + 1
        return roll(key, self.match, number, fresh=self.links["0", device][self.used["0", device]], latest=self.latest)

    @property
    def best(self) -> int:
        """The device that would roll best now."""
        return max(range(1, DEVICES + 1), key=lambda device: pips(self.would_roll(device)))

    @property
    def in_force(self) -> int:
        """The device that rolls in full now."""
        return int([each["chain"] for each in self.armings if each["owner"] == "0"][self.seen - 1])

    def note(self, side: int | None, links: list[dict[str, Any]], *, weak: bool) -> None:
        """Write down the next roll; `latest` is the link that the opponent of `side` has revealed last."""
        server = self.reveal("server")
        key, number = bytes.fromhex(server["link"]), len(self.rolls) + 1
        fresh = bytes.fromhex(links[0]["link"])
        if side is None:
            dice = opening_roll(key, self.match, number, links=(fresh, bytes.fromhex(links[1]["link"])))
        else:
            latest = self.latest if side == 0 else bytes.fromhex(self.rolls[-1]["links"][0]["link"])
            dice = roll(key, self.match, number, fresh=fresh, latest=latest)
        entry = {"number": number, "side": side, "links": links, "server": server, "dice": list(dice), "weak": weak}
        self.rolls.append(entry)


def switch(number: int, seed: int, *, weak_too: bool) -> tuple[list[int], list[int]]:
    """Play a match in which the operator arms the device that would have rolled best, each turn.

    Return the pips of full and of weak rolls. With `weak_too` they also roll on it at once where it is not in force,
    which marks the roll weak. The proof is checked as verify/verify_dice.py does.
    """
    operator = Operator(number, seed)
    full: list[int] = []
    weak: list[int] = []
    operator.open()
    for _ in range(SWITCHED_TURNS):
        operator.opponents_turn()
        best, in_force = operator.best, operator.in_force
        device = best if weak_too else in_force
        if best != in_force:
            operator.arm("0", best)
        worth = pips(operator.would_roll(device))
        operator.note(0, [operator.reveal("0", device)], weak=device != in_force)
        (full if device == in_force else weak).append(worth)
    verifier = Verifier(operator.export)
    problems = verifier.run()
    if problems or verifier.weak != len(weak):
        raise AssertionError(problems[:3])
    return full, weak


def mean(values: list[int]) -> float:
    return sum(values) / len(values)


def switch_devices(pool: Any, seed: int) -> bool:
    """Measure and print what five devices gain an operator; return whether full rolls are fair."""
    print(f"\n{DEVICES} devices of a player who runs the server, changed as suits them; pips a roll")
    numbers = range(SWITCHED_MATCHES)
    by_the_rule = pool.map(partial(switch, seed=seed, weak_too=False), numbers)
    full = [worth for of_match, _ in by_the_rule for worth in of_match]
    print(f"armed each turn, effective after the opponent's play: {len(full):,} full rolls {mean(full):.2f}")
    weak_too = pool.map(partial(switch, seed=seed, weak_too=True), numbers)
    rest = [worth for of_match, _ in weak_too for worth in of_match]
    weak = [worth for _, of_match in weak_too for worth in of_match]
    print(
        f"rolled at once where better: {len(weak):,} rolls marked weak {mean(weak):.2f}, "
        f"{len(rest):,} kept in full {mean(rest):.2f}"
    )
    return abs(mean(full) - FAIR) < 4 * PIPS_SPREAD / sqrt(len(full))


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
    print(f"no gain {FAIR:.2f}, chain used at once (marked weak) {at_once:.2f}, by the rule {by_the_rule:.2f}")
    no_gain = abs(by_the_rule - FAIR) < 4 * PIPS_SPREAD / sqrt(RECOMMITS / TRIES)
    with Pool(options.processes) as pool:
        no_gain &= switch_devices(pool, options.seed)
    return 0 if min(chances.values()) > SUSPICIOUS > biased and no_gain else 1


if __name__ == "__main__":
    sys.exit(main())
