"""The names of rounds."""

from collections.abc import Callable

import pytest

from formats.settings import StageSettings
from players.actors import Actor
from players.models import Player
from tests.tournaments.support.played_stages import drawn_as
from tournaments.models import Division, Round
from tournaments.standings.rounds import RoundNames

pytestmark = pytest.mark.django_db


def test_a_round_that_is_drawn_while_a_page_is_put_together_has_a_name(
    make_division: Callable[..., Division], by_alice: Actor
) -> None:
    names = RoundNames(Round.objects.all())
    players = [Player.objects.create(name=name) for name in ("Bob", "Carol", "Dave", "Erik")]
    drawn_as(make_division(name="Open", match_length=7), [StageSettings("knockout")], players, by_alice)
    assert names == {}
    semifinal, final = Round.objects.order_by("number")
    assert (names[semifinal.pk], names[final.pk]) == ("Semi-finals", "Final")
    with pytest.raises(KeyError):
        names[final.pk + 1]
