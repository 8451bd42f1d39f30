"""The script that checks pairings without rounds, on nights of the rule and on nights that were tampered with."""

import copy
import hashlib
import runpy
from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from formats.continuous.rule import ALGORITHM
from formats.continuous.safety import Remaining, unplayed
from formats.swiss.pairing import best_matching
from tests.formats.cast import SEED
from tests.formats.test_continuous import Night, lives, swiss

VERIFY = Path(__file__).resolve().parents[2] / "verify/verify_pairings.py"


class Recorded(Night):
    """A night that writes down what the site publishes of it."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.forbidden.clear()
        self.events = []

    def make(self, decision):
        pool = [
            [entry, self.left[entry], self.begun[entry], self.time(self.joins[entry]).isoformat()]
            for entry in decision.pool
        ]
        left_out = [[entry, code] for entry, (code, _) in decision.waits.items() if entry not in decision.pool]
        room, first = self.tables - len(self.playing), self.pairings + 1
        super().make(decision)
        self.events.append({
            "kind": "batch", "number": sum(event["kind"] == "batch" for event in self.events) + 1,
            "at": self.time(self.at).isoformat(), "forced": False, "reason": "", "room": room, "private": False,
            "pool": pool, "left_out": left_out, "missed": list(decision.missed), "byes": list(decision.byes),
            "rule": {"lead": self.settings.lead, "leader": str(self.settings.leader)},
            "pairs": [
                {"match": number, "entries": [pair.first, pair.second], "manual": False, "reason": ""}
                for number, pair in enumerate(decision.pairs, start=first)
            ],
        })  # fmt: skip

    def finish_next(self):
        before, (number, pair, _end) = dict(self.points), min(self.playing, key=lambda row: row[2])
        super().finish_next()
        losers = [entry for entry in pair if self.points[entry] == before.get(entry, 0)]
        self.events.append({"kind": "result", "match": number, "losers": losers})

    @property
    def data(self):
        settings = self.settings
        return {
            "algorithm": ALGORITHM,
            "format": self.settings.format,
            "seed": SEED.hex(),
            "seed_hash": hashlib.sha256(SEED).hexdigest(),
            "commitment": 1,
            "settings": {
                "lives": settings.lives,
                "rounds": settings.rounds,
                "lead": settings.lead,
                "leader": str(settings.leader),
            },
            "entries": [{"number": entry, "club": None, "late": False} for entry in self.left],
            "events": self.events,
        }


def verify(data):
    return runpy.run_path(str(VERIFY))["verify"](data)


@pytest.fixture(scope="module")
def data():
    night = Recorded(5, 14, tables=5, settings=lives(window=1))
    night.play(disturb=True)
    return night.data


def test_the_cheapest_pairs_are_those_of_another_matching():
    script = runpy.run_path(str(VERIFY))
    chance, seen = Random(6), Counter()
    for number in range(250):
        size, share, most = chance.randint(2, 24), chance.choice([0.2, 0.5, 1]), chance.choice([2, 5, 1000])
        pairs = [pair for pair in combinations(range(size), 2) if chance.random() < share]
        costs = {pair: (chance.randrange(most), chance.randrange(9)) for pair in pairs}
        edges = [(*pair, (1 << 64) - script["weight"](cost)) for pair, cost in costs.items()]
        best, found = best_matching(size, edges), script["cheapest_pairs"](costs)
        assert len(found) == len(best) == len({entry for pair in found for entry in pair}) / 2, number
        assert script["total"](found, costs) == script["total"](best, costs), number
        seen[2 * len(best) == size] += 1
    assert min(seen[True], seen[False]) > 50


def test_a_large_batch_that_no_exchange_makes_better_is_noticed():
    """Without rounds, 24 players may all meet at first, and the lots decide."""
    night = Recorded(3, 24, tables=12, settings=lives())
    night.make(night.decide())
    costs = runpy.run_path(str(VERIFY))["Night"](night.data).costs(night.events[0], SEED)
    changed, pairs, chance = copy.deepcopy(night.data), list(night.log), Random(4)
    while is_better := sum(costs[pair][-1] for pair in pairs) <= sum(costs[pair][-1] for pair in night.log):
        order = chance.sample(range(1, 25), 24)
        pairs = [tuple(sorted(order[at : at + 2])) for at in range(0, 24, 2)]
        while is_better:
            is_better = False
            for (a, b), (c, d) in combinations(pairs, 2):
                old = costs[a, b][-1] + costs[c, d][-1]
                for new in (((a, c), (b, d)), ((a, d), (b, c))):
                    one, other = (tuple(sorted(pair)) for pair in new)
                    if not is_better and costs[one][-1] + costs[other][-1] < old:
                        pairs = [*(pair for pair in pairs if pair not in ((a, b), (c, d))), one, other]
                        is_better = True
    order = sorted(pairs, key=lambda pair: costs[pair][-1])
    for pair, made in zip(order, batches(changed)[0]["pairs"], strict=True):
        made["entries"] = list(pair)
    assert verify(changed)[0] == ["Batch 1 is not one of least cost."]
    assert verify(night.data) == ([], 0)


def batches(data):
    return [event for event in data["events"] if event["kind"] == "batch"]


@pytest.mark.parametrize("seed", range(6))
def test_nights_of_the_rule_are_confirmed(seed):
    night = Recorded(seed, 9 + seed, tables=4, settings=lives(lives=2 + seed % 2, lead=1 + seed % 2))
    night.play(disturb=True)
    assert len(batches(night.data)) > 5
    assert verify(night.data) == ([], 0)


def test_a_swapped_pair_is_noticed(data):
    changed = copy.deepcopy(data)
    first, second = batches(changed)[0]["pairs"][:2]
    first["entries"][1], second["entries"][1] = second["entries"][1], first["entries"][1]
    assert "Batch 1 is not one of least cost." in verify(changed)[0]


def test_another_seed_is_noticed(data):
    other = bytes(reversed(SEED))
    changed = {**data, "seed": other.hex()}
    assert verify(changed)[0][0] == "The seed does not match the hash that was shown before the first batch."
    moved = {**changed, "seed_hash": hashlib.sha256(other).hexdigest()}
    assert "Batch 1 is not one of least cost." in verify(moved)[0]


def test_an_early_batch_needs_a_reason(data):
    changed = copy.deepcopy(data)
    batches(changed)[2]["forced"] = True
    assert verify(changed)[0] == ["Batch 3 was made early without a reason."]
    batches(changed)[2]["reason"] = "The bar closes."
    assert verify(changed)[0] == []


def test_whoever_was_free_and_left_out_is_noticed(data):
    changed = copy.deepcopy(data)
    first = batches(changed)[0]
    entry = first["pairs"][0]["entries"][0]
    first["pool"] = [row for row in first["pool"] if row[0] != entry]
    first["pairs"] = first["pairs"][1:]
    assert f"Batch 1: entry {entry} was free and left out without a reason." in verify(changed)[0]


def test_what_is_private_is_counted(data):
    changed = copy.deepcopy(data)
    batches(changed)[0]["private"] = True
    assert verify(changed) == ([], 1)


def test_the_club_s_list_has_the_hash_before_the_first_batch(data):
    in_list = runpy.run_path(str(VERIFY))["verify_in_list"]
    row = {"number": 1, "seed_hash": data["seed_hash"], "at": "2026-11-25T19:00:00Z"}
    assert in_list(data, [row]) == []
    assert in_list(data, [{**row, "at": "2026-11-25T21:00:00Z"}]) == ["Line 1 was entered after the first batch."]
    assert in_list(data, []) == ["The list has no line 1."]


# A Swiss.


def played_swiss(seed, players, matches, **options):
    night = Recorded(seed, players, tables=players // 2, settings=replace(swiss(matches), **options))
    night.play()
    return night.data


@pytest.mark.parametrize(
    ("players", "matches", "options"),
    [(5, 3, {}), (6, 4, {}), (7, 5, {}), (8, 5, {"lead": 1}), (9, 4, {}), (13, 4, {}), (13, 5, {}), (19, 3, {})],
)
@pytest.mark.parametrize("seed", range(3))
def test_nights_of_a_swiss_are_confirmed(seed, players, matches, options):
    data = played_swiss(seed, players, matches, **options)
    assert len(batches(data)) > matches
    assert sum(len(batch["byes"]) for batch in batches(data)) == players * matches % 2
    assert verify(data) == ([], 0)


def test_the_matches_that_stay_unplayed_are_counted_as_by_the_rule():
    count = runpy.run_path(str(VERIFY))["unplayed"]
    chance, seen = Random(12), Counter()
    for _ in range(400):
        left = {entry: chance.randint(0, 4) for entry in range(1, chance.randint(4, 13))}
        pairs = list(combinations(left, 2))
        closed = frozenset(map(frozenset, chance.sample(pairs, int(len(pairs) * chance.random()))))
        expected = unplayed(Remaining(left, closed))
        assert count(left, closed) == expected, (left, closed)
        seen[min(expected, 3)] += 1
    assert min(seen[fewest] for fewest in range(4)) > 20


def test_the_graph_decides_where_a_simple_plan_fails():
    script = runpy.run_path(str(VERIFY))
    globals_of_script = script["unplayed"].__globals__
    simple, needed = globals_of_script["simple_plan"], Counter()

    def noted(most, others):
        plan = simple(most, others)
        needed[2 * len(plan) < sum(most.values()) - 1] += 1
        return plan

    globals_of_script["simple_plan"] = noted
    chance = Random(13)
    for _ in range(300):
        left = {entry: chance.randint(1, 3) for entry in range(1, 9)}
        closed = frozenset(map(frozenset, chance.sample(list(combinations(left, 2)), 18)))
        assert script["unplayed"](left, closed) == unplayed(Remaining(left, closed))
    assert needed[True] > 50


def other_pairs(data, wanted):
    """Yield copies of the data in which a batch has two pairs exchanged, as far as `wanted` says of the new costs."""
    night = runpy.run_path(str(VERIFY))["Night"](data)
    for at, event in enumerate(data["events"]):
        if event["kind"] == "batch":
            costs = night.costs(event, SEED)
            for one, other in combinations(range(len(event["pairs"])), 2):
                (a, b), (c, d) = (sorted(event["pairs"][index]["entries"]) for index in (one, other))
                for new in (((a, c), (b, d)), ((a, d), (b, c))):
                    old, new = [(a, b), (c, d)], [tuple(sorted(pair)) for pair in new]
                    if wanted(night, old, new, costs):
                        changed = copy.deepcopy(data)
                        for index, pair in zip((one, other), new, strict=True):
                            changed["events"][at]["pairs"][index]["entries"] = list(pair)
                        yield event["number"], changed
        night.take(event)


def dearer_by(place):
    """Whether new pairs cost the same up to this place of the costs, and more there."""

    def wanted(_night, old, new, costs):
        if not all(pair in costs for pair in new):
            return False
        before, after = ([sum(column) for column in zip(*map(costs.get, pairs), strict=True)] for pairs in (old, new))
        return before[:place] == after[:place] and before[place] < after[place]

    return wanted


@pytest.fixture(scope="module")
def swiss_data():
    return played_swiss(4, 13, 5)


def test_a_swapped_pair_of_a_swiss_is_noticed(swiss_data):
    first, second = batches(swiss_data)[0]["pairs"][:2]
    changed = copy.deepcopy(swiss_data)
    pairs = batches(changed)[0]["pairs"]
    pairs[0]["entries"][1], pairs[1]["entries"][1] = second["entries"][1], first["entries"][1]
    assert verify(changed)[0][0] == "Batch 1 is not one of least cost."


@pytest.mark.slow
def test_a_pair_that_only_the_lot_speaks_against_is_noticed(swiss_data):
    damaged = list(other_pairs(swiss_data, dearer_by(6)))
    assert damaged
    for number, changed in damaged:
        assert verify(changed)[0][0] in (
            f"Batch {number} is not one of least cost.",
            f"Batch {number} is not safe: after it, not everybody can play all their matches.",
        )


def test_another_seed_of_a_swiss_is_noticed(swiss_data):
    other = bytes(reversed(SEED))
    moved = {**swiss_data, "seed": other.hex(), "seed_hash": hashlib.sha256(other).hexdigest()}
    assert "Batch 1 is not one of least cost." in verify(moved)[0]


def unsafe_pairs(data):
    """Yield copies of the data in which a batch is one pair that is allowed, but leaves others without opponents."""
    night = runpy.run_path(str(VERIFY))["Night"](data)
    for at, event in enumerate(data["events"]):
        if event["kind"] == "batch" and event["pairs"]:
            for pair in night.costs(event, SEED):
                left = {entry: night.left(entry) for entry in night.still_in()}
                now, closed = Remaining(left, frozenset(night.met)), frozenset({*night.met, frozenset(pair)})
                after = Remaining({entry: count - (entry in pair) for entry, count in left.items()}, closed)
                if unplayed(after) > unplayed(now):
                    changed = copy.deepcopy(data)
                    changed["events"][at]["pairs"] = [{**event["pairs"][0], "entries": list(pair)}]
                    yield event["number"], changed
        night.take(event)


def test_a_pair_after_which_somebody_waits_in_vain_is_noticed():
    damaged = [each for seed in range(12) for each in unsafe_pairs(played_swiss(seed, 6, 4))]
    assert damaged
    for number, changed in damaged:
        sentence = f"Batch {number} is not safe: after it, not everybody can play all their matches."
        assert verify(changed)[0][0] == sentence


def test_a_second_bye_and_the_bye_of_another_are_noticed(swiss_data):
    last = batches(swiss_data)[-1]
    (bye,) = last["byes"]
    other = next(row["number"] for row in swiss_data["entries"] if row["number"] != bye)
    changed = copy.deepcopy(swiss_data)
    batches(changed)[-1]["byes"] = [bye, other]
    assert verify(changed)[0] == [f"Batch {last['number']}: entry {other} had no right to a bye."]
    batches(changed)[-1]["byes"] = []
    assert verify(changed)[0] == [f"Batch {last['number']}: entry {bye} did not get the bye."]
    early = copy.deepcopy(swiss_data)
    batches(early)[2]["byes"] = [bye]
    assert verify(early)[0][0] == f"Batch 3: entry {bye} had no right to a bye."


def test_a_forced_batch_of_a_swiss_needs_a_reason(swiss_data):
    changed = copy.deepcopy(swiss_data)
    batches(changed)[3]["forced"] = True
    assert verify(changed)[0] == ["Batch 4 was made early without a reason."]


def test_more_pairs_than_tables_are_noticed_in_a_swiss(swiss_data):
    changed = copy.deepcopy(swiss_data)
    batches(changed)[0]["room"] = 5
    assert verify(changed)[0] == ["Batch 1 has more pairs than tables."]


def test_a_longer_wait_than_there_was_is_noticed_in_a_swiss(swiss_data):
    """Who has waited long may meet anybody, so the time is checked, too."""
    changed = copy.deepcopy(swiss_data)
    later = batches(changed)[4]
    first = datetime.fromisoformat(batches(changed)[0]["at"])
    later["pool"][0][3] = (first - timedelta(minutes=1)).isoformat()
    assert f"Batch 5: entry {later['pool'][0][0]} had not waited so long." in verify(changed)[0]


def test_a_match_too_many_is_noticed_in_a_swiss(swiss_data):
    changed = copy.deepcopy(swiss_data)
    changed["settings"]["rounds"] = 4
    assert any("had 4 matches left and 0 matches." in fault for fault in verify(changed)[0])


def test_a_batch_is_checked_by_the_rule_of_its_time():
    """A director may change the lead between two batches."""
    night = Recorded(5, 14, tables=7, settings=lives(lead=1))
    night.play()
    changed = copy.deepcopy(night.data)
    changed["settings"]["lead"] = 3
    assert verify(changed) == ([], 0)
    for batch in batches(changed):
        batch["rule"]["lead"] = 3
    assert any("was not ahead of anybody" in fault for fault in verify(changed)[0])
