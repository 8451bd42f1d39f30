"""The analysis of a match or of a record: a page of its own, and the part that other pages load."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from core import downloads as csv_files
from core.live.publishing import now_shown
from core.requests import is_htmx
from matches.analysis import labels
from matches.analysis.backends.chosen import is_any_installed
from matches.analysis.exports import decision_rows, night_rows
from matches.analysis.night import club_night
from matches.analysis.pr_chart import chart, entries_of
from matches.analysis.profile import WINDOW, quality
from matches.analysis.section import MatchAnalysis, figures_of, section
from matches.analysis.services.given_up import NO_PROGRAM
from matches.analysis.subjects import Requested, Subject, requested_match, requested_record
from matches.models import Analysis
from matches.presentation.visibility import Viewer
from matches.rankings import exports
from players import access as people


@never_cache
@require_safe
def match_analysis(request: HttpRequest, public_id: str) -> HttpResponse:
    """The analysis of a match."""
    return _page(request, requested_match(request.user, public_id))


@never_cache
@require_safe
def match_csv(request: HttpRequest, public_id: str) -> HttpResponse:
    """The decisions of a match as a file, as far as the reader may see them."""
    subject, seen, _ = requested_match(request.user, public_id)
    return csv_files.short_file(decision_rows(seen, subject.names), f"analysis-{public_id}.csv")


@never_cache
@require_safe
def record_analysis(request: HttpRequest, public_id: str) -> HttpResponse:
    """The analysis of a record."""
    return _page(request, requested_record(request.user, public_id))


def _state(subject: Subject, shown: MatchAnalysis | None) -> str:
    """A state of `Analysis`; `hidden` if not shared, `off` without a program, `broken` if none works, else `none`."""
    if shown is None:
        return "off" if subject.is_over and not is_any_installed() else "none"
    if shown.state == Analysis.State.DONE and not shown.is_shown:
        return "hidden"
    if shown.failure == NO_PROGRAM:
        return "broken" if is_any_installed() else "off"
    return shown.state


def _page(request: HttpRequest, requested: Requested) -> HttpResponse:
    subject, seen, senders = requested
    shown = section(seen, subject, timezone.now()) if seen is not None else None
    context = {
        "subject": subject,
        "section": shown,
        "state": _state(subject, shown),
        "senders": figures_of(senders, subject) if senders is not None and any(senders.shown) else (),
        "senders_program": labels.program(senders.analysis) if senders is not None else "",
        "topics": f"{subject.topic}={now_shown()}",
    }
    name = "matches/analysis/_analysis.html" if is_htmx(request) else "matches/analysis/analysis.html"
    response = render(request, name, context)
    patch_vary_headers(response, ["HX-Request"])
    return response


@require_safe
def player_analysis(request: HttpRequest, public_id: str) -> HttpResponse:
    """How a player has played over time."""
    player = people.player(public_id)
    if player.public_id != public_id:
        return redirect("player-analysis", player.public_id)
    viewer = Viewer.of(request.user)
    shown = quality(player, viewer)
    context = {
        "player": player,
        "is_me": player.pk == viewer.player,
        "quality": shown,
        "chart": chart(entries_of(shown)) if shown is not None else (),
        "window": WINDOW,
    }
    return render(request, "matches/analysis/player.html", context)


@require_safe
def club_analysis(request: HttpRequest, slug: str) -> HttpResponse:
    """The report of an evening of a club: `?day=2026-11-20`, else of the latest day with an analysed match."""
    club = people.club(slug)
    report = club_night(club, Viewer.of(request.user), exports.day(request.GET.get("day")))
    context = {"club": club, "day": report.day, "night": report.night, "earlier": report.earlier}
    return render(request, "matches/analysis/club.html", context)


@never_cache
@require_safe
def club_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """The same report as a file, as far as the reader may see it."""
    club = people.club(slug)
    report = club_night(club, Viewer.of(request.user), exports.day(request.GET.get("day")))
    name = f"play-quality-{slug}-{report.day}.csv" if report.day is not None else f"play-quality-{slug}.csv"
    return csv_files.short_file(night_rows(report.night), name)
