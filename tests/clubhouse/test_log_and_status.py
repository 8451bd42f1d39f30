"""The log of an event, and the status of its workers."""

import math
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from redis import Redis

from core.queue import ABSENT_AFTER, RECORDS, URGENT, WORKERS, sign
from matches.models import Match
from players.actors import Actor
from players.models import User
from tests.event_cast import NOW, RunningEvent, erin
from tests.tournaments.support.pages import page, post, text
from tournaments.events.actions import event_url_args
from tournaments.models import Division, Fixture
from tournaments.results import workers
from tournaments.state.log import ON_A_PAGE, _named, entries_of

__all__ = ["erin"]
pytestmark = pytest.mark.django_db
VALID_RESULT = {"after": 0, "left": 7, "right": 3}


def test_the_log_shows_who_changed_what(running: RunningEvent, alice_client: Client) -> None:
    post(alice_client, f"{running.fixture_url}result/", {**VALID_RESULT, "reason": "seen by me"})
    page_text = text(page(alice_client, f"{running.url}console/log/"))
    assert "Alice recorded a result M1" in page_text
    assert "7–3" in page_text
    assert "seen by me" in page_text
    draw_lines = text(page(alice_client, f"{running.url}console/log/?kind=draw&who=people"))
    assert "published the draw" in draw_lines
    assert "recorded a result" not in draw_lines
    assert "The system" not in draw_lines


def test_only_directors_read_who_is_kept_apart_and_who_paid(
    running: RunningEvent, alice_client: Client, erin: User, by_alice: Actor
) -> None:
    from players.actors import log

    for verb in ("kept_apart", "payment_recorded"):
        log(by_alice, verb, running.division.topic, club=running.tournament.club, entries=[running.entry.pk])
    assistant = Client()
    assistant.force_login(erin)
    url, api = f"{running.url}console/log/", f"/api/v1/tournaments/{running.tournament.public_id}/log/"
    for client, read in ((alice_client, True), (assistant, False)):
        page_text, verbs = text(page(client, url)), {row["verb"] for row in client.get(api).json()["results"]}
        assert "published the draw" in page_text
        assert ("kept two players apart" in page_text, "recorded a payment" in page_text) == (read, read)
        assert ("kept_apart" in verbs, "payment_recorded" in verbs) == (read, read)


def test_a_long_log_has_pages(running: RunningEvent, alice_client: Client, by_alice: Actor) -> None:
    from players.actors import log

    for number in range(120):
        log(by_alice, "checked_in", running.division.topic, club=running.tournament.club, count=number)
    # How often the event was drawn until Bob meets Carol is left to chance, and each draft is a line.
    pages = math.ceil(entries_of(running.tournament, directs=True).count() / ON_A_PAGE)
    assert pages >= 3
    assert f"Page 1 of {pages}" in text(page(alice_client, f"{running.url}console/log/"))
    assert f"Page 2 of {pages}" in text(page(alice_client, f"{running.url}console/log/?page=2"))


@pytest.mark.usefixtures("valkey")
def test_the_status_page_names_the_process_that_is_down(
    running: RunningEvent, alice_client: Client, valkey: Redis
) -> None:
    def status_text() -> str:
        return text(page(alice_client, f"{running.url}status/"))

    assert "never seen" in status_text()
    workers.beat(timezone.now() - timedelta(seconds=3))
    assert "last seen 3 s ago" in status_text()
    assert "Beat and workers running" in status_text()
    workers.beat(timezone.now() - timedelta(minutes=5))
    assert "beat is not running" in status_text()
    valkey.rpush(URGENT, "hint", "hint")
    assert "2 messages waiting" in status_text()
    assert "no worker takes them" in status_text()


def test_directors_read_which_work_has_stopped(
    drawn: Callable[..., Division], alice_client: Client, valkey: Redis
) -> None:
    event = drawn(4).tournament
    sentence = "Game records are not being checked: no worker is running."

    def is_on(name: str) -> bool:
        return sentence in text(page(alice_client, reverse(name, args=event_url_args(event))))

    assert not is_on("console"), "nobody has signed yet, but there was no time to"
    valkey.hset(WORKERS, RECORDS, valkey.time()[0] - ABSENT_AFTER - 1)
    assert is_on("console")
    assert is_on("event-status")
    alice_client.post(reverse("floor-action", args=[*event_url_args(event), "open"]), {"tables": 2})
    assert is_on("floor")
    sign(valkey, [RECORDS])
    assert not is_on("floor")


@pytest.mark.slow
@pytest.mark.usefixtures("broker_down")
def test_the_status_page_works_without_a_broker(running: RunningEvent, alice_client: Client) -> None:
    page_text = text(page(alice_client, f"{running.url}status/"))
    assert "not responding" in page_text
    assert "Nothing is lost" in page_text


def test_queued_work_is_counted(running: RunningEvent, alice_client: Client) -> None:
    Fixture.objects.filter(pk=running.fixture.pk).update(due_at=NOW - timedelta(days=1))
    Match.objects.filter(pk=running.fixture.match_id).update(unsettled=True)
    page_text = text(page(alice_client, f"{running.url}status/"))
    assert "Deadlines to apply 1" in page_text
    assert "Results to apply to their division 1" in page_text


def test_a_line_names_everything_it_is_about() -> None:
    params = {"entry": 7, "fixture": 3, "round": 2, "number": 4, "name": "Masters"}
    assert _named(params, {7: "Bob", 8: "Carol"}) == ["Bob", "M3", "Round 2", "Draft 4", "Masters"]
    assert _named({"round": 0}, {}) == []
