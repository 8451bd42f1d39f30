"""Pasted lists of names."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from engine.errors import Refused
from players.access import role_in
from players.actors import SYSTEM
from players.clubs.services import add_player, leave_club
from players.models import Club, LogEntry, Membership, Player, User
from players.people.services import How, find_or_add_players, merge_players, remember_alias
from players.people.services.lists import MOST_NAMES
from tests.players.conftest import NOW, Enter, Join


def test_known_names_are_found_and_the_others_added(club: Club, enter: Enter) -> None:
    soren, jens = enter("Søren Åberg"), enter("Jens Hansen")
    found = find_or_add_players(club=club, names=["jens  hansen", "Mia Møller", "SOREN ABERG"], by=SYSTEM)
    assert [one.how for one in found] == [How.FOUND, How.ADDED, How.FOUND]
    assert [one.player for one in found if one.how == How.FOUND] == [jens, soren]
    mia = found[1].player
    assert mia is not None
    assert mia.name == "Mia Møller"
    assert Membership.objects.filter(club=club, player=mia, left_at__isnull=True).exists()


def test_a_name_of_two_members_is_ambiguous(club: Club, enter: Enter) -> None:
    both = [enter("Jens Hansen"), enter("Jens Hansen")]
    [found] = find_or_add_players(club=club, names=["Jens Hansen"], by=SYSTEM)
    assert (found.how, found.player) == (How.AMBIGUOUS, None)
    assert list(found.candidates) == both


def test_a_name_that_stands_twice_in_the_list_is_one_player(club: Club) -> None:
    first, second = find_or_add_players(club=club, names=["Mia Møller", "MIA MOLLER"], by=SYSTEM)
    assert first.player == second.player
    assert first.player is not None
    assert first.player.name == "Mia Møller"
    assert (first.repeated, second.repeated) == (False, True)
    assert Player.objects.filter(name_key="mia moller").count() == 1


def test_an_alias_and_a_merged_name_mean_the_one_who_has_them(club: Club, enter: Enter) -> None:
    jens, double = enter("Jens Hansen"), enter("Hansen J.")
    remember_alias(player=jens, name="jenshh", by=SYSTEM)
    merge_players(player=double, into=jens, by=SYSTEM, now=NOW)
    found = find_or_add_players(club=club, names=["JensHH", "hansen j"], by=SYSTEM)
    assert [one.player for one in found] == [jens, jens]


def test_who_had_left_is_in_again(club: Club, join: Join, bob: User) -> None:
    membership = join(bob)
    leave_club(membership=membership, by=SYSTEM, now=NOW)
    [found] = find_or_add_players(club=club, names=["bob"], by=SYSTEM)
    assert (found.how, found.player) == (How.RETURNED, membership.player)
    assert role_in(bob, club) is not None


def test_who_left_is_not_meant_where_a_member_has_the_name(club: Club, enter: Enter) -> None:
    gone, here = enter("Jens Hansen"), enter("Jens Hansen")
    leave_club(membership=gone.memberships.get(), by=SYSTEM, now=NOW)
    [found] = find_or_add_players(club=club, names=["Jens Hansen"], by=SYSTEM)
    assert found.player == here


def test_known_only_under_a_merged_name_of_the_past(club: Club, other_club: Club, enter: Enter) -> None:
    old, stands = enter("J. Hansen"), enter("Jens Hansen", into=other_club)
    leave_club(membership=old.memberships.get(), by=SYSTEM, now=NOW)
    merge_players(player=old, into=stands, by=SYSTEM, now=NOW)
    [found] = find_or_add_players(club=club, names=["J Hansen"], by=SYSTEM)
    assert (found.how, found.player) == (How.RETURNED, stands)
    assert Membership.objects.get(club=club, player=stands).left_at is None


def test_people_of_other_clubs_are_not_meant(club: Club, other_club: Club, enter: Enter) -> None:
    theirs = enter("Jens Hansen", into=other_club)
    [found] = find_or_add_players(club=club, names=["Jens Hansen"], by=SYSTEM)
    assert found.how == How.ADDED
    assert found.player != theirs


def test_one_bad_name_and_nothing_is_added(club: Club) -> None:
    with pytest.raises(Refused) as refused:
        find_or_add_players(club=club, names=["Mia", "x" * 81], by=SYSTEM)
    assert refused.value.code == "name_too_long"
    assert not Player.objects.filter(name="Mia").exists()


def test_a_list_has_an_end(club: Club) -> None:
    with pytest.raises(Refused) as refused:
        find_or_add_players(club=club, names=["Mia"] * (MOST_NAMES + 1), by=SYSTEM)
    assert refused.value.code == "too_many_names"


def test_a_long_list_takes_no_more_queries_than_a_short_one(club: Club) -> None:
    def queries(names: list[str]) -> int:
        with CaptureQueriesContext(connection) as captured:
            find_or_add_players(club=club, names=names, by=SYSTEM)
        return len(captured)

    short = queries(["Mia"])
    assert short < 12
    assert queries([f"Player {number}" for number in range(80)]) == short
    assert LogEntry.objects.filter(verb="members_added").count() == 2


def test_taking_in_a_player_of_another_club(club: Club, other_club: Club, enter: Enter) -> None:
    theirs = enter("Jens Hansen", into=other_club)
    add_player(club=club, player=theirs, by=SYSTEM)
    [found] = find_or_add_players(club=club, names=["Jens Hansen"], by=SYSTEM)
    assert found.player == theirs
