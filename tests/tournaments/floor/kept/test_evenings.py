"""Random evenings of two desks that were cut off: what becomes of each act is what the model of the rules says."""

from random import Random
from typing import Any

import pytest

from tests.simulation.cellar import Server
from tests.tiers import TIER
from tests.tournaments.floor.kept.hall import KEY, NAMES, FinalHall, hall
from tournaments.state.integrity import differences

__all__ = ["hall"]
pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]

DESKS = (KEY, KEY[::-1])
FIXTURES: list[dict[str, Any]] = [
    {"id": "m1", "pair": ["ann", "bea"], "to": ("m3", 0)},
    {"id": "m2", "pair": ["cem", "dan"], "to": ("m3", 1)},
    {"id": "m3"},
]
ACTS = 24


class TwoDesks:
    """The same evening in the hall and in the model; each desk knows what there was when it last had a line."""

    def __init__(self, hall: FinalHall, chance: Random) -> None:
        self.hall, self.chance = hall, chance
        self.model = Server(FIXTURES, list(NAMES))
        self.ms = 0
        self.numbers = [0, 0]
        self.seen = [(0, hall.newest, 0)] * 2

    def play(self) -> None:
        self.ms += 1000 * self.chance.randint(1, 90)
        desk = self.chance.randrange(2)
        if self.chance.random() < 0.3:
            self.seen[desk] = (len(self.model.facts), self.hall.newest, self.ms)
            self.ms += 1000
        in_model, in_hall, at = self.seen[desk]
        self.numbers[desk] += 1
        act = {"n": self.numbers[desk], "at": self.ms, "seen_at": at, **self.act()}
        if act["action"] == "undo":
            act["fields"] = {"of": self.chance.randint(1, self.numbers[desk])}
        answer = self.model.post(
            DESKS[desk], "alice", "alice", [{**act, "seen": in_model}], self.ms / 1000, self.ms
        )  # fmt: skip
        (row,) = answer["outcomes"]
        sent = {**self.hall.sent({**act, "seen": 0}), "seen": in_hall}
        arrived = self.hall.arrive(sent, key=DESKS[desk], at=self.ms)[-1]
        assert arrived == f"{row['outcome']} {row['code']}".strip(), (act, self.model.fixtures)

    def act(self) -> dict[str, Any]:
        chance = self.chance
        action = chance.choice(("result", "result", "start", "score", "score", "move", "move", "here", "away", "note"))
        fixture = chance.choice(("m1", "m1", "m2", "m3"))
        pair = self.model.fixtures[fixture]["pair"]
        if pair is None or None in pair or chance.random() < 0.1:
            pair = chance.choice((["ann", "cem"], ["bea", "ann"], ["bea", "dan"]))
        of_match: dict[str, dict[str, Any]] = {
            "result": {"winner": chance.randrange(2), "points": chance.choice((3, 3, 4, 6, 7))},
            "start": {},
            "score": {"score": [chance.randint(0, 5), chance.choice((2, 3, 7))]},
            "move": {"table": chance.randint(1, 3)},
        }
        if action in of_match:
            return {"action": action, "fixture": fixture, "pair": list(pair), "fields": of_match[action]}
        fields: dict[str, dict[str, Any]] = {
            "here": {"players": [chance.choice(NAMES)]},
            "away": {"players": [chance.choice(NAMES)], "minutes": 30},
            "note": {"text": "Ann paid 20"},
        }
        return {"action": action, "fields": fields[action]}


@pytest.mark.parametrize("seed", range(max(4, TIER.examples // 20)))
def test_each_act_becomes_what_the_model_says(hall: FinalHall, seed: int) -> None:
    desks = TwoDesks(hall, Random(seed))
    for _ in range(ACTS):
        desks.play()
    for name, row in desks.model.fixtures.items():
        expected = None
        if row["result"] is not None:
            winner, points = row["result"]["winner"], row["result"]["points"]
            expected = f"{row['pair'][winner]} 7-{points}"
        assert hall.stands(name, expected) == expected
    assert list(differences()) == []
