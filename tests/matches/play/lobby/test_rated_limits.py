"""Friendlies that both players wish rated: three a day and ten a week between the same two, with addresses."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from matches.lifecycle.voiding import void_matches
from matches.models import Challenge, Match
from matches.play.acting import ActionInput, act
from matches.play.lobby.services import ChallengeInput, accept, make_challenge, want_rematch
from players.actors import SYSTEM, Actor
from players.models import Player, User
from tests.matches.cast import player_of
from tests.matches.play.conftest import START, refused
from tests.pages import html

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]

NotRated = Challenge.NotRated


def actor(player: Player) -> Actor:
    assert player.user is not None
    return Actor.of(player.user)


def played(first: Player, second: Player, now=START, *, not_rated: str = "") -> Match:
    """A rated friendly that the first offers the second by name."""
    wish = ChallengeInput(1, opponent=second, rated=True)
    row = make_challenge(player=first, wish=wish, by=actor(first), now=now)
    return accept(challenge=row, player=second, by=actor(second), now=now, not_rated=not_rated)


def unconfirm(player: Player) -> None:
    User.objects.filter(pk=player.user_id).update(email_verified_at=None)
    player.refresh_from_db()


def test_the_fourth_match_of_a_day_is_not_rated_and_both_accept_that(
    player: Player, carol_player: Player, dave_player: Player
) -> None:
    for first, second in ((player, carol_player), (carol_player, player), (player, carol_player)):
        assert played(first, second).rated
    with refused("rating_changed"):
        played(player, carol_player)
    assert Match.objects.count() == 3
    fourth = played(player, carol_player, not_rated=NotRated.DAY)
    assert not fourth.rated
    assert fourth.challenge.not_rated == "day"
    assert played(player, dave_player).rated, "somebody else"
    assert played(player, carol_player, START + timedelta(days=1)).rated, "the next day"


def test_who_read_that_it_is_not_rated_does_not_get_a_rated_match(player: Player, carol_player: Player) -> None:
    with refused("rating_changed"):
        played(player, carol_player, not_rated=NotRated.DAY)


def test_the_eleventh_match_of_a_week_is_not_rated(player: Player, carol_player: Player) -> None:
    monday = START - timedelta(days=START.weekday())
    for number in range(10):
        assert played(player, carol_player, monday + timedelta(days=number // 3)).rated
    assert not played(player, carol_player, monday + timedelta(days=5), not_rated=NotRated.WEEK).rated
    assert played(player, carol_player, monday + timedelta(days=7)).rated


def test_the_seventh_match_of_a_player_on_a_day_is_not_rated_whoever_the_opponents_are(
    player: Player, carol_player: Player, dave_player: Player
) -> None:
    for opponent in (carol_player, dave_player) * 3:
        assert played(player, opponent).rated
    erin = player_of(User.objects.create_user("erin@example.org", "x", display_name="Erin"))
    User.objects.update(email_verified_at=START)
    erin.refresh_from_db()
    for first, second in ((player, erin), (erin, player)):
        with refused("rating_changed"):
            played(first, second)
        assert not played(first, second, not_rated=NotRated.MANY).rated
    assert played(carol_player, erin).rated, "what is not rated is not counted"
    assert played(player, erin, START + timedelta(days=1)).rated


def test_a_match_that_is_void_is_not_counted(player: Player, carol_player: Player) -> None:
    matches = [played(player, carol_player) for _ in range(3)]
    void_matches({matches[0]: False}, club=None, by=SYSTEM, now=START)
    assert played(player, carol_player).rated


def test_an_open_challenge_is_not_accepted_where_its_match_would_not_be_rated(
    player: Player, carol_player: Player
) -> None:
    for _ in range(3):
        played(player, carol_player)
    row = make_challenge(player=player, wish=ChallengeInput(1, rated=True), by=actor(player), now=START)
    with refused("open_not_rated"):
        accept(challenge=row, player=carol_player, by=actor(carol_player), now=START, not_rated=NotRated.DAY)


def test_a_rated_friendly_needs_two_confirmed_addresses(player: Player, carol_player: Player) -> None:
    unconfirm(carol_player)
    assert not played(player, carol_player, not_rated=NotRated.ADDRESS).rated
    with refused("address_unconfirmed"):
        played(carol_player, player)


def test_a_rematch_is_decided_when_it_begins(player: Player, carol_player: Player) -> None:
    match = [played(player, carol_player) for _ in range(3)][-1]
    act(match=match, side=0, request=ActionInput("concede", 0), by=actor(player), now=START)
    want_rematch(match=match, player=player, by=actor(player), now=START)
    with refused("rating_changed"):
        want_rematch(match=match, player=carol_player, by=actor(carol_player), now=START)
    again = want_rematch(match=match, player=carol_player, by=actor(carol_player), now=START, not_rated=NotRated.DAY)
    assert again is not None
    assert not again.rated


def test_both_read_it_before(player: Player, carol_player: Player) -> None:
    now = timezone.now()
    for _ in range(3):
        played(player, carol_player, now)
    wish = ChallengeInput(1, opponent=carol_player, rated=True)
    row = make_challenge(player=player, wish=wish, by=actor(player), now=now)
    for reader in (player, carol_player):
        client, api = Client(), APIClient()
        client.force_login(reader.user)
        api.force_authenticate(reader.user)
        assert "not rated: the 4th today" in html(client.get("/lobby/"))
        assert [each["not_rated"] for each in api.get("/api/v1/challenges/").json()] == ["day"]
    path = f"/api/v1/challenges/{row.public_id}/accept/"
    assert api.post(path, {}, format="json").json()["code"] == "rating_changed"
    assert api.post(path, {"not_rated": "day"}, format="json").status_code == 200
    assert not Challenge.objects.get(pk=row.pk).match.rated
