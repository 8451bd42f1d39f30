"""What a club's season is about: what a player still needs, and the titles at its end."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from matches.models import Match, Result
from players.actors import SYSTEM
from players.models import Club, Membership, Player, User
from seasons.honours import month_of
from seasons.services import close_series
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


@pytest.mark.journey("who stood out last month")
def test_anybody_reads_who_stood_out_and_opens_the_match(journey: Journey, club: Club) -> None:
    nights(10, members(club))
    at = timezone.now() - timedelta(hours=1)
    Result.objects.update(at=at)
    Match.objects.update(begun_at=at, finished_at=at)
    reader = journey.on_phone()
    reader.tap("Clubs", first=True)
    reader.tap(club.name, first=True)
    reader.sees("Longest winning streak", within="Honours:")
    reader.tap("How they were found")
    reader.sees("wins in a row")
    reader.choose("Month or season", month_of(timezone.localdate() - timedelta(days=40)).name)
    reader.tap("Show")
    reader.sees("A quiet time: no match of an event was played.")
    reader.choose("Month or season", month_of(timezone.localdate()).name)
    reader.tap("Show")
    reader.tap(re.compile("Match against"), first=True)
    reader.sees(re.compile("Cup Tuesday"))


@pytest.mark.journey("the best total of all years")
def test_a_member_reads_the_records_of_the_club(journey: Journey, club: Club) -> None:
    people = members(club)
    nights(4, people)
    season = autumn(club)
    close_series(series=season, after=season.seq, by=SYSTEM, now=timezone.now())
    player = journey.on_phone(account_of(people[0], "bob@example.org", club))
    player.tap(club.name, first=True)
    player.tap("Hall of fame")
    player.sees("Best season total", within="Records")
    player.tap(season.name, within="Records")
    player.sees(season.name)
