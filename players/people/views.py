"""The page behind an invitation's secret link."""

from http import HTTPStatus

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from core.messages import sentence
from engine.errors import Refused
from players import access
from players.accounts.views.accounts import open_account
from players.accounts.views.pages import account_needed, by, me
from players.forms import SignUpForm
from players.models import Invitation, User
from players.people import services as people_services
from players.people.services.invitations import must_be_open


@never_cache
@require_safe
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """Who invites whom, and the ways to accept; or why it cannot be accepted any more."""
    found = access.invitation(secret)
    initial = {"display_name": found.player.name, "email": found.email}
    return _page(request, found, secret, SignUpForm(initial=initial))


def _page(request: HttpRequest, found: Invitation, secret: str, form: SignUpForm) -> HttpResponse:
    context = {"invitation": found, "club": found.club, "player": found.player, "secret": secret, "form": form}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound and form.errors else HTTPStatus.OK
    try:
        must_be_open(found, timezone.now())
    except Refused as refused:
        context["reason"] = sentence(refused.code, refused.params)
        context["is_mine"] = isinstance(request.user, User) and found.player.user_id == request.user.pk
        status = HTTPStatus.GONE
    return render(request, "players/people/invitation.html", context, status=status)


@account_needed
@never_cache
@require_POST
def accept(request: HttpRequest, secret: str) -> HttpResponse:
    """Whoever is signed in is this player."""
    found = access.invitation(secret)
    try:
        people_services.accept_invitation(secret=secret, user=me(request), by=by(request), now=timezone.now())
    except Refused as refused:
        messages.error(request, sentence(refused.code, refused.params))
        return redirect("invitation", secret)
    return _welcome(request, found)


@sensitive_post_parameters("new_password")
@never_cache
@require_POST
def sign_up(request: HttpRequest, secret: str) -> HttpResponse:
    """An account and the player in one step."""
    found = access.invitation(secret)
    if request.user.is_authenticated:
        return redirect("invitation", secret)
    form = SignUpForm(request.POST)
    if form.is_valid() and open_account(request, form, invitation=secret):
        return _welcome(request, found)
    return _page(request, found, secret, form)


def _welcome(request: HttpRequest, found: Invitation) -> HttpResponse:
    messages.success(request, _("Welcome to %(club)s.") % {"club": found.club.name})
    return redirect("club", found.club.slug)
