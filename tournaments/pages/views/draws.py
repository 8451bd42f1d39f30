"""The draw of a division: requested, reviewed as a draft, drawn again with a reason, published, taken back."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from core.messages import sentence
from core.requests import is_htmx
from engine.errors import Refused
from players.access import Role
from tournaments import access
from tournaments.draws import draw_page as selectors
from tournaments.draws.forms import AfterForm, RequestDrawForm, TakeBackForm
from tournaments.draws.services import draws as services
from tournaments.draws.services.take_back import take_back_draw
from tournaments.events.selectors.consistent_reads import read_with_seq
from tournaments.events.views.pages import account_needed, by, division_url_args, faulty, missed, refuse
from tournaments.models import Division, Draw, Tournament


@account_needed
@never_cache
@require_safe
def draw(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Show the draft or its progress; an htmx request gets only that part."""
    row = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    context = read_with_seq(row, lambda: selectors.draw_page(row, timezone.now()))
    newest = context["newest"]
    if newest is not None and newest.refusal:
        context["refusal"] = sentence(newest.refusal["code"], newest.refusal["params"])
    name = "tournaments/draws/_draw.html" if is_htmx(request) else "tournaments/draws/draw.html"
    return render(request, name, context)


@account_needed
@require_POST
def request_draw(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Request a draft, publishing the event first if the form says so; a second click changes nothing."""
    row = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    form = RequestDrawForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, _url(row))
    publishes = form.cleaned_data["publish_event"] and row.tournament.status == Tournament.Status.DRAFT
    request_service = services.publish_event_and_draw if publishes else services.request_draw
    try:
        request_service(
            division=row,
            by=by(request),
            now=timezone.now(),
            reason=form.cleaned_data["reason"],
            here_only=form.cleaned_data["here_only"],
        )
    except Refused as refused:
        if refused.code != "draft_in_work":
            return refuse(request, refused, _url(row))
    return redirect(_url(row))


@account_needed
@require_POST
def publish(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Publish the draft as the draw."""
    row = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    form = AfterForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, _url(row))
    try:
        services.publish_draw(division=row, after=form.cleaned_data["after"], by=by(request), now=timezone.now())
    except Refused as refused:
        if _is_published(row):
            return redirect("division", *division_url_args(row))
        if refused.code == "stale":
            context = selectors.draw_page(row, timezone.now())
            context["missed"] = missed(request, refused, row.tournament, [row.topic, row.tournament.topic])
            context["stale"] = sentence(refused.code, refused.params)
            return render(request, "tournaments/draws/draw.html", context, status=409)
        return refuse(request, refused, _url(row))
    messages.success(request, _("The draw of %(division)s was published.") % {"division": row.name})
    return redirect("division", *division_url_args(row))


@account_needed
@require_POST
def take_back(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Take back the published draw; the division accepts entries again."""
    row = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    form = TakeBackForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, _url(row))
    try:
        take_back_draw(division=row, by=by(request), now=timezone.now(), **form.cleaned_data)
    except Refused as refused:
        return refuse(request, refused, _url(row))
    messages.success(request, _("The draw of %(division)s was taken back.") % {"division": row.name})
    return redirect(_url(row))


def _is_published(division: Division) -> bool:
    return Draw.objects.filter(stage__division=division, state=Draw.State.PUBLISHED).exists()


def _url(division: Division) -> str:
    return reverse("draw", args=division_url_args(division))
