"""Lives: rounds are paired until one player is left."""

from collections.abc import Callable
from random import Random

import pytest

from engine.errors import Refused
from formats.settings import NextRound, StageSettings
from formats.swiss.event import ByeKind
from formats.swiss.lives import lives_left
from players.actors import Actor
from players.models import Player
from tests.tournaments.support.swiss_rounds import DivisionDriver, is_clean, pairs_of
from tournaments.draws import rounds
from tournaments.draws.kept_apart import keep_apart
from tournaments.draws.rounds import RoundChanges
from tournaments.models import Division, Entry
from tournaments.state.derivation import states_of

pytestmark = pytest.mark.django_db
Lives = Callable[..., DivisionDriver]


@pytest.fixture
def lives(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> Lives:
    """Return a function that starts a stage with lives and publishes its first round."""

    def make(count: int, lives: int = 2, **settings: object) -> DivisionDriver:
        driver = DivisionDriver(make_division(), by_alice)
        driver.enter(make_players(count))
        return driver.begin(StageSettings("lives", lives=lives, **settings))

    return make


@pytest.mark.slow
@pytest.mark.parametrize(("count", "each"), [(2, 2), (5, 2), (8, 3), pytest.param(11, 3, marks=pytest.mark.slow)])
def test_lives_are_played_until_a_single_player_is_left(lives: Lives, count: int, each: int) -> None:
    driver = lives(count, each)

    driver.play_out(Random(count))

    (state,) = states_of(driver.division)
    driver.division.refresh_from_db()
    assert driver.division.status == Division.Status.FINISHED
    assert len(lives_left(state.event, each)) == 1
    lost = state.event.losses
    assert sorted(lost[player.entry] for player in state.event.players)[1:] == [each] * (count - 1)
    assert is_clean()


def test_a_bye_costs_no_life_and_byes_are_shared_evenly(lives: Lives) -> None:
    driver = lives(5, 3)

    driver.play_out(Random(5))

    had: dict[int, int] = {}
    byes = [draw.byes for draw in driver.rounds() if draw.byes]
    assert byes
    assert {kind for round_byes in byes for kind in round_byes.values()} == {ByeKind.SIT_OUT}
    for draw in driver.rounds():
        for entry in draw.byes:
            others = [had.get(place, 0) for place in draw.places if place not in (None, int(entry))]
            assert had.get(int(entry), 0) <= min(others)
            had[int(entry)] = had.get(int(entry), 0) + 1


def test_a_pair_kept_apart_is_never_paired(lives: Lives, by_alice: Actor) -> None:
    driver = DivisionDriver(lives(2).division.tournament.divisions.get(), by_alice)
    first, second = driver.division.entries.all()
    assert pairs_of(driver.rounds()[0]) in ([(first.pk, second.pk)], [(second.pk, first.pk)])
    keep_apart(first=first, second=second, by=by_alice, now=driver.now())

    driver.play_round()
    driver.work()

    assert driver.draw_of(2)[-1].refusal == {"code": "no_legal_pairing", "params": {"round": 2}}


def test_late_entries_are_accepted_until_round_two_is_paired(lives: Lives) -> None:
    driver = lives(6)
    (late_entry,) = driver.late(Player.objects.create(name="Late Larry"))
    driver.play_round()
    driver.work()

    assert late_entry.pk in driver.rounds()[1].places
    with pytest.raises(Refused) as refused:
        driver.late(Player.objects.create(name="Later Lena"))
    assert refused.value.code == "late_entry_closed"
    driver.play_out(Random(4))
    assert is_clean()


def test_lives_refuse_bye_requests_fixed_pairs_and_planned_rounds(lives: Lives, by_alice: Actor) -> None:
    driver = lives(4, next_round=NextRound.ASK)
    driver.play_round()
    first, second = driver.division.entries.all()[:2]
    acts = {"by": by_alice, "now": driver.now()}
    calls = [
        lambda: rounds.request_bye(entry=first, round_number=2, kind="half", **acts),
        lambda: rounds.change_rounds(
            division=driver.division, after=driver.seq, changes=RoundChanges(rounds=4), **acts
        ),
        lambda: rounds.request_round(division=driver.division, after=driver.seq, manual=[(first, second)], **acts),
    ]
    for call in calls:
        with pytest.raises(Refused) as refused:
            call()
        assert refused.value.code == "not_with_lives"


def test_a_withdrawn_player_ranks_with_those_out_in_the_same_round(lives: Lives) -> None:
    driver = lives(6)
    driver.play_round()
    leaver = Entry.objects.get(pk=driver.rounds()[0].places[0])
    driver.withdraw(leaver)
    driver.work()
    driver.play_out(Random(2))

    assert all(leaver.pk not in draw.places for draw in driver.rounds()[1:])
    assert states_of(driver.division)[0].tables[0].rows[-1].entry == leaver.pk
    assert is_clean()
