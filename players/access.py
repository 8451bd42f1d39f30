"""Access to clubs and players: each function fetches an object and authorises the user.

What does not exist or must not be revealed raises Http404; what is known but not allowed raises PermissionDenied.
"""

from collections.abc import Collection
from datetime import datetime

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import Http404
from django_otp.plugins.otp_totp.models import TOTPDevice

from core.public_ids import hash_of
from engine.errors import Refused
from players.models import (
    Club,
    DataExport,
    Invitation,
    JoinRequest,
    Membership,
    Merge,
    Notification,
    OwnerOffer,
    Player,
    User,
)
from players.people.club_people import people_among
from players.people.rows import canonical, is_person, player_of
from players.people.services import home_club

Role = Membership.Role
RANK: dict[str, int] = {Role.MEMBER: 0, Role.ASSISTANT: 1, Role.DIRECTOR: 2, Role.OWNER: 3}
"""Each role includes the permissions of the roles below it."""

Visitor = User | AnonymousUser


def club(slug: str) -> Club:
    club = Club.objects.filter(slug=slug).first()
    if club is None:
        raise Http404
    return club


def role_in(user: Visitor, club: Club) -> Role | None:
    """Return the role that a user may act in within a club; None for anonymous users and non-members.

    An owner without the second factor that the club requires may do what members may.
    """
    role = role_given(user, club)
    return Role.MEMBER if needs_second_factor(user, club, role) else role


def role_given(user: Visitor, club: Club) -> Role | None:
    """Return the role that a user was given in a club; None for former members and non-members."""
    if not isinstance(user, User) or not user.is_active:
        return None
    role = (
        Membership.objects.filter(club=club, player__user=user, left_at__isnull=True)
        .values_list("role", flat=True)
        .first()
    )
    return Role(role) if role else None


def has_second_factor(user: User) -> bool:
    return bool(TOTPDevice.objects.filter(user=user, confirmed=True).exists())


def needs_second_factor(user: Visitor, club: Club, role: Role | None) -> bool:
    """Return whether a user with this role is to turn on a second factor before they may act as an owner."""
    return role == Role.OWNER and club.second_factor and isinstance(user, User) and not has_second_factor(user)


def is_at_least(role: Role | None, needed: Role) -> bool:
    """Return whether `role` includes the permissions of `needed`."""
    return role is not None and RANK[role] >= RANK[needed]


def club_as(user: Visitor, slug: str, needed: Role) -> Club:
    """Return a club for a user with at least this role in it; 404 if there is no such club, 403 without the role."""
    fetched = club(slug)
    require(user, fetched, needed)
    return fetched


def require(user: Visitor, club: Club, needed: Role) -> Role:
    """Return the user's role in the club if it is at least `needed`; else 403.

    Refused: `second_factor_needed`, for owners of a club that wants it.
    """
    return require_of(role_given(user, club), user, club, needed)


def require_of(role: Role | None, user: Visitor, club: Club, needed: Role) -> Role:
    """Check the role that a user was given in a club, as `require` does."""
    if role is None or not is_at_least(role, needed):
        raise PermissionDenied
    if needs_second_factor(user, club, role):
        raise Refused("second_factor_needed", club=club.name)
    return role


def club_for_owner(user: Visitor, slug: str) -> Club:
    """Return a club for one of its owners; 404 if there is no such club, else 403."""
    return club_as(user, slug, Role.OWNER)


def club_for_director(user: Visitor, slug: str) -> Club:
    """Return a club for one of its directors; 404 if there is no such club, else 403."""
    return club_as(user, slug, Role.DIRECTOR)


def club_or_site(user: Visitor, slug: str) -> Club | None:
    """Return a club for one of its directors, as `club_for_director`; without a slug None, for administrators alone."""
    if slug:
        return club_for_director(user, slug)
    if not (isinstance(user, User) and user.is_superuser):
        raise PermissionDenied
    return None


def player(public_id: str) -> Player:
    """Return a player, or for a merged player the one they were merged into. Players are public."""
    row = Player.objects.select_related("merged_into").filter(public_id=_an_id(public_id)).first()
    if row is None:
        raise Http404
    return canonical(row)


def person_of(club: Club, public_id: str) -> Player:
    """Return one of the people of a club, whom it may name; 404 for anybody else, and for pairs.

    Merged players as in `player`.
    """
    return persons_of(club, [public_id])[0]


def persons_of(club: Club, public_ids: Collection[str]) -> list[Player]:
    ids = {_an_id(public_id) for public_id in public_ids}
    rows = list(Player.objects.select_related("merged_into").filter(is_person(), public_id__in=ids))
    if len(people_among(club, rows)) < len(ids):
        raise Http404
    return [canonical(row) for row in rows]


def player_to_add(club: Club, public_id: str) -> Player:
    """Return a player whom a director may make a member: one of the club's people, or who shows their full name."""
    row = player(public_id)
    return person_of(club, public_id) if row.initials_only or row.parts is not None else row


def _an_id(text: str) -> str:
    """Return `text` if it can be a public id; else 404 before the database sees it."""
    if not text.isalnum():
        raise Http404
    return text


def my_player(user: Visitor) -> Player:
    """Return the player of the signed-in user; 403 for anonymous users and for accounts without a player."""
    player = player_of(user) if isinstance(user, User) else None
    if player is None:
        raise PermissionDenied
    return player


def _membership(club: Club, public_id: str) -> Membership:
    membership = (
        Membership.objects.select_related("club", "player")
        .filter(club=club, player__public_id=_an_id(public_id), left_at__isnull=True, player__merged_into__isnull=True)
        .first()
    )
    if membership is None:
        raise Http404
    return membership


def member(slug: str, public_id: str) -> Membership:
    """Return a member of a club. Members are public."""
    return _membership(club(slug), public_id)


def member_for_director(user: Visitor, slug: str, public_id: str) -> Membership:
    """Return a member of a club for one of its directors."""
    return _membership(club_for_director(user, slug), public_id)


def member_for_owner(user: Visitor, slug: str, public_id: str) -> Membership:
    """Return a member of a club for one of its owners."""
    return _membership(club_for_owner(user, slug), public_id)


def member_below(user: Visitor, slug: str, public_id: str) -> Membership:
    """Return a member that the user may remove: directors remove those below them, owners everybody; else 403."""
    club_row = club(slug)
    role = require(user, club_row, Role.DIRECTOR)
    membership = _membership(club_row, public_id)
    if role != Role.OWNER and RANK[membership.role] >= RANK[role]:
        raise PermissionDenied
    return membership


def my_membership(user: Visitor, slug: str) -> Membership:
    """Return the user's own membership in a club; 403 if there is none."""
    club_row = club(slug)
    membership = (
        Membership.objects.select_related("club", "player")
        .filter(club=club_row, player__user=user, left_at__isnull=True)
        .first()
        if isinstance(user, User)
        else None
    )
    if membership is None:
        raise PermissionDenied
    return membership


def invitation(secret: str) -> Invitation:
    """Return the invitation of a secret link in any state; 404 for an unknown link."""
    invitation = (
        Invitation.objects.select_related("club", "player", "player__merged_into", "invited_by")
        .filter(secret_hash=hash_of(secret))
        .first()
    )
    if invitation is None:
        raise Http404
    return invitation


def invitation_for_director(user: Visitor, slug: str, pk: int) -> Invitation:
    invitation = (
        Invitation.objects.select_related("club", "player").filter(pk=pk, club=club_for_director(user, slug)).first()
    )
    if invitation is None:
        raise Http404
    return invitation


def merge_for_director(user: Visitor, slug: str, pk: int) -> Merge:
    """Return a merge of a player that this club entered, for one of its directors."""
    merge = Merge.objects.select_related("player", "into").filter(pk=pk).first()
    own_club = club_for_director(user, slug)
    if merge is None or home_club(merge.player) != own_club:
        raise Http404
    return merge


def own_claim(user: Visitor, pk: int) -> Merge:
    """Return a merge by which an account took over a player, undone or not, to that account; else 404."""
    rows = Merge.objects.select_related("player", "into").filter(pk=pk, claimed=True, into__user__isnull=False)
    row = rows.filter(into__user=user).first() if isinstance(user, User) else None
    if row is None:
        raise Http404
    return row


def join_request_for_director(user: Visitor, slug: str, public_id: str) -> JoinRequest:
    """Return a request to join a club, in any state, for one of its directors."""
    own_club = club_for_director(user, slug)
    row = JoinRequest.objects.select_related("club", "claimed").filter(club=own_club, public_id=public_id).first()
    if row is None:
        raise Http404
    return row


def owner_offer(user: Visitor, owner_offer: str) -> OwnerOffer:
    """Return an offer to own a club, or a request for an owner, to those it concerns: both sides, and the owners."""
    row = OwnerOffer.objects.select_related("club", "player", "by__player").filter(public_id=owner_offer).first()
    if row is None or not isinstance(user, User):
        raise Http404
    is_side = user.pk in (row.by_id, row.player.user_id if row.player is not None else None)
    if not is_side and role_given(user, row.club) != Role.OWNER:
        raise Http404
    return row


def data_export(user: User, public_id: str, now: datetime, *, unfinished: bool = False) -> DataExport:
    """Return a copy of a person's data to the user who requested it and may still have it; else 404.

    Only a finished one, unless `unfinished` are wanted too. Directors lose theirs when the player has an account.
    """
    rows = DataExport.objects.select_related("player").filter(Q(expires_at=None) | Q(expires_at__gt=now))
    if not unfinished:
        rows = rows.filter(state=DataExport.State.DONE)
    row = rows.filter(requested_by=user, public_id=public_id).first()
    if row is None or row.player.erased_at is not None:
        raise Http404
    if row.player.user_id != user.pk and not _cares_for(user, row.player):
        raise Http404
    return row


def _cares_for(user: User, player: Player) -> bool:
    club = home_club(player)
    return player.user_id is None and club is not None and is_at_least(role_in(user, club), Role.DIRECTOR)


def notification(user: User, pk: int) -> Notification:
    """Return a notification in the user's own list; else 404."""
    row = Notification.objects.filter(pk=pk, user=user, on_site=True).first()
    if row is None:
        raise Http404
    return row
