"""Directors deciding matches that they play in themselves: another director decides, or the reason is public."""

from enum import StrEnum

from django.utils.translation import gettext

from engine.errors import Refused
from matches.models import Match
from players.access import RANK, Role
from players.actors import Actor
from players.models import Membership
from players.people.rows import accounts_of, canonical, persons_among

DIRECTS = [role for role, rank in RANK.items() if rank >= RANK[Role.DIRECTOR]]
RUNS_EVENTS = [role for role, rank in RANK.items() if rank >= RANK[Role.ASSISTANT]]


class OwnMatchRuling(StrEnum):
    """Whether a director or assistant may decide a certain match."""

    IMPARTIAL = "impartial"
    NEEDS_REASON = "needs_reason"
    """They play in it and nobody else in the club can decide it: a public reason is required."""
    NEEDS_OTHER = "needs_other"
    """They play in it, and another director or assistant has to decide it."""


def side_of(match: Match, by: Actor) -> int | None:
    """The side this user plays, alone or in a pair; None if they do not play.

    A merged player counts as the one they were merged into.
    """
    if by.user is None:
        return None
    accounts = accounts_of(match.players)
    sides = (side for side, player in enumerate(match.players) if by.user.pk in accounts.get(player.pk, ()))
    return next(sides, None)


def own_match_ruling(match: Match, by: Actor) -> OwnMatchRuling:
    """Whether this director or assistant may decide the match."""
    if side_of(match, by) is None:
        return OwnMatchRuling.IMPARTIAL
    players = persons_among(match.players)
    staff = Membership.objects.filter(
        club=match.club_id, role__in=RUNS_EVENTS, left_at__isnull=True, player__user__is_active=True
    )
    # Who helps without a role in the club never decides their own match, even if the club has nobody else.
    if not staff.filter(player__user=by.user).exists() or staff.exclude(player__in=players).exists():
        return OwnMatchRuling.NEEDS_OTHER
    return OwnMatchRuling.NEEDS_REASON


def who_decides(match: Match) -> str:
    """Say that the director will decide, by name if the club has only one, who does not play in the match.

    Nobody decides a match of no club but its players.
    """
    if match.club_id is None:
        return gettext("It waits until one of you agrees.")
    directors = Membership.objects.filter(
        club=match.club_id, role__in=DIRECTS, left_at__isnull=True, player__user__is_active=True
    )
    # Two tell as much as all of them.
    people = [canonical(row.player) for row in directors.select_related("player__merged_into")[:2]]
    if len(people) == 1 and people[0].pk not in persons_among(match.players):
        return gettext("{name} will decide.").format(name=people[0].shown_name)
    return gettext("The director will decide.")


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
