"""The pages behind the secret link of an invitation."""

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
from players.accounts.forms import SignUpForm
from players.accounts.views.accounts import open_account
from players.accounts.views.pages import account_needed, by, me
from players.models import Invitation, User
from players.people import services as people_services
from players.people.services.invitations import must_be_open


@never_cache
@require_safe
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """Show an invitation and the ways to accept it, or why it is no longer valid."""
    row = access.invitation(secret)
    initial = {"display_name": row.player.name, "email": row.email}
    return _page(request, row, secret, SignUpForm(initial=initial))


def _page(request: HttpRequest, row: Invitation, secret: str, form: SignUpForm) -> HttpResponse:
    context = {"invitation": row, "club": row.club, "player": row.player, "secret": secret, "form": form}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound and form.errors else HTTPStatus.OK
    try:
        must_be_open(row, timezone.now())
    except Refused as refused:
        context["reason"] = sentence(refused.code, refused.params)
        context["is_mine"] = isinstance(request.user, User) and row.player.user_id == request.user.pk
        status = HTTPStatus.GONE
    return render(request, "players/people/invitation.html", context, status=status)


@account_needed
@never_cache
@require_POST
def accept(request: HttpRequest, secret: str) -> HttpResponse:
    """Accept an invitation as the signed-in user."""
    row = access.invitation(secret)
    try:
        people_services.accept_invitation(secret=secret, user=me(request), by=by(request), now=timezone.now())
    except Refused as refused:
        messages.error(request, sentence(refused.code, refused.params))
        return redirect("invitation", secret)
    return _welcome(request, row)


@sensitive_post_parameters("new_password")
@never_cache
@require_POST
def sign_up(request: HttpRequest, secret: str) -> HttpResponse:
    """Create an account and accept the invitation."""
    row = access.invitation(secret)
    if request.user.is_authenticated:
        return redirect("invitation", secret)
    form = SignUpForm(request.POST)
    if form.is_valid() and open_account(request, form, invitation=secret):
        return _welcome(request, row)
    return _page(request, row, secret, form)


def _welcome(request: HttpRequest, row: Invitation) -> HttpResponse:
    messages.success(request, _("Welcome to %(club)s.") % {"club": row.club.name})
    return redirect("club", row.club.slug)
