"""The page behind the link of an invitation."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from players.actors import SYSTEM
from players.models import Club, Invitation, Player, User
from players.people.services import LASTS, invite, withdraw_invitation
from tests.pages import html
from tests.players.conftest import Enter

JENS = {"display_name": "Jens Hansen", "email": "jens@example.org", "new_password": "crawford-1969"}


def text(response: Any) -> str:
    return html(response)


@pytest.fixture
def jens(enter: Enter) -> Player:
    """A player without an account, added by a director."""
    return enter("Jens Hansen")


@pytest.fixture
def link(jens: Player) -> str:
    """The path of an open invitation."""
    return link_for(jens)


def link_for(player: Player, email: str = "", days_ago: int = 0) -> str:
    now = timezone.now() - timedelta(days=days_ago)
    invited = invite(membership=player.memberships.get(), by=SYSTEM, now=now, link=lambda s: s, email=email)
    return f"/invitations/{invited.url}/"


def test_jens_signs_up_with_the_link(client: Client, club: Club, jens: Player, link: str) -> None:
    page = text(client.get(link))
    assert "Are you <bdi>Jens Hansen</bdi>?" in page
    assert 'value="Jens Hansen"' in page
    response = client.post(f"{link}sign-up/", JENS, follow=True)
    assert response.redirect_chain == [(f"/clubs/{club.slug}/", 302)]
    jens.refresh_from_db()
    assert jens.user is not None
    assert jens.user.email == "jens@example.org"
    assert "Your account has accepted this invitation" in text(client.get(link))


def test_bob_accepts_with_his_account(client: Client, jens: Player, link: str, bob: User) -> None:
    client.force_login(bob)
    assert "You are signed in as <strong>Bob</strong>" in text(client.get(link))
    client.post(f"{link}accept/")
    jens.refresh_from_db()
    assert jens.user == bob


def test_a_signed_out_user_returns_to_the_link(client: Client, link: str) -> None:
    response = client.post(f"{link}accept/", headers={"Referer": f"http://testserver{link}"})
    assert response["Location"] == f"/sign-in/?next={link}"


@pytest.mark.parametrize("invited", ["", "bob@example.org"])
def test_an_invitation_does_not_reveal_whose_addresses_are_known(client: Client, jens: Player, invited: str) -> None:
    def answer() -> tuple[int, str, int]:
        link = link_for(jens, email=invited)
        response = client.post(f"{link}sign-up/", {**JENS, "email": "bob@example.org"}, follow=True)
        client.logout()
        return response.status_code, response.redirect_chain[-1][0], client.get(link).status_code

    unknown = answer()
    jens.refresh_from_db()
    assert jens.user is not None
    Player.objects.filter(pk=jens.pk).update(user=None)
    assert answer() == unknown
    jens.refresh_from_db()
    assert jens.user is not None
    assert jens.user.shown_email == "bob@example.org"


def test_bob_accepts_with_the_form_to_sign_up_and_his_own_password(
    client: Client, jens: Player, link: str, bob: User, password: str
) -> None:
    client.post(f"{link}sign-up/", {**JENS, "email": bob.email, "new_password": password})
    jens.refresh_from_db()
    assert jens.user == bob


def test_an_error_in_the_form_leaves_the_link_valid(client: Client, link: str, jens: Player) -> None:
    for fields in ({"new_password": "short"}, {"email": "no address"}):
        assert client.post(f"{link}sign-up/", {**JENS, **fields}).status_code == 422
    assert User.objects.filter(email="jens@example.org").exists() is False
    assert client.post(f"{link}sign-up/", JENS).status_code == 302


def test_an_expired_or_withdrawn_link_is_explained(client: Client, jens: Player) -> None:
    old = link_for(jens, days_ago=LASTS.days + 1)
    assert client.get(old).status_code == 410
    assert "This invitation was withdrawn" not in text(client.get(old))
    assert "has expired. Ask Copenhagen Backgammon for a new one." in text(client.get(old))
    new = link_for(jens)
    withdraw_invitation(invitation=Invitation.objects.latest("pk"), by=SYSTEM, now=timezone.now())
    assert "This invitation was withdrawn." in text(client.get(new))
    response = client.post(f"{new}sign-up/", JENS)
    assert response.status_code == 410
    assert not User.objects.filter(email="jens@example.org").exists()


def test_a_used_link_cannot_be_used_again(client: Client, link: str, carol: User) -> None:
    Client().post(f"{link}sign-up/", JENS)
    client.force_login(carol)
    response = client.get(link)
    assert response.status_code == 410
    assert "has already been used" in text(response)
    assert "has already been used" in text(client.post(f"{link}accept/", follow=True))


def test_a_link_for_another_address_is_refused(client: Client, jens: Player, carol: User) -> None:
    link = link_for(jens, "jens@example.org")
    client.force_login(carol)
    assert "was sent to a different email address" in text(client.post(f"{link}accept/", follow=True))
    jens.refresh_from_db()
    assert jens.user is None


def test_an_invalid_link_is_not_found(client: Client, bob: User) -> None:
    path = f"/invitations/{'x' * 32}/"
    assert client.get(path).status_code == 404
    assert client.post(f"{path}sign-up/", JENS).status_code == 404
    client.force_login(bob)
    assert client.post(f"{path}accept/").status_code == 404


def test_the_page_is_not_cached(client: Client, link: str) -> None:
    assert "no-store" in client.get(link)["Cache-Control"]
