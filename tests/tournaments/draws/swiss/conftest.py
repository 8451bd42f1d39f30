"""Fixtures for tests of a Swiss with a published first round."""

from collections.abc import Callable

import pytest

from engine.errors import Refused
from formats.settings import StageSettings
from players.actors import Actor
from players.models import Player
from tests.tournaments.support.swiss_rounds import DivisionDriver
from tournaments.models import Division
from tournaments.state.derivation import states_of

MakePlayers = Callable[[int], list[Player]]
Swiss = Callable[..., DivisionDriver]


@pytest.fixture
def swiss(make_division: Callable[..., Division], make_players: MakePlayers, by_alice: Actor) -> Swiss:
    """Return a function that starts a Swiss and publishes its first round."""

    def make(count: int, rounds: int | None = 3, **settings: object) -> DivisionDriver:
        driver = DivisionDriver(make_division(), by_alice)
        driver.enter(make_players(count))
        return driver.begin(StageSettings("swiss", rounds=rounds, **settings))

    return make


def newcomer(name: str = "Late Larry") -> Player:
    return Player.objects.create(name=name)


def points(driver: DivisionDriver) -> dict[str, float]:
    """Return points by name."""
    table = states_of(driver.division)[0].tables[0]
    names = dict(driver.division.entries.values_list("pk", "player__name"))
    return {names[row.entry]: row.points for row in table.rows}


def refused(code: str) -> "pytest.RaisesExc[Refused]":
    return pytest.raises(Refused, check=lambda error: error.code == code)
