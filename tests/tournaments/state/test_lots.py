"""Lots drawn after the draw: no sequence of preview, apply and undo changes one."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from random import Random

import pytest
from django.db import transaction

from formats.settings import StageSettings
from matches.models import Match
from players.actors import Actor
from players.models import LogEntry, Player
from tests.event_cast import NOON
from tests.tournaments.support.swiss_rounds import DivisionDriver
from tournaments.models import Division, Fixture, Stage
from tournaments.results.overdue import apply_deadline
from tournaments.state.derivation import states_of

pytestmark = pytest.mark.django_db
MakeDivision = Callable[..., Division]
MakePlayers = Callable[[int], list[Player]]
AFTERWARDS = NOON + timedelta(days=2)


@contextmanager
def undone() -> Iterator[None]:
    """Whatever is done inside is looked at and then never happened."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture
def driver(make_division: MakeDivision, make_players: MakePlayers, by_alice: Actor) -> DivisionDriver:
    """A knockout of nine being played: seven byes."""
    driver = DivisionDriver(make_division(deadline_rule="lots"), by_alice)
    driver.enter(make_players(9))
    return driver.begin(StageSettings("knockout"))


def fixture_taken(driver: DivisionDriver, player: Player) -> int:
    driver.late(player)
    params = LogEntry.objects.filter(verb="entered_late").order_by("-pk").values_list("params", flat=True)[0]
    return int(params["fixture"])


@pytest.mark.slow
def test_a_late_entry_gets_the_same_bye_however_often_it_is_previewed_undone_and_repeated(
    driver: DivisionDriver,
) -> None:
    chance = Random(8)
    players = [Player.objects.create(name=f"Late {number}") for number in range(4)]
    first: dict[int, int] = {}
    for _ in range(12):
        player = chance.choice(players)
        with undone():
            taken = fixture_taken(driver, player)
        assert first.setdefault(player.pk, taken) == taken
    assert len(first) > 1
    # With others before them, they take the same bye, unless one of the others has it.
    for _ in range(6):
        order = chance.sample(players, 4)
        with undone():
            got = {player.pk: fixture_taken(driver, player) for player in order}
            gone: set[int] = set()
            for player in order:
                assert player.pk not in first or got[player.pk] == first[player.pk] or first[player.pk] in gone
                gone.add(got[player.pk])


def test_a_match_nobody_played_goes_to_the_same_player_each_time_the_deadline_is_applied(
    driver: DivisionDriver,
) -> None:
    Fixture.objects.filter(stage__division=driver.division).update(due_at=NOON + timedelta(days=1))
    Match.objects.update(due_at=NOON + timedelta(days=1))
    ready = driver.ready()
    assert len(ready) > 2
    winners: dict[int, set[int]] = {}
    for _ in range(3):
        for fixture in ready:
            with undone():
                assert apply_deadline(fixture_id=fixture.pk, now=AFTERWARDS) == "lots"
                assert fixture.match is not None
                match = fixture.match
                winner = match.results.get().winner
                assert winner is not None
                winners.setdefault(fixture.pk, set()).add(match.players[winner].pk)
    assert {len(players) for players in winners.values()} == {1}


def test_a_tie_that_is_broken_by_lot_comes_back_after_a_correction_and_its_undo(
    make_division: MakeDivision, make_players: MakePlayers, by_alice: Actor
) -> None:
    driver = DivisionDriver(make_division(), by_alice)
    driver.enter(make_players(4))
    driver.begin(StageSettings("roundrobin", tiebreaks=("lots",)))
    driver.play_round(Random(3))

    def order() -> list[int]:
        (table,) = states_of(driver.division)[0].tables
        return [row.entry for row in table.rows]

    before = order()
    fixture = Fixture.objects.filter(stage__division=driver.division).order_by("number")[0]
    assert fixture.match is not None
    result = fixture.match.results.order_by("-version")[0]
    winner = result.winner or 0
    with undone():
        driver.report(fixture, 1 - winner)
        order()
    driver.report(fixture, 1 - winner)
    driver.report(fixture, winner)
    assert order() == before


def test_lots_have_a_seed_of_their_own_that_stays_secret_until_the_stage_is_over(driver: DivisionDriver) -> None:
    stage = Stage.objects.get(division=driver.division)
    assert stage.seed != stage.lots_seed
    assert stage.seed_hash != stage.lots_hash
    assert stage.seed_is_public
    assert not stage.lots_seed_is_public
    driver.play_out(Random(1))
    stage.refresh_from_db()
    assert stage.lots_seed_is_public
