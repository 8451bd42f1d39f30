"""Merging two players who are one person."""

import pytest

from engine.errors import Refused
from players.actors import SYSTEM, Actor
from players.clubs.services import add_player
from players.models import Club, LogEntry, Membership, Merge, Player, User
from players.people.rows import canonical
from players.people.services import merge_players, remember_alias, undo_merge
from tests.players.conftest import NOW, Enter, Join

pytestmark = pytest.mark.postgresql


def merge(player: Player, into: Player, **more: Club) -> Merge:
    return merge_players(player=player, into=into, by=SYSTEM, now=NOW, **more)


def shown_as(player: Player) -> Player:
    return canonical(Player.objects.get(pk=player.pk))


def test_a_merged_player_is_shown_as_the_other(enter: Enter, alice: User) -> None:
    jens, double = enter("Jens Hansen"), enter("J. Hansen")
    done = merge_players(player=double, into=jens, by=Actor.of(alice), now=NOW)
    assert shown_as(double) == jens
    assert (done.merged_by, done.merged_at, done.undone_at) == (alice, NOW, None)
    assert {entry.topic for entry in LogEntry.objects.filter(verb="players_merged", user=alice)} == {
        f"player:{jens.public_id}",
        f"player:{double.public_id}",
    }


def test_a_chain_of_merges_leads_to_the_last_player_directly(enter: Enter) -> None:
    first, second, third = enter("A"), enter("B"), enter("C")
    merge(first, second)
    merge(second, third)
    first.refresh_from_db()
    assert first.merged_into == third


def test_undoing_separates_exactly_what_was_merged(enter: Enter) -> None:
    first, second, third = enter("A"), enter("B"), enter("C")
    merge(first, second)
    later = merge(second, third)
    undo_merge(merge=later, by=SYSTEM, now=NOW)
    assert (shown_as(first), shown_as(second), shown_as(third)) == (second, second, third)


def test_undoing_the_earlier_of_two_merges(enter: Enter) -> None:
    first, second, third = enter("A"), enter("B"), enter("C")
    earlier = merge(first, second)
    merge(second, third)
    undo_merge(merge=earlier, by=SYSTEM, now=NOW)
    assert (shown_as(first), shown_as(second)) == (first, third)


def test_a_merge_is_undone_once(enter: Enter) -> None:
    done = merge(enter("A"), enter("B"))
    undo_merge(merge=done, by=SYSTEM, now=NOW)
    with pytest.raises(Refused) as refused:
        undo_merge(merge=done, by=SYSTEM, now=NOW)
    assert refused.value.code == "merge_undone"


def test_separated_players_can_be_merged_again(enter: Enter) -> None:
    first, second = enter("A"), enter("B")
    undo_merge(merge=merge(first, second), by=SYSTEM, now=NOW)
    merge(Player.objects.get(pk=first.pk), second)
    assert shown_as(first) == second


def test_a_player_is_not_merged_with_themselves(enter: Enter) -> None:
    jens, double = enter("A"), enter("B")
    merge(double, jens)
    for player, into in ((jens, jens), (jens, double), (double, jens)):
        with pytest.raises(Refused) as refused:
            merge(Player.objects.get(pk=player.pk), Player.objects.get(pk=into.pk))
        assert refused.value.code == "merge_same"


def test_a_player_with_an_account_is_not_merged_away(join: Join, bob: User, enter: Enter) -> None:
    with pytest.raises(Refused) as refused:
        merge(join(bob).player, enter("Robert"))
    assert refused.value.code == "merge_account"


def test_a_second_merge_from_an_old_page_is_refused(enter: Enter) -> None:
    jens, double, other = enter("A"), enter("B"), enter("C")
    old = Player.objects.get(pk=double.pk)
    merge(double, jens)
    with pytest.raises(Refused) as refused:
        merge(old, other)
    assert refused.value.code == "already_merged"


def test_a_club_merges_only_players_it_entered(club: Club, other_club: Club, enter: Enter) -> None:
    theirs, ours = enter("Jens Hansen", into=other_club), enter("Jens Hansen")
    add_player(club=club, player=theirs, by=SYSTEM)
    with pytest.raises(Refused) as refused:
        merge(theirs, ours, club=club)
    assert refused.value.code == "other_club_entered"
    merge(ours, theirs, club=club)
    assert shown_as(ours) == theirs


def test_the_merged_player_is_in_both_clubs(club: Club, other_club: Club, enter: Enter) -> None:
    here, there = enter("Jens"), enter("Jens", into=other_club)
    done = merge(here, there)
    assert Membership.objects.filter(player=there, club=club, left_at__isnull=True).exists()
    assert Membership.objects.filter(player=here, club=club).exists(), "facts stay where they are"
    undo_merge(merge=done, by=SYSTEM, now=NOW)
    assert shown_as(here) == here


def test_an_alias_is_added_once_in_any_spelling(enter: Enter) -> None:
    jens, double = enter("Jens Hansen"), enter("J. Hansen")
    merge(double, jens)
    first = remember_alias(player=Player.objects.get(pk=double.pk), name="JensHH", by=SYSTEM)
    assert first.player == jens
    assert remember_alias(player=jens, name="jenshh", by=SYSTEM) == first
    assert LogEntry.objects.filter(verb="alias_remembered").count() == 1
