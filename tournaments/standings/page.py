"""Standings and pairings: their pages, and the same as files."""

from collections.abc import Iterable
from typing import Any

from django.core.paginator import Page
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.gzip import gzip_page

from core.access import Who, open_to
from core.downloads import short_file
from core.pagination import page_of
from core.requests import parse_int
from players.access import Role, is_at_least, role_in
from tournaments import access
from tournaments.models import Division, Entry
from tournaments.standings import exports
from tournaments.standings.labels import explanation_text
from tournaments.standings.pairing_reasons import reasons_of
from tournaments.standings.pairings import pairings_of
from tournaments.standings.standings import StageView, StandingsLine, standings_of
from tournaments.state.derivation import states_of
from tournaments.state.names import Names, names_for, own_entry

LINES_A_PAGE = 64


@gzip_page
@open_to(get=Who.EVERYBODY)
def standings(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Show the standings of every stage; `?round=` shows a Swiss after that round, `?player=` marks a player."""
    row = access.division(request.user, division, (club, slug))
    names = names_for(request.user, row)
    looked_for = request.GET.get("player", "").strip()
    entries = names.find(looked_for) if looked_for else []
    here = _key(entries[0] if len(entries) == 1 else own_entry(names, request.user))
    views = standings_of(row, names, stage=_number(request, "stage"), round_number=_number(request, "round"), here=here)
    context = _context(request, row, names) | {
        "views": views,
        "pages": _pages(request, views),
        "here": _anchor(views),
        "looked_for": looked_for,
        "found": entries if looked_for else None,
        "query": _query(request, "stage", "round"),
    }
    return render(request, "tournaments/standings/standings.html", context)


@gzip_page
@open_to(get=Who.EVERYBODY)
def standing(request: HttpRequest, club: str, slug: str, division: str, entry: str) -> HttpResponse:
    """Show the line of an entry in the table of `?stage=` after `?round=`: its rounds, figures and reasons."""
    row = access.division(request.user, division, (club, slug))
    names = names_for(request.user, row)
    here = _key(own_entry(names, request.user))
    views = standings_of(row, names, stage=_number(request, "stage"), round_number=_number(request, "round"), here=here)
    lines = ((view, table, line) for view in reversed(views) for table in view.tables for line in table.lines)
    placed = next((row for row in lines if row[2].person.public_id == entry), None)
    if placed is None:
        get_object_or_404(Entry, division=row, public_id=entry)
        return redirect("standings", club, slug, division)  # Not in a table yet, or not in this one.
    view, table, line = placed
    not_needed = [
        (tiebreak, explanation_text(figure.why, names.of))
        for tiebreak, figure in zip(table.tiebreaks, line.figures, strict=True)
        if figure.why is not None and not figure.needed
    ]
    context = _context(request, row, names) | {"view": view, "table": table, "line": line, "not_needed": not_needed}
    return render(request, "tournaments/standings/standing.html", context)


@gzip_page
@open_to(get=Who.EVERYBODY)
def pairings(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Show the pairings that can be played now, or a round of a stage (`?stage=`, `?round=`)."""
    row = access.division(request.user, division, (club, slug))
    names = names_for(request.user, row)
    here = _key(own_entry(names, request.user))
    view = pairings_of(row, names, stage=_number(request, "stage"), round_number=_number(request, "round"), here=here)
    context = _context(request, row, names) | {"view": view, "query": _query(request, "stage", "round")}
    return render(request, "tournaments/standings/pairings.html", context)


@gzip_page
@open_to(get=Who.EVERYBODY)
def pairing(request: HttpRequest, club: str, slug: str, division: str, number: str) -> HttpResponse:
    """Explain why these players meet in a match, or why one has a bye."""
    row = access.division(request.user, division, (club, slug))
    names = names_for(request.user, row)
    reasons = reasons_of(states_of(row), int(number), names)
    if reasons is None:
        raise Http404
    return render(request, "tournaments/standings/pairing.html", _context(request, row, names) | {"reasons": reasons})


@gzip_page
@open_to(get=Who.EVERYBODY)
def standings_file(request: HttpRequest, club: str, slug: str, division: str, extension: str) -> HttpResponseBase:
    """Download the standings as CSV or JSON."""
    row = access.division(request.user, division, (club, slug))
    names = names_for(request.user, row)
    views = standings_of(row, names, stage=_number(request, "stage"), round_number=_number(request, "round"))
    body = exports.standings_body(row, views)
    return _file(body, exports.standings_rows(body), "standings", extension)


@gzip_page
@open_to(get=Who.EVERYBODY)
def pairings_file(request: HttpRequest, club: str, slug: str, division: str, extension: str) -> HttpResponseBase:
    """Download the pairings as CSV or JSON."""
    row = access.division(request.user, division, (club, slug))
    names = names_for(request.user, row)
    view = pairings_of(row, names, stage=_number(request, "stage"), round_number=_number(request, "round"))
    body = exports.pairings_body(row, view)
    return _file(body, exports.pairings_rows(body), "pairings", extension)


def _file(body: exports.Body, rows: Iterable[list[Any]], name: str, extension: str) -> HttpResponseBase:
    if extension == "csv":
        return short_file(rows, f"{name}.csv")
    headers = {"Content-Disposition": f'attachment; filename="{name}.json"'}
    return HttpResponse(exports.as_json(body), content_type="application/json", headers=headers)


def _key(entry: Entry | None) -> int | None:
    return entry.pk if entry is not None else None


def _number(request: HttpRequest, name: str) -> int | None:
    return parse_int(request.GET.get(name))


def _query(request: HttpRequest, *names: str) -> str:
    """Return the choices in the URL as a query string for the files."""
    chosen = [(name, _number(request, name)) for name in names]
    text = "&".join(f"{name}={value}" for name, value in chosen if value is not None)
    return f"?{text}" if text else ""


def _context(request: HttpRequest, division: Division, names: Names) -> dict[str, Any]:
    tournament = division.tournament
    return {
        "tournament": tournament,
        "club": tournament.club,
        "division": division,
        "staff": names.staff,
        "may_direct": is_at_least(role_in(request.user, tournament.club), Role.DIRECTOR),
    }


def _anchor(views: Iterable[StageView]) -> str:
    """Return the anchor of the marked player's first row; empty if there is none."""
    for view in views:
        for table in view.tables:
            for line in table.lines:
                if line.person.here:
                    return f"e{view.number}-{line.person.public_id}"
        for bracket in view.brackets:
            for person in (person for place in bracket.places for person in place.people):
                if person.here:
                    return f"e{view.number}{bracket.key}-{person.public_id}"
    return ""


def _pages(request: HttpRequest, views: Iterable[StageView]) -> Page[StandingsLine] | None:
    """Paginate the only long table, of a stage paired by rounds, starting at the marked player."""
    for view in views:
        for table in view.tables:
            if len(table.lines) > LINES_A_PAGE:
                row = next((row for row, line in enumerate(table.lines) if line.person.here), 0)
                number = _number(request, "page") or row // LINES_A_PAGE + 1
                page = page_of(table.lines, number, LINES_A_PAGE)
                table.lines = list(page.object_list)
                return page
    return None
