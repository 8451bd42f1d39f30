"""Alice names the tables, says what they are for, and sets the minutes of the evening on one page."""

import pytest
from django.test import Client

from players.actors import SYSTEM
from tests.event_cast import NOON, RunningEvent
from tournaments.floor import evening, selectors
from tournaments.floor.state import TableState

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


def test_alice_saves_tables_and_settings_in_one_step(running: RunningEvent, alice_client: Client) -> None:
    event = running.tournament
    event.tables = 2
    event.save()
    evening.open_floor(tournament=event, by=SYSTEM, now=NOON)
    url = f"{running.url}floor/settings/"
    page = alice_client.get(url)
    assert page.status_code == 200
    form = page.context["form"]
    values = {name: form[name].value() for name in form.fields if form[name].value() is not None}
    first, second = event.floor_tables.all()
    values |= {
        f"label_{first.public_id}": "Stage",
        f"category_{first.public_id}": "reserved",
        "new_label": "3",
        "new_category": "accessible",
        "rest": "10",
    }
    assert alice_client.post(url, values).status_code == 302
    view = selectors.floor(event, NOON)
    assert [(row.facts.label, row.facts.category) for row in view.tables.values()] == [
        ("Stage", "reserved"),
        (second.label, "normal"),
        ("3", "accessible"),
    ]
    assert next(iter(view.tables.values())).state == TableState.KEPT
    assert view.facts.settings.rest == 10
    # The label is taken: nothing is saved.
    third = event.floor_tables.get(label="3")
    values |= {f"label_{third.public_id}": "3", f"category_{third.public_id}": "accessible"}
    refused = alice_client.post(url, {**values, "new_label": "2", "rest": "20"})
    assert refused.status_code == 422
    assert "There is already a table 2." in refused.content.decode()
    assert selectors.floor(event, NOON).facts.settings.rest == 10
