"""Who is there for the rounds of a Swiss: byes that are asked for, coming late, going early and coming back."""

from collections.abc import Callable

import pytest

from matches.models import Result
from players.actors import Actor
from tests.tournaments.draws.swiss.conftest import MakePlayers, Swiss, newcomer, points, refused
from tests.tournaments.support.swiss_rounds import Hall, is_clean
from tournaments.draws.services import rounds as rounds_asked
from tournaments.entries.services import late
from tournaments.formats.settings import NextRound, StageSettings
from tournaments.formats.swiss.event import ByeKind
from tournaments.models import ByeRequest, Division, Draw, Entry, Fixture, Withdrawal

pytestmark = pytest.mark.django_db


def test_a_bye_asked_for_and_one_given_are_of_different_kinds_and_points(swiss: Swiss, by_alice: Actor) -> None:
    hall = swiss(6, next_round=NextRound.ASK)
    hall.play_round()
    away, gone = hall.division.entries.all()[:2]
    for one, kind in ((away, "half"), (gone, "requested")):
        rounds_asked.request_bye(entry=one, round_number=2, kind=kind, by=by_alice, now=hall.now())
    before = points(hall)

    rounds_asked.request_round(division=hall.division, by=by_alice, after=hall.seq, now=hall.now())
    hall.work()
    hall.publish()

    assert hall.rounds()[1].byes == {str(away.pk): ByeKind.HALF, str(gone.pk): ByeKind.REQUESTED}
    gained = {one: points(hall)[one.player.name] - before[one.player.name] for one in (away, gone)}
    assert gained == {away: 0.5, gone: 0.0}
    byes = Fixture.objects.filter(stage__division=hall.division, status=Fixture.Status.BYE)
    assert byes.count() == 2
    assert is_clean()


def test_a_bye_is_taken_back_and_asked_for_of_another_kind_until_its_round_is_paired(
    swiss: Swiss, by_alice: Actor
) -> None:
    hall = swiss(6)
    one = hall.division.entries.all()[0]
    acts = {"entry": one, "by": by_alice}
    rounds_asked.request_bye(**acts, round_number=2, kind="half", now=hall.now())
    rounds_asked.request_bye(**acts, round_number=2, kind="half", now=hall.now())
    assert ByeRequest.objects.count() == 1, "the second of two clicks"
    rounds_asked.request_bye(**acts, round_number=2, kind="requested", now=hall.now())
    rounds_asked.take_back_bye(**acts, round_number=2, now=hall.now())
    with refused("no_bye_requested"):
        rounds_asked.take_back_bye(**acts, round_number=2, now=hall.now())
    with refused("round_paired"):
        rounds_asked.request_bye(**acts, round_number=1, kind="half", now=hall.now())
    with refused("no_such_round"):
        rounds_asked.request_bye(**acts, round_number=4, kind="half", now=hall.now())
    hall.play_round()
    hall.work()

    assert hall.rounds()[1].byes == {}


def test_a_round_published_at_once_is_paired_anew_when_somebody_asks_for_a_bye_meanwhile(
    swiss: Swiss, by_alice: Actor
) -> None:
    hall = swiss(6)
    hall.play_round()
    one = hall.division.entries.all()[0]
    (asked,) = hall.draw_of(2)
    rounds_asked.request_bye(entry=one, round_number=2, kind="half", by=by_alice, now=hall.now())
    hall.work()

    asked.refresh_from_db()
    assert asked.state == Draw.State.PUBLISHED
    assert str(one.pk) in asked.byes


# Coming late and going early


@pytest.mark.parametrize(("missed", "expected"), [(0.0, 0.0), (0.5, 1.0)])
def test_who_comes_late_joins_the_next_round_and_missed_rounds_count_as_set(
    swiss: Swiss, missed: float, expected: float
) -> None:
    hall = swiss(6, missed_points=missed)
    hall.play_round()
    hall.work()
    (late_one,) = hall.late(newcomer())

    assert late_one.status == Entry.Status.IN
    assert late_one.rating == 1500.0
    assert points(hall)["Late Larry"] == expected
    assert late_one.pk not in hall.rounds()[1].places
    hall.play_round()
    hall.work()
    assert late_one.pk in hall.rounds()[2].places
    assert is_clean()


def test_nobody_comes_into_a_swiss_when_its_last_round_is_paired(swiss: Swiss) -> None:
    hall = swiss(4, rounds=1)

    with refused("late_entry_closed"):
        hall.late(newcomer())


def test_who_withdraws_during_a_round_gives_a_walkover_and_is_paired_no_more(swiss: Swiss) -> None:
    hall = swiss(6)
    first, *_ = hall.ready()
    leaver = first.slots.get(side=0).entry

    hall.withdraw(leaver)
    hall.play_out()

    first.refresh_from_db()
    assert first.status == Fixture.Status.DECIDED
    assert first.match.results.get().kind == Result.Kind.WALKOVER
    assert all(leaver.pk not in draw.places for draw in hall.rounds()[1:])
    assert [len(draw.byes) for draw in hall.rounds()] == [0, 1, 1]
    assert is_clean()


def test_who_has_withdrawn_comes_back_with_the_points_he_had(swiss: Swiss) -> None:
    hall = swiss(6)
    hall.play_round()
    winner = hall.division.entries.get(pk=hall.rounds()[0].places[0])
    hall.withdraw(winner)
    hall.work()

    (back,) = hall.late(winner.player)
    hall.play_round()
    hall.work()

    assert back.pk == winner.pk
    assert Withdrawal.objects.get().taken_back_at is not None
    assert [back.pk in draw.places for draw in hall.rounds()] == [True, False, True]
    assert points(hall)[winner.player.name] == 1.0
    assert is_clean()


def test_a_full_division_lets_the_late_ones_wait_and_then_in(
    make_division: Callable[..., Division], make_players: MakePlayers, by_alice: Actor
) -> None:
    hall = Hall(make_division(capacity=4), by_alice)
    hall.enter(make_players(4))
    hall.begin(StageSettings("swiss", rounds=3))
    late_one = newcomer()

    (waiting,) = hall.late(late_one)
    assert waiting.status == Entry.Status.WAITING
    hall.withdraw(hall.division.entries.all()[0])
    (joined,) = hall.late(late_one)

    assert (joined.pk, joined.status) == (waiting.pk, Entry.Status.IN)
    with refused("already_entered"):
        hall.late(late_one)


def test_one_does_not_come_late_before_the_draw_or_after_the_end(
    make_division: Callable[..., Division], make_players: MakePlayers, by_alice: Actor
) -> None:
    division = make_division()
    with refused("tournament_not_open"):
        late.enter_late(division=division, players=[newcomer()], by=by_alice, now=Hall(division, by_alice).at)
