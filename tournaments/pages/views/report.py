"""The report of an event."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments import access
from tournaments.ledger.money import Currency
from tournaments.pages.selectors.report import event_night, event_report


@never_cache
@require_safe
def report(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show winners, prizes, figures, upsets and rating changes to everybody who may see the event."""
    event = access.tournament(request.user, club, slug)
    context = {
        "tournament": event,
        "club": event.club,
        "currency": Currency.of(event),
        "report": event_report(request.user, event),
        "night": event_night(request.user, event),
    }
    return render(request, "tournaments/pages/report.html", context)
