"""Leaving the site: everything a person takes part in ends, by deletion for good, by suspension until it is lifted."""

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from core.locks import lock_row
from engine.errors import Refused
from players.actors import Actor, log
from players.models import JoinRequest, Membership, Player, User
from players.people import stored_elsewhere
from players.people.rows import canonical, lock_clubs, lock_players, player_of, user_topic
from players.people.stored_elsewhere import Leaving, Participation


def together_with(player: Player) -> list[Player]:
    """Return a player and those merged into them."""
    return list(Player.objects.filter(Q(pk=player.pk) | Q(merged_into=player)).order_by("pk"))


def parts_of(player: Player, now: datetime) -> list[Participation]:
    """Return what ends when the person behind a player leaves."""
    return stored_elsewhere.taking_part(together_with(canonical(player)), now)


def end_all(leaving: Leaving) -> dict[int, Player]:
    """End everything a person takes part in, and return their locked players by id; nobody can enter them any more.

    Clubs are locked first, then what ends, then the players. Refused: `stale` if a merge or an entry came in between.
    """
    players = leaving.players
    memberships = Membership.objects.filter(player__in=players, left_at__isnull=True)
    clubs = set(memberships.values_list("club", flat=True))
    for stored in stored_elsewhere.registered():
        clubs.update(stored.clubs_locked_first(players))
    lock_clubs(clubs)
    stored_elsewhere.end_all(leaving)
    locked = lock_players(*players)
    again = Player.objects.filter(Q(pk__in=locked) | Q(merged_into__in=locked)).values_list("pk", flat=True)
    # The person, and nobody who was separated from them meanwhile.
    persons = [row for row in locked.values() if row.merged_into_id is None]
    if len(persons) != 1 or set(again) != set(locked) or stored_elsewhere.has_open(players, leaving.now):
        raise Refused("stale")
    return locked


# Suspending an account, by the staff of the site.


@transaction.atomic
def suspend(*, user: User, by: Actor, now: datetime) -> User:
    """Suspend an account: it cannot sign in, and everything its person takes part in ends. Harmless the second time.

    Refused: `suspend_self`, `stale`, and what refuses a withdrawal.
    """
    if by.user is not None and by.user.pk == user.pk:
        raise Refused("suspend_self")
    row = lock_row(User, user.pk)
    if not row.is_active:
        return row
    player = player_of(row)
    if player is not None:
        end_all(Leaving(together_with(player), by, now, is_suspended=True))
    JoinRequest.objects.filter(user=row, state=JoinRequest.State.OPEN).update(
        state=JoinRequest.State.WITHDRAWN, decided_at=now
    )
    row.is_active, row.suspended_at = False, now
    row.save(update_fields=["is_active", "suspended_at"])
    log(by, "account_suspended", user_topic(row))
    return row


@transaction.atomic
def lift_suspension(*, user: User, by: Actor, now: datetime) -> list[Participation]:
    """Let an account sign in again, undo its withdrawals where that is possible, and return those that stay.

    Harmless the second time.
    """
    row = lock_row(User, user.pk)
    if row.is_active:
        return []
    left_at = row.suspended_at
    row.is_active, row.suspended_at = True, None
    row.save(update_fields=["is_active", "suspended_at"])
    log(by, "suspension_lifted", user_topic(row))
    player = player_of(row)
    if player is None or left_at is None:
        return []
    return stored_elsewhere.return_all(Leaving(together_with(player), by, now, is_suspended=True), left_at)
