"""Who may see and do what in this room: one call fetches and authorises.

What is not there, or not to be known of (a draft event), raises Http404; what is known but not allowed raises
PermissionDenied. Assistants enter results and check people in; directors and owners do everything.
"""

from django.core.exceptions import PermissionDenied
from django.http import Http404

from players.access import Role, Visitor, is_at_least, require, role_in
from tournaments.models import Division, Entry, Fixture, Tournament

VISIBLE = ("published", "running", "finished", "cancelled")


def tournament(user: Visitor, club_slug: str, slug: str) -> Tournament:
    """An event: drafts only for those who help to run them."""
    found = Tournament.objects.select_related("club").filter(club__slug=club_slug, slug=slug).first()
    if found is None or not _may_see(user, found):
        raise Http404
    return found


def tournament_as(user: Visitor, club_slug: str, slug: str, needed: Role) -> Tournament:
    """An event for somebody who has at least this role in its club; 404 where he may not know of it, else 403."""
    found = tournament(user, club_slug, slug)
    require(user, found.club, needed)
    return found


def division(user: Visitor, public_id: str) -> Division:
    """A division as everybody may see it."""
    found = Division.objects.select_related("tournament__club").filter(public_id=public_id).first()
    if found is None or not _may_see(user, found.tournament):
        raise Http404
    return found


def division_as(user: Visitor, public_id: str, needed: Role) -> Division:
    """A division for somebody who has at least this role in its club."""
    found = division(user, public_id)
    require(user, found.tournament.club, needed)
    return found


def fixture_as(user: Visitor, public_id: str, needed: Role) -> Fixture:
    """A fixture for somebody who has at least this role in its club."""
    found = (
        Fixture.objects.select_related("stage__division__tournament__club", "match", "round__bracket")
        .filter(public_id=public_id)
        .first()
    )
    if found is None or not _may_see(user, found.stage.division.tournament):
        raise Http404
    require(user, found.stage.division.tournament.club, needed)
    return found


def entry_as(user: Visitor, public_id: str, needed: Role) -> Entry:
    """An entry for somebody with this role in its club, or for the entered player himself."""
    found = Entry.objects.select_related("division__tournament__club", "player").filter(public_id=public_id).first()
    if found is None or not _may_see(user, found.division.tournament):
        raise Http404
    his_own = user.is_authenticated and found.player.user_id == user.pk
    if not his_own and not is_at_least(role_in(user, found.division.tournament.club), needed):
        raise PermissionDenied
    return found


def _may_see(user: Visitor, found: Tournament) -> bool:
    return found.status in VISIBLE or is_at_least(role_in(user, found.club), Role.ASSISTANT)
