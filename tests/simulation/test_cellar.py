"""Evenings of kept acts in the model: nothing is lost or done twice, and each broken rule is noticed."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.simulation.cellar import FAULTS, MADE, Device, Server, findings, is_silent, typed_at

ARRIVAL, ARRIVAL_MS = 4200.0, 4_200_000
BOX = "A" * 22


def test_nothing_is_lost_done_twice_or_done_against_what_was_seen() -> None:
    assert {seed: wrong for seed in range(1, 301) if (wrong := findings(seed))} == {}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_broken_rule_is_noticed(fault: str) -> None:
    assert any(findings(seed, fault) for seed in range(1, 301))


def cases(shared_data: Path, name: str) -> dict[str, Any]:
    path = shared_data / "offline" / f"{name}.json"
    if not path.exists():
        pytest.skip("the reference data beside the project has no kept acts")
    return json.loads(path.read_text())


def test_acts_arrive_as_the_reference_cases_say(shared_data: Path) -> None:
    given = cases(shared_data, "arrivals")
    for case in given["cases"]:
        server = Server(given["about"]["fixtures"], given["about"]["players"])
        for other in case["others"]:
            server.now = other["at"] / 1000
            happened(server, *other["what"])
        outcomes = server.post(BOX, "alice", "alice", case["acts"], ARRIVAL, ARRIVAL_MS)["outcomes"]
        assert [f"{row['outcome']} {row['code']}".strip() for row in outcomes] == case["expect"], case["name"]
        assert {key: stands(server, key, value) for key, value in case["stands"].items()} == case["stands"], case[
            "name"
        ]


def happened(server: Server, what: str, about: str, *values: Any) -> None:
    """Let somebody else do something."""
    row = server.fixtures.get(about, {})
    if what == "result":
        server.enter(about, *values, "")
    elif what == "report":
        row["report"] = {"winner": values[0], "points": values[1]}
    elif what == "pair":
        row["pair"] = values[0]
    elif what in ("no_show", "check_in"):
        state = "".join(values)
        server.record(what, None, "", player=about, state=state)
        server.presence[about] = state or server.presence.get(about)
    else:
        changed = {"start": {"begun": True}}.get(what) or dict(zip([MADE.get(what)], values, strict=True))
        row.update(changed)
        server.record(what, about, "", **({what: values[0]} if values else {}))


def stands(server: Server, key: str, expected: Any) -> Any:
    """Return the players of a match, or its result, whichever a case states."""
    row = server.fixtures[key]
    if isinstance(expected, list):
        return list(row["pair"] or (None, None))
    result = row["result"]
    return result and f"{row['pair'][result['winner']]} {row['length']}-{result['points']}"


def test_a_browser_sends_as_the_reference_cases_say(shared_data: Path) -> None:
    for case in cases(shared_data, "order")["cases"]:
        if "steps" not in case:
            continue
        server, device = Server([], []), Device(BOX, "alice")
        sent, have = [], []
        for step, *arguments in case["steps"]:
            if step == "keep":
                device.keep(action="note", fields={"text": "x"}, at=0, seen=0, seen_at=0)
            elif step == "strike":
                device.strike(*arguments, at=0, seen=0, seen_at=0)
            elif step == "restore":
                server.boxes[BOX]["have"] = arguments[0]
                server.acts = {key: row for key, row in server.acts.items() if key[1] <= arguments[0]}
            else:
                acts = device.batch(server.have(BOX), server.undecided(BOX))
                answer = server.post(BOX, "alice", "alice", acts, ARRIVAL, ARRIVAL_MS)
                sent.append([act["n"] for act in acts])
                have.append(server.have(BOX))
                if step == "send":
                    device.answered(answer)
        states = [[act["n"], act["action"], state] for act, state in zip(device.acts, device.states, strict=True)]
        assert (sent, have, states) == (case["sent"], case["have"], case["device"]), case["name"]


def test_requests_are_refused_as_the_reference_cases_say(shared_data: Path) -> None:
    for case in cases(shared_data, "order")["cases"]:
        request = {
            "owner": "alice",
            "sender": "alice",
            "have": 0,
            "ns": [1],
            "session": True,
            **case.get("request", {}),
        }
        if case.keys() & {"steps", "get"} or not request["session"]:
            continue
        server, carried = Server([], []), request.get("carried", False)
        for text, numbers in (("x", range(1, request["have"] + 1)), ("y", request["ns"])):
            acts = [
                {"n": n, "action": "note", "fields": {"text": text}, "at": 0, "seen": 0, "seen_at": 0} for n in numbers
            ]
            sender = request["sender"] if text == "y" else request["owner"]
            answer = server.post(BOX, request["owner"], sender, acts, ARRIVAL, ARRIVAL_MS, carried=carried)
        assert [answer.get("error", ""), answer.get("have")] == case["expect"][1:], case["name"]


def test_times_and_silence_are_as_the_reference_cases_say(shared_data: Path) -> None:
    for case in cases(shared_data, "time")["cases"]:
        act = {"at": case["device_at_ms"], "seen_at": case["seen_at_ms"]}
        typed = typed_at(act, case["received_ms"] / 1000, case["device_now_ms"])
        assert (typed and round(typed * 1000)) == case["typed_at_ms"], case["name"]
    for case in cases(shared_data, "silence")["cases"]:
        assert is_silent(case["events"], case["at"]) == case["silent"], case["name"]
