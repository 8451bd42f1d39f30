"""An Idempotency-Key belongs to one account, one action and one request, for 48 hours."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from matches.models import Submission
from players.accounts.idempotency import KEPT
from players.models import Club, IdempotencyKey, Membership, Player, User
from players.privacy.retention import delete_expired
from tests.api.requests import API, problem_code, send
from tests.event_cast import RunningEvent
from tournaments.models import Division, Payment, Tournament

EVENT = {"club": "harbour", "name": "Winter Cup", "starts_at": "2026-11-20T18:00:00Z"}
K1 = {"Idempotency-Key": "k1"}

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


def test_a_key_with_other_fields_is_refused(club: Club, alice_client: Client) -> None:
    first = send(alice_client, "post", "tournaments/", EVENT, **K1)
    again = send(alice_client, "post", "tournaments/", dict(reversed(EVENT.items())), **K1)
    assert (first.status_code, first.json(), first["Location"]) == (201, again.json(), again["Location"])
    other = send(alice_client, "post", "tournaments/", EVENT | {"name": "Spring Cup"}, **K1)
    assert problem_code(other) == (422, "key_reused")
    assert Tournament.objects.count() == 1
    assert problem_code(send(alice_client, "post", "tournaments/", EVENT, **{"Idempotency-Key": "k" * 101})) == (
        422,
        "key_too_long",
    )


def test_a_payment_is_recorded_once(running: RunningEvent, alice_client: Client) -> None:
    path = f"tournaments/{running.tournament.public_id}/cash/payments/"
    payment = {"act": "float", "amount": 5000}
    first, again = (send(alice_client, "post", path, payment, **K1) for _ in range(2))
    assert (first.status_code, first.json()) == (201, again.json())
    assert problem_code(send(alice_client, "post", path, payment | {"amount": 4000}, **K1)) == (422, "key_reused")
    assert Payment.objects.get().amount == 5000


def test_the_same_key_is_independent_at_another_action_and_of_another_account(
    running: RunningEvent, dave: User, alice_client: Client, as_user: Callable[[User], Client]
) -> None:
    player = Player.objects.create(name="Dave", user=dave)
    Membership.objects.create(club=running.tournament.club, player=player, role=Membership.Role.DIRECTOR)
    event = f"tournaments/{running.tournament.public_id}/"
    for client, name in ((alice_client, "Second"), (as_user(dave), "Third")):
        assert send(client, "post", f"{event}cash/payments/", {"act": "float", "amount": 5000}, **K1).status_code == 201
        assert send(client, "post", f"{event}divisions/", {"name": name}, **K1).status_code == 201
    assert Payment.objects.count() == 2
    assert Division.objects.filter(name__in=("Second", "Third")).count() == 2


def test_a_key_is_forgotten_after_48_hours(club: Club, alice_client: Client) -> None:
    first = send(alice_client, "post", "tournaments/", EVENT, **K1).json()
    row = IdempotencyKey.objects.get()
    assert not delete_expired(now=row.created_at + KEPT - timedelta(seconds=1))["idempotency_keys"]
    row.created_at = timezone.now() - KEPT
    row.save()
    other = send(alice_client, "post", "tournaments/", EVENT | {"name": "Spring Cup"}, **K1)
    assert other.status_code == 201
    assert other.json()["public_id"] != first["public_id"]
    assert delete_expired(now=timezone.now() + KEPT)["idempotency_keys"] == 1
    assert send(alice_client, "post", "tournaments/", EVENT, **K1).json()["public_id"] != first["public_id"]


def test_files_are_compared_by_their_content(alice_client: Client) -> None:
    def sent(content: bytes, name: str) -> Any:
        file = SimpleUploadedFile(name, content)
        return alice_client.post(f"{API}submissions/", {"file": file}, headers=K1)

    first, again = sent(b"7 point match", "a.mat"), sent(b"7 point match", "b.mat")
    assert (first.status_code, first["Location"]) == (201, again["Location"])
    assert problem_code(sent(b"5 point match", "a.mat")) == (422, "key_reused")
    assert bytes(Submission.objects.get().data) == b"7 point match"
