"""The page of a player's own costliest decisions in a match; it is not there for anybody else."""

from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache

from core.access import Who, open_to
from matches import access
from matches.analysis import labels
from matches.analysis.access import analysis_of_match, is_open_to_analysis, replay_url, side_in_match
from matches.analysis.match_analysis import lost_winning, place
from matches.models import Analysis, Match
from matches.presentation.visibility import Viewer
from matches.records.replays import event_path
from matches.review.choice import ReviewedDecision, decisions_of_match, decisions_to_check


@never_cache
@open_to(get=Who.PLAYERS)
def match_decisions(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show what the reader decided worst, with what was better and why; and where the record is to be checked."""
    match = access.match_for_player(request.user, public_id).match
    viewer = Viewer.of(request.user)
    chosen, to_check = decisions_of_match(match, viewer), decisions_to_check(match, viewer)
    context = {
        "match": match,
        "decisions": _shown(chosen),
        "to_check": _shown(to_check),
        "state": _state(match),
        "analysis_url": reverse("match-analysis", args=[match.public_id]),
    }
    return render(request, "matches/review/decisions.html", context)


def _shown(reviewed: Iterable[ReviewedDecision]) -> list[dict[str, Any]]:
    rows = list(reviewed)
    records = Analysis.objects.select_related("submission").defer("submission__data", "submission__transcript")
    analyses = records.in_bulk({row.decision.analysis_id for row in rows})
    return [_row(row, analyses[row.decision.analysis_id]) for row in rows]


def _row(row: ReviewedDecision, analysis: Analysis) -> dict[str, Any]:
    decision = row.decision
    return {
        "place": place(decision),
        "cost": lost_winning(decision),
        "equity": labels.number(decision.error, 3),
        "played": labels.action(decision.played),
        "best": labels.action(decision.best),
        "is_play": decision.kind == decision.Kind.PLAY,
        "sentence": row.sentence,
        "source": row.source,
        "scene": labels.scene_of(
            decision,
            row.match.names,
            swapped=analysis.swapped,
            # The points are numbered as in the plays of the reader.
            bottom=side_in_match(analysis, decision.side),
        ),
        "url": event_path(replay_url(analysis, row.match), decision.game, decision.event),
    }


def _state(match: Match) -> str:
    """`done`, `open` while it is being analysed, or empty: nothing is promised where no program may be installed."""
    analysis = analysis_of_match(match) if is_open_to_analysis(match) else None
    if analysis is None:
        return ""
    if analysis.state == Analysis.State.DONE:
        return "done"
    return "open" if analysis.is_open else ""
