"""Forgetting a person: what he played stays, under "former member"."""

from collections.abc import Callable
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from core.locks import for_update
from engine.errors import Refused
from players.actors import Actor, log
from players.models import Alias, Invitation, LogEntry, Membership, Player, User
from players.people.canonical import canonical
from players.people.locks import lock_club, lock_players
from players.people.topics import club_topic, player_topic, user_topic

Role = Membership.Role
Forget = Callable[[list[Player], User | None], None]

_rooms: list[Forget] = []


def also_forget(forget: Forget) -> None:
    """A room above names what deletes its share of a person; called in the same transaction, before the account."""
    _rooms.append(forget)


@transaction.atomic
def erase_player(*, player: Player, by: Actor, now: datetime) -> Player:
    """Delete the account, aliases and invitations, and blank the name; whoever was merged with him goes too.

    Results stay. Refused: `owner_leaves_club` where a club with other people would be left without an owner, `erased`,
    `stale` where he was merged in the same moment.
    """
    player = canonical(player)
    # Locked before anything else; a second click finds no account any more.
    for_update(User.objects.filter(player=player)).first()
    together = _together(player)
    _leave_clubs(together, by, now)
    everybody = lock_players(*together)
    if _together(player) != together:
        # Somebody was merged with him, or parted from him, before the lock was ours.
        raise Refused("stale")
    player = everybody[player.pk]
    if player.erased_at is not None:
        raise Refused("erased")
    user = player.user
    for forget in _rooms:
        forget(list(everybody.values()), user)
    Alias.objects.filter(player__in=everybody).delete()
    Invitation.objects.filter(player__in=everybody).delete()
    for one in everybody.values():
        one.name, one.federation_number, one.country, one.time_zone, one.initials_only = "", "", "", "", False
        one.user, one.erased_at = None, now
        one.save()
    _forget_in_log(list(everybody.values()), user)
    log(by, "player_erased", player_topic(player), own=by.user is not None and by.user == user)
    if user is not None:
        user.delete()
    return player


def _together(player: Player) -> list[Player]:
    return list(Player.objects.filter(Q(pk=player.pk) | Q(merged_into=player)).order_by("pk"))


def _leave_clubs(players: list[Player], by: Actor, now: datetime) -> None:
    memberships = Membership.objects.filter(player__in=players, left_at__isnull=True).select_related("club")
    for membership in memberships.order_by("club_id"):
        club = lock_club(membership.club)
        others = club.memberships.filter(left_at__isnull=True).exclude(player__in=players)
        if (
            membership.role == Role.OWNER
            and others.filter(player__user__isnull=False).exists()
            and not others.filter(role=Role.OWNER).exists()
        ):
            raise Refused("owner_leaves_club", club=club.name)
        membership.role, membership.left_at = Role.MEMBER, now
        membership.save(update_fields=["role", "left_at"])
        log(by, "member_left", club_topic(club), club=club, player=membership.player.public_id)


def _forget_in_log(players: list[Player], user: User | None) -> None:
    """That something was changed stays known; the names it was changed from and to do not."""
    topics = [player_topic(player) for player in players] + ([user_topic(user)] if user else [])
    LogEntry.objects.filter(topic__in=topics).update(params={})
