"""Queries for pages and API; their number does not grow with the number of rows."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db.models import Case, Count, Exists, IntegerField, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce

from core.names import fold
from core.pagination import page_of
from players import access
from players.access import RANK, Role, Visitor
from players.models import Alias, Club, Invitation, JoinRequest, LogEntry, Membership, Merge, Player, User
from players.models.people import CLAIM_LASTS
from players.people.rows import is_person, player_topic
from players.people.services import home_club

CLUBS_ON_A_PAGE = 24
PEOPLE_ON_A_PAGE = 100
LOG_ON_A_PAGE = 20

_RANK = Case(*(When(role=role, then=Value(rank)) for role, rank in RANK.items()), output_field=IntegerField())
_CURRENT = Q(left_at__isnull=True, player__merged_into__isnull=True)


def clubs(q: str = "", visitor: Visitor | None = None) -> QuerySet[Club]:
    """Return clubs by name, with `member_count` and the visitor's `my_role`; `q` is part of a name or city."""
    members = (
        Membership.objects.filter(_CURRENT, club=OuterRef("pk"))
        .order_by()
        .values("club")
        .annotate(count=Count("pk"))
        .values("count")
    )
    rows = Club.objects.annotate(member_count=Coalesce(Subquery(members), 0)).order_by("search_key", "pk")
    if isinstance(visitor, User):
        memberships = Membership.objects.filter(club=OuterRef("pk"), player__user=visitor, left_at__isnull=True)
        rows = rows.annotate(my_role=Subquery(memberships.values("role")[:1]))
    return rows.filter(search_key__contains=fold(q)) if q.strip() else rows


def waiting_clubs(visitor: Visitor) -> QuerySet[Club]:
    """Return the clubs that wait to be accepted, the oldest first; none for those who do not run the site."""
    runs_site = isinstance(visitor, User) and visitor.is_superuser
    rows = Club.objects.filter(accepted_at=None).order_by("created_at", "pk")
    return rows if runs_site else rows.none()


def my_clubs(user: User, q: str = "") -> QuerySet[Club]:
    memberships = Membership.objects.filter(club=OuterRef("pk"), player__user=user, left_at__isnull=True)
    return clubs(q, user).filter(Exists(memberships))


def my_and_asked_clubs(user: User) -> tuple[list[Club], list[Club]]:
    """Return the clubs that a user is a member of, and those that they have asked to join, in one query."""
    is_open = JoinRequest.objects.filter(club=OuterRef("pk"), user=user, state=JoinRequest.State.OPEN)
    member = Membership.objects.filter(club=OuterRef("pk"), player__user=user, left_at__isnull=True)
    rows = clubs("", user).annotate(is_member=Exists(member), has_asked=Exists(is_open))
    rows = rows.filter(Q(is_member=True) | Q(has_asked=True))
    return [club for club in rows if club.is_member], [club for club in rows if club.has_asked]


def called(q: str, prefix: str = "") -> Q:
    """Return the condition that `q` is part of a player's name or aliases."""
    aliases = Alias.objects.filter(name_key__contains=fold(q)).values("player")
    return Q(**{f"{prefix}name_key__contains": fold(q)}) | Q(**{f"{prefix}pk__in": aliases})


def people(club: Club, q: str = "", *, hidden_names: bool = False) -> QuerySet[Membership]:
    """Return the members of a club by name; `q` is part of a name.

    Players who show only their initials are found by name only with `hidden_names`.
    """
    rows = Membership.objects.filter(_CURRENT, club=club).select_related("player", "club")
    if q.strip():
        rows = rows.filter(called(q, "player__"))
        if not hidden_names:
            rows = rows.filter(player__initials_only=False)
    return rows.order_by("player__name_key", "pk")


def same_names(club: Club) -> QuerySet[Membership]:
    """Return the members whose name another member has, too: two people, or one to be merged."""
    members = people(club)
    names = members.order_by().values("player__name_key").annotate(count=Count("pk")).filter(count__gt=1)
    return members.filter(player__name_key__in=names.values("player__name_key"))


def officers(club: Club) -> QuerySet[Membership]:
    """Return the members with a role, owners first."""
    return people(club).exclude(role=Role.MEMBER).annotate(rank=_RANK).order_by("-rank", "player__name_key", "pk")


def players(q: str = "", club: str = "") -> QuerySet[Player]:
    """Return the players that everybody may find: not those who were merged or erased, nor by name those who show only
    initials.
    """
    rows = Player.objects.filter(is_person(), merged_into__isnull=True, erased_at__isnull=True)
    if q.strip():
        rows = rows.filter(called(q), initials_only=False)
    if club:
        rows = rows.filter(memberships__club__slug=club, memberships__left_at__isnull=True)
    return rows.order_by("name_key", "pk")


def namesakes(club: Club, name: str) -> QuerySet[Player]:
    """Return players of other clubs with exactly this name, annotated with their first club."""
    here = Membership.objects.filter(player=OuterRef("pk"), club=club, left_at__isnull=True)
    home = Membership.objects.filter(player=OuterRef("pk"), left_at__isnull=True).order_by("pk")
    return (
        players()
        .filter(name_key=fold(name), initials_only=False)
        .exclude(Exists(here))
        .annotate(club_name=Subquery(home.values("club__name")[:1]))[:10]
    )


def club_home(visitor: Visitor, club: Club, q: str = "", page: str | None = None) -> dict[str, Any]:
    """Return the context of a club's page, which the page of another app extends."""
    role = access.role_given(visitor, club)
    needs_second_factor = access.needs_second_factor(visitor, club, role)
    may_direct = access.is_at_least(role, Role.DIRECTOR) and not needs_second_factor
    return {
        "club": club,
        "role": role,
        "needs_second_factor": needs_second_factor,
        "may_direct": may_direct,
        "requests": open_requests(club).count() if may_direct else 0,
        "own_request": None if may_direct else _own_request(visitor, club),
        "may_own": role == Role.OWNER and not needs_second_factor,
        "officers": list(officers(club)),
        "people": page_of(people(club, q), page, PEOPLE_ON_A_PAGE),
        "q": q,
    }


def members_page(role: Role, club: Club, now: datetime, q: str = "", page: str | None = None) -> dict[str, Any]:
    """Return the context of the directors' page of members: full names, accounts, open invitations, merges."""
    invited = open_invitations(now).filter(player=OuterRef("player"))
    rows = people(club, q, hidden_names=True).annotate(invited=Exists(invited), rank=_RANK)
    rows = rows.order_by("-rank", "player__name_key", "pk")
    return {
        "club": club,
        "role": role,
        "may_own": role == Role.OWNER,
        "people": page_of(rows, page, PEOPLE_ON_A_PAGE),
        "q": q,
        "requests": open_requests(club).count(),
        "invitations": list(open_invitations(now).filter(club=club).select_related("player").order_by("-pk")[:50]),
        "merges": list(merges(club, now)[:50]),
        "same_names": list(same_names(club)[:50]),
    }


def member_page(membership: Membership, role: Role, now: datetime) -> dict[str, Any]:
    """Return the context of the directors' page of one member."""
    club, player = membership.club, membership.player
    home = home_club(player)
    return {
        "club": club,
        "member": membership,
        "player": player,
        "role": role,
        "may_own": role == Role.OWNER,
        "may_remove": role == Role.OWNER or RANK[membership.role] < RANK[role],
        "is_home": home == club,
        "home": home,
        "invitation": open_invitations(now).filter(player=player).first(),
        "aliases": list(player.aliases.order_by("name_key", "pk")),
        "others": other_members(membership),
        "merges": list(merges(club, now).filter(into=player)),
        "log": _log_of(player, club),
    }


def _log_of(player: Player, club: Club) -> list[tuple[LogEntry, list[str]]]:
    """The latest log entries of a member, each with its values before and after."""
    rows = LogEntry.objects.filter(topic=player_topic(player), club=club).select_related("user")[:LOG_ON_A_PAGE]
    return [
        (row, [f"{before or '–'} → {after or '–'}" for before, after in row.params.get("changed", {}).values()])
        for row in rows
    ]


def other_members(membership: Membership) -> list[tuple[str, str]]:
    """Return the other members of the club as (public id, full name), for its directors."""
    others = people(membership.club, hidden_names=True).exclude(player=membership.player_id)
    return list(others.values_list("player__public_id", "player__name"))


def open_invitations(now: datetime) -> QuerySet[Invitation]:
    return Invitation.objects.filter(accepted_at__isnull=True, withdrawn_at__isnull=True, expires_at__gt=now)


def merges(club: Club, now: datetime) -> QuerySet[Merge]:
    """Return the merges, not undone, of players that this club entered, and whether each `can_be_undone`."""
    first = Membership.objects.filter(player=OuterRef("player")).order_by("pk").values("club")[:1]
    standing = Merge.objects.filter(Q(player__erased_at__isnull=True) | Q(kept__isnull=False), undone_at__isnull=True)
    standing = standing.annotate(can_be_undone=can_be_undone(now))
    return (
        standing.annotate(home=Subquery(first))
        .filter(home=club.pk)
        .select_related("player__merged_into", "into", "merged_by")
        .order_by("-merged_at", "-pk")
    )


def can_be_undone(now: datetime) -> Q:
    """Return the condition for merges that are not undone yet and still can be: claims for a time, others always."""
    return Q(undone_at=None) & (Q(claimed=False) | Q(merged_at__gt=now - CLAIM_LASTS))


def claims_of(user: User, now: datetime) -> QuerySet[Merge]:
    """Return the merges by which an account took over players, as long as it can undo them."""
    rows = Merge.objects.filter(can_be_undone(now), claimed=True, into__user=user)
    return rows.select_related("player__merged_into", "into").order_by("-merged_at", "-pk")


def my_requests(user: User) -> QuerySet[JoinRequest]:
    return JoinRequest.objects.filter(user=user, state=JoinRequest.State.OPEN).select_related("club", "claimed")


def latest_request(user: User, club: Club) -> JoinRequest | None:
    """Return the latest request of an account to a club, in whatever state."""
    return JoinRequest.objects.filter(user=user, club=club).select_related("claimed").order_by("-pk").first()


def open_requests(club: Club) -> QuerySet[JoinRequest]:
    """Return the open requests to a club, the oldest first, each with the account's player."""
    rows = JoinRequest.objects.filter(club=club, state=JoinRequest.State.OPEN)
    return rows.select_related("club", "user__player", "claimed").order_by("created_at", "pk")


def with_requests(clubs: Collection[int]) -> QuerySet[Club]:
    """Return those of these clubs, given by id, that have open requests, each with their number as `waiting`."""
    is_open = Q(join_requests__state=JoinRequest.State.OPEN)
    rows = Club.objects.filter(is_open, pk__in=clubs).annotate(waiting=Count("join_requests"))
    return rows.order_by("search_key", "pk")


def _own_request(visitor: Visitor, club: Club) -> JoinRequest | None:
    return my_requests(visitor).filter(club=club).first() if isinstance(visitor, User) else None
