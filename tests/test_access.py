"""Who may see what: every route of the site is in this table, with what each of the cast gets from a plain GET."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from players.models import User

SIGN_IN = 302
NOT_GET = 405


class Access(NamedTuple):
    """What a GET answers to somebody without an account, to Dave (signed in, nothing else) and to the staff."""

    anonymous: int
    dave: int
    staff: int


EVERYBODY = Access(200, 200, 200)
ONLY_POST = Access(NOT_GET, NOT_GET, NOT_GET)

# Routes without parameters are asked for by the test below; those with parameters are asked for in their room's own
# tests, and stand here with the access those tests check.
ROUTES: dict[str, Access] = {
    "": EVERYBODY,
    "theme/": ONLY_POST,
    # Django's view redirects whoever asks for it by GET.
    "language/": Access(302, 302, 302),
    "jsi18n/": EVERYBODY,
    "healthz": EVERYBODY,
    "readyz": EVERYBODY,
    "api/schema/": EVERYBODY,
    "api/docs/": EVERYBODY,
    # A record is seen by whoever has its link: tests/matches/test_pages.py.
    "check/": EVERYBODY,
    r"^check/(?P<public_id>[2-9a-z]{10})/$": EVERYBODY,
    r"^check/(?P<public_id>[2-9a-z]{10})/replay/$": EVERYBODY,
    r"^check/(?P<public_id>[2-9a-z]{10})/record\.(?P<extension>mat|sgf|json)$": EVERYBODY,
    # tests/api/test_submissions.py
    "api/v1/submissions/": ONLY_POST,
    r"^api/v1/submissions/(?P<public_id>[2-9a-z]{10})/$": EVERYBODY,
    r"^api/v1/submissions/(?P<public_id>[2-9a-z]{10})/record\.(?P<extension>mat|sgf|json)$": EVERYBODY,
    # Rankings and players are public; whose private matches they name is in tests/matches/test_ratings_pages.py.
    "rankings/": EVERYBODY,
    "rankings/ranking.csv": EVERYBODY,
    "rankings/matches.csv": EVERYBODY,
    "players/": EVERYBODY,
    r"^players/(?P<public_id>[2-9a-z]{10})/$": EVERYBODY,
    r"^players/(?P<public_id>[2-9a-z]{10})/matches/$": EVERYBODY,
    r"^players/(?P<public_id>[2-9a-z]{10})/vs/$": EVERYBODY,
    r"^players/(?P<public_id>[2-9a-z]{10})/vs/(?P<other_id>[2-9a-z]{10})/$": EVERYBODY,
    "api/v1/rankings/": EVERYBODY,
    "api/v1/players/": EVERYBODY,
    r"^api/v1/players/(?P<public_id>[2-9a-z]{10})/$": EVERYBODY,
    r"^api/v1/players/(?P<public_id>[2-9a-z]{10})/changes/$": EVERYBODY,
    r"^api/v1/players/(?P<public_id>[2-9a-z]{10})/matches/$": EVERYBODY,
    r"^api/v1/players/(?P<public_id>[2-9a-z]{10})/vs/(?P<other_id>[2-9a-z]{10})/$": EVERYBODY,
    # Django's own pages, each behind the same check.
    "admin/": Access(SIGN_IN, SIGN_IN, 200),
}


def routes(resolver: URLResolver | None = None, prefix: str = "") -> Iterator[str]:
    """Every route as it is written in the URL configuration; the admin site counts as one."""
    for entry in (resolver or get_resolver()).url_patterns:
        route = prefix + str(entry.pattern)
        if route == "admin/" or isinstance(entry, URLPattern):
            yield route
        else:
            yield from routes(entry, route)


def test_every_route_is_in_the_table() -> None:
    found = list(routes())
    assert "healthz" in found
    assert sorted(set(found) - set(ROUTES)) == [], "routes that nobody has decided about"
    assert sorted(set(ROUTES) - set(found)) == [], "routes that are gone"


@pytest.fixture
def visitors(dave: User, password: str) -> dict[str, Client]:
    staff = User.objects.create_superuser("staff@example.org", password, display_name="Staff")
    clients = {name: Client() for name in Access._fields}
    clients["dave"].force_login(dave)
    clients["staff"].force_login(staff)
    return clients


@pytest.mark.parametrize("route", [route for route in ROUTES if "<" not in route])
def test_a_plain_route_answers_each_as_the_table_says(route: str, visitors: dict[str, Client]) -> None:
    answers = Access(**{name: client.get(f"/{route}").status_code for name, client in visitors.items()})
    assert answers == ROUTES[route]
