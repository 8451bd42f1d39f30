"""A night of lives without rounds, through the services: whoever is free plays, until one is left."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from engine.errors import Refused
from matches.lifecycle.finish import ResultInput
from matches.models import Result
from players.actors import Actor
from players.models import Club, Membership, Player, User
from tests.pages import html
from tests.tournaments.support.pages import text
from tournaments.floor.batches import pair_now
from tournaments.floor.calls import call_ready
from tournaments.floor.calls import start as begin
from tournaments.formats.graph import BYE
from tournaments.formats.settings import KNOCKOUT, LIVES, StageSettings
from tournaments.formats.settings import Pairing as Mode
from tournaments.formats.swiss.lives import lives_left
from tournaments.models import Batch, Division, Fixture, OpenPairing, Pairing, Stage, Tournament
from tournaments.pages.tonight import EveningPlan, start_evening, undo_start
from tournaments.results.services import enter_result
from tournaments.state.derivation import states_of
from tournaments.state.integrity import Selection, differences

pytestmark = pytest.mark.django_db
NOON = datetime.fromisoformat("2026-11-20T12:00:00+00:00")
FLOW = (StageSettings(LIVES, lives=2, lengths=(5,), pairing=Mode.CONTINUOUS),)


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
        going_on = self.open()
        for fixture in going_on:
            assert fixture.match is not None
            if fixture.match.begun_at is None:
                begin(fixture=fixture, by=self.by, now=self.now)
                self.ends[fixture.number] = self.now + timedelta(minutes=self.chance.randint(5, 50))
        if self.division.status == Division.Status.FINISHED:
            return False
        self.now += timedelta(minutes=1)
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


def test_a_night_switches_to_a_bracket(start: Callable[..., Tournament], by_alice: Actor) -> None:
    stages = (replace(FLOW[0], qualifiers=8), StageSettings(KNOCKOUT, lengths=(7,)))
    night = Night(start(stages=stages), by_alice, seed=3)
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
    assert page.count("Waits for a table.") == 2
    assert "13 0 0 out" in page
    (stage,) = Stage.objects.all()
    division = event.divisions.get()
    with pytest.raises(Refused) as refused:
        pair_now(stage=stage, after=division.seq, by=by_alice, now=timezone.now())
    assert refused.value.code == "nobody_to_pair"
