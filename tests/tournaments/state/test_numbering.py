"""Match numbers are unique in the event, and none is given twice."""

from collections.abc import Callable
from typing import Any

import pytest

from formats.settings import StageSettings
from players.actors import Actor
from players.models import Player
from tests.tournaments.support.swiss_rounds import DivisionDriver
from tournaments.models import Division, Fixture, Tournament
from tournaments.state.locks import take_numbers

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


def numbers(division: Division) -> list[int]:
    return list(Fixture.objects.filter(stage__division=division).order_by("pk").values_list("number", flat=True))


def test_divisions_of_an_event_share_one_count(drawn: Callable[..., Division], tournament: Tournament) -> None:
    first = drawn(4, name="Open")
    tournament.refresh_from_db()
    second = drawn(5, name="Masters")
    assert sorted(numbers(first)) == [1, 2, 3]
    assert sorted(numbers(second)) == list(range(4, 4 + len(numbers(second))))


def test_numbers_that_were_given_are_not_given_again(drawn: Callable[..., Division], tournament: Tournament) -> None:
    assert take_numbers(tournament, 5) == 1
    assert sorted(numbers(drawn(4))) == [6, 7, 8]


def test_rounds_and_the_stage_after_them_count_on(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> None:
    driver = DivisionDriver(make_division(match_length=1), by_alice)
    driver.enter(make_players(8))
    driver.begin(StageSettings("swiss", rounds=2, qualifiers=4), StageSettings("knockout"))
    driver.play_round()
    driver.work()
    other = DivisionDriver(make_division(name="Side", match_length=1), by_alice)
    other.enter([Player.objects.create(name=f"Guest {number}") for number in range(4)])
    other.begin(StageSettings("knockout"))
    driver.play_round()
    numbers_used: list[Any] = [*numbers(driver.division), *numbers(other.division)]
    assert Fixture.objects.filter(stage__division=driver.division, stage__number=2).count() == 3
    assert len(numbers_used) == len(set(numbers_used)) == Tournament.objects.get().last_number


def test_who_comes_late_into_a_league_plays_matches_with_numbers_of_their_own(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> None:
    driver = DivisionDriver(make_division(match_length=1), by_alice)
    driver.enter(make_players(4))
    driver.begin(StageSettings("league"))
    other = DivisionDriver(make_division(name="Side", match_length=1), by_alice)
    other.enter(make_players(2))
    other.begin(StageSettings("knockout"))
    driver.late(Player.objects.create(name="Late Larry"))
    assert sorted([*numbers(driver.division), *numbers(other.division)]) == list(range(1, 12))
