"""An event counts people, alone or in pairs: whoever plays in two of its divisions is one player everywhere."""

import re
from collections.abc import Callable
from random import Random

import pytest
from django.db import transaction
from django.test import Client

from players.actors import Actor
from players.models import Player
from players.people.erasure import erase_player
from players.people.pairs import pair_of, rename_pairs
from players.people.services import merge_players
from tests.display.sharing.test_share_pictures import texts_of
from tests.event_cast import NOW
from tests.pages import html
from tests.tournaments.support.played_stages import STAGES, drawn_as, play
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


def shown(path: str) -> str:
    """The text of a page as everybody sees it."""
    return " ".join(re.sub(r"<[^>]+>", " ", html(Client().get(path))).split())


@pytest.mark.parametrize("change", ["none", "hidden", "merged", "former"])
def test_four_people_who_play_alone_and_in_pairs_are_four_players(
    change: str, make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> None:
    people = make_players(4)
    same = Player.objects.create(name="Player One") if change == "merged" else people[0]
    singles = make_division(name="Open")
    event = {"tournament": singles.tournament, "by": by_alice, "now": NOW}
    doubles = events.create_division(name="Doubles", sides="two", match_length=3, rated=False, **event)
    with transaction.atomic():
        pairs = [pair_of(same, people[1]), pair_of(people[2], people[3])]
    drawn_as(singles, STAGES["knockout"], people, by_alice)
    doubles = drawn_as(doubles, STAGES["knockout"], pairs, by_alice)
    play(doubles, by_alice, Random(1))
    if change == "merged":
        merge_players(player=same, into=people[0], by=by_alice, now=NOW)
    elif change == "former":
        erase_player(player=people[0], by=by_alice, now=NOW)
    elif change == "hidden":
        Player.objects.filter(pk=people[0].pk).update(initials_only=True)
        rename_pairs(people)
    figures = figures_of([singles, doubles])
    assert [(row.players, row.pairs) for row in figures.values()] == [(4, 0), (4, 2)]
    assert event_figures(figures.values()).players == 4
    page = f"/events/harbour/{singles.tournament.slug}/"
    assert "4 players in 2 divisions" in shown("/events/")
    assert "4 players in 2 divisions" in shown("/")
    assert re.findall(r"\d+ (?:players|pairs)", shown(page)) == ["4 players", "4 players", "2 pairs"]
    assert "Doubles 2 pairs ·" in shown(f"{page}{doubles.public_id}/")
    assert "Players 4 Matches" in shown(f"{page}report/"), "each of them has played"
    report = Client().get(f"/api/v1/tournaments/{singles.tournament.public_id}/report/").json()
    assert report["figures"]["players"] == 4


def test_a_shared_picture_counts_both_of_a_pair(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> None:
    doubles, people = make_division(name="Doubles", sides="two", rated=False), make_players(4)
    with transaction.atomic():
        pairs = [pair_of(*people[:2]), pair_of(*people[2:])]
    entries.enter(division=doubles, players=pairs, by=by_alice, now=NOW)
    doubles.tournament.refresh_from_db()
    events.publish_tournament(tournament=doubles.tournament, by=by_alice, now=NOW)
    assert "4 players" in texts_of("standing", "harbour", doubles.tournament.slug, doubles.public_id)
