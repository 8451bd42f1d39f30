"""Printed pages of an event. Each is a page of the site whose sheets have the size of the paper."""

from functools import partial
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format, time_format
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from core.links import absolute_url, is_for_this_machine_only, qr_svg
from matches.lifecycle import links
from players.access import Role, is_at_least, role_in
from tournaments import access
from tournaments.events.views.pages import account_needed, by, event_url_args
from tournaments.floor.selectors import floor
from tournaments.models import Table, Tournament
from tournaments.paper.draw_sheets import DRAW_AREAS, draw_pages
from tournaments.paper.forms import PaperForm, ScoreSheetsForm
from tournaments.paper.hub import hub, list_label
from tournaments.paper.link_cards import link_cards
from tournaments.paper.lists import KINDS, printed_lists
from tournaments.paper.score_sheets import fixtures_to_print, score_sheets
from tournaments.paper.snapshot import snapshot
from tournaments.paper.table_cards import match_at, table_cards

CARDS_ON_PAGE = 2
LINKS_ON_PAGE = 10
FormT = TypeVar("FormT", bound=PaperForm)


@account_needed
@never_cache
@require_safe
def paper(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """List what can be printed for an event."""
    event, role = access.tournament_with_role(request.user, club, slug, access.HELPER)
    form = _choices(request, event, PaperForm)
    context = _context(request, event, form) | hub(event, form.size, only_helps=role is None)
    context |= {"division": event.divisions.first(), "only_helps": role is None} | _for_phones(request, event)
    return render(request, "tournaments/paper/paper.html", context)


def _for_phones(request: HttpRequest, event: Tournament) -> dict[str, str]:
    """The event's URL and its QR code, unless phones cannot reach this site."""
    url = absolute_url(request, reverse("event", args=event_url_args(event)))
    return {} if is_for_this_machine_only(url) else {"phone_url": url, "phone_qr": qr_svg(url)}


@account_needed
@never_cache
@require_safe
def sheets(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Print the score sheets of a round, or of all matches that can be played now."""
    event = access.tournament_as(request.user, club, slug, access.HELPER)
    form = _choices(request, event, ScoreSheetsForm)
    fixtures = fixtures_to_print(event, form.cleaned_data["round"])

    def link_url(token: str) -> str:
        return absolute_url(request, reverse("match-link", args=[token]))

    tables = {key: row.table for key, row in floor(event, timezone.now()).matches.items() if row.table}
    printed = score_sheets(event, fixtures, link_url, tables)
    per_page = form.sheets_per_page
    context = _context(request, event, form) | {
        "pages": [printed[first : first + per_page] for first in range(0, len(printed), per_page)],
        "per_page": per_page,
        "count": len(printed),
    }
    return render(request, "tournaments/paper/score_sheets.html", context)


@never_cache
@require_safe
def draws(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Print the brackets of an event or of one division."""
    event = access.tournament(request.user, club, slug)
    form = _choices(request, event, PaperForm)
    area = DRAW_AREAS[form.size]
    context = _context(request, event, form, "landscape") | {
        "pages": [page for division in form.divisions for page in draw_pages(division, area)],
        "divisions": list(event.divisions.all()),
    }
    return render(request, "tournaments/paper/draw_sheets.html", context)


@never_cache
@require_safe
def lists(request: HttpRequest, club: str, slug: str, kind: str) -> HttpResponse:
    """Print pairings, names, entries, standings or cross-tables."""
    event = access.tournament(request.user, club, slug)
    form = _choices(request, event, PaperForm)
    context = _context(request, event, form, KINDS[kind][1]) | {
        "label": list_label(kind),
        "pages": printed_lists(kind, form.divisions, form.size),
        "divisions": list(event.divisions.all()),
    }
    return render(request, "tournaments/paper/lists.html", context)


@account_needed
@never_cache
@require_safe
def snapshot_page(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Print what is needed to continue the night without the server."""
    event = access.tournament_as(request.user, club, slug, Role.ASSISTANT)
    form = _choices(request, event, PaperForm)
    context = _context(request, event, form) | snapshot(event, timezone.now(), form.size)
    return render(request, "tournaments/paper/snapshot.html", context)


@account_needed
@never_cache
@require_safe
def cards(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Print a card for each table."""
    event = access.tournament_as(request.user, club, slug, access.HELPER)
    form = _choices(request, event, PaperForm)
    printed = table_cards(event, partial(absolute_url, request))
    pages = [printed[first : first + CARDS_ON_PAGE] for first in range(0, len(printed), CARDS_ON_PAGE)]
    return render(request, "tournaments/paper/table_cards.html", _context(request, event, form) | {"pages": pages})


@account_needed
@never_cache
@require_safe
def personal_links(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Print a card with the personal link of each player."""
    event = access.tournament_as(request.user, club, slug, Role.ASSISTANT)
    form = _choices(request, event, PaperForm)
    printed, withheld = link_cards(event, form.divisions, by(request), partial(absolute_url, request))
    context = _context(request, event, form) | {
        "pages": [printed[first : first + LINKS_ON_PAGE] for first in range(0, len(printed), LINKS_ON_PAGE)],
        "divisions": list(event.divisions.all()),
        "withheld": withheld,
    }
    return render(request, "tournaments/paper/link_cards.html", context)


@never_cache
@require_safe
def table_now(request: HttpRequest, club: str, slug: str, table: str) -> HttpResponse:
    """Redirect to the match at a table, as the link on its score sheet does; the card of the table leads here."""
    event = access.tournament(request.user, club, slug)
    row = get_object_or_404(Table.objects.select_related("tournament__club"), tournament=event, public_id=table)
    match = match_at(row, timezone.now())
    if match is not None:
        return redirect("match-link", links.token_for(match, None))
    context = {"tournament": event, "club": event.club, "table": row}
    return render(request, "tournaments/paper/table_now.html", context)


def _choices(request: HttpRequest, tournament: Tournament, form_class: type[FormT]) -> FormT:
    """Return the choices in the URL; wrong ones are ignored, so that an old link still prints."""
    form = form_class(request.GET, tournament=tournament)
    if not form.is_valid():
        form = form_class({}, tournament=tournament)
        form.full_clean()
    return form


def _context(
    request: HttpRequest, tournament: Tournament, form: PaperForm, orientation: str = "portrait"
) -> dict[str, Any]:
    """Return what every printed page needs; times are those of the event."""
    may_direct = is_at_least(role_in(request.user, tournament.club), Role.DIRECTOR)
    zone = ZoneInfo(tournament.time_zone)
    return {
        "tournament": tournament,
        "club": tournament.club,
        "form": form,
        "paper": form.size,
        "orientation": orientation,
        "page_css": f"tournaments/paper/{form.size}-{orientation}.css",
        "clock": time_format(timezone.now().astimezone(zone)),
        "day": date_format(tournament.starts_at.astimezone(zone)),
        "may_direct": may_direct,
        "print_now": "print" in request.GET,
    }
