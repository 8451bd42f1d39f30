"""Every answer of the site says by a header that it is one, so that a proxy's or a portal's can be told from it."""

import re
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse

import pytest
from django.http import HttpRequest, HttpResponse
from django.urls import path
from redis import Redis

from config import asgi, wsgi_threads
from config.http_protocol import MAX_HEAD
from core.live import site_version
from core.packages import PACKAGES, ROOT
from tests.config.test_arrival import served
from tests.config.test_downloads import PATIENCE

MARK = "Barpoint"


def crashes(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("a bug")


class Urls:
    """The site with a view that raises."""

    from config.urls import handler400 as handler400
    from config.urls import handler500 as handler500
    from config.urls import urlpatterns as _site

    urlpatterns = (*_site, path("crashes/", crashes))


@pytest.fixture
def port(transactional_db: None, valkey: Redis) -> Iterator[int]:
    with served(Urls) as number:
        yield number


def ask(port: int, method: str, url: str, body: str | None = None, **headers: str) -> HTTPResponse:
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request(method, url, body, {name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    connection.close()
    return answer


HTML = "text/html"
KINDS = {
    "a page": (200, "GET", "/sign-in/", {}),
    "a page from the cache": (200, "GET", "/clubs/", {}),
    "a fragment": (200, "GET", "/clubs/", {"HX_Request": "true"}),
    "JSON": (200, "GET", "/api/v1/clubs/", {}),
    "a redirect": (302, "GET", "/my/", {}),
    "a missing slash": (301, "GET", "/clubs", {}),
    "a missing page": (404, "GET", "/no-such-page/", {}),
    "a missing object of the API": (404, "GET", "/api/v1/clubs/no-such-club/", {}),
    "a method that is not allowed": (405, "GET", "/theme/", {}),
    "a form without a token": (403, "POST", "/theme/", {}),
    "another host": (400, "GET", "/", {"Host": "another.example"}),
    "a crash": (500, "GET", "/crashes/", {}),
    "the health check": (200, "GET", "/healthz", {}),
    "an event stream": (400, "GET", "/live/", {}),
    "a static file": (200, "GET", "/static/config/base.css", {}),
    "the service worker": (200, "GET", "/service-worker.js", {}),
    "headers that are too long": (431, "GET", "/", {"X_Long": "x" * MAX_HEAD}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_answer_is_marked(port: int, kind: str) -> None:
    status, method, url, headers = KINDS[kind]
    answer = ask(port, method, url, **headers)
    assert (answer.status, answer.headers[MARK]) == (status, "1")


def test_so_is_an_answer_that_has_not_changed(port: int) -> None:
    """The browser then takes this header for the page that it has, which may be from before there was one."""
    site_version.replace()
    time.sleep(0.01)
    first = ask(port, "GET", "/clubs/")
    again = ask(port, "GET", "/clubs/", If_None_Match=first.headers["ETag"])
    assert (again.status, again.headers[MARK]) == (304, "1")


def test_so_is_a_refusal_before_the_site_has_a_thread(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asgi.wsgi_pages, "_most_reads", 0)
    busy = ask(port, "GET", "/sign-in/", Accept=HTML)
    monkeypatch.setattr(wsgi_threads, "PATIENCE", 0.2)
    slow = ask(port, "POST", "/theme/", "a=", Content_Length="90", Accept=HTML)
    assert [(answer.status, answer.headers[MARK]) for answer in (busy, slow)] == [(503, "1"), (408, "1")]


# What the scripts ask.

REQUEST = re.compile(r"(?<![\w#])fetch\(|XMLHttpRequest\(")
OWN = {
    "config/static/config/ours.js": "asks whether an answer is the site's own",
    "templates/config/service_worker.js": "cannot import modules, and decides by the same header in `answerTo`",
}
"""Scripts that request something by themselves, and why they may."""


def test_every_script_asks_for_the_mark_in_one_place() -> None:
    folders = [*(ROOT / name / "static" for name in PACKAGES), ROOT / "templates"]
    scripts = [path for folder in folders for path in sorted(folder.rglob("*.js"))]
    names = {str(path.relative_to(ROOT)) for path in scripts if REQUEST.search(path.read_text())}
    assert len(scripts) > 50
    assert names - {name for name in names if "/static/vendor/" in name} == OWN.keys()
