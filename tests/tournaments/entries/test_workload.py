"""Entering somebody in one more competition warns of too much play and of a match that goes on; it refuses nothing."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from formats.settings import KNOCKOUT, StageSettings
from players.actors import Actor
from players.models import Player
from players.people.pairs import pair_of
from tests.event_cast import NOON
from tests.tournaments.support.played_stages import drawn_as
from tournaments.entries.services import enter
from tournaments.entries.workload import warnings_of
from tournaments.floor import calls
from tournaments.models import Division, Fixture, Tournament

pytestmark = pytest.mark.django_db


@pytest.fixture
def main(
    make_division: Callable[..., Division],
    make_players: Callable[[int], list[Player]],
    carol_player: Player,
    by_alice: Actor,
) -> Division:
    """A knockout of eight to 9, in which Carol plays, at an event of eight hours."""
    division = make_division(name="Main", match_length=9)
    drawn_as(division, [StageSettings(KNOCKOUT, lengths=(9,))], [carol_player, *make_players(7)], by_alice)
    Tournament.objects.update(ends_at=NOON + timedelta(hours=8))
    division.refresh_from_db()
    return division


def test_a_second_competition_warns_only_if_there_is_no_time_for_it(
    main: Division, make_division: Callable[..., Division], carol_player: Player, by_alice: Actor
) -> None:
    speed = make_division(name="Speed", match_length=3)
    (entry,) = enter(division=speed, players=[carol_player], by=by_alice, now=NOON)
    assert warnings_of(entry, NOON) == []
    late = NOON + timedelta(hours=7)
    assert warnings_of(entry, late) == [f"{carol_player.name} would be in 2 events: about 2:30 h of play, 1:00 h left."]
    Tournament.objects.update(ends_at=None)
    entry.refresh_from_db()
    assert warnings_of(entry, late) == [], "nobody knows how much time there is"


def test_somebody_at_a_match_is_said_to_be_there(
    main: Division, make_division: Callable[..., Division], carol_player: Player, by_alice: Actor
) -> None:
    fixtures = Fixture.objects.filter(stage__division=main, match__isnull=False).select_related("match")
    (own,) = [row for row in fixtures if row.match is not None and carol_player in row.match.players]
    calls.start(fixture=own, by=by_alice, now=NOON)
    doubles = make_division(name="Doubles", sides=Division.Sides.TWO)
    dan = Player.objects.create(name="Dan")
    (entry,) = enter(division=doubles, players=[pair_of(carol_player, dan)], by=by_alice, now=NOON)
    # 9 points take about 69 minutes; the event is in Copenhagen.
    (warning,) = warnings_of(entry, NOON + timedelta(minutes=10))
    assert warning.startswith(f"{carol_player.name} is at M{own.number} until about ")
    assert warnings_of(entry, NOON + timedelta(minutes=10)) == [warning]


def test_the_desk_says_it_and_enters_all_the_same(
    main: Division, make_division: Callable[..., Division], carol_player: Player, alice_client: Client
) -> None:
    now = timezone.now()
    Tournament.objects.update(ends_at=now + timedelta(hours=1))
    speed = make_division(name="Speed", match_length=3)
    url = reverse("entries-add", args=["harbour", speed.tournament.slug, speed.public_id])
    data = {"name": carol_player.name, "player": carol_player.public_id}
    page = alice_client.post(url, data, follow=True).content.decode()
    assert "would be in 2 events" in page
    assert speed.entries.filter(player=carol_player).exists()
    bob = {"name": "Somebody Else"}
    answer = alice_client.post(url, bob, headers={"HX-Request": "true"}).content.decode()
    assert "would be in" not in answer
