"""Public pages are the same for every anonymous visitor, and what is somebody's is never shared."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from config.backends.writes import NOT_PUBLIC
from config.page_cache import PUBLIC_ROUTES, page_request
from tests.access.world import World

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_public_pages_set_no_cookie_and_read_none(world: World) -> None:
    wrong: dict[str, Any] = {}
    for name in PUBLIC_ROUTES:
        with CaptureQueriesContext(connection) as queries:
            answer = Client().get(world.address(name))
        unannounced = {table for table in NOT_PUBLIC for query in queries if f'"{table}"' in query["sql"]}
        assert not unannounced, f"{name} shows what is written without making stored pages stale"
        if answer.status_code != 200 or answer.cookies or "csrfmiddlewaretoken" in answer.content.decode():
            wrong[name] = (answer.status_code, sorted(answer.cookies))
    assert len(PUBLIC_ROUTES) > 30
    assert wrong == {}


@pytest.mark.slow
def test_who_is_signed_in_is_never_answered_from_the_cache(visitors: dict[str, Client], world: World) -> None:
    for role, client in visitors.items():
        cookie = client.cookies.output(header="", sep=";").strip()
        headers = [(b"host", b"club"), *([(b"cookie", cookie.encode())] if cookie else [])]
        for name in PUBLIC_ROUTES:
            path = world.address(name)
            scope = {"method": "GET", "path": path, "query_string": b"", "headers": headers}
            assert (page_request(scope) is not None) == (role == "anonymous"), f"{role} {name}"
