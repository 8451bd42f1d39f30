"""The first result of a match is taken as a step, which reads and writes only what that result changes.

The whole division settled afterwards has nothing left to write, so both are the same.
"""

import random
from collections.abc import Callable

import pytest
from django.db import transaction
from django.db.models import Q

from formats.settings import StageSettings
from matches.lifecycle.finish import ResultInput
from matches.models import Match
from matches.reporting import reports
from players.actors import Actor
from players.models import Player
from tests.event_cast import NOW
from tests.tiers import first_in_make_test
from tests.tournaments.support.drawn_divisions import DivisionBuilder
from tests.tournaments.support.played_stages import STAGES, drawn_as, play, ready
from tests.tournaments.support.rows_read import rows_read
from tournaments.entries import services as entries
from tournaments.match_events import settle_after_result
from tournaments.models import Division, Draw, Fixture
from tournaments.results import services as results
from tournaments.state.integrity import differences
from tournaments.state.locks import lock_division
from tournaments.state.settle import settle, step_of

pytestmark = pytest.mark.django_db

FORMATS = {
    **STAGES,
    "second final": [StageSettings("double", second_final=True)],
    "swiss published at once": [StageSettings("swiss", rounds=3, next_round="publish")],
    "swiss on request": [StageSettings("swiss", rounds=3, next_round="ask")],
}
STEPPING = set(FORMATS) - {"groups", "swiss then final", "lives"}
"""Of the others, the first stage has places that are entrants of the next one, and a life lost may do more."""

LATE_DRAWN = ("progressive", "double", "second final")
"""Where byes are, their lower rounds are drawn when the entrants are known, which depends on every result."""


@pytest.fixture
def builder(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> DivisionBuilder:
    return DivisionBuilder(make_division, make_players, by_alice)


def is_step(fixture: Fixture) -> bool:
    with transaction.atomic():
        return step_of(lock_division(fixture.stage.division_id), Q(pk=fixture.pk), after_version=0) is not None


def whole(division: Division) -> tuple[list[int], list[Match], int]:
    """Settle the whole division; return what that changed, and how many drafts there are."""
    with transaction.atomic():
        changed = settle(lock_division(division.pk), now=NOW)
    return changed.fixtures, changed.opened, Draw.objects.count()


def enter(fixture: Fixture, winner: int, by: Actor) -> None:
    score = (7, 3) if winner == 0 else (3, 7)
    results.enter_result(fixture=fixture, result=ResultInput(winner, score), by=by, now=NOW)


@pytest.mark.parametrize("players", first_in_make_test(5, 8, 11))
@pytest.mark.parametrize("name", FORMATS)
def test_a_step_leaves_nothing_to_settle(
    name: str, players: int, builder: DivisionBuilder, by_alice: Actor, make_players: Callable[[int], list[Player]]
) -> None:
    """Also with a withdrawal, after which some results are no steps."""
    chance, steps = random.Random(f"{name} {players}"), 0
    division = drawn_as(builder.make_division(match_length=7), FORMATS[name], make_players(players), by_alice)
    for number in range(200):
        play(division, by_alice, chance, most=0)  # pairs the next round
        todo = ready(division)
        if not todo:
            break
        fixture = chance.choice(todo)
        steps += is_step(fixture)
        enter(fixture, chance.randrange(2), by_alice)
        drafts = Draw.objects.count()
        assert whole(division) == ([], [], drafts)
        if number == players // 2:
            entry = chance.choice(division.entries.filter(withdrawn_at=None).order_by("pk"))
            entries.withdraw(entry=entry, by=by_alice, now=NOW)
    assert not list(differences())
    division.refresh_from_db()
    assert division.status == Division.Status.FINISHED or "swiss" in name, (
        "a round of a swiss may be impossible to pair"
    )
    assert steps > 0 or name not in STEPPING or (name in LATE_DRAWN and players != 8)


@pytest.mark.parametrize("name", ["knockout", "double", "swiss"])
def test_a_result_reads_no_more_rows_in_a_larger_field(name: str, builder: DivisionBuilder, by_alice: Actor) -> None:
    most = {}
    for players in (16, 64):
        division = builder.drawn(players, *FORMATS[name], name=f"{players} players")
        first, second = ready(division)[:2]
        enter(first, 0, by_alice)
        with rows_read() as counts:
            enter(second, 1, by_alice)
        most[players] = max(counts)
    assert most[64] <= most[16] <= 6


def test_the_last_result_of_a_swiss_round_reads_no_more_either(builder: DivisionBuilder, by_alice: Actor) -> None:
    division = builder.drawn(32, *FORMATS["swiss"])
    *others, last = ready(division)
    for fixture in others:
        enter(fixture, 0, by_alice)
    with rows_read() as counts:
        enter(last, 0, by_alice)
    assert max(counts) <= 2
    assert Draw.objects.filter(stage__division=division, round=2, state=Draw.State.REQUESTED).count() == 1


def test_a_confirmed_report_is_a_step_too(builder: DivisionBuilder, by_alice: Actor) -> None:
    division = builder.drawn(16, *FORMATS["knockout"])
    first, second = ready(division)[:2]
    enter(first, 0, by_alice)
    match = second.match
    assert match is not None
    reports.report_score(match=match, side=0, report=reports.ScoreReport(0, (7, 3)), by=Actor.link(0), now=NOW)
    reports.confirm(match=match, side=1, by=Actor.link(1), now=NOW)
    with rows_read() as counts:
        settle_after_result(sender=Match, match_id=match.pk)
    assert max(counts) <= 4
    match.refresh_from_db()
    assert not match.unsettled
    assert whole(division)[:2] == ([], [])


def test_a_result_after_a_correction_settles_the_whole_division(builder: DivisionBuilder, by_alice: Actor) -> None:
    """The match of Bob and Carol may come back, so more than a step follows."""
    division = builder.drawn(8, *FORMATS["knockout"])
    first, second = ready(division)[:2]
    enter(first, 0, by_alice)
    enter(second, 0, by_alice)
    following = Fixture.objects.get(stage__division=division, status="ready", round__number=2)
    enter(following, 0, by_alice)
    third, fourth = ready(division)[:2]
    enter(third, 0, by_alice)
    assert is_step(fourth)
    Fixture.former.through.objects.create(
        fixture=Fixture.objects.get(stage__division=division, number=following.number + 1), match=first.match
    )
    assert not is_step(fourth)


def test_a_result_that_is_not_settled_is_settled_with_the_next(builder: DivisionBuilder, by_alice: Actor) -> None:
    division = builder.drawn(8, *FORMATS["knockout"])
    first, second = ready(division)[:2]
    Match.objects.filter(pk=first.match_id).update(unsettled=True)
    assert not is_step(second)


def test_a_cancelled_division_takes_no_step(builder: DivisionBuilder, by_alice: Actor) -> None:
    division = builder.drawn(8, *FORMATS["knockout"])
    fixture = ready(division)[0]
    assert is_step(fixture)
    Division.objects.update(status=Division.Status.CANCELLED)
    assert not is_step(fixture)
