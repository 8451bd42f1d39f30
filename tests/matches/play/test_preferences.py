"""Bob chooses how he wants to play, on the page and by the API."""

import pytest
from django.test import Client
from rest_framework.test import APIClient

from matches.models import PlayPreferences
from matches.play.preferences import preferences_json
from players.models import User
from tests.api.test_matches import as_, ask

pytestmark = pytest.mark.django_db
URL = "/api/v1/me/play-preferences/"


def test_nothing_happens_by_itself_and_the_cube_is_confirmed_unless_chosen_otherwise(bob: User) -> None:
    chosen = ask(as_(bob), URL, 200)
    assert chosen == preferences_json(bob)
    assert (chosen["autoroll"], chosen["play_forced"], chosen["bear_off"]) == ("never", False, False)
    assert (chosen["confirm_plays"], chosen["confirm_cube"]) == (False, True)
    assert not PlayPreferences.objects.exists()


def test_the_api_changes_what_is_sent(bob: User, carol: User) -> None:
    client = as_(bob)
    before = ask(client, URL, 200)
    response = client.patch(URL, {"autoroll": "no_double", "speed": 0})
    assert response.status_code == 200
    assert response.json() == before | {"autoroll": "no_double", "speed": 0}
    assert preferences_json(bob) == response.json()
    assert preferences_json(carol) == before


@pytest.mark.parametrize("change", [{"speed": 5}, {"autoroll": "always"}, {"theme": "../x"}, {"sound": "loud"}])
def test_the_api_refuses_unknown_values(bob: User, change: dict[str, object]) -> None:
    response = as_(bob).patch(URL, change)
    assert response.status_code == 422
    assert [fault["field"] for fault in response.json()["errors"]] == list(change)


def test_visitors_have_none_on_the_server() -> None:
    assert APIClient().get(URL).status_code == 401


def test_the_page_saves_every_field(client: Client, bob: User) -> None:
    client.force_login(bob)
    assert 'href="/preferences/play/"' in client.get("/preferences/").content.decode()
    form = client.get("/preferences/play/").context["form"]
    assert set(form.fields) == set(PlayPreferences.FIELDS)
    chosen = {"autoroll": "no_double", "checkers": "dark", "theme": "slate", "speed": "400", "zen": "on"}
    assert client.post("/preferences/play/", chosen).status_code == 302
    saved = preferences_json(bob)
    assert saved["confirm_cube"] is False
    assert (saved["checkers"], saved["theme"], saved["speed"], saved["zen"]) == ("dark", "slate", 400, True)
    assert client.post("/preferences/play/", chosen | {"theme": "marble"}).status_code == 422
