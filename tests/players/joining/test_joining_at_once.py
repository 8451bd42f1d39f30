"""Two answers, or an answer and a withdrawal, at once: one of them counts, and nothing is merged twice."""

import pytest

from players.actors import SYSTEM, Actor
from players.clubs.services import add_member
from players.joining.services import accept_request, ask_to_join, withdraw_request
from players.models import Club, JoinRequest, Membership, Merge, User
from tests.players.conftest import NOW
from tests.players.people.test_concurrency import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]
ROUNDS = 4


def test_two_claims_are_accepted_at_once(club: Club, olga: User, carol: User, dave: User) -> None:
    for number in range(ROUNDS):
        karl = add_member(club=club, name=f"Karl {number}", by=SYSTEM).player
        requests = [
            ask_to_join(club=club, user=user, claimed=karl.public_id, by=Actor.of(user), now=NOW)
            for user in (carol, dave)
        ]
        calls = [lambda row=row: accept_request(request=row, link=True, by=Actor.of(olga), now=NOW) for row in requests]
        assert at_once(*calls) == ["already_merged", "done"]
        assert Merge.objects.filter(player=karl).count() == 1
        for user in (carol, dave):
            withdraw_request(club=club, user=user, by=Actor.of(user), now=NOW)


def test_a_request_is_accepted_withdrawn_and_asked_again_at_once(club: Club, olga: User, carol: User) -> None:
    for number in range(ROUNDS):
        karl = add_member(club=club, name=f"Karl {number}", by=SYSTEM).player
        row = ask_to_join(club=club, user=carol, claimed=karl.public_id, by=Actor.of(carol), now=NOW)
        outcomes = at_once(
            lambda row=row: accept_request(request=row, link=True, by=Actor.of(olga), now=NOW),
            lambda: withdraw_request(club=club, user=carol, by=Actor.of(carol), now=NOW),
        )
        row.refresh_from_db()
        is_merged = Merge.objects.filter(player=karl).exists()
        assert (row.state, is_merged, outcomes) in (
            ("accepted", True, ["done", "done"]),
            ("withdrawn", False, ["done", "request_decided"]),
        )


def test_two_taps_ask_once(club: Club, carol: User) -> None:
    calls = [lambda: ask_to_join(club=club, user=carol, claimed="", by=Actor.of(carol), now=NOW)] * 2
    assert at_once(*calls) == ["done", "done"]
    assert JoinRequest.objects.count() == 1
    assert not Membership.objects.filter(player__user=carol).exists()
