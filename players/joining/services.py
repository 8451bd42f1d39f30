"""Requests to join a club: asked, withdrawn, accepted and refused.

An account asks to become a member, and may say which player without an account it is. Nothing changes until a director
of the club answers; accepting such a claim merges that player into the account's, which can be undone for 30 days.
Every service here locks the account first, so that two answers to one request wait for each other.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.urls import reverse
from django.utils.translation import gettext_noop

from core.locks import for_update, lock_row
from core.names import fold
from engine.errors import Refused
from players.accounts.services import ensure_player
from players.actors import Actor, log
from players.clubs.owners import want_owner
from players.clubs.services import add_player
from players.models import Alias, Club, JoinRequest, Membership, Player, User
from players.notifications.kinds import NotificationGroup, NotificationKind, Params
from players.notifications.services import notify
from players.people.rows import club_topic, is_person, lock_club, lock_clubs_of
from players.people.services import claim_player

State = JoinRequest.State
Role = Membership.Role
MIN_LETTERS = 2
"""Of a name that is looked for."""
MAX_CLAIMABLE = 10
_CURRENT = Q(left_at__isnull=True)


# The players whom somebody may say they are.


def claimable(club: Club) -> QuerySet[Player]:
    """Return the current members whom the club entered and nobody has claimed; none of those who show only initials."""
    first = Membership.objects.filter(player=OuterRef("pk")).order_by("pk").values("club")[:1]
    here = Membership.objects.filter(_CURRENT, player=OuterRef("pk"), club=club)
    rows = Player.objects.filter(
        is_person(), user__isnull=True, merged_into__isnull=True, erased_at__isnull=True, initials_only=False
    )
    return rows.annotate(home=Subquery(first)).filter(Exists(here), home=club.pk)


def find_claimable(club: Club, name: str) -> list[Player]:
    """Return up to ten players to claim; each word of `name` has to begin a word of their name or of an alias."""
    words = fold(name).split()
    if sum(map(len, words)) < MIN_LETTERS:
        return []
    rows = claimable(club)
    for word in words:
        begins = Q(name_key__startswith=word) | Q(name_key__contains=f" {word}")
        aliases = Alias.objects.filter(begins).values("player")
        rows = rows.filter(begins | Q(pk__in=aliases))
    return list(rows.order_by("name_key", "pk")[:MAX_CLAIMABLE])


@transaction.atomic
def ask_to_join(*, club: Club, user: User, claimed: str, by: Actor, now: datetime) -> JoinRequest:
    """Ask to join a club, as the player with the public id `claimed`, or as somebody new if that is empty.

    A member may ask as well, to claim a player. Asking again for the same returns the request that is open.
    Where no director could answer, the site's staff may make the account an owner.
    Refused: `already_member`, `claim_unknown`, `already_asked`.
    """
    lock_row(User, user.pk)
    open_request = JoinRequest.objects.select_related("claimed").filter(club=club, user=user, state=State.OPEN).first()
    if open_request is not None:
        if (open_request.claimed.public_id if open_request.claimed else "") == claimed:
            return open_request
        raise Refused("already_asked", club=club.name)
    own = ensure_player(user=user, by=by)
    player = claimable(club).filter(public_id=claimed).first() if claimed else None
    if claimed and player is None:
        raise Refused("claim_unknown")
    if player is None and Membership.objects.filter(_CURRENT, club=club, player=own).exists():
        raise Refused("already_member", name=own.shown_name)
    directors = directors_of(club)
    if not directors:
        want_owner(lock_club(club), now)
    request = JoinRequest.objects.create(club=club, user=user, claimed=player, created_at=now)
    log(by, "join_asked", club_topic(club), club=club, player=own.public_id, claimed=claimed)
    notify(
        users=directors,
        kind=ASKED.code,
        params={"player": own.pk, "claimed": player.pk if player else None, "context": club.name,
                "variant": "claim" if player else "", "request": request.pk, "language": club.effective_language},
        url=reverse("join-requests", args=[club.slug]),
        key=f"join-asked:{request.pk}",
        now=now,
    )  # fmt: skip
    return request


def directors_of(club: Club) -> set[int]:
    """Return the accounts of those who can answer requests."""
    officers = Membership.objects.filter(_CURRENT, club=club, role__in=(Role.OWNER, Role.DIRECTOR))
    ids = officers.filter(player__user__is_active=True).values_list("player__user", flat=True)
    return {pk for pk in ids if pk is not None}


@transaction.atomic
def withdraw_request(*, club: Club, user: User, by: Actor, now: datetime) -> None:
    """Withdraw the open request of an account to a club; harmless if there is none."""
    lock_row(User, user.pk)
    if JoinRequest.objects.filter(club=club, user=user, state=State.OPEN).update(state=State.WITHDRAWN, decided_at=now):
        log(by, "join_withdrawn", club_topic(club), club=club)


@transaction.atomic
def accept_request(*, request: JoinRequest, link: bool, by: Actor, now: datetime) -> JoinRequest:
    """Make the account a member; with `link`, merge the player it claims into its own. A repetition does no harm.

    Refused: `request_decided`, and with `link` what refuses a merge, such as two entries in one division.
    """
    user, row = _locked(request)
    if row.state == State.ACCEPTED:
        return row
    _check_open(row)
    player = ensure_player(user=user, by=by)
    if link and row.claimed is not None:
        lock_clubs_of(row.claimed)
    # Before the merge: the person stays a member where they have asked to be one, even if the claim is undone.
    if not Membership.objects.filter(_CURRENT, club=row.club, player=player).exists():
        add_player(club=row.club, player=player, by=by)
    if link and row.claimed is not None:
        claim_player(player=row.claimed, user=user, by=by, now=now, club=row.club)
    log(by, "join_accepted", club_topic(row.club), club=row.club, player=player.public_id)
    is_linked = link and row.claimed is not None
    return _decide(row, State.ACCEPTED, "linked" if is_linked else "", by, now)


@transaction.atomic
def refuse_request(*, request: JoinRequest, reason: str, by: Actor, now: datetime) -> JoinRequest:
    """Refuse a request with a reason, which the account is told. Refused: `request_decided`."""
    user, row = _locked(request)
    if row.state == State.REFUSED:
        return row
    _check_open(row)
    row.reason = reason
    player = ensure_player(user=user, by=by)
    log(by, "join_refused", club_topic(row.club), club=row.club, player=player.public_id, reason=reason)
    return _decide(row, State.REFUSED, "refused", by, now)


def _locked(request: JoinRequest) -> tuple[User, JoinRequest]:
    """Lock the account and return it and its request. Refused: `request_decided` if the account was erased."""
    user = for_update(User.objects.filter(pk=request.user_id)).first()
    row = JoinRequest.objects.select_related("club", "claimed").filter(pk=request.pk).first()
    if user is None or row is None:
        raise Refused("request_decided")
    return user, row


def _check_open(row: JoinRequest) -> None:
    if row.state != State.OPEN:
        raise Refused("request_decided")


def _decide(row: JoinRequest, state: State, variant: str, by: Actor, now: datetime) -> JoinRequest:
    row.state, row.decided_at, row.decided_by = state, now, by.user
    row.save(update_fields=["state", "reason", "decided_at", "decided_by"])
    notify(
        users=[row.user_id],
        kind=ANSWERED.code,
        params={
            "club": row.club.name,
            "reason": row.reason,
            "variant": variant,
            "language": row.club.effective_language,
        },
        url=reverse("join-club" if state == State.REFUSED else "club", args=[row.club.slug]),
        key=f"join-answered:{row.pk}",
        now=now,
    )
    return row


# What is told about it.


def _is_open(params: Params) -> bool:
    return JoinRequest.objects.filter(pk=params["request"], state=State.OPEN).exists()


ASKED = NotificationKind(
    code="join_asked",
    label=gettext_noop("Somebody asks to join your club"),
    group=NotificationGroup.CLUB,
    sentences={
        "": gettext_noop("{player} asks to join the club."),
        "claim": gettext_noop("{player} asks to join the club and says: “I am {claimed}.”"),
    },
    players=("player", "claimed"),
    is_current=_is_open,
)
ANSWERED = NotificationKind(
    code="join_answered",
    label=gettext_noop("A club answers your request to join"),
    group=NotificationGroup.CLUB,
    sentences={
        "": gettext_noop("You are now a member of {club}."),
        "linked": gettext_noop("You are now a member of {club}. Your earlier results there are yours."),
        "refused": gettext_noop("{club} has refused your request to join: {reason}"),
    },
)
