"""What the rest of the site makes of friendly matches and bots."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from engine.actions import Act
from matches.models import Challenge, FriendlyBlock, Match
from matches.play.acting import ActionInput, act
from matches.play.lobby.services import ChallengeInput, accept, block, bot_player, make_challenge, start_practice
from matches.rankings.profiles import Completion, completion_of
from players.actors import SYSTEM
from players.models import Player, User
from players.people.erasure import erase_player
from tests.matches.play.conftest import START
from tests.pages import html

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


def conceded(match: Match) -> Match:
    act(match=match, side=0, request=ActionInput(Act.CONCEDE, 0), by=SYSTEM, now=START)
    match.refresh_from_db()
    return match


def test_practice_does_not_count_as_a_match_that_was_left(player: Player) -> None:
    match = conceded(start_practice(player=player, style="pip", length=1, by=SYSTEM, now=START))
    assert match.state == Match.State.SETTLED
    assert completion_of(player) == Completion(0, 0, 0, 0)


def test_a_finished_practice_match_can_be_played_again(player: Player, bob: User, client: Client) -> None:
    match = start_practice(player=player, style="pip", length=3, by=SYSTEM, now=START)
    page = f"/matches/{match.public_id}/"
    client.force_login(bob)
    assert "Play again" not in html(client.get(page))
    conceded(match)
    assert "Play again" in html(client.get(page))
    client.post("/lobby/practice/", {"style": "pip", "length": "3"})
    assert Match.objects.filter(player_1=match.player_1, length=3, state=Match.State.LIVE).count() == 1


def test_bots_are_not_listed_as_players(player: Player, client: Client) -> None:
    bot_player("club")
    page = html(client.get("/players/"))
    assert "Bob" in page
    assert "Club Bot" not in page


def test_a_finished_friendly_offers_a_rematch_to_its_players(
    player: Player, carol_player: Player, bob: User, dave: User
) -> None:
    row = make_challenge(player=player, wish=ChallengeInput(3), by=SYSTEM, now=START)
    match = conceded(accept(challenge=row, player=carol_player, by=SYSTEM, now=START))
    page, rematch = f"/matches/{match.public_id}/", f'action="/matches/{match.public_id}/rematch/"'
    shown = {}
    for user in (bob, dave):
        client = Client()
        client.force_login(user)
        shown[user] = html(client.get(page))
    assert rematch in shown[bob]
    assert rematch not in shown[dave]


def test_whoever_is_erased_has_no_challenges_and_blocks(player: Player, carol_player: Player) -> None:
    now = timezone.now()
    own = make_challenge(player=player, wish=ChallengeInput(3), by=SYSTEM, now=now)
    for_them = make_challenge(player=carol_player, wish=ChallengeInput(3, player), by=SYSTEM, now=now)
    other = make_challenge(player=carol_player, wish=ChallengeInput(3), by=SYSTEM, now=now)
    block(player=player, other=Player.objects.create(name="Jens"), by=SYSTEM, now=now + timedelta(1))
    erase_player(player=player, by=SYSTEM, now=now)
    states = dict(Challenge.objects.values_list("pk", "state"))
    assert states == {own.pk: "withdrawn", for_them.pk: "declined", other.pk: "open"}
    assert not FriendlyBlock.objects.exists()
