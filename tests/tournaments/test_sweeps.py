"""A fault in one event keeps no sweep from the events of other clubs, and its directors and the operators see it."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from io import StringIO
from random import Random

import pytest
import time_machine
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from redis import Redis

from clubhouse.letters.sending import PLANNED
from config.celery import app
from config.monitoring import health
from core.queue import SWEEPS
from matches.models import Match
from players.actors import SYSTEM
from players.models import Club, LogEntry, Player
from tests.clock import NOON, TEST_NOW
from tests.tournaments.support.correcting import KNOCKOUT, Cup
from tournaments.draws.services import request_draw
from tournaments.models import Draw, Entry, Fixture, Stage, Tournament

pytestmark = pytest.mark.django_db
MORNING = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def cups(club: Club) -> tuple[Cup, Cup]:
    """Two knockouts of four, in Alice's club and, later, elsewhere; entered and not drawn."""
    app.loader.import_default_modules()
    elsewhere = Club.objects.create(name="Elsewhere", slug="elsewhere")
    first, second = (
        Cup.of([Player.objects.create(name=f"{name} {number}") for number in range(4)], KNOCKOUT, name)
        for name in ("one", "two")
    )
    Tournament.objects.filter(pk=second.division.tournament_id).update(club=elsewhere)
    second.division.refresh_from_db()
    return first, second


def draws_wanted(cup: Cup) -> Callable[[], bool]:
    request_draw(division=cup.division, by=SYSTEM, now=NOON)
    return Draw.objects.filter(stage__division=cup.division, state=Draw.State.DRAFT).exists


def match_overdue(cup: Cup) -> Callable[[], bool]:
    cup.play(Random(0), most=0)
    Fixture.objects.filter(stage__division=cup.division).update(due_at=NOON)
    return Fixture.objects.filter(stage__division=cup.division, deadline_done=True).exists


def day_over(cup: Cup) -> Callable[[], bool]:
    entries = Entry.objects.filter(division=cup.division)
    entries.update(checked_in_at=NOON)
    return entries.filter(checked_in_at=None).exists


def result_unsettled(cup: Cup) -> Callable[[], bool]:
    cup.play(Random(0), most=1, wild=False)
    matches = Match.objects.filter(parent_topic=cup.division.topic, state=Match.State.SETTLED)
    assert matches.update(unsettled=True)
    return matches.filter(unsettled=False).exists


def over(cup: Cup) -> Callable[[], bool]:
    cup.play(Random(0), wild=False)
    event = cup.division.tournament
    return LogEntry.objects.filter(topic=f"letters:{event.public_id}", verb=PLANNED).exists


CASES = {
    "tournaments.sweep_draws": (draws_wanted, TEST_NOW),
    "tournaments.sweep_deadlines": (match_overdue, TEST_NOW),
    "tournaments.end_check_in_days": (day_over, TEST_NOW),
    "matches.sweep_unsettled": (result_unsettled, TEST_NOW),
    "clubhouse.sweep_letters": (over, MORNING),
}
"""By sweep: what makes something due in an event and returns whether it was done; and when."""


def damage(cup: Cup) -> None:
    """Store what no form of the site would: a way of pairing and a zone that do not exist."""
    Stage.objects.filter(division=cup.division).update(settings={"pairing": "perhaps"})
    Tournament.objects.filter(pk=cup.division.tournament_id).update(time_zone="Nowhere/Special")


@pytest.mark.parametrize("sweep", CASES)
def test_an_event_with_a_fault_leaves_the_others_alone(sweep: str, cups: tuple[Cup, Cup], valkey: Redis) -> None:
    prepare, at = CASES[sweep]
    faulty, _sound = cups
    is_done = [prepare(cup) for cup in cups]
    damage(faulty)
    with time_machine.travel(at):
        app.tasks[sweep].apply()
    assert [done() for done in is_done] == [False, True]
    assert valkey.hexists(SWEEPS, sweep), "it has ended"
    out = StringIO()
    call_command("failing", stdout=out)
    lines = out.getvalue().splitlines()
    assert lines
    assert all(line.endswith(f"  harbour/{faulty.division.tournament.slug}") for line in lines)


def test_directors_and_operators_see_what_fails(
    cups: tuple[Cup, Cup], alice_client: Client, client: Client, valkey: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    faulty, _sound = cups
    for cup in cups:
        match_overdue(cup)
    stored = Stage.objects.get(division=faulty.division).settings
    Stage.objects.filter(division=faulty.division).update(settings={**stored, "pairing": "perhaps"})
    sweep = app.tasks["tournaments.sweep_deadlines"]
    sweep.apply()
    Stage.objects.filter(division=faulty.division).update(settings=stored)

    def needs(cup: Cup) -> list[str]:
        event = cup.division.tournament
        pages = [
            alice_client.get(reverse(name, args=[event.club.slug, event.slug])).context for name in ("console", "floor")
        ]
        assert pages[0]["waits"] == pages[1]["waits"]
        return list(pages[0]["waits"])

    (sentence,) = needs(faulty)
    assert re.fullmatch(r"A deadline: failing since .* because of an error of the site. .*", sentence)
    monkeypatch.setattr(health, "_last_state", None)
    ready = client.get("/readyz")
    assert (ready.status_code, ready.json()["sweeps"]) == (200, "2 failing"), "the public answer names nothing"
    assert b'barpoint_failing_items{kind="deadlines"} 2.0' in health.exposition()

    sweep.apply()
    assert needs(faulty) == []
    assert client.get("/readyz").json()["sweeps"] == "ok"
    assert b"barpoint_failing_items{" not in health.exposition()
