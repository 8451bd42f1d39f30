"""Who may do what: every route of events, read and written, in each role (tests/access/event_roles.py)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from matches.lifecycle.finish import ResultInput
from players.actors import SYSTEM
from players.models import User
from seasons.services import SeriesInput, create_series
from tests.access.event_roles import (
    BY_SECRET,
    NOT_GET,
    NOT_THERE,
    OF_CLUBS,
    OK,
    ROLES,
    SHARED,
    TABLE,
    WRITES_BY_OTHER_METHODS,
    Row,
)
from tests.event_cast import NOW, RunningEvent
from tests.pages import assert_not_shared, assert_protected
from tournaments.entries.event_links import path_for
from tournaments.entries.kiosks import create_kiosk, pairing_token
from tournaments.events.helpers import add_helper
from tournaments.models import (
    AgreedSplit,
    Correction,
    Payment,
    Series,
    SidePool,
    Table,
    Title,
    Tournament,
)
from tournaments.results import corrections
from tournaments.results import services as results

pytestmark = pytest.mark.django_db


@pytest.fixture
def visitors(
    as_user: Callable[[User | None], Client],
    dave: User,
    bob: User,
    carol: User,
    alice: User,
    erin: User,
    frank: User,
) -> dict[str, Client]:
    users = (None, dave, bob, carol, alice, erin, frank)
    return {role: as_user(user) for role, user in zip(ROLES, users, strict=True)}


ROUTES = {
    route.name: route
    for included in get_resolver().url_patterns
    if isinstance(included, URLResolver)
    for route in included.url_patterns
    if isinstance(route, URLPattern)
}


def address(name: str, running: RunningEvent) -> str:
    """The route's address with what the running event is called."""
    route = ROUTES[name]
    club, slug = running.tournament.club.slug, running.tournament.slug
    values = {
        "club": club,
        "slug": club if name in OF_CLUBS else slug,
        "tournament": running.tournament.public_id,
        "division": running.division.public_id,
        "entry": running.entry.public_id,
        "fixture": running.fixture.public_id,
        "player": running.entry.player.public_id,
        "match": running.fixture.match.public_id,
        "extension": "csv",
        "version": "0" * 10,
        "public_id": {
            "match-card": running.fixture.match.public_id,
            "replay-card": running.fixture.match.public_id,
            "player-card": running.entry.player.public_id,
        }.get(name, ""),
        "kind": "pairings",
        "action": "undo",
        "number": str(running.division.stages.get().draws.get(state="published").number),
    }
    if "table" in route.pattern.regex.groupindex:
        table, _new = Table.objects.get_or_create(tournament=running.tournament, label="1")
        values["table"] = table.public_id
    if "pairing_token" in route.pattern.regex.groupindex:
        kiosk = create_kiosk(tournament=running.tournament, by=SYSTEM, now=timezone.now())
        values["pairing_token"] = pairing_token(kiosk)
    if "event_token" in route.pattern.regex.groupindex:
        values["event_token"] = path_for(running.tournament, running.entry.player, 0).split("/")[2]
    if route.pattern.regex.groupindex.keys() & {"secret", "helper"}:
        invited = add_helper(
            tournament=running.tournament, email="helga@example.org", by=SYSTEM, now=timezone.now(), link=str
        )
        values |= {"secret": invited.url, "helper": invited.helper.public_id}
    if "series" in route.pattern.regex.groupindex:
        season = season_of(running)
        values["series"] = season.public_id if name.startswith("api-") else season.slug
    rows = {"title": title_of, "payment": paid, "correction": corrected}
    for kind in route.pattern.regex.groupindex.keys() & rows.keys():
        values[kind] = rows[kind](running).public_id
    if "pool" in route.pattern.regex.groupindex:
        pool, _new = SidePool.objects.get_or_create(division=running.division, name="Jackpot", fee=5, shares=[10_000])
        values["pool"] = pool.public_id
    if "split" in route.pattern.regex.groupindex:
        values["split"] = AgreedSplit.objects.get_or_create(division=running.division, pot="main")[0].public_id
    path = reverse(name, kwargs={key: values[key] for key in route.pattern.regex.groupindex})
    return f"{path}?label={label_of_table(running)}" if name == "table-now" else path


def season_of(running: RunningEvent) -> Series:
    """A season of the club without events."""
    first = Series.objects.filter(club=running.tournament.club).first()
    days = SeriesInput(running.tournament.name, NOW.date(), NOW.date())
    return first or create_series(club=running.tournament.club, series=days, by=SYSTEM, now=NOW)


def title_of(running: RunningEvent) -> Title:
    """A title of the division."""
    player, club, day = running.entry.player, running.tournament.club, NOW.date()
    values = {"club": club, "player": player, "kind": Title.Kind.EVENT, "day": day}
    return Title.objects.get_or_create(division=running.division, defaults=values)[0]


def label_of_table(running: RunningEvent) -> str:
    """The label of a table of the event."""
    return Table.objects.get_or_create(tournament=running.tournament, label="1")[0].label


def paid(running: RunningEvent) -> Payment:
    """A float in the box of the event."""
    payment, _created = Payment.objects.get_or_create(
        tournament=running.tournament, kind="float", amount=5, key="float"
    )
    return payment


def corrected(running: RunningEvent) -> Correction:
    """M1, corrected once."""
    if (done := Correction.objects.filter(fixture=running.fixture).first()) is not None:
        return done
    results.enter_result(fixture=running.fixture, result=ResultInput(0, (7, 5)), by=SYSTEM, now=NOW)
    running.division.refresh_from_db()
    correction = corrections.apply_correction(
        fixture=running.fixture,
        correction=corrections.CorrectionInput(ResultInput(1, (5, 7)), "correct_all"),
        after=running.division.seq,
        by=SYSTEM,
        now=NOW,
    )
    assert correction is not None
    return correction


def users_of(row: Row, visitors: dict[str, Client]) -> dict[str, Client]:
    """Return who tries a method: everybody, or only one who is signed in where the view has it for none of those."""
    is_refused = set(row[1:]) == {NOT_GET}
    return {role: visitors[role] for role in ("anonymous", "director")} if is_refused else visitors


def check(status: int, expected: Any, role: str) -> None:
    if expected == OK:
        assert status not in (401, 403, 404, 405), f"{role}: {status}"
        assert status < 500, f"{role}: {status}"
    else:
        assert status == expected, f"{role}: {status} instead of {expected}"


@contextmanager
def rolled_back(*clients: Client) -> Iterator[None]:
    """Undo in the end whatever is written meanwhile, and sign these clients in again if they have signed out."""
    cookies = [client.cookies.copy() for client in clients]
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
    for client, kept in zip(clients, cookies, strict=True):
        client.cookies = kept


@pytest.mark.slow
@pytest.mark.usefixtures("behind_tls")
def test_each_role_reads_what_the_table_says(
    running: RunningEvent, visitors: dict[str, Client], subtests: pytest.Subtests
) -> None:
    for name in TABLE:
        with subtests.test(name), rolled_back():
            url = address(name, running)
            for role, client in users_of(TABLE[name][0], visitors).items():
                answer = client.get(url, secure=True)
                check(answer.status_code, getattr(TABLE[name][0], role), role)
                assert_not_shared(answer)
                assert_protected(answer, framed=name.startswith("embed-") and answer.status_code == HTTPStatus.OK)


@pytest.mark.slow
@pytest.mark.usefixtures("behind_tls")
def test_each_role_writes_what_the_table_says(
    running: RunningEvent, visitors: dict[str, Client], subtests: pytest.Subtests
) -> None:
    for name in TABLE:
        with subtests.test(name), rolled_back():
            url = address(name, running)
            for role, client in users_of(TABLE[name][1], visitors).items():
                with rolled_back(client):
                    answer = client.post(url, {}, secure=True)
                status = answer.status_code
                assert_not_shared(answer)
                assert_protected(answer)
                expected = getattr(TABLE[name][1], role)
                if name == "api-fixture-accept" and role == "director":
                    # An empty body is at fault before a record is looked for.
                    assert status == 422
                else:
                    check(status, expected, role)


@pytest.mark.slow
def test_each_role_changes_what_the_table_says(
    running: RunningEvent, visitors: dict[str, Client], subtests: pytest.Subtests
) -> None:
    for name, (method, row) in WRITES_BY_OTHER_METHODS.items():
        for role, client in visitors.items():
            with subtests.test(name, role=role), rolled_back(client):
                answer = getattr(client, method)(address(name, running), {}, content_type="application/json")
                check(answer.status_code, getattr(row, role), role)


@pytest.mark.slow
def test_a_draft_is_not_there_for_whoever_does_not_run_it(
    running: RunningEvent, visitors: dict[str, Client], subtests: pytest.Subtests
) -> None:
    Tournament.objects.update(status=Tournament.Status.DRAFT)
    for name in TABLE:
        if name in ("events", "event-create", "api-tournaments", *OF_CLUBS, *BY_SECRET, *SHARED):
            continue
        with subtests.test(name), rolled_back():
            url = address(name, running)
            for role in ("stranger", "player", "other_director"):
                with rolled_back(visitors[role]):
                    status = visitors[role].get(url).status_code
                    if status == NOT_GET:
                        status = visitors[role].post(url, {}).status_code
                    if status == NOT_GET:
                        method, _row = WRITES_BY_OTHER_METHODS[name]
                        status = getattr(visitors[role], method)(url, {}, content_type="application/json").status_code
                assert status == NOT_THERE, f"{role}: {status}"


def test_what_is_under_another_events_address_is_not_there(running: RunningEvent, alice_client: Client) -> None:
    other = running.division_url.replace(running.tournament.slug, "no-such-event")
    assert alice_client.get(running.division_url).status_code == 200
    assert alice_client.get(other).status_code == NOT_THERE
    assert (
        alice_client.get(running.fixture_url.replace(running.tournament.slug, "no-such-event")).status_code == NOT_THERE
    )
