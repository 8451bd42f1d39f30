"""The languages that a club and an event choose, on their forms and in the API."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from clubhouse.copies import copy_event
from engine.errors import Refused
from players.actors import Actor
from players.models import Club
from tests.api.requests import problem_code
from tests.event_cast import NOON
from tests.pages import html
from tests.tournaments.events.test_event_pages import FORM
from tournaments.events import services as events
from tournaments.models import Division, Tournament

pytestmark = pytest.mark.django_db
CLUB = {"name": "Harbour Backgammon", "time_zone": "Europe/Copenhagen"}


def test_a_site_with_one_language_asks_for_none(alice_client: Client, club: Club, settings: Any) -> None:
    settings.LANGUAGES = [("en", "English")]
    for path in (f"/clubs/{club.slug}/edit/", "/clubs/new/", f"/events/new/{club.slug}/"):
        assert 'language"' not in html(alice_client.get(path))
    alice_client.post(f"/events/new/{club.slug}/", FORM | {"language": "en"})
    assert Tournament.objects.get().language == ""


def test_a_director_chooses_the_languages_of_the_club_and_of_an_event(
    alice_client: Client, club: Club, pseudo_locale: str
) -> None:
    alice_client.post(f"/clubs/{club.slug}/edit/", CLUB | {"language": pseudo_locale})
    club.refresh_from_db()
    assert club.language == club.effective_language == pseudo_locale

    alice_client.post(f"/events/new/{club.slug}/", FORM)
    event = Tournament.objects.select_related("club").get()
    assert (event.language, event.effective_language) == ("", pseudo_locale), "a new event has that of the club"
    path = f"/events/{club.slug}/{event.slug}/edit/"
    alice_client.post(path, FORM | {"language": "en", "second_language": pseudo_locale})
    event.refresh_from_db()
    assert (event.effective_language, event.second_language) == ("en", pseudo_locale)
    assert f'<option value="{pseudo_locale}" selected>' in html(alice_client.get(path))


@pytest.mark.parametrize("field", ["language", "second_language"])
def test_a_language_that_is_not_offered_is_refused(
    field: str, alice_client: Client, tournament: Tournament, by_alice: Actor
) -> None:
    path = f"/api/v1/tournaments/{tournament.public_id}/"
    answer = alice_client.patch(path, {field: "tlh"}, content_type="application/json")
    assert problem_code(answer) == (422, "bad_language")
    club = alice_client.patch(
        f"/api/v1/clubs/{tournament.club.slug}/", {"language": "tlh"}, content_type="application/json"
    )
    assert problem_code(club) == (422, "bad_language")
    with pytest.raises(Refused, match="bad_language"):
        events.create_tournament(club=tournament.club, by=by_alice, now=NOON, name="B", starts_at=NOON, **{field: "xx"})
    answer = alice_client.patch(path, {field: "en"}, content_type="application/json")
    assert answer.json()[field] == "en"


def test_a_copy_leaves_out_a_language_that_is_not_offered_any_more(
    make_division: Callable[..., Division], by_alice: Actor
) -> None:
    event = make_division().tournament
    event.language, event.second_language = "tlh", "en"
    copy = copy_event(tournament=event, by=by_alice, now=NOON)
    assert (copy.language, copy.second_language) == ("", "en")
