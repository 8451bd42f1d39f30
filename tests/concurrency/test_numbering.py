"""Two divisions of an event number matches at once: no number is given twice, and neither deadlocks."""

from functools import partial
from typing import Any

from formats.settings import StageSettings
from tests.concurrency.event import POSTGRESQL_ONLY, EventBuilder
from tests.concurrency.racing import at_once, faults, without_locks
from tests.tournaments.support.swiss_rounds import DivisionDriver as Rounds
from tests.tournaments.support.swiss_rounds import is_clean
from tournaments.draws import services as draws
from tournaments.models import Fixture, Tournament

pytestmark = POSTGRESQL_ONLY
RACES = 5


def publish_two(builder: EventBuilder) -> list[Any]:
    event = builder.event()
    divisions = [builder.drafted(8, event), builder.drafted(6, event)]
    publish = partial(draws.publish_draw, **builder.acts)
    return at_once(*(partial(publish, division=division, after=division.seq) for division in divisions))


def numbers_given_twice() -> int:
    rows = Fixture.objects.values_list("stage__division__tournament", "number")
    return len(rows) - len(set(rows))


def test_two_divisions_published_at_once_share_no_number(builder: EventBuilder) -> None:
    for _ in range(RACES):
        assert faults(publish_two(builder)) == []
    assert Fixture.objects.count() == RACES * (7 + 7)
    assert numbers_given_twice() == 0


def test_control_without_the_lock_of_the_event_numbers_are_given_twice(builder: EventBuilder) -> None:
    with without_locks(Tournament, before=Tournament):
        outcomes = publish_two(builder)
    assert faults(outcomes) == []
    assert numbers_given_twice() > 0


def last_round_twice(builder: EventBuilder) -> tuple[Rounds, Rounds]:
    """Two divisions of an event, each one result short of its second stage."""
    event = builder.event()
    pair = []
    for number in range(2):
        division = builder.drafted(4, event)
        division.stages.get().draws.all().delete()
        rounds = Rounds(division, builder.alice)
        rounds.begin(StageSettings("swiss", rounds=1, qualifiers=2), StageSettings("knockout"))
        first, *_rest = rounds.ready()
        rounds.report(first, number)
        pair.append(rounds)
    return pair[0], pair[1]


def test_two_stages_that_begin_at_once_get_different_numbers_and_both_begin(builder: EventBuilder) -> None:
    for _ in range(RACES):
        pair = last_round_twice(builder)
        outcomes = at_once(*(partial(rounds.report, rounds.ready()[0], 0) for rounds in pair))
        assert faults(outcomes) == []
        for rounds in pair:
            assert Fixture.objects.filter(stage__division=rounds.division, stage__number=2).count() == 1
            assert is_clean(rounds.division)
    assert numbers_given_twice() == 0


def test_two_divisions_that_end_at_once_end_the_event(builder: EventBuilder) -> None:
    for _ in range(RACES):
        event = builder.event()
        pair = [Rounds(builder.drawn(2, event), builder.alice) for _twice in range(2)]
        assert faults(at_once(*(partial(rounds.report, rounds.ready()[0], 0) for rounds in pair))) == []
        event.refresh_from_db()
        assert event.status == Tournament.Status.FINISHED
