"""Two acceptances, an acceptance and what ends it, two owners who leave: the club can be run whatever comes first."""

import pytest

from players.access import Role
from players.actors import SYSTEM, Actor
from players.clubs.owners import ownerless, working_owners
from players.clubs.services import leave_club
from players.handover.services import ask_for_owner, decline, undo_offer
from players.models import Club, Membership, OwnerOffer, User
from players.people.erasure import erase_player
from players.people.leaving import suspend
from tests.players.conftest import NOW
from tests.players.handover.test_handover import accept, membership, offer
from tests.players.people.test_concurrency import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]


def can_be_run(club: Club) -> bool:
    return working_owners(club).exists() or ownerless(NOW).filter(club=club).exists()


def test_two_accept_what_only_one_can_have(full_club: Club, olga: User, alice: User, bob: User) -> None:
    rows = [(user, offer(olga, user, full_club, Role.MEMBER)) for user in (alice, bob)]
    outcomes = at_once(*[lambda user=user, row=row: accept(row, user) for user, row in rows])
    assert outcomes == ["done", "offer_over"]
    assert working_owners(full_club).count() == 1


def test_two_taps_accept_once(full_club: Club, olga: User, alice: User) -> None:
    row = offer(olga, alice, full_club)
    assert at_once(*[lambda: accept(row, alice)] * 2) == ["done", "done"]
    assert OwnerOffer.objects.get().state == "accepted"


def test_an_acceptance_and_the_suspension_of_either(full_club: Club, olga: User, alice: User) -> None:
    for user in (olga, alice):
        row = offer(olga, alice, full_club, Role.MEMBER)
        outcomes = at_once(lambda row=row: accept(row, alice), lambda user=user: suspend(user=user, by=SYSTEM, now=NOW))
        assert outcomes in (["done", "done"], ["done", "offer_over"])
        assert can_be_run(full_club)
        User.objects.update(is_active=True)
        Membership.objects.filter(player__user=olga).update(role=Role.OWNER)
        Membership.objects.filter(player__user=alice).update(role=Role.DIRECTOR)
        OwnerOffer.objects.all().delete()


def test_an_acceptance_and_a_withdrawal_or_a_refusal(full_club: Club, olga: User, alice: User) -> None:
    ends = (
        lambda row: undo_offer(offer=row, is_confirmed=False, by=Actor.of(olga), now=NOW),
        lambda row: decline(offer=row, by=Actor.of(alice), now=NOW),
    )
    for end in ends:
        row = offer(olga, alice, full_club)
        outcomes = at_once(lambda row=row: accept(row, alice), lambda row=row, end=end: end(row))
        row.refresh_from_db()
        is_owner = membership(alice, full_club).role == Role.OWNER
        assert (row.state == "accepted") == is_owner
        assert outcomes in (["done", "offer_over"], ["done", "wrong_password"])
        Membership.objects.filter(player__user=alice).update(role=Role.DIRECTOR)
        OwnerOffer.objects.all().delete()


def test_two_owners_leave_at_once(full_club: Club, olga: User, alice: User) -> None:
    accept(offer(olga, alice, full_club), alice)
    at_once(
        lambda: erase_player(player=olga.player, by=Actor.of(olga), now=NOW),
        lambda: suspend(user=alice, by=SYSTEM, now=NOW),
    )
    assert not working_owners(full_club).exists()
    assert ownerless(NOW).count() == 1


def test_one_owner_leaves_the_club_while_the_other_is_suspended(full_club: Club, olga: User, alice: User) -> None:
    accept(offer(olga, alice, full_club), alice)
    mine = membership(olga, full_club)
    at_once(
        lambda: leave_club(membership=mine, by=Actor.of(olga), now=NOW),
        lambda: suspend(user=alice, by=SYSTEM, now=NOW),
    )
    assert can_be_run(full_club)


def test_two_directors_ask_once(full_club: Club, olga: User, alice: User) -> None:
    User.objects.filter(pk=olga.pk).update(date_joined=NOW.replace(year=2020), last_login=None)
    ask = lambda: ask_for_owner(club=full_club, reason="Gone.", by=Actor.of(alice), now=NOW)  # noqa: E731
    assert at_once(ask, ask) == ["done", "done"]
    assert OwnerOffer.objects.count() == 1
