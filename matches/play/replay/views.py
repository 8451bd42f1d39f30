"""Replays of records and of matches played here, and the records of the latter as files."""

from dataclasses import replace

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_safe

from core.requests import is_htmx, parse_int
from matches import access
from matches.analysis.visibility import seen_of_live, seen_of_record
from matches.play.preferences.selectors import preferences_json
from matches.play.replay.page import ReplaySource, nearest_step, replay_context
from matches.play.replay.picture import picture
from matches.play.replay.sources import live_source, live_transcript, record_source
from matches.play.watching.access import watched_by_request, watched_match
from matches.presentation.visibility import Viewer
from matches.records.downloads import as_attachment, written
from matches.records.masking import OPEN, mask_for
from matches.records.replays import Step, step_path

PICTURE_CACHED_FOR = 300
"""Seconds."""


@require_safe
def record_replay(request: HttpRequest, public_id: str) -> HttpResponse:
    """One position of a record: `?g=3&p=17`, with `&flip=1` from the other side; only its game for the script."""
    submission = access.submission(public_id)
    if submission.is_open:
        return redirect("submission", public_id)
    source = record_source(submission, mask_for(request.user, submission))
    return _page(request, replace(source, analysis=seen_of_record(submission, Viewer.of(request.user))))


@never_cache
@require_safe
def match_replay(request: HttpRequest, public_id: str = "", token: str = "") -> HttpResponse:
    """One position of a match played here. Leads to the board while there is nothing that the reader may see."""
    reader, _ = watched_by_request(request, public_id, token)
    source = live_source(reader, token)
    if not len(source.match):
        return redirect(reverse("link-play" if token else "match-play", args=[token or public_id]))
    return _page(request, replace(source, analysis=seen_of_live(reader.live.match, Viewer.of(request.user))))


@never_cache
@require_safe
def match_record(request: HttpRequest, extension: str, public_id: str = "", token: str = "") -> HttpResponse:
    """Download a match played here, as far as the reader may see it."""
    reader, _ = watched_by_request(request, public_id, token)
    return as_attachment(written(live_transcript(reader), extension, f"match-{reader.live.match.public_id}"))


@cache_control(public=True, max_age=PICTURE_CACHED_FOR)
@require_safe
def record_picture(request: HttpRequest, public_id: str) -> HttpResponse:
    """A position of a record as a picture; it has no names."""
    return _picture(request, record_source(access.submission(public_id), OPEN))


@cache_control(public=True, max_age=PICTURE_CACHED_FOR)
@require_safe
def match_picture(request: HttpRequest, public_id: str) -> HttpResponse:
    """A position of a match played here as a picture: as a visitor sees it, whoever requests it."""
    match = access.match_for_viewer(AnonymousUser(), public_id)
    return _picture(request, live_source(watched_match(match, None, AnonymousUser())))


def _picture(request: HttpRequest, source: ReplaySource) -> HttpResponse:
    """Return the position as a PNG file. Raise Http404 if nothing can be seen."""
    if not len(source.match):
        raise Http404
    _, moment = nearest_step(source.match, _wanted(request))
    diagram = replace(moment.diagram, bottom=1 if request.GET.get("flip") == "1" else 0)
    return HttpResponse(picture(diagram), content_type="image/png")


def _wanted(request: HttpRequest) -> Step:
    return parse_int(request.GET.get("g"), 1), parse_int(request.GET.get("p"), 1)


def _page(request: HttpRequest, source: ReplaySource) -> HttpResponse:
    if "e" in request.GET:
        # Links from elsewhere name an event of the record, from which its step follows.
        step = source.match.step_at_event(parse_int(request.GET.get("g"), 1), parse_int(request.GET["e"], 0))
        return redirect(step_path(source.url, step or (1, 1)))
    flip, preferences = request.GET.get("flip") == "1", preferences_json(request.user)
    context = replay_context(source, _wanted(request), flip=flip, preferences=preferences)
    if context["picture"]:
        context["picture"] = request.build_absolute_uri(context["picture"])
    name = "matches/play/_replay.html" if is_htmx(request) else "matches/play/replay.html"
    response = render(request, name, context)
    patch_vary_headers(response, ["HX-Request"])
    return response
