"""A player meets again what was costly last night."""

import re
from datetime import timedelta
from random import Random

import pytest
from django.utils import timezone

from matches.models import Match, Result
from players.models import Club, Player, User
from tests.journeys.conftest import Journey
from tests.matches.deck.conftest import analysed
from tests.tournaments.support.correcting import KNOCKOUT, Cup
from tournaments.models import Tournament


@pytest.fixture
def last_night(club: Club, bob: User, carol: User) -> Match:
    """The first match of Carol in a knockout of four that is over; one of her plays in it was costly."""
    players = [Player.objects.create(name=user.display_name, user=user) for user in (bob, carol)]
    cup = Cup.of([*players, *(Player.objects.create(name=name) for name in ("Dora", "Emil"))], KNOCKOUT, "one")
    cup.play(Random(0))
    finished = timezone.now() - timedelta(hours=10)
    Match.objects.update(begun_at=finished, finished_at=finished)
    Result.objects.update(at=finished)
    Tournament.objects.update(starts_at=timezone.now() - timedelta(hours=14))
    match = next(match for match in Match.objects.order_by("pk") if players[1] in match.players)
    analysed(match, side=match.players.index(players[1]))
    return match


@pytest.mark.journey("a costly decision of last night, repeated")
def test_from_the_letter_to_the_deck(journey: Journey, last_night: Match, carol: User) -> None:
    player = journey.on_phone(carol)
    player.tap("Your evening: Cup one")
    player.sees("Repeat your three decisions?")
    player.tap(re.compile("game 1, 3-1: cost 3 % of the match"))
    player.tap("Repeat them in my deck")
    player.tap("Yes, collect them")
    player.tap("8/5 6/5")
    player.tap("Check")
    player.sees("Yes, that is the best.")
