"""The letter as a page, by an account or a personal link, and its card at home."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from clubhouse.letters.contents import letter_of
from clubhouse.letters.night import night_of
from clubhouse.letters.page import letter_card
from matches.models import Match
from matches.presentation.visibility import Viewer
from players.models import Player, User
from tests.clubhouse.letters.conftest import event_of
from tests.tournaments.support.correcting import LATER, Cup
from tests.tournaments.support.pages import page, text
from tournaments.entries.event_links import path_for
from tournaments.models import Letter, Tournament

pytestmark = pytest.mark.django_db
AsUser = Callable[[User | None], Client]
MOST = 12
"""Queries of a letter beside those for all readers of the event."""


@pytest.fixture
def last_night(evening: Cup) -> Cup:
    """The evening was a day ago."""
    Match.objects.update(finished_at=timezone.now() - timedelta(hours=10))
    Tournament.objects.update(starts_at=timezone.now() - timedelta(hours=14))
    return evening


def test_from_home_to_the_letter(last_night: Cup, carol: User, as_user: AsUser) -> None:
    client = as_user(carol)
    url = f"/my/letters/{event_of(last_night).public_id}/"
    home = page(client, "/")
    assert f'href="{url}"' in home
    assert "Your evening: Cup one" in text(home)
    shown = text(page(client, url))
    for sentence in ("you came 2nd", "You lost to Bob 1–3. Final · M3", "Bob won the Main (4 players)"):
        assert sentence in shown
    final = Match.objects.latest("pk")
    record = f"/matches/{final.public_id}/"
    assert f'href="{record}#record"' in page(client, url)
    assert 'id="record"' in page(client, record)


def test_members_who_did_not_play_read_what_they_missed_and_strangers_nothing(
    last_night: Cup, alice: User, dave: User, as_user: AsUser
) -> None:
    assert "What you missed: Cup one" in text(page(as_user(alice), "/"))
    shown = text(page(as_user(alice), f"/my/letters/{event_of(last_night).public_id}/"))
    assert "Cup one at Harbour Backgammon: Bob won" in shown
    assert "Your matches" not in shown
    assert as_user(dave).get(f"/my/letters/{event_of(last_night).public_id}/").status_code == 404
    assert as_user(dave).post(f"/my/letters/{event_of(last_night).public_id}/put-away/").status_code == 302
    assert not Letter.objects.exists()


def test_a_letter_that_is_put_away_stays_where_it_is(last_night: Cup, bob: User, as_user: AsUser) -> None:
    client, url = as_user(bob), f"/my/letters/{event_of(last_night).public_id}/"
    for _twice in range(2):
        assert client.post(f"{url}put-away/").status_code == 302
        assert url not in page(client, "/")
    assert Letter.objects.get().dismissed_at is not None
    assert "you came 1st" in text(page(client, url))


def test_only_the_newest_letter_has_a_card_and_for_a_week(last_night: Cup, bob: User) -> None:
    viewer = Viewer.of(bob)
    now = timezone.now()
    assert letter_card(bob, viewer, now) is not None
    assert letter_card(bob, viewer, now + timedelta(days=7)) is None
    Tournament.objects.update(status=Tournament.Status.RUNNING)
    assert letter_card(bob, viewer, now) is None


def test_a_guest_reads_the_letter_by_the_personal_link(last_night: Cup, client: Client) -> None:
    event, guest = event_of(last_night), Player.objects.get(name="Player 1")
    link = path_for(event, guest, 0)
    assert f'href="{link}letter/"' in page(client, link)
    answer = client.get(f"{link}letter/")
    assert (answer.headers["Referrer-Policy"], answer.headers["X-Robots-Tag"]) == ("no-referrer", "noindex, nofollow")
    shown = answer.content.decode()
    assert "you came 3rd–4th" in text(shown)
    assert "/my/" not in shown.split("<main")[1].split("</main")[0]


def test_a_letter_takes_few_queries_once_the_evening_is_read(evening: Cup, bob: User) -> None:
    night = night_of(event_of(evening), LATER)
    with CaptureQueriesContext(connection) as queries:
        assert letter_of(bob, event_of(evening), LATER, night) is not None
    assert len(queries) - 1 <= MOST
