"""Acts of the floor that were kept without a connection, when they arrive: the reference cases, and the rules."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from tests.conftest import SHARED_DATA
from tests.tournaments.floor.kept.hall import ARRIVAL, FinalHall, hall
from tournaments.state.integrity import differences

__all__ = ["hall"]
pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]

FILE = SHARED_DATA / "offline" / "arrivals.json"
CASES: list[dict[str, Any]] = json.loads(FILE.read_text())["cases"] if FILE.exists() else []


@pytest.mark.skipif(not CASES, reason=f"{FILE} is not here")
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
@pytest.mark.parametrize("way", ["services", "endpoint"])
def test_a_reference_case(hall: FinalHall, case: dict[str, Any], way: str) -> None:
    if way == "endpoint":
        hall.began = timezone.now() - timedelta(milliseconds=ARRIVAL)
    for other in case["others"]:
        hall.other(other["at"], other["what"])
    if way == "services":
        for act in case["acts"]:
            hall.arrive(hall.sent(act))
    else:
        answer = hall.post(*map(hall.sent, case["acts"])).json()
        rows = [f"{row['outcome']} {row['code']}".strip() for row in answer["outcomes"]]
        assert (answer["have"], rows) == (len(case["acts"]), case["expect"])
        assert all(row["text"] != row["code"] for row in answer["outcomes"] if row["code"]), "each has a sentence"
    assert hall.outcomes() == case["expect"]
    assert list(differences()) == []
    for name, expected in case.get("stands", {}).items():
        assert hall.stands(name, expected) == expected
