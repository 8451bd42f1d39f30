"""Access to events: each function fetches an object and authorises the user in one call.

An object that does not exist or must stay hidden (a draft event) raises Http404; a known object that the user may not
change raises PermissionDenied. Assistants enter results and check players in; directors and owners can do everything.

`at` has the slugs of club and event from the URL of a page: an object of another event raises Http404.
"""

from django.core.exceptions import PermissionDenied
from django.http import Http404

from matches.models import Objection
from players.access import Role, Visitor, is_at_least, require, role_in
from players.models import Player
from tournaments.models import Division, Entry, Fixture, Tournament

VISIBLE = ("published", "running", "finished", "cancelled")

EventSlugs = tuple[str, str]
"""The slugs of a club and its event."""


def tournament(user: Visitor, club_slug: str, slug: str) -> Tournament:
    """Return an event; drafts only to staff of its club."""
    return _visible(user, Tournament.objects.select_related("club").filter(club__slug=club_slug, slug=slug).first())


def tournament_by_id(user: Visitor, public_id: str, needed: Role | None = None) -> Tournament:
    """Return an event by its public id, to somebody with at least the role `needed`, if given."""
    event = _visible(user, Tournament.objects.select_related("club").filter(public_id=public_id).first())
    if needed is not None:
        require(user, event.club, needed)
    return event


def tournament_as(user: Visitor, club_slug: str, slug: str, needed: Role) -> Tournament:
    """Return an event to somebody with at least this role in its club; otherwise 404 if it is hidden, else 403."""
    return tournament_with_role(user, club_slug, slug, needed)[0]


def tournament_with_role(user: Visitor, club_slug: str, slug: str, needed: Role) -> tuple[Tournament, Role]:
    """Return an event as `tournament_as` does, with the user's role in its club."""
    event = tournament(user, club_slug, slug)
    return event, require(user, event.club, needed)


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


def fixture_as(user: Visitor, public_id: str, needed: Role, at: EventSlugs | None = None) -> Fixture:
    """Return a fixture to somebody with at least this role in its club."""
    row = fixture(user, public_id, at)
    require(user, row.stage.division.tournament.club, needed)
    return row


def entry(user: Visitor, public_id: str, at: EventSlugs | None = None) -> Entry:
    """Return an entry that everybody may see."""
    row = Entry.objects.select_related("division__tournament__club", "player").filter(public_id=public_id).first()
    if row is None:
        raise Http404
    _check_visible(user, row.division.tournament, at)
    return row


def entry_as(user: Visitor, public_id: str, needed: Role, at: EventSlugs | None = None) -> Entry:
    """Return an entry to somebody with at least this role in its club, or to the entered player."""
    row = entry(user, public_id, at)
    if not is_own_player(user, row.player) and not is_at_least(role_in(user, row.division.tournament.club), needed):
        raise PermissionDenied
    return row


def is_own_player(user: Visitor, player: Player) -> bool:
    """Whether the user is signed in as this player."""
    return user.is_authenticated and player.user_id == user.pk


def _check_visible(user: Visitor, event: Tournament, at: EventSlugs | None) -> None:
    if at is not None and at != (event.club.slug, event.slug):
        raise Http404
    _visible(user, event)


def _visible(user: Visitor, event: Tournament | None) -> Tournament:
    if event is None or not (event.status in VISIBLE or is_at_least(role_in(user, event.club), Role.ASSISTANT)):
        raise Http404
    return event


def objection_of(fixture: Fixture, public_id: str) -> Objection:
    """Return a player's objection to the result of an authorised fixture; 404 if it belongs to another fixture."""
    objection = Objection.objects.filter(match=fixture.match_id, public_id=public_id).first()
    if objection is None or fixture.match_id is None:
        raise Http404
    return objection
