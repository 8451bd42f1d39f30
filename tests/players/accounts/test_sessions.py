"""Users see where they are signed in, and end it."""

import re
import secrets
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory

from players.accounts.sessions import AccountMiddleware, SessionStore
from players.models import AccountSession, User
from players.notifications.push import device_of
from tests.pages import html

pytestmark = pytest.mark.django_db
PHONE = "Mozilla/5.0 (Android 15; Mobile; rv:130.0) Gecko/130.0 Firefox/130.0"
PAGE = "/preferences/sessions/"


def signed_in(client: Client) -> bool:
    return client.get("/preferences/").status_code == 200


def sign_in(user: User, password: str, agent: str = "") -> Client:
    client = Client(headers={"User-Agent": agent})
    assert client.post("/sign-in/", {"username": user.email, "password": password}).status_code == 302
    return client


def test_bob_ends_the_session_of_a_lost_phone(bob: User, carol: User, password: str) -> None:
    here, phone, hers = sign_in(bob, password), sign_in(bob, password, PHONE), sign_in(carol, password)
    page = html(here.get(PAGE))
    assert "Firefox · Android" in page
    assert page.count("This device") == 1
    keys = AccountSession.objects.values_list("session_key", flat=True)
    assert len(keys) == 3
    assert not [key for key in keys if key in page], "a key opens its session"
    [name] = re.findall(r'name="session" value="(\w+)"', page)
    hers.post(f"{PAGE}end/", {"session": name})
    assert signed_in(phone), "it is not Carol's"
    here.post(f"{PAGE}end/", {"session": name})
    assert [signed_in(client) for client in (here, phone, hers)] == [True, False, True]


def test_bob_signs_out_everywhere_else(bob: User, carol: User, password: str) -> None:
    clients = [sign_in(bob, password) for _ in range(3)] + [sign_in(carol, password)]
    response = clients[0].post(f"{PAGE}end-others/", follow=True)
    assert "2 other devices are signed out." in html(response)
    assert [signed_in(client) for client in clients] == [True, False, False, True]


def test_session_and_account_are_read_by_one_query(
    client: Client, bob: User, django_assert_num_queries: Callable[[int], AbstractContextManager[Any]]
) -> None:
    client.force_login(bob)
    request = RequestFactory().get("/")
    request.session = SessionStore(client.cookies["sessionid"].value)
    AccountMiddleware(lambda _: HttpResponse()).process_request(request)
    with django_assert_num_queries(1):
        assert request.user == bob


def test_a_session_ends_with_the_account_and_with_its_password(client: Client, bob: User) -> None:
    client.force_login(bob)
    assert signed_in(client)
    bob.is_active = False
    bob.save()
    assert not signed_in(client)
    bob.is_active = True
    bob.set_password("another-word-4711")
    bob.save()
    assert not signed_in(client)
    assert not AccountSession.objects.exists()


def test_a_session_survives_a_change_of_the_secret_key(client: Client, bob: User, settings: Any) -> None:
    client.force_login(bob)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = secrets.token_urlsafe(50)
    assert signed_in(client)
    settings.SECRET_KEY_FALLBACKS = []
    assert signed_in(client), "it is signed with the new key by now"


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (PHONE, "Firefox · Android"),
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/130.0 Safari/537.36 Edg/130.0", "Edge · Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1", "Safari · iPhone"),
        ("curl/8", ""),
    ],
)
def test_browsers_have_names(agent: str, name: str) -> None:
    assert device_of(agent) == name
