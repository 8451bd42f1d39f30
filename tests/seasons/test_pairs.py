"""Pairs in a season: each of the two gets the points of their side, as the season says."""

from collections.abc import Callable
from datetime import timedelta
from random import Random

import pytest
from django.test import Client
from django.urls import reverse

from formats.settings import StageSettings
from players.actors import SYSTEM, Actor
from players.models import Club, Player
from players.people.pairs import pair_of
from players.people.services import merge_players
from seasons import services
from seasons.chances import race_of
from seasons.tables import season_table
from seasons.titles import winners_of
from tests.event_cast import NOON
from tests.tournaments.support.played_stages import drawn_as, play
from tournaments.events import services as events
from tournaments.models import Division, Series, Tournament

pytestmark = pytest.mark.django_db
KNOCKOUT = [StageSettings("knockout")]


@pytest.fixture
def people() -> dict[str, Player]:
    return {name: Player.objects.create(name=name) for name in ("Ann", "Bea", "Cem", "Dan")}


@pytest.fixture
def doubles(people: dict[str, Player], make_division: Callable[..., Division], by_alice: Actor) -> Division:
    """Ann & Bea against Cem & Dan, drawn."""
    division = make_division(name="Doubles", match_length=3, rated=False)
    Division.objects.filter(pk=division.pk).update(sides=Division.Sides.TWO)
    pairs = [pair_of(people["Ann"], people["Bea"]), pair_of(people["Cem"], people["Dan"])]
    return drawn_as(division, KNOCKOUT, pairs, by_alice)


@pytest.fixture
def series(club: Club) -> Series:
    days = services.SeriesInput("Autumn", NOON.date() - timedelta(days=30), NOON.date(), "motor_racing")
    return services.create_series(club=club, series=days, by=SYSTEM, now=NOON)


def totals(series: Series) -> dict[str, float]:
    series.refresh_from_db()
    names = dict(Player.objects.values_list("public_id", "name"))
    return {names[row.player]: float(row.total) for row in season_table(series).season.rows}


def test_each_of_a_pair_gets_what_the_season_gives(
    series: Series, doubles: Division, people: dict[str, Player], by_alice: Actor
) -> None:
    services.count_events(series=series, events=[doubles.tournament], by=SYSTEM)
    play(doubles, by_alice, Random(3))
    each = totals(series)
    assert set(each) == set(people)
    assert (each["Ann"], each["Cem"]) == (each["Bea"], each["Dan"])
    assert each["Ann"] != each["Cem"]
    days = series.first_day, series.last_day
    for pairs, part in (("half", 0.5), ("", 0.5), ("none", 0), ("each", 1)):
        series.refresh_from_db()
        services.change_details(series=series, name="Autumn", days=days, pairs=pairs, after=series.seq, by=by_alice)
        assert totals(series) == ({name: points * part for name, points in each.items()} if part else {})
    first = max(each, key=lambda name: each[name])
    winners = next(pair for pair in ({"Ann", "Bea"}, {"Cem", "Dan"}) if first in pair)
    assert {Player.objects.get(public_id=player).name for player in winners_of(doubles)} == winners


def test_whom_one_of_a_pair_was_merged_into_gets_the_points(
    series: Series, doubles: Division, people: dict[str, Player], by_alice: Actor
) -> None:
    services.count_events(series=series, events=[doubles.tournament], by=SYSTEM)
    play(doubles, by_alice, Random(3))
    before = totals(series)
    anna = Player.objects.create(name="Anna")
    merge_players(player=people["Ann"], into=anna, by=by_alice, now=NOON)
    assert totals(series) == {"Anna" if name == "Ann" else name: points for name, points in before.items()}


def test_the_race_names_both_of_a_pair(
    series: Series, people: dict[str, Player], doubles: Division, by_alice: Actor
) -> None:
    earlier = Tournament.objects.get(pk=doubles.tournament_id)
    services.count_events(series=series, events=[earlier], by=SYSTEM)
    play(doubles, by_alice, Random(3))
    again = Division.objects.select_related("tournament__club").get(pk=doubles.pk)
    event = {"by": by_alice, "now": NOON}
    later = events.create_tournament(
        club=again.tournament.club, name="Later", starts_at=NOON + timedelta(hours=1), **event
    )
    division = events.create_division(tournament=later, name="Doubles", match_length=3, rated=False, **event)
    Division.objects.filter(pk=division.pk).update(sides=Division.Sides.TWO)
    sides = [pair_of(people["Ann"], people["Cem"]), pair_of(people["Bea"], people["Dan"])]
    division = drawn_as(division, KNOCKOUT, sides, by_alice)
    services.count_events(series=series, events=[later], by=SYSTEM)
    race = race_of(season_table(series), NOON.date())
    assert race is not None
    assert len(race.endings) == 2
    ids = {name: player.public_id for name, player in people.items()}
    assert race.contest.upcoming[0].entrants == set(ids.values())
    assert {ending.wins_in_a_row(ids["Cem"]) for ending in race.endings} == {0, 1}
    for ending in race.endings:
        assert ending.wins_in_a_row(ids["Ann"]) == ending.wins_in_a_row(ids["Cem"]) != ending.wins_in_a_row(ids["Dan"])


def test_a_director_chooses_what_pairs_get(series: Series, alice_client: Client) -> None:
    page = alice_client.get(reverse("series-edit", args=[series.club.slug, series.slug])).content.decode()
    assert "each gets all points of the pair" in page
    typed = {
        "name": series.name, "first_day": str(series.first_day), "last_day": str(series.last_day),
        "pairs": "half", "after": series.seq,
    }  # fmt: skip
    alice_client.post(reverse("series-details", args=[series.club.slug, series.slug]), typed)
    series.refresh_from_db()
    assert series.pairs == Series.PairPoints.HALF
    body = {**typed, "pairs": "twice", "after": series.seq}
    path = f"/api/v1/seasons/{series.public_id}/details/"
    assert alice_client.post(path, body, content_type="application/json").status_code == 422
    answer = alice_client.post(path, {**body, "pairs": "none"}, content_type="application/json")
    assert answer.json()["pairs"] == "none"
    copy = services.SeriesInput("Next", series.first_day, series.last_day, like=Series.objects.get(pk=series.pk))
    assert services.create_series(club=series.club, series=copy, by=SYSTEM, now=NOON).pairs == "none"
