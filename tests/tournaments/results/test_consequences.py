"""Where the players of a match go next, and what settles their division."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from formats.settings import ROUND_ROBIN, StageSettings
from matches.models import Match
from players.actors import Actor
from players.models import Club, Player, User
from tests.event_cast import RunningEvent
from tests.matches.cast import match_between
from tests.pages import html
from tests.tournaments.support.drawn_divisions import DivisionBuilder, fixture_of
from tournaments.floor.calls import call, start
from tournaments.floor.evening import open_floor
from tournaments.match_events import consequences_of, settle_after_result
from tournaments.models import Division

pytestmark = pytest.mark.django_db


@pytest.fixture
def builder(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> DivisionBuilder:
    return DivisionBuilder(make_division, make_players, by_alice)


@pytest.mark.parametrize(("number", "following"), [(1, "M5"), (3, "M6"), (4, "M6"), (5, "M7")])
def test_a_winner_advances_to_the_match_that_follows_this_one(
    number: int, following: str, builder: DivisionBuilder
) -> None:
    division = builder.drawn(8, StageSettings())
    if number > 4:
        builder.play(division, 4)
    match = fixture_of(division, number).match
    assert match is not None
    won, lost = consequences_of(match, winner=1, reader=None)
    assert won.startswith(f"{match.players[1].shown_name} plays on: ")
    assert won.endswith(f", {following}.")
    assert match.players[0].shown_name in lost


def test_the_page_says_where_a_report_leads_after_it_was_sent(
    running: RunningEvent, bob: User, as_user: Callable[[User], Client]
) -> None:
    match, client = running.fixture.match, as_user(bob)
    assert match is not None
    score = {f"score_{side}": 7 if player.user == bob else 3 for side, player in enumerate(match.players)}
    url = f"/matches/{match.public_id}/"
    assert "If it is confirmed:" not in html(client.get(url))
    client.post(f"{url}claim/", {"after": match.seq, "key": "reported", "note": "", **score})
    shown = html(client.get(url))
    assert "If it is confirmed:" in shown
    assert "You play on: " in shown


def test_a_result_outside_events_settles_no_division(make_players: Callable[[int], list[Player]], db: None) -> None:
    bob, carol = make_players(2)
    match = match_between(bob, carol, club=Club.objects.create(name="Harbour", slug="harbour"))
    Match.objects.filter(pk=match.pk).update(unsettled=True)
    settle_after_result(sender=Match, match_id=match.pk)
    assert Match.objects.get(pk=match.pk).unsettled, "nothing has settled it"


def test_players_read_that_the_others_still_play_and_directors_at_which_match(
    builder: DivisionBuilder, by_alice: Actor, alice_client: Client, as_user: Callable[[User], Client]
) -> None:
    division = builder.drawn(4, StageSettings(ROUND_ROBIN))
    now = timezone.now()
    division.tournament.tables = 2
    division.tournament.save()
    open_floor(tournament=division.tournament, by=by_alice, now=now)
    first, other = (fixture_of(division, number) for number in (1, 2))
    for fixture in (first, other):
        call(fixture=fixture, by=by_alice, now=now)
        start(fixture=fixture, by=by_alice, now=now)
    match = fixture_of(division, 3).match
    assert match is not None
    player, user = match.player_0, User.objects.create_user(email="zoe@example.org", display_name="Zoë")
    Player.objects.filter(pk=player.pk).update(user=user)
    assert "You both are still playing." in html(as_user(user).get(f"/matches/{match.public_id}/"))
    assert "is at M" in html(alice_client.get(f"/matches/{match.public_id}/"))
