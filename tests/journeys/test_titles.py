"""What a club's season is about: what a player still needs, and the titles at its end."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from players.models import Club, Membership, Player, User
from tests.browser.test_floor import NAMES
from tests.browser.test_seasons import autumn, last_night, nights
from tests.journeys.conftest import Journey
from tests.journeys.evenings import account_of
from tournaments.models import Series


def members(club: Club) -> list[Player]:
    """Eight members of the club."""
    people = [Player.objects.create(name=name) for name in NAMES[:8]]
    for player in people:
        Membership.objects.create(club=club, player=player)
    return people


@pytest.mark.journey("what I need on the last night")
def test_a_player_finds_what_they_need_on_the_last_night(journey: Journey, club: Club) -> None:
    people = members(club)
    nights(4, people)
    last_night(people)
    season = autumn(club)
    player = journey.on_phone(account_of(people[0], "bob@example.org", club))
    player.sees(re.compile(r"results? of the evening \("), within="Your place in the season")
    player.tap(season.name)
    player.sees("What it takes on")
    player.sees("Title race")


@pytest.mark.journey("close a season, award its title")
def test_a_director_awards_the_title_of_a_season(journey: Journey, club: Club, alice: User) -> None:
    people = members(club)
    nights(4, people)
    season = autumn(club)
    Series.objects.filter(pk=season.pk).update(last_day=timezone.localdate() - timedelta(days=1))
    season.refresh_from_db()
    director = journey.at_desk(alice)
    director.tap(club.name, first=True)
    director.tap("Season", first=True)
    director.tap("Points and evenings")
    director.tap("Close the season")
    director.sees("Proposed by the results")
    director.tap("Award", within="Season winner")
    director.sees("The title is awarded to")
    director.tap("Hall of fame", first=True)
    director.sees("Season winner", within=str(season.last_day.year))
