"""Services of clubs and their members."""

import pytest

from engine.errors import Refused
from players.access import Role, role_in
from players.actors import SYSTEM, Actor
from players.clubs.services import (
    MAX_CLUBS,
    add_member,
    add_player,
    create_club,
    give_role,
    leave_club,
    remove_member,
    set_role,
    update_club,
)
from players.models import Club, LogEntry, Membership, Player, User
from players.people.services import edit_player
from tests.players.conftest import NOW, Enter, Join

pytestmark = pytest.mark.postgresql


def code_of(refused: pytest.ExceptionInfo[Refused]) -> str:
    return refused.value.code


def membership_of(user: User, club: Club) -> Membership:
    return Membership.objects.get(player__user=user, club=club)


def test_the_founder_of_a_club_owns_it(club: Club, olga: User) -> None:
    assert club.slug == "copenhagen-backgammon"
    assert role_in(olga, club) == Role.OWNER
    assert list(LogEntry.objects.filter(club=club).values_list("verb", "user")) == [
        ("member_added", olga.pk),
        ("club_created", olga.pk),
    ]


def test_the_second_club_of_a_name_gets_a_number(club: Club, mallory: User) -> None:
    assert create_club(name="Copenhagen backgammon", by=Actor.of(mallory)).slug == "copenhagen-backgammon-2"


def test_two_clicks_create_one_club(club: Club, olga: User) -> None:
    with pytest.raises(Refused) as refused:
        create_club(name="COPENHAGEN  Backgammon", by=Actor.of(olga))
    assert code_of(refused) == "club_twice"
    assert refused.value.params == {"slug": club.slug}


def test_a_club_without_latin_letters_gets_a_slug(db: None) -> None:
    assert create_club(name="Нарды", by=SYSTEM).slug.startswith("club-")


@pytest.mark.parametrize("slug", ["new", "Has-Capitals", "-x", "a b", "x" * 61])
def test_invalid_and_reserved_slugs_are_refused(db: None, slug: str) -> None:
    with pytest.raises(Refused) as refused:
        create_club(name="Club", slug=slug, by=SYSTEM)
    assert code_of(refused) == "bad_slug"


def test_a_name_that_would_make_a_reserved_slug_gets_a_number(db: None) -> None:
    assert create_club(name="New", by=SYSTEM).slug == "new-2"


def test_a_slug_is_unique(club: Club, other_club: Club) -> None:
    with pytest.raises(Refused) as refused:
        create_club(name="Another", slug=club.slug, by=SYSTEM)
    assert code_of(refused) == "slug_taken"
    with pytest.raises(Refused) as refused:
        update_club(club=other_club, slug=club.slug, by=SYSTEM)
    assert code_of(refused) == "slug_taken"


def test_the_number_of_clubs_per_owner_is_limited(olga: User) -> None:
    for number in range(MAX_CLUBS):
        create_club(name=f"Club {number}", by=Actor.of(olga))
    with pytest.raises(Refused) as refused:
        create_club(name="One more", by=Actor.of(olga))
    assert code_of(refused) == "too_many_clubs"


def test_a_change_of_a_club_is_logged_with_before_and_after(club: Club, olga: User) -> None:
    update_club(club=club, city="Aarhus", name=club.name, by=Actor.of(olga))
    entry = LogEntry.objects.get(verb="club_changed")
    assert entry.params == {"changed": {"city": ["Copenhagen", "Aarhus"]}}
    assert Club.objects.filter(search_key__contains="aarhus").exists()


def test_an_unchanged_club_is_not_logged(club: Club) -> None:
    update_club(club=club, city="Copenhagen", by=SYSTEM)
    assert not LogEntry.objects.filter(verb="club_changed").exists()


def test_a_member_is_added_by_name_alone(club: Club) -> None:
    membership = add_member(club=club, name="  Jens   Hansen ", by=SYSTEM)
    assert (membership.player.name, membership.player.user, membership.role) == ("Jens Hansen", None, Role.MEMBER)


def test_a_namesake_is_added_only_on_request(club: Club, enter: Enter) -> None:
    enter("Jens Hansen")
    with pytest.raises(Refused) as refused:
        add_member(club=club, name="JENS HANSEN", by=SYSTEM)
    assert code_of(refused) == "namesake"
    add_member(club=club, name="JENS HANSEN", by=SYSTEM, namesake=True)
    assert Player.objects.filter(name_key="jens hansen").count() == 2


def test_a_known_player_is_added_once(club: Club, join: Join, bob: User) -> None:
    player = join(bob).player
    with pytest.raises(Refused) as refused:
        add_player(club=club, player=player, by=SYSTEM)
    assert code_of(refused) == "already_member"


def test_a_former_owner_returns_as_a_member(club: Club, join: Join, alice: User) -> None:
    membership = join(alice, Role.DIRECTOR)
    leave_club(membership=membership, by=Actor.of(alice), now=NOW)
    assert role_in(alice, club) is None
    add_player(club=club, player=membership.player, by=SYSTEM)
    assert role_in(alice, club) == Role.MEMBER
    assert Membership.objects.filter(club=club, player__user=alice).count() == 1


def test_the_last_owner_can_neither_leave_nor_give_up_the_role(full_club: Club, olga: User) -> None:
    mine = membership_of(olga, full_club)
    with pytest.raises(Refused) as refused:
        leave_club(membership=mine, by=Actor.of(olga), now=NOW)
    assert code_of(refused) == "last_owner"
    with pytest.raises(Refused) as refused:
        set_role(membership=mine, role=Role.DIRECTOR, by=Actor.of(olga))
    assert code_of(refused) == "last_owner"
    assert role_in(olga, full_club) == Role.OWNER


def test_with_a_second_owner_the_first_may_leave(full_club: Club, olga: User, alice: User) -> None:
    with pytest.raises(Refused) as refused:
        set_role(membership=membership_of(alice, full_club), role=Role.OWNER, by=Actor.of(olga))
    assert code_of(refused) == "owner_by_offer"
    give_role(membership_of(alice, full_club), Role.OWNER, SYSTEM)
    leave_club(membership=membership_of(olga, full_club), by=Actor.of(olga), now=NOW)
    assert role_in(olga, full_club) is None
    with pytest.raises(Refused) as refused:
        remove_member(membership=membership_of(alice, full_club), by=SYSTEM, now=NOW)
    assert code_of(refused) == "last_owner"


def test_a_role_needs_an_account(club: Club, enter: Enter) -> None:
    with pytest.raises(Refused) as refused:
        set_role(membership=enter("Jens").memberships.get(), role=Role.DIRECTOR, by=SYSTEM)
    assert code_of(refused) == "role_needs_account"


def test_an_unknown_role_is_refused(full_club: Club, bob: User) -> None:
    with pytest.raises(Refused) as refused:
        set_role(membership=membership_of(bob, full_club), role="king", by=SYSTEM)
    assert code_of(refused) == "bad_role"


def test_a_member_is_removed_once(full_club: Club, bob: User, alice: User) -> None:
    mine = membership_of(bob, full_club)
    remove_member(membership=mine, by=Actor.of(alice), now=NOW)
    with pytest.raises(Refused) as refused:
        remove_member(membership=mine, by=Actor.of(alice), now=NOW)
    assert code_of(refused) == "not_a_member"
    assert LogEntry.objects.get(verb="member_removed").user == alice


def test_the_log_names_each_member_who_is_added(club: Club, other_club: Club) -> None:
    jens = add_member(club=club, name="Jens Hansen", by=SYSTEM).player
    add_player(club=other_club, player=jens, by=SYSTEM)
    added = LogEntry.objects.filter(verb="member_added", params__player=jens.public_id)
    assert [entry.club for entry in added.order_by("pk")] == [club, other_club]


def test_a_club_corrects_the_names_of_those_without_an_account(full_club: Club, enter: Enter, bob: User) -> None:
    edit = {"club": full_club, "country": "DK", "by": SYSTEM}
    with pytest.raises(Refused) as refused:
        edit_player(player=membership_of(bob, full_club).player, name="Robert", **edit)
    assert code_of(refused) == "player_has_account"
    guest = enter("Nils")
    with pytest.raises(Refused) as refused:
        edit_player(player=guest, name="Nils Nordahl", **edit | {"country": "ZZ"})
    assert code_of(refused) == "bad_country"
    assert edit_player(player=guest, name="Nils Nordahl", **edit).name == "Nils Nordahl"
