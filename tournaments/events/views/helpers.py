"""Helpers of an event: their page for directors, and the page behind the link of an invitation."""

from http import HTTPStatus

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from core import throttle
from core.links import absolute_url, qr_svg
from core.messages import sentence, status_of
from engine.errors import Refused
from players.access import Role
from tournaments import access
from tournaments.events.helper_forms import HelperForm, RemoveHelperForm
from tournaments.events.selectors.helpers import helpers_of, state_of
from tournaments.events.services import helpers as services
from tournaments.events.views.pages import account_needed, by, event_url_args, faulty, me
from tournaments.models import Tournament


@account_needed
@never_cache
@require_safe
def helpers(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show who helps at an event, who is invited, and what helpers can do."""
    return _page(request, access.tournament_as(request.user, club, slug, Role.DIRECTOR), HelperForm())


def _page(request: HttpRequest, event: Tournament, form: HelperForm, status: int = HTTPStatus.OK) -> HttpResponse:
    now = timezone.now()
    context = {
        "tournament": event,
        "club": event.club,
        "may_direct": True,
        "rows": [(row, state_of(row, now)) for row in helpers_of(event)],
        "form": form,
    }
    return render(request, "tournaments/events/helpers.html", context, status=status)


@account_needed
@never_cache
@require_POST
def add(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Invite a helper and show the link once; only its hash is stored."""
    event = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    form = HelperForm(request.POST)
    if not form.is_valid():
        return _page(request, event, form, HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        throttle.count(throttle.INVITE_BY, str(me(request).pk))
        invited = services.add_helper(
            tournament=event,
            email=form.cleaned_data["email"],
            by=by(request),
            now=timezone.now(),
            link=lambda secret: absolute_url(request, reverse("helping", args=[secret])),
        )
    except Refused as refused:
        form.refuse(refused)
        return _page(request, event, form, status_of(refused.code))
    context = {
        "tournament": event,
        "club": event.club,
        "helper": invited.helper,
        "url": invited.url,
        "qr": qr_svg(invited.url),
    }
    return render(request, "tournaments/events/helper_invited.html", context)


@account_needed
@require_POST
def remove(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Remove a helper, or withdraw an invitation."""
    event = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    url = reverse("helpers", args=event_url_args(event))
    form = RemoveHelperForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, url)
    helper = access.helper_of(event, form.cleaned_data["helper"])
    services.remove_helper(helper=helper, by=by(request), now=timezone.now())
    if helper.user is not None:
        messages.success(request, _("%(name)s no longer helps at this event.") % {"name": helper.user})
    else:
        messages.success(request, _("Invitation withdrawn. Its link no longer works."))
    return redirect(url)


@never_cache
@require_safe
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """Show an invitation to help and the way to accept it, or why it is no longer valid; opening it changes nothing."""
    helper = access.helper_invitation(secret)
    event = helper.tournament
    context = {"helper": helper, "event": event, "club": event.club, "secret": secret}
    try:
        services.must_be_open(helper, timezone.now())
    except Refused as refused:
        context["reason"] = sentence(refused.code, refused.params)
        return render(request, "tournaments/events/helping.html", context, status=HTTPStatus.GONE)
    return render(request, "tournaments/events/helping.html", context)


@account_needed
@never_cache
@require_POST
def accept(request: HttpRequest, secret: str) -> HttpResponse:
    """Accept an invitation to help as the signed-in user."""
    helper = access.helper_invitation(secret)
    try:
        services.accept_helping(helper=helper, user=me(request), by=by(request), now=timezone.now())
    except Refused as refused:
        messages.error(request, sentence(refused.code, refused.params))
        return redirect("helping", secret)
    messages.success(request, _("You now help at %(event)s.") % {"event": helper.tournament})
    return redirect("event", *event_url_args(helper.tournament))
