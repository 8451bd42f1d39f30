"""The analysis of a match or a record: a page of its own, and the part that other pages load."""

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache

from core import downloads, times
from core.access import Who, open_to
from core.charts import Axes, Drawing, path, scale
from core.live.publishing import now_shown
from core.requests import is_htmx
from matches.analysis import labels
from matches.analysis.access import Requested, Subject, requested_match, requested_record
from matches.analysis.backends.chosen import is_any_installed
from matches.analysis.classes import CLASSES, club_classes
from matches.analysis.event_report import club_night, decision_rows, night_rows
from matches.analysis.match_analysis import MatchAnalysis, figures_of, section
from matches.analysis.profile import WINDOW, Quality, Total, quality
from matches.analysis.queue import NO_PROGRAM
from matches.models import Analysis
from matches.presentation.visibility import Viewer
from matches.rankings import histories
from matches.rankings.profiles import DESK, PHONE, RatingChartSize
from players import access as people

# The performance rating over time as SVG coordinates: a point for each match, and a band around the running mean.


LEAST = 2
"""Matches below which there is no chart."""


def totals_of(quality: Quality) -> list[tuple[Total, str, str]]:
    """The totals of a player's matches, oldest first, each with the URL of the match and its label."""
    return [
        (
            row.total,
            row.url,
            gettext("{date}, {opponent}: {pr} ± {error}").format(
                date=times.written(row.at) if row.at is not None else "",
                opponent=row.opponent,
                pr=row.total.pr_text,
                error=row.total.sampling_text,
            ),
        )
        for row in quality.matches
    ]


def running(totals: Sequence[Total], window: int = WINDOW) -> list[Total]:
    """Return for each match the totals of it and the matches before it, `window` in all."""
    return [sum(totals[max(0, end - window) : end], Total()) for end in range(1, len(totals) + 1)]


def chart(
    matches: Sequence[tuple[Total, str, str]], sizes: Sequence[RatingChartSize] = (DESK, PHONE)
) -> tuple[Drawing, ...]:
    """Draw matches, oldest first and evenly spaced; nothing for fewer than two."""
    return tuple(_draw(matches, size) for size in sizes) if len(matches) >= LEAST else ()


def _draw(matches: Sequence[tuple[Total, str, str]], size: RatingChartSize) -> Drawing:
    totals = [total for total, _, _ in matches]
    means = running(totals)
    upper = [mean.pr + mean.sampling_error for mean in means]
    lower = [max(0.0, mean.pr - mean.sampling_error) for mean in means]
    levels = scale(0, max(*upper, *(total.pr for total in totals), 1), size.lines)
    axes = Axes(size, len(matches) - 1, levels[0], levels[-1])
    spots = zip(axes.places(total.pr for total in totals), matches, strict=True)
    return Drawing(
        size,
        axes.levels(levels),
        path(axes.places(mean.pr for mean in means)),
        area=path([*axes.places(upper), *reversed(axes.places(lower))]) + "Z",
        spots=[{"x": x, "y": y, "url": url, "words": words} for (x, y), (_total, url, words) in spots],
    )


# The analysis of a match or of a record: a page of its own, and the part that other pages load.


@never_cache
@open_to(get=Who.EVERYBODY)
def match_analysis(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the analysis of a match; for htmx, only the part that other pages load."""
    return _page(request, requested_match(request.user, public_id))


@never_cache
@open_to(get=Who.EVERYBODY)
def match_csv(request: HttpRequest, public_id: str) -> HttpResponse:
    """The decisions of a match as a file, as far as the reader may see them."""
    subject, seen, _ = requested_match(request.user, public_id)
    return downloads.short_file(decision_rows(seen, subject.names), f"analysis-{public_id}.csv")


@never_cache
@open_to(get=Who.EVERYBODY)
def record_analysis(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the analysis of a record; for htmx, only the part that other pages load."""
    return _page(request, requested_record(request.user, public_id))


def _state(subject: Subject, analysis: MatchAnalysis | None) -> str:
    """A state of `Analysis`; `hidden` if not shared, `off` without a program, `broken` if none works, else `none`."""
    if analysis is None:
        return "off" if subject.is_over and not is_any_installed() else "none"
    if analysis.state == Analysis.State.DONE and not analysis.is_shown:
        return "hidden"
    if analysis.failure == NO_PROGRAM:
        return "broken" if is_any_installed() else "off"
    return "off" if analysis.state == Analysis.State.QUEUED and not has_program() else analysis.state


UNAVAILABLE = ("off", "broken")
"""States in which those who direct a club read what they can do about it."""


def _directs_a_club(request: HttpRequest) -> bool:
    viewer = Viewer.of(request.user)
    return viewer.everything or bool(viewer.directs)


def has_program() -> bool:
    """Whether a program is installed here, or on the machine of a worker that has analysed something with it."""
    done = Analysis.objects.filter(state=Analysis.State.DONE, origin=Analysis.Origin.COMPUTED)
    return is_any_installed() or done.exists()


def _page(request: HttpRequest, requested: Requested) -> HttpResponse:
    subject, seen, senders = requested
    analysis = section(seen, subject, timezone.now()) if seen is not None else None
    state = _state(subject, analysis)
    directs = state in UNAVAILABLE and _directs_a_club(request)
    context = {
        "subject": subject,
        "section": analysis,
        # Other pages have no part for what cannot be had; a page that somebody opened says so.
        "state": "none" if is_htmx(request) and state in UNAVAILABLE and not directs else state,
        "directs": directs,
        "senders": figures_of(senders, subject) if senders is not None and any(senders.shown) else (),
        "senders_program": labels.program(senders.analysis) if senders is not None else "",
        "topics": f"{subject.topic}={now_shown()}",
    }
    name = "matches/analysis/_analysis.html" if is_htmx(request) else "matches/analysis/analysis.html"
    response = render(request, name, context)
    patch_vary_headers(response, ["HX-Request"])
    return response


@open_to(get=Who.EVERYBODY)
def player_analysis(request: HttpRequest, public_id: str) -> HttpResponse:
    """How a player has played over time."""
    player = people.player(public_id)
    if player.public_id != public_id:
        return redirect("player-analysis", player.public_id)
    viewer = Viewer.of(request.user)
    player_quality = quality(player, viewer)
    context = {
        "player": player,
        "is_me": player.pk == viewer.player,
        "quality": player_quality,
        "chart": chart(totals_of(player_quality)) if player_quality is not None else (),
        "window": WINDOW,
    }
    return render(request, "matches/analysis/player.html", context)


@open_to(get=Who.EVERYBODY)
def club_analysis(request: HttpRequest, slug: str) -> HttpResponse:
    """The report of an evening of a club: `?day=2026-11-20`, else of the latest day with an analysed match."""
    club = people.club(slug)
    report = club_night(club, Viewer.of(request.user), histories.day(request.GET.get("day")))
    context = {"club": club, "day": report.day, "night": report.night, "earlier": report.earlier}
    return render(request, "matches/analysis/club.html", context)


@open_to(get=Who.EVERYBODY)
def club_classes_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The classes of a club's members who let the reader see how well they play."""
    club = people.club(slug)
    classes = club_classes(club, Viewer.of(request.user), timezone.now())
    return render(request, "matches/analysis/classes.html", {"club": club, "classes": classes, "bounds": CLASSES})


@never_cache
@open_to(get=Who.EVERYBODY)
def club_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """The same report as a file, as far as the reader may see it."""
    club = people.club(slug)
    report = club_night(club, Viewer.of(request.user), histories.day(request.GET.get("day")))
    name = f"play-quality-{slug}-{report.day}.csv" if report.day is not None else f"play-quality-{slug}.csv"
    return downloads.short_file(night_rows(report.night), name)
