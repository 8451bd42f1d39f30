"""A division: its public page, registration, and settings."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from engine.errors import Refused
from matches.ratings.services import pool_choices
from players.access import Role
from players.accounts.services import ensure_player
from tournaments import access
from tournaments.draws.evening_forms import EveningTemplateForm, format_sentence, local_span
from tournaments.draws.forms import AfterForm
from tournaments.draws.services.evenings import create_division_for
from tournaments.entries.services import entries
from tournaments.events.forms import DivisionForm
from tournaments.events.services import deadlines, events
from tournaments.events.views.pages import (
    account_needed,
    by,
    division_url_args,
    event_url_args,
    form_key,
    me,
    missed,
    page,
    refuse,
    sent,
    zone_of,
)
from tournaments.models import Division, Entry, Tournament
from tournaments.pages.selectors import divisions as selectors
from tournaments.state.stages import round_deadlines


@gzip_page
@require_safe
def division(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Show the entries, then the stages; `?player=` marks a player's path, `?section=` opens a section."""
    row = access.division(request.user, division, (club, slug))
    context = selectors.division_page(
        request.user,
        row,
        timezone.now(),
        player=request.GET.get("player", ""),
        section=request.GET.get("section", ""),
    )
    return render(request, "tournaments/pages/division.html", context)


@account_needed
@require_POST
def register(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Enter the signed-in player."""
    row = access.division(request.user, division, (club, slug))
    url = reverse("division", args=division_url_args(row))
    player = ensure_player(user=me(request), by=by(request))
    try:
        entry = entries.register(division=row, player=player, by=by(request), now=timezone.now())
    except Refused as refused:
        return refuse(request, refused, url)
    waiting = entry.status == Entry.Status.WAITING
    messages.success(request, _("You are on the waiting list.") if waiting else _("You are entered."))
    return redirect(url)


@account_needed
@require_POST
def withdraw(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Withdraw the signed-in player."""
    row = access.division(request.user, division, (club, slug))
    url = reverse("division", args=division_url_args(row))
    own = row.entries.filter(player__user=me(request)).exclude(status=Entry.Status.OUT).first()
    if own is not None:
        entries.withdraw(entry=own, by=by(request), now=timezone.now())
        messages.success(request, _("You have withdrawn from %(division)s.") % {"division": row.name})
    return redirect(url)


@account_needed
@require_http_methods(["GET", "HEAD", "POST"])
def create(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Create a division of an event."""
    tournament = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    form = DivisionForm(
        sent(request),
        zone=zone_of(tournament),
        exponent=tournament.currency_exponent,
        pools=pool_choices(tournament.club),
        initial={"name": _("Open") if not tournament.divisions.exists() else ""},
    )
    starts, ends = local_span(tournament)
    evening = EveningTemplateForm(sent(request), tournament=tournament, starts=starts, ends=ends)
    if form.is_valid() and evening.is_valid():
        try:
            created = _create(request, tournament, form, evening)
            _set_deadlines(request, created, form)
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("%(division)s was created. Now add the players.") % {"division": created.name})
            return redirect("entries", *division_url_args(created))
    context = {
        "form": form, "evening": evening, "tournament": tournament, "club": tournament.club, "key": form_key(request),
    }  # fmt: skip
    return page(request, "tournaments/pages/division_form.html", context, form, evening)


def _create(request: HttpRequest, tournament: Tournament, form: DivisionForm, evening: EveningTemplateForm) -> Division:
    """Create the division, with the format for the evening if one was asked for, which is explained in a message."""
    format_ = evening.format()
    if format_ is None:
        return events.create_division(
            tournament=tournament, by=by(request), now=timezone.now(), key=form_key(request), **form.settings()
        )
    division = create_division_for(
        tournament=tournament,
        settings=form.settings(),
        format_=format_,
        by=by(request),
        now=timezone.now(),
        key=form_key(request),
    )
    messages.info(request, format_sentence(format_) + " " + _("You can change it under “Format” until the draw."))
    return division


@account_needed
@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Edit the settings of a division; those fixed by the draw are read-only."""
    row = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    tournament, zone = row.tournament, zone_of(row.tournament)
    exponent = tournament.currency_exponent
    stage = row.stages.order_by("number").first()
    instants = round_deadlines(stage) if stage else []
    form = DivisionForm(
        sent(request),
        zone=zone,
        exponent=exponent,
        pools=pool_choices(tournament.club),
        drawn=row.status != Division.Status.ENTRIES,
        initial=DivisionForm.initial_of(row, zone, instants, exponent),
    )
    context: dict[str, Any] = {
        "form": form, "tournament": tournament, "club": tournament.club, "division": row, "now": timezone.now(),
    }  # fmt: skip
    seen = AfterForm(sent(request))
    if seen.is_bound and not seen.is_valid():
        form.add_error(None, _("The form was incomplete. Check the settings and save them again."))
    if form.is_valid():
        try:
            changed = events.update_division(
                division=row,
                after=seen.cleaned_data["after"],
                by=by(request),
                now=timezone.now(),
                **form.settings(),
            )
            _set_deadlines(request, changed, form)
        except Refused as refused:
            form.refuse(refused)
            context["missed"] = missed(request, refused, tournament, [row.topic])
            row.refresh_from_db()
            if refused.code == "stale":
                return render(request, "tournaments/pages/division_form.html", context, status=409)
        else:
            messages.success(request, _("Saved."))
            return redirect("console", *event_url_args(tournament))
    return page(request, "tournaments/pages/division_form.html", context, form)


def _set_deadlines(request: HttpRequest, division: Division, form: DivisionForm) -> None:
    deadlines.set_deadlines(
        division=division,
        deadlines=form.cleaned_data["deadlines"],
        after=division.seq,
        by=by(request),
        now=timezone.now(),
    )
