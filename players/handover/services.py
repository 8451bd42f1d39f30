"""Handing a club over, and finding an owner for one that nobody runs.

Nobody becomes owner without being asked: by an owner's offer, or by the site's staff where no owner is left or answers.
Every service locks the club. Before it the account of whoever is appointed, whose request to join is accepted, too.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from core.locks import lock_row
from engine.errors import Refused
from players.actors import Actor, log
from players.clubs.owners import (
    AWAY,
    CURRENT,
    Kind,
    Role,
    State,
    check_away,
    ownerless,
    standing,
    tell,
    want_owner,
    working_owners,
)
from players.clubs.services import add_player, check_may_have_role, give_role, locked_member
from players.joining.services import accept_request
from players.models import Club, JoinRequest, LogEntry, Membership, OwnerOffer, Player, User
from players.models.handover import OFFER_LASTS
from players.people.rows import club_topic, lock_club

# From an owner to a member.


@transaction.atomic
def offer_ownership(*, membership: Membership, then: str, by: Actor, now: datetime) -> OwnerOffer:
    """Ask a member to be an owner; `then` is the role that the giver has from then on. A repetition does no harm.

    Refused: `already_owner`, `offer_open`, `role_needs_account`, `suspended`, `not_a_member`.
    """
    current = locked_member(membership)
    club, player = current.club, current.player
    if current.role == Role.OWNER:
        raise Refused("already_owner", name=player.name)
    check_may_have_role(player)
    before = standing(now).filter(club=club, player=player).first()
    if before is not None:
        if (before.by, before.then) == (by.user, then):
            return before
        raise Refused("offer_open", name=player.name)
    values = {"by": by.user, "then": then, "created_at": now, "expires_at": now + OFFER_LASTS}
    row = OwnerOffer.objects.create(club=club, kind=Kind.OFFER, player=player, **values)
    _log(by, "owner_offered", row)
    tell(row, "offered", [player.user_id], now)
    tell(row, "told", _owners(club), now)
    return row


@transaction.atomic
def accept_offer(*, offer: OwnerOffer, by: Actor, now: datetime) -> OwnerOffer:
    """Become an owner. A repetition does no harm. Refused: `offer_over`."""
    row = _locked(offer)
    if not standing(now).filter(pk=row.pk, player__user=by.user).exists():
        if row.state == State.ACCEPTED:
            return row
        raise Refused("offer_over")
    members = row.club.memberships.select_related("club", "player")
    member, giver = members.get(player=row.player_id), members.get(player__user=row.by_id)
    readers = _owners(row.club)
    row.before = member.role
    give_role(member, Role.OWNER, by)
    if row.then != Role.OWNER:
        give_role(giver, Role(row.then), by)
    _decide(row, State.ACCEPTED, by, now)
    # Whoever has just accepted is here.
    row.club.owner_offers.filter(kind=Kind.REQUEST, state=State.OPEN).update(state=State.DECLINED, decided_at=now)
    _log(by, "owner_accepted", row)
    tell(row, "accepted", readers, now)
    return row


@transaction.atomic
def decline(*, offer: OwnerOffer, by: Actor, now: datetime) -> OwnerOffer:
    """Decline an offer, or as an owner say that somebody runs the club. A repetition does no harm.

    Refused: `offer_over`.
    """
    row = _locked(offer)
    if row.state == State.DECLINED:
        return row
    may = _accounts(row) if row.kind == Kind.OFFER else _owners(row.club)
    if row.state != State.OPEN or by.user is None or by.user.pk not in may:
        raise Refused("offer_over")
    _decide(row, State.DECLINED, by, now)
    if row.kind == Kind.OFFER:
        tell(row, "declined", _owners(row.club), now)
    else:
        tell(row, "here", [row.by_id], now)
    return row


@transaction.atomic
def undo_offer(*, offer: OwnerOffer, is_confirmed: bool, by: Actor, now: datetime) -> OwnerOffer:
    """Withdraw an offer or a request, or within 72 hours take an accepted offer back: everybody has the role of before.

    `is_confirmed` says that the giver has typed the password, which taking back needs. Whom the new owner made owners
    since then are none any more either, and the giver is one again, unless another owner has ended that.
    A repetition does no harm. Refused: `offer_over`, `wrong_password`.
    """
    row = _locked(offer)
    if row.by != by.user:
        raise Refused("offer_over")
    if row.state == State.OPEN:
        _decide(row, State.WITHDRAWN, by, now)
        if row.kind == Kind.OFFER:
            tell(row, "withdrawn", _owners(row.club) | _accounts(row), now)
    elif row.can_be_undone(now):
        if not is_confirmed:
            raise Refused("wrong_password")
        readers = _owners(row.club) | _take_back(row, by, now)
        tell(row, "undone", readers | _owners(row.club), now)
        _log(by, "owner_undone", row)
    elif row.state not in (State.WITHDRAWN, State.UNDONE):
        raise Refused("offer_over")
    if not _owners(row.club):
        want_owner(row.club, now)
    return row


def _take_back(row: OwnerOffer, by: Actor, now: datetime) -> set[int | None]:
    """Give everybody the role of before an accepted offer, and return the accounts of those who were owners by it."""
    members = row.club.memberships.select_related("club", "player")
    chain = _offers_since(row)
    new_owners = {user for each in chain for user in _accounts(each)}
    giver = members.get(player__user=row.by_id)
    unmade = LogEntry.objects.filter(verb__in=("role_changed", "member_removed"), at__gte=row.decided_at)
    is_lost_by_it = unmade.filter(club=row.club, params__player=giver.player.public_id, user__in=new_owners).exists()
    for each in chain:
        member = members.get(player=each.player_id)
        if member.role == Role.OWNER:
            give_role(member, Role(each.before), by)
        _decide(each, State.UNDONE, by, now)
    if giver.role != Role.OWNER and (row.then != Role.OWNER or is_lost_by_it):
        if giver.left_at is not None:
            giver = add_player(club=row.club, player=giver.player, by=by)
        give_role(giver, Role.OWNER, by)
    return new_owners


def _offers_since(row: OwnerOffer) -> list[OwnerOffer]:
    """Return an accepted offer, and those by which its new owner, and theirs, have made owners since."""
    chain, new_owners = [row], _accounts(row)
    later = row.club.owner_offers.filter(kind=Kind.OFFER, state=State.ACCEPTED, decided_at__gt=row.decided_at)
    for each in later.exclude(pk=row.pk).select_related("club", "player").order_by("decided_at", "pk"):
        if each.by_id in new_owners:
            chain.append(each)
            new_owners |= _accounts(each)
    return chain


# From the site's staff, for a club that nobody runs.


@transaction.atomic
def ask_for_owner(*, club: Club, reason: str, by: Actor, now: datetime) -> OwnerOffer:
    """Say that nobody runs a club: its owners are asked, and 14 days later the site's staff. A repetition does no harm.

    Refused: `owner_is_here`.
    """
    lock_club(club)
    check_away(club, now - AWAY)
    values = {"by": by.user, "reason": reason, "created_at": now, "expires_at": now + OFFER_LASTS}
    row, is_new = club.owner_offers.get_or_create(kind=Kind.REQUEST, state=State.OPEN, defaults=values)
    if not is_new and row.by_id is None:
        # The club lost its owner, and nobody has said yet what is to become of it.
        row.by, row.reason = by.user, reason
        row.save(update_fields=["by", "reason"])
    elif not is_new:
        return row
    _log(by, "owner_asked", row)
    tell(row, "asked", _owners(club), now)
    return row


def candidates(club: Club) -> QuerySet[Player]:
    """Return whom the staff may choose: members with an account, and accounts that ask to join."""
    here = Membership.objects.filter(CURRENT, club=club).values("player")
    asking = JoinRequest.objects.filter(club=club, state=JoinRequest.State.OPEN).values("user")
    rows = Player.objects.filter(Q(pk__in=here) | Q(user__in=asking), user__is_active=True)
    return rows.select_related("user").order_by("name_key", "pk")


@transaction.atomic
def answer_request(*, request: OwnerOffer, player: Player | None, reason: str, by: Actor, now: datetime) -> OwnerOffer:
    """Make somebody an owner of a club that nobody runs, or with None dismiss the request; its members read the reason.

    A repetition does no harm. Refused: `offer_over`, `owner_is_here`, `owner_unknown`.
    """
    if player is not None and player.user is not None:
        lock_row(User, player.user.pk)
    row = _locked(request)
    if (row.state, row.player) == (State.DISMISSED if player is None else State.ACCEPTED, player):
        return row
    if not ownerless(now).filter(pk=row.pk).exists():
        raise Refused("offer_over")
    if player is None:
        row.answer = reason
        _decide(row, State.DISMISSED, by, now)
        _log(by, "owner_dismissed", row)
        tell(row, "dismissed", _members(row.club), now)
        return row
    check_away(row.club, row.created_at)
    if not candidates(row.club).contains(player):
        raise Refused("owner_unknown")
    return appoint(club=row.club, player=player, by=by, now=now, reason=reason)


@transaction.atomic
def appoint(*, club: Club, player: Player, by: Actor, now: datetime, reason: str = "") -> OwnerOffer:
    """Make a player with an account an owner, and a member if it is none; whoever calls it has locked the account."""
    lock_club(club)
    request = club.owner_offers.filter(kind=Kind.REQUEST, state=State.OPEN).first()
    row = request or OwnerOffer(club=club, kind=Kind.REQUEST, created_at=now, expires_at=now)
    members = club.memberships.filter(left_at=None, player=player).select_related("club", "player")
    if not members.exists():
        asks = JoinRequest.objects.filter(club=club, user=player.user_id, state=JoinRequest.State.OPEN).first()
        if asks is not None:
            accept_request(request=asks, link=False, by=by, now=now)
        else:
            add_player(club=club, player=player, by=by)
    member = members.get()
    row.player, row.before, row.answer = player, member.role, reason
    if member.role != Role.OWNER:
        give_role(member, Role.OWNER, by)
    _decide(row, State.ACCEPTED, by, now)
    _log(by, "owner_appointed", row)
    tell(row, "appointed", _members(club), now)
    return row


# What they have in common.


def _locked(offer: OwnerOffer) -> OwnerOffer:
    """Lock the club and return the offer or request as it is now."""
    lock_club(offer.club)
    return OwnerOffer.objects.select_related("club", "player", "by__player").get(pk=offer.pk)


def _decide(row: OwnerOffer, state: OwnerOffer.State, by: Actor, now: datetime) -> None:
    row.state, row.decided_at, row.decided_by = state, now, by.user
    row.save()


def _log(by: Actor, verb: str, row: OwnerOffer) -> None:
    player = row.player.public_id if row.player is not None else None
    log(by, verb, club_topic(row.club), club=row.club, player=player)


def _owners(club: Club) -> set[int | None]:
    return set(working_owners(club).values_list("player__user", flat=True))


def _members(club: Club) -> set[int | None]:
    return set(club.memberships.filter(CURRENT).values_list("player__user", flat=True))


def _accounts(row: OwnerOffer) -> set[int | None]:
    return {row.player.user_id} if row.player is not None else set()
