"""A Swiss that is over and goes on, and one for which too few are left."""

from collections.abc import Callable
from random import Random

import pytest

from players.actors import Actor
from players.models import Player
from tests.tournaments.draws.swiss.conftest import MakePlayers, Swiss, refused
from tests.tournaments.support.swiss_rounds import Hall, is_clean
from tournaments.draws.services import rounds as rounds_asked
from tournaments.formats.settings import StageSettings
from tournaments.models import Division, Draw, Tournament

pytestmark = pytest.mark.django_db


def change(hall: Hall, rounds: int) -> None:
    rounds_asked.change_rounds(division=hall.division, by=hall.by, after=hall.seq, now=hall.now(), rounds=rounds)


def statuses(hall: Hall) -> tuple[str, str]:
    hall.division.refresh_from_db()
    return hall.division.status, Tournament.objects.get(pk=hall.division.tournament_id).status


@pytest.mark.parametrize("rounds", [3, None])
def test_a_finished_swiss_is_given_another_round(swiss: Swiss, rounds: int | None) -> None:
    hall = swiss(8, rounds)
    hall.play_out(Random(8))
    assert statuses(hall) == (Division.Status.FINISHED, Tournament.Status.FINISHED)
    paired = len(hall.rounds())

    change(hall, paired + 1)
    assert statuses(hall) == (Division.Status.RUNNING, Tournament.Status.RUNNING)
    hall.work()
    assert len(hall.ready()) == 4
    hall.play_out(Random(9))

    assert [draw.round for draw in hall.rounds()] == list(range(1, paired + 2))
    assert statuses(hall) == (Division.Status.FINISHED, Tournament.Status.FINISHED)
    assert is_clean()


def test_no_more_rounds_once_the_next_stage_has_begun(
    make_division: Callable[..., Division], make_players: MakePlayers, by_alice: Actor
) -> None:
    hall = Hall(make_division(), by_alice)
    hall.enter(make_players(8))
    hall.begin(StageSettings("swiss", rounds=2, qualifiers=4), StageSettings("knockout"))
    for _ in range(2):
        hall.play_round()
        hall.work()

    with refused("next_stage_begun"):
        change(hall, 3)


def test_lives_have_no_other_round_after_the_end(
    make_division: Callable[..., Division], make_players: MakePlayers, by_alice: Actor
) -> None:
    hall = Hall(make_division(), by_alice)
    hall.enter(make_players(3))
    hall.begin(StageSettings("lives", lives=2))
    hall.play_out(Random(1))

    with refused("rounds_over"):
        change(hall, 20)


def last_draft(hall: Hall) -> Draw:
    return hall.draw_of(2)[-1]


def test_where_all_ask_to_miss_a_round_it_waits_until_one_does_not(swiss: Swiss, by_alice: Actor) -> None:
    hall = swiss(4)
    everybody = list(hall.division.entries.all())
    for entry in everybody:
        rounds_asked.request_bye(entry=entry, round_number=2, kind="half", by=by_alice, now=hall.now())
    hall.play_round()
    hall.work()
    assert last_draft(hall).refusal == {"code": "too_few_without_byes", "params": {"round": 2, "players": 0}}

    rounds_asked.take_back_bye(entry=everybody[0], round_number=2, by=by_alice, now=hall.now())
    hall.work()
    assert last_draft(hall).state == Draw.State.DRAFT
    assert is_clean()


def test_one_player_left_waits_until_it_is_ended_or_somebody_comes(swiss: Swiss) -> None:
    hall = swiss(4)
    for entry in list(hall.division.entries.all())[1:]:
        hall.withdraw(entry)
    hall.work()
    assert last_draft(hall).refusal == {"code": "too_few_players", "params": {"players": 1}}
    assert statuses(hall)[0] == Division.Status.RUNNING

    hall.late(Player.objects.create(name="Larry"))
    hall.work()
    assert last_draft(hall).state == Draw.State.PUBLISHED


def test_one_player_left_ends_with_the_rounds_that_were_played(swiss: Swiss) -> None:
    hall = swiss(4)
    for entry in list(hall.division.entries.all())[1:]:
        hall.withdraw(entry)
    hall.work()

    change(hall, 1)
    assert statuses(hall) == (Division.Status.FINISHED, Tournament.Status.FINISHED)
    assert is_clean()
