"""Times as a reader in Tokyo sees them, before and after the site knows where they are."""

import zoneinfo
from datetime import UTC, datetime

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone

from config.middleware import Preferences
from core import times
from players.models import User
from tests.event_cast import RunningEvent
from tests.pages import html

EVENING = datetime(2026, 11, 20, 18, 30, tzinfo=UTC)
TOKYO = zoneinfo.ZoneInfo("Asia/Tokyo")


def test_a_time_of_unknown_readers_names_its_zone() -> None:
    assert times.reader_time(EVENING) == "Fri 20 Nov 2026, 18:30 UTC"
    assert times.event_time(EVENING, "Europe/Copenhagen") == "20 Nov, 19:30 CET"


def test_a_reader_in_tokyo_sees_their_own_clock_and_the_one_of_the_event() -> None:
    with timezone.override(TOKYO):
        assert times.reader_time(EVENING) == "Sat 21 Nov 2026, 03:30"
        assert times.event_time(EVENING, "Europe/Copenhagen") == "20 Nov, 19:30 CET (21 Nov, 03:30 for you)"
        assert times.event_time(EVENING, "Asia/Seoul") == "21 Nov, 03:30"


def test_the_browser_of_an_unknown_reader_gets_what_it_needs_to_add_their_time() -> None:
    of_event = times.event_element(EVENING, "Europe/Copenhagen")
    assert 'data-offset="60" data-plain="20 Nov, 19:30">20 Nov, 19:30 CET<' in of_event
    assert 'data-clock="long" data-offset="0" data-plain="">' in times.reader_element(EVENING)
    with timezone.override(TOKYO):
        assert "data-" not in times.event_element(EVENING, "Asia/Seoul") + times.reader_element(EVENING)


def test_what_is_written_in_a_zone_names_it_where_the_time_may_be_misread() -> None:
    there = times.in_zone(EVENING, "Pacific/Auckland")
    assert times.written(there) == "21 Nov 2026", "a day needs no zone"
    assert times.written(there, "TIME_FORMAT") == "07:30 NZDT"
    assert times.written(EVENING, times.SHORT) == "20 Nov, 18:30 UTC", "on the clock of a reader nobody knows"
    assert times.written(EVENING.date(), "j M") == "20 Nov"
    assert times.written(EVENING.time(), "TIME_FORMAT") == "18:30"
    with timezone.override(zoneinfo.ZoneInfo("Antarctica/McMurdo")):
        assert times.written(there, "H:i") == "07:30", "the reader's clock shows the same"
        assert times.written(EVENING, times.SHORT) == "21 Nov, 07:30"


def test_a_page_about_one_event_has_its_clocks_where_others_have_the_readers() -> None:
    with times.on_clocks_of("Europe/Copenhagen"):
        assert times.reader_time(EVENING) == "Fri 20 Nov 2026, 19:30 CET"
        assert 'data-offset="60"' in times.reader_element(EVENING)
        assert times.written(EVENING, "H:i") == "19:30 CET"
        with timezone.override(TOKYO):
            assert times.reader_time(EVENING) == "Fri 20 Nov 2026, 19:30 CET (Sat 21 Nov 2026, 03:30 for you)"
    with times.on_clocks_of(""):
        assert times.reader_time(EVENING) == "Fri 20 Nov 2026, 18:30 UTC"


def zone_of(cookie: str, user: object) -> str:
    """The time zone in which a request with this cookie is answered."""
    request = RequestFactory().get("/", headers={"Cookie": f"time_zone={cookie}"})
    request.user = user  # type: ignore[assignment]
    seen: list[str] = []

    def answer(_request: object) -> HttpResponse:
        seen.append(timezone.get_current_timezone_name())
        return HttpResponse()

    Preferences(answer)(request)
    return seen[0]


@pytest.mark.parametrize(
    ("cookie", "zone"),
    [
        ("Asia%2FTokyo", "Asia/Tokyo"),
        ("Asia/Tokyo", "Asia/Tokyo"),
        ("", "UTC"),
        ("Atlantis", "UTC"),
        ("../../x", "UTC"),
    ],
)
def test_the_browsers_zone_is_used_if_there_is_such_a_zone(cookie: str, zone: str) -> None:
    assert zone_of(cookie, User()) == zone


@pytest.mark.django_db
def test_a_chosen_zone_comes_before_the_browsers(bob: User) -> None:
    bob.time_zone = "America/New_York"
    assert zone_of("Asia/Tokyo", bob) == "America/New_York"
    bob.time_zone = ""
    assert zone_of("Asia/Tokyo", bob) == "Asia/Tokyo"


@pytest.mark.django_db
def test_an_event_page_shows_both_clocks_in_tokyo(running: RunningEvent, client: Client) -> None:
    starts = running.tournament.starts_at
    assert f"{starts.astimezone(TOKYO):%H:%M} for you" not in html(client.get(running.url))
    client.cookies["time_zone"] = "Asia/Tokyo"
    assert f"{starts.astimezone(TOKYO):%H:%M} for you" in html(client.get(running.url))
