"""An event counts people: whoever plays in two of its divisions is one player, wherever events are listed."""

from collections.abc import Callable

import pytest
from django.test import Client

from players.actors import Actor
from players.models import Player
from tests.event_cast import NOW
from tests.pages import html
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Division
from tournaments.state.figures import event_figures, figures_of

pytestmark = pytest.mark.django_db


def test_who_plays_in_two_divisions_is_one_player_in_every_list(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> None:
    first = make_division(name="Open")
    second = events.create_division(tournament=first.tournament, by=by_alice, now=NOW, name="Speed", match_length=3)
    players = make_players(5)
    entries.enter(division=first, players=players, by=by_alice, now=NOW)
    entries.enter(division=second, players=players[:3], by=by_alice, now=NOW)
    merged = players[4]
    Player.objects.filter(pk=merged.pk).update(merged_into=players[3])
    first.tournament.refresh_from_db()
    events.publish_tournament(tournament=first.tournament, by=by_alice, now=NOW)
    assert event_figures(figures_of([first, second]).values()).players == 4
    for path in ("/events/", f"/clubs/{first.tournament.club.slug}/"):
        assert "4 players in 2 divisions" in " ".join(html(Client().get(path)).split()), path
