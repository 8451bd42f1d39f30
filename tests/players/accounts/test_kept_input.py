"""Alice's session ends while she fills in a form; after signing in she can send what she typed."""

import re
import secrets
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import _mask_cipher_secret
from django.test import Client, override_settings
from django.urls import path
from django.utils import timezone

from players.accounts import kept_input
from players.accounts.kept_input import csrf_secret_for
from players.models import Club, Membership, Player, User

pytestmark = pytest.mark.django_db

ABOUT = "Tuesdays at 7 <in the back room>\nAsk Åse & Bob"
TYPED = {"name": "Harbour", "city": "Esbjerg", "time_zone": "Europe/Copenhagen", "about": ABOUT}


@pytest.fixture
def harbour(alice: User) -> Club:
    club = Club.objects.create(name="Old name", slug="harbour", time_zone="Europe/Copenhagen")
    player = Player.objects.create(name="Alice", user=alice)
    Membership.objects.create(club=club, player=player, role=Membership.Role.OWNER)
    return club


@pytest.fixture
def browser(alice: User) -> Client:
    """Alice's browser with CSRF checks, on the page with the form, after her session has ended."""
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(alice)
    browser.get("/clubs/new/")
    browser.session.flush()
    return browser


def send(browser: Client, path: str, fields: dict[str, Any], **headers: str) -> Any:
    token = browser.cookies["csrftoken"].value
    headers.setdefault("Referer", f"http://testserver{path}")
    return browser.post(path, {**fields, "csrfmiddlewaretoken": token}, headers=headers)


def sign_in(browser: Client, password: str) -> Any:
    return send(browser, "/sign-in/", {"username": "alice@example.org", "password": password})


def form_on(page: Any) -> tuple[str, dict[str, str]]:
    """The URL and fields of the page's main form."""
    html = page.content.decode()
    main = html[html.index("<main") : html.index("</main>")]
    fields = re.findall(r'<textarea name="([^"]+)" hidden>(.*?)</textarea>', main, re.DOTALL)
    action = re.findall(r'<form[^>]* action="([^"]+)"', main)[0]
    return unescape(action), {name: unescape(value) for name, value in fields}


def test_what_was_typed_is_sent_after_signing_in(browser: Client, harbour: Club, password: str) -> None:
    refused = send(browser, "/clubs/harbour/edit/", TYPED)
    assert (refused.status_code, refused["Location"]) == (302, "/sign-in/?next=/clubs/harbour/edit/")
    assert "You were signed out" in browser.get(refused["Location"]).content.decode()
    assert "You were signed out" in sign_in(browser, "a wrong password").content.decode(), "and it is still kept"
    assert sign_in(browser, password)["Location"] == "/sign-in/continue/"

    path, fields = form_on(browser.get("/sign-in/continue/"))
    assert fields == TYPED
    assert Club.objects.get().name == "Old name", "nothing is sent without a click"
    assert send(browser, path, fields).status_code == 302
    club = Club.objects.get()
    assert (club.name, club.city, club.about.splitlines()) == ("Harbour", "Esbjerg", ABOUT.splitlines())
    assert browser.get("/sign-in/continue/")["Location"] == "/", "it is offered once"


def sign_in_again(browser: Client, password: str, email: str = "alice@example.org") -> None:
    """In another tab, after the session has ended."""
    browser.session.flush()
    browser.get("/sign-in/")
    answer = send(browser, "/sign-in/", {"username": email, "password": password})
    assert answer.status_code == 302


@pytest.mark.parametrize("has_signed_in_here", [True, False])
def test_what_was_typed_is_kept_when_one_has_signed_in_again_in_another_tab(
    browser: Client, harbour: Club, alice: User, password: str, has_signed_in_here: bool
) -> None:
    if has_signed_in_here:
        sign_in_again(browser, password)
    else:
        browser.cookies.pop("csrftoken")
        browser.force_login(alice)
    browser.get("/clubs/harbour/edit/")
    old = browser.cookies["csrftoken"].value
    sign_in_again(browser, password)
    assert browser.cookies["csrftoken"].value != old
    typed = {**TYPED, "csrfmiddlewaretoken": _mask_cipher_secret(old)}
    refused = browser.post("/clubs/harbour/edit/", typed)
    assert (refused.status_code, refused["Location"]) == (302, "/sign-in/continue/")
    page = browser.get(refused["Location"])
    assert "You have signed in again" in page.content.decode()
    path, fields = form_on(page)
    assert (path, fields) == ("/clubs/harbour/edit/", TYPED)
    assert Club.objects.get().name == "Old name", "nothing is sent without a click"
    assert send(browser, path, fields).status_code == 302
    assert Club.objects.get().name == "Harbour"


def test_what_was_typed_is_kept_for_nobody_else(browser: Client, harbour: Club, bob: User, password: str) -> None:
    sign_in_again(browser, password)
    browser.get("/clubs/harbour/edit/")
    alices = _mask_cipher_secret(browser.cookies["csrftoken"].value)
    sign_in_again(browser, password, bob.email)
    for token in (alices, _mask_cipher_secret(csrf_secret_for(AnonymousUser())), "a" * 64, "short", ""):
        answer = browser.post("/clubs/harbour/edit/", {**TYPED, "csrfmiddlewaretoken": token})
        assert answer.status_code == 403
        assert kept_input.COOKIE not in answer.cookies


def forbids(request: HttpRequest) -> HttpResponse:
    raise PermissionDenied


class Urls:
    """The site with a form that answers 403 to anonymous users instead of asking them to sign in."""

    from config.urls import urlpatterns as _site

    urlpatterns = (*_site, path("forbids/", forbids))


@override_settings(ROOT_URLCONF=Urls)
def test_a_form_refused_after_the_session_ended_leads_to_signing_in(browser: Client, alice: User) -> None:
    refused = send(browser, "/forbids/", {"name": "Carol"})
    assert (refused.status_code, refused["Location"]) == (302, "/sign-in/?next=/forbids/")
    assert kept_input.COOKIE in refused.cookies
    browser.force_login(alice)
    assert send(browser, "/forbids/", {"name": "Carol"}).status_code == 403, "signing in again would not help"
    stranger = Client(enforce_csrf_checks=True)
    stranger.get("/sign-in/")
    assert send(stranger, "/forbids/", {"name": "Carol"}).status_code == 403, "there was no session"


def test_passwords_are_never_kept(browser: Client, harbour: Club, password: str) -> None:
    typed = {"password": password, "new_password": "secret-of-alice", "display_name": "Alice", "api_token": "x"}
    answer = send(browser, "/preferences/password/", typed)
    cookie = answer.cookies[kept_input.COOKIE]
    assert cookie["httponly"]
    assert cookie["path"] == "/sign-in/"
    sign_in(browser, password)
    assert form_on(browser.get("/sign-in/continue/"))[1] == {"display_name": "Alice"}


def test_a_form_from_another_site_is_not_kept(browser: Client, harbour: Club) -> None:
    answer = browser.post("/clubs/harbour/edit/", TYPED)
    assert answer.status_code == 403
    assert kept_input.COOKIE not in answer.cookies


def test_only_a_cookie_signed_within_the_hour_is_used(
    browser: Client, harbour: Club, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(browser, "/clubs/harbour/edit/", TYPED)
    browser.force_login(alice)
    mine = browser.cookies[kept_input.COOKIE].value
    browser.cookies[kept_input.COOKIE] = mine[:-1] + ("a" if mine[-1] != "a" else "b")
    assert browser.get("/sign-in/continue/")["Location"] == "/"
    browser.cookies[kept_input.COOKIE] = mine
    later = (timezone.now() + timedelta(seconds=kept_input.LASTS + 5)).timestamp()
    with monkeypatch.context() as patch:
        patch.setattr("django.core.signing.time.time", lambda: later)
        assert browser.get("/sign-in/continue/")["Location"] == "/"
    assert browser.get("/sign-in/continue/").status_code == 200


def test_input_too_long_for_a_cookie_still_leads_back(browser: Client, harbour: Club, password: str) -> None:
    answer = send(browser, "/clubs/harbour/edit/", {**TYPED, "about": secrets.token_hex(9000)})
    assert answer["Location"] == "/sign-in/?next=/clubs/harbour/edit/"
    assert kept_input.COOKIE not in answer.cookies


def test_a_fragment_is_never_replaced_by_the_sign_in_page(browser: Client, harbour: Club) -> None:
    polled = browser.get("/my/", headers={"HX-Request": "true"})
    assert (polled.status_code, polled.content) == (204, b"")
    assert "HX-Redirect" not in polled.headers
    sent = send(browser, "/clubs/harbour/edit/", TYPED, **{"HX-Request": "true"})
    assert (sent.status_code, sent["HX-Redirect"]) == (204, "/sign-in/?next=/clubs/harbour/edit/")
    assert kept_input.COOKIE in sent.cookies


def test_signing_in_leads_to_the_next_page(client: Client, alice: User, password: str) -> None:
    answer = client.post("/sign-in/", {"username": alice.email, "password": password})
    assert answer["Location"] == "/"


def test_a_kept_form_goes_to_its_own_url_not_to_the_page_it_was_on(
    browser: Client, harbour: Club, password: str
) -> None:
    send(browser, "/clubs/harbour/edit/", TYPED, Referer="http://testserver/clubs/harbour/")
    sign_in(browser, password)
    assert form_on(browser.get("/sign-in/continue/"))[0] == "/clubs/harbour/edit/"
