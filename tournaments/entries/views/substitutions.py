"""The page on which a director lets a substitute take the place of an entry, or undoes that."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from engine.errors import Refused
from tournaments.entries.forms import SubstituteForm, UndoSubstitutionForm
from tournaments.entries.services import substitutions as services
from tournaments.entries.services.substitutions import SubstituteInput
from tournaments.events.views.pages import (
    account_needed,
    by,
    directed_entry,
    division_url_args,
    event_url_args,
    faulty,
    page,
    refuse,
    sent,
)


@account_needed
@require_http_methods(["GET", "HEAD", "POST"])
def substitute(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Ask who takes the place of an entry; by POST, let them."""
    entry = directed_entry(request, **kwargs)
    division = entry.division
    url = reverse("entries", args=division_url_args(division))
    form = SubstituteForm(sent(request), initial={"after": division.seq})
    candidates: list[list[str]] = []
    if form.is_valid():
        data = form.cleaned_data
        wanted = SubstituteInput(data["name"], data["player"], data["reason"])
        try:
            done = services.substitute(
                entry=entry, substitute=wanted, after=data["after"], by=by(request), now=timezone.now()
            )
        except Refused as refused:
            form.refuse(refused)
            candidates = refused.params.get("candidates", [])
        else:
            names = {"player": done.after.name, "instead_of": done.before.name}
            messages.success(request, _("%(player)s plays instead of %(instead_of)s.") % names)
            return redirect(url)
    args = (*event_url_args(division.tournament), entry.public_id)
    context = {
        "tournament": division.tournament,
        "club": division.tournament.club,
        "division": division,
        "entry": entry,
        "form": form,
        "candidates": candidates,
        "last": services.last_substitution(entry),
        "undo_url": reverse("entry-substitute-undo", args=args),
        "back_url": url,
    }
    return page(request, "tournaments/entries/substitute.html", context, form)


@account_needed
@require_POST
def undo(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Undo the last substitution of an entry."""
    entry = directed_entry(request, **kwargs)
    url = reverse("entries", args=division_url_args(entry.division))
    form = UndoSubstitutionForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, url)
    try:
        done = services.undo_substitution(
            entry=entry, after=form.cleaned_data["after"], by=by(request), now=timezone.now()
        )
    except Refused as refused:
        return refuse(request, refused, url)
    messages.success(request, _("%(player)s plays again.") % {"player": done.after.name})
    return redirect(url)
