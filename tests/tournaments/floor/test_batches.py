"""A night of lives without rounds, through the services: whoever is free plays, until one is left."""

import re
import runpy
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from clubhouse.tonight import EveningPlan, start_evening, undo_start
from engine.errors import Refused
from formats.continuous.state import moment_of
from formats.elimination.knockout import bracket_size
from formats.graph import BYE
from formats.settings import KNOCKOUT, LIVES, SWISS, Leader, StageSettings, strict
from formats.settings import PairingMode as Mode
from formats.swiss.lives import lives_for_missed, lives_left
from matches.lifecycle.finish import ResultInput
from matches.models import Match, Result
from players.actors import Actor
from players.models import Club, Delivery, LogEntry, Membership, Player, User
from prizes.prizes import standings_of
from tests.clock import NOON
from tests.journeys.evenings import account_of
from tests.pages import html
from tests.tiers import first_in_make_test
from tests.tournaments.support.pages import text
from tournaments.draws.kept_apart import keep_apart
from tournaments.entries import check_in
from tournaments.entries.event_links import path_for
from tournaments.entries.late import enter_late, preview_late, undo_late
from tournaments.entries.previews import late_view, withdrawal_view
from tournaments.entries.services import preview_withdrawal, withdraw
from tournaments.floor.batches import pair_now
from tournaments.floor.by_hand import change_flow, hold_pairing, pair_by_hand, undo_missed, undo_pairing
from tournaments.floor.calls import call_ready, set_running_score
from tournaments.floor.calls import start as begin
from tournaments.floor.derivation import floor_state
from tournaments.floor.evening import adjourn, let_go_on, set_autopilot, set_needs_accessible
from tournaments.floor.flows import flows_of
from tournaments.floor.hold_ups import ask_whether_over, stop_match, waive_lead
from tournaments.floor.selectors import load_facts
from tournaments.floor.undo import UndoableAct, last_act, undo
from tournaments.floor.waiting import Waiting, waiting_in
from tournaments.models import (
    Autopilot,
    Batch,
    Correction,
    Division,
    Entry,
    Fixture,
    Floor,
    FloorEvent,
    MissedMatch,
    OpenPairing,
    Pairing,
    PendingBatch,
    Slot,
    Stage,
    Table,
    Tournament,
)
from tournaments.results.corrections import (
    CorrectionInput,
    apply_correction,
    preview_correction,
    preview_view,
    undo_correction,
)
from tournaments.results.services import enter_result
from tournaments.state.derivation import states_of
from tournaments.state.integrity import Selection, differences
from tournaments.state.pairings import missed_by_latecomer
from tournaments.tasks import sweep_floors

SCRIPT = Path(__file__).resolve().parents[3] / "verify/verify_pairings.py"
pytestmark = pytest.mark.django_db
FLOW = (StageSettings(LIVES, lives=2, lengths=(5,), pairing=Mode.CONTINUOUS),)
SWITCH = (replace(FLOW[0], qualifiers=8), StageSettings(KNOCKOUT, lengths=(7,)))
# The most queries of a step in which nobody can be paired, of one with a batch, for each of its pairs, and on average.
IDLE, WITH_BATCH, EACH_PAIR, AVERAGE = 30, 64, 3, 40


@pytest.fixture
def people(club: Club) -> list[Player]:
    """Thirteen members of the club."""
    rows = [Player.objects.create(name=f"Member {number}") for number in range(1, 14)]
    Membership.objects.bulk_create(Membership(club=club, player=player) for player in rows)
    return rows


@pytest.fixture
def start(club: Club, people: list[Player], by_alice: Actor) -> Callable[..., Tournament]:
    """Start a night at noon."""

    def start_one(*, tables: int = 5, stages: Any = FLOW, now: datetime = NOON, **more: Any) -> Tournament:
        plan = EveningPlan(tables, now + timedelta(hours=8), stages, people)
        return start_evening(club=club, plan=plan, by=by_alice, now=now, **more)

    return start_one


def test_a_start_makes_as_many_pairs_as_there_are_tables(start: Callable[..., Tournament]) -> None:
    event = start()
    division = event.divisions.get()
    assert division.status == Division.Status.RUNNING
    batch = Batch.objects.get(stage__division=division)
    assert (batch.number, batch.room, len(batch.pool)) == (1, 5, 13)
    assert batch.pairings.count() == 5
    assert OpenPairing.objects.count() == 10
    assert Fixture.objects.filter(status="ready").count() == 5


class Night:
    """Plays a night: matches begin when they are called and take five to fifty minutes, by chance."""

    def __init__(self, event: Tournament, by: Actor, seed: int = 1) -> None:
        self.event, self.by, self.chance, self.now = event, by, Random(seed), NOON
        self.ends: dict[int, datetime] = {}

    @property
    def division(self) -> Division:
        return self.event.divisions.get()

    def open(self) -> list[Fixture]:
        """The matches that go on."""
        rows = Fixture.objects.filter(status="ready").select_related("match", "stage__division__tournament__club")
        return list(rows.order_by("number"))

    def step(self) -> bool:
        """Call what is due, and go on to the next end of a match or the next minute; False if all is over."""
        call_ready(tournament_id=self.event.pk, now=self.now)
        for fixture in self.open():
            assert fixture.match is not None
            if fixture.match.begun_at is None:
                begin(fixture=fixture, by=self.by, now=self.now)
                self.ends[fixture.number] = self.now + timedelta(minutes=self.chance.randint(5, 50))
        if self.division.status == Division.Status.FINISHED:
            return False
        # Go on to when something happens: the end of a match, or of a rest.
        due = PendingBatch.objects.filter(due_at__gt=self.now).values_list("due_at", flat=True)
        going_on = {row.number for row in self.open()}
        moments = [*due, *(at for number, at in self.ends.items() if number in going_on)]
        following = min((at for at in moments if at is not None), default=self.now + timedelta(minutes=1))
        self.now = max(self.now, following)
        for fixture in self.open():
            if self.ends.get(fixture.number, self.now + timedelta(1)) <= self.now:
                self.win(fixture, self.chance.randrange(2))
        return True

    def win(self, fixture: Fixture, side: int) -> None:
        assert fixture.match is not None
        length = fixture.match.length
        score = (length, 3) if side == 0 else (3, length)
        enter_result(fixture=fixture, result=ResultInput(side, score), by=self.by, now=self.now)

    def play(self, most: int = 1000) -> None:
        for _minute in range(most):
            if not self.step():
                return
        raise AssertionError("the night does not end")


@pytest.mark.slow
def test_a_step_takes_few_queries(start: Callable[..., Tournament], by_alice: Actor) -> None:
    night, counts = Night(start(), by_alice, seed=1), []
    for _step in range(30):
        before = Pairing.objects.count()
        with CaptureQueriesContext(connection) as captured:
            call_ready(tournament_id=night.event.pk, now=night.now)
        queries = [query["sql"] for query in captured if "SAVEPOINT" not in query["sql"]]
        pairs = Pairing.objects.count() - before
        most = WITH_BATCH + EACH_PAIR * pairs if pairs else IDLE
        counts.append(len(queries))
        assert len(queries) <= most, "\n".join([f"{len(queries)} queries, {pairs} pairs:", *queries])
        night.step()
    assert sum(counts) / len(counts) <= AVERAGE


@pytest.mark.slow
def test_a_night_ends_with_one_winner(start: Callable[..., Tournament], by_alice: Actor) -> None:
    night = Night(start(), by_alice)
    night.play()
    pairings = Pairing.objects.filter(taken_back="")
    assert 24 <= pairings.count() <= 25, "13 entries have 26 lives, and the winner keeps one or two"
    losses = Counter(
        (row.first_id, row.second_id)[1 - result.winner]
        for row in pairings.select_related("fixture")
        for result in Result.objects.filter(match=row.fixture.match_id)
    )
    entries = set(night.division.entries.values_list("pk", flat=True))
    (winner,) = [entry for entry in entries if losses[entry] < 2]
    (state,) = states_of(night.division)
    assert state.over
    assert not OpenPairing.objects.exists()
    assert state.tables[0].rows[0].entry == winner
    assert list(differences(Selection.of())) == []


@pytest.mark.slow
def test_who_shares_a_place_shares_it_in_the_summary_and_for_prizes(
    start: Callable[..., Tournament], by_alice: Actor, client: Client
) -> None:
    night = Night(start(), by_alice)
    night.play()
    (state,) = states_of(night.division)
    (table,) = state.tables
    shared = Counter(row.place for row in table.rows)
    assert max(shared.values()) > 1
    for ties_share in (False, True):
        (places,) = standings_of(night.division, ties_share=ties_share).values()
        assert {row.first: len(row.entries) for row in places.placings} == shared
    page = text(html(client.get(reverse("event-report", args=[night.event.club.slug, night.event.slug]))))
    # The last place that the page lists; whether several share it depends on the lots.
    place = max(place for place in shared if place <= 3)
    entries = [row.entry for row in table.rows if row.place == place]
    names = Entry.objects.in_bulk(entries)
    label = f"{place}–{place + len(entries) - 1}" if len(entries) > 1 else str(place)
    assert f"{label}. {', '.join(names[entry].player.name for entry in entries)}" in page


@pytest.mark.slow
def test_a_night_switches_to_a_bracket(start: Callable[..., Tournament], by_alice: Actor) -> None:
    night = Night(start(stages=SWITCH), by_alice, seed=3)
    night.play()
    first, second = states_of(night.division)
    assert first.event is not None
    left = lives_left(first.event, 2)
    assert sum(left.values()) == 8
    bracket = second.progress.graph.bracket("main").rounds[0].fixtures
    assert len(bracket) == 4
    seats = Counter(source.entry for fixture in bracket for source in fixture.sources if source != BYE)
    assert seats.keys() == left.keys()
    with_bye = {fixture.sources[0].entry for fixture in bracket if BYE in fixture.sources}
    assert with_bye == {entry for entry, lives in left.items() if lives == 2}
    assert second.over
    assert list(differences(Selection.of())) == []


def test_who_needs_an_accessible_table_is_in_the_pool_only_if_one_is_free(
    start: Callable[..., Tournament], by_alice: Actor
) -> None:
    event = start(tables=2)
    Table.objects.filter(label="2").update(category=Table.Category.ACCESSIBLE)
    night = Night(event, by_alice)
    first, second = night.open()
    playing = OpenPairing.objects.values_list("entry", flat=True)
    waiting = list(Entry.objects.exclude(pk__in=playing).order_by("pk")[:7])
    for entry in waiting:
        set_needs_accessible(tournament=event, player=entry.player, needed=True, by=by_alice, now=NOON)
    now = NOON + timedelta(minutes=30)
    for fixture in (first, second):
        begin(fixture=fixture, by=by_alice, now=NOON + timedelta(minutes=2))
    night.now = now
    night.win(first, 0)
    for minutes in (0, 10):
        call_ready(tournament_id=event.pk, now=now + timedelta(minutes=minutes))
    batch = Batch.objects.latest("number")
    needy = {entry.pk for entry in waiting}
    assert (batch.number, batch.private, batch.pairings.count()) == (2, True, 1)
    assert not needy & {row[0] for row in batch.pool}
    assert needy <= {row[0] for row in batch.left_out}
    assert "table" not in {row[1] for row in batch.left_out}, "it is public"
    night.now = now + timedelta(minutes=12)
    night.win(second, 0)
    for minutes in (12, 22):
        call_ready(tournament_id=event.pk, now=now + timedelta(minutes=minutes))
    assert needy <= {row[0] for row in Batch.objects.latest("number").pool}


def at_clock(moment: datetime) -> str:
    """HH:MM of a moment at the club."""
    return f"{moment.astimezone(ZoneInfo('Europe/Copenhagen')):%H:%M}"


@pytest.mark.slow
def test_a_night_switches_to_a_bracket_by_the_clock(start: Callable[..., Tournament], by_alice: Actor) -> None:
    switch = NOON + timedelta(minutes=70)
    stages = (replace(SWITCH[0], switch_time=at_clock(switch)), SWITCH[1])
    night = Night(start(stages=stages), by_alice, seed=3)
    night.play()
    first, second = states_of(night.division)
    assert first.event is not None
    left = lives_left(first.event, 2)
    places = sum(left.values())
    assert places > 8
    assert not Batch.objects.filter(at__gte=switch).exists()
    assert max(fixture.match.finished_at for fixture in first.rows.fixtures.values()) > switch
    assert 2 * len(second.progress.graph.bracket("main").rounds[0].fixtures) == bracket_size(places)
    seats = Counter(
        source.entry
        for fixture in second.progress.graph.bracket("main").rounds[0].fixtures
        for source in fixture.sources
        if source != BYE
    )
    assert seats.keys() == left.keys()
    assert second.over
    assert list(differences(Selection.of())) == []
    assert LogEntry.objects.get(verb="switched_by_clock").params["places"] == bracket_size(places)


@pytest.mark.slow
@pytest.mark.parametrize("seed", first_in_make_test(*range(1, 5)))
def test_a_clock_alone_draws_the_bracket_or_the_night_ends_before(
    start: Callable[..., Tournament], by_alice: Actor, seed: int
) -> None:
    switch = NOON + timedelta(minutes=70 if seed % 2 else 1300)
    stages = (replace(SWITCH[0], qualifiers=None, switch_time=at_clock(switch)), SWITCH[1])
    night = Night(start(stages=stages), by_alice, seed=seed)
    night.play()
    first, second = states_of(night.division)
    assert first.event is not None
    left = lives_left(first.event, 2)
    if seed % 2:
        assert not Batch.objects.filter(at__gte=switch).exists()
        assert 2 * len(second.progress.graph.bracket("main").rounds[0].fixtures) == bracket_size(sum(left.values()))
    else:
        assert sum(left.values()) <= 2, "so many lives as one match decides"
    assert second.over
    assert night.division.status == Division.Status.FINISHED
    assert list(differences(Selection.of())) == []


@pytest.mark.slow
def test_a_director_lets_the_bracket_be_drawn_now(start: Callable[..., Tournament], by_alice: Actor) -> None:
    night = Night(start(stages=SWITCH), by_alice, seed=3)
    for _step in range(9):
        night.step()
    stage = Stage.objects.get(number=1)
    batches = Batch.objects.count()
    rules: dict[str, Any] = {"window": 0, "lead": 2, "leader": Leader.PLAYS, "by": by_alice, "now": night.now}
    change_flow(stage=stage, switch_time=at_clock(night.now), after=night.division.seq, **rules)
    night.play()
    assert Batch.objects.count() == batches
    _first, second = states_of(night.division)
    assert second.over
    assert list(differences(Selection.of())) == []


def test_a_switch_after_midnight_is_on_the_next_day() -> None:
    zone = ZoneInfo("Europe/Copenhagen")
    began = datetime(2026, 11, 20, 19, 30, tzinfo=zone)
    assert moment_of("00:30", began, zone) == datetime(2026, 11, 21, 0, 30, tzinfo=zone)
    assert moment_of("22:30", began, zone) == began + timedelta(hours=3)
    assert moment_of("", began, zone) is None


@pytest.mark.slow
def test_few_players_play_longer_matches(start: Callable[..., Tournament], by_alice: Actor) -> None:
    night = Night(start(stages=(replace(FLOW[0], late_from=4, late_length=9),)), by_alice, seed=3)
    night.play()
    lengths = set()
    for pairing in Pairing.objects.filter(taken_back="").select_related("fixture__match", "batch"):
        assert pairing.fixture is not None
        losses = Counter(
            (row.first_id, row.second_id)[1 - (result.winner or 0)]
            for row in Pairing.objects.filter(batch__number__lt=pairing.batch.number).select_related("fixture")
            for result in Result.objects.filter(match=row.fixture.match_id, match__finished_at__lte=pairing.batch.at)
        )
        still_in = 13 - sum(lost == 2 for lost in losses.values())
        assert pairing.fixture.match.length == (9 if still_in <= 4 else 5)
        lengths.add(pairing.fixture.match.length)
    assert lengths == {5, 9}


def test_an_undone_start_leaves_no_pair_and_gives_the_same_again(
    start: Callable[..., Tournament], by_alice: Actor
) -> None:
    event = start()
    first = list(Batch.objects.get().pairings.values_list("first", "second"))
    event = undo_start(tournament=event, by=by_alice, now=NOON + timedelta(seconds=30))
    assert not Fixture.objects.exists()
    assert not OpenPairing.objects.exists()
    start(now=NOON + timedelta(minutes=2), event=event)
    assert list(Batch.objects.get(number=2).pairings.values_list("first", "second")) == first


def floor_text(client: Client, event: Tournament) -> str:
    response = client.get(reverse("floor", args=[event.club.slug, event.slug]))
    assert response.status_code == 200
    return text(html(response))


def test_the_floor_says_who_waits_and_why(
    start: Callable[..., Tournament], client: Client, alice: User, by_alice: Actor
) -> None:
    client.force_login(alice)
    event = start(now=timezone.now())
    page = floor_text(client, event)
    assert "Waiting 3, longest first" in page
    assert page.count("Waiting for a table.") == 2
    assert "13 0 0 out" in page
    (stage,) = Stage.objects.all()
    division = event.divisions.get()
    with pytest.raises(Refused) as refused:
        pair_now(stage=stage, after=division.seq, by=by_alice, now=timezone.now())
    assert refused.value.code == "nobody_to_pair"


def correct(night: Night, fixture: Fixture, winner: int) -> Correction:
    """Correct who won a match, with all that follows."""
    new = CorrectionInput(ResultInput(winner, (5, 1) if winner == 0 else (1, 5)), "correct_all", "Misheard")
    correction = apply_correction(fixture=fixture, correction=new, after=night.division.seq, by=night.by, now=night.now)
    assert correction is not None
    return correction


def lives_of(night: Night) -> dict[int, int]:
    (state,) = states_of(night.division)
    assert state.event is not None
    return lives_left(state.event, 2)


@pytest.fixture
def misheard(start: Callable[..., Tournament], by_alice: Actor) -> tuple[Night, Fixture, Fixture, int]:
    """A night in which the first result was entered the wrong way round, and its winner is paired for the third time.

    Really they have lost twice. Their match is called and has not begun.
    """
    return mishear(Night(start(), by_alice, seed=5))


def mishear(night: Night) -> tuple[Night, Fixture, Fixture, int]:
    """Play until the winner of the first result is paired for the third time; it was entered the wrong way round."""
    first = night.open()[0]
    night.now += timedelta(seconds=1)
    night.win(first, 0)
    entry = first.slots.get(side=0).entry_id
    assert entry is not None
    for _minute in range(400):
        (call_ready(tournament_id=night.event.pk, now=night.now))
        own = [row for row in night.open() if row.slots.filter(entry=entry).exists()]
        if own and lives_of(night)[entry] == 1:
            return night, first, own[0], entry
        night.now += timedelta(seconds=1)
        if own and own[0].number not in night.ends:
            night.win(own[0], 0 if own[0].slots.get(side=1).entry_id == entry else 1)
        night.step()
    raise AssertionError("never paired again")


@pytest.mark.slow
def test_a_corrected_result_takes_back_a_pairing_that_has_not_begun(
    misheard: tuple[Night, Fixture, Fixture, int],
) -> None:
    night, first, paired, entry = misheard
    opponent = paired.slots.exclude(entry=entry).get().entry_id
    correction = correct(night, first, 1)
    assert Pairing.objects.get(number=paired.number).taken_back == Pairing.TakenBack.CORRECTION
    assert not OpenPairing.objects.filter(entry__in=[entry, opponent]).exists()
    assert entry not in lives_of(night)
    assert list(differences(Selection.of())) == []
    # Nothing was built on it: undone, the entry is back with its life, and is paired anew.
    undo_correction(correction=correction, after=night.division.seq, by=night.by, now=night.now)
    assert lives_of(night)[entry] == 1
    night.play()
    assert list(differences(Selection.of())) == []


@pytest.mark.slow
def test_a_begun_match_stands_although_a_correction_puts_its_player_out(
    misheard: tuple[Night, Fixture, Fixture, int],
) -> None:
    night, first, paired, entry = misheard
    begin(fixture=paired, by=night.by, now=night.now)
    correction = correct(night, first, 1)
    assert not Pairing.objects.get(number=paired.number).taken_back
    assert entry not in lives_of(night)
    night.ends[paired.number] = night.now + timedelta(minutes=20)
    night.play()
    with pytest.raises(Refused) as refused:
        undo_correction(correction=correction, after=night.division.seq, by=night.by, now=night.now)
    assert refused.value.code == "successor_begun"
    assert list(differences(Selection.of())) == []


@pytest.fixture
def switched(start: Callable[..., Tournament], by_alice: Actor) -> Night:
    """A night whose bracket of eight lives has just been drawn; none of its matches has begun."""
    night = Night(start(stages=SWITCH), by_alice, seed=3)
    for _step in range(400):
        night.step()
        if Stage.objects.get(number=2).status == Stage.Status.RUNNING:
            return night
    raise AssertionError("there is no bracket")


def seats(night: Night) -> list[int | None]:
    """The entries in the places of the bracket, in order, as they are stored."""
    slots = Slot.objects.filter(fixture__stage__number=2, fixture__round__number=1).order_by("fixture__number", "side")
    return list(slots.values_list("source_entry", flat=True))


def changing(night: Night) -> tuple[Fixture, int]:
    """A match of the first stage, and its other winner, after which other players are in the bracket."""
    rows = Fixture.objects.filter(stage__number=1, match__state="settled").select_related("stage__division", "match")
    for fixture in rows.order_by("number"):
        standing = Result.objects.filter(match=fixture.match).latest("version")
        assert standing.winner is not None
        other = 1 - standing.winner
        new = ResultInput(other, (5, 1) if other == 0 else (1, 5))
        preview = preview_correction(fixture=fixture, new=new)
        if preview.all.changes and not preview.all.bracket_stands:
            (choice,) = [row for row in preview_view(preview).choices if row.value == "correct_all"]
            assert "The bracket is drawn again" in choice.following.counts
            return fixture, other
    raise AssertionError("no result changes the bracket")


@pytest.mark.slow
def test_a_correction_draws_a_bracket_again_that_has_not_begun(switched: Night) -> None:
    night = switched
    fixture, winner = changing(night)
    first, numbers = seats(night), list(Fixture.objects.filter(stage__number=2).values_list("number", flat=True))
    correction = correct(night, fixture, winner)
    second = seats(night)
    assert second != first
    assert Counter(entry for entry in second if entry).keys() == lives_before_bracket(night).keys()
    assert list(differences(Selection.of())) == []
    # Undone and done again, the same lots give the same places.
    undo_correction(correction=correction, after=night.division.seq, by=night.by, now=night.now)
    assert seats(night) == first
    assert list(differences(Selection.of())) == []
    correct(night, fixture, winner)
    assert seats(night) == second
    assert list(Fixture.objects.filter(stage__number=2).values_list("number", flat=True)) == numbers
    night.play()
    assert list(differences(Selection.of())) == []


def lives_before_bracket(night: Night) -> dict[int, int]:
    state = states_of(night.division)[0]
    assert state.event is not None
    return lives_left(state.event, 2)


@pytest.mark.slow
def test_a_bracket_that_has_begun_stands_when_a_result_before_it_is_corrected(switched: Night) -> None:
    night = switched
    fixture, winner = changing(night)
    first = seats(night)
    bracket = Fixture.objects.filter(stage__number=2, status="ready").select_related("stage__division", "match")
    begun = bracket[0]
    begin(fixture=begun, by=night.by, now=night.now)
    night.ends[begun.number] = night.now + timedelta(minutes=20)
    new = ResultInput(winner, (5, 1) if winner == 0 else (1, 5))
    preview = preview_correction(fixture=fixture, new=new)
    assert preview.default == "let_stand"
    assert "stays as it is" in preview_view(preview).why
    correct(night, fixture, winner)
    assert seats(night) == first
    assert list(differences(Selection.of())) == []
    night.play()
    assert list(differences(Selection.of())) == []


@pytest.mark.slow
def test_a_correction_cannot_be_undone_once_its_bracket_has_begun(switched: Night) -> None:
    night = switched
    fixture, winner = changing(night)
    correction = correct(night, fixture, winner)
    changed = set(fixture.slots.values_list("entry", flat=True))
    ready = Fixture.objects.filter(stage__number=2, status="ready").select_related("stage__division", "match")
    own = [row for row in ready if changed & set(row.slots.values_list("entry", flat=True))]
    night.now += timedelta(minutes=1)
    begin(fixture=own[0], by=night.by, now=night.now)
    with pytest.raises(Refused) as refused:
        undo_correction(correction=correction, after=night.division.seq, by=night.by, now=night.now)
    assert refused.value.code == "successor_begun"


@pytest.mark.slow
def test_who_withdraws_after_the_switch_leaves_a_walkover_and_the_bracket_as_it_is(switched: Night) -> None:
    night = switched
    first = seats(night)
    slot = Slot.objects.filter(fixture__stage__number=2, fixture__status="ready").exclude(entry=None)[0]
    assert slot.entry is not None
    withdraw(entry=slot.entry, by=night.by, now=night.now, reason="Ill")
    assert seats(night) == first
    assert list(differences(Selection.of())) == []


@pytest.mark.slow
def test_who_withdraws_frees_the_opponent_of_a_match_that_has_not_begun(
    start: Callable[..., Tournament], by_alice: Actor
) -> None:
    night = Night(start(), by_alice)
    fixture = night.open()[0]
    leaver, opponent = (slot.entry for slot in fixture.slots.order_by("side"))
    assert leaver is not None
    assert opponent is not None
    (part,) = withdrawal_view(preview_withdrawal(entry=leaver))
    assert [change.after for change in part.changes] == ["the pairing is taken back"]
    withdraw(entry=leaver, by=by_alice, now=night.now, reason="Ill")
    assert Pairing.objects.get(number=fixture.number).taken_back == Pairing.TakenBack.WITHDRAWAL
    free = waits(night)[0].entry
    (part,) = withdrawal_view(preview_withdrawal(entry=free))
    assert part.notes == [f"{free.player.name} is not paired again. No match changes."]
    assert lives_of(night)[opponent.pk] == 2
    assert leaver.pk not in lives_of(night)
    assert opponent in [row.entry for row in waits(night)]
    call_ready(tournament_id=night.event.pk, now=night.now + timedelta(seconds=1))
    assert len(night.open()) == 5, "the free table is used at once"
    night.play()
    assert list(differences(Selection.of())) == []


@pytest.mark.slow
def test_a_late_entry_pays_half_a_life_for_each_match_missed(start: Callable[..., Tournament], by_alice: Actor) -> None:
    night = Night(start(), by_alice)
    for _minute in range(120):
        night.step()
        (state,) = states_of(night.division)
        if missed_by_latecomer(state) == 2:
            break
    latecomer = Player.objects.create(name="Eve Late")
    (newcomer,) = preview_late(division=night.division, players=[latecomer], now=night.now).newcomers
    assert (newcomer.missed, newcomer.lives) == (2, (1, 2))
    (entry,) = enter_late(division=night.division, players=[latecomer], by=by_alice, now=night.now)
    assert lives_of(night)[entry.pk] == 1
    check_in.mark(entry=entry, state="here", by=by_alice, now=night.now)
    night.play()
    assert list(differences(Selection.of())) == []


@pytest.mark.slow
def test_in_a_strict_night_each_missed_match_costs_a_life_or_not_by_lot(
    start: Callable[..., Tournament], client: Client, by_alice: Actor
) -> None:
    """The same lot, however often Eve is let in, and everybody can verify it."""
    night = Night(start(stages=(strict(FLOW[0]),)), by_alice)
    for _minute in range(160):
        night.step()
        (state,) = states_of(night.division)
        if missed_by_latecomer(state) == 3:
            break
    eve = Player.objects.create(name="Eve Late")
    preview = preview_late(division=night.division, players=[eve], now=night.now)
    assert late_view(preview).notes == ["Eve Late has missed 3 matches, each of which costs a life or not, by lot."]
    (entry,) = enter_late(division=night.division, players=[eve], by=by_alice, now=night.now)
    seed = bytes.fromhex(Stage.objects.get().seed)
    lost = [lives_for_missed(0, count, seed=seed, person=entry.pk) for count in range(4)]
    lives = lives_of(night).get(entry.pk, 0)
    assert lives == max(0, 2 - lost[3])
    assert {after - before for before, after in pairwise(lost)} <= {0, 1}
    undo_late(entry=entry, after=night.division.seq, by=by_alice, now=night.now)
    assert entry.pk not in lives_of(night)
    enter_late(division=night.division, players=[eve], by=by_alice, now=night.now)
    assert sum(lives_of(night).get(row.pk, 0) for row in night.division.entries.filter(player=eve)) == lives
    night.play()
    assert list(differences(Selection.of())) == []
    faults, _unchecked = verify(night, client)
    assert faults == []


@pytest.mark.slow
def test_late_entries_are_possible_until_the_time_that_a_director_sets(
    start: Callable[..., Tournament], by_alice: Actor, alice: User, as_user: Callable[[User], Client]
) -> None:
    night, page = Night(start(now=timezone.now()), by_alice), as_user(alice)
    night.now = timezone.now() + timedelta(minutes=1)
    rules = {"stage": Stage.objects.get().public_id, "window": 0, "lead": 2, "leader": "plays"}
    address = reverse("floor-action", args=[night.event.club.slug, night.event.slug, "flow"])

    def set_until(moment: datetime | None) -> None:
        until = at_clock(moment) if moment else ""
        page.post(address, {**rules, "after": night.division.seq, "late_until": until})

    def come(name: str) -> list[Entry]:
        player = Player.objects.create(name=name)
        return enter_late(division=night.division, players=[player], by=by_alice, now=night.now)

    assert "Late entries until" in floor_text(page, night.event)
    until = night.now + timedelta(minutes=30)
    set_until(until)
    assert LogEntry.objects.get(verb="flow_changed").params["changes"] == {"late_until": ["", at_clock(until)]}
    standings = reverse("standings", args=[night.event.club.slug, night.event.slug, night.division.public_id])
    assert "Late entries are possible until" in text(html(page.get(standings)))
    assert len(come("Eve Early")) == 1
    night.now = until
    for refused_call in (
        lambda: come("Eve Late"),
        lambda: preview_late(division=night.division, players=["Eve Late"], now=night.now),
    ):
        with pytest.raises(Refused) as refused:
            refused_call()
        assert refused.value.code == "joining_closed"
        assert refused.value.params == {"until": at_clock(until)}
    # A change of other rules leaves the time as it is; without a time they are possible again.
    page.post(address, {**rules, "lead": 1, "after": night.division.seq})
    with pytest.raises(Refused):
        come("Eve Late")
    set_until(None)
    assert len(come("Eve Late")) == 1


@pytest.mark.slow
def test_who_is_away_is_not_paired_and_loses_lives_by_missing_matches(
    start: Callable[..., Tournament], by_alice: Actor
) -> None:
    night = Night(start(), by_alice)
    waiting = next(row for row in waits(night) if row.entry.pk not in OpenPairing.objects.values_list("entry"))
    check_in.mark(entry=waiting.entry, state="away", by=by_alice, now=night.now, until=night.now + timedelta(hours=7))
    for _minute in range(300):
        night.step()
        if lives_of(night).get(waiting.entry.pk) == 1:
            break
    assert MissedMatch.objects.filter(entry=waiting.entry).count() == 2
    assert not Pairing.objects.filter(first=waiting.entry).exists()
    missed = MissedMatch.objects.filter(entry=waiting.entry).last()
    assert missed is not None
    undo_missed(missed=missed, reason="The taxi was late", by=by_alice, now=night.now)
    assert lives_of(night)[waiting.entry.pk] == 2
    assert list(differences(Selection.of())) == []


def waits(night: Night) -> list[Waiting]:
    """Who waits now."""
    event = Tournament.objects.get(pk=night.event.pk)
    state = floor_state(load_facts(event, night.now), night.now)
    (flow,) = flows_of(event, state, night.now)
    return waiting_in(flow, state, night.now)


def test_a_pairing_taken_back_is_not_made_again(start: Callable[..., Tournament], by_alice: Actor) -> None:
    night = Night(start(), by_alice)
    missing, apart = night.open()[:2]
    first = missing.slots.get(side=0).entry
    undo_pairing(fixture=missing, code="missing", side=0, by=by_alice, now=night.now)
    undo_pairing(fixture=apart, code="not_these_two", by=by_alice, now=night.now)
    undo_pairing(fixture=apart, code="not_these_two", by=by_alice, now=night.now)
    assert {row.code for row in waits(night) if row.entry == first} == {"absent"}
    call_ready(tournament_id=night.event.pk, now=night.now)
    two = frozenset(Pairing.objects.filter(number=apart.number).values_list("first", "second").get())
    pairs = [frozenset(pair) for pair in Pairing.objects.filter(taken_back="").values_list("first", "second")]
    assert two not in pairs
    begin(fixture=night.open()[0], by=by_alice, now=night.now)
    with pytest.raises(Refused) as refused:
        undo_pairing(fixture=night.open()[0], code="not_these_two", by=by_alice, now=night.now)
    assert refused.value.code == "pairing_begun"


@pytest.mark.slow
def test_a_swiss_without_rounds_gives_everybody_as_many_matches(
    start: Callable[..., Tournament], by_alice: Actor, client: Client
) -> None:
    stages = (StageSettings(SWISS, rounds=3, lengths=(5,), pairing=Mode.CONTINUOUS),)
    night = Night(start(stages=stages, tables=6), by_alice, seed=2)
    night.play()
    (state,) = states_of(night.division)
    assert state.event is not None
    played = Counter(entry for row in Pairing.objects.all() for entry in (row.first_id, row.second_id))
    byes = Counter(state.event.pairing_byes)
    assert sum(byes.values()) == 1, "13 players and 3 matches each are an odd number of places"
    assert all((played + byes)[entry] == 3 for entry in night.division.entries.values_list("pk", flat=True))
    met = [frozenset(pair) for pair in Pairing.objects.values_list("first", "second")]
    assert len(met) == len(set(met)) == 19
    assert list(differences(Selection.of())) == []
    assert verify(night, client) == ([], 0)


@pytest.mark.parametrize("mode", Autopilot)
def test_the_last_bye_of_a_swiss_waits_for_nobody(
    start: Callable[..., Tournament], by_alice: Actor, people: list[Player], mode: Autopilot
) -> None:
    """Of three players with two matches each, one leaves before meeting the last."""
    del people[3:]
    night = Night(start(stages=(StageSettings(SWISS, rounds=2, lengths=(5,), pairing=Mode.CONTINUOUS),)), by_alice)
    while Result.objects.count() < 2:
        night.step()
    begun = Counter(entry for row in Pairing.objects.all() for entry in (row.first_id, row.second_id))
    left = night.division.entries.filter(pk__in=[entry for entry, count in begun.items() if count == 1])
    leaves, stays = left.order_by("pk")
    withdraw(entry=leaves, by=by_alice, now=night.now)
    set_autopilot(tournament=night.event, mode=mode, by=by_alice, now=night.now)
    stage = night.division.stages.get()
    hold_pairing(stage=stage, held=True, by=by_alice, now=night.now)
    with time_machine.travel(night.now + timedelta(minutes=30), tick=False):
        sweep_floors()
        assert night.division.status == Division.Status.RUNNING, "a director holds the pairing"
        hold_pairing(stage=stage, held=False, by=by_alice, now=timezone.now())
        sweep_floors()
    assert night.division.status == Division.Status.FINISHED
    (state,) = states_of(night.division)
    assert state.event is not None
    assert list(state.event.pairing_byes) == [stays.pk]
    assert list(differences(Selection.of())) == []


def verify(night: Night, client: Client) -> tuple[list[str], int]:
    """What the script finds in the pairings of a night."""
    data = client.get(reverse("api-batches", args=[night.division.public_id])).json()
    faults, unchecked = runpy.run_path(str(SCRIPT))["verify"](data)
    rows = client.get(reverse("api-commitments", args=[night.event.club.slug])).json()
    return faults + runpy.run_path(str(SCRIPT))["verify_in_list"](data, rows["results"]), unchecked


@pytest.mark.slow
def test_everybody_can_verify_a_night_once_it_is_over(
    start: Callable[..., Tournament], client: Client, by_alice: Actor
) -> None:
    night = Night(start(), by_alice, seed=7)
    data = client.get(reverse("api-batches", args=[night.division.public_id])).json()
    assert (data["seed"], data["events"]) == (None, [])
    night.now += timedelta(minutes=1)
    withdraw(entry=waits(night)[0].entry, by=by_alice, now=night.now)
    for _step in range(20):
        night.step()
    undo_pairing(fixture=fresh(night), code="missing", side=1, by=by_alice, now=night.now)
    night.play()
    assert verify(night, client) == ([], 0)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["waived", "adjourned"])
def test_a_night_in_which_a_match_held_others_up_again_can_be_verified(
    start: Callable[..., Tournament], client: Client, by_alice: Actor, how: str
) -> None:
    night = Night(start(stages=(replace(FLOW[0], lead=1),)), by_alice, seed=7)
    for _step in range(4):
        night.step()
    slow = next(row for row in night.open() if row.number in night.ends)
    del night.ends[slow.number]
    step_for(night, timedelta(minutes=100))
    assert len(night.open()) == 1, "everybody waits for it"
    change = waive_lead if how == "waived" else adjourn
    event = change(fixture=slow, by=by_alice, now=night.now)
    step_for(night, timedelta(minutes=60))
    if how == "waived":
        undo(tournament=night.event, act=UndoableAct(event, slow), by=by_alice, now=night.now, in_order=False)
    else:
        let_go_on(fixture=slow, by=by_alice, now=night.now)
    step_for(night, timedelta(minutes=60))
    assert len(night.open()) == 1, "they wait for it again"
    night.ends[slow.number] = night.now
    night.play()
    assert verify(night, client) == ([], 0)


def step_for(night: Night, time: timedelta) -> None:
    """Play on for so long."""
    end = night.now + time
    while night.now < end:
        before = night.now
        night.step()
        night.now = max(night.now, before + timedelta(minutes=1))


def fresh(night: Night) -> Fixture:
    """A match that was paired and has not begun."""
    for _step in range(100):
        call_ready(tournament_id=night.event.pk, now=night.now)
        for fixture in night.open():
            if fixture.match is not None and fixture.match.begun_at is None:
                return fixture
        night.step()
    raise AssertionError("nobody is paired any more")


@pytest.mark.slow
def test_only_directors_and_the_player_learn_who_is_free(
    start: Callable[..., Tournament], client: Client, alice: User, people: list[Player]
) -> None:
    event = start(now=timezone.now())
    free = waiting_names(event)
    assert len(free) == 3
    division, topic = event.divisions.get(), reverse("api-tournament-floor", args=[event.public_id])
    args = [event.club.slug, event.slug]
    pages = [
        topic,
        reverse("event-wall", args=args),
        reverse("event", args=args),
        reverse("embed-calls", args=args),
        reverse("division", args=[*args, division.public_id]),
        reverse("pairings", args=[*args, division.public_id]),
        reverse("api-batches", args=[division.public_id]),
    ]
    for page in pages:
        shown = client.get(page).content.decode()
        assert "Waiting for a table" not in shown, page
        assert "Free since" not in shown, page
    assert client.get(topic).json()["flows"] == []
    # Neither tables nor wall name anybody who is free; the frame has them in its standings, with all others.
    for page in pages[:3]:
        assert not [name for name in free if f"{name}<" in client.get(page).content.decode()], page
    client.force_login(alice)
    (flow,) = client.get(topic).json()["flows"]
    assert {row["name"] for row in flow["waiting"]} == set(free)


def waiting_names(event: Tournament) -> list[str]:
    """The names of the players who are free."""
    now = timezone.now()
    state = floor_state(load_facts(event, now), now)
    (flow,) = flows_of(event, state, now)
    return [row.entry.player.name for row in waiting_in(flow, state, now)]


@pytest.mark.slow
def test_who_has_lost_every_life_is_told_so(start: Callable[..., Tournament], by_alice: Actor, club: Club) -> None:
    night = Night(start(), by_alice)
    while all(lives_of(night).get(entry.pk, 0) for entry in Entry.objects.all()):
        night.step()
    (out,) = (row for row in Entry.objects.all() if not lives_of(night).get(row.pk))
    client = Client()
    client.force_login(account_of(out.player, "bob@example.org", club))
    page = text(html(client.get(reverse("my-matches"))))
    assert "You are out: you have no lives left." in page
    assert "being played" not in page


@pytest.mark.slow
def test_the_rules_can_be_changed_between_batches(start: Callable[..., Tournament], by_alice: Actor) -> None:
    night = Night(start(), by_alice)
    (stage,) = Stage.objects.all()
    acts: dict[str, Any] = {"stage": stage, "window": 3, "leader": Leader.WAITS, "by": by_alice, "now": night.now}
    change_flow(lead=1, switch_time=None, after=night.division.seq, **acts)
    entry = LogEntry.objects.get(verb="flow_changed")
    assert entry.params["changes"] == {"window": ["0", "3"], "lead": ["2", "1"], "leader": ["plays", "waits"]}
    with pytest.raises(Refused) as refused:
        change_flow(lead=2, switch_time=None, after=0, **acts)
    assert refused.value.code == "stale"
    night.play()
    assert Batch.objects.last().rule["lead"] == 1  # type: ignore[union-attr]


def test_the_published_first_pairs_do_not_mark_who_was_left_over(
    start: Callable[..., Tournament], client: Client, alice: User
) -> None:
    division = start(now=timezone.now()).divisions.get()
    url = reverse("api-draws", args=[division.public_id])
    (draw,) = client.get(url).json()["results"]
    assert len(draw["places"]) == 10
    assert all(place is not None for place in draw["places"])
    client.force_login(alice)
    (draw,) = client.get(url).json()["results"]
    assert len(draw["places"]) == 16


def test_a_personal_link_says_why_its_player_waits(start: Callable[..., Tournament], client: Client) -> None:
    event = start(now=timezone.now())
    free, playing = waiting_names(event)[0], OpenPairing.objects.select_related("entry__player")[0].entry.player
    link = client.get(path_for(event, Player.objects.get(name=free), 0))
    assert re.search(r"Free since \d\d:\d\d · 2 lives left", text(html(link)))
    other = client.get(path_for(event, playing, 0))
    assert "Free since" not in text(html(other))
    assert not re.search(rf"{free}\b", text(html(other))), "Member 1 may have drawn Member 12"


@pytest.mark.slow
def test_directors_read_in_the_summary_who_reported_late_or_fell_behind(
    start: Callable[..., Tournament], by_alice: Actor, alice: User, as_user: Callable[[User], Client]
) -> None:
    event = start(tables=6)
    night = Night(event, by_alice)
    first, *others = night.open()
    for fixture in (first, *others):
        begin(fixture=fixture, by=by_alice, now=NOON)
    set_running_score(fixture=first, score=(2, 1), by=by_alice, now=NOON + timedelta(minutes=10))
    url = reverse("event-report", args=[event.club.slug, event.slug])
    assert "Kept others waiting?" not in text(html(as_user(alice).get(url)))
    # The others play on, as far as the lead lets them, while the first match goes on.
    for minutes in range(15, 90, 5):
        night.now = NOON + timedelta(minutes=minutes)
        for fixture in night.open():
            if fixture.number != first.number:
                night.win(fixture, 0)
        call_ready(tournament_id=event.pk, now=night.now)
    night.win(first, 0)
    call_ready(tournament_id=event.pk, now=night.now + timedelta(minutes=9))
    page = text(html(as_user(alice).get(url)))
    names = [entry.player.name for slot in first.slots.all() if (entry := slot.entry) is not None]
    late = "up to 75 minutes from the last running score to the report"
    assert page.count(late) == 2
    assert all(page.index(name, page.index("Kept others waiting?")) < page.rindex(late) for name in names)
    assert "Kept others waiting?" not in text(html(Client().get(url)))


# "Is it over?"


def questions(fixture: Fixture) -> list[FloorEvent]:
    return list(FloorEvent.objects.filter(fixture=fixture, kind="asked", undone_by=None).order_by("pk"))


@pytest.mark.slow
def test_a_score_that_decides_a_match_asks_both_players_whether_it_is_over(
    start: Callable[..., Tournament], by_alice: Actor, alice: User, club: Club, as_user: Callable[[User], Client]
) -> None:
    event = start(now=timezone.now())
    fixture = Night(event, by_alice).open()[0]
    match = fixture.match
    assert match is not None
    first, second = (account_of(player, f"{side}@example.org", club) for side, player in enumerate(match.players))
    page = reverse("match", args=[match.public_id])
    client = as_user(first)
    client.post(reverse("match-running-score", args=[match.public_id]), {"score_0": 4, "score_1": 3})
    assert questions(fixture) == []
    assert "Is your match over?" not in text(html(client.get(page)))
    for _twice in range(2):
        client.post(reverse("match-running-score", args=[match.public_id]), {"score_0": 5, "score_1": 3})
    (asked,) = questions(fixture)
    assert asked.params == {"score": [5, 3], "side": 0}
    notified = Delivery.objects.filter(notification__kind="asked_over").values_list("notification__user", flat=True)
    assert set(notified) == {first.pk, second.pk}
    match.refresh_from_db()
    assert match.state == Match.State.OPEN, "it is a question, and no result"
    own, other = text(html(client.get(page))), text(html(as_user(second).get(page)))
    assert "Yes, report this score" in own
    assert "The score 3–5 was entered" in other, "with the reader's points first"
    assert "Yes, report this score" in text(html(client.get(reverse("my-matches"))))
    floor = floor_text(as_user(alice), event)
    assert f"Is M{fixture.number} over?" in floor
    assert "5–3 would decide it" in floor
    # A score that says it goes on answers the question.
    as_user(second).post(reverse("match-running-score", args=[match.public_id]), {"score_0": 4, "score_1": 4})
    assert "Is your match over?" not in text(html(client.get(page)))


@pytest.mark.slow
def test_a_match_a_point_from_the_end_is_asked_once_after_a_while(
    start: Callable[..., Tournament], by_alice: Actor
) -> None:
    night = Night(start(), by_alice)
    near, far = night.open()[:2]
    set_running_score(fixture=near, score=(4, 2), by=by_alice, now=NOON)
    set_running_score(fixture=far, score=(3, 2), by=by_alice, now=NOON)
    for minutes in (9, 10, 11, 30):
        call_ready(tournament_id=night.event.pk, now=NOON + timedelta(minutes=minutes))
        assert len(questions(near)) == (minutes >= 10)
    assert questions(far) == []
    set_running_score(fixture=near, score=(4, 3), by=by_alice, now=NOON + timedelta(minutes=31))
    call_ready(tournament_id=night.event.pk, now=NOON + timedelta(minutes=41))
    assert len(questions(near)) == 2, "another score is another question"


def test_a_director_asks_whether_a_match_is_over_lets_others_go_on_and_holds_the_pairing(
    start: Callable[..., Tournament], by_alice: Actor
) -> None:
    night = Night(start(), by_alice)
    match, stage = night.open()[0], Stage.objects.get(division=night.division)
    ask_whether_over(fixture=match, by=by_alice, now=NOON)
    assert len(questions(match)) == 1
    assert waive_lead(fixture=match, by=by_alice, now=NOON).fixture == match
    assert hold_pairing(stage=stage, held=True, by=by_alice, now=NOON) is not None
    assert hold_pairing(stage=stage, held=True, by=by_alice, now=NOON) is None
    assert hold_pairing(stage=stage, held=False, by=by_alice, now=NOON) is not None


def test_a_match_of_which_a_deciding_score_is_known_has_begun(
    start: Callable[..., Tournament], by_alice: Actor
) -> None:
    night = Night(start(), by_alice)
    fixture = night.open()[0]
    set_running_score(fixture=fixture, score=(5, 2), by=by_alice, now=NOON)
    with pytest.raises(Refused) as refused:
        undo_pairing(fixture=fixture, code="not_these_two", by=by_alice, now=NOON)
    assert refused.value.code == "pairing_begun"
    with pytest.raises(Refused) as refused:
        set_running_score(fixture=fixture, score=(5, 5), by=by_alice, now=NOON)
    assert refused.value.code == "result_both_reached"


# What directors set and stop by hand.


def by_hand(night: Night, first: Entry, second: Entry, **more: Any) -> Batch:
    stage = Stage.objects.get(number=1)
    acts: dict[str, Any] = {"after": night.division.seq, "by": night.by, "now": night.now, "reason": "Last train"}
    return pair_by_hand(stage=stage, first=first, second=second, **acts | more)


def have_met(first: Entry, second: Entry) -> bool:
    return Pairing.objects.filter(first__in=(first, second), second__in=(first, second)).exists()


@pytest.mark.slow
def test_a_director_pairs_two_who_are_free_with_a_public_reason(
    start: Callable[..., Tournament], by_alice: Actor, alice: User, client: Client, as_user: Callable[[User], Client]
) -> None:
    event = start(tables=6, now=timezone.now())
    night = Night(event, by_alice)
    night.now = timezone.now()
    for side, fixture in enumerate(night.open()[:2]):
        begin(fixture=fixture, by=by_alice, now=night.now)
        night.win(fixture, side)
    resting = [row.entry for row in waits(night) if row.code == "resting"]
    assert len(resting) == 4
    lives = lives_of(night)
    winner = next(row for row in resting if lives[row.pk] == 2)
    loser, met = sorted((row for row in resting if lives[row.pk] == 1), key=lambda row: have_met(row, winner))
    page = as_user(alice)
    floor = reverse("floor", args=[event.club.slug, event.slug])
    assert "Choose others" in text(html(page.get(floor)))
    assert "Choose others" not in text(html(client.get(floor))), "for directors only"
    data = {
        "stage": Stage.objects.get().public_id,
        "after": night.division.seq,
        "first": winner.public_id,
        "second": loser.public_id,
        "reason": "Last train",
    }
    against = reverse("floor-chosen-pair", args=[event.club.slug, event.slug])
    shown = text(html(page.get(against, data)))
    assert f"{winner.player.name} rests until" in shown
    assert f"{winner.player.name} has 2 lives left, {loser.player.name} 1." in shown
    assert "They have met in M" in text(html(page.get(against, data | {"second": met.public_id})))
    assert text(html(page.get(against, data | {"second": ""}))) == "", "only one is chosen"
    with transaction.atomic():
        Floor.objects.filter(tournament=event).delete()
        assert "No two players" in text(html(page.get(against, data))), "no floor is open"
        transaction.set_rollback(True)
    assert "two different players" in text(html(page.get(against, data | {"second": winner.public_id})))
    page.post(reverse("floor-action", args=[event.club.slug, event.slug, "pair-by-hand"]), data)
    pairing = Pairing.objects.get(batch__number=2)
    assert {pairing.first_id, pairing.second_id} == {winner.pk, loser.pk}
    assert pairing.reason == "Last train"
    assert pairing.why == [["manual", {}]]
    fixture = Fixture.objects.get(number=pairing.number)
    assert FloorEvent.objects.filter(fixture=fixture, kind="called").exists()
    assert list(differences(Selection.of())) == []


def test_a_pair_that_may_not_be_is_refused_even_by_hand(start: Callable[..., Tournament], by_alice: Actor) -> None:
    night = Night(start(tables=6), by_alice)
    (free,) = [row.entry for row in waits(night)]
    paired = night.open()[0].slots.get(side=0).entry
    assert paired is not None
    for second, code in ((free, "pair_is_one"), (paired, "not_free_to_pair")):
        with pytest.raises(Refused) as refused:
            by_hand(night, free, second)
        assert refused.value.code == code
    night.win(night.open()[0], 0)
    free, other, *_rest = [row.entry for row in waits(night)]
    for more, code in (({"reason": " "}, "reason_needed"), ({"after": 0}, "stale")):
        with pytest.raises(Refused) as refused:
            by_hand(night, free, other, **more)
        assert refused.value.code == code
    keep_apart(first=free, second=other, by=by_alice, now=night.now)
    with pytest.raises(Refused) as refused:
        by_hand(night, free, other)
    assert refused.value.code == "pair_not_allowed"
    check_in.mark(entry=free, state="away", by=by_alice, now=night.now, until=night.now + timedelta(hours=1))
    with pytest.raises(Refused) as refused:
        by_hand(night, free, other)
    assert refused.value.code == "not_free_to_pair"


@pytest.mark.slow
def test_a_night_with_a_pair_set_by_hand_can_be_verified(
    start: Callable[..., Tournament], by_alice: Actor, client: Client
) -> None:
    night = Night(start(), by_alice, seed=7)
    for _step in range(10):
        night.step()
    while len(free := [row.entry for row in waits(night)]) < 2 or len(night.open()) == 5:
        night.win(night.open()[0], 0)
    by_hand(night, free[0], free[1])
    night.play()
    assert list(differences(Selection.of())) == []
    assert verify(night, client) == ([], 1)


@pytest.mark.slow
def test_a_begun_match_of_somebody_who_is_out_can_be_stopped(
    misheard: tuple[Night, Fixture, Fixture, int], alice: User, as_user: Callable[[User], Client]
) -> None:
    night, first, paired, entry = misheard
    with pytest.raises(Refused) as refused:
        stop_match(fixture=paired, by=night.by, now=night.now)
    assert refused.value.code == "not_to_be_stopped"
    begin(fixture=paired, by=night.by, now=night.now)
    correct(night, first, 1)
    page = as_user(alice)
    assert f"plays M{paired.number} although out" in floor_text(page, night.event)
    opponent = paired.slots.exclude(entry=entry).get().entry_id
    assert opponent is not None
    lives = lives_of(night)[opponent]
    for _twice in range(2):
        stop_match(fixture=paired, by=night.by, now=night.now)
    assert Pairing.objects.get(number=paired.number).taken_back == Pairing.TakenBack.CORRECTION
    assert lives_of(night)[opponent] == lives
    assert opponent in [row.entry.pk for row in waits(night)]
    assert "although out" not in floor_text(page, night.event)
    assert list(differences(Selection.of())) == []
    night.play()
    assert list(differences(Selection.of())) == []


@pytest.fixture
def out_and_playing(misheard: tuple[Night, Fixture, Fixture, int]) -> tuple[Night, Fixture, Entry]:
    """A match that has begun and goes on although one of its players is out, and the other one."""
    return play_on_though_out(misheard)


def play_on_though_out(misheard: tuple[Night, Fixture, Fixture, int]) -> tuple[Night, Fixture, Entry]:
    """Begin the match of who is out, correct the first result, and return the match with the other player."""
    night, first, paired, entry = misheard
    begin(fixture=paired, by=night.by, now=night.now)
    night.now += timedelta(minutes=4)
    set_running_score(fixture=paired, score=(2, 1), by=night.by, now=night.now)
    correct(night, first, 1)
    night.now += timedelta(minutes=1)
    opponent = paired.slots.exclude(entry=entry).get().entry
    assert opponent is not None
    return night, paired, opponent


def undo_last(night: Night) -> str:
    act = last_act(night.event, night.by)
    assert act is not None
    return undo(tournament=night.event, act=act, by=night.by, now=night.now).undone_text


def derived(night: Night) -> list[str]:
    """Where everybody is: matches and tables, who is free and waits why, lives, and what is paired next.

    In lines to compare; the ids of matches are left out, since another one takes the place of an undone result.
    """
    event = Tournament.objects.prefetch_related("divisions__stages").get(pk=night.event.pk)
    state = floor_state(load_facts(event, night.now), night.now)
    fixtures = Fixture.objects.exclude(match__state=Match.State.VOID).order_by("pk")
    columns = ("number", "status", "match__state", "match__begun_at", "match__finished_at", "match__length")
    facts = [
        *state.facts.matches.values(),
        *state.matches.values(),
        *state.tables.values(),
        *((flow.pool, flow.decision, flow.granted, flow.held) for flow in flows_of(event, state, night.now)),
        (state.queue, state.suggestions, state.attention, state.pause, state.presence, state.facts.away),
        *fixtures.values_list(*columns),
        *Pairing.objects.filter(taken_back="").order_by("pk").values_list("number", "first", "second"),
        *OpenPairing.objects.order_by("entry").values_list("entry", "pairing__number"),
        *Entry.objects.order_by("pk").values_list("pk", "checked_in_at", "away_until", "status"),
    ]
    return [re.sub(r"match_id=\d+", "", repr(fact)) for fact in facts]


@pytest.mark.slow
def test_a_stopped_match_goes_on_once_that_is_undone(out_and_playing: tuple[Night, Fixture, Entry]) -> None:
    night, paired, _opponent = out_and_playing
    before = derived(night)
    for _again in range(2):
        stop_match(fixture=paired, by=night.by, now=night.now)
        assert derived(night) != before
        assert list(differences(Selection.of())) == []
        act = last_act(night.event, night.by)
        assert act is not None
        for _twice in range(2):
            undo(tournament=night.event, act=act, by=night.by, now=night.now)
        assert derived(night) == before
        assert list(differences(Selection.of())) == []
    night.win(night.open()[[row.number for row in night.open()].index(paired.number)], 0)
    night.play()
    assert list(differences(Selection.of())) == []


@pytest.mark.slow
def test_the_undo_of_a_stop_says_beforehand_what_it_does(
    out_and_playing: tuple[Night, Fixture, Entry], alice: User, as_user: Callable[[User], Client]
) -> None:
    night, paired, _opponent = out_and_playing
    page, api = as_user(alice), reverse("api-tournament-floor", args=[night.event.public_id])
    assert "Undo lets a stopped match go on." in floor_text(page, night.event)
    stop_match(fixture=paired, by=night.by, now=night.now)
    assert f"Undo: M{paired.number} " in floor_text(page, night.event)
    assert "The match goes on as it was." in floor_text(page, night.event)
    undoable = page.get(api).json()["undoable"]
    assert undoable["follows"] == "The match goes on as it was."
    assert paired.match is not None
    assert " – ".join(paired.match.names) in undoable["text"]
    url = reverse("api-tournament-floor-undo", args=[night.event.public_id])
    answer = page.post(url, {"act": undoable["act"]}, content_type="application/json")
    assert answer.status_code == 200, answer.content
    assert not Pairing.objects.get(number=paired.number).taken_back


def paired_again(night: Night, entry: Entry) -> Fixture:
    """Go on, without beginning another match, until an entry is paired; no other match ends for that."""
    for _minute in range(200):
        call_ready(tournament_id=night.event.pk, now=night.now)
        if (row := OpenPairing.objects.filter(entry=entry).select_related("pairing__fixture").first()) is not None:
            assert row.pairing.fixture is not None
            return row.pairing.fixture
        playing = [row for row in night.open() if row.number in night.ends]
        night.now += timedelta(minutes=1)
        if playing:
            night.win(playing[0], 0)
            night.now += timedelta(seconds=1)
    raise AssertionError("never paired again")


@pytest.mark.slow
def test_what_was_paired_since_a_stop_is_taken_back_unless_it_has_begun(
    out_and_playing: tuple[Night, Fixture, Entry], client: Client
) -> None:
    night, paired, opponent = out_and_playing
    stop_match(fixture=paired, by=night.by, now=night.now)
    act = last_act(night.event, night.by)
    night.now += timedelta(minutes=1)
    later = paired_again(night, opponent)
    assert act is not None
    night.now += timedelta(minutes=1)
    begun = begin(fixture=later, by=night.by, now=night.now)
    with pytest.raises(Refused) as refused:
        undo(tournament=night.event, act=act, by=night.by, now=night.now, in_order=False)
    assert refused.value.code == "stop_built_on"
    assert refused.value.params["later"] == later.number
    undo(tournament=night.event, act=UndoableAct(begun, later), by=night.by, now=night.now, in_order=False)
    undo(tournament=night.event, act=act, by=night.by, now=night.now, in_order=False)
    assert Pairing.objects.get(number=later.number).taken_back == Pairing.TakenBack.GOES_ON
    assert OpenPairing.objects.get(entry=opponent).pairing.number == paired.number
    assert list(differences(Selection.of())) == []
    night.ends[paired.number] = night.now + timedelta(minutes=20)
    night.play()
    assert list(differences(Selection.of())) == []
    assert verify(night, client) == ([], 0)


@pytest.mark.slow
def test_a_stopped_match_does_not_go_on_once_the_bracket_was_drawn_without_it(
    start: Callable[..., Tournament], by_alice: Actor
) -> None:
    night, paired, _opponent = play_on_though_out(mishear(Night(start(stages=SWITCH), by_alice, seed=5)))
    stop_match(fixture=paired, by=by_alice, now=night.now)
    act = last_act(night.event, by_alice)
    assert act is not None
    rules: dict[str, Any] = {"window": 0, "lead": 2, "leader": Leader.PLAYS, "by": by_alice, "now": night.now}
    first, second = Stage.objects.order_by("number")
    change_flow(stage=first, switch_time=at_clock(night.now), after=night.division.seq, **rules)
    while Stage.objects.get(pk=second.pk).status == Stage.Status.PLANNED:
        assert night.step()
    with pytest.raises(Refused) as refused:
        undo(tournament=night.event, act=act, by=by_alice, now=night.now, in_order=False)
    assert refused.value.code == "stop_before_bracket"
    night.play()
    assert Pairing.objects.get(number=paired.number).taken_back
    assert list(differences(Selection.of())) == []


@pytest.mark.slow
def test_no_page_speaks_of_rounds_or_draws_a_bracket_where_there_are_none(
    start: Callable[..., Tournament], client: Client, by_alice: Actor
) -> None:
    night = Night(start(), by_alice)
    for _moment in range(6):
        night.step()
    division, event = night.division, (night.event.club.slug, night.event.slug)
    urls = [
        reverse("standings", args=[*event, division.public_id]),
        reverse("standing", args=[*event, division.public_id, Entry.objects.order_by("pk")[0].public_id]),
        reverse("division", args=[*event, division.public_id]),
        reverse("paper-lists", args=[*event, "standings"]),
    ]
    for url in urls:
        page = text(html(client.get(url)))
        assert "Match 1: " in page or "paper" in url
        assert not re.search(r"\bRounds?\b", page), page
    for url in (reverse("paper-draws", args=event), reverse("embed-bracket", args=[*event, division.public_id])):
        assert "No bracket has been drawn yet." in text(html(client.get(url)))


@pytest.mark.slow
def test_a_preview_counts_lives(misheard: tuple[Night, Fixture, Fixture, int]) -> None:
    _night, first, _paired, _entry = misheard
    view = preview_view(preview_correction(fixture=first, new=ResultInput(1, (1, 5))))
    ((_title, changes),) = view.choices[-1].following.places
    places = [place for _name, *both in (*changes.shown, *changes.rest) for place in both]
    assert any(place.endswith(", 1 life left") for place in places)
    assert any(place.endswith(", 0 lives left") for place in places)


@pytest.mark.parametrize(("ahead", "is_begun"), [(0, True), (1, True), (1, False)])
def test_a_night_goes_on_when_the_clock_is_set_back(
    start: Callable[..., Tournament], by_alice: Actor, is_begun: bool, ahead: int
) -> None:
    """Results were entered, or all was done, while the clock was ahead by hours, as that of a Raspberry Pi may be."""
    clock = timedelta(hours=ahead)
    night = Night(start(now=NOON if is_begun else NOON + clock), by_alice)
    night.now += clock
    for _step in range(12):
        assert night.step()
    call_ready(tournament_id=night.event.pk, now=night.now)
    for fixture in night.open():
        night.win(fixture, 0)
    batches, minutes = Batch.objects.count(), 0
    while Batch.objects.count() == batches:
        minutes += 1
        call_ready(tournament_id=night.event.pk, now=night.now - clock + timedelta(minutes=minutes))
        assert minutes < 40, "nobody is paired any more"
