"""Who may see and do what in this room: one call fetches and authorises.

What is not there, or not to be known of (a draft event), raises Http404; what is known but not allowed raises
PermissionDenied. Assistants enter results and check people in; directors and owners do everything.

`at` is the address under which a page was asked for, (club, event): what does not belong there is not found there.
"""

from django.core.exceptions import PermissionDenied
from django.http import Http404

from matches.models import Objection
from players.access import Role, Visitor, is_at_least, require, role_in
from players.models import Player
from tournaments.models import Division, Entry, Fixture, Tournament

VISIBLE = ("published", "running", "finished", "cancelled")

EventSlugs = tuple[str, str]


def tournament(user: Visitor, club_slug: str, slug: str) -> Tournament:
    """An event: drafts only for those who help to run them."""
    return _seen(user, Tournament.objects.select_related("club").filter(club__slug=club_slug, slug=slug).first())


def tournament_by_id(user: Visitor, public_id: str, needed: Role | None = None) -> Tournament:
    """An event by its id, for somebody with this role in its club if one is named."""
    found = _seen(user, Tournament.objects.select_related("club").filter(public_id=public_id).first())
    if needed is not None:
        require(user, found.club, needed)
    return found


def tournament_as(user: Visitor, club_slug: str, slug: str, needed: Role) -> Tournament:
    """An event for somebody who has at least this role in its club; 404 where he may not know of it, else 403."""
    found = tournament(user, club_slug, slug)
    require(user, found.club, needed)
    return found


def division(user: Visitor, public_id: str, at: EventSlugs | None = None) -> Division:
    """A division as everybody may see it."""
    found = Division.objects.select_related("tournament__club").filter(public_id=public_id).first()
    if found is None:
        raise Http404
    _check(user, found.tournament, at)
    return found


def division_as(user: Visitor, public_id: str, needed: Role, at: EventSlugs | None = None) -> Division:
    """A division for somebody who has at least this role in its club."""
    found = division(user, public_id, at)
    require(user, found.tournament.club, needed)
    return found


def fixture(user: Visitor, public_id: str, at: EventSlugs | None = None) -> Fixture:
    """A fixture as everybody may see it."""
    found = (
        Fixture.objects.select_related(
            "stage__division__tournament__club", "match__player_0", "match__player_1", "round__bracket"
        )
        .filter(public_id=public_id)
        .first()
    )
    if found is None:
        raise Http404
    _check(user, found.stage.division.tournament, at)
    return found


def fixture_as(user: Visitor, public_id: str, needed: Role, at: EventSlugs | None = None) -> Fixture:
    """A fixture for somebody who has at least this role in its club."""
    found = fixture(user, public_id, at)
    require(user, found.stage.division.tournament.club, needed)
    return found


def entry(user: Visitor, public_id: str, at: EventSlugs | None = None) -> Entry:
    """An entry as everybody may see it."""
    found = Entry.objects.select_related("division__tournament__club", "player").filter(public_id=public_id).first()
    if found is None:
        raise Http404
    _check(user, found.division.tournament, at)
    return found


def entry_as(user: Visitor, public_id: str, needed: Role, at: EventSlugs | None = None) -> Entry:
    """An entry for somebody with this role in its club, or for the entered player himself."""
    found = entry(user, public_id, at)
    if not is_own_player(user, found.player) and not is_at_least(role_in(user, found.division.tournament.club), needed):
        raise PermissionDenied
    return found


def is_own_player(user: Visitor, player: Player) -> bool:
    """Whether this player is the one who is signed in."""
    return user.is_authenticated and player.user_id == user.pk


def _check(user: Visitor, found: Tournament, at: EventSlugs | None) -> None:
    if at is not None and at != (found.club.slug, found.slug):
        raise Http404
    _seen(user, found)


def _seen(user: Visitor, found: Tournament | None) -> Tournament:
    if found is None or not (found.status in VISIBLE or is_at_least(role_in(user, found.club), Role.ASSISTANT)):
        raise Http404
    return found


def objection_of(fixture: Fixture, public_id: str) -> Objection:
    """A player's objection to the result of a fixture that was already authorised; 404 for one of another."""
    found = Objection.objects.filter(match=fixture.match_id, public_id=public_id).first()
    if found is None or fixture.match_id is None:
        raise Http404
    return found
