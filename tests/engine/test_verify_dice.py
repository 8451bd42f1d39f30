"""The script that checks the rolls of a finished match: it confirms honest ones and catches each kind of fraud."""

import copy
import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine.dice import Chain, ChainTag, opening_roll, roll

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "verify_dice.py"
MATCH = "k3v9w2xq7m"


class Table:
    """Bob (0), Carol (1) and the server roll; every roll is written down as an export has it."""

    def __init__(self) -> None:
        self.chains: dict[str, Chain] = {}
        self.used: dict[str, int] = {}
        self.latest: dict[str, bytes] = {}
        self.reveals = {"0": 0, "1": 0}
        self.export: dict = {"format": "barpoint-dice/1", "match": MATCH, "chains": [], "rolls": []}
        for owner in ("0", "1", "server"):
            self.commit(owner)

    def commit(self, owner: str, secret: str = "secret") -> None:
        number = 1 + sum(chain["owner"] == owner for chain in self.export["chains"])
        seed = hashlib.sha256(f"{secret} {owner} {number}".encode()).digest()
        chain = Chain.from_secret(ChainTag(MATCH, owner, number), seed)
        self.chains[owner], self.used[owner] = chain, 0
        entry = {"owner": owner, "number": number, "anchor": chain.anchor.hex()}
        if owner != "server":
            entry["opponent_reveals"] = self.reveals["1" if owner == "0" else "0"]
        self.export["chains"].append(entry)

    def reveal(self, owner: str) -> dict:
        self.used[owner] += 1
        link = self.chains[owner].link(self.used[owner])
        self.latest[owner] = link
        if owner != "server":
            self.reveals[owner] += 1
        return {"owner": owner, "chain": self.chains[owner].tag.number, "number": self.used[owner], "link": link.hex()}

    def open(self, *, weak: bool = False) -> None:
        self._note(None, [self.reveal("0"), self.reveal("1")], self.reveal("server"), weak)

    def roll(self, side: int, *, weak: bool = False) -> None:
        self._note(side, [self.reveal(str(side))], self.reveal("server"), weak)

    def _note(self, side: int | None, links: list[dict], server: dict, weak: bool) -> None:
        number, key = len(self.export["rolls"]) + 1, bytes.fromhex(server["link"])
        first = self.latest["0" if side is None else str(side)]
        second = self.latest["1" if side is None else str(1 - side)]
        if side is None:
            dice = opening_roll(key, MATCH, number, links=(first, second))
        else:
            dice = roll(key, MATCH, number, fresh=first, latest=second)
        self.export["rolls"].append(
            {"number": number, "side": side, "links": links, "server": server, "dice": list(dice), "weak": weak}
        )


@pytest.fixture
def table() -> Table:
    """Two games of twenty rolls."""
    table = Table()
    for _ in range(2):
        table.open()
        for turn in range(20):
            table.roll(turn % 2)
    return table


def verify(tmp_path: Path, export: dict, seen: dict | None = None) -> subprocess.CompletedProcess[str]:
    (tmp_path / "match.json").write_text(json.dumps(export))
    command = [sys.executable, "-I", str(SCRIPT), str(tmp_path / "match.json")]
    if seen is not None:
        (tmp_path / "seen.json").write_text(json.dumps(seen))
        command += ["--seen", str(tmp_path / "seen.json")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_honest_rolls_are_confirmed(table, tmp_path):
    done = verify(tmp_path, {"format": "barpoint-match/1", "dice": table.export})
    assert (done.returncode, done.stdout) == (0, "All 42 rolls follow from the committed chains.\n")


def altered_die(export):
    dice = export["rolls"][7]["dice"]
    dice[0] = dice[0] % 6 + 1


def altered_link(export):
    link = export["rolls"][7]["links"][0]
    link["link"] = f"{int(link['link'][0], 16) ^ 1:x}" + link["link"][1:]


def altered_server_link(export):
    export["rolls"][7]["server"]["link"] = export["rolls"][8]["server"]["link"]


def swapped_rolls(export):
    rolls = export["rolls"]
    rolls[7], rolls[9] = rolls[9], rolls[7]
    rolls[7]["number"], rolls[9]["number"] = 8, 10


def left_out_roll(export):
    del export["rolls"][7]


def link_of_the_other_side(export):
    export["rolls"][7]["links"] = copy.deepcopy(export["rolls"][8]["links"])


def uncommitted_chain(export):
    export["chains"] = [chain for chain in export["chains"] if chain["owner"] != "1"]


@pytest.mark.parametrize(
    "fraud",
    [
        altered_die,
        altered_link,
        altered_server_link,
        swapped_rolls,
        left_out_roll,
        link_of_the_other_side,
        uncommitted_chain,
    ],
)
def test_every_fraud_is_caught(fraud, table, tmp_path):
    export = copy.deepcopy(table.export)
    fraud(export)
    done = verify(tmp_path, export)
    assert done.returncode == 1, done
    assert "Roll" in done.stdout


def test_a_chain_committed_again_after_the_fact_is_caught_by_an_earlier_export(table, tmp_path):
    """By itself the new export is consistent: that is why players keep an early copy."""
    seen = {**table.export, "rolls": table.export["rolls"][:1]}
    other = Table()
    other.export["chains"].clear()
    for owner in ("0", "1", "server"):
        other.commit(owner, "chosen later")
    other.open()
    other.roll(0)
    assert verify(tmp_path, other.export).returncode == 0
    done = verify(tmp_path, other.export, seen)
    assert done.returncode == 1
    assert "exchanged" in done.stdout


def test_a_new_chain_serves_once_the_opponent_has_revealed_a_link(table, tmp_path):
    table.commit("0")
    table.roll(1)
    table.roll(0)
    assert verify(tmp_path, table.export).returncode == 0


def test_a_new_chain_used_at_once_must_be_marked_weak(table, tmp_path):
    table.roll(0)
    table.commit("1")
    table.roll(1, weak=True)
    done = verify(tmp_path, table.export)
    assert (done.returncode, done.stdout) == (
        0,
        "All 44 rolls follow from the committed chains, 1 of them marked weak.\n",
    )
    table.export["rolls"][-1]["weak"] = False
    assert "too early" in verify(tmp_path, table.export).stdout


@pytest.mark.parametrize("text", ["{}", "[]", "nonsense", '{"format": "barpoint-dice/1"}'])
def test_a_file_that_is_no_export_is_named_as_such(text, tmp_path):
    (tmp_path / "match.json").write_text(text)
    done = subprocess.run(
        [sys.executable, "-I", str(SCRIPT), str(tmp_path / "match.json")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "Cannot read" in done.stderr


def test_an_opening_with_a_chain_chosen_after_the_other_link_must_be_marked_weak(table, tmp_path):
    table.commit("1", secret="chosen")
    table.open()
    assert verify(tmp_path, table.export).returncode == 0, "Bob's link came after it"
    # Carol commits when Bob is ready already, so that his link of this opening counts as known.
    table.commit("1", secret="chosen")
    table.export["chains"][-1]["opponent_reveals"] += 1
    table.open(weak=True)
    assert verify(tmp_path, table.export).returncode == 0
    table.export["rolls"][-1]["weak"] = False
    done = verify(tmp_path, table.export)
    assert (done.returncode, "not marked weak" in done.stdout) == (1, True)
