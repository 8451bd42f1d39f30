"""Bob and Carol play a match that Alice directs; Dave is nobody."""

from datetime import UTC, datetime, timedelta
from typing import Any

from matches.lifecycle.opening import MatchSettings, Opening, open_matches
from matches.models import Match
from players.actors import SYSTEM, Actor
from players.models import Club, Membership, Player, User

NOW = datetime(2026, 11, 20, 20, 0, tzinfo=UTC)
BOB, CAROL = 0, 1
"""The sides of the match."""
Role = Membership.Role


def minutes(count: float) -> datetime:
    """The time this many minutes after the match was opened."""
    return NOW + timedelta(minutes=count)


def player_of(user: User, **fields: Any) -> Player:
    """Create the player of an account."""
    return Player.objects.create(name=user.display_name, user=user, **fields)


def join(club: Club, player: Player, role: str = Role.MEMBER) -> Membership:
    """Make a player a member of a club."""
    return Membership.objects.create(club=club, player=player, role=role)


def open_match(
    *,
    players: tuple[Player, Player],
    length: int,
    start_score: tuple[int, int] = (0, 0),
    due_at: datetime | None = None,
    by: Actor,
    now: datetime,
    **settings: Any,
) -> Match:
    """Open one match; `settings` are fields of MatchSettings."""
    opening = Opening(players, length, start_score, due_at)
    [match] = open_matches([opening], settings=MatchSettings(**settings), by=by, now=now)
    return match


def match_between(bob: Player, carol: Player, **settings: Any) -> Match:
    """Open a match to 7 points at a venue."""
    return open_match(
        **{
            "players": (bob, carol),
            "length": 7,
            "claim_wait": 600,
            "parent_topic": "division:abc",
            "by": SYSTEM,
            "now": NOW,
            **settings,
        }
    )
