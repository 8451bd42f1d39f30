"""The autopilot waits for a desk that has lost its connection; Alice directs eight players at three tables."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from redis import Redis

from core.live import presence
from core.times import in_zone
from matches.models import Outage
from players.actors import Actor
from players.models import LogEntry, Notification, Outbox
from players.notifications.kinds import kind_of, texts_of
from tests.event_cast import NOON
from tests.pages import html
from tests.tournaments.floor.test_batches import Night, people, start
from tests.tournaments.floor.test_services import Evening
from tournaments import tasks
from tournaments.floor import calls, desk, evening
from tournaments.floor.desk import DeskPage
from tournaments.models import Autopilot, Batch, Division, FloorEvent, Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
__all__ = ["people", "start"]
CASES = Path(__file__).parents[4] / "shared" / "data" / "offline" / "silence.json"
OWN = [
    {"name": "one of two left, the other was cut off", "at": 1000, "silent": True,
     "events": [[800, "a", "here"], [990, "b", "here"], [995, "b", "left"]]},
    {"name": "long cut off, and another has come and gone", "at": 9000, "silent": True,
     "events": [[800, "a", "here"], [8000, "b", "here"], [8900, "b", "left"]]},
    {"name": "all left", "at": 1000, "silent": False,
     "events": [[700, "a", "here"], [710, "b", "here"], [720, "a", "left"], [730, "b", "left"]]},
    {"name": "a moment more than 150 s", "at": 1000.5, "silent": True, "events": [[850, "a", "here"]]},
]  # fmt: skip


def given() -> list[dict[str, Any]]:
    return cast("list[dict[str, Any]]", json.loads(CASES.read_text())["cases"]) if CASES.exists() else []


@pytest.fixture(autouse=True)
def broker(valkey: Redis) -> Redis:
    """A broker that has been there for a while."""
    presence.note_start(now=0)
    return valkey


@pytest.fixture
def event(drawn: Callable[..., Division], by_alice: Actor) -> Evening:
    """The autopilot calls by itself; all three tables are free."""
    division = drawn(8, match_length=7)
    Tournament.objects.update(tables=3)
    evening.open_floor(tournament=division.tournament, by=by_alice, now=NOON)
    evening.set_autopilot(tournament=division.tournament, mode=Autopilot.CALL, by=by_alice, now=NOON)
    return Evening(division, by_alice)


def called(event: Evening) -> int:
    return len(calls.call_ready(tournament_id=event.division.tournament_id, now=event.now))


def here(event: Evening, page: str = "a", browser: str = "laptop") -> None:
    desk.note_here(event.division.tournament, DeskPage(browser, page), event.now)


def left(event: Evening, page: str = "a", browser: str = "laptop") -> None:
    desk.note_left(event.division.tournament, DeskPage(browser, page), event.now)


def pushes(event: Evening) -> list[Notification]:
    return list(Notification.objects.filter(kind="silent_desk", user=event.alice.user))


@pytest.mark.parametrize("case", OWN + given(), ids=lambda case: case["name"])
def test_the_desk_is_silent_when_every_page_that_did_not_say_goodbye_is_quiet(case: dict[str, Any]) -> None:
    event = Tournament(public_id="k7m2p9x4qa")
    for at, page, what in case["events"]:
        note = desk.note_here if what == "here" else desk.note_left
        note(event, DeskPage(page, page), datetime.fromtimestamp(at, UTC))
    since = desk.silent_since(event, datetime.fromtimestamp(case["at"], UTC))
    assert (since is not None) == case["silent"]


@pytest.mark.skipif(not CASES.exists(), reason="../shared/data is not beside the project")
def test_the_given_cases_are_there() -> None:
    assert given()


def test_nothing_is_called_while_the_desk_is_silent_and_the_directors_are_told_once(event: Evening) -> None:
    here(event)
    event.later(2.5)
    assert called(event) == 3, "nobody has missed a sign yet"
    event.later(4)
    assert (called(event), pushes(event)) == (0, []), "it is silent, but nothing waits"
    for number in (1, 2):
        event.start(number)
        event.win(number)
    here(event)
    event.later(6)
    assert [called(event), called(event)] == [0, 0], "neither a call nor the second one of M3"
    event.call(4, 1)
    event.later(1)
    assert called(event) == 0, "a director still calls"
    [told] = pushes(event)
    assert texts_of([told])[0].sentence == "Calls wait: the desk has had no connection since 13:06 CET."
    here(event)
    assert called(event) == 2, "M5 and the second call of M3"
    event.later(6)
    called(event)
    assert len(pushes(event)) == 2, "another silence"


def test_an_evening_whose_pages_were_all_closed_runs_on(event: Evening) -> None:
    here(event)
    left(event)
    here(event, "late sign of a page that was left")
    left(event, "late sign of a page that was left")
    here(event)
    event.later(60)
    assert called(event) == 3
    assert pushes(event) == []


def test_pages_that_crashed_are_forgotten_once_their_browser_is_left_properly(event: Evening) -> None:
    here(event, "crashed")
    event.later(4)
    for browser, silent in (("phone", True), ("laptop", False)):
        here(event, "again", browser)
        left(event, "again", browser)
        assert (desk.silent_since(event.division.tournament, event.now) is not None) == silent


def test_what_the_broker_has_forgotten_stops_nothing(event: Evening, broker: Redis) -> None:
    here(event)
    event.later(6)
    broker.flushall()
    assert called(event) == 3


@pytest.mark.usefixtures("broker_down")
def test_without_a_broker_nothing_waits(event: Evening) -> None:
    assert called(event) == 3


def test_the_event_may_go_on_without_the_desk(event: Evening, alice_client: Client) -> None:
    here(event)
    event.later(6)
    url = reverse("api-tournament", args=[event.division.tournament.public_id])
    answer = alice_client.patch(url, {"silent_desk": "go_on"}, content_type="application/json")
    assert answer.json()["silent_desk"] == "go_on"
    assert called(event) == 3
    assert pushes(event) == []


def test_nobody_is_told_of_a_silence_that_was_the_servers_own(event: Evening) -> None:
    here(event)
    event.later(20)
    Outage.objects.create(started_at=event.now - timedelta(minutes=19), ended_at=event.now)
    assert called(event) == 0
    assert pushes(event) == []
    event.later(3)
    assert called(event) == 0
    assert len(pushes(event)) == 1


@pytest.mark.parametrize("setting", Tournament.SilentDesk.values)
def test_calls_wait_half_a_minute_for_a_browser_that_keeps_acts(event: Evening, setting: str) -> None:
    Tournament.objects.update(silent_desk=setting)
    topic, now = event.division.tournament.topic, event.now
    box = Outbox.objects.create(key="2" * 22, topic=topic, by=LogEntry.By.USER, left=3, heard_at=now)
    assert called(event) == 0
    event.later(0.5)
    assert called(event) == 0
    Outbox.objects.filter(pk=box.pk).update(left=0)
    assert called(event) == 3, "all has arrived"
    for number in (1, 2):
        event.start(number)
        event.win(number)
    Outbox.objects.filter(pk=box.pk).update(left=3)
    event.later(0.1)
    assert called(event) == 1, "it was not heard any more"


def test_no_batch_is_made_while_the_desk_is_silent_and_it_is_made_afterwards(
    start: Callable[..., Tournament], by_alice: Actor
) -> None:
    night = Night(start(now=NOON), by_alice)
    calls.call_ready(tournament_id=night.event.pk, now=night.now)
    desk.note_here(night.event, DeskPage("laptop", "a"), night.now)
    for fixture in night.open():
        night.win(fixture, 0)
    night.now += timedelta(minutes=30)
    for _ in range(2):
        assert calls.call_ready(tournament_id=night.event.pk, now=night.now) == []
    assert Batch.objects.count() == 1
    desk.note_left(night.event, DeskPage("laptop", "a"), night.now)
    calls.call_ready(tournament_id=night.event.pk, now=night.now)
    assert Batch.objects.count() == 2


def test_pages_of_the_staff_say_that_they_are_here(event: Evening, alice_client: Client, client: Client) -> None:
    names = [event.division.tournament.club.slug, event.division.tournament.slug]
    url = reverse("floor-desk", args=names)
    assert f'data-url="{url}"' in html(alice_client.get(reverse("floor", args=names)))
    assert alice_client.post(url, {"page": "No page"}).status_code == 422
    assert alice_client.post(url, {"page": "k3v9"}).status_code == 204
    event.now = timezone.now() + timedelta(minutes=3)
    assert called(event) == 0, "the page was not left"
    assert alice_client.post(url, {"page": "k3v9", "left": "on"}).status_code == 204
    assert called(event) == 3
    assert client.post(url, {"page": "k3v9"}).status_code != 204


def test_the_sweep_of_a_worker_calls_again_once_the_desk_is_back(event: Evening) -> None:
    event.now = timezone.now() - timedelta(minutes=3)
    here(event)
    tasks.sweep_floors()
    assert not FloorEvent.objects.filter(kind="called").exists()
    event.later(3)
    here(event)
    tasks.sweep_floors()
    assert FloorEvent.objects.filter(kind="called").count() == 3


def test_the_floor_says_since_when_calls_wait(event: Evening, alice_client: Client) -> None:
    tournament = event.division.tournament
    says = "Calls wait: the desk has had no connection since"
    event.now = timezone.now() - timedelta(minutes=3)
    here(event)
    args = [tournament.club.slug, tournament.slug]
    floor, time = reverse("floor", args=args), in_zone(event.now, tournament.time_zone)
    assert f"{says} {time:%H:%M}" in html(alice_client.get(floor))
    event.later(3)
    called(event)
    [told] = pushes(event)
    assert kind_of("silent_desk").is_current(told.params)
    here(event, "b")
    assert says not in html(alice_client.get(floor))
    assert not kind_of("silent_desk").is_current(told.params)
