"""The list of clubs, and creating, editing and leaving one."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from core import time_zones as zones
from core.htmx import is_htmx
from core.pagination import page_of
from engine.errors import Refused
from players import access, selectors
from players.accounts.views.pages import account_needed, by, page, refused_back, sent
from players.clubs import services as club_services
from players.forms import ClubForm, EditClubForm, SecondFactorForm
from players.models import User


@require_safe
def club_list(request: HttpRequest) -> HttpResponse:
    """List all clubs, first those of the user. htmx gets only the list."""
    q = request.GET.get("q", "")
    clubs = page_of(selectors.clubs(q, request.user), request.GET.get("page"), selectors.CLUBS_ON_A_PAGE)
    mine = selectors.my_clubs(request.user) if isinstance(request.user, User) and not q else ()
    name = "players/clubs/_clubs.html" if is_htmx(request) else "players/clubs/clubs.html"
    return render(request, name, {"clubs": clubs, "mine": mine, "q": q})


@account_needed
@require_http_methods(["GET", "HEAD", "POST"])
def create_club(request: HttpRequest) -> HttpResponse:
    """Create a club owned by the user; the time zone is that of the account, or else of the browser."""
    form = ClubForm(sent(request), initial={"time_zone": timezone.get_current_timezone_name()})
    if form.is_valid():
        try:
            club = club_services.create_club(by=by(request), **form.cleaned_data)
        except Refused as refused:
            if refused.code == "club_twice":
                # The second of two clicks: the club exists.
                messages.info(request, _("You already have this club."))
                return redirect("club", refused.params["slug"])
            form.refuse(refused)
        else:
            messages.success(request, _("Club created. Now set up its first event."))
            return redirect("event-create", club.slug)
    return page(request, "players/clubs/club_form.html", {"form": form, "zones": zones.offered()}, form)


@account_needed
@require_http_methods(["GET", "HEAD", "POST"])
def edit_club(request: HttpRequest, slug: str) -> HttpResponse:
    """Edit a club."""
    club = access.club_for_director(request.user, slug)
    form = EditClubForm.of(club, sent(request))
    if form.is_valid():
        try:
            club_services.update_club(club=club, by=by(request), **form.cleaned_data)
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("Saved."))
            return redirect("club", club.slug)
    is_owner = access.role_in(request.user, club) == access.Role.OWNER
    context = {"form": form, "club": club, "zones": zones.offered(), "is_owner": is_owner}
    return page(request, "players/clubs/club_form.html", context, form)


@account_needed
@require_POST
def set_second_factor(request: HttpRequest, slug: str) -> HttpResponse:
    """Say whether owners need a second factor; for owners."""
    club = access.club_for_owner(request.user, slug)
    form = SecondFactorForm(request.POST)
    form.full_clean()
    try:
        club_services.set_second_factor(club=club, required=form.cleaned_data["required"], by=by(request))
    except Refused as refused:
        return refused_back(request, refused, "edit-club", slug)
    messages.success(request, _("Saved."))
    return redirect("edit-club", slug)


@account_needed
@require_POST
def leave_club(request: HttpRequest, slug: str) -> HttpResponse:
    """Leave a club."""
    mine = access.my_membership(request.user, slug)
    try:
        club_services.leave_club(membership=mine, by=by(request), now=timezone.now())
    except Refused as refused:
        return refused_back(request, refused, "club", slug)
    messages.success(request, _("You have left %(club)s.") % {"club": mine.club.name})
    return redirect("club", slug)
