"""The director's console."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from clubhouse.divisions import RoundProgress
from clubhouse.letters.sending import sent_sentence
from core.access import Who, open_to
from core.left_out import shown
from core.messages import sentence
from core.repeats import Repeat, repeated
from core.requests import is_htmx
from engine.errors import Refused
from matches.models import Provisional
from matches.presentation import labels
from matches.presentation.visibility import Viewer
from players.access import Role, is_at_least, require
from players.actors import Actor
from tournaments import access
from tournaments.events import selectors as event_selectors
from tournaments.events.actions import by, event_url_args, faulty
from tournaments.events.offers import to_decide
from tournaments.events.selectors import DivisionCounts, ListedMatch, names_of_rounds
from tournaments.floor.kept.needs import kept_needs
from tournaments.floor.lines import enter_lines
from tournaments.models import Division, Fixture, Round, Tournament
from tournaments.results import services as results
from tournaments.results import workers
from tournaments.results.forms import CloseEventForm, ConfirmResultsForm, LinePreviewForm, QuickForm
from tournaments.results.needs import (
    MAX_NEEDS,
    _needs_from,
    _open,
    latest_results,
    reported_messages,
    round_need,
    to_make_final,
    unopposed,
    waiting_letters,
)
from tournaments.results.quick_entry import LineOutcome
from tournaments.results.services import provisional_results
from tournaments.standings.placings import champions
from tournaments.standings.rounds import called_in_order, playable
from tournaments.state import log as event_log
from tournaments.state.figures import MatchFigures, matches_by
from tournaments.state.names import match_names
from tournaments.state.sheet_codes import scanned_fixture

if TYPE_CHECKING:
    pass


MAX_READY = 80
OVER = (Division.Status.FINISHED, Division.Status.CANCELLED)


def console_page(tournament: Tournament, chosen: str, by: Actor, now: datetime) -> dict[str, Any]:
    """Return the context of the console for `by`; `chosen` is the public id of the division whose rounds are shown."""
    divisions = event_selectors.divisions_of(tournament)
    names = event_selectors.names_of_rounds(tournament)
    viewer = Viewer(runs=frozenset({tournament.club_id}))
    lines = event_selectors.match_lines(called_in_order(_open(tournament)), names, viewer, now, staff=True)
    needs = _needs_from(tournament, names, lines, by)
    messages = reported_messages(tournament, [row.division for row in divisions], by)
    kept, not_back = kept_needs(tournament, now)
    fixtures = [line.fixture for line in lines]
    taken = {need.line.fixture.pk for need in needs if need.kind in ("dispute", "claim", "untold")}
    stopped = workers.stopped_work()
    waits = [*waiting_letters(tournament, now), *workers.failing_steps(tournament)]
    can_begin = {fixture.pk for fixture in playable(fixtures)} - taken
    ready = sorted((line for line in lines if line.fixture.pk in can_begin), key=_is_not_in_play)
    division = _chosen(divisions, chosen)
    side_events = to_decide(tournament, [row.division for row in divisions], now)
    return {
        "tournament": tournament,
        "club": tournament.club,
        "divisions": divisions,
        "several": len(divisions) > 1,
        "division": division.division if division else None,
        "counted": division,
        "champion": _winner(division, by),
        "needs": needs[:MAX_NEEDS],
        "needs_count": len(needs) + len(messages) + len(stopped) + len(kept) + len(waits) + len(side_events),
        "side_events": side_events,
        "kept": kept[:MAX_NEEDS],
        "not_back": not_back,
        "stopped_work": stopped,
        "waits": waits,
        "letters_sent": sent_sentence(tournament, now),
        "messages_reported": messages[:MAX_NEEDS],
        "more_needs": len(needs) > MAX_NEEDS,
        "unopposed": unopposed(needs),
        "to_make_final": to_make_final(needs),
        "has_provisional": any(need.provisional is not None for need in needs),
        "ready": ready[:MAX_READY],
        "ready_count": len(ready),
        "later_count": len(lines) - len(taken | can_begin),
        "rounds": rounds_of(division.division, names) if division else [],
        "round_need": round_need(division.division) if division else None,
        "latest": latest_results(tournament) if division else [],
        "quick_is_quiet": bool(divisions) and all(row.division.status in OVER for row in divisions),
        "now": now,
    }


def closing_page(
    tournament: Tournament, by: Actor, now: datetime, *, division: Division | None = None, round_: Round | None = None
) -> dict[str, Any]:
    """Return what closing the event, a division or a round would do to each of its provisional results.

    Beside them what was kept without a connection and nobody has decided, which closing leaves as it is.
    """
    rows = [
        ClosedLine(
            row.fixture.number,
            match_names(row.fixture, staff=True),
            labels.provisional(row.match, row.report) if isinstance(row.report, Provisional) else [],
            row.report.public_id if row.report is not None else "",
            row.code,
        )
        for row in provisional_results(tournament, by, division=division, round_=round_)
    ]
    return {
        "confirmed": [row for row in rows if not row.code],
        "unrated": [row for row in rows if row.result and row.code],
        "left": [row for row in rows if not row.result],
        "results": [row.result for row in rows if row.result],
        "kept": kept_needs(tournament, now)[0],
    }


class ClosedLine(NamedTuple):
    """A provisional result, and what closing would do to it."""

    number: int
    names: tuple[str, str]
    texts: list[str]
    result: str
    """Its id; empty if closing leaves it to somebody else."""
    code: str

    @property
    def why_left(self) -> str:
        return sentence(self.code, {})


def _is_not_in_play(line: ListedMatch) -> bool:
    return line.where is None or not line.where.is_in_play


def _winner(counted: DivisionCounts | None, by: Actor) -> str:
    """Return who won the division on the screen; empty until it is over."""
    if counted is None or by.user is None:
        return ""
    return champions(by.user, [counted.division]).get(counted.division.pk, "")


def _chosen(divisions: Sequence[DivisionCounts], chosen: str) -> DivisionCounts | None:
    named = [counted for counted in divisions if counted.division.public_id == chosen]
    running = [counted for counted in divisions if counted.division.status == Division.Status.RUNNING]
    return next(iter(named or running or divisions), None)


def rounds_of(division: Division, names: Mapping[int, str]) -> list[RoundProgress]:
    """Return the matches of each round of a division; `names` has every round of the event; two queries."""
    rounds = list(
        Round.objects.filter(bracket__stage__division=division)
        .select_related("bracket")
        .order_by("bracket__stage__number", "bracket__order", "number")
    )
    matches = matches_by("round", Fixture.objects.filter(stage__division=division))
    return [
        RoundProgress(names[row.pk], row.length, row.deadline, matches.get(row.pk, MatchFigures(0))) for row in rounds
    ]


@open_to(get=Who.HELPERS)
@never_cache
def console(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show what needs the director, what can be played and the progress; an htmx request gets only the live part.

    Once an event has a floor, its page takes the place of the console.
    """
    event = access.tournament_as(request.user, club, slug, access.HELPER)
    if event.has_floor:
        query = f"?{request.GET.urlencode()}" if request.GET else ""
        return redirect(f"{reverse('floor', args=event_url_args(event))}{query}")
    context = _context(request, event, request.GET.get("division", ""))
    name = "clubhouse/_console.html" if is_htmx(request) else "clubhouse/console.html"
    return render(request, name, context)


def _context(request: HttpRequest, tournament: Tournament, division: str) -> dict[str, Any]:
    role = access.require_in(request.user, tournament, access.HELPER)
    context = console_page(tournament, division, by(request), timezone.now())
    if (need := context["round_need"]) is not None and need.refusal:
        context["round_refusal"] = sentence(need.refusal["code"], need.refusal["params"])
    context["line"] = LinePreviewForm.line_in(request)
    context["focus_line"] = "entered" in request.GET or bool(context["line"])
    context["quick_url"] = reverse("console-quick", args=event_url_args(tournament))
    context |= {"may_direct": is_at_least(role, Role.DIRECTOR), "only_helps": role is None}
    return {**context, "health": workers.short(timezone.now())}


@open_to(post=Who.HELPERS)
@repeated(Repeat.KEY)
def quick(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Enter results typed as lines; lines that were not entered come back for editing."""
    event = access.tournament_as(request.user, club, slug, access.HELPER)
    form = QuickForm(request.POST, tournament=event)
    if not form.is_valid():
        return _console_with_outcomes(request, event, form)
    if (fixture := scanned_fixture(event, form.data["line"])) is not None:
        # A sheet was scanned, or its code typed, without a result.
        return redirect("fixture", *event_url_args(event), fixture.public_id)
    division = form.cleaned_data["division"]
    try:
        lines = enter_lines(
            tournament=event, text=form.cleaned_data["line"], division=division, by=by(request), now=timezone.now()
        )
    except Refused as refused:
        form.refuse(refused)
        return _console_with_outcomes(request, event, form)
    if any(not line.is_done for line in lines):
        return _console_with_outcomes(request, event, form, lines)
    for line in lines:
        messages.success(request, line.sentence)
    query = {"entered": "1"} | ({"division": division.public_id} if division else {})
    return redirect(f"{reverse('console', args=event_url_args(event))}?{urlencode(query)}")


def _console_with_outcomes(
    request: HttpRequest, tournament: Tournament, form: QuickForm, lines: Sequence[LineOutcome] = ()
) -> HttpResponse:
    """Render the console with the outcome of each line; lines that were not entered come back for editing."""
    context = shown(lambda: _context(request, tournament, form["division"].value() or ""))
    context["line"] = "\n".join(line.line for line in lines if not line.is_done) or form["line"].value() or ""
    context |= {"line_form": form, "outcomes": lines, "focus_line": True}
    is_help = form.is_valid() and all(line.is_done or line.is_help for line in lines)
    if is_help:
        context["line"] = ""
    status = HTTPStatus.OK if is_help else HTTPStatus.UNPROCESSABLE_ENTITY
    return render(request, "clubhouse/console.html", context, status=status)


@open_to(post=Who.HELPERS)
@repeated(Repeat.STATE)
def confirm_all(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Confirm every unopposed report that the director saw, and list what was confirmed and what was not."""
    event = access.tournament_as(request.user, club, slug, access.HELPER)
    form = ConfirmResultsForm(request.POST, tournament=event)
    url = reverse("console", args=event_url_args(event))
    if not form.is_valid():
        return faulty(request, form, url)
    division = form.cleaned_data["division"]
    outcomes = results.confirm_all(
        tournament=event, reports=form.reports, division=division, by=by(request), now=timezone.now()
    )
    if confirmed := [f"M{row.open_report.fixture.number}" for row in outcomes if not row.code]:
        messages.success(request, _("Confirmed: %(matches)s.") % {"matches": ", ".join(confirmed)})
    for row in outcomes:
        if row.code:
            messages.warning(request, f"M{row.open_report.fixture.number}: {sentence(row.code, {})}")
    return redirect(f"{url}?{urlencode({'division': division.public_id})}" if division else url)


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
@never_cache
@repeated(Repeat.STATE)
def close(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show the provisional results of the event, of a division or a round, and confirm what is left of them."""
    event = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    form = CloseEventForm(
        request.POST if request.method == "POST" else request.GET, tournament=event, rounds=names_of_rounds(event)
    )
    url = reverse("console", args=event_url_args(event))
    if not form.is_valid():
        return faulty(request, form, url)
    if request.method != "POST":
        context = closing_page(event, by(request), timezone.now(), **form.closed)
        return render(request, "clubhouse/close.html", {**context, "form": form, **_head(request, event)})
    closed = results.close_results(
        tournament=event, results=form.reports, by=by(request), now=timezone.now(), **form.closed
    )
    if done := [f"M{row.open_report.fixture.number}" for row in closed if not row.code]:
        messages.success(request, _("Closed: %(matches)s.") % {"matches": ", ".join(done)})
    for row in closed:
        if row.code:
            messages.warning(request, f"M{row.open_report.fixture.number}: {sentence(row.code, {})}")
    return redirect(url)


@open_to(get=Who.STAFF)
def log(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    event = access.tournament_as(request.user, club, slug, Role.ASSISTANT)
    kind, who, number = (request.GET.get(name, "") for name in ("kind", "who", "page"))
    head = _head(request, event)
    context = {**head, **event_log.log_page(event, kind, who, number, directs=head["may_direct"])}
    name = "clubhouse/_log.html" if is_htmx(request) else "clubhouse/log.html"
    return render(request, name, context)


def _head(request: HttpRequest, tournament: Tournament) -> dict[str, Any]:
    """Return the context that every console page needs."""
    role = require(request.user, tournament.club, Role.ASSISTANT)
    division = tournament.divisions.first()
    may_direct = is_at_least(role, Role.DIRECTOR)
    return {"tournament": tournament, "club": tournament.club, "division": division, "may_direct": may_direct}


@open_to(get=Who.STAFF)
@never_cache
def status(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show whether beat, broker and workers are alive, and what is queued."""
    event = access.tournament_as(request.user, club, slug, Role.ASSISTANT)
    context = {**_head(request, event), **workers.status_page(timezone.now())}
    name = "clubhouse/_status.html" if is_htmx(request) else "clubhouse/status.html"
    return render(request, name, context)
