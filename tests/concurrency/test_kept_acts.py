"""What two desks kept arrives at once, or while somebody enters the same online: one of them counts, nothing hangs."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

from matches.lifecycle.finish import ResultInput
from matches.models import Result
from players.actors import Actor
from players.kept.acts import SentAct
from players.kept.outboxes import OutboxKey, Sending, receive
from players.models import KeptAct, Outbox
from tests.concurrency.event import POSTGRESQL_ONLY, EventBuilder, fixtures
from tests.concurrency.racing import at_once, faults, refusals
from tests.event_cast import NOON
from tournaments.floor import calls, evening
from tournaments.floor.kept.arrival import arrival_at
from tournaments.models import Division, Fixture, FloorEvent, FloorKind
from tournaments.results import services as results
from tournaments.state.integrity import differences

pytestmark = POSTGRESQL_ONLY
RACES = 4
KEYS = ("k7m2p9x4qbk7m2p9x4qbk7", "7kbq4x9p2m7kbq4x9p2m7k")


def hall_of(builder: EventBuilder) -> tuple[Division, list[Fixture]]:
    """A division of eight that is drawn, at three tables."""
    builder.other_people()
    division = builder.drawn(8)
    division.tournament.tables = 3
    division.tournament.save()
    evening.open_floor(tournament=division.tournament, **builder.acts)
    return division, fixtures(division)


def sent(division: Division, key: str, by: Actor, *acts: tuple[str, Fixture, dict[str, Any]]) -> Callable[[], Outbox]:
    """Return what lets acts about matches arrive from an outbox."""
    event, ms = division.tournament, int(NOON.timestamp()) * 1000
    rows = [
        SentAct(
            number, action, fields, ms, 0, datetime.fromtimestamp(ms / 1000, UTC), fixture=fixture.public_id,
            pair=tuple(fixture.slots.order_by("side").values_list("entry__public_id", flat=True)),
            content={"n": number, "action": action, "fields": fields, "fixture": fixture.public_id},
        )
        for number, (action, fixture, fields) in enumerate(acts, start=1)
    ]  # fmt: skip
    box = OutboxKey(event.topic, key, event.club)
    return partial(receive, box, rows, Sending(by, ms), arrival_at(event), NOON)


def outcomes_of(division: Division) -> list[str]:
    rows = KeptAct.objects.filter(outbox__topic=division.tournament.topic)
    return sorted(f"{outcome} {code}".strip() for outcome, code in rows.values_list("outcome", "code"))


def test_two_outboxes_have_the_same_result(builder: EventBuilder) -> None:
    for _ in range(RACES):
        division, (first, *_rest) = hall_of(builder)
        result = ("result", first, {"winner": 0, "points": 0})
        assert faults(at_once(*(sent(division, key, builder.acts["by"], result) for key in KEYS))) == []
        assert outcomes_of(division) == ["already", "done"]
        assert Result.objects.filter(match=first.match).count() == 1


def test_a_kept_result_and_another_one_that_is_entered_online(builder: EventBuilder) -> None:
    for _ in range(RACES):
        division, (first, *_rest) = hall_of(builder)
        kept = sent(division, KEYS[0], builder.acts["by"], ("result", first, {"winner": 0, "points": 0}))
        assert first.match is not None
        other = ResultInput.played((0, first.match.length))
        online = partial(results.enter_result, fixture=first, result=other, after=0, **builder.acts)
        answers = at_once(kept, online)
        assert faults(answers) == []
        stands = Result.objects.get(match=first.match)  # one, whichever was first
        expected = ("differs other_result", []) if stands.winner == 1 else ("done", ["stale"])
        assert (outcomes_of(division)[0], refusals(answers)) == expected


def test_results_starts_and_all_starts_at_once_do_not_wait_for_each_other(builder: EventBuilder) -> None:
    """A result locks the floor as well, since "All called have started" locks matches without their division."""
    for _ in range(RACES):
        division, (first, second, third, *_rest) = hall_of(builder)
        for fixture, table in zip((first, second), division.tournament.floor_tables.all(), strict=False):
            calls.call(fixture=fixture, table=table, **builder.acts)
        by = builder.acts["by"]
        acts: list[Callable[[], Any]] = [
            sent(division, KEYS[0], by, ("result", second, {"winner": 0, "points": 0}), ("start", third, {})),
            sent(division, KEYS[1], by, ("result", first, {"winner": 1, "points": 0}), ("start", third, {})),
            partial(calls.start_called, tournament=division.tournament, **builder.acts),
        ]
        assert faults(at_once(*acts)) == []
        assert outcomes_of(division) == ["already", "done", "done", "done"]
        assert FloorEvent.objects.filter(fixture=third, kind=FloorKind.STARTED).count() == 1
    assert list(differences()) == []
