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


def standing_of(match: Match, by: Actor) -> Standing:
    """Whether this director or assistant may decide the match; merged players count as the one they are."""
    player = player_of(by.user) if by.user is not None else None
    if player is None:
        return Standing.IMPARTIAL
    players = [canonical(one).pk for one in match.players]
    if canonical(player).pk not in players:
        return Standing.IMPARTIAL
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
