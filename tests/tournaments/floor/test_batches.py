"""A night of lives without rounds, through the services: whoever is free plays, until one is left."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from players.actors import Actor
from players.models import Club, Membership, Player
from tournaments.formats.settings import LIVES, Pairing, StageSettings
from tournaments.models import Batch, Division, Fixture, OpenPairing, Tournament
from tournaments.pages.tonight import EveningPlan, start_evening, undo_start

pytestmark = pytest.mark.django_db
NOON = datetime.fromisoformat("2026-11-20T12:00:00+00:00")
FLOW = (StageSettings(LIVES, lives=2, lengths=(5,), pairing=Pairing.CONTINUOUS),)


@pytest.fixture
def people(club: Club) -> list[Player]:
    """Thirteen members of the club."""
    rows = [Player.objects.create(name=f"Member {number}") for number in range(1, 14)]
    Membership.objects.bulk_create(Membership(club=club, player=player) for player in rows)
    return rows


@pytest.fixture
def start(club: Club, people: list[Player], by_alice: Actor) -> Callable[..., Tournament]:
    """Start a night at noon."""

    def start_one(*, tables: int = 5, stages: Any = FLOW, now: datetime = NOON, **more: Any) -> Tournament:
        plan = EveningPlan(tables, now + timedelta(hours=8), stages, people)
        return start_evening(club=club, plan=plan, by=by_alice, now=now, **more)

    return start_one


def test_a_start_makes_as_many_pairs_as_there_are_tables(start: Callable[..., Tournament]) -> None:
    event = start()
    division = event.divisions.get()
    assert division.status == Division.Status.RUNNING
    batch = Batch.objects.get(stage__division=division)
    assert (batch.number, batch.room, len(batch.pool)) == (1, 5, 13)
    assert batch.pairings.count() == 5
    assert OpenPairing.objects.count() == 10
    assert Fixture.objects.filter(status="ready").count() == 5


def test_an_undone_start_leaves_no_pair_and_gives_the_same_again(
    start: Callable[..., Tournament], by_alice: Actor
) -> None:
    event = start()
    first = list(Batch.objects.get().pairings.values_list("first", "second"))
    event = undo_start(tournament=event, by=by_alice, now=NOON + timedelta(seconds=30))
    assert not Fixture.objects.exists() and not OpenPairing.objects.exists()
    start(now=NOON + timedelta(minutes=2), event=event)
    assert list(Batch.objects.get(number=2).pairings.values_list("first", "second")) == first
