"""Keeping two players apart, from the page of the draw or of the rounds."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from engine.errors import Refused
from tournaments.draws.services import kept_apart as services
from tournaments.events.views.pages import (
    account_needed,
    by,
    chosen_entry,
    directed_division,
    division_url_args,
    faulty,
    refuse,
)
from tournaments.state.forms import KeepApartForm


@account_needed
@require_POST
def keep_apart(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Keep two players apart or let them meet again, then return to the page of the form."""
    division = directed_division(request, **kwargs)
    form = KeepApartForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, reverse(form.cleaned_data.get("page", "draw"), args=division_url_args(division)))
    url = reverse(form.cleaned_data["page"], args=division_url_args(division))
    service = services.keep_apart if form.cleaned_data["act"] == KeepApartForm.KEEP else services.let_meet
    try:
        first, second = (chosen_entry(division, form.cleaned_data[name]) for name in ("first", "second"))
        service(first=first, second=second, by=by(request), now=timezone.now())
    except Refused as refused:
        return refuse(request, refused, url)
    return redirect(url)
