"""The script that checks the rolls of a finished match: it confirms honest ones and catches each kind of fraud."""

import copy
import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine.dice import Chain, ChainTag, opening_roll, roll

SCRIPT = Path(__file__).resolve().parents[2] / "verify" / "verify_dice.py"
MATCH = "k3v9w2xq7m"


class Table:
    """Bob (0), Carol (1) and the server roll; every roll is written down as an export has it."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, int], Chain] = {}
        self.used: dict[tuple[str, int], int] = {}
        self.current: dict[str, int] = {}
        self.latest: dict[str, bytes] = {}
        self.reveals = {"0": 0, "1": 0}
        self.export: dict = {"format": "barpoint-dice/2", "match": MATCH, "chains": [], "armings": [], "rolls": []}
        for owner in ("0", "1", "server"):
            self.commit(owner)

    def commit(self, owner: str, secret: str = "secret") -> None:
        number = 1 + sum(chain["owner"] == owner for chain in self.export["chains"])
        seed = hashlib.sha256(f"{secret} {owner} {number}".encode()).digest()
        chain = Chain.from_secret(ChainTag(MATCH, owner, number), seed)
        self.kept[owner, number], self.used[owner, number] = chain, 0
        self.current[owner] = number
        self.export["chains"].append({"owner": owner, "number": number, "anchor": chain.anchor.hex()})
        if owner != "server":
            self.arm(owner, number)

    def arm(self, owner: str, number: int) -> None:
        self.current[owner] = number
        theirs = self.reveals["1" if owner == "0" else "0"]
        self.export["armings"].append(
            {"owner": owner, "chain": number, "own_reveals": self.reveals[owner], "opponent_reveals": theirs}
        )

    def reveal(self, owner: str) -> dict:
        key = (owner, self.current[owner])
        self.used[key] += 1
        link = self.kept[key].link(self.used[key])
        self.latest[owner] = link
        data = {"owner": owner, "chain": key[1], "number": self.used[key], "link": link.hex()}
        if owner == "server":
            return data
        self.reveals[owner] += 1
        opponent = "1" if owner == "0" else "0"
        return data | {"seen": sum(arming["owner"] == opponent for arming in self.export["armings"])}

    def open(self, *, weak: bool = False) -> None:
        self._note(None, [self.reveal("0"), self.reveal("1")], self.reveal("server"), weak)

    def roll(self, side: int, *, weak: bool = False) -> None:
        self._note(side, [self.reveal(str(side))], self.reveal("server"), weak)

    def play(self) -> None:
        """The player of the last roll reveals a link with the play."""
        roll = self.export["rolls"][-1]
        left, right = roll["dice"]
        roll["play_link"] = self.reveal(str(int(right > left) if roll["side"] is None else roll["side"]))

    def take_back_roll(self) -> None:
        """Forget the last roll, of Bob."""
        del self.export["rolls"][-1]
        self.used["server", 1] -= 1
        self.used["0", self.current["0"]] -= 1
        self.reveals["0"] -= 1

    @property
    def record(self) -> dict:
        """The record of the match in JSON, in which every roll was played."""
        games: list[dict] = []
        for each in self.export["rolls"]:
            left, right = each["dice"]
            side = int(right > left) if each["side"] is None else each["side"]
            if each["side"] is None:
                games.append({"events": []})
            games[-1]["events"].append({"side": side, "kind": "play", "dice": [max(left, right), min(left, right)]})
        return {"format": "barpoint-match", "games": games}

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
            table.play()
            table.roll(turn % 2)
    return table


def verify(
    tmp_path: Path, export: dict, seen: dict | None = None, record: dict | None = None
) -> subprocess.CompletedProcess[str]:
    (tmp_path / "match.json").write_text(json.dumps(export))
    command = [sys.executable, "-I", str(SCRIPT), str(tmp_path / "match.json")]
    if seen is not None:
        (tmp_path / "seen.json").write_text(json.dumps(seen))
        command += ["--seen", str(tmp_path / "seen.json")]
    if record is not None:
        (tmp_path / "record.json").write_text(json.dumps(record))
        command += ["--record", str(tmp_path / "record.json")]
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


def test_an_armed_chain_serves_once_the_opponent_has_revealed_a_link(table, tmp_path):
    table.play()
    table.commit("0")
    table.roll(0, weak=True)
    table.play()
    table.roll(1)
    table.arm("0", 1)
    table.play()
    table.roll(0)
    assert table.export["rolls"][-1]["links"][0]["chain"] == 1
    done = verify(tmp_path, table.export, record=table.record)
    assert done.stdout == (
        "All 45 rolls follow from the committed chains, 1 of them marked weak and are those of the record.\n"
    )


@pytest.fixture
def two_devices(table) -> Table:
    """Bob changes devices in his own turn, which makes roll 43 weak; roll 45 is in full again."""
    table.play()
    table.commit("0")
    table.roll(0, weak=True)
    table.play()
    table.roll(1)
    table.play()
    table.roll(0)
    return table


def of_the_other_device(table):
    """Both of Bob's chains were there before Carol's link, and the server takes the one that rolls better."""
    table.take_back_roll()
    table.current["0"] = 1
    table.roll(0)


def of_a_device_armed_afterwards(table):
    """Bob's third device was armed once Carol's link was known."""
    table.take_back_roll()
    table.commit("0")
    table.roll(0)


def of_armings_in_another_order(table):
    first, second = (arming for arming in table.export["armings"] if arming["owner"] == "0")
    first["own_reveals"], second["own_reveals"] = second["own_reveals"], first["own_reveals"]


def of_a_chain_listed_twice(table):
    """Two chains pass as one: which of them served cannot be told."""
    table.export["chains"].append(table.export["chains"][0] | {"anchor": "ab" * 32})


def of_armings_that_are_not_listed(table):
    table.export["rolls"][-2]["play_link"]["seen"] = 3


def of_a_chain_that_was_armed_later(table):
    """Roll 43 is of a chain that was armed only after it."""
    table.export["armings"][-1]["own_reveals"] += 1


def without_the_link_of_the_play(table):
    """Carol's link with her play is left out, so that Bob's roll would follow from the one with her roll."""
    del table.export["rolls"][-2]["play_link"]


@pytest.mark.parametrize(
    ("forge", "sentence"),
    [
        (of_the_other_device, "Roll 45 uses a chain that was not in force and is not marked weak."),
        (of_a_device_armed_afterwards, "Roll 45 uses a chain that was not in force and is not marked weak."),
        (of_armings_in_another_order, "An arming of chain 2 of 0 is out of order."),
        (of_a_chain_listed_twice, "Chain 1 of 0 is listed twice."),
        (of_armings_that_are_not_listed, "Roll 44 has a link that has seen armings that are not listed."),
        (of_a_chain_that_was_armed_later, "Roll 43 uses a chain of 0 before it was armed."),
        (without_the_link_of_the_play, "Roll 45 is "),
    ],
)
def test_a_proof_in_which_two_chains_could_have_served_a_full_roll_is_refused(forge, sentence, two_devices, tmp_path):
    assert verify(tmp_path, two_devices.export).returncode == 0
    forge(two_devices)
    done = verify(tmp_path, two_devices.export)
    assert (done.returncode, sentence in done.stdout) == (1, True), done.stdout


def test_a_weak_roll_turned_strong_is_refused(two_devices, tmp_path):
    two_devices.export["rolls"][42]["weak"] = False
    done = verify(tmp_path, two_devices.export)
    assert done.stdout == "Roll 43 uses a chain that was not in force and is not marked weak.\n"


def test_a_strong_roll_turned_weak_is_refused(two_devices, tmp_path):
    two_devices.export["rolls"][44]["weak"] = True
    assert verify(tmp_path, two_devices.export).stdout == "Roll 45 uses the chain in force, but is marked weak.\n"


def test_a_missing_last_roll_is_noticed_beside_the_record(table, tmp_path):
    record = table.record
    del table.export["rolls"][-1]
    assert verify(tmp_path, table.export).returncode == 0, "by itself nobody can tell"
    done = verify(tmp_path, table.export, record=record)
    assert (done.returncode, done.stdout) == (1, "The proof has 41 rolls that were played, the record 42.\n")


def test_other_dice_on_the_board_are_noticed_beside_the_record(table, tmp_path):
    record = table.record
    record["games"][1]["events"][4]["dice"] = [6, 6]
    left, right = table.export["rolls"][25]["dice"]
    done = verify(tmp_path, table.export, record=record)
    assert (done.returncode, done.stdout) == (1, f"Roll 26 is {left}-{right}, but 6-6 in the record.\n")


def test_a_roll_that_was_not_played_is_in_no_record(table, tmp_path):
    """Carol's time was over before she played it."""
    record = table.record
    record["games"][1]["events"].pop()
    table.export["rolls"][-1]["unplayed"] = True
    assert verify(tmp_path, table.export, record=record).returncode == 0


@pytest.mark.parametrize("text", ["{}", "[]", "nonsense", '{"format": "barpoint-dice/2"}'])
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
    # Carol arms another when Bob is ready already: his link of this opening has not seen it.
    bob = table.reveal("0")
    table.commit("1", secret="chosen")
    table._note(None, [bob, table.reveal("1")], table.reveal("server"), weak=True)
    assert verify(tmp_path, table.export).returncode == 0
    table.export["rolls"][-1]["weak"] = False
    done = verify(tmp_path, table.export)
    assert (done.returncode, "not marked weak" in done.stdout) == (1, True)
