"""The acts of a club night, in order, for whatever measures them: queries in the tests, time in the benchmark."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from clubhouse.tonight import EveningPlan, start_evening
from formats.settings import SWISS, StageSettings
from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from players.models import Club, Membership, Player, User
from tournaments.draws.services import make_draft, publish_draw, request_draw
from tournaments.entries.services import enter
from tournaments.events.services import create_division, create_tournament, publish_tournament
from tournaments.floor.calls import call, call_suggested, start
from tournaments.floor.evening import open_floor
from tournaments.floor.journal import lock_floor, read_state
from tournaments.floor.selectors import load_facts
from tournaments.models import Fixture, Table
from tournaments.results.services import enter_result
from tournaments.state.stages import set_stages

PEOPLE, TABLES, LENGTH = 13, 7, 5


STAGES = {"Swiss": StageSettings(SWISS, rounds=4, lengths=(LENGTH,)), "knockout": StageSettings(lengths=(LENGTH,))}


class Act(NamedTuple):
    name: str
    do: Callable[[], object]

    def do_and_undo(self) -> None:
        """Do it in a transaction that is rolled back, so that nothing is told to anybody."""
        with transaction.atomic():
            self.do()
            transaction.set_rollback(True)

    def queries(self) -> list[str]:
        """Return the statements that it takes, without those about transactions."""
        with CaptureQueriesContext(connection) as queries:
            self.do_and_undo()
        return [row["sql"] for row in queries if not row["sql"].startswith(("BEGIN", "SAVE", "RELEASE", "ROLLBACK"))]


def acts(stage: StageSettings, now: datetime, slug: str = "marina") -> Iterator[Act]:
    """Yield the acts of an evening of 13 people with accounts, in this format. Whoever measures an act undoes it.

    First the start of a whole evening, which is to be undone, then the acts that it consists of, and the first result.
    `slug` is that of the club, which may not exist yet.
    """
    alice = User.objects.create_user(f"alice@{slug}.example", "crawford-1969", display_name="Alice")
    club = Club.objects.create(name="Marina", slug=slug, time_zone="Europe/Copenhagen")
    director = Player.objects.create(name="Alice", user=alice)
    users = User.objects.bulk_create(User(email=f"{number}@{slug}.example") for number in range(PEOPLE))
    people = Player.objects.bulk_create(Player(name=f"Player {at}", user=user) for at, user in enumerate(users))
    Membership.objects.create(club=club, player=director, role=Membership.Role.OWNER)
    Membership.objects.bulk_create(Membership(club=club, player=player) for player in people)
    by = Actor.of(alice)
    plan = EveningPlan(tables=TABLES, closes_at=now + timedelta(hours=4), stages=[stage], players=people)
    yield Act("start_evening", lambda: start_evening(club=club, plan=plan, by=by, now=now))

    event = create_tournament(club=club, by=by, now=now, name="Monday", starts_at=now, tables=TABLES)
    division = create_division(tournament=event, by=by, now=now, name="Open", match_length=LENGTH)
    yield Act("enter", lambda: enter(division=division, players=people[:1], by=by, now=now))
    yield Act("enter 13", lambda: enter(division=division, players=people, by=by, now=now))
    enter(division=division, players=people, by=by, now=now)
    division.refresh_from_db()
    set_stages(division=division, stages=[stage], after=division.seq, by=by, now=now)
    publish_tournament(tournament=event, by=by, now=now)
    draft = request_draw(division=division, by=by, now=now)
    yield Act("make_draft", lambda: make_draft(draw_id=draft.pk, now=now))
    make_draft(draw_id=draft.pk, now=now)
    division.refresh_from_db()
    yield Act("publish_draw", lambda: publish_draw(division=division, after=division.seq, by=by, now=now))
    publish_draw(division=division, after=division.seq, by=by, now=now)
    open_floor(tournament=event, by=by, now=now)
    event.refresh_from_db()
    yield Act("load_facts", lambda: load_facts(event, now))
    yield Act("first calls", lambda: call_suggested(tournament=event, by=by, now=now))
    with transaction.atomic():
        first = read_state(lock_floor(event.pk, now), now).suggestions[0]
    fixture = Fixture.objects.select_related("stage__division").get(pk=first.fixture)
    table = Table.objects.get(pk=first.table)
    yield Act("call", lambda: call(fixture=fixture, table=table, by=by, now=now))
    call(fixture=fixture, table=table, by=by, now=now)
    start(fixture=fixture, by=by, now=now)
    result = ResultInput(0, (LENGTH, 2))
    yield Act("enter_result", lambda: enter_result(fixture=fixture, result=result, by=by, now=now))
