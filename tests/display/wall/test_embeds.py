"""Pages for frames on the websites that a club names, and what link previews say."""

import re

import pytest
from django.test import Client

from players.actors import SYSTEM
from players.models import Club, Player, User
from tests.event_cast import (
    NOW,
    RunningEvent,
    alice_client,
    as_user,
    bob_player,
    by_alice,
    carol_player,
    club,
    make_division,
    make_players,
    running,
    tournament,
)
from tournaments.floor.calls import call
from tournaments.floor.evening import open_floor
from tournaments.results.services import ResultInput, enter_result

__all__ = ["alice_client", "as_user", "bob_player", "by_alice", "carol_player", "club", "make_division"]
__all__ += ["make_players", "running", "tournament"]

pytestmark = pytest.mark.django_db


def test_only_hosts_that_the_club_names_may_frame_its_pages(running: RunningEvent, alice_client: Client) -> None:
    embeds = [f"{running.division_url}embed/bracket/", f"{running.division_url}embed/standings/"]
    embeds.append(f"{running.url}embed/calls/")
    for url in embeds:
        policy = Client().get(url).headers["Content-Security-Policy"]
        assert policy.endswith("frame-ancestors 'self'")
    edit = f"/clubs/{running.tournament.club.slug}/edit/"
    fields = {"name": "Harbour Backgammon", "city": "", "time_zone": "UTC", "about": ""}
    wrong = alice_client.post(edit, fields | {"embed_hosts": "javascript:alert(1); *"})
    assert wrong.status_code == 422
    hosts = "www.harbour.example, https://backgammon.example:8443/"
    assert alice_client.post(edit, fields | {"embed_hosts": hosts}).status_code == 302
    assert Club.objects.get(slug="harbour").embed_hosts == "https://www.harbour.example https://backgammon.example:8443"
    for url in embeds:
        response = Client().get(url)
        policy = response.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'self'; ")
        assert policy.endswith("frame-ancestors 'self' https://www.harbour.example https://backgammon.example:8443")
        assert "X-Frame-Options" not in response.headers
        assert "<form" not in response.content.decode()
        assert not response.cookies
        # Nobody sees that somebody is signed in: neither their theme nor a token of theirs is in the page.
        User.objects.filter(display_name="Alice").update(theme=User.Theme.DARK)
        pages = [shown.content.decode() for shown in (alice_client.get(url), response)]
        assert len({re.sub('data-topics="[^"]*"', "", page) for page in pages}) == 1
    # Other pages of the club still refuse any frame.
    other = Client().get(running.url)
    assert other.headers["Content-Security-Policy"].endswith("frame-ancestors 'none'")
    assert other.headers["X-Frame-Options"] == "DENY"


def test_the_frame_of_the_whole_event_has_calls_tables_and_standings(running: RunningEvent) -> None:
    frame = f"{running.url}embed/calls/"
    event = running.tournament
    event.tables = 2
    event.save()
    open_floor(tournament=event, by=SYSTEM, now=NOW)
    call(fixture=running.fixture, by=SYSTEM, now=NOW)
    shown = Client().get(frame).content.decode()
    called, tables = shown.index("embed-calls"), shown.index("Tables</h2>")
    assert "Bob" in shown[called:tables]
    assert "Called" in shown[tables:]
    enter_result(fixture=running.fixture, result=ResultInput(0, (7, 5)), by=SYSTEM, now=NOW)
    assert f"<h2>{running.division.name} · " in Client().get(frame).content.decode()


def test_embeds_and_link_previews_show_only_public_names(
    running: RunningEvent, alice_client: Client, bob_player: Player
) -> None:
    Player.objects.filter(pk=bob_player.pk).update(name="Bob Bergmann", initials_only=True)
    match = running.fixture.match
    assert match is not None
    bracket = alice_client.get(f"{running.division_url}embed/bracket/").content.decode()
    assert "Carol" in bracket
    assert "Bergmann" not in bracket
    for url, title in (
        (running.url, "Winter Open"),
        (running.division_url, "Open · Winter Open"),
        (f"/matches/{match.public_id}/", " – "),
        (f"/players/{bob_player.public_id}/", "B."),
    ):
        page = Client().get(url).content.decode()
        assert 'property="og:description"' in page, url
        preview = page.partition('property="og:title" content="')[2].partition('"')[0]
        assert title in preview
        assert "Bergmann" not in page
