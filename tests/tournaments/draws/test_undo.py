"""Taking back a paired round or a published draw while none of its matches has begun."""

import hashlib
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from engine.errors import Refused
from formats.settings import NextRound, StageSettings
from matches.models import Match
from matches.reporting.appointments import Dates, propose
from matches.reporting.reports import ScoreReport, report_score, withdraw_report
from players.actors import Actor
from players.models import LogEntry, Player
from tests.event_cast import NOON
from tests.tournaments.support.swiss_rounds import DivisionDriver, is_clean
from tournaments.draws import rounds
from tournaments.draws import services as draws
from tournaments.draws.undo import undo_paired_round, undo_published_draw
from tournaments.models import Commitment, Division, Draw, Fixture, Stage, Tournament
from tournaments.results.services import withdraw_from_bracket
from tournaments.state.derivation import states_of
from tournaments.state.stages import set_stages

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
Drawn = Callable[..., DivisionDriver]


@pytest.fixture
def played(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> Drawn:
    """Return a function that publishes the draw of a division."""

    def make(count: int, *stages: StageSettings) -> DivisionDriver:
        driver = DivisionDriver(make_division(), by_alice)
        driver.enter(make_players(count))
        return driver.begin(*stages)

    return make


@pytest.fixture
def second_round(played: Drawn) -> DivisionDriver:
    """A Swiss of seven in its second round, in which one player has a bye."""
    driver = played(7, StageSettings("swiss", rounds=4, next_round=NextRound.ASK))
    driver.play_round()
    return paired(driver)


def paired(driver: DivisionDriver, reason: str = "") -> DivisionDriver:
    """Request and publish the next round."""
    acts = {"division": driver.division, "by": driver.by, "now": driver.now(), "after": driver.seq}
    if not Draw.objects.filter(stage__division=driver.division, state__in=["requested", "draft"]).exists():
        rounds.request_round(**acts, reason=reason)
    driver.work()
    if Draw.objects.filter(stage__division=driver.division, state="draft").exists():
        driver.publish()
    return driver


def undo_round(driver: DivisionDriver, number: int = 2, reason: str = "A slip in round 1") -> Draw:
    return undo_paired_round(
        division=driver.division, round_number=number, reason=reason, after=driver.seq, by=driver.by, now=driver.now()
    )


def undo_draw(driver: DivisionDriver, reason: str = "The wrong format") -> Draw:
    return undo_published_draw(
        division=driver.division, reason=reason, after=driver.seq, by=driver.by, now=driver.now()
    )


def refusal(act: Callable[[], object]) -> str:
    with pytest.raises(Refused) as refused:
        act()
    return refused.value.code


def standing(driver: DivisionDriver) -> list[tuple[int, ...]]:
    (state,) = states_of(driver.division)
    return [(row.entry, row.place) for table in state.tables for row in table.rows]


def numbers(driver: DivisionDriver) -> set[int]:
    return set(Fixture.objects.filter(stage__division=driver.division).values_list("number", flat=True))


def test_taking_back_a_round_restores_the_state_before_its_pairing(second_round: DivisionDriver) -> None:
    driver = second_round
    voided = [fixture.match_id for fixture in driver.ready()]
    gone = set(Fixture.objects.filter(round__number=2).values_list("number", flat=True))
    assert len(voided) == 3

    draw = undo_round(driver)

    assert (draw.state, draw.taken_back_reason) == (Draw.State.TAKEN_BACK, "A slip in round 1")
    assert driver.ready() == []
    assert {row.state for row in Match.objects.filter(pk__in=voided)} == {Match.State.VOID}
    assert not numbers(driver) & gone
    (state,) = states_of(driver.division)
    assert state.event is not None
    assert (len(state.event.rounds), state.event.next_round) == (1, 2)
    assert is_clean()
    log = LogEntry.objects.get(verb="round_taken_back").params
    assert (log["round"], log["reason"], set(log["fixtures"])) == (2, "A slip in round 1", gone)


def test_after_taking_back_a_round_the_next_pairing_is_a_new_draft(played: Drawn) -> None:
    driver = played(7, StageSettings("swiss", rounds=4, next_round=NextRound.ASK))
    driver.play_round()
    table = standing(driver)
    before = numbers(paired(driver))
    old = driver.draw_of(2)[-1]
    undo_round(driver)
    assert standing(driver) == table
    paired(driver)

    new = driver.draw_of(2)[-1]
    assert (new.state, new.number, new.reason) == (Draw.State.PUBLISHED, old.number + 1, "A slip in round 1")
    assert new.commitment == old.commitment, "the seed was never public, so it is still committed"
    added = numbers(driver) - before
    assert len(added) == 4
    assert min(added) > max(before), "match numbers are never used again"
    assert is_clean()


def test_a_round_that_was_taken_back_is_not_paired_automatically(played: Drawn) -> None:
    driver = played(6, StageSettings("swiss", rounds=3))
    driver.play_round()
    paired(driver)
    undo_round(driver)
    assert driver.work() == []
    assert driver.draw_of(2)[-1].state == Draw.State.TAKEN_BACK


def test_a_withdrawn_report_or_proposed_time_does_not_block_taking_back(second_round: DivisionDriver) -> None:
    first, second, *_ = second_round_matches = [fixture.match for fixture in second_round.ready()]
    assert len(second_round_matches) == 3
    assert first is not None
    assert second is not None
    report_score(match=first, side=0, report=ScoreReport(0, (7, 3)), by=Actor.link(0), now=NOON)
    assert refusal(lambda: undo_round(second_round)) == "round_begun"
    withdraw_report(match=first, side=0, by=Actor.link(0), now=NOON)
    propose(match=second, side=0, offer=Dates([NOON + timedelta(days=2)]), by=Actor.link(0), now=NOON)

    assert undo_round(second_round).state == Draw.State.TAKEN_BACK
    assert is_clean()


def test_a_round_with_a_result_or_a_report_cannot_be_taken_back(second_round: DivisionDriver) -> None:
    fixture = second_round.ready()[0]
    second_round.report(fixture, 0)
    assert refusal(lambda: undo_round(second_round)) == "round_begun"
    assert second_round.draw_of(2)[-1].state == Draw.State.PUBLISHED


def test_a_walkover_after_a_withdrawal_does_not_block_taking_back(second_round: DivisionDriver) -> None:
    fixture = second_round.ready()[0]
    leaver = fixture.slots.get(side=0).entry
    assert leaver is not None
    second_round.withdraw(leaver)
    assert Match.objects.get(pk=fixture.match_id).state == Match.State.SETTLED

    undo_round(second_round)
    paired(second_round)

    assert leaver.pk not in second_round.draw_of(2)[-1].places
    assert is_clean()


def test_only_the_last_round_is_taken_back_and_the_first_with_the_draw(second_round: DivisionDriver) -> None:
    assert refusal(lambda: undo_round(second_round, 1)) == "round_not_last"
    assert refusal(lambda: undo_round(second_round, reason=" ")) == "reason_needed"
    undo_round(second_round)
    assert refusal(lambda: undo_round(second_round, 1)) == "round_is_the_draw"


STAGES = {
    "knockout": [StageSettings("knockout")],
    "progressive": [StageSettings("progressive")],
    "double": [StageSettings("double")],
    "places": [StageSettings("places")],
    "swiss": [StageSettings("swiss", rounds=3)],
    "lives": [StageSettings("lives")],
    "roundrobin": [StageSettings("roundrobin")],
    "groups and a knockout": [StageSettings("groups", groups=2, qualifiers=2), StageSettings("knockout")],
}


@pytest.mark.parametrize("name", STAGES)
def test_after_taking_back_the_draw_the_format_can_be_changed(name: str, played: Drawn) -> None:
    driver = played(9, *STAGES[name])
    seeds = {stage.number: stage.seed for stage in driver.division.stages.all()}
    lots = {stage.number: stage.lots_seed for stage in driver.division.stages.all()}
    matches = [fixture.match_id for fixture in driver.ready()]
    old_numbers = numbers(driver)
    assert matches

    draw = undo_draw(driver)

    assert draw.state == Draw.State.TAKEN_BACK
    assert not Fixture.objects.exists()
    assert {row.state for row in Match.objects.filter(pk__in=matches)} == {Match.State.VOID}
    driver.division.refresh_from_db()
    assert driver.division.status == Division.Status.ENTRIES
    assert Tournament.objects.get().status == Tournament.Status.PUBLISHED
    assert is_clean()
    for stage in driver.division.stages.all():
        assert stage.status == Stage.Status.PLANNED
        assert stage.seed != seeds[stage.number], "the old seed is public and must not be used again"
        assert stage.lots_seed == lots[stage.number]
        retired, fresh = Commitment.objects.filter(stage=stage).order_by("number")
        assert (retired.end, retired.seed, retired.reason) == ("retired", seeds[stage.number], "The wrong format")
        assert retired.seed_hash == hashlib.sha256(bytes.fromhex(retired.seed)).hexdigest()
        assert (fresh.end, fresh.seed_hash) == ("", stage.seed_hash)

    set_stages(
        division=driver.division, stages=[StageSettings("double")], after=driver.seq, by=driver.by, now=driver.now()
    )
    again = draws.request_draw(division=driver.division, by=driver.by, now=driver.now())
    assert again.reason == "The wrong format"
    draws.make_draft(draw_id=again.pk, now=driver.now())
    driver.publish()
    assert min(numbers(driver)) > max(old_numbers)
    assert is_clean()
    driver.play_out()
    driver.division.refresh_from_db()
    assert driver.division.status == Division.Status.FINISHED
    assert is_clean()


def test_withdrawals_from_brackets_and_late_entries_are_in_the_next_draw(played: Drawn) -> None:
    driver = played(9, StageSettings("progressive"))
    (late,) = driver.late(Player.objects.create(name="Louise"))
    slot = driver.ready()[0].slots.get(side=0)
    withdraw_from_bracket(slot=slot, by=driver.by, now=driver.now())

    undo_draw(driver)
    again = draws.request_draw(division=driver.division, by=driver.by, now=driver.now())
    draws.make_draft(draw_id=again.pk, now=driver.now())
    again.refresh_from_db()

    assert {late.pk, slot.entry_id} <= set(again.places)
    driver.publish()
    assert is_clean()


@pytest.mark.parametrize("format_", ["knockout", "swiss", "roundrobin"])
def test_a_draw_with_a_begun_match_cannot_be_taken_back(format_: str, played: Drawn) -> None:
    driver = played(6, StageSettings(format_))
    match = driver.ready()[0].match
    assert match is not None
    report_score(match=match, side=0, report=ScoreReport(0, (7, 3)), by=Actor.link(0), now=NOON)

    assert refusal(lambda: undo_draw(driver)) == "draw_begun"
    assert Commitment.objects.filter(end="retired").count() == 0
    assert Draw.objects.get().state == Draw.State.PUBLISHED


@pytest.fixture
def alice_client(alice: object, password: str, client: Client) -> Client:
    client.login(username="alice@example.org", password=password)
    return client


def test_a_director_takes_back_a_draw_on_its_page_with_a_public_reason(played: Drawn, alice_client: Client) -> None:
    driver = played(5, StageSettings("knockout"))
    tournament = driver.division.tournament
    address = [tournament.club.slug, tournament.slug, driver.division.public_id]
    assert "Take back the draw" in alice_client.get(reverse("draw", args=address)).content.decode()
    old = Stage.objects.get().seed

    alice_client.post(reverse("draw-take-back", args=address), {"after": driver.seq, "reason": ""})
    assert Draw.objects.get().state == Draw.State.PUBLISHED
    alice_client.post(reverse("draw-take-back", args=address), {"after": driver.seq, "reason": "Two were missing"})

    assert Draw.objects.get().state == Draw.State.TAKEN_BACK
    page = Client().get(reverse("division", args=address)).content.decode()
    assert "Two were missing" in page
    (row,) = Client().get(reverse("api-draws", args=[driver.division.public_id])).json()["results"]
    assert (row["state"], row["seed"], row["taken_back_reason"]) == ("taken_back", old, "Two were missing")
    assert Stage.objects.get().seed not in page + str(row)


def test_a_director_takes_back_a_round_on_the_page_or_by_api(
    second_round: DivisionDriver, alice_client: Client
) -> None:
    driver = second_round
    tournament = driver.division.tournament
    address = [tournament.club.slug, tournament.slug, driver.division.public_id]
    assert "Take back round 2" in alice_client.get(reverse("rounds", args=address)).content.decode()
    alice_client.post(reverse("round-take-back", args=address), {"after": driver.seq, "reason": "Again"})
    assert driver.draw_of(2)[-1].state == Draw.State.PUBLISHED, "a missing round number is refused"
    alice_client.post(reverse("round-take-back", args=address), {"after": driver.seq, "reason": "Again", "round": 2})
    assert driver.draw_of(2)[-1].state == Draw.State.TAKEN_BACK

    paired(driver)
    where = reverse("api-round-take-back", args=[driver.division.public_id])
    body = {"after": driver.seq, "reason": "Once more", "round": 2}
    answer = alice_client.post(where, body, content_type="application/json")
    assert answer.status_code == 200
    assert answer.json()["next"] == {**answer.json()["next"], "round": 2, "state": "complete"}


def test_a_correction_offers_to_take_back_the_round_that_was_paired_from_the_result(
    second_round: DivisionDriver, alice_client: Client
) -> None:
    driver = second_round
    tournament = driver.division.tournament
    first = Fixture.objects.filter(round__number=1, match__isnull=False).order_by("number")[0]
    page = reverse("fixture-correct", args=[tournament.club.slug, tournament.slug, first.public_id])
    where = reverse("api-fixture-corrections-preview", args=[first.public_id])
    body = {"winner": 1, "score": [3, 7], "kind": "played", "voided_rated": True}
    assert "Take back round 2" in alice_client.get(page).content.decode()
    assert alice_client.post(where, body, content_type="application/json").json()["round_to_take_back"] == 2

    driver.report(driver.ready()[0], 0)

    assert "Take back round 2" not in alice_client.get(page).content.decode()
    assert alice_client.post(where, body, content_type="application/json").json()["round_to_take_back"] is None
