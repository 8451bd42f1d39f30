"""The places of a final: offered by rank, answered, lapsed, moved up, and entered in the order of the ranks."""

import runpy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from engine.errors import Refused
from formats.series.final import final_rounds
from players.actors import SYSTEM
from players.models import Club, LogEntry, Membership, Notification, Player, User
from players.people.services import merge_players
from seasons import services
from seasons.finals import answer, offer, offer_expired, prepare_final, withdraw_places_of
from seasons.places import free_places, place_lines
from seasons.plan_form import PlanLinesForm
from seasons.services import SeriesInput
from seasons.tables import newest_plan
from tests.event_cast import NOON
from tests.journeys.evenings import account_of
from tournaments.draws import services as draws
from tournaments.events import services as events
from tournaments.models import Entry, FinalPlace, Fixture, PastPlacing, PastSeason, Round, Series, Slot, Tournament
from tournaments.state.stages import stage_settings

pytestmark = pytest.mark.django_db
COMES, DECLINED = FinalPlace.Answer.COMES, FinalPlace.Answer.DECLINED
VERIFY = Path(__file__).resolve().parents[2] / "verify/verify_draw.py"
IN_A_WEEK = NOON.date() + timedelta(days=7)


@contextmanager
def refused(code: str) -> Iterator[None]:
    with pytest.raises(Refused) as caught:
        yield
    assert caught.value.code == code


@pytest.fixture
def cast(club: Club) -> list[Player]:
    players = [Player.objects.create(name=f"Player {number}") for number in range(1, 9)]
    Membership.objects.bulk_create(Membership(club=club, player=player) for player in players)
    return players


def season(
    players: Sequence[Player], points: Sequence[int], places: int, stages: Sequence[dict[str, Any]] = ()
) -> Series:
    """A season in which these players have these points."""
    day, club = NOON.date(), Club.objects.get(slug="harbour")
    days = SeriesInput("Autumn", day - timedelta(days=50), day + timedelta(days=5), "motor_racing")
    row = services.create_series(club=club, series=days, by=SYSTEM, now=NOON)
    imported = PastSeason.objects.create(club=club, name="As told", counts_in=row)
    PastPlacing.objects.bulk_create(
        PastPlacing(season=imported, player=player, event="One", points=str(own))
        for player, own in zip(players, points, strict=True)
    )
    plan = {**newest_plan(row).plan, "points": {"given": True}, "qualify": {"places": places}}
    if stages:
        plan["qualify"]["stages"] = list(stages)
    services.change_plan(series=row, plan=plan, after=row.seq, by=SYSTEM, now=NOON)
    return row


def names_of(series: Series, *states: FinalPlace.State) -> list[str]:
    places = series.final_places.select_related("player")
    return [place.player.name for place in places if not states or place.state(NOW) in states]


def entered(event: Tournament) -> list[str]:
    rows = Entry.objects.filter(division__tournament=event, status=Entry.Status.IN).select_related("player")
    return [row.player.name for row in rows.order_by("pk")]


NOW = NOON
LATER = NOON + timedelta(days=8)


def test_the_best_ranks_are_asked_and_whoever_declines_makes_room(
    cast: list[Player], django_assert_max_num_queries: Any
) -> None:
    row = season(cast, range(80, 0, -10), 3)
    # The season is evaluated once.
    with django_assert_max_num_queries(23):
        offer(series=row, answer_by=IN_A_WEEK, player=None, by=SYSTEM, now=NOON)
    assert names_of(row) == ["Player 1", "Player 2", "Player 3"]
    event = prepare_final(series=row, by=SYSTEM, now=NOON)
    assert entered(event) == ["Player 1", "Player 2", "Player 3"]
    for _twice in range(2):
        answer(series=row, player=cast[1], answer=DECLINED, by=SYSTEM, now=NOON, directs=False)
    assert names_of(row, FinalPlace.State.OFFERED) == ["Player 1", "Player 3", "Player 4"]
    assert entered(event) == ["Player 1", "Player 3", "Player 4"]
    assert row.final_places.get(player=cast[3]).moved_up
    # All places are held now, so who declined cannot change their mind until somebody else declines.
    with refused("final_full"):
        answer(series=row, player=cast[1], answer=COMES, by=SYSTEM, now=NOON, directs=False)
    # Once nobody is left to be asked, the place is free again.
    for player in cast[3:]:
        answer(series=row, player=player, answer=DECLINED, by=SYSTEM, now=NOON, directs=True)
    answer(series=row, player=cast[1], answer=COMES, by=SYSTEM, now=NOON, directs=False)
    assert sorted(entered(event)) == ["Player 1", "Player 2", "Player 3"]


def test_whoever_does_not_answer_in_time_makes_room(cast: list[Player]) -> None:
    row = season(cast, range(80, 0, -10), 2)
    offer(series=row, answer_by=IN_A_WEEK, player=None, by=SYSTEM, now=NOON)
    answer(series=row, player=cast[0], answer=COMES, by=SYSTEM, now=NOON, directs=False)
    event = prepare_final(series=row, by=SYSTEM, now=NOON)
    assert offer_expired(NOON + timedelta(days=6)) == 0
    assert offer_expired(LATER) == 1
    assert offer_expired(LATER) == 0
    places = {place.player.name: place.state(LATER) for place in row.final_places.select_related("player")}
    states = FinalPlace.State
    assert places == {"Player 1": states.COMES, "Player 2": states.EXPIRED, "Player 3": states.OFFERED}
    assert row.final_places.get(player=cast[2]).answer_by > LATER
    assert entered(event) == ["Player 1", "Player 3"]
    with refused("final_answer_late"):
        answer(series=row, player=cast[1], answer=COMES, by=SYSTEM, now=LATER, directs=False)
    with refused("final_full"):
        answer(series=row, player=cast[1], answer=COMES, by=SYSTEM, now=LATER, directs=True)


def test_who_shares_the_last_rank_is_for_a_director_to_decide(cast: list[Player]) -> None:
    row = season(cast[:5], (50, 40, 30, 30, 30), 4)
    offer(series=row, answer_by=IN_A_WEEK, player=None, by=SYSTEM, now=NOON)
    assert names_of(row) == ["Player 1", "Player 2"]
    free = free_places(row, NOON)
    assert free.tied is not None
    assert (free.count, free.tied[0]) == (2, 3)
    with refused("final_not_tied"):
        offer(series=row, answer_by=None, player=Player.objects.create(name="Zoe"), by=SYSTEM, now=NOON)
    for player in (cast[4], cast[4], cast[2]):
        offer(series=row, answer_by=None, player=player, by=SYSTEM, now=NOON)
    assert sorted(names_of(row)) == ["Player 1", "Player 2", "Player 3", "Player 5"]
    with refused("final_full"):
        offer(series=row, answer_by=None, player=cast[3], by=SYSTEM, now=NOON)


def test_a_final_that_is_drawn_stays_as_it_is(cast: list[Player]) -> None:
    row = season(cast, range(80, 0, -10), 3)
    offer(series=row, answer_by=IN_A_WEEK, player=None, by=SYSTEM, now=NOON)
    division = prepare_final(series=row, by=SYSTEM, now=NOON).divisions.get()
    events.publish_tournament(tournament=division.tournament, by=SYSTEM, now=NOON)
    draw = draws.request_draw(division=division, by=SYSTEM, now=NOON)
    draws.make_draft(draw_id=draw.pk, now=NOON)
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, by=SYSTEM, now=NOON)
    with refused("final_drawn"):
        answer(series=row, player=cast[0], answer=DECLINED, by=SYSTEM, now=NOON, directs=True)
    with refused("final_drawn"):
        offer(series=row, answer_by=IN_A_WEEK, player=None, by=SYSTEM, now=NOON)
    assert offer_expired(LATER) == 0
    assert len(names_of(row)) == 3


def test_answers_go_on_after_the_final_was_called_off(cast: list[Player]) -> None:
    row = season(cast, range(80, 0, -10), 3)
    offer(series=row, answer_by=IN_A_WEEK, player=None, by=SYSTEM, now=NOON)
    event = prepare_final(series=row, by=SYSTEM, now=NOON)
    events.cancel_tournament(tournament=event, reason="", by=SYSTEM, now=NOON)
    answer(series=row, player=cast[0], answer=DECLINED, by=SYSTEM, now=NOON, directs=False)
    assert offer_expired(LATER) == 3
    again = prepare_final(series=row, by=SYSTEM, now=LATER)
    assert again != event
    assert entered(again) == ["Player 5", "Player 6", "Player 7"]


def test_a_merged_player_gives_up_their_place_in_the_final(cast: list[Player]) -> None:
    row = season(cast, range(80, 0, -10), 3)
    offer(series=row, answer_by=IN_A_WEEK, player=None, by=SYSTEM, now=NOON)
    event = prepare_final(series=row, by=SYSTEM, now=NOON)
    robert = Player.objects.create(name="Robert")
    merge_players(player=cast[0], into=robert, by=SYSTEM, now=NOON)
    answer(series=row, player=cast[1], answer=DECLINED, by=SYSTEM, now=NOON, directs=False)
    # The entry keeps the name under which it was made, and there is no second one.
    assert set(entered(event)) == {"Player 1", "Player 3", "Player 4"}
    answer(series=row, player=robert, answer=DECLINED, by=SYSTEM, now=NOON, directs=False)
    assert set(entered(event)) == {"Player 3", "Player 4", "Player 5"}


def test_two_finalists_who_are_merged_have_one_place(cast: list[Player]) -> None:
    row = season(cast, range(80, 0, -10), 3)
    offer(series=row, answer_by=IN_A_WEEK, player=None, by=SYSTEM, now=NOON)
    merge_players(player=cast[0], into=cast[1], by=SYSTEM, now=NOON)
    names = {player.public_id: player.name for player in cast}
    lines = place_lines(row, names, None, NOON, directs=True)
    assert [line.name for line in lines] == ["Player 2", "Player 3"]
    assert free_places(row, NOON).count == 1
    answer(series=row, player=cast[1], answer=DECLINED, by=SYSTEM, now=NOON, directs=False)
    lines = [line for line in place_lines(row, names, None, NOON, directs=True) if line.place.is_held(NOON)]
    assert [line.name for line in lines] == ["Player 3", "Player 4", "Player 5"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_random_answers_never_give_more_places_than_there_are(cast: list[Player], seed: int) -> None:
    chance = Random(seed)
    points = sorted((chance.choice((10, 20, 20, 30, 40)) for _ in cast), reverse=True)
    row = season(cast, points, 4)
    offer(series=row, answer_by=IN_A_WEEK, player=None, by=SYSTEM, now=NOON)
    event = prepare_final(series=row, by=SYSTEM, now=NOON) if row.final_places.count() > 1 else None
    now, codes = NOON, set()
    for _step in range(25):
        now += timedelta(hours=chance.randrange(20))
        try:
            if chance.random() < 0.7:
                player, choice = chance.choice(cast), chance.choice((COMES, DECLINED))
                answer(series=row, player=player, answer=choice, by=SYSTEM, now=now, directs=chance.random() < 0.5)
            elif chance.random() < 0.3:
                withdraw_places_of(series=row, player=chance.choice((*cast, None)), by=SYSTEM, now=now)
            elif chance.random() < 0.3:
                offer(series=row, answer_by=(now + timedelta(days=5)).date(), player=None, by=SYSTEM, now=now)
            elif chance.random() < 0.5:
                offer(series=row, answer_by=None, player=chance.choice(cast), by=SYSTEM, now=now)
            else:
                offer_expired(now)
        except Refused as refused:
            codes.add(refused.code)
        holding = [place for place in row.final_places.select_related("player") if place.is_held(now)]
        assert len(holding) <= 4
        # A better rank is passed over only by somebody who was asked and does not come, or at the tied border.
        free = free_places(row, now)
        assert free.count == 4 - len(holding)
        if event is not None:
            offer_expired(now)
            holding = [place for place in row.final_places.select_related("player") if place.is_held(now)]
            assert sorted(entered(event)) == sorted(place.player.name for place in holding)
    assert codes <= {"final_full", "final_not_offered", "final_answer_late", "final_not_tied"}


# Places that a director takes back.


def taken_back(row: Series, player: Player | None, now: datetime = NOON) -> int:
    return withdraw_places_of(series=row, player=player, by=SYSTEM, now=now)


def test_a_wrong_tap_is_taken_back_and_the_places_are_offered_again(cast: list[Player], club: Club) -> None:
    row = season(cast, range(80, 0, -10), 4)
    bob = account_of(cast[1], "bob@example.org", club)
    offer(series=row, answer_by=IN_A_WEEK, player=None, by=SYSTEM, now=NOON)
    event = prepare_final(series=row, by=SYSTEM, now=NOON)
    answer(series=row, player=cast[0], answer=COMES, by=SYSTEM, now=NOON, directs=False)
    assert [taken_back(row, None), taken_back(row, None)] == [3, 0]
    assert names_of(row, FinalPlace.State.COMES, FinalPlace.State.OFFERED) == ["Player 1"]
    assert entered(event) == ["Player 1"]
    variants = [row.params["variant"] for row in Notification.objects.filter(user=bob, kind="final_place")]
    assert sorted(variants) == ["", "taken_back"]
    assert LogEntry.objects.filter(topic=row.topic, verb="final_place_taken_back").count() == 3
    with refused("final_not_offered"):
        answer(series=row, player=cast[1], answer=COMES, by=SYSTEM, now=NOON, directs=False)
    # Nobody moves up by themselves now, whoever declines or does not answer.
    answer(series=row, player=cast[0], answer=DECLINED, by=SYSTEM, now=NOON, directs=False)
    assert (names_of(row, FinalPlace.State.OFFERED), offer_expired(LATER)) == ([], 0)
    again = NOON + timedelta(minutes=1)
    for count in (4, 0):
        assert len(offer(series=row, answer_by=IN_A_WEEK, player=None, by=SYSTEM, now=again)) == count
    assert names_of(row, FinalPlace.State.OFFERED) == [f"Player {number}" for number in range(2, 6)]
    assert Notification.objects.filter(user=bob, kind="final_place").count() == 3
    answer(series=row, player=cast[1], answer=DECLINED, by=SYSTEM, now=again, directs=False)
    assert names_of(row, FinalPlace.State.OFFERED)[-1] == "Player 6"
    assert set(entered(event)) == {f"Player {number}" for number in range(3, 7)}


def test_one_place_is_taken_back_whatever_its_player_answered(cast: list[Player]) -> None:
    row = season(cast, range(80, 0, -10), 3)
    with refused("final_not_offered"):
        taken_back(row, cast[0])
    offer(series=row, answer_by=IN_A_WEEK, player=None, by=SYSTEM, now=NOON)
    event = prepare_final(series=row, by=SYSTEM, now=NOON)
    answer(series=row, player=cast[1], answer=COMES, by=SYSTEM, now=NOON, directs=False)
    seq = Series.objects.get(pk=row.pk).seq
    assert [taken_back(row, cast[1]) for _twice in range(2)] == [1, 0]
    assert Series.objects.get(pk=row.pk).seq == seq + 1
    assert set(entered(event)) == {"Player 1", "Player 3"}
    assert free_places(row, NOON).count == 1
    robert = Player.objects.create(name="Robert")
    merge_players(player=cast[0], into=robert, by=SYSTEM, now=NOON)
    assert taken_back(row, robert) == 1
    assert set(entered(event)) == {"Player 3"}
    # Without any offer the final has everybody whose rank qualifies.
    taken_back(row, cast[2])
    assert entered(event) == []
    prepare_final(series=row, by=SYSTEM, now=NOON)
    assert set(entered(event)) == {"Robert", "Player 2", "Player 3"}


def test_nothing_is_taken_back_once_the_final_is_drawn(cast: list[Player]) -> None:
    row = season(cast, range(80, 0, -10), 3)
    offer(series=row, answer_by=IN_A_WEEK, player=None, by=SYSTEM, now=NOON)
    rounds_of(prepare_final(series=row, by=SYSTEM, now=NOON))
    for player in (cast[0], None):
        with refused("final_drawn"):
            taken_back(row, player)
    assert len(names_of(row, FinalPlace.State.OFFERED)) == 3


def test_a_tie_at_the_border_is_decided_again_after_the_place_was_taken_back(cast: list[Player]) -> None:
    row = season(cast[:4], (50, 30, 30, 30), 2)
    offer(series=row, answer_by=IN_A_WEEK, player=None, by=SYSTEM, now=NOON)
    offer(series=row, answer_by=None, player=cast[2], by=SYSTEM, now=NOON)
    taken_back(row, cast[2])
    for _twice in range(2):
        offer(series=row, answer_by=None, player=cast[3], by=SYSTEM, now=NOON)
    assert names_of(row, FinalPlace.State.OFFERED) == ["Player 1", "Player 4"]
    assert names_of(row, FinalPlace.State.TAKEN_BACK) == ["Player 3"]


# Ranks that start in later rounds.


STAGES = ({"to": 2, "stage": "semifinal"}, {"to": 7, "stage": "qualifying", "places": 2})


def rounds_of(event: Tournament) -> dict[str, str]:
    """Name -> the round of the first match, once the final is drawn; a bye is no match."""
    division = event.divisions.get()
    if event.status == Tournament.Status.DRAFT:
        events.publish_tournament(tournament=event, by=SYSTEM, now=NOON)
    draw = draws.request_draw(division=division, by=SYSTEM, now=NOON)
    assert draws.make_draft(draw_id=draw.pk, now=NOON) is not None
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, by=SYSTEM, now=NOON)
    data = Client().get(f"/api/v1/divisions/{division.public_id}/draws/1/").json()
    verify: Any = runpy.run_path(str(VERIFY))["verify"]
    assert verify(data) == []
    slots = Slot.objects.filter(fixture__round__bracket__stage__division=division).exclude(entry=None)
    rows = slots.exclude(fixture__status=Fixture.Status.BYE).order_by("-fixture__round__number")
    last = Round.objects.filter(bracket__stage__division=division).count()
    names = ("Final", "Semi-finals", "Quarter-finals", "Round of 16")
    return {
        row.entry.player.name: names[last - row.fixture.round.number]
        for row in rows.select_related("entry__player", "fixture__round")
        if row.entry is not None
    }


def test_ranks_start_in_the_round_that_the_plan_names(cast: list[Player]) -> None:
    row = season(cast, range(80, 0, -10), 7, STAGES)
    division = prepare_final(series=row, by=SYSTEM, now=NOON).divisions.get()
    assert stage_settings(division)[0].starts == (0, 2)
    rounds = rounds_of(division.tournament)
    # Five play for two places: the three best of them have a bye in the first round.
    expected = ("Semi-finals",) * 2 + ("Quarter-finals",) * 3 + ("Round of 16",) * 2
    assert tuple(rounds[f"Player {number}"] for number in range(1, 8)) == expected


def test_whoever_declines_and_comes_after_all_has_the_place_of_their_rank(cast: list[Player]) -> None:
    row = season(cast, range(80, 0, -10), 7, STAGES)
    offer(series=row, answer_by=IN_A_WEEK, player=None, by=SYSTEM, now=NOON)
    event = prepare_final(series=row, by=SYSTEM, now=NOON)
    for player, choice in ((0, DECLINED), (7, DECLINED), (0, COMES)):
        answer(series=row, player=cast[player], answer=choice, by=SYSTEM, now=NOON, directs=True)
    assert entered(event)[-1] == "Player 1"
    rounds = rounds_of(event)
    assert rounds["Player 1"] == rounds["Player 2"] == "Semi-finals"
    assert rounds["Player 7"] == "Round of 16"


@pytest.mark.parametrize("seed", range(4))
def test_in_a_final_with_random_answers_everybody_starts_where_the_page_says(
    cast: list[Player], alice_client: Client, seed: int
) -> None:
    chance = Random(seed)
    row = season(cast, range(80, 0, -10), 7, STAGES)
    offer(series=row, answer_by=IN_A_WEEK, player=None, by=SYSTEM, now=NOON)
    event = prepare_final(series=row, by=SYSTEM, now=NOON)
    for _step in range(12):
        player, choice = chance.choice(cast), chance.choice((COMES, DECLINED, DECLINED))
        with suppress(Refused):
            answer(series=row, player=player, answer=choice, by=SYSTEM, now=NOON, directs=True)
        if row.final_places.filter(answer=DECLINED).count() == 5:
            break
    rounds = final_rounds(newest_plan(row).plan["qualify"])
    lines = place_lines(
        row, {player.public_id: player.name for player in cast}, None, NOON, directs=True, rounds=rounds
    )
    starts = {line.name: line.start for line in lines if line.start}
    played = rounds_of(event)
    assert starts.keys() == played.keys()
    for name, start in starts.items():
        if start == "starts in the semi-finals":
            assert played[name] in ("Semi-finals", "Final")
        else:
            assert start == "plays for 2 places"
            assert played[name] in ("Round of 16", "Quarter-finals") or len(starts) < 5


def test_byes_that_do_not_fit_are_refused_and_follow_the_places_in_the_form(cast: list[Player]) -> None:
    row = season(cast, range(80, 0, -10), 7)
    row.refresh_from_db()
    plan = newest_plan(row).plan
    with refused("series_final_byes"):
        services.change_plan(series=row, plan=plan | {"qualify": {"places": 7, "byes": 2}}, after=row.seq, by=SYSTEM,
                             now=NOON)  # fmt: skip
    plan |= {"qualify": {"places": 7, "byes": 1}}
    services.change_plan(series=row, plan=plan, after=row.seq, by=SYSTEM, now=NOON)
    for typed, final in [("7", {"places": 7, "byes": 1}), ("6", {"places": 6})]:
        form = PlanLinesForm({"show_digits": "1", "qualify": typed}, plan)
        assert form.is_valid()
        assert form.proposed["qualify"] == final
    form = PlanLinesForm({"show_digits": "1", "qualify": "7", "stages": "1: semifinal, 7: qualifying"}, plan)
    assert form.is_valid()
    assert "byes" not in form.proposed["qualify"]


def test_a_changed_plan_changes_where_the_ranks_start(cast: list[Player]) -> None:
    row = season(cast, range(80, 0, -10), 7, STAGES)
    division = prepare_final(series=row, by=SYSTEM, now=NOON).divisions.get()
    row.refresh_from_db()
    plan = newest_plan(row).plan
    with refused("series_final_places"):
        services.change_plan(series=row, plan=plan | {"qualify": {"places": 6, "stages": STAGES}}, after=row.seq,
                             by=SYSTEM, now=NOON)  # fmt: skip
    form = PlanLinesForm({"show_digits": "1", "qualify": "7", "stages": "4: Quarterfinal, 7: last 16"}, plan)
    assert form.is_valid()
    with refused("series_final_idle"):
        services.change_plan(series=row, plan=form.proposed, after=row.seq, by=SYSTEM, now=NOON)
    form = PlanLinesForm({"show_digits": "1", "qualify": "7", "stages": "3: Quarterfinal; 7: qualifying"}, plan)
    assert form.is_valid()
    with refused("series_final_idle"):
        services.change_plan(series=row, plan=form.proposed, after=row.seq, by=SYSTEM, now=NOON)
    form = PlanLinesForm({"show_digits": "1", "qualify": "7", "stages": "1: semifinal, 7: qualifying"}, plan)
    assert form.is_valid()
    services.change_plan(series=row, plan=form.proposed, after=row.seq, by=SYSTEM, now=NOON)
    assert stage_settings(division)[0].starts == (0, 2)
    for _twice in range(2):
        prepare_final(series=row, by=SYSTEM, now=NOON)
        assert stage_settings(division)[0].starts == (0, 1)
    row.refresh_from_db()
    form = PlanLinesForm({"show_digits": "1", "qualify": "7", "stages": ""}, newest_plan(row).plan)
    assert form.is_valid()
    assert form.proposed["qualify"] == {"places": 7}


# On the pages.


@pytest.mark.time_machine(datetime(2026, 12, 31, 23, 30, tzinfo=UTC))
def test_days_are_suggested_on_the_clocks_of_the_club(cast: list[Player], club: Club, alice_client: Client) -> None:
    """In Copenhagen the new year has begun."""
    row = season(cast, range(80, 0, -10), 2)
    page = alice_client.get(reverse("series", args=[club.slug, row.slug])).content.decode()
    assert 'name="answer_by" value="2027-01-08"' in page
    form = alice_client.get(reverse("series-new", args=[club.slug])).context["form"]
    assert (form.initial["first_day"], form.initial["last_day"]) == (date(2027, 1, 1), date(2027, 12, 31))


def test_a_player_answers_at_home_and_a_director_for_somebody_else(
    cast: list[Player], club: Club, alice: User, client: Client
) -> None:
    row = season(cast, range(80, 0, -10), 2)
    bob = account_of(cast[0], "bob@example.org", club)
    eve = account_of(cast[5], "eve@example.org", club)
    offer(series=row, answer_by=timezone.localdate() + timedelta(days=7), player=None, by=SYSTEM, now=timezone.now())
    (notification,) = Notification.objects.filter(kind="final_place")
    assert notification.user == bob
    url = reverse("series-answer", args=[club.slug, row.slug])
    client.force_login(bob)
    home = client.get("/").content.decode()
    assert "Your place in a final" in home
    assert client.post(url, {"answer": "comes"}).status_code == 302
    assert "You come to the final." in client.get("/").content.decode()
    assert client.post(url, {"answer": "declined", "player": cast[1].public_id}).status_code == 403
    client.force_login(eve)
    assert "Your place in a final" not in client.get("/").content.decode()
    assert "You are not asked" in client.post(url, {"answer": "comes"}, follow=True).content.decode()
    client.force_login(alice)
    assert client.post(url, {"answer": "declined", "player": cast[1].public_id}).status_code == 302
    page = client.get(reverse("series", args=[club.slug, row.slug])).content.decode()
    assert "moved up from rank 3" in page
    assert "cannot come" in page
    seen_by_others = Client().get(reverse("series", args=[club.slug, row.slug])).content.decode()
    assert "moved up from rank 3" in seen_by_others
    assert "cannot come" not in seen_by_others
    assert {place.player.name: place.answer for place in row.final_places.select_related("player")} == {
        "Player 1": "comes", "Player 2": "declined", "Player 3": "",
    }  # fmt: skip


def test_a_director_takes_places_back_on_the_page(
    cast: list[Player], club: Club, alice_client: Client, client: Client
) -> None:
    row = season(cast, range(80, 0, -10), 2)
    now = timezone.now()
    offer(series=row, answer_by=timezone.localdate() + timedelta(days=7), player=None, by=SYSTEM, now=now)
    answer(series=row, player=cast[0], answer=COMES, by=SYSTEM, now=now, directs=True)
    url = reverse("series-take-back", args=[club.slug, row.slug])

    def sent(**fields: str) -> str:
        return alice_client.post(url, fields, follow=True).content.decode()

    assert "Choose one place or all open offers." in sent()
    assert "Choose one place or all open offers." in sent(all_open="1", player=cast[0].public_id)
    assert names_of(row, FinalPlace.State.TAKEN_BACK) == []
    assert "1 place was taken back." in sent(all_open="1")
    assert "Nothing was taken back" in sent(all_open="1")
    page = sent(player=cast[0].public_id)
    assert "1 place was taken back." in page
    assert page.count("taken back</span>") == 2
    assert alice_client.post(url, {"player": "2222222222"}).status_code == 404
    seen_by_others = client.get(reverse("series", args=[club.slug, row.slug])).content.decode()
    assert "taken back" not in seen_by_others
    assert "Take back" not in seen_by_others
