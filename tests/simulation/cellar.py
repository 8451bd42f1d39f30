"""Kept acts without a site: a server, the outboxes of browsers, and evenings on which everything fails.

`python -m tests.simulation.cellar 1000` plays the evenings of 1,000 seeds and prints what was found; with the name of a
fault behind it, one rule is broken, and something must be found. Times are seconds of the server unless they end in
`_ms`.
"""

import hashlib
import json
import math
import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import Any

Act = dict[str, Any]
Row = dict[str, Any]
Outcome = tuple[str, str, list[int]]
"""What becomes of an act, why, and the numbers of the facts that it made."""

KEPT_FOR = 48 * 3600
MOST_AT_ONCE = 20
OPEN = ("differs", "refused")
NEW_FIXTURE: Row = {
    "pair": None, "length": 7, "table": None, "begun": False, "score": None, "result": None, "report": None, "to": None,
}  # fmt: skip
FAULTS = {
    "twice": "an act that has arrived is done again",
    "no_pair": "nobody compares the players",
    "overwrite": "a result replaces another",
    "winner_only": "a result with the same winner is the same",
    "last_writer": "the last score wins",
    "no_resend": "a browser does not send again what a restored server has lost",
    "other_login": "anybody sends the acts of everybody",
    "seen_number_only": "a fact is unseen by its number only",
    "no_open": "a browser learns what differs from answers only",
    "early": "the number of an act is stored before the act",
    "strike_tried": "an act that may have arrived is struck",
}


class Died(Exception):
    """The server was killed before it had stored an act."""


class Server:
    """An event: its matches, its facts with growing numbers, who is here, and the outboxes with their acts."""

    def __init__(self, fixtures: Iterable[Row], players: list[str], fault: str = "") -> None:
        self.fixtures = {row["id"]: {**NEW_FIXTURE, **row} for row in fixtures}
        self.players, self.fault, self.now = players, fault, 0.0
        self.facts: list[Row] = []
        self.presence: dict[str, str | None] = {}
        self.boxes: dict[str, Row] = {}
        self.acts: dict[tuple[str, int], Row] = {}

    def copy(self) -> dict[str, Any]:
        """Return what a backup has."""
        rows = {name: rows_of(getattr(self, name)) for name in ("boxes", "acts", "fixtures")}
        return {**rows, "facts": list(self.facts), "presence": dict(self.presence)}

    def record(self, kind: str, fixture: str | None, box: str, **params: Any) -> int:
        number = len(self.facts) + 1
        self.facts.append({"pk": number, "at": self.now, "kind": kind, "fixture": fixture, "by": box, **params})
        return number

    def enter(self, fixture: str, winner: int, points: int, box: str) -> int:
        settle(self.fixtures, fixture, {"winner": winner, "points": points})
        return self.record("result", fixture, box, winner=winner, points=points)

    def have(self, box: str) -> int:
        return self.boxes[box]["have"] if box in self.boxes else 0

    def undecided(self, box: str) -> list[int]:
        """Return the numbers of the acts that wait for a person."""
        return [n for (key, n), act in self.acts.items() if key == box and act["outcome"] in OPEN and act["open"]]

    def post(
        self, box: str, owner: str, sender: str, acts: list[Act], now: float, now_ms: int,
        *, carried: bool = False, dies_at: int = 0,
    ) -> dict[str, Any]:  # fmt: skip
        """Let acts arrive; raises `Died` at this number. Each is one transaction."""
        row = self.boxes.setdefault(box, {"owner": owner, "have": 0})
        self.now = now
        if sender != row["owner"] and not carried and self.fault != "other_login":
            return {"error": "kept_of_another"}
        outcomes: list[Row] = []
        answer = {"outcomes": outcomes}
        for act in acts:
            number, stored = act["n"], self.acts.get((box, act["n"]))
            if number > row["have"] + 1:
                return {**answer, "error": "kept_gap", "have": row["have"]}
            if number > row["have"] or self.fault == "twice":
                if number == dies_at:
                    row["have"] += self.fault == "early"
                    raise Died
                stored = self.acts[box, number] = self._store(box, act, now, typed_at(act, now, now_ms))
                row["have"] = max(row["have"], number)
            elif stored is None or stored["content"] != content(act):
                return {**answer, "error": "key_reused", "have": row["have"]}
            outcomes.append({"n": number, "outcome": stored["outcome"], "code": stored["code"]})
        return {**answer, "have": row["have"]}

    def _store(self, box: str, act: Act, now: float, typed: float | None) -> Row:
        outcome, code, made = self._arrive(box, act, now, typed)
        row = {"content": content(act), "outcome": outcome, "code": code, "made": made, "typed_at": typed, "act": act}
        return {**row, "open": outcome in OPEN or act["action"] == "note"}

    def _arrive(self, box: str, act: Act, now: float, typed: float | None) -> Outcome:
        kind, fields = act["action"], act.get("fields", {})
        if kind == "struck":
            return "cancelled", "", []
        if kind == "undo":
            return self._undo(box, act["n"], fields["of"])
        if typed is not None and now - typed > KEPT_FOR:
            return "refused", "kept_too_old", []
        if kind == "note":
            return "done", "", []
        if kind in ("here", "away"):
            return self._sign(box, act, typed)
        return self._of_a_match(box, act)

    def _of_a_match(self, box: str, act: Act) -> Outcome:
        row, kind = self.fixtures.get(act["fixture"]), act["action"]
        if row is None:
            return "refused", "not_on_floor", []
        if (row["pair"] is None or None in row["pair"] or row["pair"] != act["pair"]) and self.fault != "no_pair":
            return "differs", "other_players", []
        rule = {"result": self._result, "start": self._start, "score": self._score, "move": self._move}.get(kind)
        if rule is None:
            return "refused", "not_kept", []
        if kind != "result" and (row["result"] is not None or row["report"] is not None):
            return "overtaken", "match_finished", []
        return rule(box, act, row)

    def _later(self, box: str, act: Act, *kinds: str, **about: Any) -> list[Row]:
        """Return facts of others that the reader had not seen; a restored server gives numbers again."""
        at = math.inf if self.fault == "seen_number_only" else act["seen_at"] / 1000
        found = [
            fact for fact in self.facts
            if (fact["pk"] > act["seen"] or fact["at"] > at) and fact["kind"] in kinds
            and all(fact.get(key) == value for key, value in about.items())
        ]  # fmt: skip
        own = {pk for (key, _n), row in self.acts.items() if key == box for pk in row["made"]} if found else ()
        return [fact for fact in found if fact["pk"] not in own]

    def _undo(self, box: str, number: int, of: int) -> Outcome:
        target = self.acts.get((box, of))
        if target is None or of >= number:
            return "refused", "no_such_act", []
        if target["outcome"] != "done":
            target["open"] = False
            return "cancelled", "", []
        for pk in target["made"]:
            if code := self._take_back(box, self.facts[pk - 1]):
                return "differs", code, []
        return "done", "", [self.record("undone", None, box, of=target["made"])] if target["made"] else []

    def _take_back(self, box: str, fact: Row) -> str:
        """Take back a fact, or say why not."""
        if fact["kind"] == "check_in":
            self.presence[fact["player"]] = fact["before"]
            return ""
        row = self.fixtures[fact["fixture"]]
        if fact["kind"] == "result":
            following = self.fixtures[row["to"][0]] if row["to"] else None
            if row["result"] != {"winner": fact["winner"], "points": fact["points"]}:
                return "undo_built_on"
            if following and (following["begun"] or following["result"]):
                return "undo_built_on"
            settle(self.fixtures, fact["fixture"], None)
            return ""
        since = {"seen": fact["pk"], "seen_at": math.inf}
        if self._later(box, since, "move", "start", "score", "result", fixture=fact["fixture"]):
            return "floor_built_on"
        row.update({"start": {"begun": False}}.get(fact["kind"]) or {MADE[fact["kind"]]: fact["before"]})
        return ""

    def _sign(self, box: str, act: Act, typed: float | None) -> Outcome:
        kind, fields = act["action"], act["fields"]
        if len(fields["players"]) != 1 or fields["players"][0] not in self.players:
            return "refused", "one_player", []
        (player,) = fields["players"]
        later = self._later(box, act, "check_in", "no_show", player=player)
        if any(fact["kind"] == "no_show" for fact in later):
            return "differs", "no_show_since", []
        if self.presence.get(player) == kind:
            return "already", "", []
        if later:
            return "overtaken", "presence_since", []
        if kind == "away" and typed is not None and typed + 60 * fields["minutes"] <= self.now:
            return "overtaken", "away_over", []
        pk = self.record("check_in", None, box, player=player, state=kind, before=self.presence.get(player))
        self.presence[player] = kind
        return "done", "", [pk]

    def _result(self, box: str, act: Act, row: Row) -> Outcome:
        mine = {"winner": act["fields"]["winner"], "points": act["fields"]["points"]}
        if row["result"] is not None and self.fault != "overwrite":
            same = row["result"] == mine
            if self.fault == "winner_only":
                same = row["result"]["winner"] == mine["winner"]
            return ("already", "", []) if same else ("differs", "other_result", [])
        if not 0 <= mine["points"] < row["length"]:
            return "refused", "bad_score", []
        if row["report"] is not None and row["report"] != mine:
            return "differs", "other_report", []
        scores = self._later(box, act, "score", fixture=act["fixture"])
        if scores and scores[-1]["score"][1 - mine["winner"]] > mine["points"]:
            return "differs", "score_since", []
        return "done", "", [self.enter(act["fixture"], mine["winner"], mine["points"], box)]

    def _start(self, box: str, act: Act, row: Row) -> Outcome:
        if row["begun"]:
            return "already", "", []
        row["begun"] = True
        return "done", "", [self.record("start", act["fixture"], box)]

    def _score(self, box: str, act: Act, row: Row) -> Outcome:
        score = act["fields"]["score"]
        if row["score"] == score:
            return "already", "", []
        if self._later(box, act, "score", fixture=act["fixture"]) and self.fault != "last_writer":
            return "overtaken", "score_since", []
        if max(score) >= row["length"] or min(score) < 0:
            return "refused", "running_score_over", []
        pk = self.record("score", act["fixture"], box, score=score, before=row["score"])
        row.update(score=score, begun=True)
        return "done", "", [pk]

    def _move(self, box: str, act: Act, row: Row) -> Outcome:
        table = act["fields"]["table"]
        if row["table"] == table:
            return "already", "", []
        if self._later(box, act, "move", fixture=act["fixture"]):
            return "differs", "moved_since", []
        playing = [each for each in self.fixtures.values() if each["result"] is None and each["report"] is None]
        if any(each["table"] == table for each in playing):
            return "differs", "table_taken", []
        pk = self.record("move", act["fixture"], box, table=table, before=row["table"])
        row["table"] = table
        return "done", "", [pk]


MADE = {"score": "score", "move": "table"}
"""What a fact changed in its match."""


def rows_of(rows: Mapping[Any, Row]) -> dict[Any, Row]:
    return {key: dict(row) for key, row in rows.items()}


def settle(fixtures: Mapping[str, Row], fixture: str, result: Row | None) -> None:
    """Give a match a result, or take it back, and let the winner go on."""
    row = fixtures[fixture]
    row["result"] = result
    row["begun"] = row["begun"] or result is not None
    if row["to"] and row["pair"]:
        following, side = row["to"]
        pair = list(fixtures[following]["pair"] or (None, None))
        pair[side] = row["pair"][result["winner"]] if result else None
        fixtures[following]["pair"] = pair


def content(act: Act) -> str:
    return hashlib.sha256(json.dumps(act, sort_keys=True).encode()).hexdigest()


def typed_at(act: Act, now: float, now_ms: int) -> float | None:
    """Return when an act was done, by its age on the device; None if the clock of the device went back."""
    age = (now_ms - act["at"]) / 1000
    return None if age < 0 else max(now - age, act["seen_at"] / 1000)


def is_silent(events: Iterable[tuple[float, str, str]], at: float, after: float = 150) -> bool:
    """Whether a desk is silent; `events` are (time, device, "here" or "left")."""
    last = {device: (when, what) for when, device, what in events if when <= at}
    waiting = [when for when, what in last.values() if what == "here"]
    return bool(waiting) and all(at - when > after for when in waiting)


class Device:
    """The outbox of a browser. What it has stored survives its page."""

    def __init__(self, box: str, owner: str, fault: str = "") -> None:
        self.box, self.owner, self.fault = box, owner, fault
        self.acts: list[Act] = []
        self.states: list[str] = []
        """kept, tried, sent or open, by number."""
        self.trace: list[list[Any]] = []
        """What happened to it, each with the initials of the states afterwards, for another implementation of it."""

    def _traced(self, *event: Any) -> None:
        self.trace.append([*event, "".join(state[0] for state in self.states)])

    def keep(self, **act: Any) -> int:
        self.acts.append({"n": len(self.acts) + 1, **act})
        self.states.append("kept")
        self._traced("keep", self.acts[-1])
        return len(self.acts)

    def strike(self, number: int, **base: Any) -> None:
        """Take back an act: one that was never sent is struck, one that may have arrived is undone by another."""
        old = self.acts[number - 1]
        if self.states[number - 1] == "kept" or (self.fault == "strike_tried" and self.states[number - 1] == "tried"):
            struck = {"n": number, "action": "struck", "at": old["at"], "seen": 0, "seen_at": 0}
            self.acts[number - 1] = struck
            self._traced("strike", number, base)
        else:
            self.keep(action="undo", fields={"of": number}, **base)
            self.trace[-1][:2] = ["strike", number, base]

    def batch(self, have: int, undecided: Iterable[int] = ()) -> list[Act]:
        """Return what to send to a server that has so many acts; one that has fewer than it had gets them again."""
        undecided = list(undecided)
        for index, state in enumerate(self.states):
            if index >= have:
                if state in ("sent", "open") and self.fault != "no_resend":
                    self.states[index] = "tried"
            elif self.fault != "no_open":
                self.states[index] = "open" if index + 1 in undecided else "sent"
            elif state != "open":
                self.states[index] = "sent"
        todo = [index for index, state in enumerate(self.states) if state in ("kept", "tried")][:MOST_AT_ONCE]
        for index in todo:
            self.states[index] = "tried"
        self._traced("batch", have, undecided, [index + 1 for index in todo])
        return [self.acts[index] for index in todo]

    def answered(self, answer: Row) -> None:
        for row in answer.get("outcomes", ()):
            self.states[row["n"] - 1] = "open" if row["outcome"] in OPEN else "sent"
        self._traced("answered", answer)


class Evening:
    """Eight players of a knockout, and two desks whose lines are cut."""

    def __init__(self, seed: int, fault: str = "") -> None:
        self.chance, self.fault, self.now = Random(f"{seed}"), fault, 1000.0
        ids = self.players = [f"p{number}" for number in range(8)]
        fixtures: list[Row] = [
            {"id": f"m{n}", "pair": [ids[2 * n], ids[2 * n + 1]], "to": (f"m{4 + n // 2}", n % 2)} for n in range(4)
        ]
        fixtures += [{"id": "m4", "to": ("m6", 0)}, {"id": "m5", "to": ("m6", 1)}, {"id": "m6"}]
        self.truth = {row["id"]: self._score() for row in fixtures}
        self.server = Server(fixtures, ids, fault)
        self.desks = [Device("A" * 22, "alice", fault), Device("B" * 22, "bob", fault)]
        self.skew = [self.chance.choice((0, 0, -7200, 86400)) for _desk in self.desks]
        self.up = [True, True]
        self.seen = [(0, self.now)] * 2
        self.view = [rows_of(self.server.fixtures) for _desk in self.desks]
        self.backup: dict[str, Any] | None = None
        self.undone: set[tuple[str, int]] = set()

    def play(self) -> list[str]:
        """Play it, and return what is wrong."""
        for _moment in range(60):
            self.now += self.chance.expovariate(1 / 60)
            desk = self.chance.randrange(2)
            if self.chance.random() < 0.25:
                self.up[desk] = not self.up[desk]
            if self.up[desk]:
                self._send(desk)
                self._look(desk)
            self._back_up_or_restore()
            self._act(desk)
        self.up = [True, True]
        for desk in (0, 1):
            for _attempt in range(20):
                self._send(desk)
        for device in self.desks:
            device.batch(self.server.have(device.box), self.server.undecided(device.box))
        return [*self._take_over(), *self._wrong()]

    def _score(self) -> tuple[int, int]:
        return self.chance.randrange(2), self.chance.randrange(7)

    def _ms(self, desk: int) -> int:
        return int((self.now + self.skew[desk]) * 1000)

    def _look(self, desk: int) -> None:
        self.seen[desk] = len(self.server.facts), self.now
        self.view[desk] = rows_of(self.server.fixtures)

    def _send(self, desk: int) -> None:
        """Send what a desk has; servers die, and answers get lost."""
        device = self.desks[desk]
        for _attempt in range(8):
            acts = device.batch(self.server.have(device.box), self.server.undecided(device.box))
            if not acts:
                return
            dies_at = self.chance.choice(acts)["n"] if self.chance.random() < 0.05 else 0
            now_ms, who, is_lost = self._ms(desk), device.owner, self.chance.random() < 0.25
            try:
                answer = self.server.post(device.box, who, who, acts, self.now, now_ms, dies_at=dies_at)
            except Died:
                is_lost = True
            if not is_lost:
                device.answered(answer)
            elif self.chance.random() < 0.5:
                return

    def _back_up_or_restore(self) -> None:
        if self.chance.random() < 0.1 and self.backup is None:
            self.backup = self.server.copy()
        if self.chance.random() < 0.03 and self.backup is not None:
            vars(self.server).update(self.backup)
            self.backup = None
            for desk in (0, 1):
                if self.up[desk]:
                    self._look(desk)

    def _act(self, desk: int) -> None:
        """Let the person at a desk do something with what the page shows."""
        device, view, (seen, seen_at) = self.desks[desk], self.view[desk], self.seen[desk]
        base = {"at": self._ms(desk), "seen": seen, "seen_at": math.ceil(seen_at * 1000)}
        known = [key for key, row in view.items() if row["pair"] and None not in row["pair"] and row["result"] is None]
        what = self.chance.choice(("result", "result", "start", "score", "move", "here", "note", "undo"))
        if what == "undo":
            self._undo(device, base)
        if what == "undo" or not known:
            return
        fixture = self.chance.choice(known)
        winner, points = self.truth[fixture] if self.chance.random() < 0.85 else self._score()
        fields: dict[str, Any] = {
            "result": {"winner": winner, "points": points}, "start": {}, "note": {"text": "x"},
            "score": {"score": [self.chance.randrange(7), self.chance.randrange(7)]},
            "move": {"table": self.chance.randint(1, 4)}, "here": {"players": [self.chance.choice(self.players)]},
        }[what]  # fmt: skip
        device.keep(action=what, fixture=fixture, pair=view[fixture]["pair"], fields=fields, **base)
        if what == "result":
            settle(view, fixture, fields)

    def _undo(self, device: Device, base: Row) -> None:
        if not device.acts:
            return
        number = self.chance.randint(max(1, len(device.acts) - 2), len(device.acts))
        fresh = (device.box, number) not in self.undone
        if fresh and device.acts[number - 1]["action"] not in ("undo", "struck"):
            device.strike(number, **base)
            self.undone.add((device.box, number))

    def _take_over(self) -> list[str]:
        """Let another desk carry all acts of a lost one, and a stranger try to."""
        lost = self.desks[1]
        if not lost.acts:
            return []
        before, found, post = len(self.server.facts), [], self.server.post
        answer = post(lost.box, lost.owner, "alice", lost.acts, self.now, self._ms(0), carried=True)
        if "error" in answer or len(self.server.facts) != before:
            found.append("a second delivery changed something")
        stranger = post(lost.box, lost.owner, "mallory", lost.acts, self.now, self._ms(0))
        if stranger.get("error") != "kept_of_another":
            found.append("sent under another login")
        return found

    def _wrong(self) -> list[str]:
        """Return what must not be in the end."""
        server, found = self.server, []
        for device in self.desks:
            stored = [
                server.acts[device.box, act["n"]]["act"] for act in device.acts if (device.box, act["n"]) in server.acts
            ]
            if stored != device.acts:
                found.append("acts are lost, or others than were kept")
            is_open = {number for number, state in enumerate(device.states, start=1) if state == "open"}
            if is_open != set(server.undecided(device.box)):
                found.append("a browser does not know what differs")
            made = [row["made"] for (box, _number), row in sorted(server.acts.items()) if box == device.box]
            numbers = [pk for each in made for pk in each]
            if numbers != sorted(set(numbers)):
                found.append("effects out of order")
        results = Counter(fact["fixture"] for fact in server.facts if fact["kind"] == "result")
        undone = [pk for fact in server.facts if fact["kind"] == "undone" for pk in fact["of"]]
        results.subtract(server.facts[pk - 1]["fixture"] for pk in undone if server.facts[pk - 1]["kind"] == "result")
        if any(count not in (0, 1) for count in results.values()):
            found.append("two results of one match")
        for (box, _number), row in server.acts.items():
            found += [sentence for sentence, holds in CHECKS.items() if holds(server, box, row)]
        return found


def _fact(server: Server, row: Row, action: str) -> Row | None:
    """Return the fact that an act with this action made."""
    return server.facts[row["made"][0] - 1] if row["outcome"] == "done" and row["act"]["action"] == action else None


def _other_players(server: Server, _box: str, row: Row) -> bool:
    if _fact(server, row, "result") is None or any(fact["kind"] == "undone" for fact in server.facts):
        return False
    match = server.fixtures[row["act"]["fixture"]]
    return match["result"] is not None and match["pair"] != row["act"]["pair"]


def _not_the_same(server: Server, _box: str, row: Row) -> bool:
    act = row["act"]
    if row["outcome"] != "already" or act["action"] != "result":
        return False
    first = [fact for fact in server.facts if (fact["kind"], fact["fixture"]) == ("result", act["fixture"])]
    return not any({key: fact[key] for key in act["fields"]} == act["fields"] for fact in first)


def _older_score(server: Server, box: str, row: Row) -> bool:
    fact, act = _fact(server, row, "score"), row["act"]
    return fact is not None and any(
        (other["pk"] > act["seen"] or other["at"] > act["seen_at"] / 1000) and other["by"] != box
        for other in server.facts[: fact["pk"] - 1]
        if (other["kind"], other["fixture"]) == ("score", act["fixture"])
    )


def _too_early(_server: Server, _box: str, row: Row) -> bool:
    return row["typed_at"] is not None and row["typed_at"] < row["act"]["seen_at"] / 1000


CHECKS: dict[str, Callable[[Server, str, Row], bool]] = {
    "a result of other players": _other_players,
    "a difference was called a duplicate": _not_the_same,
    "an older score replaced a newer one": _older_score,
    "typed before it was seen": _too_early,
}


def findings(seed: int, fault: str = "") -> list[str]:
    """Play the evening of a seed and return what is wrong."""
    return Evening(seed, fault).play()


if __name__ == "__main__":
    parser = ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("evenings", type=int)
    parser.add_argument("fault", nargs="?", default="", choices=["", *FAULTS])
    parser.add_argument("--seed", type=int, default=1, help="the first")
    options = parser.parse_args()
    began, kinds, failed = time.process_time(), Counter[str](), list[int]()
    for seed in range(options.seed, options.seed + options.evenings):
        if wrong := set(findings(seed, options.fault)):
            kinds.update(wrong)
            failed.append(seed)
    minutes = (time.process_time() - began) / 60
    print(f"{options.evenings} evenings, {len(failed)} with findings, {options.evenings / minutes:.0f} a CPU minute")
    for sentence, count in kinds.most_common():
        print(f"{count} × {sentence}")
    for seed in failed[:5]:
        print(f"Repeat with python -m tests.simulation.cellar 1 {options.fault} --seed {seed}")
    raise SystemExit(1 if failed else 0)
