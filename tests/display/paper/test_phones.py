"""The paper page shows how phones open the event, and printed codes lead where phones can follow."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from core.links import qr_svg
from matches.lifecycle import links
from tests.event_cast import RunningEvent, alice_client, as_user, by_alice, club, running, tournament

__all__ = ["alice_client", "as_user", "by_alice", "club", "running", "tournament"]

LAN = "http://192.168.1.20:8000"
pytestmark = pytest.mark.django_db


def test_the_code_of_an_event_leads_to_it_from_a_phone(
    running: RunningEvent, alice_client: Client, settings: Any
) -> None:
    settings.SITE_URL = LAN
    page = alice_client.get(f"{running.url}paper/", headers={"Host": "127.0.0.1:8000"}).content.decode()
    assert qr_svg(LAN + running.url) in page
    assert "make run-lan" not in page


def test_a_site_that_phones_cannot_open_says_so(running: RunningEvent, alice_client: Client) -> None:
    url = f"{running.url}paper/"
    page = alice_client.get(url, headers={"Host": "127.0.0.1:8000"}).content.decode()
    assert "make run-lan" in page
    assert "make run-lan" not in alice_client.get(url, headers={"Host": "testserver"}).content.decode()


def test_a_score_sheet_printed_on_the_server_itself_leads_phones_to_the_match(
    running: RunningEvent, alice_client: Client, settings: Any
) -> None:
    settings.SITE_URL = LAN
    match = running.fixture.match
    assert match is not None
    page = alice_client.get(f"{running.url}paper/score-sheets/", headers={"Host": "localhost:8000"}).content.decode()
    assert LAN + reverse("match-link", args=[links.token_for(match, None)]) in page
