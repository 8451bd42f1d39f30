"""Two who are not to meet, noted by a director on the page of the draw or of the rounds."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from engine.errors import Refused
from players.access import Role
from tournaments import access
from tournaments.draws.services import kept_apart as services
from tournaments.events.views.pages import account_needed, by, chosen_entry, division_url, faulty, refuse
from tournaments.state.forms import KeepApartForm


@account_needed
@require_POST
def keep_apart(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Note that two are not to meet, or that they may meet after all; back to the page it was said on."""
    found = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    form = KeepApartForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, reverse(form.cleaned_data.get("page", "draw"), args=division_url(found)))
    url = reverse(form.cleaned_data["page"], args=division_url(found))
    act = services.keep_apart if form.cleaned_data["act"] == KeepApartForm.KEEP else services.let_meet
    try:
        first, second = (chosen_entry(found, form.cleaned_data[name]) for name in ("first", "second"))
        act(first=first, second=second, by=by(request), now=timezone.now())
    except Refused as refused:
        return refuse(request, refused, url)
    return redirect(url)
