"""Provisional results on the console: confirmed one by one or at once, and closed after they were shown."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from matches.models import Match, Provisional, Result
from players.actors import Actor
from players.models import LogEntry, User
from tournaments.models import Division, Fixture
from tournaments.results import overdue

pytestmark = pytest.mark.django_db


@pytest.fixture
def division(drawn: Callable[..., Division], by_alice: Actor) -> Division:
    """A knockout of eight whose four first matches were decided by lot at the deadline."""
    division = drawn(8, deadline_rule="lots")
    over = timezone.now() - timedelta(minutes=1)
    Fixture.objects.filter(stage__division=division, status=Fixture.Status.READY).update(due_at=over)
    for fixture in overdue.due_fixtures(timezone.now()):
        overdue.apply_deadline(fixture_id=fixture, now=timezone.now())
    assert Match.objects.filter(provisional=True).count() == 4
    return division


def console(division: Division) -> str:
    event = division.tournament
    return f"/events/{event.club.slug}/{event.slug}/console/"


def ids() -> list[str]:
    return list(Provisional.objects.order_by("result__match").values_list("public_id", flat=True))


def left() -> int:
    return Result.objects.filter(finality=Result.Finality.PROVISIONAL).count()


def test_needs_you_lists_them_with_one_button_for_all(division: Division, alice_client: Client) -> None:
    page = alice_client.get(console(division)).content.decode()
    assert page.count('data-need="provisional"') == 4
    assert "Confirm all 4 provisional results" in page
    page = alice_client.post(f"{console(division)}confirm-all/", {"result": ids()}, follow=True).content.decode()
    assert "Confirmed: M1, M2, M3, M4." in page
    assert 'data-need="provisional"' not in page
    assert left() == 0
    assert set(Provisional.objects.values_list("end", flat=True)) == {"ruling"}


def test_only_what_was_on_the_page_is_confirmed(division: Division, alice_client: Client) -> None:
    alice_client.post(f"{console(division)}confirm-all/", {"result": ids()[:1]})
    assert left() == 3
    assert alice_client.post(f"{console(division)}confirm-all/", {}).status_code == 302
    assert left() == 3


def test_a_bracket_marks_them(division: Division, client: Client) -> None:
    page = client.get(f"{console(division).removesuffix('console/')}{division.public_id}/").content.decode()
    assert page.count("<i>provisional</i>") == 4


def test_closing_a_round_shows_what_is_left_and_confirms_it_by_a_logged_ruling(
    division: Division, alice_client: Client, alice: User
) -> None:
    url = f"{console(division)}close/"
    first = Fixture.objects.get(stage__division=division, number=1)
    scope = f"round-{first.round_id}"
    page = alice_client.get(url, {"scope": scope}).content.decode()
    assert "You confirm these results" in page
    assert "Close 4 results" in page
    page = alice_client.post(url, {"scope": scope, "result": ids()}, follow=True).content.decode()
    assert "Closed: M1, M2, M3, M4." in page
    assert left() == 0
    entry = LogEntry.objects.get(verb="results_closed")
    assert (entry.user, entry.params["matches"]) == (alice, [1, 2, 3, 4])
    assert "Every result is final." in alice_client.get(url).content.decode()


def test_a_scope_of_another_event_is_refused(division: Division, alice_client: Client) -> None:
    alice_client.post(f"{console(division)}close/", {"scope": "round-999999", "result": ids()})
    assert left() == 4


def test_assistants_confirm_and_directors_close(
    division: Division, erin: User, as_user: Callable[[User | None], Client]
) -> None:
    client = as_user(erin)
    assert client.get(f"{console(division)}close/").status_code == 403
    client.post(f"{console(division)}confirm-all/", {"result": ids()})
    assert left() == 0
