"""The cases of names.json: how one person or a pair is named to everybody, and to the staff of the club."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from players.models import Player
from players.people.pairs import pair_of
from tournaments.models import Entry
from tournaments.state.names import shown_entry

CASES = Path(__file__).resolve().parents[4] / "shared/data/weekend/names.json"


def named(case: dict[str, Any]) -> str:
    people = [
        Player.objects.create(
            name=person["name"],
            initials_only=person.get("initials", False),
            erased_at=timezone.now() if person.get("erased") else None,
        )
        for person in case["people"]
    ]
    with transaction.atomic():
        player = pair_of(*people) if len(people) == 2 else people[0]
    entry = Entry(player=player, number=case.get("number", 1))
    return shown_entry(entry, staff=case.get("staff", False))


@pytest.mark.django_db
@pytest.mark.skipif(not CASES.exists(), reason="../shared/data is not there")
def test_names_are_as_in_the_reference_cases() -> None:
    cases = [case for case in json.loads(CASES.read_text())["cases"] if case["kind"] == "names"]
    assert len(cases) > 5
    assert {case["name"]: named(case) for case in cases} == {case["name"]: case["expect"] for case in cases}
