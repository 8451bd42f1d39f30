"""Every error has a page of its own with links to go on."""

import logging
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from html import unescape
from io import StringIO
from secrets import token_hex
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path

from config.logs import SafeFormatter
from engine.errors import Refused
from players.models import User
from tests.pages import html

pytestmark = pytest.mark.django_db


def forbids(request: HttpRequest) -> HttpResponse:
    raise PermissionDenied


def refuses(request: HttpRequest) -> HttpResponse:
    raise Refused("too_many_attempts", minutes=5)


def crashes(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("a bug")


def writes(request: HttpRequest) -> HttpResponse:
    User.objects.update(theme="dark")
    return HttpResponse()


def grows(request: HttpRequest) -> HttpResponse:
    User.objects.bulk_create(User(email=f"{token_hex()}@example.org", display_name="y" * 90) for _ in range(50))
    return HttpResponse()


def takes(request: HttpRequest) -> HttpResponse:
    return HttpResponse(str(len(request.POST)))


class Urls:
    """The site with views that raise errors."""

    from config import urls

    handler400, handler403 = urls.handler400, urls.handler403
    handler404, handler500 = urls.handler404, urls.handler500
    urlpatterns = (
        *urls.urlpatterns,
        path("forbids/", forbids),
        path("refuses/", refuses),
        path("crashes/", crashes),
        path("takes/", takes),
        path("writes/", writes),
        path("api/writes/", writes),
        path("grows/", grows),
        path("api/grows/", grows),
        path("api/takes/", takes),
    )


def ways_on(answer: Any) -> list[str]:
    """The links in the main part of a page."""
    html = answer.content.decode()
    main = html[html.index("<main") : html.index("</main>")]
    assert re.search(r"<h1>[A-Z]", main)
    return re.findall(r'<a [^>]*href="([^"]+)"', main)


@override_settings(ROOT_URLCONF=Urls)
def test_each_status_has_a_page_with_links() -> None:
    client = Client(raise_request_exception=False)
    for method, where, status in (
        ("get", "/nowhere/", 404),
        ("get", "/forbids/", 403),
        ("get", "/refuses/", 429),
        ("get", "/crashes/", 500),
        ("get", "/sign-out/", 405),
    ):
        answer = getattr(client, method)(where)
        assert answer.status_code == status, where
        assert ways_on(answer), where


@override_settings(ROOT_URLCONF=Urls)
def test_an_error_page_links_to_the_previous_page(client: Client) -> None:
    here = {"Referer": "http://testserver/events/?q=1"}
    for where in ("/forbids/", "/refuses/", "/nowhere/"):
        assert "/events/" in ways_on(client.get(where, headers=here)), where
        assert "https://example.com/" not in ways_on(client.get(where, headers={"Referer": "https://example.com/"}))


@override_settings(ROOT_URLCONF=Urls)
def test_an_anonymous_visitor_is_offered_to_sign_in(client: Client, bob: User) -> None:
    assert "/sign-in/?next=/forbids/" in ways_on(client.get("/forbids/"))
    client.force_login(bob)
    assert not [link for link in ways_on(client.get("/forbids/")) if "sign-in" in link]


def test_a_form_without_a_csrf_token_is_explained() -> None:
    strict = Client(enforce_csrf_checks=True)
    answer = strict.post("/theme/", {"theme": "dark"}, headers={"Referer": "http://testserver/clubs/"})
    assert answer.status_code == 403
    assert "This page was out of date" in answer.content.decode()
    assert "/clubs/" in ways_on(answer)


@override_settings(ROOT_URLCONF=Urls)
def test_a_request_that_is_too_large_is_explained() -> None:
    client = Client()
    many = {f"field-{number}": "1" for number in range(settings.DATA_UPLOAD_MAX_NUMBER_FIELDS + 1)}
    large = {"text": "x" * (settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)}
    for fields in (many, large):
        encoded: dict[str, Any] = {"data": "&".join(f"{name}={value}" for name, value in fields.items())}
        encoded["content_type"] = "application/x-www-form-urlencoded"
        answer = client.post("/takes/", **encoded)
        assert answer.status_code == 413
        assert "Too large" in answer.content.decode()
        assert ways_on(answer)
        assert client.post("/api/takes/", **encoded).json()["code"] == "too_large"


@contextmanager
def another_connection(**changes: Any) -> Iterator[None]:
    """Settings of the database for a while, with new connections."""
    before = dict(connection.settings_dict)
    connection.close()
    connection.settings_dict.update(changes)
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict.update(before)


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    """What is logged during the test, as an operator reads it."""
    [handler] = [
        handler
        for handler in logging.getLogger().handlers
        if isinstance(handler, logging.StreamHandler) and isinstance(handler.formatter, SafeFormatter)
    ]
    stream = StringIO()
    # Not with setStream, which flushes the stream before: an earlier test may have closed it.
    monkeypatch.setattr(handler, "stream", stream)
    return stream


SQLITE_ALONE = pytest.mark.skipif(connection.vendor != "sqlite", reason="a file of our own can be locked or filled")


@SQLITE_ALONE
@pytest.mark.django_db(transaction=True)
@override_settings(ROOT_URLCONF=Urls)
def test_a_locked_database_is_explained(client: Client, bob: User) -> None:
    impatient = connection.settings_dict["OPTIONS"] | {"timeout": 0.1}
    with another_connection(OPTIONS=impatient), closing(sqlite3.connect(connection.settings_dict["NAME"])) as other:
        other.execute("BEGIN IMMEDIATE")
        answer, problem = client.get("/writes/"), client.get("/api/writes/")
    assert client.get("/writes/").status_code == 200
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "2")
    assert ways_on(answer)
    assert (problem.status_code, problem.json()["code"]) == (503, "busy")


@SQLITE_ALONE
@pytest.mark.django_db(transaction=True)
@override_settings(ROOT_URLCONF=Urls)
@pytest.mark.parametrize("pragma", ["max_page_count = 1", "query_only = 1"])
def test_a_full_or_read_only_disk_keeps_what_was_typed(bob: User, pragma: str, log: StringIO) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(bob)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")  # Pages that other tests have freed would take what is written.
    options = connection.settings_dict["OPTIONS"]
    commands = f"{options['init_command']} PRAGMA {pragma};"
    fields = {"note": "Two words & “more”", "tables": ["1", "2"], "csrfmiddlewaretoken": "x"}
    with another_connection(OPTIONS=options | {"init_command": commands}):
        answer, secret = client.post("/grows/?a=1", fields), client.post("/grows/", {"note": "n", "new_password": "p"})
        problem = client.post("/api/grows/")
    assert client.post("/grows/").status_code == 200
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "20")
    page = html(answer)
    page = page[page.index('action="/grows/?a=1"') : page.index("</main>")]
    kept = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page)
    kept = [(name, unescape(value)) for name, value in kept if name != "csrfmiddlewaretoken"]
    assert kept == [("note", "Two words & “more”"), ("tables", "1"), ("tables", "2")]
    assert "Go back and try again" in html(secret), "a password is never kept"
    assert (problem.status_code, problem.json()["code"]) == (503, "out_of_order")
    logged = log.getvalue().splitlines()
    assert len(logged) == 3, "one line for each request"
    assert all("database_out_of_order" in line for line in logged)


@pytest.mark.django_db(transaction=True)
def test_a_hook_that_fails_after_the_commit_is_logged_and_disturbs_nothing(log: StringIO) -> None:
    done: list[int] = []
    with transaction.atomic():
        transaction.on_commit(partial(int, "not a number"), robust=True)
        transaction.on_commit(partial(done.append, 1), robust=True)
    assert done == [1]
    assert "Error calling" in log.getvalue()


@SQLITE_ALONE
@pytest.mark.django_db(transaction=True)
def test_a_form_of_another_site_is_not_offered_to_be_sent_again_with_our_token(bob: User) -> None:
    client = Client(raise_request_exception=False, enforce_csrf_checks=True)
    client.force_login(bob)
    [token, *_] = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', html(client.get("/preferences/")))
    with another_connection(NAME="/nowhere/at/all.sqlite3"):
        own = client.post("/clubs/new/", {"name": "Harbour", "csrfmiddlewaretoken": token})
        others = client.post("/clubs/new/", {"name": "Harbour"}, headers={"Origin": "https://other.example"})
    assert [answer.status_code for answer in (own, others)] == [503, 503]
    assert 'value="Harbour"' in html(own)
    assert 'value="Harbour"' not in html(others)


@SQLITE_ALONE
@pytest.mark.django_db(transaction=True)
@override_settings(ROOT_URLCONF=Urls)
def test_without_its_database_the_site_says_so_on_every_page(bob: User, log: StringIO) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(bob)
    with another_connection(NAME="/nowhere/at/all.sqlite3"):
        answers = [client.get("/clubs/"), client.post("/clubs/new/", {"name": "Harbour"}), client.get("/api/v1/me/")]
    assert [answer.status_code for answer in answers] == [503] * 3
    assert all(answer.headers["Retry-After"] == "20" for answer in answers)
    assert 'value="Harbour"' in html(answers[1])
    assert answers[2].json()["code"] == "out_of_order"
    logged = log.getvalue().splitlines()
    assert len(logged) == len(answers), "one line for each request"
    assert all("unable to open database file" in line for line in logged)
    assert client.get("/clubs/").status_code == 200


@pytest.mark.parametrize(
    ("header", "shown"),
    [
        ("club.example.org", "club.example.org"),
        ("club.example.org:8443", "club.example.org"),
        ("<b>x</b>", ""),
        ("a" * 300, ""),
    ],
)
def test_a_host_that_is_not_allowed_is_named_with_the_setting(header: str, shown: str) -> None:
    answer = Client().get("/", HTTP_HOST=header)
    page = html(answer)
    assert answer.status_code == 400
    assert "<code>ALLOWED_HOSTS</code>" in page
    assert (f"<code>{shown}</code>" in page) == bool(shown)
    assert header not in page or header == shown
    assert settings.ALLOWED_HOSTS[0] not in page, "which hosts are allowed is nobody's business"
