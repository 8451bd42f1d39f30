"""A director who plays is a player in that match: someone else decides its result, or the reason is public."""

from enum import StrEnum

from engine.errors import Refused
from matches.models import Match
from players.access import RANK, Role
from players.actors import Actor
from players.models import Membership
from players.people.canonical import canonical, player_of

RUNS_EVENTS = [role for role, rank in RANK.items() if rank >= RANK[Role.ASSISTANT]]


class Standing(StrEnum):
    """What somebody who helps to run an event is to one of its matches."""

    IMPARTIAL = "impartial"
    NEEDS_REASON = "needs_reason"
    """One of the two players, and nobody else in the club could decide: a public reason is needed."""
    NEEDS_OTHER = "needs_other"
    """One of the two players: another director or assistant decides."""


def side_of(match: Match, by: Actor) -> int | None:
    """The side this user plays on; None where they do not play. Merged players count as the one they are."""
    player = player_of(by.user) if by.user is not None else None
    if player is None:
        return None
    players = [canonical(one).pk for one in match.players]
    return players.index(canonical(player).pk) if canonical(player).pk in players else None


def standing_of(match: Match, by: Actor) -> Standing:
    """Whether this director or assistant may decide the match."""
    if side_of(match, by) is None:
        return Standing.IMPARTIAL
    players = [canonical(player).pk for player in match.players]
    others = Membership.objects.filter(
        club=match.club_id, role__in=RUNS_EVENTS, left_at__isnull=True, player__user__is_active=True
    )
    return Standing.NEEDS_OTHER if others.exclude(player__in=players).exists() else Standing.NEEDS_REASON


def check_own_match(match: Match, by: Actor, reason: str) -> bool:
    """Whether it is the director's own match, decided with a public reason for lack of anybody else.

    Refused: `own_match` where another director or assistant can decide, `own_match_reason` without a reason.
    """
    standing = standing_of(match, by)
    if standing == Standing.NEEDS_OTHER:
        raise Refused("own_match")
    if standing == Standing.NEEDS_REASON and not reason.strip():
        raise Refused("own_match_reason")
    return standing == Standing.NEEDS_REASON


def check_own_win(match: Match, winner: int | None, by: Actor, reason: str) -> bool:
    """`check_own_match` where a decision makes the director the winner; anybody may lose their own match.

    Refused: as `check_own_match`.
    """
    return winner is not None and side_of(match, by) == winner and check_own_match(match, by, reason)
