"""Access to events: each function fetches an object and authorises the user in one call.

An object that does not exist or must stay hidden (a draft event) raises Http404; a known object that the user may not
change raises PermissionDenied. Assistants enter results and check players in; directors and owners can do everything.
Helpers of an event can do only what needs `HELPER`: every route is closed to them unless it says so.

`x_as` returns an x to those with a role, and to nobody else.

`at` has the slugs of club and event from the URL of a page: an object of another event raises Http404.
"""

from datetime import datetime, timedelta
from typing import Final, Literal

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db.models import Max
from django.http import Http404
from django.utils import timezone

from core.public_ids import hash_of
from matches.lifecycle.events import EventEnd
from matches.models import Match, Objection
from players.access import Role, Visitor, is_at_least, require, require_of, role_given, role_in
from players.models import LogEntry, Player, User
from players.people.rows import accounts_of, club_topic
from tournaments.models import Division, Entry, Fixture, Helper, Offer, Tournament

VISIBLE = ("published", "running", "finished", "cancelled")

HELPER: Final = "helper"
"""Needed for what the helpers of an event may do as well as its staff; it is no role in the club."""
Needed = Role | Literal["helper"]
ROLE_ENDS = ("role_changed", "member_removed", "member_left")
"""Verbs of the log of a club, with the role that a member had."""

EventSlugs = tuple[str, str]
"""The slugs of a club and its event."""


def is_helper(user: Visitor, event: Tournament) -> bool:
    """Whether the user is a helper of this event, whatever their role in its club.

    That ends with the personal links: settings.PERSONAL_LINK_HOURS after the event.
    """
    if not isinstance(user, User) or not user.is_active:
        return False
    helps = Helper.objects.filter(tournament=event, user=user, removed_at=None).exists()
    return helps and not _is_long_over(event, timezone.now())


def had_role(user: User, event: Tournament, since: datetime) -> bool:
    """Whether an account is, or was at some time since then, a helper of an event or on the staff of its club."""
    helped = Helper.objects.filter(tournament=event, user=user).exclude(accepted_at=None)
    if is_at_least(role_given(user, event.club), Role.ASSISTANT) or helped.exclude(removed_at__lte=since).exists():
        return True
    own = Player.objects.filter(user=user).values_list("public_id", flat=True)
    lost = LogEntry.objects.filter(topic=club_topic(event.club), verb__in=ROLE_ENDS, at__gt=since)
    before = lost.filter(params__player__in=list(own)).values_list("params__role", flat=True)
    # A changed role is logged as it was and as it is, one that ended as it was.
    return any(is_at_least(Role(role[0] if isinstance(role, list) else role), Role.ASSISTANT) for role in before)


def _is_long_over(event: Tournament, now: datetime) -> bool:
    """Whether an event was over settings.PERSONAL_LINK_HOURS ago."""
    end = end_of(event)
    return end.at is not None and end.at < now - timedelta(hours=settings.PERSONAL_LINK_HOURS)


def end_of(event: Tournament) -> EventEnd:
    """Return when an event was over: when it should end, or its last match did, if that was later."""
    if event.status not in (Tournament.Status.FINISHED, Tournament.Status.CANCELLED):
        return EventEnd(None)
    matches = Match.objects.filter(parent_topic__in=[division.topic for division in event.divisions.all()])
    last = matches.aggregate(last=Max("finished_at"))["last"]
    return EventEnd(max(filter(None, (event.starts_at, event.ends_at, last))))


def only_helps(user: Visitor, event: Tournament) -> bool:
    """Whether the user is a helper of this event and not on the staff of its club."""
    return is_helper(user, event) and not is_at_least(role_given(user, event.club), Role.ASSISTANT)


def require_in(user: Visitor, event: Tournament, needed: Needed) -> Role | None:
    """Return the user's role in the club of an event if it is at least `needed`, or None for a helper; else 403."""
    if isinstance(needed, Role):
        return require(user, event.club, needed)
    role = role_given(user, event.club)
    if not is_at_least(role, Role.ASSISTANT) and is_helper(user, event):
        return None
    return require_of(role, user, event.club, Role.ASSISTANT)


def tournament(user: Visitor, club_slug: str, slug: str) -> Tournament:
    """Return an event; drafts only to the staff of its club and its helpers."""
    return _visible(user, Tournament.objects.select_related("club").filter(club__slug=club_slug, slug=slug).first())


def tournament_by_id(user: Visitor, public_id: str, needed: Needed | None = None) -> Tournament:
    """Return an event by its public id; `needed` is the lowest role that may read it, if any."""
    event = _visible(user, Tournament.objects.select_related("club").filter(public_id=public_id).first())
    if needed is not None:
        require_in(user, event, needed)
    return event


def tournament_as(user: Visitor, club_slug: str, slug: str, needed: Needed) -> Tournament:
    """Return an event to somebody with at least this role in its club; otherwise 404 if it is hidden, else 403."""
    return tournament_with_role(user, club_slug, slug, needed)[0]


def tournament_with_role(user: Visitor, club_slug: str, slug: str, needed: Needed) -> tuple[Tournament, Role | None]:
    """Return an event as `tournament_as` does, with the user's role in its club, or None for a helper."""
    event = tournament(user, club_slug, slug)
    return event, require_in(user, event, needed)


def division(user: Visitor, public_id: str, at: EventSlugs | None = None) -> Division:
    """Return a division that everybody may see."""
    row = Division.objects.select_related("tournament__club").filter(public_id=public_id).first()
    if row is None:
        raise Http404
    _check_visible(user, row.tournament, at)
    return row


def division_as(user: Visitor, public_id: str, needed: Role, at: EventSlugs | None = None) -> Division:
    """Return a division to somebody with at least this role in its club."""
    row = division(user, public_id, at)
    require(user, row.tournament.club, needed)
    return row


def fixture(user: Visitor, public_id: str, at: EventSlugs | None = None) -> Fixture:
    """Return a fixture that everybody may see."""
    row = (
        Fixture.objects.select_related(
            "stage__division__tournament__club", "match__player_0", "match__player_1", "round__bracket"
        )
        .filter(public_id=public_id)
        .first()
    )
    if row is None:
        raise Http404
    _check_visible(user, row.stage.division.tournament, at)
    return row


def fixture_as(user: Visitor, public_id: str, needed: Needed, at: EventSlugs | None = None) -> Fixture:
    """Return a fixture to somebody with at least this role in its club."""
    row = fixture(user, public_id, at)
    require_in(user, row.stage.division.tournament, needed)
    return row


def offer_as(user: Visitor, public_id: str, needed: Role, at: EventSlugs | None = None) -> Offer:
    """Return an offer of side events to somebody with at least this role in its club."""
    row = Offer.objects.select_related("tournament__club").filter(public_id=public_id).first()
    if row is None:
        raise Http404
    _check_visible(user, row.tournament, at)
    require(user, row.tournament.club, needed)
    return row


def entry(user: Visitor, public_id: str, at: EventSlugs | None = None) -> Entry:
    """Return an entry that everybody may see."""
    row = Entry.objects.select_related("division__tournament__club", "player").filter(public_id=public_id).first()
    if row is None:
        raise Http404
    _check_visible(user, row.division.tournament, at)
    return row


def entry_as_player_or(user: Visitor, public_id: str, needed: Needed, at: EventSlugs | None = None) -> Entry:
    """Return an entry to somebody with at least this role in its club, or to the entered player."""
    row = entry(user, public_id, at)
    if is_own_player(user, row.player):
        return row
    event = row.division.tournament
    if needed == HELPER and only_helps(user, event):
        return row
    if not is_at_least(role_in(user, event.club), Role.ASSISTANT if needed == HELPER else Role(needed)):
        raise PermissionDenied
    return row


def is_own_player(user: Visitor, player: Player) -> bool:
    """Whether a player is this user's, or a pair in which they play."""
    return user.is_authenticated and user.pk in accounts_of([player]).get(player.pk, ())


def _check_visible(user: Visitor, event: Tournament, at: EventSlugs | None) -> None:
    if at is not None and at != (event.club.slug, event.slug):
        raise Http404
    _visible(user, event)


def _visible(user: Visitor, event: Tournament | None) -> Tournament:
    if event is None:
        raise Http404
    if event.status in VISIBLE or is_at_least(role_in(user, event.club), Role.ASSISTANT) or is_helper(user, event):
        return event
    raise Http404


def objection_of(fixture: Fixture, public_id: str) -> Objection:
    """Return a player's objection to the result of an authorised fixture; 404 if it belongs to another fixture."""
    objection = Objection.objects.filter(match=fixture.match_id, public_id=public_id).first()
    if objection is None or fixture.match_id is None:
        raise Http404
    return objection


def helper_invitation(secret: str) -> Helper:
    """Return the invitation to help of a secret link in any state; 404 for an unknown link."""
    row = Helper.objects.select_related("tournament__club", "added_by").filter(secret_hash=hash_of(secret)).first()
    if row is None:
        raise Http404
    return row


def helper_of(event: Tournament, public_id: str) -> Helper:
    """Return a helper, or an open invitation to help, of an authorised event; else 404."""
    row = event.helpers.select_related("user").filter(public_id=public_id, removed_at=None).first()
    if row is None:
        raise Http404
    return row
