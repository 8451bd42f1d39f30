"""Directors who play decide their own match by no page and no API, except with a reason that everybody reads."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from matches.models import Result
from players.models import Membership, User
from tests.event_cast import RunningEvent
from tests.tournaments.support.pages import page, report_first_match, text
from tournaments.models import Withdrawal

pytestmark = pytest.mark.django_db
REASON = "Carol rang: she has a fever."
WAYS = ("page of the match", "page of the entries", "API of the match", "API of the entry")


@pytest.fixture
def bob_client(running: RunningEvent, bob: User, as_user: Callable[[User], Client]) -> Client:
    """Bob, who meets Carol in M1, directs as well."""
    Membership.objects.filter(player__user=bob).update(role=Membership.Role.DIRECTOR)
    return as_user(bob)


@pytest.fixture
def alone(alice: User) -> None:
    """Alice directs no more."""
    Membership.objects.filter(player__user=alice).update(role=Membership.Role.MEMBER)


def withdraw_carol(client: Client, running: RunningEvent, way: str, scope: str, reason: str) -> str:
    """Sends the withdrawal of Bob's opponent; returns what the answer says."""
    assert running.fixture.match is not None
    slot = running.fixture.slots.get(entry__player__name="Carol")
    entry = slot.entry
    assert entry is not None
    ways: dict[str, tuple[str, dict[str, Any]]] = {
        "page of the match": (f"{running.fixture_url}withdraw/", {"side": str(slot.side), "confirmed": "on"}),
        "page of the entries": (f"{running.url}entries/{entry.public_id}/withdraw/", {}),
        "API of the match": (f"/api/v1/fixtures/{running.fixture.public_id}/withdraw/", {"side": slot.side}),
        "API of the entry": (f"/api/v1/entries/{entry.public_id}/withdraw/", {}),
    }
    url, fields = ways[way]
    sent = {**fields, "scope": scope, "reason": reason}
    if "API" in way:
        answer = client.post(url, sent, content_type="application/json")
        return str(answer.json().get("code", "done"))
    return text(client.post(url, sent, follow=True).content.decode())


def refuses(answer: str, way: str, code: str, sentence: str) -> bool:
    return answer == code if "API" in way else sentence in answer


@pytest.mark.parametrize("scope", ["division", "event"])
@pytest.mark.parametrize("way", WAYS)
def test_a_director_does_not_withdraw_the_opponent(
    running: RunningEvent, bob_client: Client, alice_client: Client, way: str, scope: str
) -> None:
    answer = withdraw_carol(bob_client, running, way, scope, REASON)
    assert refuses(answer, way, "own_match", "another director or assistant has to decide it")
    assert not Withdrawal.objects.exists()
    assert not Result.objects.exists()
    withdraw_carol(alice_client, running, way, scope, "")
    assert not Result.objects.get().own_match


@pytest.mark.parametrize("scope", ["division", "event"])
@pytest.mark.parametrize("way", WAYS)
def test_the_only_director_gives_a_reason_that_everybody_reads(
    running: RunningEvent, bob_client: Client, alone: None, way: str, scope: str
) -> None:
    answer = withdraw_carol(bob_client, running, way, scope, "")
    assert refuses(answer, way, "own_match_reason", "Give a reason")
    assert not Withdrawal.objects.exists()

    withdraw_carol(bob_client, running, way, scope, REASON)
    assert running.fixture.match is not None
    public = text(page(Client(), f"/matches/{running.fixture.match.public_id}/"))
    assert "Decided by one of the two players" in public
    assert REASON in public


@pytest.mark.parametrize("way", ["page of the match", "API of the match"])
def test_nor_from_a_single_bracket(running: RunningEvent, bob_client: Client, way: str) -> None:
    answer = withdraw_carol(bob_client, running, way, "bracket", REASON)
    assert refuses(answer, way, "own_match", "another director or assistant has to decide it")
    assert not Withdrawal.objects.exists()


@pytest.mark.parametrize("line", ["m1 forfeit carol", "carol forfeit"])
def test_nor_by_a_typed_line(
    running: RunningEvent, bob_client: Client, alone: None, alice_client: Client, line: str
) -> None:
    answer = bob_client.post(f"{running.url}console/quick/", {"line": line})
    assert answer.status_code == 422
    assert "Give a reason" in text(answer.content.decode())
    assert not Result.objects.exists()
    Membership.objects.filter(player__name="Alice").update(role=Membership.Role.DIRECTOR)
    assert alice_client.post(f"{running.url}console/quick/", {"line": line}).status_code == 302
    assert Result.objects.get().kind == Result.Kind.FORFEIT


@pytest.mark.parametrize("api", [False, True], ids=["page", "API"])
def test_a_withdrawn_director_comes_back_only_with_a_public_reason(
    running: RunningEvent, bob_client: Client, alone: None, api: bool
) -> None:
    bob_entry = running.entry
    assert bob_client.post(f"/api/v1/entries/{bob_entry.public_id}/withdraw/", {"scope": "division"}).status_code == 200
    url = (
        f"/api/v1/entries/{bob_entry.public_id}/return/"
        if api
        else f"{running.url}entries/{bob_entry.public_id}/back-in/"
    )
    seen = bob_client.get(f"/api/v1/entries/{bob_entry.public_id}/return/").json()["seen"]
    sent = {"scope": "division", "seen": seen}

    refused = bob_client.post(url, sent, follow=True)
    assert "Give a reason" in text(refused.content.decode())
    assert Result.objects.get().kind == Result.Kind.WALKOVER

    bob_client.post(url, {**sent, "reason": "Only stuck in traffic."})
    newest = Result.objects.order_by("-pk")[0]
    assert (newest.kind, newest.own_match, newest.reason) == (Result.Kind.VOID, True, "Only stuck in traffic.")


def needs(client: Client, running: RunningEvent) -> str:
    """What the console says needs the director."""
    html = page(client, f"{running.url}console/")
    return html[html.index('data-need="') : html.index('id="ready"')]


@pytest.mark.parametrize("acknowledged", [False, True])
def test_the_console_says_who_confirms_instead_of_offering_it(
    running: RunningEvent, bob_client: Client, alice_client: Client, acknowledged: bool
) -> None:
    report_first_match(running, acknowledged=acknowledged)
    own = needs(bob_client, running)
    assert "another director or assistant has to decide" in text(own)
    assert "Confirm 7–3" not in text(own)
    assert f"{running.fixture_url}result/" not in own
    assert "Confirm 7–3" in text(needs(alice_client, running))


def test_and_leads_the_only_director_to_the_form_with_a_reason(
    running: RunningEvent, bob_client: Client, alone: None
) -> None:
    report_first_match(running)
    own = needs(bob_client, running)
    assert "no one else can decide it" in text(own)
    assert "Confirm 7–3" not in text(own)
    assert "Decide, with a reason…" in text(own)
    assert f'href="{running.fixture_url}"' in own
    assert "Your reason will be public" in text(page(bob_client, running.fixture_url))
