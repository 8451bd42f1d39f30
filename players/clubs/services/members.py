"""The members of a club and their roles."""

from datetime import datetime

from django.db import transaction

from core.locks import lock_row
from core.names import clean_name, fold
from engine.errors import Refused
from players.actors import Actor, log
from players.models import Club, Membership, Player
from players.people.canonical import canonical
from players.people.locks import lock_club
from players.people.topics import club_topic, player_topic

Role = Membership.Role


@transaction.atomic
def add_member(*, club: Club, name: str, by: Actor, namesake: bool = False) -> Membership:
    """Add a new player without an account to a club.

    Refused: `namesake` if a member has this name, unless `namesake` says that this is another person;
    `name_missing`, `name_too_long`.
    """
    name = clean_name(name)
    lock_club(club)
    if not namesake:
        same = Player.objects.filter(
            name_key=fold(name), memberships__club=club, memberships__left_at__isnull=True, merged_into__isnull=True
        ).first()
        if same is not None:
            raise Refused("namesake", name=same.name, player=same.public_id)
    player = Player.objects.create(name=name)
    log(by, "player_added", player_topic(player), club=club, name=name)
    return _join(club, player, by)


@transaction.atomic
def add_player(*, club: Club, player: Player, by: Actor) -> Membership:
    """Add an existing player, or a former member, to a club. Refused: `already_member`, `erased`."""
    lock_club(club)
    player = canonical(player)
    if player.erased_at is not None:
        raise Refused("erased")
    before = Membership.objects.filter(club=club, player=player).first()
    if before is None:
        return _join(club, player, by)
    if before.left_at is None:
        raise Refused("already_member", name=player.shown_name)
    before.left_at = None
    before.save(update_fields=["left_at"])
    log(by, "member_returned", club_topic(club), club=club, player=player.public_id)
    return before


def _join(club: Club, player: Player, by: Actor) -> Membership:
    membership = Membership.objects.create(club=club, player=player)
    log(by, "member_added", club_topic(club), club=club, player=player.public_id, role=membership.role)
    return membership


@transaction.atomic
def set_role(*, membership: Membership, role: str, by: Actor) -> Membership:
    """Change the role of a member.

    Refused: `last_owner`, `role_needs_account`, `bad_role`, `not_a_member`.
    """
    if role not in Role.values:
        raise Refused("bad_role", role=role)
    current = _locked(membership)
    if current.role == role:
        return current
    if role != Role.MEMBER and current.player.user_id is None:
        raise Refused("role_needs_account", name=current.player.name)
    _keep_an_owner(current)
    before, current.role = current.role, Role(role)
    current.save(update_fields=["role"])
    log(
        by,
        "role_changed",
        club_topic(current.club),
        club=current.club,
        player=current.player.public_id,
        role=[before, role],
    )
    return current


def remove_member(*, membership: Membership, by: Actor, now: datetime) -> Membership:
    """Remove a member from the club; their matches stay. Refused: `last_owner`, `not_a_member`."""
    return _end(membership, "member_removed", by, now)


def leave_club(*, membership: Membership, by: Actor, now: datetime) -> Membership:
    """Leave a club. Refused: `last_owner`, `not_a_member`."""
    return _end(membership, "member_left", by, now)


@transaction.atomic
def _end(membership: Membership, verb: str, by: Actor, now: datetime) -> Membership:
    current = _locked(membership)
    _keep_an_owner(current)
    before, current.role, current.left_at = current.role, Role.MEMBER, now
    current.save(update_fields=["role", "left_at"])
    log(by, verb, club_topic(current.club), club=current.club, player=current.player.public_id, role=before)
    return current


def _locked(membership: Membership) -> Membership:
    """Lock the club and return the membership as it is now, so that two owners cannot leave at once."""
    club = lock_row(Club, membership.club_id)
    current = Membership.objects.select_related("player").get(pk=membership.pk)
    current.club = club
    if current.left_at is not None:
        raise Refused("not_a_member", name=current.player.name)
    return current


def _keep_an_owner(current: Membership) -> None:
    if current.role != Role.OWNER:
        return
    others = Membership.objects.filter(club=current.club, role=Role.OWNER, left_at__isnull=True).exclude(pk=current.pk)
    if not others.exists():
        raise Refused("last_owner", name=current.player.name)
