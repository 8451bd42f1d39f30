"""The calendar of an event."""

from datetime import timedelta

import pytest
from django.test import Client

from tests.event_cast import NOW, RunningEvent
from tournaments.models import Round, Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


def test_a_calendar_has_the_event_and_the_deadlines_of_its_rounds(running: RunningEvent, client: Client) -> None:
    path = f"{running.url}calendar.ics"
    Tournament.objects.update(venue="Harbour Café, 1st floor", ends_at=NOW + timedelta(hours=8))
    first = Round.objects.filter(bracket__stage__division=running.division).order_by("number")[0]
    Round.objects.filter(pk=first.pk).update(deadline=NOW + timedelta(hours=4))
    response = client.get(path)
    assert response.headers["Content-Type"] == "text/calendar; charset=utf-8"
    text = response.content.decode().replace("\r\n ", "")
    assert text.count("BEGIN:VEVENT") == 2
    assert "SUMMARY:Winter Open" in text
    assert "DTSTART:20261120T120000Z\r\nDTEND:20261120T200000Z" in text
    assert "DESCRIPTION:Harbour Backgammon" in text
    assert "LOCATION:Harbour Café\\, 1st floor" in text
    assert "SUMMARY:Deadline: Open · Semi-finals" in text
    assert f"URL:http://testserver{running.division_url}" in text
    assert f'href="{path}"' in client.get(running.url).content.decode()
    Tournament.objects.update(status=Tournament.Status.CANCELLED)
    text = client.get(path).content.decode()
    assert text.count("STATUS:CANCELLED") == 2, "so that calendars remove them"
    assert "SUMMARY:Winter Open is cancelled" in text
    Tournament.objects.update(status=Tournament.Status.DRAFT)
    assert client.get(path).status_code == 404, "drafts are the directors'"
