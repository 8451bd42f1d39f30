"""Who may do what: every route of the site with every method, as each kind of user.

On the way the headers and cookies of every answer are checked, as a scanner would.
"""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from players.models import User
from tests.access.roles import (
    ACCEPTED,
    EXCEPTIONS,
    MAY_NOT,
    METHODS,
    NEEDS_TOKEN,
    NOT_SO,
    NOT_THERE,
    ROLES,
    ROUTES,
    SIGN_IN,
    TABLE,
    asks_for_account_first,
    declared,
    may,
    patterns,
    row,
    without_account,
)
from tests.access.world import World, address, is_about_event
from tests.event_cast import RunningEvent
from tests.pages import assert_not_shared, assert_protected
from tournaments.models import Tournament

pytestmark = pytest.mark.django_db

# `make test` walks as those who may do least. On PostgreSQL, an owner and a player reach every query of the pages.
ON_POSTGRESQL = [pytest.mark.slow, pytest.mark.postgresql]
MARKS = {"anonymous": [], "player": ON_POSTGRESQL, "owner": [*ON_POSTGRESQL, pytest.mark.landing]}
WALKS = [pytest.param(role, marks=MARKS.get(role, [pytest.mark.slow])) for role in ROLES]


def test_every_route_says_who_may_use_it() -> None:
    assert len(ROUTES) == len(list(patterns())) > 600, "each has a name of its own"
    assert [name for name, methods in TABLE.items() if not methods] == []


def test_every_exception_is_one() -> None:
    for methods, answers, names in EXCEPTIONS:
        for name in names.split():
            openness = declared(ROUTES[name])
            for method in methods.split():
                expected = row(ROUTES[name], method, openness[method]) if method in openness else {}
                assert answers.items() - expected.items(), f"{method} {name}"


def outcome(client: Client, method: str, address: str, body: dict[str, Any]) -> str | int:
    """Return the status a user gets; the request is rolled back."""
    sent = {"data": body} if method == "post" and "/api/" not in address else {}
    if method != "get" and not sent:
        sent = {"data": body, "content_type": "application/json"}
    kept = client.cookies.copy()
    with transaction.atomic():
        answer = getattr(client, method)(address, secure=True, **sent)
        transaction.set_rollback(True)
    # A user who has just signed out is signed in again for the next request.
    client.cookies = kept
    assert answer.status_code < 500, f"{method} {address}"
    assert_not_shared(answer)
    if answer.get("Content-Disposition", "").startswith("attachment") and method == "get":
        # By that the service worker knows that nobody waits for a page.
        assert "." in address.partition("?")[0].rpartition("/")[2] or "/api/" in address
    route = answer.resolver_match.url_name if answer.status_code == 200 else ""
    assert_protected(answer, framed=route.startswith("embed-"))
    if answer.status_code == 302 and answer.headers["Location"].startswith("/sign-in/"):
        return SIGN_IN
    return answer.status_code if answer.status_code in (NEEDS_TOKEN, MAY_NOT, NOT_THERE, NOT_SO) else ACCEPTED


def expected(name: str, method: str, role: str) -> str | int | None:
    """Return what a user gets, or None if it is not tried: what a route has for nobody, only two try."""
    if (answers := TABLE[name].get(method)) is not None:
        return answers[role]
    # Somebody for whom the route has another method, so that the view does not refuse the user instead.
    able = next((role for role in ("owner", *ROLES) if any(may(role, name, other) for other in TABLE[name])), "owner")
    if role == "anonymous" and asks_for_account_first(ROUTES[name], method):
        return without_account(ROUTES[name], method)
    return NOT_SO if role in (able, "anonymous") else None


@pytest.mark.usefixtures("behind_tls")
@pytest.mark.parametrize("of_api", [False, True], ids=["pages", "API"])
@pytest.mark.parametrize("role", WALKS)
def test_each_user_gets_what_the_table_says(role: str, of_api: bool, world: World, visitors: dict[str, Client]) -> None:
    wrong: dict[str, Any] = {}
    requests = 0
    for name in ROUTES:
        if name.startswith("api-") != of_api:
            continue
        with transaction.atomic():
            url = world.address(name)
            for method in METHODS:
                if (right := expected(name, method, role)) is None:
                    continue
                got = outcome(visitors[role], method, url, world.bodies.get(name, {}))
                requests += 1
                if got != right:
                    wrong[f"{method} {name}"] = (got, right)
            transaction.set_rollback(True)
    assert requests > (1000 if role in ("anonymous", "owner") else 300)
    assert wrong == {}


@pytest.mark.slow
@pytest.mark.usefixtures("behind_tls")
def test_a_draft_is_not_there_for_whoever_does_not_run_it(
    running: RunningEvent, visitors: dict[str, Client], subtests: pytest.Subtests
) -> None:
    Tournament.objects.update(status=Tournament.Status.DRAFT)
    names = list(filter(is_about_event, ROUTES))
    assert len(names) > 200
    for name in names:
        with subtests.test(name), transaction.atomic():
            url, method = address(name, running), min(TABLE[name], key=METHODS.index)
            for role in ("stranger", "player", "other_director"):
                assert outcome(visitors[role], method, url, {}) == NOT_THERE, role
            transaction.set_rollback(True)


def test_what_is_under_another_events_address_is_not_there(running: RunningEvent, alice_client: Client) -> None:
    other = running.division_url.replace(running.tournament.slug, "no-such-event")
    assert alice_client.get(running.division_url).status_code == 200
    assert alice_client.get(other).status_code == NOT_THERE
    other = running.fixture_url.replace(running.tournament.slug, "no-such-event")
    assert alice_client.get(other).status_code == NOT_THERE


OF_THE_SITE = {"waiting-clubs", "ownerless-clubs", "friendlies-without-club", "api-friendlies-without-club"}
"""Clubs that wait to be accepted or need an owner, and matches of no club: only those who run the site see them."""


@pytest.mark.slow
@pytest.mark.usefixtures("behind_tls")
def test_running_the_site_gives_no_role_in_a_club(world: World, as_user: Callable[[User | None], Client]) -> None:
    staff = as_user(User.objects.create_superuser("staff@example.org", "crawford-1969", display_name="Staff"))
    refused = {name: answers["get"]["stranger"] for name, answers in TABLE.items() if "get" in answers}
    refused = {name: status for name, status in refused.items() if status in (MAY_NOT, NOT_THERE)}
    assert len(refused) > 100
    answers = {name: outcome(staff, "get", world.address(name), {}) for name in refused}
    assert {name for name in refused if answers[name] != refused[name]} == OF_THE_SITE


@pytest.mark.parametrize("role", ROLES)
def test_club_officers_cannot_open_the_admin(role: str, visitors: dict[str, Client]) -> None:
    for page in ("", "players/user/", "matches/match/"):
        assert visitors[role].get(f"/admin/{page}").headers["Location"].startswith("/admin/login/")
