#!/usr/bin/env python3
"""Check every roll of a match played on Barpoint, from its JSON export alone.

    python3 verify_dice.py match.json
    python3 verify_dice.py match.json --seen earlier.json

Needs nothing but Python 3.9 and this file. The scheme is described in docs/dice.md. `--seen` names an export of the
same match that was saved earlier, for instance after the first roll: a chain that was exchanged afterwards is found
only by comparing the two. Exit status: 0 all rolls are right, 1 something is wrong, 2 the file cannot be read.
"""

import argparse
import hashlib
import hmac
import json
import sys
from collections.abc import Iterator
from typing import Any

FORMAT = "barpoint-dice/1"
LINKS = 4096
Key = tuple[str, int]


class Problems(list[str]):
    """What is wrong, in sentences."""

    def check(self, fine: bool, sentence: str) -> bool:
        """Note the sentence unless all is fine."""
        if not fine:
            self.append(sentence)
        return fine


def link_before(match: str, key: Key, link: bytes) -> bytes:
    """The link before `link` in a chain: SHA-256 of the chain's tag and the link."""
    owner, number = key
    return hashlib.sha256(f"barpoint/1|{match}|{owner}|{number}|".encode() + link).digest()


def rolls_of(server: bytes, match: str, number: int, first: str, second: str) -> Iterator[tuple[int, int]]:
    """The stream of rolls that three links give."""
    block = 0
    while True:
        text = f"barpoint/1|{match}|{number}|{block}|{first}|{second}"
        for byte in hmac.new(server, text.encode(), hashlib.sha256).digest():
            if byte < 252:
                yield byte % 36 // 6 + 1, byte % 6 + 1
        block += 1


class Verifier:
    """Walks the rolls in order and remembers the last link that each chain has revealed."""

    def __init__(self, export: dict[str, Any]) -> None:
        self.match: str = export["match"]
        self.rolls: list[dict[str, Any]] = export["rolls"]
        self.chains: dict[Key, dict[str, Any]] = {(c["owner"], c["number"]): c for c in export["chains"]}
        self.last: dict[Key, tuple[int, bytes]] = {
            key: (0, bytes.fromhex(chain["anchor"])) for key, chain in self.chains.items()
        }
        self.latest: dict[str, str] = {"0": "", "1": ""}
        self.reveals: dict[str, int] = {"0": 0, "1": 0}
        """How many rolls each side has revealed a link for."""
        self.problems = Problems()
        self.weak = 0

    def run(self) -> Problems:
        """Check all rolls and return what is wrong."""
        for expected, roll in enumerate(self.rolls, start=1):
            name = f"Roll {expected}"
            if not self.problems.check(roll["number"] == expected, f"{name} is missing or out of order."):
                return self.problems
            self._check_roll(name, roll)
        return self.problems

    def _check_roll(self, name: str, roll: dict[str, Any]) -> None:
        side = roll["side"]
        owners = ["0", "1"] if side is None else [str(side)]
        revealed = {link["owner"]: link for link in roll["links"]}
        if not self.problems.check(sorted(revealed) == sorted(owners), f"{name} shows the links of the wrong sides."):
            return
        before = dict(self.reveals)
        for owner in owners:
            # In an opening both links were revealed before the dice were drawn.
            by_opponent = before["1" if owner == "0" else "0"] + (side is None)
            self._check_players_link(name, revealed[owner], by_opponent, bool(roll["weak"]))
        self.weak += bool(roll["weak"])
        server = roll["server"]
        self._check_link(name, server, "server")
        first, second = self._entropy(side, revealed)
        stream = rolls_of(bytes.fromhex(server["link"]), self.match, roll["number"], first, second)
        dice = next(dice for dice in stream if side is not None or dice[0] != dice[1])
        shown = tuple(roll["dice"])
        self.problems.check(dice == shown, f"{name} is {shown[0]}-{shown[1]}, but the links give {dice[0]}-{dice[1]}.")

    def _entropy(self, side: Any, revealed: dict[str, dict[str, Any]]) -> tuple[str, str]:
        """The two players' links that go into the dice: of both sides in the opening, else fresh and latest."""
        if side is None:
            return revealed["0"]["link"], revealed["1"]["link"]
        return revealed[str(side)]["link"], self.latest[str(1 - side)]

    def _check_players_link(self, name: str, link: dict[str, Any], by_opponent: int, weak: bool) -> None:
        """Check a link of a player; the opponent has revealed links for `by_opponent` rolls."""
        owner, key = link["owner"], (link["owner"], link["chain"])
        chain = self.chains.get(key)
        if chain:
            # A chain is proof only once the opponent has revealed a link after it was committed.
            strong = by_opponent > chain["opponent_reveals"]
            self.problems.check(strong or weak, f"{name} uses a chain too early and is not marked weak.")
        self._check_link(name, link, owner)
        self.latest[owner] = link["link"]
        self.reveals[owner] += 1

    def _check_link(self, name: str, link: dict[str, Any], owner: str) -> None:
        key = (owner, link["chain"])
        if not self.problems.check(key in self.last, f"{name} uses a chain of {owner} that was never committed."):
            return
        number, known = self.last[key]
        value = bytes.fromhex(link["link"])
        if self.problems.check(link["number"] == number + 1, f"{name} skips or repeats a link of {owner}."):
            follows = link_before(self.match, key, value) == known
            self.problems.check(follows, f"{name} shows a link of {owner} that is not in the committed chain.")
        self.last[key] = (link["number"], value)


def compare(earlier: dict[str, Any], export: dict[str, Any]) -> Problems:
    """What has changed since an earlier export of the same match."""
    problems = Problems()
    problems.check(earlier["match"] == export["match"], "The two files are of different matches.")
    now = {(c["owner"], c["number"]): c["anchor"] for c in export["chains"]}
    for chain in earlier["chains"]:
        key = (chain["owner"], chain["number"])
        problems.check(now.get(key) == chain["anchor"], f"Chain {key[1]} of {key[0]} was exchanged since.")
    before, after = earlier["rolls"], export["rolls"][: len(earlier["rolls"])]
    problems.check(before == after, "Rolls that were made already have changed since.")
    return problems


def load(path: str) -> dict[str, Any]:
    """The dice of an export; the match's own JSON has them under `dice`."""
    with open(path, encoding="utf-8") as file:
        export = json.load(file)
    if not isinstance(export, dict):
        raise ValueError("not a JSON object")
    export = export.get("dice", export)
    if export.get("format") != FORMAT:
        raise ValueError(f"not a file of format {FORMAT}")
    return export


def main(arguments: list[str]) -> int:
    """Verify one export; see the text at the top."""
    parser = argparse.ArgumentParser(description="Check every roll of a match played on Barpoint.")
    parser.add_argument("export")
    parser.add_argument("--seen", help="an export of the same match that was saved earlier")
    given = parser.parse_args(arguments)
    try:
        export = load(given.export)
        verifier = Verifier(export)
        problems = verifier.run()
        if given.seen:
            problems += compare(load(given.seen), export)
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        print(f"Cannot read the export: {error!r}", file=sys.stderr)
        return 2
    for problem in problems:
        print(problem)
    if not problems:
        weak = f", {verifier.weak} of them marked weak" if verifier.weak else ""
        print(f"All {len(verifier.rolls)} rolls follow from the committed chains{weak}.")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
