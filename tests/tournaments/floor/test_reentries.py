"""Re-entry from the floor: a loser of the main bracket enters again by one tap, and another tap undoes it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from matches.lifecycle.finish import ResultInput
from matches.models import Result
from players.actors import Actor
from players.models import User
from tests.pages import html
from tests.tournaments.floor.test_services import Evening
from tests.tournaments.support.pages import text
from tournaments.floor import calls
from tournaments.floor import evening as opening
from tournaments.floor.page.sheets import reentry_posts
from tournaments.floor.undo import last_act, undo
from tournaments.ledger import payments
from tournaments.ledger.accounts import account_of, division_charges
from tournaments.ledger.payments import PaymentInput
from tournaments.models import Division, Entry, Slot
from tournaments.results import services as results
from tournaments.state.integrity import differences

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


@pytest.fixture
def evening(drawn: Callable[..., Division], by_alice: Actor) -> Evening:
    """A knockout of six with two byes; re-entry is open for two hours and costs half of 10 tickets."""
    division = drawn(6, match_length=7, fee=10, reentry_until=timezone.now() + timedelta(hours=2))
    opening.open_floor(tournament=division.tournament, by=by_alice, now=timezone.now())
    return Evening(division, by_alice, timezone.now())


def first(evening: Evening) -> int:
    """The number of a first-round match that both players came to."""
    rows = evening.division.stages.get().fixtures.filter(match__isnull=False).order_by("number")
    return rows.values_list("number", flat=True)[0]


def floor_url(evening: Evening) -> str:
    event = evening.division.tournament
    return f"/events/{event.club.slug}/{event.slug}/floor/"


@pytest.mark.slow
def test_one_tap_enters_a_loser_again_for_the_fee_and_another_undoes_it(
    evening: Evening, alice_client: Client, erin: User, as_user: Callable[[User], Client]
) -> None:
    number, url = first(evening), floor_url(evening)
    loser = evening.match(number).player_1
    assert "enters again" not in html(alice_client.get(url))
    evening.win(number)
    sheet = f"{url}matches/{evening.fixture(number).public_id}/"
    assert " – ".join(evening.match(number).names) in text(html(alice_client.get(sheet)))
    for page in (url, sheet):
        assert f"{loser.name} enters again · 5 tickets" in html(alice_client.get(page))
        assert "enters again" not in html(as_user(erin).get(page))
    entry = evening.division.entries.get(player=loser)
    posted = {"entry": entry.public_id, "number": 1}
    assert as_user(erin).post(f"{url}do/re-enter/", posted).status_code == 403
    done = html(alice_client.post(f"{url}do/re-enter/", posted, follow=True))
    assert f"{loser.name} (2) takes the bye of" in done
    assert "The fee is 5 tickets." in done
    assert f"{loser.name} (2) was entered." in html(alice_client.post(f"{url}do/re-enter/", posted, follow=True))
    again = evening.division.entries.get(player=loser, number=2)
    assert sum(charge.is_reentry for charge in division_charges(evening.division)) == 1
    for page in (url, sheet):
        assert f"Undo the re-entry of {loser.name} (2)" in html(alice_client.get(page))
    for _ in range(2):
        undone = alice_client.post(f"{url}do/undo-re-entry/", {"entry": again.public_id}, follow=True)
        assert f"Late entry of {loser.name} (2) undone." in html(undone)
    assert not any(charge.is_reentry for charge in division_charges(evening.division))
    assert f"{loser.name} enters again" in html(alice_client.get(url))
    assert list(differences()) == []


@pytest.mark.slow
def test_a_reentry_can_be_undone_until_its_match_begins_and_the_page_says_what_was_paid(
    evening: Evening, alice_client: Client, erin: User, as_user: Callable[[User], Client]
) -> None:
    number, url, event = first(evening), floor_url(evening), evening.division.tournament
    loser = evening.match(number).player_1
    evening.win(number)
    posted = {"entry": evening.division.entries.get(player=loser).public_id, "number": 1}
    done = html(alice_client.post(f"{url}do/re-enter/", posted, follow=True))
    assert "It can be undone until the first match of the new entry begins." in done
    again = evening.division.entries.get(player=loser, number=2)
    fixture = Slot.objects.select_related("fixture__stage__division").get(entry=again).fixture
    Division.objects.update(reentry_until=timezone.now() - timedelta(minutes=1))
    until = f"Can be undone until M{fixture.number} begins."
    assert until in html(alice_client.get(url))
    assert "due for refund" not in html(alice_client.get(url))
    assert until not in html(as_user(erin).get(url))
    payments.receive(
        tournament=event, player=loser, payment=PaymentInput(15, "both entries"), by=evening.alice, now=timezone.now()
    )
    assert f"{until} Undoing it makes 5 tickets due for refund." in html(alice_client.get(url))
    entries = f"/events/{event.club.slug}/{event.slug}/entries/{again.public_id}/undo-late/"
    assert "Paid so far: 5 tickets." in html(alice_client.get(entries))
    evening.later(1)
    calls.start(fixture=fixture, **evening.acts)
    assert until not in html(alice_client.get(url))
    start = last_act(event, evening.alice)
    assert start is not None
    undo(tournament=event, act=start, by=evening.alice, now=timezone.now())
    assert until in html(alice_client.get(url)), "the start was undone"
    undone = html(alice_client.post(f"{url}do/undo-re-entry/", {"entry": again.public_id}, follow=True))
    assert "Paid so far: 5 tickets. The cash desk lists it as a refund due." in undone
    assert account_of(event, loser).owes == -5
    assert until not in undone
    assert list(differences()) == []


def test_a_reentry_is_not_offered_once_it_has_played_or_the_time_is_over(
    evening: Evening, alice_client: Client
) -> None:
    number, url = first(evening), floor_url(evening)
    loser = evening.match(number).player_1
    evening.win(number)
    posted = {"entry": evening.division.entries.get(player=loser).public_id, "number": 1}
    alice_client.post(f"{url}do/re-enter/", posted)
    again = evening.division.entries.get(player=loser, number=2)
    fixture = Slot.objects.select_related("fixture__stage__division").get(entry=again).fixture
    calls.start(fixture=fixture, **evening.acts)
    assert "Undo the re-entry" not in html(alice_client.get(url))
    refused = html(alice_client.post(f"{url}do/undo-re-entry/", {"entry": again.public_id}, follow=True))
    assert "Late entry of" not in refused
    assert Entry.objects.filter(pk=again.pk, status=Entry.Status.IN).exists()
    Division.objects.update(reentry_until=timezone.now() - timedelta(minutes=1))
    page = html(alice_client.get(url))
    assert "enters again" not in page
    assert "Undo the re-entry" not in page


def test_both_losers_of_a_match_that_both_forfeited_can_enter_again(evening: Evening, alice_client: Client) -> None:
    number = first(evening)
    nobody_came = ResultInput(None, kind=Result.Kind.DOUBLE_FORFEIT)
    results.enter_result(fixture=evening.fixture(number), result=nobody_came, **evening.acts)
    page = html(alice_client.get(floor_url(evening)))
    for player in (evening.match(number).player_0, evening.match(number).player_1):
        assert f"{player.name} enters again · 5 tickets" in page


def test_without_a_bye_nobody_is_offered_to_enter_again(
    drawn: Callable[..., Division], by_alice: Actor, alice_client: Client
) -> None:
    division = drawn(4, match_length=7, reentry_until=timezone.now() + timedelta(hours=2))
    opening.open_floor(tournament=division.tournament, by=by_alice, now=timezone.now())
    evening = Evening(division, by_alice, timezone.now())
    evening.win(first(evening))
    event = division.tournament
    loser = division.entries.get(player=evening.match(first(evening)).player_1)
    desk = f"/events/{event.club.slug}/{event.slug}/check-in/?more={loser.public_id}"
    for url in (floor_url(evening), desk):
        page = html(alice_client.get(url))
        assert evening.match(first(evening)).player_1.name in page
        assert "enters again" not in page
        assert "Enter again" not in page


def test_three_losers_who_can_enter_again_cost_no_more_queries_than_one(
    drawn: Callable[..., Division], by_alice: Actor, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    division = drawn(11, match_length=7, reentry_until=timezone.now() + timedelta(hours=2))
    opening.open_floor(tournament=division.tournament, by=by_alice, now=timezone.now())
    evening = Evening(division, by_alice, timezone.now())
    rows = division.stages.get().fixtures.filter(match__isnull=False).order_by("number")
    for number in rows.values_list("number", flat=True)[:3]:
        evening.win(number)
    decided = list(rows.filter(status="decided").select_related("stage__division"))
    with CaptureQueriesContext(connection) as queries:
        assert len(reentry_posts(division.tournament, decided[:1], evening.now)) == 1
    with django_assert_max_num_queries(len(queries)):
        posts = reentry_posts(division.tournament, decided, evening.now)
    assert [len(of_match) for of_match in posts.values()] == [1, 1, 1]
