"""An evening that is over: in a knockout of four, Bob has beaten Carol in the final."""

from random import Random

import pytest

from matches.lifecycle.finish import ResultInput
from players.models import Club, Player
from tests.tournaments.support.correcting import KNOCKOUT, Cup
from tournaments.models import Tournament


@pytest.fixture
def evening(club: Club, bob_player: Player, carol_player: Player) -> Cup:
    others = [Player.objects.create(name=f"Player {number}") for number in (1, 2)]
    cup = Cup.of([bob_player, carol_player, *others], KNOCKOUT, "one").play(Random(0), most=0)
    while ready := cup.ready():
        match = ready[0].match
        assert match is not None
        side = min((0, 1), key=lambda side: match.players[side].pk)
        cup.report(ready[0], ResultInput(side, (3, 1) if side == 0 else (1, 3)))
    cup.replay()
    return cup


def event_of(cup: Cup) -> Tournament:
    """The event as it is now."""
    return Tournament.objects.select_related("club").get(pk=cup.division.tournament_id)
