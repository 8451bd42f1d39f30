"""Who may open which page: every route of the site with the status that each of the cast gets from a GET request.

Routes without parameters are requested here, the others in the tests of their package. Other methods, and players,
opponents, assistants, directors and owners, are in tests/access/test_role_walk.py.
"""

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from players.models import User
from tests.access import events, matches, people, site
from tests.access.answers import Access

ROUTES = {**site.ROUTES, **people.ROUTES, **matches.ROUTES, **events.ROUTES}


def routes(resolver: URLResolver | None = None, prefix: str = "") -> Iterator[str]:
    """Yield every route as it is written in the URL configuration; the admin site counts as one."""
    for entry in (resolver or get_resolver()).url_patterns:
        route = prefix + str(entry.pattern)
        if route == "admin/" or isinstance(entry, URLPattern):
            yield route
        else:
            yield from routes(entry, route)


def test_every_route_is_in_the_table() -> None:
    paths = list(routes())
    assert len(ROUTES) == sum(len(table.ROUTES) for table in (site, people, matches, events)), "each is in one table"
    assert "healthz" in paths
    assert sorted(set(paths) - set(ROUTES)) == [], "routes that nobody has decided about"
    assert sorted(set(ROUTES) - set(paths)) == [], "routes that are gone"


@pytest.fixture
def visitors(dave: User, password: str) -> dict[str, Client]:
    staff = User.objects.create_superuser("staff@example.org", password, display_name="Staff")
    clients = {name: Client() for name in Access._fields}
    clients["dave"].force_login(dave)
    clients["staff"].force_login(staff)
    return clients


@pytest.mark.parametrize("route", [route for route in ROUTES if "<" not in route])
def test_a_route_without_parameters_answers_as_the_table_says(route: str, visitors: dict[str, Client]) -> None:
    answers = Access(**{name: client.get(f"/{route}").status_code for name, client in visitors.items()})
    assert answers == ROUTES[route]
