"""Helpers that create histories of matches as the services do: the facts, and the mark on the pool."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import transaction

from matches.lifecycle.locks import lock_match
from matches.lifecycle.voiding import reinstate_matches, void_matches
from matches.models import Match, RatingPool, Result, Submission
from matches.ratings import services as ratings
from players.actors import SYSTEM, Actor
from players.models import LogEntry, Player

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = datetime(2026, 11, 20, 12, tzinfo=UTC)
Kind = Result.Kind


def record(*movers: int) -> Submission:
    """A record in which these sides play a roll."""
    events = [{"side": side, "kind": "play", "dice": [3, 1], "moves": ["8/5", "6/5"]} for side in movers]
    return Submission.objects.create(
        source="upload", data=b"x", size=1, sha256="0" * 64, transcript={"games": [{"events": events}]}
    )


def player(name: str, **fields: Any) -> Player:
    """Create a player."""
    return Player.objects.create(name=name, **fields)


@pytest.fixture
def bob(db: None) -> Player:
    """Bob, a player without an account."""
    return player("Bob")


@pytest.fixture
def carol(db: None) -> Player:
    """Carol, Bob's opponent."""
    return player("Carol")


@pytest.fixture
def erik(db: None) -> Player:
    """Erik, who plays against either."""
    return player("Erik")


def played(
    winner: Player,
    loser: Player,
    *,
    hours: float = 0,
    length: int = 7,
    kind: str = Kind.PLAYED,
    submission: Submission | None = None,
    **fields: Any,
) -> Match:
    """Create a match that ended this many hours after noon, won by side 0."""
    at = NOON + timedelta(hours=hours)
    with transaction.atomic():
        match = Match.objects.create(
            player_0=winner, player_1=loser, length=length, state=Match.State.SETTLED, finished_at=at, **fields
        )
        if submission is not None:
            Submission.objects.filter(pk=submission.pk).update(match=match)
        if kind == Kind.VOID:
            correct(match, winner=None, kind=kind)
        else:
            correct(match, winner=0, kind=kind, score=(length, 3), submission=submission)
    return match


def correct(match: Match, *, winner: int | None, kind: str = Kind.PLAYED, **fields: Any) -> Result:
    """Append the next version of a result."""
    left, right = fields.pop("score", (None, None))
    with transaction.atomic():
        result = Result.objects.create(
            match=match,
            version=match.results.count() + 1,
            winner=winner,
            score_0=left,
            score_1=right,
            kind=kind,
            source=Result.Source.DIRECTOR,
            by=LogEntry.By.SYSTEM,
            **fields,
        )
        ratings.mark_dirty(match=match)
    return result


def void(match: Match, *, rated: bool = False, by: Actor = SYSTEM, now: datetime = LATER, reason: str = "") -> Result:
    """Void a match, which may stay rated."""
    with transaction.atomic():
        return void_matches({lock_match(match.pk): rated}, club=match.club, by=by, now=now, reason=reason)[0]


def reinstate(match: Match, *, by: Actor = SYSTEM, now: datetime = LATER, reason: str = "") -> Result:
    """Reinstate the result of a void match."""
    with transaction.atomic():
        return reinstate_matches([lock_match(match.pk)], club=match.club, by=by, now=now, reason=reason)[0]


def replay(now: datetime = LATER, pool: RatingPool | None = None) -> ratings.Replayed | None:
    """Replay the default pool as a worker does."""
    return ratings.replay_pool(pool_id=(pool or ratings.default_pool()).pk, now=now)
