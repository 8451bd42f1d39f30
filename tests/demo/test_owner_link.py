"""The link of the installation's owner: what it offers, that it works once, and that nothing is done by halves."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from demo import owner
from demo.club import SLUG
from demo.removal import decline, is_declined
from engine.errors import Refused
from matches.models import Match
from matches.play.lobby.services import start_practice
from players.accounts.services import ensure_player
from players.actors import Actor
from players.clubs.services import add_member, add_player, create_club
from players.models import Club, Membership, Player, User
from players.people.erasure import erase_player
from tests.pages import html
from tournaments.models import Installation

pytestmark = pytest.mark.django_db
GRETE = {"display_name": "Grete", "email": "grete@example.com", "new_password": "crawford-1969", "sure": "on"}


@pytest.fixture
def demo(alice: User, bob: User) -> Club:
    """A small demo: Alice's club, with Bob and with Jens, who has no account."""
    by = Actor.of(alice)
    club = create_club(name="Harbour Backgammon", slug=SLUG, by=by)
    add_player(club=club, player=ensure_player(user=bob, by=by), by=by)
    add_member(club=club, name="Jens", by=by)
    return club


@pytest.fixture
def link() -> str:
    """The path of a new link."""
    return owner.renew(now=timezone.now())


def signed_in(client: Client) -> str:
    """The name of the account that the browser is signed in to; empty for none."""
    user = client.get("/").wsgi_request.user
    return str(user) if user.is_authenticated else ""


def form_of(client: Client, path: str) -> dict[str, str]:
    """Open a page and return the hidden fields of its form."""
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]+)"', html(client.get(path))))


def is_open(link: str) -> bool:
    return Client().get(f"{link}club/").status_code == 200


def test_opening_the_link_signs_nobody_in_and_does_not_use_it(client: Client, demo: Club, link: str) -> None:
    for response in (client.head(link), client.get(link), client.get(f"{link}club/"), client.get(link)):
        assert response.status_code == 200
        assert response.headers["Referrer-Policy"] == "no-referrer"
        assert "no-store" in response.headers["Cache-Control"]
        assert "noindex" in response.headers["X-Robots-Tag"]
    assert signed_in(client) == ""
    assert Installation.objects.get().link_used_at is None


@pytest.mark.parametrize("visitor", ["", "alice", "dave"])
def test_nobody_sees_anything_without_the_secret(visitor: str, demo: Club, link: str, dave: User) -> None:
    client = Client()
    if visitor:
        client.force_login(User.objects.get(email=f"{visitor}@example.org"))
    old, new = link, owner.renew(now=timezone.now())
    wrong = f"/owner-link/{'a' * 43}/"
    for path in (wrong, old):
        for url in (path, f"{path}club/"):
            key = form_of(client, f"{new}club/")
            assert client.get(url).status_code == client.post(url).status_code == 404
            assert client.post(url, GRETE | key).status_code == 404
    assert client.get("/owner-link/").status_code == 404
    assert is_open(new)
    assert Club.objects.exists()


def test_the_owner_looks_around_the_demo(client: Client, demo: Club, link: str) -> None:
    assert "signed in as Alice" in html(client.get(link))
    response = client.post(link, form_of(client, link))
    assert response["Location"] == f"/clubs/{SLUG}/"
    assert signed_in(client) == "Alice"
    for path in (link, f"{link}club/"):
        response = Client().get(path)
        assert response.status_code == 410
        assert "no longer works. For a new one, restart Barpoint or run ./manage.py owner_link." in html(response)
    new = owner.renew(now=timezone.now())
    assert Client().get(new).status_code == 200


def test_the_owner_starts_with_a_club_of_their_own(client: Client, demo: Club, link: str) -> None:
    page = html(client.get(f"{link}club/"))
    for size in ("1 club<", "0 events<", "0 matches<", "3 players<"):
        assert size in page
    response = client.post(f"{link}club/", GRETE | form_of(client, f"{link}club/"))
    assert response["Location"] == "/clubs/new/"
    assert client.get("/clubs/new/").status_code == 200
    user = User.objects.get()
    assert (user.email, user.is_staff, user.is_superuser) == ("grete@example.com", False, False)
    assert [player.name for player in Player.objects.all()] == [signed_in(client)] == ["Grete"]
    assert not Club.objects.exists()
    assert is_declined()
    assert Client().get(link).status_code == 410
    client.post("/clubs/new/", {"name": "Grete", "country": "dk", "currency": "dkk", "time_zone": "UTC"})
    assert Club.objects.get().accepted_by == user


def test_the_demo_is_removed_only_after_a_tick(client: Client, demo: Club, link: str) -> None:
    fields = GRETE | form_of(client, f"{link}club/")
    del fields["sure"]
    response = client.post(f"{link}club/", fields)
    assert response.status_code == 422
    assert "Tick the box to confirm." in html(response)
    assert Club.objects.get() == demo
    assert is_open(link)


def test_a_refused_sign_up_removes_nothing(client: Client, demo: Club, link: str) -> None:
    response = client.post(f"{link}club/", GRETE | {"new_password": "12345678"} | form_of(client, f"{link}club/"))
    assert response.status_code == 422
    assert "Choose a stronger password." in html(response)
    assert Club.objects.get() == demo
    assert not User.objects.filter(email=GRETE["email"]).exists()
    assert not is_declined()
    assert is_open(link)


def test_a_form_whose_answer_was_lost_is_sent_again(demo: Club, link: str) -> None:
    look = form_of(Client(), link)
    for browser in (Client(), Client()):
        assert browser.post(link, look)["Location"] == f"/clubs/{SLUG}/"
        assert signed_in(browser) == "Alice"
    link = owner.renew(now=timezone.now())
    start = GRETE | form_of(Client(), f"{link}club/")
    for browser in (Client(), Client()):
        assert browser.post(f"{link}club/", start)["Location"] == "/clubs/new/"
        assert signed_in(browser) == "Grete"
    assert User.objects.count() == 1


def test_a_used_link_does_nothing_for_another_form(demo: Club, link: str) -> None:
    other, key = form_of(Client(), link), form_of(Client(), link)
    assert other != key
    Client().post(link, key)
    browser = Client()
    assert browser.post(link, other).status_code == 410
    assert browser.post(f"{link}club/", GRETE | other).status_code == 410
    assert browser.post(f"{link}club/", GRETE | key).status_code == 410, "the key of the other form"
    assert signed_in(browser) == ""
    assert Club.objects.get() == demo


def test_a_link_expires_used_or_not(demo: Club) -> None:
    old = owner.renew(now=timezone.now() - timedelta(hours=25))
    response = Client().get(old)
    assert response.status_code == 410
    assert "This link no longer works." in html(response)
    assert Client().post(old, {"key": "a"}).status_code == 410
    with pytest.raises(Refused, match="owner_link_expired"):
        owner.must_be_open(old.strip("/").rpartition("/")[2], timezone.now())
    recent = owner.renew(now=timezone.now() - timedelta(hours=23))
    form = form_of(Client(), recent)
    Client().post(recent, form)
    Installation.objects.update(link_expires_at=timezone.now())
    assert Client().post(recent, form).status_code == 410


def test_without_the_demo_only_a_club_is_offered(client: Client, link: str) -> None:
    assert client.get(link)["Location"] == f"{link}club/"
    page = html(client.get(f"{link}club/"))
    assert "demo" not in page
    assert client.post(link, {"key": "a"})["Location"] == f"{link}club/"
    client.post(f"{link}club/", GRETE | form_of(client, f"{link}club/"))
    assert signed_in(client) == "Grete"
    call_command("demo", unless_declined=True)
    assert not Club.objects.exists()


def test_a_demo_that_is_gone_by_now_is_not_looked_at(client: Client, demo: Club, link: str) -> None:
    form = form_of(client, link)
    decline(now=timezone.now())
    assert client.post(link, form)["Location"] == f"{link}club/"
    with pytest.raises(Refused, match="demo_gone"):
        owner.use_for_demo(secret=link.split("/")[2], key="a", now=timezone.now())
    assert is_open(link)


def test_a_demo_without_its_director_is_not_removed_unasked(client: Client, demo: Club, link: str, alice: User) -> None:
    demo.memberships.update(role=Membership.Role.OWNER)
    erase_player(player=Player.objects.get(user=alice), by=Actor.of(alice), now=timezone.now())
    assert client.get(link)["Location"] == f"{link}club/"
    fields = GRETE | form_of(client, f"{link}club/")
    assert client.post(f"{link}club/", {**fields, "sure": ""}).status_code == 422
    assert Club.objects.get() == demo
    assert client.post(f"{link}club/", fields).status_code == 302
    assert not Club.objects.exists()


@pytest.mark.parametrize("connected", ["member", "club"])
def test_the_demo_stays_where_others_use_it(
    connected: str, client: Client, demo: Club, link: str, alice: User, dave: User
) -> None:
    form = GRETE | form_of(client, f"{link}club/")
    if connected == "member":
        add_player(club=demo, player=ensure_player(user=dave, by=Actor.of(dave)), by=Actor.of(alice))
    else:
        create_club(name="Dave", by=Actor.of(alice))
    for response in (client.get(f"{link}club/"), client.post(f"{link}club/", form)):
        page = html(response)
        assert "The demo cannot be removed, because others use it: Dave." in page
        assert "new_password" not in page
    assert response.status_code == 409
    assert Club.objects.filter(pk=demo.pk).exists()
    assert not User.objects.filter(email=GRETE["email"]).exists()
    assert not is_declined()
    assert is_open(link)


def test_practice_against_a_bot_is_part_of_the_demo(demo: Club, bob: User) -> None:
    player = Player.objects.get(user=bob)
    start_practice(player=player, style="random", length=1, by=Actor.of(bob), now=timezone.now())
    decline(now=timezone.now())
    assert not Match.objects.exists()
    assert [left.name for left in Player.objects.all()] == ["Random Bot"]


def test_another_club_of_the_same_name_is_no_demo(client: Client, carol: User, link: str) -> None:
    User.objects.filter(pk=carol.pk).update(email="carol@example.com")
    own = create_club(name="Harbour", slug=SLUG, by=Actor.of(carol))
    assert client.get(link)["Location"] == f"{link}club/"
    client.post(f"{link}club/", GRETE | form_of(client, f"{link}club/"))
    assert signed_in(client) == "Grete"
    assert Club.objects.get() == own


def test_whoever_looks_around_can_then_start_with_their_club(client: Client, demo: Club, link: str) -> None:
    client.post(link, form_of(client, link))
    link = owner.renew(now=timezone.now())
    client.post(f"{link}club/", GRETE | form_of(client, f"{link}club/"))
    assert signed_in(client) == "Grete"


def test_whoever_has_an_account_keeps_it(client: Client, demo: Club, link: str, dave: User) -> None:
    client.force_login(dave)
    page = html(client.get(f"{link}club/"))
    assert "You are signed in as <strong>Dave</strong>" in page
    assert "new_password" not in page
    response = client.post(f"{link}club/", {"sure": "on"} | form_of(client, f"{link}club/"))
    assert response["Location"] == "/clubs/new/"
    assert list(User.objects.all()) == [dave]


def test_the_command_prints_a_link_and_stores_only_its_hash(capsys: Any) -> None:
    call_command("owner_link")
    url = capsys.readouterr().out.strip()
    path = url.removeprefix(settings.SITE_URL)
    assert Client().get(f"{path}club/").status_code == 200
    assert path.split("/")[2] not in str(Installation.objects.values().get())
