"""Random nights without rounds through the services: whatever happens, the facts stay in order, and can be verified.

Results are corrected, undone and done again; people leave, are away, come back and come late; directors take pairs
back, choose others and let nobody wait; the worker dies in the middle of a batch.
"""

import runpy
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from engine.errors import Refused
from formats.elimination.from_lives import PLACES
from formats.elimination.knockout import bracket_size
from formats.settings import SWISS, StageSettings, strict
from formats.settings import PairingMode as Mode
from formats.swiss.lives import lives_for_missed, lives_left
from matches.models import Result
from players.actors import Actor
from players.models import Player
from tests.tiers import TEST_SEED, TIER
from tests.tournaments.floor.test_batches import (
    FLOW,
    NOON,
    SCRIPT,
    SWITCH,
    Night,
    at_clock,
    by_hand,
    correct,
    people,
    start,
    verify,
    waits,
)
from tournaments.entries import check_in
from tournaments.entries.late import enter_late
from tournaments.entries.services import withdraw
from tournaments.floor.batches import pair_now
from tournaments.floor.by_hand import undo_pairing
from tournaments.floor.calls import call_ready
from tournaments.floor.hold_ups import waive_lead
from tournaments.models import (
    Batch,
    Correction,
    Division,
    Entry,
    Fixture,
    MissedMatch,
    OpenPairing,
    Pairing,
    Stage,
    Tournament,
)
from tournaments.results.corrections import undo_correction
from tournaments.state.derivation import states_of
from tournaments.state.integrity import Selection, differences

__all__ = ["people", "start"]
pytestmark = pytest.mark.django_db
LIVES = 2
MATCHES = 4
OUT_OF_ORDER = {
    # What a director may be refused, by the state of the night; nothing is written.
    "stale", "successor_begun", "correction_not_last", "same_result", "nobody_to_pair", "not_free_to_pair",
    "pair_not_allowed", "pairing_begun", "tournament_not_open", "too_late_for_lives", "joining_closed", "not_entered",
    "correction_undone", "division_finished", "already_entered", "bracket_follows", "match_waived", "not_a_pairing",
}  # fmt: skip


class WorkerDied(Exception):
    """Ends a transaction in the middle of a batch."""


class RandomNight(Night):
    """A night in which things happen between the results."""

    late = 0
    voided = 0
    most_lives = LIVES

    def step(self) -> bool:
        """Let something happen before a step; check the invariants after both."""
        if self.chance.random() < 0.5 and self.division.status != Division.Status.FINISHED:
            act = self.chance.choice(self.acts())
            with suppress_refusals():
                act()
            self.check()
        self.call_and_die()
        goes_on = super().step()
        self.check()
        return goes_on

    def acts(self) -> list[Callable[[], object]]:
        """What may happen; the more usual things are there more often."""
        often = [self.correct_one, self.undo_one, self.go_away, self.come_back]
        return [
            *often,
            *often,
            self.leave,
            self.come_late,
            self.take_back_one,
            self.choose,
            self.waive,
            self.pair_early,
        ]

    def call_and_die(self) -> None:
        """Let the worker die after what it has written and before it is committed: nothing stays of it."""
        if self.chance.random() < 0.2:
            before = Batch.objects.count()
            with suppress(WorkerDied), transaction.atomic():
                call_ready(tournament_id=self.event.pk, now=self.now)
                pairs = list(Pairing.objects.filter(batch__number__gt=before).values_list("first", "second"))
                raise WorkerDied
            call_ready(tournament_id=self.event.pk, now=self.now)
            assert list(Pairing.objects.filter(batch__number__gt=before).values_list("first", "second")) == pairs

    def correct_one(self) -> None:
        """Correct the winner of a match of the night."""
        settled = Fixture.objects.filter(stage__number=1, match__state="settled").select_related(
            "stage__division", "match"
        )
        fixture = self.chance.choice(list(settled))
        standing = Result.objects.filter(match=fixture.match).latest("version")
        assert standing.winner is not None
        correct(self, fixture, 1 - standing.winner)

    def undo_one(self) -> None:
        """Undo the last correction."""
        last = Correction.objects.order_by("-pk")[0]
        undo_correction(correction=last, after=self.division.seq, by=self.by, now=self.now)

    def entries(self, **of: object) -> list[Entry]:
        """Entries of the night that have not withdrawn."""
        rows = self.division.entries.exclude(status=Entry.Status.OUT).filter(**of).order_by("pk")
        return list(rows.select_related("player", "division"))

    def leave(self) -> None:
        """Somebody goes home, but not everybody."""
        if len(self.entries()) > 9:
            withdraw(entry=self.chance.choice(self.entries()), by=self.by, now=self.now, reason="Tired")

    def go_away(self) -> None:
        """Somebody goes out for a while."""
        until = self.now + timedelta(minutes=self.chance.randint(5, 60))
        check_in.mark(entry=self.chance.choice(self.entries()), state="away", by=self.by, now=self.now, until=until)

    def come_back(self) -> None:
        """Somebody says that they are here."""
        check_in.mark(entry=self.chance.choice(self.entries()), state="here", by=self.by, now=self.now)

    def come_late(self) -> None:
        """Somebody enters late."""
        if self.late < 2:
            self.late += 1
            latecomer = Player.objects.create(name=f"Late {self.late}")
            enter_late(division=self.division, players=[latecomer], by=self.by, now=self.now)

    def take_back_one(self) -> None:
        """A pair is not to be."""
        fixture = self.chance.choice(self.open())
        undo_pairing(fixture=fixture, code="not_these_two", by=self.by, now=self.now)

    def choose(self) -> None:
        """A director chooses two of those who wait."""
        free = [row.entry for row in waits(self)]
        if len(free) > 1:
            by_hand(self, *self.chance.sample(free, 2))

    def waive(self) -> None:
        """Nobody is to wait for a match."""
        waive_lead(fixture=self.chance.choice(self.open()), by=self.by, now=self.now)

    def pair_early(self) -> None:
        """A director pairs before it is due."""
        stage = Stage.objects.get(number=1)
        pair_now(stage=stage, after=self.division.seq, by=self.by, now=self.now, reason="The bar closes")

    def check(self) -> None:
        """Recompute from the facts what must hold after every event."""
        assert list(differences(Selection.of())) == []
        playing = Counter(OpenPairing.objects.values_list("entry", flat=True))
        assert all(count == 1 for count in playing.values()), "in two open pairings"
        assert OpenPairing.objects.count() == 2 * self.open_pairings()
        for batch in Batch.objects.all():
            left = {entry: lives for entry, lives, _begun, _since in batch.pool}
            assert all(lives > 0 for lives in left.values())
            assert batch.pairings.count() <= batch.room
        state = states_of(self.division)[0]
        assert state.event is not None
        known = lives_left(state.event, self.most_lives)
        assert known == self.lives()
        if self.division.status == Division.Status.FINISHED:
            return
        if Stage.objects.get(number=1).status != Stage.Status.RUNNING:
            return
        waiting = [row.entry.pk for row in waits(self)]
        assert len(waiting) == len(set(waiting))
        assert set(waiting) == set(known) - set(playing)
        assert all(row.code for row in waits(self))

    def open_pairings(self) -> int:
        """The pairings whose match goes on."""
        rows = Pairing.objects.filter(taken_back="").select_related("fixture__match")
        return sum(row.fixture is not None and row.fixture.status == "ready" for row in rows)

    def lives(self) -> dict[int, int]:
        """The lives of everybody who is in, from nothing but results, missed matches and withdrawals."""
        losses = Counter[int]()
        for row in Pairing.objects.filter(taken_back="").select_related("fixture"):
            standing = Result.objects.filter(match=row.fixture.match_id).order_by("version").last()
            if standing is not None and standing.winner is not None:
                losses[(row.first_id, row.second_id)[1 - standing.winner]] += 1
        in_turn, by_lot = Counter[int](), Counter[int]()
        for absence in MissedMatch.objects.filter(taken_back_at=None):
            (by_lot if absence.by_lot else in_turn)[absence.entry_id] += absence.count
        seed = bytes.fromhex(Stage.objects.get(number=1).seed)
        left = {
            entry.pk: self.most_lives
            - losses[entry.pk]
            - lives_for_missed(in_turn[entry.pk], by_lot[entry.pk], seed=seed, person=entry.pk)
            for entry in self.entries()
        }
        return {entry: lives for entry, lives in left.items() if lives > 0}


class RandomSwiss(RandomNight):
    """The same in a Swiss; a second goes by before anything happens."""

    def step(self) -> bool:
        """Let time go by, so that what happens has an order."""
        self.now += timedelta(seconds=1)
        return super().step()

    def check(self) -> None:
        """Recompute from the facts what must hold after every event."""
        assert list(differences(Selection.of())) == []
        playing = Counter(OpenPairing.objects.values_list("entry", flat=True))
        assert all(count == 1 for count in playing.values()), "in two open pairings"
        met = [frozenset(pair) for pair in Pairing.objects.filter(taken_back="").values_list("first", "second")]
        assert len(met) == len(set(met)), "nobody meets anybody twice"
        played = Counter(entry for pair in met for entry in pair)
        assert all(count <= MATCHES for count in played.values())


@contextmanager
def suppress_refusals() -> Iterator[None]:
    """Let a director be refused, by a code that is expected."""
    try:
        yield
    except Refused as refused:
        if refused.code not in OUT_OF_ORDER:
            raise
    except IndexError:
        pass  # nothing of the kind is there


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("number", range(TIER.nights))
def test_a_random_night_stays_in_order_and_can_be_verified(
    start: Callable[..., Tournament], by_alice: Actor, client: Client, number: int
) -> None:
    tables = Random(number).choice([3, 5, 7])
    stages = (strict(FLOW[0]) if number % 2 else FLOW[0],)
    night = RandomNight(start(tables=tables, stages=stages), by_alice, seed=1000 * TEST_SEED + number)
    night.play()
    assert len(night.lives()) == 1
    faults, _unchecked = verify(night, client)
    assert faults == []


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("number", range(TIER.nights))
def test_a_random_night_switches_by_the_clock(
    start: Callable[..., Tournament], by_alice: Actor, client: Client, number: int
) -> None:
    chance = Random(f"switch {TEST_SEED} {number}")
    lives, switch = (4, 5)[number % 2], NOON + timedelta(minutes=chance.randint(30, 90))
    stages = (replace(SWITCH[0], lives=lives, switch_time=at_clock(switch)), SWITCH[1])
    night = RandomNight(start(tables=5, stages=stages), by_alice, seed=1000 * TEST_SEED + number)
    night.most_lives = lives
    while Stage.objects.get(number=1).status == Stage.Status.RUNNING:
        assert night.step()
    assert not Batch.objects.filter(at__gte=switch).exists()
    needed = sum(PLACES[left] for left in night.lives().values())
    bracket = states_of(night.division)[1].progress.graph.bracket("main")
    assert 2 * len(bracket.rounds[0].fixtures) == bracket_size(needed)
    # The rest is a knockout, in which nothing else happens.
    while Night.step(night):
        pass
    assert list(differences(Selection.of())) == []
    faults, _unchecked = verify(night, client)
    assert faults == []
    data = client.get(reverse("api-batches", args=[night.division.public_id])).json()
    last = [event for event in data["events"] if event["kind"] == "batch"][-1]
    assert datetime.fromisoformat(last["switch_at"]) == switch
    last["switch_at"] = last["at"]
    faults, _unchecked = runpy.run_path(str(SCRIPT))["verify"](data)
    assert faults == [f"Batch {last['number']} was made after the time for the bracket."]


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("number", range(TIER.nights))
def test_a_random_swiss_stays_in_order_and_can_be_verified(
    start: Callable[..., Tournament], by_alice: Actor, client: Client, number: int
) -> None:
    stages = (StageSettings(SWISS, rounds=MATCHES, lengths=(5,), pairing=Mode.CONTINUOUS),)
    night = RandomSwiss(start(tables=Random(number).choice([3, 5, 7]), stages=stages), by_alice, seed=number)
    night.play()
    faults, unchecked = verify(night, client)
    assert faults == []
    assert unchecked < Batch.objects.count(), "some batches are checked"
