"""Limits on attempts."""

import pytest
from django.core import mail
from django.core.cache import cache
from django.test import Client

from core import throttle
from core.throttle import RESET_FOR, SIGN_IN_AS, SIGN_IN_FROM, SIGN_UP_FROM
from engine.errors import Refused
from players.models import User

pytestmark = pytest.mark.django_db


def attempt(client: Client, email: str, password: str = "guess", address: str = "192.0.2.1") -> int:
    return client.post("/sign-in/", {"username": email, "password": password}, REMOTE_ADDR=address).status_code


def test_passwords_of_an_account_cannot_be_guessed_without_limit(client: Client, bob: User, password: str) -> None:
    for number in range(SIGN_IN_AS.most):
        assert attempt(client, "BOB@example.org" if number % 2 else bob.email, address=f"192.0.2.{number}") == 422
    assert attempt(client, bob.email, password, address="198.51.100.7") == 429
    page = client.post("/sign-in/", {"username": bob.email, "password": password}).content.decode()
    assert "Too many attempts. Try again in" in page


def test_signing_in_resets_the_count(client: Client, bob: User, password: str) -> None:
    for _ in range(SIGN_IN_AS.most - 1):
        attempt(client, bob.email)
    assert attempt(client, bob.email, password) == 302
    assert attempt(Client(), bob.email) == 422


def test_one_client_cannot_try_every_account(client: Client, bob: User) -> None:
    for number in range(SIGN_IN_FROM.most):
        assert attempt(client, f"{number}@example.org") == 422
    assert attempt(client, "another@example.org") == 429
    assert attempt(client, bob.email, address="198.51.100.7") == 422


def test_password_emails_are_limited_and_reveal_nothing(client: Client, bob: User) -> None:
    for email in (bob.email, "nobody@example.org"):
        for _ in range(RESET_FOR.most):
            assert client.post("/password/forgotten/", {"email": email}).status_code == 302
        assert client.post("/password/forgotten/", {"email": email}).status_code == 429
    assert len(mail.outbox) == RESET_FOR.most


def test_sign_ups_are_limited(client: Client) -> None:
    for _ in range(SIGN_UP_FROM.most):
        throttle.count(SIGN_UP_FROM, "127.0.0.1")
    fields = {"display_name": "Erin", "email": "erin@example.org", "new_password": "crawford-1969"}
    response = client.post("/sign-up/", fields)
    assert "Too many attempts" in response.content.decode()
    assert not User.objects.exists()


def test_an_ipv6_network_counts_as_one_client(rf) -> None:  # type: ignore[no-untyped-def]
    first, second = (rf.get("/", REMOTE_ADDR=f"2001:db8:0:1::{host}") for host in ("1", "ffff"))
    assert throttle.client_network(first) == throttle.client_network(second) == "2001:db8:0:1::"
    assert throttle.client_network(rf.get("/", REMOTE_ADDR="192.0.2.1")) == "192.0.2.1"


def test_typed_text_is_not_stored(client: Client, valkey) -> None:  # type: ignore[no-untyped-def]
    attempt(client, "bob@example.org")
    keys = [key.decode() for key in valkey.keys("*attempts*")]
    assert len(keys) == 4
    assert not [key for key in keys if "bob" in key]


def test_the_wait_is_given_in_minutes(db: None) -> None:
    for _ in range(SIGN_IN_AS.most):
        throttle.count(SIGN_IN_AS, "bob@example.org")
    with pytest.raises(Refused) as refused:
        throttle.count(SIGN_IN_AS, "bob@example.org")
    assert refused.value.code == "too_many_attempts"
    assert refused.value.params["minutes"] == 15


@pytest.mark.usefixtures("broker_down")
def test_without_a_cache_everybody_may_sign_in(client: Client, bob: User, password: str) -> None:
    for _ in range(SIGN_IN_AS.most + 1):
        assert attempt(client, bob.email) == 422
    assert attempt(client, bob.email, password) == 302


def test_the_cache_counts_each_attempt(db: None) -> None:
    cache.add("attempts:x", 1, 60)
    assert [cache.incr("attempts:x") for _ in range(3)] == [2, 3, 4]
