"""The pages of events: the list, the home, and forms."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from players.actors import Actor
from players.models import Club, User
from tests.event_cast import NOW, RunningEvent
from tests.pages import html
from tests.tournaments.support.pages import page, text
from tournaments.events import services as events
from tournaments.models import Division, Tournament

pytestmark = pytest.mark.django_db
FORM = {
    "name": "Winter Open",
    "starts_at": "2026-12-05T18:30",
    "ends_at": "",
    "closing_rule": "leader",
    "silent_desk": "go_on",
    "check_in_opens_at": "2026-12-05T17:00",
    "check_in_closes_at": "",
    "time_zone": "Copenhagen",
    "venue": "",
    "about": "",
    "currency": "ticket",
}
DIVISION = {
    "name": "Open",
    "lengths": "5 7, 9",
    "draw_method": "random",
    "crawford": "on",
    "deadlines": "2026-12-12 20:00\n-\n2026-12-19 20:00",
    "deadline_rule": "director",
    "extension_hours": "72",
    "claim_wait": "600",
    "play_mode": "table",
    "clock": "table",
    "overtime_minutes": "0",
    "turn_days": "2",
    "bank_days": "0",
    "flag_rule": "match_lost",
    "spectators_delay": "0",
}


def post(client: Client, path: str, data: dict[str, Any]) -> str:
    return html(client.post(path, data, follow=True))


def test_a_director_creates_and_publishes_an_event_with_a_division(
    alice_client: Client, club: Club, client: Client
) -> None:
    post(alice_client, f"/events/new/{club.slug}/", FORM)
    tournament = Tournament.objects.get()
    home = f"/events/{club.slug}/winter-open/"
    assert tournament.starts_at == datetime(2026, 12, 5, 17, 30, tzinfo=UTC), "entered in Copenhagen time"
    assert tournament.check_in_opens_at == datetime(2026, 12, 5, 16, tzinfo=UTC)
    assert (tournament.closing_rule, tournament.silent_desk) == ("leader", "go_on")
    assert '<option value="leader" selected>' in html(alice_client.get(f"{home}edit/"))
    assert client.get(home).status_code == 404

    post(alice_client, f"{home}new-division/", DIVISION)

    division = Division.objects.get()
    assert (division.match_length, division.round_lengths) == (5, [5, 7, 9])
    assert division.stages.get().settings["deadlines"] == ["2026-12-12T20:00:00+01:00", "", "2026-12-19T20:00:00+01:00"]
    post(alice_client, f"{home}publish/", {})
    assert "Winter Open" in text(page(client, home))
    assert "5, 7, 9 points" in text(page(client, home))


def test_a_double_click_creates_a_single_event_and_division(alice_client: Client, club: Club) -> None:
    for _twice in range(2):
        post(alice_client, f"/events/new/{club.slug}/", {**FORM, "key": "abc"})
    assert Tournament.objects.count() == 1
    for _twice in range(2):
        post(alice_client, f"/events/{club.slug}/winter-open/new-division/", {**DIVISION, "key": "def"})
    assert Division.objects.count() == 1
    post(alice_client, f"/events/new/{club.slug}/", {**FORM, "key": "ghi"})
    assert [row.slug for row in Tournament.objects.order_by("pk")] == ["winter-open", "winter-open-2"]


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("name", "", "required"),
        ("time_zone", "Atlantis", "not a known time zone"),
        ("ends_at", "2026-12-04T18:30", "end is before the start"),
        ("starts_at", "tomorrow", "valid date"),
        ("check_in_closes_at", "2026-12-05T16:30", "closes before it opens"),
        ("currency", "€", "valid value"),
    ],
)
def test_errors_in_an_event_are_shown_beside_their_fields(
    alice_client: Client, club: Club, field: str, value: str, sentence: str
) -> None:
    answer = alice_client.post(f"/events/new/{club.slug}/", {**FORM, field: value})
    assert answer.status_code == 422
    assert sentence in text(answer.content.decode())
    assert not Tournament.objects.exists()


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("lengths", "5 x", "whole numbers from 1 to 25"),
        ("lengths", "0", "whole numbers from 1 to 25"),
        ("lengths", "26", "whole numbers from 1 to 25"),
        ("deadlines", "next week", "is not a date and time"),
        ("capacity", "1", "greater than or equal to 2"),
        ("fee", "1.5", "is not an amount"),
        ("name", "Open", "is already taken"),
    ],
)
def test_errors_in_a_division_are_shown_beside_their_fields(
    alice_client: Client, make_division: Callable[..., Division], field: str, value: str, sentence: str
) -> None:
    division = make_division(name="Open")
    home = f"/events/{division.tournament.club.slug}/{division.tournament.slug}/"
    answer = alice_client.post(f"{home}new-division/", {**DIVISION, "name": "Other", field: value})
    assert answer.status_code == 422
    assert sentence in text(answer.content.decode())
    assert Division.objects.count() == 1


def settings_url(division: Division) -> str:
    return f"/events/{division.tournament.club.slug}/{division.tournament.slug}/{division.public_id}/settings/"


def test_settings_change_and_a_stale_form_shows_the_changes(
    alice_client: Client, make_division: Callable[..., Division], by_alice: Actor
) -> None:
    division = make_division(name="Open")
    answer = alice_client.post(settings_url(division), {**DIVISION, "after": division.seq, "seen": "1"})
    assert answer.status_code == 302
    division.refresh_from_db()
    assert division.round_lengths == [5, 7, 9]

    stale = alice_client.post(settings_url(division), {**DIVISION, "name": "Masters", "after": 0, "seen": "1"})

    assert stale.status_code == 409
    html = text(stale.content.decode())
    assert "Alice: changed the settings" in html
    assert "match length: 7 → 5" in html
    division.refresh_from_db()
    assert division.name == "Open"


def test_after_the_draw_fixed_settings_are_ignored(alice_client: Client, running: RunningEvent) -> None:
    division = running.division
    assert "disabled" in page(alice_client, f"{running.division_url}settings/")

    alice_client.post(settings_url(division), {**DIVISION, "name": "Masters", "after": division.seq})

    division.refresh_from_db()
    assert (division.name, division.match_length, division.round_lengths) == ("Masters", 7, [])
    assert running.division.stages.get().settings["deadlines"][0].startswith("2026-12-12")


def test_the_list_shows_published_events_and_drafts_for_the_staff(
    alice_client: Client, client: Client, running: RunningEvent, by_alice: Actor, club: Club
) -> None:
    events.create_tournament(club=club, by=by_alice, now=NOW, name="Secret Plan", starts_at=NOW)
    assert "Winter Open" in page(client, "/events/")
    assert "Secret Plan" not in page(client, "/events/")
    assert "Secret Plan" in page(alice_client, "/events/")
    assert "Winter Open" not in page(client, "/events/?club=elsewhere")
    assert "Winter Open" in page(client, f"/clubs/{club.slug}/")
    assert "Secret Plan" not in page(client, f"/clubs/{club.slug}/")


def test_players_see_their_next_match_first(
    running: RunningEvent, bob: User, dave: User, as_user: Callable[[User], Client]
) -> None:
    html = page(as_user(bob), running.url)
    assert "Your next match" in text(html)
    assert "against Carol" in text(html)
    assert running.fixture.match is not None
    link = f'href="/matches/{running.fixture.match.public_id}/"'
    assert html.count(link) == 1, "it is not in the list of the next matches as well"
    others = page(as_user(dave), running.url)
    assert "Your next match" not in others
    assert others.count(link) == 1


def test_the_event_home_searches_for_a_player(running: RunningEvent, client: Client) -> None:
    html = page(client, f"{running.url}?player=CAROL")
    assert re.search(rf'href="{running.division_url}\?player=[2-9a-z]{{10}}"', html)
    assert "No entries with that name" in page(client, f"{running.url}?player=zebra")


def test_times_are_shown_in_the_zones_of_the_event_and_of_the_reader(
    running: RunningEvent, bob: User, client: Client, as_user: Callable[[User], Client]
) -> None:
    assert "20 Nov 2026, 13:00 CET" in text(page(client, running.url))
    User.objects.filter(pk=bob.pk).update(time_zone="America/New_York")
    assert "Fri 20 Nov 2026, 13:00 CET (Fri 20 Nov 2026, 07:00 for you)" in text(page(as_user(bob), running.url))


def test_an_event_is_cancelled_after_confirmation(alice_client: Client, running: RunningEvent) -> None:
    assert "Keep the event" in page(alice_client, f"{running.url}cancel/")
    post(alice_client, f"{running.url}cancel/", {"reason": "snow", "event": running.tournament.public_id})
    running.tournament.refresh_from_db()
    assert running.tournament.status == Tournament.Status.CANCELLED
    again = post(alice_client, f"{running.url}cancel/", {"event": running.tournament.public_id})
    assert "This event is not open." in text(again)


def test_empty_pages_show_what_to_do(client: Client, alice_client: Client, club: Club, tournament: Tournament) -> None:
    assert "No events yet." in page(client, "/events/")
    home = f"/events/{club.slug}/{tournament.slug}/"
    assert "This event has no division yet." in page(alice_client, home)
    assert "This event has no division yet." in page(alice_client, f"{home}console/")
    assert "An event needs at least one division" in text(post(alice_client, f"{home}publish/", {}))


@pytest.mark.postgresql
def test_each_of_many_events_of_one_time_and_name_is_on_one_page(client: Client, club: Club, alice: User) -> None:
    over = {"status": Tournament.Status.FINISHED, "starts_at": NOW, "time_zone": "UTC", "currency": "EUR"}
    Tournament.objects.bulk_create(
        Tournament(club=club, name="Club night", slug=f"night-{number}", created_by=alice, created_at=NOW, **over)
        for number in range(130)
    )
    pages = [html(client.get("/events/", {"page": number})) for number in range(1, 6)]
    shown = [slug for text in pages for slug in set(re.findall(rf"/events/{club.slug}/(night-\d+)/", text))]
    assert len(shown) == len(set(shown)) == 130
