"""Directors deciding matches that they play in themselves: another director decides, or the reason is public."""

from enum import StrEnum

from engine.errors import Refused
from matches.models import Match
from players.access import RANK, Role
from players.actors import Actor
from players.models import Membership
from players.people.rows import account_of, canonical

RUNS_EVENTS = [role for role, rank in RANK.items() if rank >= RANK[Role.ASSISTANT]]


class OwnMatchRuling(StrEnum):
    """Whether a director or assistant may decide a certain match."""

    IMPARTIAL = "impartial"
    NEEDS_REASON = "needs_reason"
    """They play in it and nobody else in the club can decide it: a public reason is required."""
    NEEDS_OTHER = "needs_other"
    """They play in it, and another director or assistant has to decide it."""


def side_of(match: Match, by: Actor) -> int | None:
    """The side this user plays; None if they do not play. A merged player counts as the one they were merged into."""
    if by.user is None:
        return None
    accounts = [account_of(player) for player in match.players]
    return accounts.index(by.user.pk) if by.user.pk in accounts else None


def own_match_ruling(match: Match, by: Actor) -> OwnMatchRuling:
    """Whether this director or assistant may decide the match."""
    if side_of(match, by) is None:
        return OwnMatchRuling.IMPARTIAL
    players = [canonical(player).pk for player in match.players]
    staff = Membership.objects.filter(
        club=match.club_id, role__in=RUNS_EVENTS, left_at__isnull=True, player__user__is_active=True
    )
    # Who helps without a role in the club never decides their own match, even if the club has nobody else.
    if not staff.filter(player__user=by.user).exists() or staff.exclude(player__in=players).exists():
        return OwnMatchRuling.NEEDS_OTHER
    return OwnMatchRuling.NEEDS_REASON


def check_own_match(match: Match, by: Actor, reason: str) -> bool:
    """Return whether a director decides their own match with a public reason, because nobody else can.

    Refused: `own_match` if another director or assistant can decide, `own_match_reason` without a reason.
    """
    standing = own_match_ruling(match, by)
    if standing == OwnMatchRuling.NEEDS_OTHER:
        raise Refused("own_match")
    if standing == OwnMatchRuling.NEEDS_REASON and not reason.strip():
        raise Refused("own_match_reason")
    return standing == OwnMatchRuling.NEEDS_REASON


def check_own_win(match: Match, winner: int | None, by: Actor, reason: str) -> bool:
    """Apply `check_own_match` if the director decides that they win; anyone may decide that they lose.

    Refused: as for `check_own_match`.
    """
    return winner is not None and side_of(match, by) == winner and check_own_match(match, by, reason)
