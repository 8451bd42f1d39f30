"""Every error has a page of its own with links to go on."""

import re
import sqlite3
from contextlib import closing
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path

from engine.errors import Refused
from players.models import User

pytestmark = pytest.mark.django_db


def forbids(request: HttpRequest) -> HttpResponse:
    raise PermissionDenied


def refuses(request: HttpRequest) -> HttpResponse:
    raise Refused("too_many_attempts", minutes=5)


def crashes(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("a bug")


def writes(request: HttpRequest) -> HttpResponse:
    connection.settings_dict["OPTIONS"]["timeout"] = 0.1
    connection.close()
    User.objects.update(theme="dark")
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


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL locks rows, and has no single writer")
@pytest.mark.django_db(transaction=True)
@override_settings(ROOT_URLCONF=Urls)
def test_a_locked_database_is_explained(client: Client, bob: User) -> None:
    patience = connection.settings_dict["OPTIONS"]["timeout"]
    with closing(sqlite3.connect(connection.settings_dict["NAME"])) as other:
        other.execute("BEGIN IMMEDIATE")
        answer, problem = client.get("/writes/"), client.get("/api/writes/")
    assert client.get("/writes/").status_code == 200
    connection.settings_dict["OPTIONS"]["timeout"] = patience
    connection.close()
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "2")
    assert ways_on(answer)
    assert (problem.status_code, problem.json()["code"]) == (503, "busy")
