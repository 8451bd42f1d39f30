#!/usr/bin/env python3
"""Check every roll of a match played on Barpoint, from its JSON export alone.

    python3 verify_dice.py match.json
    python3 verify_dice.py match.json --record record.mat
    python3 verify_dice.py match.json --seen earlier.json

Needs nothing but Python 3.9 and this file. The scheme is described in docs/dice.md. `--record` names the record of the
match, as `.mat` or JSON: without it nobody can tell whether these dice were the ones on the board, or whether the last
roll is missing. `--seen` names an export of the same match that was saved earlier, for instance after the first roll: a
chain that was exchanged afterwards is found only by comparing the two. Exit status: 0 all rolls are right, 1 something
is wrong, 2 a file cannot be read.
"""

import argparse
import hashlib
import hmac
import json
import re
import sys
from collections.abc import Iterator
from typing import Any

FORMAT = "barpoint-dice/2"
Key = tuple[str, int]
Roll = tuple[int, tuple[int, int]]
"""A roll of a record: the side that plays it, or UNKNOWN, and the dice."""
UNKNOWN = -1


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
        self.problems = Problems()
        self.match: str = export["match"]
        self.rolls: list[dict[str, Any]] = export["rolls"]
        self.chains: dict[Key, dict[str, Any]] = {}
        for chain in export["chains"]:
            key = (chain["owner"], chain["number"])
            self.problems.check(key not in self.chains, f"Chain {key[1]} of {key[0]} is listed twice.")
            self.chains.setdefault(key, chain)
        self.armings: dict[str, list[tuple[int, int]]] = {"0": [], "1": []}
        """By side: which chain, and how many links the side had revealed before."""
        self.opponents: dict[str, list[int]] = {"0": [], "1": []}
        """By side: how many links the opponent had revealed before each arming, or UNKNOWN in older exports."""
        for arming in export["armings"]:
            own = self.armings[arming["owner"]]
            in_order = not own or own[-1][1] <= arming["own_reveals"]
            self.problems.check(in_order, f"An arming of chain {arming['chain']} of {arming['owner']} is out of order.")
            own.append((arming["chain"], arming["own_reveals"]))
            self.opponents[arming["owner"]].append(arming.get("opponent_reveals", UNKNOWN))
        self.last: dict[Key, tuple[int, bytes]] = {
            key: (0, bytes.fromhex(chain["anchor"])) for key, chain in self.chains.items()
        }
        self.latest: dict[str, dict[str, Any]] = {"0": {"link": "", "seen": 0}, "1": {"link": "", "seen": 0}}
        self.reveals: dict[str, int] = {"0": 0, "1": 0}
        """How many links each side has revealed."""
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
        right = sorted(link["owner"] for link in roll["links"]) == sorted(owners)
        if not self.problems.check(right, f"{name} shows the links of the wrong sides."):
            return
        others = {owner: revealed.get(other(owner), self.latest[other(owner)]) for owner in owners}
        seen = {owner: others[owner].get("seen", 1) for owner in owners}
        not_in_force = [owner for owner in owners if self._in_force(owner, seen[owner]) != revealed[owner]["chain"]]
        is_full, weak = not not_in_force, bool(roll["weak"])
        self.problems.check(is_full or weak, f"{name} uses a chain that was not in force and is not marked weak.")
        self.problems.check(not (is_full and weak), f"{name} uses the chain in force, but is marked weak.")
        self.weak += weak
        if "weak_by" in roll:
            right = roll["weak_by"] == {owner: self._doing(owner, side, revealed[owner]) for owner in not_in_force}
            self.problems.check(right, f"{name} is marked as weak by the wrong side.")
        for owner in owners:
            self._check_seen(name, revealed[owner])
        for owner in owners:
            was_armed = any(
                chain == revealed[owner]["chain"] and before <= self.reveals[owner]
                for chain, before in self.armings[owner]
            )
            self.problems.check(was_armed, f"{name} uses a chain of {owner} before it was armed.")
            self._check_players_link(name, revealed[owner])
        server = roll["server"]
        self._check_link(name, server, "server")
        first, second = self._entropy(side, revealed)
        stream = rolls_of(bytes.fromhex(server["link"]), self.match, roll["number"], first, second)
        dice = next(dice for dice in stream if side is not None or dice[0] != dice[1])
        shown = tuple(roll["dice"])
        self.problems.check(dice == shown, f"{name} is {shown[0]}-{shown[1]}, but the links give {dice[0]}-{dice[1]}.")
        if roll.get("play_link"):
            self._check_play(name, roll, dice)

    def _in_force(self, owner: str, seen: int) -> int:
        """The one chain whose next link makes a full roll of a side; 0 if there is none.

        It is the chain that the side armed last before this link of its own, among the armings that the opponent had
        `seen` with theirs.
        """
        known = self.armings[owner][:seen]
        return next((chain for chain, before in reversed(known) if before <= self.reveals[owner]), 0)

    def _doing(self, owner: str, side: Any, link: dict[str, Any]) -> str:
        """Whose doing it was that the link of a side is not of the chain in force.

        The opponent's, if it would be, had their link seen all armings that were made before it.
        """
        theirs = self.reveals[other(owner)] + (side is None)
        before = sum(UNKNOWN < opponents < theirs for opponents in self.opponents[owner])
        return other(owner) if self._in_force(owner, before) == link["chain"] else owner

    def _check_seen(self, name: str, link: dict[str, Any]) -> None:
        """Check that a link names all armings that were made before a link of either side that the board showed."""
        owner, opponent = link["owner"], other(link["owner"])
        least = 0
        pairs = zip(self.armings[opponent], self.opponents[opponent])  # noqa: B905, Python 3.9 has no `strict`
        for number, ((_, before), opponents) in enumerate(pairs, start=1):
            if opponents > UNKNOWN and (before < self.reveals[opponent] or opponents < self.reveals[owner]):
                least = number
        enough = link.get("seen", 1) >= least
        self.problems.check(enough, f"{name} has a link that has not seen armings that the board showed.")

    def _entropy(self, side: Any, revealed: dict[str, dict[str, Any]]) -> tuple[str, str]:
        """The two players' links that go into the dice: of both sides in the opening, else fresh and latest."""
        if side is None:
            return revealed["0"]["link"], revealed["1"]["link"]
        return revealed[str(side)]["link"], self.latest[str(1 - side)]["link"]

    def _check_play(self, name: str, roll: dict[str, Any], dice: tuple[int, int]) -> None:
        link = roll["play_link"]
        mover = player_of(roll["side"], dice)
        if self.problems.check(link["owner"] == str(mover), f"{name} shows the links of the wrong sides."):
            self._check_seen(name, link)
            self._check_players_link(name, link)

    def _check_players_link(self, name: str, link: dict[str, Any]) -> None:
        owner = link["owner"]
        is_known = 0 <= link.get("seen", 1) <= len(self.armings[other(owner)])
        self.problems.check(is_known, f"{name} has a link that has seen armings that are not listed.")
        self._check_link(name, link, owner)
        self.latest[owner] = link
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


def other(owner: str) -> str:
    return "1" if owner == "0" else "0"


def player_of(side: Any, dice: tuple[int, int]) -> int:
    """Who plays a roll: in an opening, the side with the higher die."""
    return int(dice[1] > dice[0]) if side is None else int(side)


def games_in_record(text: str) -> list[list[Roll]]:
    """The rolls of each game of a record, as Barpoint writes `.mat` and JSON."""
    if text.lstrip().startswith("{"):
        return [
            [(event["side"], (event["dice"][0], event["dice"][1])) for event in game["events"] if event.get("dice")]
            for game in json.loads(text)["games"]
        ]
    games = re.split(r"(?m)^\s*Game \d+\s*$", text)[1:]
    rows = [[row for row in game.splitlines() if re.match(r"\s*\d+\)", row)] for game in games]
    dice = [[found for row in game for found in re.findall(r"(?<!\d)([1-6])([1-6]):", row)] for game in rows]
    return [[(UNKNOWN, (int(first), int(second))) for first, second in game] for game in dice]


def compare_with_record(export: dict[str, Any], record: list[list[Roll]]) -> Problems:
    """Where the dice in the record of the match differ from the proof."""
    problems = Problems()
    games: list[list[dict[str, Any]]] = []
    # Practice only: what a player has taken back is in no record.
    for roll in [roll for roll in export["rolls"] if not roll.get("taken_back")]:
        if roll["side"] is None or not games:
            games.append([])
        games[-1].append(roll)
    # What was rolled and never played, since the game ended on time or by a ruling, is in no record.
    games = [[roll for roll in game if not roll.get("unplayed")] for game in games]
    proven = [game for game in games if game]
    recorded = [game for game in record if game]
    for played, shown in zip(proven, recorded):  # noqa: B905, Python 3.9 has no `strict`
        for roll, (side, dice) in zip(played, shown):  # noqa: B905
            left, right = roll["dice"]
            name, mover = f"Roll {roll['number']}", player_of(roll["side"], (left, right))
            same = sorted(roll["dice"]) == sorted(dice)
            problems.check(same, f"{name} is {left}-{right}, but {dice[0]}-{dice[1]} in the record.")
            problems.check(side in (UNKNOWN, mover), f"{name} is of another side in the record.")
    counts = [sum(len(game) for game in games) for games in (proven, recorded)]
    problems.check(counts[0] == counts[1], f"The proof has {counts[0]} rolls that were played, the record {counts[1]}.")
    ends = [[len(game) for game in games] for games in (proven, recorded)]
    problems.check(counts[0] != counts[1] or ends[0] == ends[1], "Other rolls begin the games in the record.")
    return problems


def compare(earlier: dict[str, Any], export: dict[str, Any]) -> Problems:
    """What has changed since an earlier export of the same match."""
    problems = Problems()
    problems.check(earlier["match"] == export["match"], "The two files are of different matches.")
    now = {(c["owner"], c["number"]): c["anchor"] for c in export["chains"]}
    for chain in earlier["chains"]:
        key = (chain["owner"], chain["number"])
        problems.check(now.get(key) == chain["anchor"], f"Chain {key[1]} of {key[0]} was exchanged since.")
    listed = export["armings"][: len(earlier["armings"])]
    problems.check(earlier["armings"] == listed, "Armings that were listed already have changed since.")
    before, after = earlier["rolls"], export["rolls"][: len(earlier["rolls"])]
    same = len(before) == len(after) and all(is_continued(*pair) for pair in zip(before, after))  # noqa: B905
    problems.check(same, "Rolls that were made already have changed since.")
    return problems


def is_continued(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether a roll is unchanged, except that it may have been played since, or taken back in practice."""
    later = ("unplayed", "taken_back", "play_link") if before.get("unplayed") else ("unplayed", "taken_back")
    return {name: before[name] for name in before if name not in later} == {
        name: after[name] for name in after if name not in later
    }


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
    parser.add_argument("--record", help="the record of the match, as .mat or JSON")
    parser.add_argument("--seen", help="an export of the same match that was saved earlier")
    given = parser.parse_args(arguments)
    try:
        export = load(given.export)
        verifier = Verifier(export)
        problems = verifier.run()
        if given.record:
            with open(given.record, encoding="utf-8-sig") as file:
                problems += compare_with_record(export, games_in_record(file.read()))
        if given.seen:
            problems += compare(load(given.seen), export)
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        print(f"Cannot read the export: {error!r}", file=sys.stderr)
        return 2
    for problem in problems:
        print(problem)
    if not problems:
        weak = f", {verifier.weak} of them marked weak" if verifier.weak else ""
        record = " and are those of the record" if given.record else ""
        print(f"All {len(verifier.rolls)} rolls follow from the committed chains{weak}{record}.")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
