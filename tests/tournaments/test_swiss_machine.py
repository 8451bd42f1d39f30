"""Whole events of random results, late entries, withdrawals, byes and corrections: what always holds."""

from random import Random

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from formats.settings import StageSettings
from formats.swiss.event import PAIRING_BYES
from matches.lifecycle.finish import ResultInput
from players.actors import SYSTEM
from players.models import Club, Player
from tests.event_cast import NOON
from tests.integrity import differences_left
from tests.tiers import TIER
from tests.tournaments.support.swiss_rounds import DivisionDriver, is_clean, pairs_of
from tournaments.draws import rounds as round_services
from tournaments.events import services as events
from tournaments.models import Entry, Fixture, Stage
from tournaments.results import services as results
from tournaments.state.derivation import states_of

pytestmark = pytest.mark.django_db(transaction=False)

DEEDS = ("late", "withdraw", "return", "half", "requested", "correct", "nothing")
hurried = settings(
    max_examples=TIER.swiss,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


class World(DivisionDriver):
    """An event in which things happen between and during its rounds."""

    def __init__(self, seed: int, count: int, *stages: StageSettings) -> None:
        self.chance = Random(seed)
        mark = f"{seed}-{count}-{Club.objects.count()}"
        club = Club.objects.create(name=f"Harbour {mark}", slug=f"harbour-{mark}", time_zone="Europe/Copenhagen")
        event = events.create_tournament(club=club, by=SYSTEM, now=NOON, name="Open", starts_at=NOON)
        super().__init__(events.create_division(tournament=event, by=SYSTEM, now=NOON, name="Main"), SYSTEM)
        self.enter([Player.objects.create(name=f"Player {number}") for number in range(count)])
        self.begin(*stages)
        self.seen: dict[tuple[int, int], list[int | None]] = {}

    def one_in(self) -> Entry | None:
        rows = list(self.division.entries.filter(status=Entry.Status.IN))
        return self.chance.choice(rows) if len(rows) > 3 else None

    def do(self, deed: str) -> None:
        """One of the deeds, as far as it can be done now."""
        stage, event = self.division.stages.get(number=1), states_of(self.division)[0].event
        last_is_paired = event is None or event.planned is None or event.next_round > event.planned
        if stage.status == Stage.Status.FINISHED:
            return
        entry = self.one_in()
        if deed == "late" and not last_is_paired:
            self.late(Player.objects.create(name="Late"))
        elif deed == "withdraw" and entry is not None:
            self.withdraw(entry)
        elif deed == "return" and not last_is_paired:
            gone = self.division.entries.filter(status=Entry.Status.OUT).first()
            if gone is not None:
                self.late(gone.player)
        elif deed in ("half", "requested") and entry is not None and not last_is_paired:
            round_services.request_bye(
                entry=entry, round_number=event.next_round, kind=deed, by=self.by, now=self.now()
            )
        elif deed == "correct":
            self.correct()

    def correct(self) -> None:
        done = Fixture.objects.filter(stage__division=self.division, stage__number=1, match__state="settled")
        rows = list(done.select_related("stage").order_by("number"))
        if rows:
            row = self.chance.choice(rows)
            winner = self.chance.randrange(2)
            score = (7, 1) if winner == 0 else (1, 7)
            results.enter_result(fixture=row, result=ResultInput(winner, score), by=self.by, now=self.now())

    def check(self) -> None:
        """Everything stored follows from the facts, and no paired round is another one than it was."""
        assert is_clean(self.division)
        for stage in self.division.stages.all():
            for draw in self.rounds(stage.number):
                assert self.seen.setdefault((stage.number, draw.round), draw.places) == draw.places
                placed = [place for place in draw.places if place is not None]
                assert len(placed) == len(set(placed)), "nobody twice in a round"


def play(world: World, deeds: list[str]) -> None:
    """Deeds between the results of each round, until all is over or a round cannot be paired."""
    todo = list(deeds)
    for _ in range(80):
        ready = world.ready()
        for at, fixture in enumerate(ready):
            fixture.refresh_from_db()
            if fixture.status == Fixture.Status.READY:
                world.report(fixture, world.chance.randrange(2))
            if todo and at % 3 == 0:
                world.do(todo.pop())
        if todo:
            world.do(todo.pop())
        world.check()
        if not world.work() and not world.ready():
            assert differences_left() == []
            return
    raise AssertionError("it does not end")


@pytest.mark.slow
@hurried
@given(st.integers(0, 10**6), st.integers(4, 13), st.integers(2, 4), st.lists(st.sampled_from(DEEDS), max_size=12))
@example(7, 5, 4, ["half", "withdraw", "late", "return", "correct"])
def test_in_a_swiss_nobody_meets_twice_or_has_a_second_given_bye(
    seed: int, count: int, rounds: int, deeds: list[str]
) -> None:
    world = World(seed, count, StageSettings("swiss", rounds=rounds, missed_points=0.5))
    play(world, deeds)

    (state,) = states_of(world.division)
    assert state.event is not None
    assert state.event.rounds
    assert all(len(numbers) == 1 for numbers in state.event.meetings.values())
    assert all(byes <= 1 for byes in state.event.pairing_byes.values())
    refused = [draw for draw in world.draw_of(state.event.next_round) if draw.refusal]
    # Either it was played to its end, or the director was told why not.
    assert state.over or refused
    for draw in world.rounds():
        byes_now = [kind for kind in draw.byes.values() if kind in PAIRING_BYES]
        assert len(byes_now) <= 1
        assert {str(first) for first, second in pairs_of(draw) if second is None} == set(draw.byes)


@pytest.mark.slow
@hurried
@given(st.integers(0, 10**6), st.integers(3, 9), st.integers(2, 3), st.lists(st.sampled_from(DEEDS), max_size=8))
def test_lives_end_with_one_and_no_second_bye_comes_before_a_first(
    seed: int, count: int, lives: int, deeds: list[str]
) -> None:
    world = World(seed, count, StageSettings("lives", lives=lives))
    play(world, [deed for deed in deeds if deed in ("withdraw", "nothing")])

    (state,) = states_of(world.division)
    assert state.over
    had: dict[int, int] = {}
    for draw in world.rounds():
        for name in draw.byes:
            entry = int(name)
            assert had.get(entry, 0) <= min(had.get(place, 0) for place in draw.places if place is not None)
            had[entry] = had.get(entry, 0) + 1


@pytest.mark.slow
@hurried
@given(st.integers(0, 10**6), st.integers(9, 14), st.lists(st.sampled_from(DEEDS), max_size=6))
def test_the_best_go_on_to_a_knockout_that_begins_by_itself(seed: int, count: int, deeds: list[str]) -> None:
    world = World(seed, count, StageSettings("swiss", rounds=3, qualifiers=4), StageSettings("knockout"))
    play(world, deeds)

    world.division.refresh_from_db()
    assert world.division.status == "finished"
    assert [stage.status for stage in world.division.stages.all()] == [Stage.Status.FINISHED] * 2
