"""Two requests with one Idempotency-Key arrive at once: one event is created, whoever is first."""

from typing import Any

from django.test import Client

from players.models import Club, IdempotencyKey, User
from tests.api.requests import send
from tests.concurrency.event import POSTGRESQL_ONLY
from tests.concurrency.racing import at_once
from tournaments.models import Tournament

pytestmark = POSTGRESQL_ONLY
ROUNDS = 6


def create(alice: User, *names: str, key: str) -> list[Any]:
    """Alice creates an event of each name at once, all with one key."""
    clients = []
    for _ in names:
        client = Client()
        client.force_login(alice)
        clients.append(client)
    bodies = [{"club": "harbour", "name": name, "starts_at": "2026-11-20T18:00:00Z"} for name in names]
    return at_once(
        *(
            lambda client=client, body=body: send(client, "post", "tournaments/", body, **{"Idempotency-Key": key})
            for client, body in zip(clients, bodies, strict=True)
        )
    )


def test_the_same_request_twice_creates_one_event(club: Club, alice: User) -> None:
    for number in range(ROUNDS):
        answers = create(alice, f"Open {number}", f"Open {number}", key=f"k{number}")
        assert [answer.status_code for answer in answers] == [201, 201]
        assert answers[0].json() == answers[1].json()
    assert (Tournament.objects.count(), IdempotencyKey.objects.count()) == (ROUNDS, ROUNDS)


def test_two_requests_with_one_key_create_the_event_of_one(club: Club, alice: User) -> None:
    for number in range(ROUNDS):
        answers = create(alice, f"Open {number}", f"Closed {number}", key=f"k{number}")
        assert sorted(answer.status_code for answer in answers) == [201, 422]
        assert {answer.json().get("code") for answer in answers} == {None, "key_reused"}
    assert Tournament.objects.count() == ROUNDS
