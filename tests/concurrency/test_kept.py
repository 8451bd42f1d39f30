"""Two tabs send the same kept acts at once, on PostgreSQL: one effect, and both have the first outcome."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from matches.lifecycle import links
from matches.models import Claim, Match
from players.models import KeptAct, Outbox, Player
from tests.concurrency.racing import at_once, faults, without_locks
from tests.matches.cast import BOB, CAROL, match_between
from tests.matches.conftest import bob_player, carol_player, club, pool

__all__ = ["bob_player", "carol_player", "club", "pool"]

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="SQLite lets one writer in at a time; set DATABASE_URL to PostgreSQL"
    ),
]
ROUNDS = 10


def send(match: Match, side: int, key: str, *actions: str) -> Any:
    """Send acts from an outbox; return the answer."""
    pair = [player.public_id for player in match.players]
    fields = {"winner": side, "points": 1}
    act = {"pair": pair, "fields": fields, "seen": match.seq, "seen_at": 1795559340000, "at": 1795559400000}
    acts = [act | {"n": number, "action": action} for number, action in enumerate(actions, start=1)]
    sent = json.dumps({"outbox": key, "now": 1795560000000, "acts": acts})
    url, headers = f"/api/v1/matches/{match.public_id}/kept/", {"Match-Link": links.token_for(match, side)}
    return (
        Client(raise_request_exception=False).post(url, sent, content_type="application/json", headers=headers).json()
    )


def race(match: Match, *actions: str) -> list[Any]:
    return at_once(*[lambda: send(match, BOB, "a" * 22, *actions)] * 2)


@pytest.fixture
def new_match(bob_player: Player, carol_player: Player) -> Callable[[], Match]:
    """Open another match to 3 between Bob and Carol."""
    return lambda: match_between(bob_player, carol_player, length=3, parent_topic="", rated=False)


def test_the_same_acts_at_once_have_one_effect(new_match: Callable[[], Match]) -> None:
    for _ in range(ROUNDS):
        match = new_match()
        # What cannot be kept, after a report.
        answers = race(match, "claim", "concede", "concede")
        assert faults(answers) == []
        assert answers[0] == answers[1]
        assert (answers[0]["have"], answers[0]["outcomes"][0]["outcome"]) == (3, "done")
        assert match.claims.count() == 1
        assert KeptAct.objects.filter(outbox__topic=match.topic).count() == 3


def test_control_the_same_acts_without_the_lock(new_match: Callable[[], Match]) -> None:
    with without_locks(before=KeptAct):
        answers = race(new_match(), "concede")
    assert sorted(answer.get("status", 200) for answer in answers) == [200, 500]


def test_both_players_send_at_once_from_outboxes_of_their_own(new_match: Callable[[], Match]) -> None:
    for _ in range(ROUNDS):
        match = new_match()
        answers = at_once(partial(send, match, BOB, "a" * 22, "claim"), partial(send, match, CAROL, "b" * 22, "claim"))
        assert faults(answers) == []
        assert sorted(answer["outcomes"][0]["outcome"] for answer in answers) == ["differs", "done"]
        assert sorted(match.claims.values_list("state", flat=True)) == [Claim.State.LATE, Claim.State.OPEN]
        assert Outbox.objects.filter(topic=match.topic).count() == 2
