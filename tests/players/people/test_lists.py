"""Lists of names."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from engine.errors import Refused
from players.access import role_in
from players.actors import SYSTEM
from players.clubs.services import add_player, leave_club
from players.models import Club, LogEntry, Membership, Player, User
from players.people.services import MAX_NAMES, NameOutcome, find_or_add_players, merge_players, remember_alias
from tests.players.conftest import NOW, Enter, Join

pytestmark = pytest.mark.postgresql


def test_known_names_match_and_the_others_are_added(club: Club, enter: Enter) -> None:
    soren, jens = enter("Søren Åberg"), enter("Jens Hansen")
    matches = find_or_add_players(club=club, names=["jens  hansen", "Mia Møller", "SOREN ABERG"], by=SYSTEM)
    assert [match.how for match in matches] == [NameOutcome.FOUND, NameOutcome.ADDED, NameOutcome.FOUND]
    assert [match.player for match in matches if match.how == NameOutcome.FOUND] == [jens, soren]
    mia = matches[1].player
    assert mia is not None
    assert mia.name == "Mia Møller"
    assert Membership.objects.filter(club=club, player=mia, left_at__isnull=True).exists()


def test_a_name_of_two_members_is_ambiguous(club: Club, enter: Enter) -> None:
    both = [enter("Jens Hansen"), enter("Jens Hansen")]
    [match] = find_or_add_players(club=club, names=["Jens Hansen"], by=SYSTEM)
    assert (match.how, match.player) == (NameOutcome.AMBIGUOUS, None)
    assert list(match.candidates) == both


def test_a_name_repeated_in_the_list_is_one_player(club: Club) -> None:
    first, second = find_or_add_players(club=club, names=["Mia Møller", "MIA MOLLER"], by=SYSTEM)
    assert first.player == second.player
    assert first.player is not None
    assert first.player.name == "Mia Møller"
    assert (first.repeated, second.repeated) == (False, True)
    assert Player.objects.filter(name_key="mia moller").count() == 1


def test_an_alias_and_a_merged_name_match_the_current_player(club: Club, enter: Enter) -> None:
    jens, double = enter("Jens Hansen"), enter("Hansen J.")
    remember_alias(player=jens, name="jenshh", by=SYSTEM)
    merge_players(player=double, into=jens, by=SYSTEM, now=NOW)
    matches = find_or_add_players(club=club, names=["JensHH", "hansen j"], by=SYSTEM)
    assert [match.player for match in matches] == [jens, jens]


def test_a_former_member_returns(club: Club, join: Join, bob: User) -> None:
    membership = join(bob)
    leave_club(membership=membership, by=SYSTEM, now=NOW)
    [match] = find_or_add_players(club=club, names=["bob"], by=SYSTEM)
    assert (match.how, match.player) == (NameOutcome.RETURNED, membership.player)
    assert role_in(bob, club) is not None


def test_a_current_member_comes_before_a_former_one(club: Club, enter: Enter) -> None:
    gone, here = enter("Jens Hansen"), enter("Jens Hansen")
    leave_club(membership=gone.memberships.get(), by=SYSTEM, now=NOW)
    [match] = find_or_add_players(club=club, names=["Jens Hansen"], by=SYSTEM)
    assert match.player == here


def test_a_player_known_only_by_a_merged_name(club: Club, other_club: Club, enter: Enter) -> None:
    old, current = enter("J. Hansen"), enter("Jens Hansen", into=other_club)
    leave_club(membership=old.memberships.get(), by=SYSTEM, now=NOW)
    merge_players(player=old, into=current, by=SYSTEM, now=NOW)
    [match] = find_or_add_players(club=club, names=["J Hansen"], by=SYSTEM)
    assert (match.how, match.player) == (NameOutcome.RETURNED, current)
    assert Membership.objects.get(club=club, player=current).left_at is None


def test_players_of_other_clubs_do_not_match(club: Club, other_club: Club, enter: Enter) -> None:
    theirs = enter("Jens Hansen", into=other_club)
    [match] = find_or_add_players(club=club, names=["Jens Hansen"], by=SYSTEM)
    assert match.how == NameOutcome.ADDED
    assert match.player != theirs


def test_with_one_invalid_name_nothing_is_added(club: Club) -> None:
    with pytest.raises(Refused) as refused:
        find_or_add_players(club=club, names=["Mia", "x" * 81], by=SYSTEM)
    assert refused.value.code == "name_too_long"
    assert not Player.objects.filter(name="Mia").exists()


def test_the_length_of_a_list_is_limited(club: Club) -> None:
    with pytest.raises(Refused) as refused:
        find_or_add_players(club=club, names=["Mia"] * (MAX_NAMES + 1), by=SYSTEM)
    assert refused.value.code == "too_many_names"


def test_queries_do_not_grow_with_the_list(club: Club) -> None:
    def queries(names: list[str]) -> int:
        with CaptureQueriesContext(connection) as captured:
            find_or_add_players(club=club, names=names, by=SYSTEM)
        return len(captured)

    short = queries(["Mia"])
    assert short < 12
    assert queries([f"Player {number}" for number in range(60)]) == short
    assert LogEntry.objects.filter(verb="members_added").count() == 2


def test_a_player_of_another_club_is_added(club: Club, other_club: Club, enter: Enter) -> None:
    theirs = enter("Jens Hansen", into=other_club)
    add_player(club=club, player=theirs, by=SYSTEM)
    [match] = find_or_add_players(club=club, names=["Jens Hansen"], by=SYSTEM)
    assert match.player == theirs


def test_only_the_former_members_on_the_list_return(club: Club, enter: Enter) -> None:
    for name in ("Jens Hansen", "Mia Møller"):
        leave_club(membership=Membership.objects.get(player=enter(name)), by=SYSTEM, now=NOW)
    find_or_add_players(club=club, names=["Mia Møller"], by=SYSTEM)
    members = Membership.objects.filter(club=club, left_at__isnull=True).values_list("player__name", flat=True)
    assert "Mia Møller" in members
    assert "Jens Hansen" not in members
