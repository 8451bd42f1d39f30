"""The page on which a match is played: who may open it, and what it gives its scripts."""

import json
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from matches.lifecycle import links
from matches.models import Match
from players.models import Club, Membership, Player, User
from tests.matches.play.conftest import BOB, CAROL, Board

pytestmark = pytest.mark.django_db


def client_of(user: User | None = None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def settings_of(client: Client, url: str) -> dict[str, Any]:
    """What the page gives its scripts."""
    response = client.get(url)
    assert response.status_code == 200
    block = re.search(r'<script id="play-settings" type="application/json">(.*?)</script>', response.content.decode())
    assert block is not None
    settings: dict[str, Any] = json.loads(block[1])
    return settings


def page_of(match: Match) -> str:
    return reverse("match-play", args=[match.public_id])


def test_players_get_their_side_and_everybody_else_may_watch(board: Board, bob: User, carol: User, dave: User) -> None:
    sides = {user: settings_of(client_of(user), page_of(board.match))["side"] for user in (bob, carol, dave, None)}
    assert sides == {bob: BOB, carol: CAROL, dave: None, None: None}


def test_a_personal_link_plays_its_side_and_the_link_of_the_sheet_only_watches(board: Board) -> None:
    for side in (BOB, CAROL, None):
        token = links.token_for(board.match, side)
        settings = settings_of(client_of(), reverse("link-play", args=[token]))
        assert (settings["side"], settings["link"]) == (side, token)


def test_a_forged_link_is_not_found(board: Board) -> None:
    token = links.token_for(board.match, BOB)
    forged = token.replace(".0.", ".1.")
    assert client_of().get(reverse("link-play", args=[forged])).status_code == 404


def test_a_match_that_is_not_played_here_has_no_board(match: Match, bob: User) -> None:
    assert client_of(bob).get(page_of(match)).status_code == 404


def test_a_match_that_only_its_players_may_see_is_not_found_by_others(board: Board, bob: User, dave: User) -> None:
    Match.objects.filter(pk=board.match.pk).update(visibility=Match.Visibility.PRIVATE)
    assert client_of(dave).get(page_of(board.match)).status_code == 404
    assert client_of(bob).get(page_of(board.match)).status_code == 200


def test_only_directors_who_do_not_play_get_the_forms_of_rulings(board: Board, alice: User, bob: User) -> None:
    club = Club.objects.create(name="Harbour", slug="harbour")
    Match.objects.filter(pk=board.match.pk).update(club=club)
    for user in (alice, bob):
        player, _ = Player.objects.get_or_create(user=user, defaults={"name": user.display_name})
        Membership.objects.create(club=club, player=player, role=Membership.Role.DIRECTOR)
    shown = ['id="director"' in client_of(user).get(page_of(board.match)).content.decode() for user in (alice, bob)]
    assert shown == [True, False]
