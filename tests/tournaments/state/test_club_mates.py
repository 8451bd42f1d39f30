"""Whose club-mate somebody is."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from players.models import Club, Membership, Player
from tournaments.models import Division, Entry
from tournaments.state.names import club_mates, club_of_each

pytestmark = pytest.mark.django_db


def test_mates_share_a_club_that_is_not_the_one_at_home(
    club: Club, make_division: Callable[..., Division], make_players: Callable[[int], list[Player]]
) -> None:
    division = make_division()
    bob, carol, dave, erik = make_players(4)
    entries = [Entry.objects.create(division=division, player=player).pk for player in (bob, carol, dave, erik)]
    older, younger = (Club.objects.create(name=name, slug=name.lower()) for name in ("Older", "Younger"))
    for where, members in ((younger, (bob, carol, dave)), (older, (bob, carol)), (club, (bob, dave, erik))):
        for player in members:
            Membership.objects.create(club=where, player=player)
    Membership.objects.create(club=older, player=dave, left_at=datetime(2026, 1, 1, tzinfo=UTC))

    assert club_mates(division, entries) == [entries[:2], entries[:3]]
    of_bob, of_carol, of_dave = entries[:3]
    assert club_of_each(division, entries) == {of_bob: str(older.pk), of_carol: str(older.pk), of_dave: str(younger.pk)}
    assert club_mates(division, entries[1:2]) == []
