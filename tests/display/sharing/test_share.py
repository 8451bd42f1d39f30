"""The page that shares an event, a bracket or standings."""

import re
from collections.abc import Callable
from html import unescape
from html.parser import HTMLParser

import pytest
from django.test import Client
from django.urls import reverse

from display.sharing.page.share import snippet
from players.models import Club, User
from tests.event_cast import RunningEvent
from tests.tournaments.support.pages import page, text
from tournaments.models import Division, Tournament

pytestmark = pytest.mark.django_db


class Frames(HTMLParser):
    """The attributes of the frames in a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[dict[str, str | None]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag == "iframe"
        self.found.append(dict(attrs))


@pytest.mark.parametrize("title", ["Open · Winter", "\"><script>alert('x')</script>", "Tom & Jerry's", "ברידג'"])
def test_a_snippet_is_one_frame_whatever_the_title_is(title: str) -> None:
    url = "https://barpoint.example/events/harbour/winter-open/embed/calls/?a=1&b=2"
    (frame,) = Frames(snippet(url, title)).found
    assert frame["src"] == url
    assert frame["title"] == title


def test_the_page_has_the_link_the_code_and_the_frame_of_what_was_chosen(running: RunningEvent, client: Client) -> None:
    division = running.division.public_id
    for key, path, frame in (
        ("", running.url, f"{running.url}embed/calls/"),
        ("event", running.url, f"{running.url}embed/calls/"),
        (f"bracket-{division}", running.division_url, f"{running.division_url}embed/bracket/"),
        (f"standings-{division}", f"{running.division_url}standings/", f"{running.division_url}embed/standings/"),
    ):
        shown = page(client, f"{running.url}share/?page={key}")
        assert f'value="http://testserver{path}"' in shown
        assert 'class="qr"' in shown
        (written,) = re.findall('<textarea id="snippet"[^>]*>(.*?)</textarea>', shown)
        (embedded,) = Frames(unescape(written)).found
        assert embedded["src"] == f"http://testserver{frame}"
        assert client.get(frame).status_code == 200
        assert f'<iframe class="share-preview" src="{frame}"' in shown
    assert client.get(f"{running.url}share/?page=bracket-elsewhere").status_code == 404


def test_a_title_with_markup_stays_a_text(running: RunningEvent, client: Client) -> None:
    Tournament.objects.update(name="</textarea><script>alert(1)</script>")
    shown = page(client, f"{running.url}share/")
    assert "<script>alert" not in shown
    (written,) = re.findall('<textarea id="snippet"[^>]*>(.*?)</textarea>', shown)
    assert Frames(unescape(written)).found[0]["title"] == "</textarea><script>alert(1)</script>"


def test_the_event_the_bracket_and_the_standings_lead_to_it(running: RunningEvent, client: Client) -> None:
    division = running.division.public_id
    for path, key in (
        (running.url, "event"),
        (running.division_url, f"bracket-{division}"),
        (f"{running.division_url}standings/", f"standings-{division}"),
    ):
        shown = page(client, path)
        assert f'href="{running.url}share/?page={key}"' in shown
        assert f'href="{running.url}share/?page={key}#embed"' in shown
        assert f'data-share="{path}"' in shown


def test_it_says_which_websites_are_allowed_and_leads_directors_to_the_choice(
    running: RunningEvent, alice_client: Client, bob: User, as_user: Callable[[User], Client]
) -> None:
    url = f"{running.url}share/"
    assert "None yet. Browsers refuse" in text(page(Client(), url))
    Club.objects.update(embed_hosts="https://www.harbour.example https://two.example")
    shown = page(as_user(bob), url)
    assert "https://www.harbour.example" in shown
    assert "https://two.example" in shown
    assert "#id_embed_hosts" not in shown
    edit = reverse("edit-club", args=[running.tournament.club.slug])
    assert f'href="{edit}#id_embed_hosts"' in page(alice_client, url)
    Club.objects.update(embed_hosts="")
    asked = page(alice_client, url)
    assert asked.index("None yet.") < asked.index(f'href="{edit}#id_embed_hosts"')
    assert asked.index("#id_embed_hosts") < asked.index('id="snippet"')
    assert 'id="id_embed_hosts"' in page(alice_client, edit)


def test_a_draft_cannot_be_shared_and_a_division_has_no_frame_before_its_draw(
    alice_client: Client, open_division: Division, tournament: Tournament
) -> None:
    home = f"/events/{tournament.club.slug}/{tournament.slug}/"
    shown = page(Client(), f"{home}share/?page=bracket-{open_division.public_id}")
    assert "once the draw is published" in text(shown)
    assert "<iframe" not in shown
    Tournament.objects.update(status=Tournament.Status.DRAFT)
    assert alice_client.get(f"{home}share/").status_code == 404
    assert "share/" not in page(alice_client, home)
