"""The script that checks pairings without rounds, on nights of the rule and on nights that were tampered with."""

import copy
import hashlib
import runpy
from pathlib import Path

import pytest

from tests.tournaments.formats.cast import SEED
from tests.tournaments.formats.test_continuous import Night, lives
from tournaments.formats.continuous.rule import ALGORITHM

VERIFY = Path(__file__).resolve().parents[3] / "tools/verify_pairings.py"


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
            "pool": pool, "left_out": left_out, "missed": list(decision.missed),
            "pairs": [
                {"match": number, "entries": [pair.first, pair.second], "manual": False, "reason": ""}
                for number, pair in enumerate(decision.pairs, start=first)
            ],
        })  # fmt: skip

    def finish_next(self):
        before, number = dict(self.left), min(self.playing, key=lambda row: row[2])[0]
        super().finish_next()
        losers = [entry for entry in before if self.left[entry] < before[entry]]
        self.events.append({"kind": "result", "match": number, "losers": losers})

    @property
    def data(self):
        settings = self.settings
        return {
            "algorithm": ALGORITHM,
            "format": "lives",
            "seed": SEED.hex(),
            "seed_hash": hashlib.sha256(SEED).hexdigest(),
            "commitment": 1,
            "settings": {"lives": settings.lives, "lead": settings.lead, "leader": str(settings.leader)},
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
