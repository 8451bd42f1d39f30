"""Limits on attempts."""

from time import sleep

import pytest
from django.contrib.auth.tokens import default_token_generator
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from core import throttle
from core.throttle import (
    LINKS_BY,
    LINKS_TO,
    PASSWORD_OF,
    RESET_FOR,
    SIGN_IN_AS,
    SIGN_IN_AS_FROM,
    SIGN_IN_FROM,
    SIGN_UP_FROM,
    Limit,
)
from engine.errors import Refused
from players.models import AccountEmail, User

pytestmark = pytest.mark.django_db


def attempt(client: Client, email: str, password: str = "guess", address: str = "192.0.2.1") -> int:
    return client.post("/sign-in/", {"username": email, "password": password}, REMOTE_ADDR=address).status_code


def test_passwords_of_an_account_cannot_be_guessed_without_limit(client: Client, bob: User, password: str) -> None:
    for number in range(SIGN_IN_AS_FROM.most):
        assert attempt(client, "BOB@example.org" if number % 2 else bob.email) == 422
    assert attempt(client, bob.email, password) == 429
    page = client.post("/sign-in/", {"username": bob.email, "password": "guess"}, REMOTE_ADDR="192.0.2.1")
    assert "Too many attempts. Try again in" in page.content.decode()
    assert attempt(client, bob.email, password, address="198.51.100.7") == 302


def test_guesses_from_everywhere_do_not_lock_out_a_director(client: Client, alice: User, password: str) -> None:
    assert attempt(Client(), alice.email, password, address="198.51.100.7") == 302
    for _ in range(SIGN_IN_AS.most):
        throttle.count(SIGN_IN_AS, alice.email)
    assert attempt(client, alice.email, password, address="192.0.2.9") == 429, "many networks together are limited"
    assert attempt(client, alice.email, password, address="198.51.100.7") == 302, "a network she uses is not"


def test_the_owner_gets_in_from_a_new_network_with_a_password_email(client: Client, alice: User) -> None:
    for _ in range(SIGN_IN_AS.most):
        throttle.count(SIGN_IN_AS, alice.email)
    token = default_token_generator.make_token(alice)
    page = client.get(f"/password/choose/{urlsafe_base64_encode(force_bytes(alice.pk))}/{token}/")
    assert client.post(page["Location"], {"new_password": "gammon-and-1"}).status_code == 302
    assert attempt(client, alice.email, "gammon-and-1", address="127.0.0.1") == 302
    assert attempt(Client(), alice.email, "gammon-and-1", address="192.0.2.9") == 429


def test_the_admin_has_no_form_of_its_own(client: Client, bob: User) -> None:
    assert client.get("/admin/login/?next=/admin/")["Location"] == "/sign-in/?next=/admin/"
    assert client.post("/admin/login/", {"username": bob.email, "password": "guess"}).status_code == 405


def test_a_full_venue_signs_in_from_one_network(client: Client, bob: User, password: str) -> None:
    for _ in range(SIGN_IN_FROM.most + 1):
        assert attempt(Client(), bob.email, password) == 302


def test_a_header_does_not_change_the_address(rf) -> None:  # type: ignore[no-untyped-def]
    request = rf.get("/", REMOTE_ADDR="192.0.2.1", headers={"X-Forwarded-For": "198.51.100.7"})
    assert throttle.client_network(request) == "192.0.2.1"


def test_signing_in_resets_the_count(client: Client, bob: User, password: str) -> None:
    for _ in range(SIGN_IN_AS_FROM.most - 1):
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
    assert AccountEmail.objects.count() == 2 * RESET_FOR.most
    assert mail.outbox == [], "a worker sends them"


def test_sign_ups_send_a_stranger_three_links_and_leave_the_resets_of_its_owner_alone(bob: User) -> None:
    for number in range(15):
        fields = {"display_name": f"Erin {number}", "email": bob.email, "new_password": f"crawford-{number}"}
        pages = Client(REMOTE_ADDR=f"192.0.2.{number}")
        assert pages.post("/sign-up/", fields).status_code == 302
        said = pages.get("/preferences/").content.decode()
        assert ("We sent a link to" in said) is (number < LINKS_TO.most)
        assert (f"{bob.email} was sent several links within the last hour" in said) is (number >= LINKS_TO.most)
    assert AccountEmail.objects.filter(kind="verify").count() == LINKS_TO.most
    assert "The next can be sent in 60 min." in said
    assert "Send a new link" not in said
    again = pages.post("/preferences/email/send-again/", follow=True).content.decode()
    assert "The next can be sent in 60 min." in again
    for _ in range(RESET_FOR.most):
        pages.post("/password/forgotten/", {"email": bob.email})
    assert AccountEmail.objects.filter(kind="reset").count() == RESET_FOR.most


def test_an_account_cannot_have_links_sent_to_one_address_after_another(
    client: Client, alice: User, password: str
) -> None:
    client.force_login(alice)
    for number in range(LINKS_BY.most + 3):
        throttle.reset(PASSWORD_OF, str(alice.pk))
        client.post("/preferences/email/", {"email": f"{number}@example.org", "password": password})
    assert AccountEmail.objects.filter(kind="verify").count() == LINKS_BY.most


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
    assert len(keys) == 3
    assert not [key for key in keys if "bob" in key]


def test_the_wait_is_given_in_minutes(db: None) -> None:
    for _ in range(SIGN_IN_AS.most):
        throttle.count(SIGN_IN_AS, "bob@example.org")
    with pytest.raises(Refused) as refused:
        throttle.count(SIGN_IN_AS, "bob@example.org")
    assert refused.value.code == "too_many_attempts"
    assert refused.value.params["minutes"] == 15


def test_a_window_closes(db: None) -> None:
    window = Limit("test", 2, 1)
    for _ in range(window.most):
        throttle.count(window, "bob")
    with pytest.raises(Refused):
        throttle.count(window, "bob")
    sleep(1.1)
    throttle.count(window, "bob")


@pytest.mark.usefixtures("broker_down")
def test_without_a_cache_everybody_may_sign_in(client: Client, bob: User, password: str) -> None:
    for _ in range(SIGN_IN_AS_FROM.most + 1):
        assert attempt(client, bob.email) == 422
    assert attempt(client, bob.email, password) == 302


def test_the_cache_counts_each_attempt(db: None) -> None:
    cache.add("attempts:x", 1, 60)
    assert [cache.incr("attempts:x") for _ in range(3)] == [2, 3, 4]
