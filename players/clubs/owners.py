"""Who can run a club, and what happens once nobody can."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.conf import settings
from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from core.faults import each
from core.times import written
from engine.errors import Refused
from players.access import Visitor
from players.models import Club, LogEntry, Membership, OwnerOffer, Player, User
from players.models.handover import OFFER_LASTS
from players.notifications.kinds import NotificationGroup, NotificationKind, Params
from players.notifications.services import notify
from players.people.stored_elsewhere import Leaving, Participation, StoredElsewhere

AWAY = timedelta(days=60)
"""How long no owner has to have signed in before others may ask for one; not shorter than a session lasts."""
Kind, Role, State = OwnerOffer.Kind, Membership.Role, OwnerOffer.State
CURRENT = Q(left_at__isnull=True, player__user__is_active=True)
"""The condition for members who can sign in."""


class LastSeen(NamedTuple):
    owner: Player
    at: datetime


def working_owners(club: Club) -> QuerySet[Membership]:
    """Return the memberships of the owners who can sign in."""
    rows = Membership.objects.filter(CURRENT, club=club, role=Role.OWNER)
    return rows.select_related("player__user").order_by("pk")


def last_seen(club: Club) -> LastSeen | None:
    """Return the owner who was here last: signed in, or stored something in a session that goes on."""
    session = timedelta(seconds=settings.SESSION_COOKIE_AGE)
    visits = []
    for row in working_owners(club).annotate(expires=Max("player__user__sessions__expire_date")):
        user = row.player.user
        assert user is not None  # noqa: S101, a working owner has an account.
        times = [user.last_login or user.date_joined, *([row.expires - session] if row.expires else [])]
        visits.append(LastSeen(row.player, max(times)))
    return max(visits, key=lambda visit: visit.at, default=None)


def check_away(club: Club, since: datetime) -> None:
    """Refused: `owner_is_here` if an owner was here since then."""
    seen = last_seen(club)
    if seen is not None and seen.at > since:
        raise Refused("owner_is_here", name=seen.owner.shown_name, date=written(seen.at, "DATE_FORMAT"))


def next_in_charge(club: Club) -> set[int]:
    """Return the accounts of the directors; if there are none, of the assistants; else of the members."""
    rows = Membership.objects.filter(CURRENT, club=club)
    accounts: dict[str, set[int]] = {}
    for role, user in rows.values_list("role", "player__user"):
        accounts.setdefault(role, set()).add(user)
    roles = (Role.DIRECTOR, Role.ASSISTANT, Role.MEMBER)
    return next((accounts[role] for role in roles if role in accounts), set())


def may_ask(user: Visitor, club: Club, now: datetime) -> bool:
    """Whether an account is next in charge of a club whose owners have not been here for long."""
    if user.pk not in next_in_charge(club):
        return False
    seen = last_seen(club)
    return seen is None or seen.at <= now - AWAY


def want_owner(club: Club, now: datetime) -> None:
    """Put a club that nobody can run on the page of the site's staff, and tell its directors; in a transaction."""
    values = {"created_at": now, "expires_at": now + OFFER_LASTS}
    row, is_new = OwnerOffer.objects.get_or_create(club=club, kind=Kind.REQUEST, state=State.OPEN, defaults=values)
    if is_new:
        tell(row, "ownerless", next_in_charge(club), now)


def _owned_alone(players: Collection[Player]) -> Iterable[Club]:
    """Yield the clubs that nobody can run without these players."""
    owned = Membership.objects.filter(player__in=players, role=Role.OWNER, left_at=None).select_related("club")
    for row in owned.order_by("club_id"):
        if not working_owners(row.club).exclude(player__in=players).exists():
            yield row.club


class Ownership(StoredElsewhere):
    """What becomes of clubs when an owner leaves the site."""

    def taking_part(self, players: Collection[Player], now: datetime) -> Iterable[Participation]:
        for club in _owned_alone(players):
            text = _("{club} has no other owner. The site’s staff will choose one.").format(club=club.name)
            yield Participation(text, reverse("club", args=[club.slug]))
        staff = User.objects.filter(is_superuser=True, is_active=True)
        if staff.filter(player__in=players).exists() and not staff.exclude(player__in=players).exists():
            yield Participation(_("Nobody else runs this site. Only its server can appoint somebody."), "/")

    def end_all(self, leaving: Leaving) -> None:
        for club in _owned_alone(leaving.players):
            want_owner(club, leaving.now)

    def return_all(self, leaving: Leaving, left_at: datetime) -> Iterable[Participation]:
        """Take the clubs that they own off the page of the site's staff."""
        owned = Membership.objects.filter(player__in=leaving.players, role=Role.OWNER, left_at=None).values("club")
        rows = OwnerOffer.objects.filter(kind=Kind.REQUEST, state=State.OPEN, club__in=owned)
        rows.update(state=State.DECLINED, decided_at=leaving.now)
        return ()

    def forget(self, players: list[Player], user: User | None) -> None:
        """Forget what they wrote; a request of theirs stays only where there is no owner."""
        OwnerOffer.objects.filter(by=user).exclude(by=None).update(reason="")
        for row in OwnerOffer.objects.filter(by=user, kind=Kind.REQUEST, state=State.OPEN).exclude(by=None):
            if working_owners(row.club).exists():
                OwnerOffer.objects.filter(pk=row.pk).update(state=State.WITHDRAWN)


# The offers and requests that wait for an answer.


def standing(now: datetime) -> QuerySet[OwnerOffer]:
    """Return the offers that can be accepted: the giver still owns the club, and the one asked is still a member."""
    here = Membership.objects.filter(CURRENT, club=OuterRef("club"))
    gives = here.filter(role=Role.OWNER, player__user=OuterRef("by"))
    is_asked = here.filter(player=OuterRef("player")).exclude(role=Role.OWNER)
    rows = OwnerOffer.objects.filter(Exists(gives), Exists(is_asked), kind=Kind.OFFER, state=State.OPEN)
    return rows.filter(expires_at__gt=now).select_related("club", "player", "by__player")


def waiting_for(user: User, now: datetime) -> list[OwnerOffer]:
    """Return the offers that an account can accept, and the requests that it can answer as an owner."""
    owned = Membership.objects.filter(CURRENT, player__user=user, role=Role.OWNER).values("club")
    to_me = Q(pk__in=standing(now).filter(player__user=user).values("pk"))
    rows = OwnerOffer.objects.filter(to_me | Q(kind=Kind.REQUEST, club__in=owned), state=State.OPEN)
    return list(rows.select_related("club", "player", "by__player"))


def ownerless(now: datetime) -> QuerySet[OwnerOffer]:
    """Return the requests for the site's staff, the oldest first: no owner can sign in, or none has answered."""
    owned = Membership.objects.filter(CURRENT, club=OuterRef("club"), role=Role.OWNER)
    rows = OwnerOffer.objects.filter(Q(expires_at__lte=now) | ~Exists(owned), kind=Kind.REQUEST, state=State.OPEN)
    return rows.select_related("club", "by__player").order_by("created_at", "pk")


def tell_staff(*, now: datetime) -> None:
    """Tell those who run the site, once each, of the clubs that wait for them."""
    staff = set(User.objects.filter(is_superuser=True, is_active=True).values_list("pk", flat=True))
    each("ownerless-clubs", ownerless(now), lambda row: tell(row, "wanted", staff, now))


# What is told about it.


def tell(row: OwnerOffer, variant: str, users: Iterable[int | None], now: datetime) -> None:
    """Notify these accounts of an offer or a request; the notification leads to its page while that has an answer."""
    club, giver = row.club, Player.objects.filter(user=row.by).exclude(user=None).first()
    url = reverse("club", args=[club.slug])
    if variant in ("offered", "told", "accepted", "asked"):
        url = reverse("owner-offer", args=[row.public_id])
    elif variant == "wanted":
        url = reverse("ownerless-clubs")
    notify(
        users=[user for user in users if user is not None],
        kind=CLUB_OWNER.code,
        params={"club": club.name, "player": row.player_id, "giver": giver and giver.pk, "offer": row.pk,
                "variant": variant, "language": club.effective_language},
        url=url,
        key=f"club-owner-{variant}:{row.public_id}",
        now=now,
    )  # fmt: skip


def tell_unmade(membership: Membership, entry: LogEntry) -> None:
    """Tell the owners of a club, and the one who was, that somebody ended the role of an owner, perhaps their own."""
    users = [membership.player.user_id, *working_owners(membership.club).values_list("player__user", flat=True)]
    row = OwnerOffer(club=membership.club, player=membership.player, by=entry.user)
    tell(row, "left" if entry.user_id == membership.player.user_id else "unmade", users, entry.at)


def _is_open(params: Params) -> bool:
    if params["variant"] not in ("offered", "asked"):
        return True
    return OwnerOffer.objects.filter(pk=params["offer"], state=State.OPEN).exists()


def _reasons(rows: Sequence[Params]) -> Sequence[Mapping[str, str]]:
    """What somebody wrote, which an erasure may have changed since."""
    offers = OwnerOffer.objects.in_bulk([row.get("offer") for row in rows if row["variant"] in WITH_REASON])
    return [
        {"reason": offer.answer or offer.reason} if (offer := offers.get(row.get("offer"))) is not None else {}
        for row in rows
    ]


WITH_REASON = ("asked", "appointed", "dismissed")
CLUB_OWNER = NotificationKind(
    code="club_owner",
    label=gettext_noop("Who owns your club"),
    group=NotificationGroup.CLUB,
    sentences={
        "offered": gettext_noop("{giver} asks you to be an owner of {club}."),
        "told": gettext_noop("{giver} asks {player} to be an owner of {club}."),
        "accepted": gettext_noop("{player} is now an owner of {club}."),
        "declined": gettext_noop("{player} does not want to be an owner of {club}."),
        "withdrawn": gettext_noop("{giver} no longer asks {player} to be an owner of {club}."),
        "undone": gettext_noop("{giver} has taken it back: {player} is no longer an owner of {club}."),
        "left": gettext_noop("{player} is no longer an owner of {club}."),
        "unmade": gettext_noop("{giver} has ended the role of {player} as an owner of {club}."),
        "asked": gettext_noop("{giver} asks whether anybody runs {club}: {reason}"),
        "here": gettext_noop("An owner of {club} has answered: somebody runs it."),
        "wanted": gettext_noop("{club} needs an owner. Choose one."),
        "ownerless": gettext_noop("{club} has no owner any more. The site’s staff will choose one."),
        "appointed": gettext_noop("The site’s staff have made {player} an owner of {club}: {reason}"),
        "dismissed": gettext_noop("The site’s staff choose no new owner for {club}: {reason}"),
    },
    details={
        "offered": gettext_noop("Accept or decline within 14 days. Nothing changes before you accept."),
        "accepted": gettext_noop("Whoever offered it can take it back for 72 hours."),
        "asked": gettext_noop("Say that you are here. Otherwise the site’s staff choose an owner in 14 days."),
    },
    players=("player", "giver"),
    values=_reasons,
    # Whoever could turn these off for the owner of an account could also take the club from them unseen.
    is_chosen=False,
    is_urgent=True,
    is_current=_is_open,
)
