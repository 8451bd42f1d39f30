"""A sheet printed for a match that was taken back names the match that is played instead."""

from collections.abc import Callable

import pytest
from django.test import Client

from formats.settings import StageSettings
from matches.lifecycle import links
from matches.models import Match
from players.actors import Actor
from players.models import Player
from tests.tournaments.draws.test_undo import paired, undo_round
from tests.tournaments.support.pages import text
from tests.tournaments.support.swiss_rounds import DivisionDriver
from tournaments.models import Division, Tournament

pytestmark = pytest.mark.django_db


def sheet(match: Match) -> str:
    """What whoever opens the QR code of a sheet reads."""
    answer = Client().get(f"/m/{links.token_for(match, None)}/")
    assert answer.status_code == 200
    return text(answer.content.decode())


@pytest.fixture
def driver(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> DivisionDriver:
    """A Swiss of six whose second round is paired."""
    driver = DivisionDriver(make_division(match_length=1), by_alice)
    driver.enter(make_players(6))
    driver.begin(StageSettings("swiss", rounds=3))
    driver.play_round()
    return paired(driver)


def test_an_old_sheet_names_its_successor_and_no_number_is_reused(driver: DivisionDriver) -> None:
    old = [row.match for row in driver.ready() if row.match is not None]
    assert len(old) == 3
    assert "Played instead" not in sheet(old[0])
    taken = {row.number for row in driver.ready()}
    undo_round(driver)
    assert "Played instead" not in sheet(old[0]), "nothing is paired yet"
    paired(driver)
    fresh = {row.number: row for row in driver.ready()}
    assert fresh
    assert not set(fresh) & taken
    for match in old:
        shown = sheet(match)
        assert "Played instead" in shown
        now = [row for row in fresh.values() if row.match and set(row.match.players) & set(match.players)]
        met = [row for row in now if row.match and set(row.match.players) == set(match.players)]
        for row in met or now:
            assert f"M{row.number}" in shown
    assert Tournament.objects.get().last_number == max(fresh)
