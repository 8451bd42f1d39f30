"""A finished Swiss that gets more rounds, and a Swiss with too few players left."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from formats.settings import NextRound, StageSettings
from players.actors import Actor
from players.models import Player
from tests.tiers import first_in_make_test
from tests.tournaments.draws.swiss.conftest import MakePlayers, Swiss, refused
from tests.tournaments.support.swiss_rounds import DivisionDriver, is_clean
from tournaments.draws import rounds as round_services
from tournaments.draws.rounds import RoundChanges
from tournaments.entries import returns
from tournaments.models import Division, Draw, Tournament

pytestmark = pytest.mark.django_db


def change(driver: DivisionDriver, rounds: int) -> None:
    round_services.change_rounds(
        division=driver.division, by=driver.by, after=driver.seq, now=driver.now(), changes=RoundChanges(rounds=rounds)
    )


def statuses(driver: DivisionDriver) -> tuple[str, str]:
    driver.division.refresh_from_db()
    return driver.division.status, Tournament.objects.get(pk=driver.division.tournament_id).status


@pytest.mark.parametrize("rounds", first_in_make_test(3, None))
def test_a_finished_swiss_can_get_another_round(swiss: Swiss, rounds: int | None) -> None:
    driver = swiss(8, rounds)
    driver.play_out(Random(8))
    assert statuses(driver) == (Division.Status.FINISHED, Tournament.Status.FINISHED)
    paired = len(driver.rounds())

    change(driver, paired + 1)
    assert statuses(driver) == (Division.Status.RUNNING, Tournament.Status.RUNNING)
    driver.work()
    assert len(driver.ready()) == 4
    driver.play_out(Random(9))

    assert [draw.round for draw in driver.rounds()] == list(range(1, paired + 2))
    assert statuses(driver) == (Division.Status.FINISHED, Tournament.Status.FINISHED)
    assert is_clean()


def test_a_swiss_gets_no_more_rounds_once_the_next_stage_has_begun(
    make_division: Callable[..., Division], make_players: MakePlayers, by_alice: Actor
) -> None:
    driver = DivisionDriver(make_division(), by_alice)
    driver.enter(make_players(8))
    driver.begin(StageSettings("swiss", rounds=2, qualifiers=4), StageSettings("knockout"))
    for _ in range(2):
        driver.play_round()
        driver.work()

    with refused("next_stage_begun"):
        change(driver, 3)


def test_lives_get_no_more_rounds_after_the_end(
    make_division: Callable[..., Division], make_players: MakePlayers, by_alice: Actor
) -> None:
    driver = DivisionDriver(make_division(), by_alice)
    driver.enter(make_players(3))
    driver.begin(StageSettings("lives", lives=2))
    driver.play_out(Random(1))

    with refused("rounds_over"):
        change(driver, 20)


def last_draft(driver: DivisionDriver) -> Draw:
    return driver.draw_of(2)[-1]


def test_a_round_that_everybody_wants_to_miss_waits_until_a_bye_is_cancelled(swiss: Swiss, by_alice: Actor) -> None:
    driver = swiss(4)
    everybody = list(driver.division.entries.all())
    for entry in everybody:
        round_services.request_bye(entry=entry, round_number=2, kind="half", by=by_alice, now=driver.now())
    driver.play_round()
    driver.work()
    assert last_draft(driver).refusal == {"code": "too_few_without_byes", "params": {"round": 2, "players": 0}}

    round_services.withdraw_bye(entry=everybody[0], round_number=2, by=by_alice, now=driver.now())
    driver.work()
    assert last_draft(driver).state == Draw.State.DRAFT
    assert is_clean()


def test_a_last_player_waits_until_the_swiss_ends_or_a_late_entry(swiss: Swiss) -> None:
    driver = swiss(4)
    for entry in list(driver.division.entries.all())[1:]:
        driver.withdraw(entry)
    driver.work()
    assert last_draft(driver).refusal == {"code": "too_few_players", "params": {"players": 1}}
    assert statuses(driver)[0] == Division.Status.RUNNING

    driver.late(Player.objects.create(name="Larry"))
    driver.work()
    assert last_draft(driver).state == Draw.State.PUBLISHED


LATER = [StageSettings("swiss", rounds=1), StageSettings("lives"), StageSettings("swiss", rounds=None)]


@pytest.mark.parametrize("later", LATER)
def test_a_later_stage_ends_by_itself_when_one_of_two_qualifiers_leaves_before_its_first_round(
    make_division: Callable[..., Division], make_players: MakePlayers, by_alice: Actor, later: StageSettings
) -> None:
    driver = DivisionDriver(make_division(), by_alice)
    entries = driver.enter(make_players(4))
    driver.begin(StageSettings("roundrobin", qualifiers=2), later)
    for fixture in driver.ready()[:-1]:
        driver.report(fixture, 0)
    for entry in entries[:-1]:
        driver.withdraw(entry)
    for fixture in driver.ready():
        driver.report(fixture, 0)
    driver.work()

    assert statuses(driver) == (Division.Status.FINISHED, Tournament.Status.FINISHED)
    assert is_clean()


@pytest.mark.parametrize("later", LATER)
def test_a_later_stage_ends_by_itself_when_all_but_one_leave_it(
    make_division: Callable[..., Division], make_players: MakePlayers, by_alice: Actor, later: StageSettings
) -> None:
    driver = DivisionDriver(make_division(), by_alice)
    driver.enter(make_players(5))
    longer = replace(later, rounds=later.rounds and 3, qualifiers=2)
    driver.begin(StageSettings("roundrobin", qualifiers=4), longer, StageSettings("knockout"))
    while len(driver.rounds(2)) < 1:
        driver.play_round()
        driver.work()
    playing = [place for place in driver.rounds(2)[0].places if place is not None]
    for entry in driver.division.entries.filter(pk__in=playing[1:]):
        driver.withdraw(entry)
    driver.work()

    assert driver.division.stages.get(number=2).status == "finished"
    assert statuses(driver) == (Division.Status.FINISHED, Tournament.Status.FINISHED)
    assert is_clean()

    back = driver.division.entries.get(pk=playing[1])
    preview = returns.preview_return(entry=back)
    returns.bring_back(entry=back, seen=preview.mark, by=driver.by, now=driver.now())
    assert is_clean()


def test_a_first_stage_that_a_return_opens_again_is_played_on_before_the_second(
    make_division: Callable[..., Division], make_players: MakePlayers, by_alice: Actor
) -> None:
    driver = DivisionDriver(make_division(), by_alice)
    entries = driver.enter(make_players(4))
    driver.begin(StageSettings("lives", lives=2, qualifiers=2, next_round=NextRound.ASK), StageSettings("lives"))
    driver.play_round()
    for entry in entries[1:]:
        driver.withdraw(entry)
    assert statuses(driver) == (Division.Status.FINISHED, Tournament.Status.FINISHED)

    entry = driver.division.entries.get(pk=entries[1].pk)
    seen = returns.preview_return(entry=entry).mark
    returns.bring_back(entry=entry, seen=seen, by=driver.by, now=driver.now())
    stage = 1
    while stage == 1:
        acts = {"division": driver.division, "by": driver.by, "after": driver.seq}
        stage = round_services.request_round(**acts, now=driver.now()).stage.number
        driver.work()
        driver.publish()
        driver.play_round()
    driver.play_out(Random(3))

    assert len(driver.rounds(1)) > 1
    assert statuses(driver) == (Division.Status.FINISHED, Tournament.Status.FINISHED)
    assert is_clean()


def test_a_swiss_with_one_player_left_can_end_after_the_played_rounds(swiss: Swiss) -> None:
    driver = swiss(4)
    for entry in list(driver.division.entries.all())[1:]:
        driver.withdraw(entry)
    driver.work()

    change(driver, 1)
    assert statuses(driver) == (Division.Status.FINISHED, Tournament.Status.FINISHED)
    assert is_clean()
