"""The summary of an event, and its part on play quality as a file."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from core import downloads as csv_files
from matches.analysis.event_report import night_rows
from tournaments import access
from tournaments.ledger.money import Currency
from tournaments.pages.selectors.summary import event_night, event_summary


@never_cache
@require_safe
def summary(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show winners, prizes, figures, upsets and rating changes to everybody who may see the event."""
    event = access.tournament(request.user, club, slug)
    context = {
        "tournament": event,
        "club": event.club,
        "currency": Currency.of(event),
        "summary": event_summary(request.user, event),
        "night": event_night(request.user, event),
    }
    return render(request, "tournaments/pages/summary.html", context)


@never_cache
@require_safe
def analysis_csv(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """How well the event was played, as a CSV file, as far as the reader may see it."""
    event = access.tournament(request.user, club, slug)
    name = f"play-quality-{event.club.slug}-{event.slug}.csv"
    return csv_files.short_file(night_rows(event_night(request.user, event)), name)
