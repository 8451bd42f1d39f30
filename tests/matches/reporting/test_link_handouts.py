"""Directors who play a match: whether they get their opponent's personal link, and what the result says then."""

import pytest
from django.test import Client

from matches.lifecycle import links
from matches.models import Match
from players.models import Club, LogEntry, Membership, User
from tests.matches.cast import BOB, CAROL, Role

pytestmark = pytest.mark.django_db

NOTE = "Carol answered by personal link, which Bob could see as a director."


@pytest.fixture
def bob_directs(match: Match, bob: User) -> None:
    Membership.objects.filter(player__user=bob).update(role=Role.DIRECTOR)


@pytest.fixture
def alone(match: Match, bob_directs: None, alice: User) -> None:
    """Bob is the only one on the staff."""
    Membership.objects.filter(player__user=alice).delete()


def handed_out(user: User, match: Match) -> list[str]:
    """Whose personal links a director gets on the page; those of the API must be the same."""
    client = Client()
    client.force_login(user)
    html = client.get(f"/matches/{match.public_id}/links/").content.decode()
    api = client.get(f"/api/v1/matches/{match.public_id}/links/").json()
    on_page = [links.token_for(match, side) in html for side in (BOB, CAROL)]
    assert [url is not None for url in api["personal"]] == on_page
    assert api["sheet"]
    return [name for name, is_there in zip(("Bob", "Carol"), on_page, strict=True) if is_there]


def history(match: Match) -> str:
    return Client().get(f"/matches/{match.public_id}/").content.decode()


def report_and_confirm(match: Match, bob: User) -> None:
    """Bob reports that he won, and Carol's link confirms it."""
    client = Client()
    client.force_login(bob)
    score = {"score_0": 7, "score_1": 5, "winner": 0}
    match.refresh_from_db()
    client.post(f"/matches/{match.public_id}/claim/", score | {"after": match.seq})
    match.refresh_from_db()
    token = links.token_for(match, CAROL)
    assert Client().post(f"/m/{token}/confirm/", {"after": match.seq}).status_code == 302
    match.refresh_from_db()
    assert match.state == Match.State.SETTLED


def test_a_director_does_not_get_the_link_of_their_opponent(
    match: Match, bob_directs: None, alice: User, bob: User
) -> None:
    assert (handed_out(bob, match), handed_out(alice, match)) == (["Bob"], ["Bob", "Carol"])
    assert not LogEntry.objects.filter(verb="opponent_link_shown").exists()
    report_and_confirm(match, bob)
    assert NOTE not in history(match)


def test_the_only_director_gets_it_and_the_result_says_so(match: Match, alone: None, bob: User, club: Club) -> None:
    assert handed_out(bob, match) == ["Bob", "Carol"]
    handed_out(bob, match)
    entry = LogEntry.objects.get(verb="opponent_link_shown")
    assert (entry.user, entry.club, entry.topic) == (bob, club, match.topic)
    report_and_confirm(match, bob)
    assert NOTE in history(match)


def test_a_link_that_the_winner_did_not_get_before_leaves_no_remark(match: Match, alone: None, bob: User) -> None:
    report_and_confirm(match, bob)
    handed_out(bob, match)
    assert NOTE not in history(match)


def test_a_loser_who_answers_by_account_leaves_no_remark(match: Match, alone: None, bob: User, carol: User) -> None:
    handed_out(bob, match)
    client = Client()
    client.force_login(carol)
    match.refresh_from_db()
    client.post(f"/matches/{match.public_id}/claim/", {"score_0": 7, "score_1": 5, "winner": 0, "after": match.seq})
    match.refresh_from_db()
    client.force_login(bob)
    client.post(f"/matches/{match.public_id}/confirm/", {"after": match.seq})
    match.refresh_from_db()
    assert match.state == Match.State.SETTLED
    assert NOTE not in history(match)
