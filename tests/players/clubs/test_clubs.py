"""Clubs and who is in them."""

import pytest

from engine.errors import Refused
from players.access import Role, role_in
from players.actors import SYSTEM, Actor
from players.clubs.services import add_member, add_player, create_club, leave_club, remove_member, set_role, update_club
from players.clubs.services.clubs import MOST_CLUBS
from players.models import Club, LogEntry, Membership, Player, User
from tests.players.conftest import NOW, Enter, Join


def code_of(refused: pytest.ExceptionInfo[Refused]) -> str:
    return refused.value.code


def membership_of(user: User, club: Club) -> Membership:
    return Membership.objects.get(player__user=user, club=club)


def test_whoever_founds_a_club_owns_it(club: Club, olga: User) -> None:
    assert club.slug == "copenhagen-backgammon"
    assert role_in(olga, club) == Role.OWNER
    assert list(LogEntry.objects.filter(club=club).values_list("verb", "user")) == [
        ("member_added", olga.pk),
        ("club_created", olga.pk),
    ]


def test_the_second_club_of_a_name_gets_a_number(club: Club, mallory: User) -> None:
    assert create_club(name="Copenhagen backgammon", by=Actor.of(mallory)).slug == "copenhagen-backgammon-2"


def test_pressing_the_button_twice_founds_one_club(club: Club, olga: User) -> None:
    with pytest.raises(Refused) as refused:
        create_club(name="COPENHAGEN  Backgammon", by=Actor.of(olga))
    assert code_of(refused) == "club_twice"
    assert refused.value.params == {"slug": club.slug}


def test_a_club_without_latin_letters_gets_an_address_all_the_same(db: None) -> None:
    assert create_club(name="Нарды", by=SYSTEM).slug.startswith("club-")


@pytest.mark.parametrize("slug", ["new", "Has-Capitals", "-x", "a b", "x" * 61])
def test_not_every_address_can_be_had(db: None, slug: str) -> None:
    with pytest.raises(Refused) as refused:
        create_club(name="Club", slug=slug, by=SYSTEM)
    assert code_of(refused) == "bad_slug"


def test_a_name_that_would_make_a_reserved_address_gets_a_number(db: None) -> None:
    assert create_club(name="New", by=SYSTEM).slug == "new-2"


def test_an_address_is_had_once(club: Club, other_club: Club) -> None:
    with pytest.raises(Refused) as refused:
        create_club(name="Another", slug=club.slug, by=SYSTEM)
    assert code_of(refused) == "slug_taken"
    with pytest.raises(Refused) as refused:
        update_club(club=other_club, slug=club.slug, by=SYSTEM)
    assert code_of(refused) == "slug_taken"


def test_nobody_founds_clubs_without_end(olga: User) -> None:
    for number in range(MOST_CLUBS):
        create_club(name=f"Club {number}", by=Actor.of(olga))
    with pytest.raises(Refused) as refused:
        create_club(name="One more", by=Actor.of(olga))
    assert code_of(refused) == "too_many_clubs"


def test_a_change_to_a_club_is_logged_from_what_to_what(club: Club, olga: User) -> None:
    update_club(club=club, city="Aarhus", name=club.name, by=Actor.of(olga))
    entry = LogEntry.objects.get(verb="club_changed")
    assert entry.params == {"changed": {"city": ["Copenhagen", "Aarhus"]}}
    assert Club.objects.filter(search_key__contains="aarhus").exists()


def test_changing_nothing_is_not_logged(club: Club) -> None:
    update_club(club=club, city="Copenhagen", by=SYSTEM)
    assert not LogEntry.objects.filter(verb="club_changed").exists()


def test_a_member_is_entered_by_name_alone(club: Club) -> None:
    membership = add_member(club=club, name="  Jens   Hansen ", by=SYSTEM)
    assert (membership.player.name, membership.player.user, membership.role) == ("Jens Hansen", None, Role.MEMBER)


def test_a_namesake_is_entered_only_when_that_is_meant(club: Club, enter: Enter) -> None:
    enter("Jens Hansen")
    with pytest.raises(Refused) as refused:
        add_member(club=club, name="JENS HANSEN", by=SYSTEM)
    assert code_of(refused) == "namesake"
    add_member(club=club, name="JENS HANSEN", by=SYSTEM, namesake=True)
    assert Player.objects.filter(name_key="jens hansen").count() == 2


def test_somebody_known_is_taken_in_once(club: Club, join: Join, bob: User) -> None:
    player = join(bob).player
    with pytest.raises(Refused) as refused:
        add_player(club=club, player=player, by=SYSTEM)
    assert code_of(refused) == "already_member"


def test_who_returns_is_a_member_and_no_more(club: Club, join: Join, alice: User) -> None:
    membership = join(alice, Role.DIRECTOR)
    leave_club(membership=membership, by=Actor.of(alice), now=NOW)
    assert role_in(alice, club) is None
    add_player(club=club, player=membership.player, by=SYSTEM)
    assert role_in(alice, club) == Role.MEMBER
    assert Membership.objects.filter(club=club, player__user=alice).count() == 1


def test_the_last_owner_can_neither_leave_nor_be_made_less(full_club: Club, olga: User) -> None:
    mine = membership_of(olga, full_club)
    with pytest.raises(Refused) as refused:
        leave_club(membership=mine, by=Actor.of(olga), now=NOW)
    assert code_of(refused) == "last_owner"
    with pytest.raises(Refused) as refused:
        set_role(membership=mine, role=Role.DIRECTOR, by=Actor.of(olga))
    assert code_of(refused) == "last_owner"
    assert role_in(olga, full_club) == Role.OWNER


def test_with_a_second_owner_the_first_may_go(full_club: Club, olga: User, alice: User) -> None:
    set_role(membership=membership_of(alice, full_club), role=Role.OWNER, by=Actor.of(olga))
    leave_club(membership=membership_of(olga, full_club), by=Actor.of(olga), now=NOW)
    assert role_in(olga, full_club) is None
    with pytest.raises(Refused) as refused:
        remove_member(membership=membership_of(alice, full_club), by=SYSTEM, now=NOW)
    assert code_of(refused) == "last_owner"


def test_a_role_needs_an_account(club: Club, enter: Enter) -> None:
    with pytest.raises(Refused) as refused:
        set_role(membership=enter("Jens").memberships.get(), role=Role.DIRECTOR, by=SYSTEM)
    assert code_of(refused) == "role_needs_account"


def test_a_role_is_one_of_four(full_club: Club, bob: User) -> None:
    with pytest.raises(Refused) as refused:
        set_role(membership=membership_of(bob, full_club), role="king", by=SYSTEM)
    assert code_of(refused) == "bad_role"


def test_who_is_out_is_put_out_once(full_club: Club, bob: User, alice: User) -> None:
    mine = membership_of(bob, full_club)
    remove_member(membership=mine, by=Actor.of(alice), now=NOW)
    with pytest.raises(Refused) as refused:
        remove_member(membership=mine, by=Actor.of(alice), now=NOW)
    assert code_of(refused) == "not_a_member"
    assert LogEntry.objects.get(verb="member_removed").user == alice
