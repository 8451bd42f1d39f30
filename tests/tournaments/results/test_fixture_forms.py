"""The forms on the page of a match: refused ones come back filled, and a director who plays is told so."""

import re
from typing import Any

import pytest
from django.test import Client

from matches.models import Result
from players.models import Membership, Player, User
from tests.event_cast import RunningEvent
from tests.pages import html
from tests.tournaments.support.pages import page, text
from tournaments.models import Entry, Withdrawal

pytestmark = pytest.mark.django_db


def sent(client: Client, running: RunningEvent, form: str, **fields: Any) -> str:
    """What comes back where a form is refused."""
    answer = client.post(f"{running.fixture_url}{form}/", fields)
    assert answer.status_code == 422
    return html(answer)


def field(html: str, name: str, value: str) -> bool:
    """Whether a text field holds this."""
    inputs = re.findall(r"<input[^>]*>", html)
    return any(f'name="{name}"' in tag and f'value="{value}"' in tag for tag in inputs)


def checked(html: str, name: str) -> list[str]:
    """The radio buttons chosen under this name."""
    tags = [tag for tag in re.findall(r"<input[^>]*>", html) if f'name="{name}"' in tag and "checked" in tag]
    return [value for tag in tags for value in re.findall(r'value="([^"]*)"', tag)]


def test_a_refused_score_comes_back_as_it_was_chosen(running: RunningEvent, alice_client: Client) -> None:
    html = sent(alice_client, running, "result", after=0, winner=1)
    result = html[html.index("/result/") : html.index("/forfeit/")]
    assert checked(result, "winner") == ["1"]
    assert "This field is required." in text(result)
    html = sent(alice_client, running, "result", after=0, left=6, right=3)
    assert "is not a final score" in text(html)


def test_a_refused_ruling_comes_back_filled_and_names_its_field(running: RunningEvent, alice_client: Client) -> None:
    html = sent(alice_client, running, "rule", after=0, kind="leader", winner="1", left=3, right=5, reason=" ")
    rule = html[html.index("/rule/") : html.index("/extend/")]
    assert checked(rule, "winner") == ["1"]
    assert checked(rule, "kind") == ["leader"]
    assert field(rule, "left", "3")
    assert "Give a reason for the ruling" in text(rule)
    assert not Result.objects.exists()


@pytest.mark.parametrize("missing", ["side", "scope"])
def test_a_withdrawal_names_who_and_from_what(running: RunningEvent, alice_client: Client, missing: str) -> None:
    fields = {"side": "0", "scope": "division"}
    del fields[missing]
    html = sent(alice_client, running, "withdraw", **fields)
    assert "This field is required." in text(html[html.index("/withdraw/") :])
    assert not Withdrawal.objects.exists()
    assert not Entry.objects.filter(status=Entry.Status.OUT).exists()


@pytest.mark.parametrize("fields", [{"side": "2", "scope": "event"}, {"side": "0", "scope": "everything"}])
def test_an_unknown_choice_is_no_choice(running: RunningEvent, alice_client: Client, fields: dict[str, str]) -> None:
    sent(alice_client, running, "withdraw", **fields)
    assert not Withdrawal.objects.exists()


def test_a_ruling_without_a_winner_is_no_ruling_for_nobody(running: RunningEvent, alice_client: Client) -> None:
    sent(alice_client, running, "rule", after=0, kind="ruling", reason="both late")
    assert not Result.objects.exists()
    ruling = {"after": 0, "kind": "ruling", "winner": "nobody", "reason": "both late"}
    alice_client.post(f"{running.fixture_url}rule/", ruling)
    result = Result.objects.get()
    assert (result.winner, result.kind) == (None, Result.Kind.RULING)


def test_a_ruling_names_the_kind_of_ending_at_closing_time(running: RunningEvent, alice_client: Client) -> None:
    ruling = {"after": 0, "winner": "1", "left": 3, "right": 5, "reason": "the room closes"}
    sent(alice_client, running, "rule", **ruling, kind="played")
    assert not Result.objects.exists()
    alice_client.post(f"{running.fixture_url}rule/", {**ruling, "kind": "leader"})
    assert Result.objects.get().kind == Result.Kind.LEADER


@pytest.fixture
def bob_directs(running: RunningEvent, bob: User) -> None:
    """Bob, who plays in M1, directs as well."""
    Membership.objects.filter(player__user=bob).update(role=Membership.Role.DIRECTOR)


def test_who_plays_and_is_not_the_only_director_has_no_form(
    running: RunningEvent, bob: User, bob_directs: None, as_user: Any
) -> None:
    html = page(as_user(bob), running.fixture_url)
    assert "another director or assistant has to decide" in text(html)
    assert "fixture-result" not in html
    assert f"{running.fixture_url}result/" not in html
    assert f"{running.fixture_url}rule/" not in html
    assert as_user(bob).post(f"{running.fixture_url}result/", {"after": 0, "left": 7, "right": 3}).status_code == 403
    assert not Result.objects.exists()


def test_the_only_director_must_give_a_public_reason(
    running: RunningEvent, bob: User, alice: User, bob_directs: None, as_user: Any
) -> None:
    Membership.objects.filter(player__user=alice).update(role=Membership.Role.MEMBER)
    bob_client = as_user(bob)
    assert "Your reason will be public" in text(page(bob_client, running.fixture_url))
    html = sent(bob_client, running, "result", after=0, left=7, right=3)
    assert "Give a reason" in text(html)
    bob_client.post(
        f"{running.fixture_url}result/", {"after": 0, "left": 7, "right": 3, "reason": "Carol agreed at the table."}
    )
    assert running.fixture.match is not None
    public = text(page(Client(), f"/matches/{running.fixture.match.public_id}/"))
    assert "Decided by one of the two players" in public
    assert "Carol agreed at the table." in public


def test_other_directors_need_no_reason(running: RunningEvent, alice_client: Client) -> None:
    html = page(alice_client, running.fixture_url)
    assert "You play in this match" not in text(html)
    assert Player.objects.filter(user__isnull=False).exists()
