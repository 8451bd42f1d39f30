"""What counts twice if it is sent twice counts once with a key: by a double tap, and by a program that tries again."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from django.test import Client
from django.utils import timezone

from players.accounts import idempotency
from players.accounts.idempotency import MAX_REQUEST
from players.models import IdempotencyKey, User
from tests.access.world import season_of
from tests.api.requests import problem_code
from tests.concurrency.racing import at_once
from tests.event_cast import (
    RunningEvent,
    alice_client,
    as_user,
    bob_player,
    by_alice,
    carol_player,
    club,
    make_division,
    make_players,
    running,
    tournament,
)
from tests.repeats.rows import all_rows, changes, restore
from tournaments.models import Payment, SeriesPoints

__all__ = ["alice_client", "as_user", "bob_player", "by_alice", "carol_player", "club", "make_division"]
__all__ += ["make_players", "running", "tournament"]


class Write(NamedTuple):
    """A request of a page or of the API that would count twice."""

    path: Callable[[RunningEvent], str]
    body: Callable[[RunningEvent], dict[str, Any]]

    def sent(self, client: Client, event: RunningEvent, key: str = "") -> Any:
        """Send it with a key; the form of a page has one in its CSRF token."""
        path, body = self.path(event), self.body(event)
        if path.startswith("/api/"):
            headers = {"Idempotency-Key": key} if key else {}
            return client.post(path, body, "application/json", headers=headers)
        return client.post(path, body | ({"csrfmiddlewaretoken": key} if key else {}))


def points(event: RunningEvent) -> dict[str, Any]:
    player = event.entry.player.public_id
    return {"event": event.tournament.public_id, "player": player, "points": "2", "reason": "Ran the evening"}


def season(event: RunningEvent, page: str) -> str:
    series = season_of(event)
    event.tournament.series = series
    event.tournament.save()
    if page.startswith("/api/"):
        return f"{page}{series.public_id}/points/"
    return f"/clubs/{event.tournament.club.slug}/seasons/{series.slug}/points/"


API = "/api/v1/"
WRITES = {
    "points by hand on the page": Write(lambda event: season(event, "/clubs/"), points),
    "points by hand": Write(lambda event: season(event, f"{API}seasons/"), points),
    "a float": Write(
        lambda event: f"{API}tournaments/{event.tournament.public_id}/cash/payments/",
        lambda _: {"act": "float", "amount": 5000},
    ),
    "a helper on the page": Write(lambda event: f"{event.url}helpers/add/", lambda _: {"email": "helga@example.org"}),
    "a practice match on the page": Write(lambda _: "/lobby/practice/", lambda _: {"length": 3, "style": "club"}),
    "an event": Write(
        lambda _: f"{API}tournaments/",
        lambda event: {"club": event.tournament.club.slug, "name": "Cup", "starts_at": "2026-11-20T18:00:00Z"},
    ),
    "a challenge on the page": Write(
        lambda _: "/lobby/challenges/", lambda _: {"length": 3, "clock": "table", "turn_days": 2, "ratings": ""}
    ),
}


@pytest.mark.django_db
@pytest.mark.postgresql
@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_the_same_request_counts_once(write: Write, running: RunningEvent, alice_client: Client) -> None:
    write.path(running)
    before = all_rows()
    first = write.sent(alice_client, running, "once")
    once = all_rows()
    assert first.status_code in (201, 200, 302), first.content
    assert changes(before, once)
    again = write.sent(alice_client, running, "once")
    assert changes(once, all_rows()) == {}
    assert (first.status_code, first.content, first.get("Location")) == (
        again.status_code,
        again.content,
        again.get("Location"),
    )
    write.sent(alice_client, running)
    assert changes(once, all_rows()), "without a key it counts again"


@pytest.mark.django_db(transaction=True)
@pytest.mark.postgresql
@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_two_requests_at_once_count_once(
    write: Write, running: RunningEvent, alice: User, as_user: Callable[[User], Client]
) -> None:
    write.path(running)
    before = all_rows()
    write.sent(as_user(alice), running, "alone")
    effect = changes(before, all_rows())
    restore(before)
    clients = [as_user(alice), as_user(alice)]
    answers = at_once(*(lambda client=client: write.sent(client, running, "once") for client in clients))
    assert len({(answer.status_code, answer.content, answer.get("Location")) for answer in answers}) == 1
    assert changes(before, all_rows()) == effect


@pytest.mark.django_db
def test_a_request_whose_answer_was_lost_is_not_done_again(running: RunningEvent, alice_client: Client) -> None:
    write = WRITES["a float"]
    assert write.sent(alice_client, running, "once").status_code == 201
    IdempotencyKey.objects.update(is_done=False, answer=None, created_at=timezone.now() - MAX_REQUEST)
    assert problem_code(write.sent(alice_client, running, "once")) == (409, "key_done")
    assert Payment.objects.count() == 1


@pytest.mark.django_db
def test_a_request_that_is_still_being_done_is_asked_for_again(
    running: RunningEvent, alice_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idempotency, "PATIENCE", 0.1)
    write = WRITES["a float"]
    assert write.sent(alice_client, running, "once").status_code == 201
    IdempotencyKey.objects.update(is_done=False, answer=None)
    answer = write.sent(alice_client, running, "once")
    assert problem_code(answer) == (409, "key_in_progress")
    assert answer["Retry-After"]


@pytest.mark.django_db
def test_an_answer_is_unreadable_without_its_key(running: RunningEvent, alice_client: Client) -> None:
    first = WRITES["an event"].sent(alice_client, running, "once")
    stored = bytes(IdempotencyKey.objects.get().answer or b"")
    assert stored
    assert first.json()["public_id"].encode() not in stored
    assert b"Cup" not in stored


@pytest.mark.django_db
def test_a_refused_request_may_be_sent_again_with_its_key(running: RunningEvent, alice_client: Client) -> None:
    write = WRITES["a float"]
    path, key = write.path(running), {"Idempotency-Key": "once"}
    wrong = alice_client.post(path, {"act": "receive", "amount": 5000}, "application/json", headers=key)
    assert wrong.status_code == 422
    assert not IdempotencyKey.objects.exists()
    assert write.sent(alice_client, running, "once").status_code == 201


@pytest.mark.django_db
def test_a_double_tap_answers_as_the_first_tap_did(running: RunningEvent, alice_client: Client) -> None:
    write = WRITES["points by hand on the page"]
    for _ in range(2):
        answer = write.sent(alice_client, running, "once")
        page = alice_client.get(answer["Location"])
        assert [str(message) for message in page.context["messages"]] != []
        assert "alert-error" not in page.content.decode()
    other = alice_client.post(
        write.path(running), points(running) | {"reason": "Brought the boards", "csrfmiddlewaretoken": "once"}
    )
    assert other.status_code == 302
    assert SeriesPoints.objects.count() == 2, "whoever goes back and types something else does something else"
