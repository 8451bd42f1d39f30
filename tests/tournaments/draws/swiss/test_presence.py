"""Players who miss rounds of a Swiss: requested byes, late entries, withdrawals and returns."""

from collections.abc import Callable

import pytest

from formats.settings import NextRound, StageSettings
from formats.swiss.event import ByeKind
from matches.models import Result
from players.actors import Actor
from players.models import LogEntry
from tests.tournaments.draws.swiss.conftest import MakePlayers, Swiss, newcomer, points, refused
from tests.tournaments.support.swiss_rounds import DivisionDriver, is_clean
from tournaments.draws import rounds
from tournaments.entries import late
from tournaments.models import ByeRequest, Division, Draw, Entry, Fixture, Withdrawal

pytestmark = pytest.mark.django_db


def test_requested_byes_and_byes_by_pairing_differ_in_kind_and_points(swiss: Swiss, by_alice: Actor) -> None:
    driver = swiss(6, next_round=NextRound.ASK)
    driver.play_round()
    away, gone = driver.division.entries.all()[:2]
    for entry, kind in ((away, "half"), (gone, "requested")):
        rounds.request_bye(entry=entry, round_number=2, kind=kind, by=by_alice, now=driver.now())
    before = points(driver)

    rounds.request_round(division=driver.division, by=by_alice, after=driver.seq, now=driver.now())
    driver.work()
    driver.publish()

    assert driver.rounds()[1].byes == {str(away.pk): ByeKind.HALF, str(gone.pk): ByeKind.REQUESTED}
    gained = {entry: points(driver)[entry.player.name] - before[entry.player.name] for entry in (away, gone)}
    assert gained == {away: 0.5, gone: 0.0}
    byes = Fixture.objects.filter(stage__division=driver.division, status=Fixture.Status.BYE)
    assert byes.count() == 2
    assert is_clean()


def test_a_bye_can_be_cancelled_or_replaced_until_its_round_is_paired(swiss: Swiss, by_alice: Actor) -> None:
    driver = swiss(6)
    entry = driver.division.entries.all()[0]
    acts = {"entry": entry, "by": by_alice}
    rounds.request_bye(**acts, round_number=2, kind="half", now=driver.now())
    rounds.request_bye(**acts, round_number=2, kind="half", now=driver.now())
    assert ByeRequest.objects.count() == 1, "a double click requests one bye"
    rounds.request_bye(**acts, round_number=2, kind="requested", now=driver.now())
    rounds.withdraw_bye(**acts, round_number=2, now=driver.now())
    with refused("no_bye_requested"):
        rounds.withdraw_bye(**acts, round_number=2, now=driver.now())
    with refused("round_paired"):
        rounds.request_bye(**acts, round_number=1, kind="half", now=driver.now())
    with refused("no_such_round"):
        rounds.request_bye(**acts, round_number=4, kind="half", now=driver.now())
    driver.play_round()
    driver.work()

    assert driver.rounds()[1].byes == {}


def test_requesting_and_cancelling_a_bye_is_logged_and_raises_the_seq(swiss: Swiss, by_alice: Actor) -> None:
    driver = swiss(6)
    entry = driver.division.entries.all()[0]
    seen = driver.seq

    rounds.request_bye(entry=entry, round_number=2, kind="half", by=by_alice, now=driver.now())

    assert driver.seq == seen + 1
    rounds.withdraw_bye(entry=entry, round_number=2, by=by_alice, now=driver.now())
    assert driver.seq == seen + 2
    log_entries = LogEntry.objects.filter(topic=driver.division.topic, verb__startswith="bye_").order_by("pk")
    params = {"entry": entry.pk, "round": 2, "kind": "half"}
    assert by_alice.user is not None
    assert list(log_entries.values_list("verb", "params", "user")) == [
        ("bye_requested", params, by_alice.user.pk),
        ("bye_taken_back", params, by_alice.user.pk),
    ]


def test_a_draft_that_publishes_itself_is_paired_again_after_a_bye_request(swiss: Swiss, by_alice: Actor) -> None:
    driver = swiss(6)
    driver.play_round()
    entry = driver.division.entries.all()[0]
    (request,) = driver.draw_of(2)
    rounds.request_bye(entry=entry, round_number=2, kind="half", by=by_alice, now=driver.now())
    driver.work()

    request.refresh_from_db()
    assert request.state == Draw.State.PUBLISHED
    assert str(entry.pk) in request.byes


# Late entries and withdrawals


@pytest.mark.parametrize(("missed", "expected"), [(0.0, 0.0), (0.5, 1.0)])
def test_a_late_entry_joins_the_next_round_with_points_for_missed_rounds(
    swiss: Swiss, missed: float, expected: float
) -> None:
    driver = swiss(6, missed_points=missed)
    driver.play_round()
    driver.work()
    (late_entry,) = driver.late(newcomer())

    assert late_entry.status == Entry.Status.IN
    assert late_entry.rating == 1500.0
    assert points(driver)["Late Larry"] == expected
    assert late_entry.pk not in driver.rounds()[1].places
    driver.play_round()
    driver.work()
    assert late_entry.pk in driver.rounds()[2].places
    assert is_clean()


def test_a_swiss_accepts_no_late_entries_after_its_last_round_is_paired(swiss: Swiss) -> None:
    driver = swiss(4, rounds=1)

    with refused("late_entry_closed"):
        driver.late(newcomer())


def test_withdrawing_during_a_round_gives_a_walkover_and_no_further_pairings(swiss: Swiss) -> None:
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


def test_a_withdrawn_player_returns_with_the_same_points(swiss: Swiss) -> None:
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


def test_late_entries_of_a_full_division_wait_for_a_free_place(
    make_division: Callable[..., Division], make_players: MakePlayers, by_alice: Actor
) -> None:
    driver = DivisionDriver(make_division(capacity=4), by_alice)
    driver.enter(make_players(4))
    driver.begin(StageSettings("swiss", rounds=3))
    late_player = newcomer()

    (waiting,) = driver.late(late_player)
    assert waiting.status == Entry.Status.WAITING
    driver.withdraw(driver.division.entries.all()[0])
    (joined,) = driver.late(late_player)

    assert (joined.pk, joined.status) == (waiting.pk, Entry.Status.IN)
    with refused("already_entered"):
        driver.late(late_player)


def test_late_entries_are_refused_before_the_draw_and_after_the_end(
    make_division: Callable[..., Division], make_players: MakePlayers, by_alice: Actor
) -> None:
    division = make_division()
    with refused("tournament_not_open"):
        late.enter_late(division=division, players=[newcomer()], by=by_alice, now=DivisionDriver(division, by_alice).at)
