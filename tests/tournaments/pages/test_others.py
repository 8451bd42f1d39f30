"""The administration pages, and what a match is called where it is listed."""

import pytest
from django.test import Client

from matches.occasions import occasions
from players.models import User
from tests.tournaments.pages.conftest import Running
from tests.tournaments.pages.test_division import page
from tournaments.models import Division, Draw, Entry, Fixture, Stage, Tournament

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("model", [Tournament, Division, Entry, Stage, Draw, Fixture])
def test_the_staff_look_and_change_nothing(
    model: type[Tournament], running: Running, client: Client, password: str
) -> None:
    client.force_login(User.objects.create_superuser("staff@example.org", password))
    row = model.objects.first()
    assert row is not None
    where = f"/admin/tournaments/{model._meta.model_name}/"
    assert f"{where}{row.pk}/change/" in page(client, where)
    html = page(client, f"{where}{row.pk}/change/")
    assert 'name="_save"' not in html
    assert Stage.objects.get().seed not in html
    assert client.get(f"{where}add/").status_code == 403


def test_a_match_is_called_after_its_event(running: Running) -> None:
    topic = running.division.topic
    told = occasions([topic, "division:nothing222"])
    assert told[topic].title == "Winter Open · Open"
    assert told[topic].url == running.page
    assert set(told) == {topic}
