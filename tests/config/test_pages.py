import re
from datetime import datetime, timedelta

import pytest
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path
from django.utils import timezone

from clubhouse.home import home
from demo.club import load
from engine.errors import Refused
from players.actors import Actor
from players.clubs.services import create_club
from players.models import User
from tournaments.events.services import create_division, create_tournament, publish_tournament


def refuses(request: HttpRequest) -> HttpResponse:
    raise Refused("bad_dice", dice="70")


def crashes(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("a bug")


class RefusingUrls:
    """The site with two additional pages."""

    from config.urls import urlpatterns as _site

    urlpatterns = (*_site, path("refuses/", refuses), path("crashes/", crashes))


def test_an_unknown_url_shows_page_not_found(client: Client, db: None) -> None:
    response = client.get("/nowhere/")
    assert response.status_code == 404
    assert "Page not found" in response.content.decode()


@override_settings(ROOT_URLCONF=RefusingUrls)
def test_a_refusal_is_shown_as_a_page_with_the_reason(client: Client, db: None) -> None:
    response = client.get("/refuses/")
    assert response.status_code == 422
    assert "70 is not a roll of two dice" in response.content.decode()


@override_settings(ROOT_URLCONF=RefusingUrls)
def test_an_unexpected_error_has_its_own_page(db: None) -> None:
    response = Client(raise_request_exception=False).get("/crashes/")
    assert response.status_code == 500
    assert "This is our fault, and it has been recorded." in response.content.decode()
    assert "a bug" not in response.content.decode()


def test_only_our_own_files_may_run(client: Client, db: None) -> None:
    policy = client.get("/").headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize(
    ("name", "governed"),
    [
        ("config/stream.js", False),
        ("config/base.css", False),
        ("config/favicon.svg", True),
        ("config/no_such_module.js", True),
    ],
)
def test_only_what_can_be_a_page_of_its_own_carries_the_policy(
    client: Client, db: None, name: str, governed: bool
) -> None:
    headers = client.get(f"/static/{name}").headers
    assert ("Content-Security-Policy" in headers, "Permissions-Policy" in headers) == (governed, governed)
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_no_page_has_inline_scripts_or_styles(client: Client, db: None) -> None:
    # What is only for others to follow has whole addresses of this site.
    for_others = r'<meta property="og:(?:image|url)"[^>]*>|<link rel="(?:canonical|alternate)"[^>]*>'
    page = re.sub(for_others, "", client.get("/").content.decode())
    assert re.findall(r"<script(?![^>]*\bsrc=)", page) == []
    assert not re.search(r"\sstyle=|<style|\son\w+=|https?://(?!www\.w3\.org)", page)


def test_responses_have_security_headers(client: Client, db: None) -> None:
    headers = client.get("/").headers
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"


def test_a_request_keeps_a_valid_request_id(client: Client, db: None) -> None:
    assert client.get("/healthz", headers={"X-Request-ID": "abc-12345"}).headers["X-Request-ID"] == "abc-12345"
    assert client.get("/healthz", headers={"X-Request-ID": "a\nb c"}).headers["X-Request-ID"] != "a\nb c"


def test_the_theme_of_a_visitor_without_an_account_is_left_to_their_browser(client: Client, db: None) -> None:
    response = client.post("/theme/", {"theme": "dark", "next": "/"})
    assert (response.status_code, sorted(response.cookies)) == (302, [])
    page = client.get("/").content.decode()
    assert 'data-theme="auto"' in page
    assert "config/theme.js" in page


def test_bobs_theme_is_saved_in_his_account(client: Client, bob: User) -> None:
    client.force_login(bob)
    client.post("/theme/", {"theme": "dark", "next": "/"})
    bob.refresh_from_db()
    assert bob.theme == "dark"


@pytest.mark.parametrize("target", ["https://example.com/", "//example.com/", "javascript:alert(1)"])
def test_choosing_a_theme_never_redirects_to_another_site(client: Client, db: None, target: str) -> None:
    assert client.post("/theme/", {"theme": "dark", "next": target}).headers["Location"] == "/"


def test_an_unknown_theme_is_not_saved(client: Client, bob: User) -> None:
    client.force_login(bob)
    client.post("/theme/", {"theme": "plaid"})
    bob.refresh_from_db()
    assert bob.theme == "auto"


def test_bob_sees_times_in_his_own_time_zone(bob: User) -> None:
    from django.contrib.auth.models import AnonymousUser
    from django.test import RequestFactory
    from django.utils import timezone

    from config.middleware import Preferences

    seen: list[str] = []

    def page(request: HttpRequest) -> HttpResponse:
        seen.append(timezone.get_current_timezone_name())
        return home(request)

    request = RequestFactory().get("/")
    for zone in ("Europe/Copenhagen", "Mars/Olympus", "../etc/passwd"):
        bob.time_zone = zone
        request.user = bob
        Preferences(page)(request)
    request.user = AnonymousUser()
    Preferences(page)(request)
    assert seen == ["Europe/Copenhagen", settings.TIME_ZONE, settings.TIME_ZONE, settings.TIME_ZONE]


def test_readyz_checks_the_database(client: Client, db: None) -> None:
    response = client.get("/readyz")
    assert response.status_code == 200
    assert response.json() == {"database": "ok", "queue": "ok", "sweeps": "ok"}


@pytest.mark.usefixtures("broker_down")
def test_readyz_reports_a_missing_queue(client: Client, db: None) -> None:
    response = client.get("/readyz")
    assert response.status_code == 200
    assert response.json() == {"database": "ok", "queue": "down", "sweeps": "down"}


@pytest.mark.usefixtures("broker_down")
def test_pages_work_without_the_broker(client: Client, db: None) -> None:
    assert client.get("/").status_code == 200


@pytest.mark.parametrize("address", ["/events/?club=%00", "/api/v1/tournaments/?club=a%00b", "/clubs/%00/"])
def test_a_nul_character_in_a_request_is_refused(client: Client, db: None, address: str) -> None:
    assert client.get(address).status_code == 400
    assert client.get("/", headers={"Idempotency-Key": "a\0b"}).status_code == 400
    assert client.get(address.replace("%00", "%20")).status_code in (200, 404)


@pytest.mark.slow
def test_the_home_page_shows_current_events(client: Client, db: None, password: str) -> None:
    assert "home-events" not in client.get("/").content.decode()
    load(password=password, now=timezone.now())
    full = client.get("/").content.decode()
    assert re.search(r'<a class="event-name name" href="/events/harbour/[\w-]+/">Winter Knockout</a>', full)
    assert "Autumn Cup" not in full, "it is over"


def test_the_home_page_shows_no_draft_events(client: Client, alice: User, db: None) -> None:
    club = create_club(name="Harbour", by=Actor.of(alice))
    now = timezone.now()
    event = create_tournament(club=club, by=Actor.of(alice), now=now, name="Secret Cup", starts_at=now)
    client.force_login(alice)
    assert "Secret Cup" not in client.get("/").content.decode()
    create_division(tournament=event, by=Actor.of(alice), now=now, name="Open")
    publish_tournament(tournament=event, by=Actor.of(alice), now=now)
    assert "Secret Cup" in client.get("/").content.decode()


def test_security_txt_says_whom_to_tell(client: Client, settings) -> None:  # type: ignore[no-untyped-def]
    settings.SECURITY_CONTACT = "mailto:security@example.org"
    response = client.get("/.well-known/security.txt")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    fields = dict(line.split(": ", 1) for line in response.content.decode().splitlines())
    assert fields["Contact"] == "mailto:security@example.org"
    assert fields["Canonical"].endswith("/.well-known/security.txt")
    assert timedelta(days=1) < datetime.fromisoformat(fields["Expires"]) - timezone.now() < timedelta(days=366)
