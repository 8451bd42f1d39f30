"""Standings and pairings: their pages, and the same as files."""

from collections.abc import Iterable
from typing import Any

from django.core.paginator import Page
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from core.csv_files import short_file
from core.numbers import parse_int
from core.pagination import page_of
from players.access import Role, is_at_least, role_in
from tournaments import access
from tournaments.models import Division, Entry
from tournaments.standings import exports
from tournaments.standings.selectors.pairings import pairings_of
from tournaments.standings.selectors.rows import Line, StageView
from tournaments.standings.selectors.standings import standings_of
from tournaments.state.names import Names, names_for, own_entry

LINES_A_PAGE = 128


@gzip_page
@require_safe
def standings(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Every stage; `?round=` is the round after which a Swiss is shown, `?player=` whom to mark."""
    found = access.division(request.user, division, (club, slug))
    names = names_for(request.user, found)
    looked_for = request.GET.get("player", "").strip()
    entries = names.find(looked_for) if looked_for else []
    here = _key(entries[0] if len(entries) == 1 else own_entry(names, request.user))
    views = standings_of(
        found, names, stage=_number(request, "stage"), round_number=_number(request, "round"), here=here
    )
    context = _context(request, found, names) | {
        "views": views,
        "pages": _pages(request, views),
        "here": _anchor(views),
        "looked_for": looked_for,
        "found": entries if looked_for else None,
        "query": _query(request, "stage", "round"),
    }
    return render(request, "tournaments/standings/standings.html", context)


@gzip_page
@require_safe
def pairings(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """What can be played now, or `?round=` of `?stage=`."""
    found = access.division(request.user, division, (club, slug))
    names = names_for(request.user, found)
    here = _key(own_entry(names, request.user))
    view = pairings_of(found, names, stage=_number(request, "stage"), round_number=_number(request, "round"), here=here)
    context = _context(request, found, names) | {"view": view, "query": _query(request, "stage", "round")}
    return render(request, "tournaments/standings/pairings.html", context)


@gzip_page
@require_safe
def standings_file(request: HttpRequest, club: str, slug: str, division: str, extension: str) -> HttpResponseBase:
    """Standings as CSV or JSON."""
    found = access.division(request.user, division, (club, slug))
    names = names_for(request.user, found)
    views = standings_of(found, names, stage=_number(request, "stage"), round_number=_number(request, "round"))
    body = exports.standings_body(found, views)
    return _file(body, exports.standings_rows(body), "standings", extension)


@gzip_page
@require_safe
def pairings_file(request: HttpRequest, club: str, slug: str, division: str, extension: str) -> HttpResponseBase:
    """Pairings as CSV or JSON."""
    found = access.division(request.user, division, (club, slug))
    names = names_for(request.user, found)
    view = pairings_of(found, names, stage=_number(request, "stage"), round_number=_number(request, "round"))
    body = exports.pairings_body(found, view)
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
    """The choices in the address, to go on to the files of the same."""
    kept = [(name, _number(request, name)) for name in names]
    text = "&".join(f"{name}={value}" for name, value in kept if value is not None)
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
    """Where on the page the marked player stands first; empty where he does not."""
    for view in views:
        for table in view.tables:
            for line in table.lines:
                if line.person.here:
                    return f"e{view.number}-{line.person.public_id}"
        for bracket in view.brackets:
            for one in (one for place in bracket.places for one in place.people):
                if one.here:
                    return f"e{view.number}{bracket.key}-{one.public_id}"
    return ""


def _pages(request: HttpRequest, views: Iterable[StageView]) -> Page[Line] | None:
    """Cuts the one long table there can be, that of a round-paired stage, into pages; opened where the reader is."""
    for view in views:
        for table in view.tables:
            if len(table.lines) > LINES_A_PAGE:
                at = next((at for at, line in enumerate(table.lines) if line.person.here), 0)
                wanted = _number(request, "page") or at // LINES_A_PAGE + 1
                page = page_of(table.lines, wanted, LINES_A_PAGE)
                table.lines = list(page.object_list)
                return page
    return None
