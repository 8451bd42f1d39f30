"""Challenging somebody by three letters of their name, and from their page."""

from typing import Any

import pytest
from django.test import Client

from core import throttle
from matches.models import Challenge, FriendlyBlock
from matches.play.lobby.selectors import find_opponents
from players.models import Club, Membership, Notification, Player, User
from tests.matches.play.lobby.test_lobby_pages import CHALLENGE, api, as_, lobby, send
from tests.pages import html

pytestmark = pytest.mark.django_db


def account(name: str, club: Club | None = None, **fields: Any) -> Player:
    user = User.objects.create_user(f"{name.replace(' ', '.')}@example.org", "crawford-1969", display_name=name)
    player = Player.objects.create(name=name, user=user, **fields)
    if club is not None:
        Membership.objects.create(club=club, player=player)
    return player


def names(player: Player, q: str) -> list[str]:
    return [row.player.name for row in find_opponents(player, q)]


@pytest.fixture
def clubs() -> tuple[Club, Club]:
    return Club.objects.create(name="Harbour", slug="harbour"), Club.objects.create(name="Airport", slug="airport")


def test_members_of_my_clubs_come_first_and_ten_at_most(player: Player, clubs: tuple[Club, Club]) -> None:
    harbour, airport = clubs
    Membership.objects.create(club=harbour, player=player)
    account("Martin Young", harbour)
    for number in range(15):
        account(f"Martha {number}", airport)
    found = find_opponents(player, "mart")
    assert [(row.player.name, row.club, row.is_clubmate) for row in found[:2]] == [
        ("Martin Young", "Harbour", True),
        ("Martha 0", "Airport", False),
    ]
    assert len(found) == 10
    # A club that the reader has left is not theirs any more.
    Membership.objects.filter(player=player).update(left_at=player.created_at)
    assert find_opponents(player, "mart")[0].player.name == "Martha 0"


def test_words_begin_and_three_letters_are_needed(player: Player) -> None:
    account("Åsa Lindström")
    assert names(player, "LIN") == names(player, "asa") == names(player, "li a") == ["Åsa Lindström"]
    assert names(player, "li") == names(player, "ind") == names(player, "  ") == []


def test_who_is_never_found(player: Player) -> None:
    account("Karla Hidden", initials_only=True)
    blocked, blocks = account("Karla Blocked"), account("Karla Blocks")
    FriendlyBlock.objects.create(player=player, blocked=blocked)
    FriendlyBlock.objects.create(player=blocks, blocked=player)
    left = account("Karla Closed")
    User.objects.filter(pk=left.user_id).update(is_active=False)
    merged = Player.objects.create(name="Karla Merged", merged_into=player)
    Player.objects.create(name="Karla Paper")
    assert merged.merged_into == player
    for q in ("karla", "hidden", "k. h.", player.name):
        assert names(player, q) == []
    assert player.user is not None
    page = html(as_(player.user).get("/lobby/opponents/", {"opponent": "karla"}))
    assert "Karla" not in page
    assert api(player.user).get("/api/v1/opponents/?q=karla").json() == []
    # Nor does the form of a challenge find them.
    assert "Karla Hidden" not in html(send(player.user, "/lobby/challenges/", **{**CHALLENGE, "opponent": "Karla"}))


def test_letters_and_a_choice_make_a_challenge(player: Player) -> None:
    karla = account("Karla Nord")
    account("Karla Nyberg")
    assert player.user is not None
    assert karla.user is not None
    # Without scripts, the players are offered after the first try.
    page = html(send(player.user, "/lobby/challenges/", **{**CHALLENGE, "opponent": "karl"}))
    assert karla.public_id in page
    assert not Challenge.objects.exists()
    send(player.user, "/lobby/challenges/", **{**CHALLENGE, "opponent": "karl", "to": karla.public_id})
    assert Challenge.objects.get().opponent == karla
    assert Notification.objects.get().user == karla.user
    # Made again on the same day, it is told once.
    send(player.user, f"/lobby/challenges/{Challenge.objects.get().public_id}/withdraw/")
    send(player.user, "/lobby/challenges/", **{**CHALLENGE, "opponent": "karl", "to": karla.public_id})
    assert Challenge.objects.filter(state="open").count() == Notification.objects.count() == 1


def test_a_choice_counts_only_while_the_letters_are_theirs(player: Player) -> None:
    karla, hidden = account("Karla Nord"), account("Holger Nord", initials_only=True)
    assert player.user is not None
    for other, letters in ((karla, "Bernd"), (hidden, "Holger")):
        sent = {**CHALLENGE, "opponent": letters, "to": other.public_id}
        assert as_(player.user).post("/lobby/challenges/", sent).status_code == 422
    # Somebody who shows initials is challenged from their page.
    page = html(as_(player.user).get(f"/players/{hidden.public_id}/"))
    assert f"/lobby/?to={hidden.public_id}#challenge-title" in page
    assert "Holger" not in page
    assert "Holger" not in lobby(player.user, to=hidden.public_id)
    sent = {**CHALLENGE, "opponent": "H. N.", "to": hidden.public_id}
    assert as_(player.user).post("/lobby/challenges/", sent).status_code == 302
    assert Challenge.objects.get().opponent == hidden


@pytest.mark.usefixtures("valkey")
def test_searches_are_throttled(player: Player) -> None:
    assert player.user is not None
    client: Client = as_(player.user)
    for _ in range(throttle.NAME_SEARCHES_BY.most):
        assert client.get("/lobby/opponents/", {"opponent": "karl"}).status_code == 200
    assert "Too many attempts" in html(client.get("/lobby/opponents/", {"opponent": "karl"}))
    assert api(player.user).get("/api/v1/opponents/?q=karl").status_code == 429
    refused = client.post("/lobby/challenges/", {**CHALLENGE, "opponent": "karl"}, follow=True)
    assert "Too many attempts" in html(refused)
