"""Who may see and do what in this room: one call fetches and authorises.

What is not there, or not to be known of, raises Http404; what is known but not allowed raises PermissionDenied.
"""

import hashlib

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import Http404

from players.models import Club, Invitation, Membership, Merge, Player, User
from players.people.canonical import canonical, player_of

Role = Membership.Role
RANK: dict[str, int] = {Role.MEMBER: 0, Role.ASSISTANT: 1, Role.DIRECTOR: 2, Role.OWNER: 3}
"""Each role may do what those below it may."""

Visitor = User | AnonymousUser


def club(slug: str) -> Club:
    """A club as everybody may see it."""
    found = Club.objects.filter(slug=slug).first()
    if found is None:
        raise Http404
    return found


def role_in(user: Visitor, club: Club) -> Role | None:
    """What somebody is in a club; None for whoever is not (or no longer) in it, or not signed in."""
    if not isinstance(user, User) or not user.is_active:
        return None
    found = (
        Membership.objects.filter(club=club, player__user=user, left_at__isnull=True)
        .values_list("role", flat=True)
        .first()
    )
    return Role(found) if found else None


def is_at_least(role: Role | None, needed: Role) -> bool:
    """Whether a role may do what `needed` may."""
    return role is not None and RANK[role] >= RANK[needed]


def club_as(user: Visitor, slug: str, needed: Role) -> Club:
    """A club for somebody who has at least this role in it; 404 without such a club, 403 without the role."""
    found = club(slug)
    require(user, found, needed)
    return found


def require(user: Visitor, club: Club, needed: Role) -> Role:
    """His role in the club if it is at least `needed`; else 403."""
    role = role_in(user, club)
    if role is None or not is_at_least(role, needed):
        raise PermissionDenied
    return role


def club_for_owner(user: Visitor, slug: str) -> Club:
    """A club for one of its owners."""
    return club_as(user, slug, Role.OWNER)


def club_for_director(user: Visitor, slug: str) -> Club:
    """A club for one who directs its events."""
    return club_as(user, slug, Role.DIRECTOR)


def player(public_id: str) -> Player:
    """A player as everybody may see him; for one who was merged, the one he was merged into."""
    found = Player.objects.select_related("merged_into").filter(public_id=_an_id(public_id)).first()
    if found is None:
        raise Http404
    return canonical(found)


def _an_id(text: str) -> str:
    """What may be an id, whoever made it up; not what a database would stumble over."""
    if not text.isalnum():
        raise Http404
    return text


def my_player(user: Visitor) -> Player:
    """The player behind the account that is signed in; 403 for nobody and for accounts without one."""
    found = player_of(user) if isinstance(user, User) else None
    if found is None:
        raise PermissionDenied
    return found


def _membership(club: Club, public_id: str) -> Membership:
    found = (
        Membership.objects.select_related("club", "player")
        .filter(club=club, player__public_id=_an_id(public_id), left_at__isnull=True, player__merged_into__isnull=True)
        .first()
    )
    if found is None:
        raise Http404
    return found


def member(slug: str, public_id: str) -> Membership:
    """Somebody in a club as everybody may see him."""
    return _membership(club(slug), public_id)


def member_for_director(user: Visitor, slug: str, public_id: str) -> Membership:
    """Somebody in a club for one of its directors."""
    return _membership(club_for_director(user, slug), public_id)


def member_for_owner(user: Visitor, slug: str, public_id: str) -> Membership:
    """Somebody in a club for one of its owners."""
    return _membership(club_for_owner(user, slug), public_id)


def member_below(user: Visitor, slug: str, public_id: str) -> Membership:
    """Somebody whom a director may put out: 403 for his peers and owners, unless an owner asks."""
    found = club(slug)
    role = require(user, found, Role.DIRECTOR)
    membership = _membership(found, public_id)
    if role != Role.OWNER and RANK[membership.role] >= RANK[role]:
        raise PermissionDenied
    return membership


def my_membership(user: Visitor, slug: str) -> Membership:
    """One's own place in a club; 403 for whoever has none."""
    found = club(slug)
    mine = (
        Membership.objects.select_related("club", "player")
        .filter(club=found, player__user=user, left_at__isnull=True)
        .first()
        if isinstance(user, User)
        else None
    )
    if mine is None:
        raise PermissionDenied
    return mine


def invitation(secret: str) -> Invitation:
    """The invitation of a secret link, whatever became of it; 404 for any other link."""
    found = (
        Invitation.objects.select_related("club", "player", "player__merged_into", "invited_by")
        .filter(secret_hash=hash_of(secret))
        .first()
    )
    if found is None:
        raise Http404
    return found


def invitation_for_director(user: Visitor, slug: str, pk: int) -> Invitation:
    """An invitation of a club for one of its directors."""
    found = (
        Invitation.objects.select_related("club", "player").filter(pk=pk, club=club_for_director(user, slug)).first()
    )
    if found is None:
        raise Http404
    return found


def merge_for_director(user: Visitor, slug: str, pk: int) -> Merge:
    """A merge of a player whom this club had entered, for one of its directors."""
    found = Merge.objects.select_related("player", "into").filter(pk=pk).first()
    theirs = club_for_director(user, slug)
    if found is None or home_club(found.player) != theirs:
        raise Http404
    return found


def home_club(player: Player) -> Club | None:
    """The club that entered a player: it answers for him while he has no account."""
    first = Membership.objects.select_related("club").filter(player=player).order_by("pk").first()
    return first.club if first else None


def hash_of(secret: str) -> str:
    """What is kept of an invitation's secret."""
    return hashlib.sha256(secret.encode()).hexdigest()
