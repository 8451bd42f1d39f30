"""Who is there for the rounds of a Swiss: byes that are asked for, coming late, going early and coming back."""

from collections.abc import Callable

import pytest

from matches.models import Result
from players.actors import Actor
from players.models import LogEntry
from tests.tournaments.draws.swiss.conftest import MakePlayers, Swiss, newcomer, points, refused
from tests.tournaments.support.swiss_rounds import DivisionDriver, is_clean
from tournaments.draws.services import rounds as round_services
from tournaments.entries.services import late
from tournaments.formats.settings import NextRound, StageSettings
from tournaments.formats.swiss.event import ByeKind
from tournaments.models import ByeRequest, Division, Draw, Entry, Fixture, Withdrawal

pytestmark = pytest.mark.django_db


def test_a_bye_asked_for_and_one_given_are_of_different_kinds_and_points(swiss: Swiss, by_alice: Actor) -> None:
    driver = swiss(6, next_round=NextRound.ASK)
    driver.play_round()
    away, gone = driver.division.entries.all()[:2]
    for one, kind in ((away, "half"), (gone, "requested")):
        round_services.request_bye(entry=one, round_number=2, kind=kind, by=by_alice, now=driver.now())
    before = points(driver)

    round_services.request_round(division=driver.division, by=by_alice, after=driver.seq, now=driver.now())
    driver.work()
    driver.publish()

    assert driver.rounds()[1].byes == {str(away.pk): ByeKind.HALF, str(gone.pk): ByeKind.REQUESTED}
    gained = {one: points(driver)[one.player.name] - before[one.player.name] for one in (away, gone)}
    assert gained == {away: 0.5, gone: 0.0}
    byes = Fixture.objects.filter(stage__division=driver.division, status=Fixture.Status.BYE)
    assert byes.count() == 2
    assert is_clean()


def test_a_bye_is_taken_back_and_asked_for_of_another_kind_until_its_round_is_paired(
    swiss: Swiss, by_alice: Actor
) -> None:
    driver = swiss(6)
    one = driver.division.entries.all()[0]
    acts = {"entry": one, "by": by_alice}
    round_services.request_bye(**acts, round_number=2, kind="half", now=driver.now())
    round_services.request_bye(**acts, round_number=2, kind="half", now=driver.now())
    assert ByeRequest.objects.count() == 1, "the second of two clicks"
    round_services.request_bye(**acts, round_number=2, kind="requested", now=driver.now())
    round_services.take_back_bye(**acts, round_number=2, now=driver.now())
    with refused("no_bye_requested"):
        round_services.take_back_bye(**acts, round_number=2, now=driver.now())
    with refused("round_paired"):
        round_services.request_bye(**acts, round_number=1, kind="half", now=driver.now())
    with refused("no_such_round"):
        round_services.request_bye(**acts, round_number=4, kind="half", now=driver.now())
    driver.play_round()
    driver.work()

    assert driver.rounds()[1].byes == {}


def test_asking_for_a_bye_and_taking_it_back_are_logged_and_make_what_a_director_sees_stale(
    swiss: Swiss, by_alice: Actor
) -> None:
    driver = swiss(6)
    entry = driver.division.entries.all()[0]
    seen = driver.seq

    round_services.request_bye(entry=entry, round_number=2, kind="half", by=by_alice, now=driver.now())

    assert driver.seq == seen + 1
    with refused("stale"):
        round_services.request_round(division=driver.division, by=by_alice, after=seen, now=driver.now())
    round_services.take_back_bye(entry=entry, round_number=2, by=by_alice, now=driver.now())
    assert driver.seq == seen + 2
    log_entries = LogEntry.objects.filter(topic=driver.division.topic, verb__startswith="bye_").order_by("pk")
    params = {"entry": entry.pk, "round": 2, "kind": "half"}
    assert by_alice.user is not None
    assert list(log_entries.values_list("verb", "params", "user")) == [
        ("bye_requested", params, by_alice.user.pk),
        ("bye_taken_back", params, by_alice.user.pk),
    ]


def test_a_round_published_at_once_is_paired_anew_when_somebody_asks_for_a_bye_meanwhile(
    swiss: Swiss, by_alice: Actor
) -> None:
    driver = swiss(6)
    driver.play_round()
    one = driver.division.entries.all()[0]
    (asked,) = driver.draw_of(2)
    round_services.request_bye(entry=one, round_number=2, kind="half", by=by_alice, now=driver.now())
    driver.work()

    asked.refresh_from_db()
    assert asked.state == Draw.State.PUBLISHED
    assert str(one.pk) in asked.byes


# Coming late and going early


@pytest.mark.parametrize(("missed", "expected"), [(0.0, 0.0), (0.5, 1.0)])
def test_who_comes_late_joins_the_next_round_and_missed_rounds_count_as_set(
    swiss: Swiss, missed: float, expected: float
) -> None:
    driver = swiss(6, missed_points=missed)
    driver.play_round()
    driver.work()
    (late_one,) = driver.late(newcomer())

    assert late_one.status == Entry.Status.IN
    assert late_one.rating == 1500.0
    assert points(driver)["Late Larry"] == expected
    assert late_one.pk not in driver.rounds()[1].places
    driver.play_round()
    driver.work()
    assert late_one.pk in driver.rounds()[2].places
    assert is_clean()


def test_nobody_comes_into_a_swiss_when_its_last_round_is_paired(swiss: Swiss) -> None:
    driver = swiss(4, rounds=1)

    with refused("late_entry_closed"):
        driver.late(newcomer())


def test_who_withdraws_during_a_round_gives_a_walkover_and_is_paired_no_more(swiss: Swiss) -> None:
    driver = swiss(6)
    first, *_ = driver.ready()
    leaver = first.slots.get(side=0).entry

    driver.withdraw(leaver)
    driver.play_out()

    first.refresh_from_db()
    assert first.status == Fixture.Status.DECIDED
    assert first.match.results.get().kind == Result.Kind.WALKOVER
    assert all(leaver.pk not in draw.places for draw in driver.rounds()[1:])
    assert [len(draw.byes) for draw in driver.rounds()] == [0, 1, 1]
    assert is_clean()


def test_who_has_withdrawn_comes_back_with_the_points_he_had(swiss: Swiss) -> None:
    driver = swiss(6)
    driver.play_round()
    winner = driver.division.entries.get(pk=driver.rounds()[0].places[0])
    driver.withdraw(winner)
    driver.work()

    (back,) = driver.late(winner.player)
    driver.play_round()
    driver.work()

    assert back.pk == winner.pk
    assert Withdrawal.objects.get().taken_back_at is not None
    assert [back.pk in draw.places for draw in driver.rounds()] == [True, False, True]
    assert points(driver)[winner.player.name] == 1.0
    assert is_clean()


def test_a_full_division_lets_the_late_ones_wait_and_then_in(
    make_division: Callable[..., Division], make_players: MakePlayers, by_alice: Actor
) -> None:
    driver = DivisionDriver(make_division(capacity=4), by_alice)
    driver.enter(make_players(4))
    driver.begin(StageSettings("swiss", rounds=3))
    late_one = newcomer()

    (waiting,) = driver.late(late_one)
    assert waiting.status == Entry.Status.WAITING
    driver.withdraw(driver.division.entries.all()[0])
    (joined,) = driver.late(late_one)

    assert (joined.pk, joined.status) == (waiting.pk, Entry.Status.IN)
    with refused("already_entered"):
        driver.late(late_one)


def test_one_does_not_come_late_before_the_draw_or_after_the_end(
    make_division: Callable[..., Division], make_players: MakePlayers, by_alice: Actor
) -> None:
    division = make_division()
    with refused("tournament_not_open"):
        late.enter_late(division=division, players=[newcomer()], by=by_alice, now=DivisionDriver(division, by_alice).at)
