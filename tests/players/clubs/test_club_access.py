"""Access to clubs and members for each role."""

from collections.abc import Callable
from functools import partial

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import Http404

from players import access
from players.access import Role, Visitor
from players.accounts.services import ensure_player
from players.actors import SYSTEM
from players.clubs.services import leave_club
from players.models import Club, Invitation, User
from players.people.services import invite, merge_players
from tests.players.conftest import NOW, Enter

NAMES = ("olga", "alice", "anton", "bob", "mallory", "dave", "anonymous")


@pytest.fixture
def people(
    full_club: Club, other_club: Club, olga: User, alice: User, anton: User, bob: User, mallory: User, dave: User
) -> dict[str, Visitor]:
    """Owner, director, assistant and member of the club, the owner of another, a stranger, and an anonymous visitor."""
    return dict(zip(NAMES, (olga, alice, anton, bob, mallory, dave, AnonymousUser()), strict=True))


@pytest.mark.parametrize(
    ("fetch", "allowed"),
    [
        (access.club_for_owner, {"olga"}),
        (access.club_for_director, {"olga", "alice"}),
        (partial(access.club_as, needed=Role.ASSISTANT), {"olga", "alice", "anton"}),
        (partial(access.club_as, needed=Role.MEMBER), {"olga", "alice", "anton", "bob"}),
    ],
)
def test_a_club_is_fetched_for_a_role_and_those_above(
    fetch: Callable[[Visitor, str], Club], allowed: set[str], people: dict[str, Visitor], full_club: Club
) -> None:
    let_in = set()
    for name, visitor in people.items():
        try:
            assert fetch(visitor, full_club.slug) == full_club
            let_in.add(name)
        except PermissionDenied:
            pass
    assert let_in == allowed


def test_a_missing_club_is_not_found(olga: User) -> None:
    with pytest.raises(Http404):
        access.club_for_owner(olga, "nowhere")


def test_a_role_is_valid_only_in_its_club(people: dict[str, Visitor], full_club: Club) -> None:
    roles = {name: access.role_in(visitor, full_club) for name, visitor in people.items()}
    assert roles == {
        "olga": Role.OWNER,
        "alice": Role.DIRECTOR,
        "anton": Role.ASSISTANT,
        "bob": Role.MEMBER,
        "mallory": None,
        "dave": None,
        "anonymous": None,
    }


def test_former_members_and_inactive_users_have_no_role(full_club: Club, alice: User, anton: User) -> None:
    leave_club(membership=full_club.memberships.get(player__user=alice), by=SYSTEM, now=NOW)
    assert access.role_in(alice, full_club) is None
    anton.is_active = False
    assert access.role_in(anton, full_club) is None


def test_directors_remove_those_below_them_and_owners_everybody(full_club: Club, alice: User, olga: User) -> None:
    ids = {m.role: m.player.public_id for m in full_club.memberships.select_related("player")}
    assert access.member_below(alice, full_club.slug, ids[Role.ASSISTANT])
    for role in (Role.OWNER, Role.DIRECTOR):
        with pytest.raises(PermissionDenied):
            access.member_below(alice, full_club.slug, ids[role])
        assert access.member_below(olga, full_club.slug, ids[role])


def test_members_of_another_club_are_not_found(full_club: Club, alice: User, mallory: User) -> None:
    theirs = ensure_player(user=mallory, by=SYSTEM)
    with pytest.raises(Http404):
        access.member_for_director(alice, full_club.slug, theirs.public_id)


def test_a_merged_player_is_fetched_as_the_player_merged_into(enter: Enter, full_club: Club, alice: User) -> None:
    jens, double = enter("Jens"), enter("J.")
    merge = merge_players(player=double, into=jens, by=SYSTEM, now=NOW)
    assert access.player(double.public_id) == jens
    with pytest.raises(Http404):
        access.member_for_director(alice, full_club.slug, double.public_id)
    assert access.merge_for_director(alice, full_club.slug, merge.pk) == merge


def test_merges_and_invitations_of_another_club_are_not_found(
    enter: Enter, full_club: Club, other_club: Club, mallory: User
) -> None:
    jens = enter("Jens")
    invite(membership=jens.memberships.get(), by=SYSTEM, now=NOW, link=str)
    merge = merge_players(player=enter("J."), into=jens, by=SYSTEM, now=NOW)
    with pytest.raises(Http404):
        access.invitation_for_director(mallory, other_club.slug, Invitation.objects.get().pk)
    with pytest.raises(Http404):
        access.merge_for_director(mallory, other_club.slug, merge.pk)


def test_a_user_without_player_or_membership_is_refused(full_club: Club, bob: User, dave: User) -> None:
    assert access.my_player(bob).user == bob
    assert access.my_membership(bob, full_club.slug).player.user == bob
    for visitor in (dave, AnonymousUser()):
        with pytest.raises(PermissionDenied):
            access.my_player(visitor)
        with pytest.raises(PermissionDenied):
            access.my_membership(visitor, full_club.slug)


def test_a_missing_player_is_not_found(db: None) -> None:
    with pytest.raises(Http404):
        access.player("2222222222")


@pytest.mark.parametrize("public_id", ["", "\0", "a b", "'", "x" * 5000])
def test_an_invalid_id_is_not_found(full_club: Club, alice: User, public_id: str) -> None:
    with pytest.raises(Http404):
        access.player(public_id)
    with pytest.raises(Http404):
        access.member_for_director(alice, full_club.slug, public_id)
