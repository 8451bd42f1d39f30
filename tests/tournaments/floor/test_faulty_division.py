"""A fault in the pairing of one division stops neither the calls of the others nor the pages of the event."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from formats.settings import LIVES, PairingMode, StageSettings
from matches.models import Match
from players.actors import Actor
from players.models import Club, Player
from tests.clock import NOON
from tests.tournaments.support.swiss_rounds import DivisionDriver
from tournaments.events import services as events
from tournaments.floor import evening, flows
from tournaments.floor.calls import call_ready
from tournaments.models import Autopilot, Batch, Stage

RESTED = NOON + timedelta(hours=1)
FLOW = StageSettings(LIVES, lives=2, lengths=(5,), pairing=PairingMode.CONTINUOUS)


@pytest.mark.django_db
def test_a_fault_in_one_division_stays_there(
    club: Club, by_alice: Actor, alice_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = events.create_tournament(club=club, by=by_alice, now=NOON, name="Open", starts_at=NOON)
    main, second = (
        DivisionDriver(events.create_division(tournament=event, by=by_alice, now=NOON, name=name), by_alice)
        for name in ("Main", "Second")
    )
    events.publish_tournament(tournament=event, by=by_alice, now=NOON)
    evening.open_floor(tournament=event, by=by_alice, now=NOON)
    evening.set_autopilot(tournament=event, mode=Autopilot.CALL, by=by_alice, now=NOON)
    for driver in (main, second):
        driver.enter([Player.objects.create(name=f"{driver.division.name} {number}") for number in range(4)])
        driver.begin(FLOW)
    for driver in (main, second):
        driver.play_round()
    sound = flows.flow_state_of

    def faulty(stage: Stage, *rest: Any) -> Any:
        if stage.division == main.division:
            raise KeyError(stage.pk)
        return sound(stage, *rest)

    monkeypatch.setattr(flows, "flow_state_of", faulty)
    call_ready(tournament_id=event.pk, now=RESTED)
    made = Batch.objects.filter(number__gt=1).values_list("stage__division__name", flat=True)
    assert list(made) == ["Second"]
    assert Match.objects.filter(parent_topic=second.division.topic, state=Match.State.OPEN).exists()

    floor = alice_client.get(f"/events/{club.slug}/{event.slug}/floor/")
    text = floor.content.decode()
    assert "The pairing of this division has failed" in text
    assert main.division.public_id in text
    data = alice_client.get(f"/api/v1/tournaments/{event.public_id}/floor/").json()
    assert data["faulty"] == [main.division.public_id]
    assert len(data["flows"]) == 1
    for page in ("", "wall/", f"{main.division.public_id}/"):
        assert alice_client.get(f"/events/{club.slug}/{event.slug}/{page}").status_code == 200

    monkeypatch.undo()
    call_ready(tournament_id=event.pk, now=RESTED)
    assert Batch.objects.filter(number__gt=1, stage__division=main.division).exists()
