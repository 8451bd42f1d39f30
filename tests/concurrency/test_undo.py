"""Undoing a result while it is settled, twice at once, and by two directors at once."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial

from matches.lifecycle.finish import ResultInput
from matches.models import Match, Result
from players.actors import Actor
from players.models import User
from tests.concurrency.event import POSTGRESQL_ONLY, EventBuilder, fixtures
from tests.concurrency.racing import at_once, faults, refusals
from tests.event_cast import NOON
from tournaments.floor.undo import UndoableAct, last_act, undo
from tournaments.models import Division, Fixture, Slot
from tournaments.results import services as results
from tournaments.state.integrity import differences
from tournaments.state.settle import settle_division

pytestmark = POSTGRESQL_ONLY
RACES = 4
FIVE_SECONDS = timedelta(seconds=5)
DUE = NOON + FIVE_SECONDS


def enter(builder: EventBuilder, fixture: Fixture, by: Actor | None = None) -> UndoableAct:
    """Enter a result that waits, and return it as an act."""
    acts = builder.acts | ({"by": by} if by is not None else {})
    results.enter_result(fixture=fixture, result=ResultInput.played((1, 0)), settle_after=FIVE_SECONDS, **acts)
    act = last_act(fixture.stage.division.tournament, acts["by"])
    assert act is not None
    return act


def undoing(
    builder: EventBuilder, division: Division, act: UndoableAct, by: Actor | None = None
) -> Callable[[], UndoableAct]:
    acts = builder.acts | ({"by": by} if by is not None else {})
    return partial(undo, tournament=division.tournament, act=act, **acts)


def test_a_result_is_undone_and_settled_at_once(builder: EventBuilder) -> None:
    for _ in range(RACES):
        division = builder.drawn(8)
        first = fixtures(division)[0]
        act = enter(builder, first)
        settling = partial(settle_division, division_id=division.pk, match_id=first.match_id, now=DUE)
        outcomes = at_once(undoing(builder, division, act), settling)
        assert faults(outcomes) + refusals(outcomes) == []
        row = Fixture.objects.select_related("match").get(pk=first.pk)
        assert row.match is not None
        assert row.match.state == Match.State.OPEN
        assert not Match.objects.filter(unsettled=True).exists()
        following = Slot.objects.filter(source=Slot.Source.WINNER, source_fixture=first.number)
        assert not following.filter(fixture__stage=first.stage, entry__isnull=False).exists()
        assert list(differences()) == []


def test_the_same_undo_twice_at_once_takes_back_one_act(builder: EventBuilder) -> None:
    for _ in range(RACES):
        division = builder.drawn(8)
        first, second = fixtures(division)[:2]
        enter(builder, first)
        act = enter(builder, second)
        outcomes = at_once(*[undoing(builder, division, act)] * 2)
        assert faults(outcomes) + refusals(outcomes) == []
        assert Result.objects.filter(match__parent_topic=division.topic, kind=Result.Kind.VOID).count() == 1
        assert list(differences()) == []


def test_two_directors_undo_their_own_at_once(builder: EventBuilder, bob: User) -> None:
    for _ in range(RACES):
        division = builder.drawn(8)
        first, second = fixtures(division)[:2]
        own, other = enter(builder, first), enter(builder, second, Actor.of(bob))
        outcomes = at_once(undoing(builder, division, own), undoing(builder, division, other, Actor.of(bob)))
        assert faults(outcomes) + refusals(outcomes) == []
        states = Fixture.objects.filter(pk__in=[first.pk, second.pk]).values_list("match__state", flat=True)
        assert list(states) == [Match.State.OPEN] * 2
        assert list(differences()) == []
