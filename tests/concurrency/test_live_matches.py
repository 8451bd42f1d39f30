"""Matches of one division are played here while another of them finishes: nobody waits for it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction

from core.locks import for_update
from matches.models import Match
from matches.play.starting import PlaySettings, start
from players.models import Club, Player, User
from tests.concurrency.event import POSTGRESQL_ONLY, EventBuilder, fixtures
from tests.concurrency.racing import at_once
from tests.event_cast import NOON
from tournaments.models import Division
from tournaments.state import settle
from tournaments.state.locks import lock_unfinished_matches

pytestmark = POSTGRESQL_ONLY


def settle_while_played(club: Club, alice: User, make_players: Callable[[int], list[Player]]) -> Any:
    """Settle a division while an action of one of its matches holds that match."""
    builder = EventBuilder(club, alice, make_players)
    division: Division = builder.drawn(4)
    match = fixtures(division)[0].match
    assert match is not None
    start(match=match, settings=PlaySettings(), by=builder.acts["by"], now=NOON)

    def other() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '500ms'")
            settle.settle_division(division_id=division.pk, now=NOON)

    with transaction.atomic():
        for_update(Match.objects.filter(pk=match.pk)).get()
        return at_once(other)[0]


def test_settling_does_not_wait_for_a_match_in_play(
    club: Club, alice: User, make_players: Callable[[int], list[Player]]
) -> None:
    assert settle_while_played(club, alice, make_players) is None


def test_control_with_every_match_locked_it_waits(
    club: Club, alice: User, make_players: Callable[[int], list[Player]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settle, "lock_unfinished_matches", lambda divisions, live: lock_unfinished_matches(divisions))
    assert isinstance(settle_while_played(club, alice, make_players), OperationalError)
