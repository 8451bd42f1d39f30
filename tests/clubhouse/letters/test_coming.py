"""“I come”: entering the next evening by the link of a letter."""

from datetime import timedelta

import pytest
from django.test import Client

from clubhouse.letters.coming import coming_path
from players.models import LogEntry, User
from tests.event_cast import NOW
from tests.pages import html
from tournaments.models import Division, Entry, Tournament

pytestmark = pytest.mark.django_db
AHEAD = NOW + timedelta(days=3650)


@pytest.fixture
def link(open_division: Division, bob: User) -> str:
    event = open_division.tournament
    event.starts_at = AHEAD
    event.save(update_fields=["starts_at"])
    return coming_path(bob, event)


def entered() -> list[tuple[str, str]]:
    rows = Entry.objects.exclude(status=Entry.Status.OUT).order_by("pk")
    return [(entry.player.name, entry.status) for entry in rows]


def test_opening_the_link_enters_nobody_and_signs_nobody_in(link: str, client: Client) -> None:
    page = html(client.get(link))
    assert page.count("button-primary") == 1
    assert "I come on" in page
    assert entered() == []
    assert "_auth_user_id" not in client.session
    assert client.head(link).status_code == 200
    assert entered() == []


def test_one_tap_enters_the_person_of_the_link_once_and_another_takes_it_back(link: str, bob: User) -> None:
    # A mail program has no cookie of the site.
    client = Client(enforce_csrf_checks=True)
    for _twice in range(2):
        assert client.post(link, {"coming": "1"}).status_code == 302
        assert entered() == [("Bob", "in")]
    assert LogEntry.objects.get(verb="entered").by == LogEntry.By.LINK
    page = html(client.get(link))
    assert "You’re in." in page
    assert "Not this time" in page
    client.post(link, {"coming": "0"})
    assert entered() == []
    assert "_auth_user_id" not in client.session


def test_a_full_division_has_a_waiting_list(
    link: str, open_division: Division, alice: User, carol: User, dave: User, client: Client
) -> None:
    Division.objects.update(capacity=2)
    for user in (alice, carol, dave):
        client.post(coming_path(user, open_division.tournament), {"coming": "1"})
    assert "Join the waiting list, place 2" in html(client.get(link))
    client.post(link, {"coming": "1"})
    assert entered()[-1] == ("Bob", "waiting")
    assert "You are on the waiting list, 2nd" in html(client.get(link))


def test_the_link_works_until_the_event_starts_and_for_this_event_and_person_only(
    link: str, bob: User, carol: User, client: Client
) -> None:
    forged = link.replace(f"/{bob.pk}.", f"/{carol.pk}.")
    assert client.get(forged).status_code == client.post(forged, {"coming": "1"}).status_code == 404
    Tournament.objects.update(status=Tournament.Status.CANCELLED)
    assert client.get(link).status_code == 404
    Tournament.objects.update(status=Tournament.Status.PUBLISHED, starts_at=NOW - timedelta(days=3650))
    assert client.post(link, {"coming": "1"}).status_code == 404
    assert entered() == []


def test_registration_that_is_closed_is_refused_as_anywhere(link: str, client: Client) -> None:
    Division.objects.update(self_registration=False)
    client.post(link, {"coming": "1"})
    assert entered() == []
    assert "I come on" not in html(client.get(link))
