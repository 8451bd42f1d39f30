"""Pairing the rounds of a Swiss, on request or automatically, and rounds that cannot be paired."""

from collections.abc import Callable
from random import Random

import pytest

from core.queue import claim_lasts
from formats.plans import places_before
from formats.settings import NextRound, StageSettings
from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from players.models import Club, Membership
from tests.tournaments.draws.swiss.conftest import MakePlayers, Swiss, newcomer, points, refused
from tests.tournaments.support.swiss_rounds import DivisionDriver, is_clean, pairs_of
from tournaments.draws import rounds as round_services
from tournaments.draws import services as draws
from tournaments.draws.rounds import RoundChanges
from tournaments.events import services as events
from tournaments.models import Division, Draw, Entry, Fixture, Slot, Stage
from tournaments.results import services as results
from tournaments.state import stages
from tournaments.state.derivation import states_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("count", "rounds"),
    [(2, 1), (5, 3), (8, 3), pytest.param(13, 5, marks=pytest.mark.slow), pytest.param(16, 4, marks=pytest.mark.slow)],
)
def test_rounds_follow_each_other_until_all_planned_rounds_are_played(swiss: Swiss, count: int, rounds: int) -> None:
    driver = swiss(count, rounds)

    driver.play_out(Random(count))

    driver.division.refresh_from_db()
    assert [draw.round for draw in driver.rounds()] == list(range(1, rounds + 1))
    assert driver.division.status == Division.Status.FINISHED
    assert is_clean()


def test_the_next_round_is_requested_only_when_the_last_result_is_in(swiss: Swiss) -> None:
    driver = swiss(6)
    first, second, third = driver.ready()

    driver.report(first, 0)
    driver.report(second, 0)
    assert driver.draw_of(2) == []
    driver.report(third, 0)

    (request,) = driver.draw_of(2)
    assert (request.state, request.at_once) == (Draw.State.REQUESTED, False)
    driver.work()
    request.refresh_from_db()
    assert request.state == Draw.State.PUBLISHED
    assert len(driver.ready()) == 3


def test_a_swiss_without_planned_rounds_ends_with_one_unbeaten_player(swiss: Swiss) -> None:
    driver = swiss(8, rounds=None)

    driver.play_out(Random(1))

    driver.division.refresh_from_db()
    assert driver.division.status == Division.Status.FINISHED
    assert sum(score == len(driver.rounds()) for score in points(driver).values()) == 1


def test_every_draft_stores_ratings_and_keeps_club_mates_apart(
    make_division: Callable[..., Division], make_players: MakePlayers, by_alice: Actor
) -> None:
    driver = DivisionDriver(make_division(apart=True), by_alice)
    eight = make_players(8)
    entered = [entry.pk for entry in driver.enter(eight)]
    mates = [set(entered[at : at + 2]) for at in range(0, 8, 2)]
    for at in range(4):
        away = Club.objects.create(name=f"Away {at}", slug=f"away-{at}")
        for player in eight[2 * at : 2 * at + 2]:
            Membership.objects.create(club=away, player=player)
    stages.set_stages(
        division=driver.division,
        stages=[StageSettings("swiss", rounds=2)],
        after=driver.seq,
        by=by_alice,
        now=driver.now(),
    )

    events.publish_tournament(tournament=driver.division.tournament, by=by_alice, now=driver.now())
    for again in ("", *"abcdefgh"):
        request = draws.request_draw(division=driver.division, by=by_alice, now=driver.now(), reason=again)
        draft = draws.make_draft(draw_id=request.pk, now=driver.now())
        assert draft is not None
        assert all(set(pair) not in mates for pair in pairs_of(draft))

    assert set(Entry.objects.filter(division=driver.division).values_list("rating", flat=True)) == {1500.0}


# Rounds on request


def test_a_draft_that_is_drawn_again_after_an_entry_or_a_withdrawal_has_its_own_reason(
    make_division: Callable[..., Division], make_players: MakePlayers, by_alice: Actor
) -> None:
    driver = DivisionDriver(make_division(), by_alice)
    players = make_players(7)
    first, *_others = driver.enter(players[:6])
    acts = {"division": driver.division, "by": by_alice}
    events.publish_tournament(tournament=driver.division.tournament, by=by_alice, now=driver.now())
    draws.make_draft(draw_id=draws.request_draw(**acts, now=driver.now()).pk, now=driver.now())
    with refused("reason_needed"):
        draws.request_draw(**acts, now=driver.now())

    driver.enter(players[6:])
    driver.withdraw(first)
    draw = draws.request_draw(**acts, now=driver.now())

    assert draw.reason == "1 entry more than in the last draft. 1 entry of the last draft is out."


def test_a_round_that_is_paired_again_after_a_withdrawal_has_its_own_reason(swiss: Swiss, by_alice: Actor) -> None:
    driver = swiss(6)
    driver.play_round()
    draw = driver.draw_of(2)[-1]
    draws.make_draft(draw_id=draw.pk, now=driver.now())
    driver.withdraw(driver.division.entries.first())

    acts = {"division": driver.division, "by": by_alice}
    again = round_services.request_round(**acts, after=driver.seq, now=driver.now())

    assert again.reason == "1 entry of the last draft is out."


def test_a_director_requests_reviews_repeats_and_publishes_a_round(swiss: Swiss, by_alice: Actor) -> None:
    driver = swiss(6, next_round=NextRound.ASK)
    acts = {"division": driver.division, "by": by_alice}
    with refused("round_open"):
        round_services.request_round(**acts, after=driver.seq, now=driver.now())
    driver.play_round()
    assert driver.draw_of(2) == []

    round_services.request_round(**acts, after=driver.seq, now=driver.now())
    with refused("draft_in_work"):
        round_services.request_round(**acts, after=driver.seq, now=driver.now())
    driver.work()
    with refused("reason_needed"):
        round_services.request_round(**acts, after=driver.seq, now=driver.now())
    round_services.request_round(**acts, after=driver.seq, now=driver.now(), reason="The tables were wrong")
    driver.work()
    assert driver.ready() == [], "a draft opens no matches"
    driver.publish()

    assert [draw.state for draw in driver.draw_of(2)] == [Draw.State.DISCARDED, Draw.State.PUBLISHED]
    assert driver.draw_of(2)[1].reason == "The tables were wrong"
    assert len(driver.ready()) == 3


def test_a_round_cannot_be_requested_from_a_stale_page_or_after_the_last_round(swiss: Swiss, by_alice: Actor) -> None:
    driver = swiss(4, rounds=1)
    with refused("stale"):
        round_services.request_round(division=driver.division, by=by_alice, after=driver.seq - 1, now=driver.now())
    driver.play_out()
    with refused("rounds_over"):
        round_services.request_round(division=driver.division, by=by_alice, after=driver.seq, now=driver.now())


def test_a_fixed_pair_meets_and_a_rematch_is_refused(swiss: Swiss, by_alice: Actor) -> None:
    driver = swiss(6, next_round=NextRound.ASK)
    driver.play_round()
    entries = {entry.pk: entry for entry in driver.division.entries.all()}
    met = pairs_of(driver.rounds()[0])[0]
    first = entries[met[0]]
    other = next(entry for entry in entries.values() if entry.pk not in met)
    withdrawn = next(entry for entry in entries.values() if entry.pk not in (*met, other.pk))
    driver.withdraw(withdrawn)
    acts = {"division": driver.division, "by": by_alice}
    for code, pairs in {
        "pair_not_allowed": [(first, entries[met[1]])],
        "pair_twice": [(first, other), (other, first)],
        "pair_not_in_round": [(first, withdrawn)],
    }.items():
        with refused(code):
            round_services.request_round(**acts, after=driver.seq, now=driver.now(), manual=pairs)

    round_services.request_round(**acts, after=driver.seq, now=driver.now(), manual=[(first, other)])
    driver.work()
    driver.publish()

    assert (first.pk, other.pk) in pairs_of(driver.rounds()[1])


@pytest.mark.parametrize("change", ["bye", "withdrawal", "late entry", "score"])
def test_a_draft_is_outdated_when_its_basis_changes(swiss: Swiss, by_alice: Actor, change: str) -> None:
    driver = swiss(6, next_round=NextRound.ASK)
    driver.play_round()
    round_services.request_round(division=driver.division, by=by_alice, after=driver.seq, now=driver.now())
    driver.work()
    entry = driver.division.entries.all()[0]
    if change == "bye":
        round_services.request_bye(entry=entry, round_number=2, kind="half", by=by_alice, now=driver.now())
    elif change == "withdrawal":
        driver.withdraw(entry)
    elif change == "late entry":
        driver.late(newcomer())
    else:
        first = Fixture.objects.filter(stage__division=driver.division).first()
        results.enter_result(fixture=first, result=ResultInput(1, (1, 7)), by=by_alice, now=driver.now())

    with refused("draft_outdated"):
        driver.publish()
    draws.request_draw(division=driver.division, reason="It was outdated", by=by_alice, now=driver.now())
    driver.work()
    assert driver.publish().round == 2, "what the refusal names works"


# Rounds that cannot be paired


def test_a_swiss_without_a_pairing_goes_on_with_rematches_or_fewer_rounds(swiss: Swiss, by_alice: Actor) -> None:
    driver = swiss(4, rounds=5)
    remark = driver.rounds()[0].remarks
    assert remark == [{"code": "later_round_impossible", "params": {"round": 4, "certain": True}}]
    driver.play_out()
    stuck = driver.draw_of(4)[-1]
    assert stuck.refusal == {"code": "no_legal_pairing", "params": {"round": 4}}
    acts = {"division": driver.division, "by": by_alice}
    with refused("rounds_paired"):
        round_services.change_rounds(**acts, after=driver.seq, now=driver.now(), changes=RoundChanges(rounds=2))
    with refused("stale"):
        round_services.change_rounds(**acts, after=driver.seq - 1, now=driver.now(), changes=RoundChanges(rounds=4))

    round_services.change_rounds(**acts, after=driver.seq, now=driver.now(), changes=RoundChanges(allow_rematches=True))
    driver.play_round()
    driver.work()
    assert [draw.round for draw in driver.rounds()] == [1, 2, 3, 4]
    round_services.change_rounds(**acts, after=driver.seq, now=driver.now(), changes=RoundChanges(rounds=4))
    driver.play_out()

    driver.division.refresh_from_db()
    assert driver.division.status == Division.Status.FINISHED
    assert is_clean()


def test_fewer_rounds_end_a_swiss_whose_next_round_cannot_be_paired(swiss: Swiss, by_alice: Actor) -> None:
    driver = swiss(4, rounds=5)
    driver.play_out()

    round_services.change_rounds(
        division=driver.division, by=by_alice, after=driver.seq, now=driver.now(), changes=RoundChanges(rounds=3)
    )

    driver.division.refresh_from_db()
    assert driver.division.status == Division.Status.FINISHED
    assert is_clean()


def test_a_refused_round_is_requested_again_after_a_change(swiss: Swiss) -> None:
    driver = swiss(4, rounds=5)
    driver.play_out()
    assert len(driver.draw_of(4)) == 1

    driver.late(*(newcomer(f"Late {number}") for number in range(4)))
    driver.work()

    assert [draw.state for draw in driver.draw_of(4)] == [Draw.State.DISCARDED, Draw.State.PUBLISHED]


# Paired rounds are facts


@pytest.mark.slow
def test_a_correction_changes_later_pairings_and_no_paired_round(swiss: Swiss, by_alice: Actor) -> None:
    driver = swiss(8, rounds=4)
    driver.play_round()
    driver.work()
    paired = [draw.places for draw in driver.rounds()]
    slots = list(Slot.objects.filter(fixture__stage__division=driver.division).order_by("pk").values_list("entry"))
    first = Fixture.objects.filter(stage__division=driver.division).first()
    before = points(driver)

    results.enter_result(fixture=first, result=ResultInput(1, (2, 7)), by=by_alice, now=driver.now())

    winner, loser = (slot.entry.player.name for slot in first.slots.order_by("-side"))
    after = points(driver)
    assert (after[winner] - before[winner], after[loser] - before[loser]) == (1.0, -1.0)
    assert [draw.places for draw in driver.rounds()] == paired
    assert (
        list(Slot.objects.filter(fixture__stage__division=driver.division).order_by("pk").values_list("entry")) == slots
    )
    driver.play_out()
    assert is_clean()


def test_reported_and_disputed_results_do_not_count_for_a_pairing(swiss: Swiss) -> None:
    driver = swiss(4)
    first, second = driver.ready()
    driver.report(first, 0)
    for state in ("claimed", "disputed"):
        second.match.state = state
        second.match.save(update_fields=["state"])
        assert driver.draw_of(2) == []
        assert states_of(driver.division)[0].event.rounds[0].pairs[1].result is None


def test_the_sweep_makes_a_draft_that_a_killed_worker_left(swiss: Swiss) -> None:
    driver = swiss(6)
    driver.play_round()
    (request,) = driver.draw_of(2)
    request.claimed_at = driver.now()
    request.save(update_fields=["claimed_at"])
    assert draws.make_draft(draw_id=request.pk, now=driver.now() - claim_lasts() / 2) is None

    later = driver.now() + 2 * claim_lasts()
    assert draws.open_requests(later) == [request.pk]
    draft = draws.make_draft(draw_id=request.pk, now=later)

    assert draft is not None
    assert draft.state == Draw.State.DRAFT


def test_the_qualifiers_of_a_swiss_play_a_knockout_that_starts_automatically(
    make_division: Callable[..., Division], make_players: MakePlayers, by_alice: Actor
) -> None:
    driver = DivisionDriver(make_division(), by_alice)
    driver.enter(make_players(10))
    driver.begin(StageSettings("swiss", rounds=3, qualifiers=4), StageSettings("knockout"))

    driver.play_out(Random(3))

    first, second = Stage.objects.filter(division=driver.division).order_by("number")
    best = {row.entry for row in states_of(driver.division)[0].tables[0].rows[:4]}
    in_knockout = set(
        Slot.objects.filter(fixture__stage=second, fixture__round__number=1).values_list("entry", flat=True)
    )
    assert in_knockout == best
    assert (first.status, second.status) == (Stage.Status.FINISHED, Stage.Status.FINISHED)
    assert is_clean()


@pytest.mark.slow
def test_the_winners_of_groups_play_a_swiss_whose_field_no_correction_changes(
    make_division: Callable[..., Division], make_players: MakePlayers, by_alice: Actor
) -> None:
    driver = DivisionDriver(make_division(), by_alice)
    driver.enter(make_players(8))
    driver.begin(StageSettings("groups", groups=2, qualifiers=2), StageSettings("swiss", rounds=2))
    while driver.ready()[0].stage.number == 1:
        driver.report(driver.ready()[0], 0)
        driver.work()
    field = set(driver.rounds(stage=2)[0].places)
    assert len(field) == 4

    for fixture in Fixture.objects.filter(stage__division=driver.division, stage__number=1):
        results.enter_result(fixture=fixture, result=ResultInput(1, (0, 7)), by=by_alice, now=driver.now())
    driver.play_out(Random(2))

    now = states_of(driver.division)[0]
    assert {now.places[place] for place in places_before(now.rows.settings, 1)} != field, (
        "other players would qualify now"
    )
    assert [set(draw.places) for draw in driver.rounds(stage=2)] == [field, field]
    driver.division.refresh_from_db()
    assert driver.division.status == Division.Status.FINISHED
    assert is_clean()
