"""API views of analyses."""

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matches.analysis import serializers as shapes
from matches.analysis.arithmetic import SideSummary
from matches.analysis.night import club_night
from matches.analysis.profile import quality
from matches.analysis.subjects import Requested, requested_match, requested_record
from matches.analysis.visibility import SeenAnalysis
from matches.models import Analysis
from matches.presentation.visibility import Viewer
from players import access as people
from players.accounts.serializers import PROBLEM


class MatchAnalysis(APIView):
    """The analysis of a match."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_analysis",
        summary="How well both sides played",
        description=(
            "404 if the match is not over or not analysed. A player who does not share how they play has no totals "
            "and no decisions here."
        ),
        parameters=[shapes.OriginQuery],
        responses={200: shapes.AnalysisSerializer, 404: PROBLEM, 422: PROBLEM},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Return the totals and decisions that the reader may see."""
        return Response(analysis_data(_chosen(request, requested_match(request.user, public_id))))


class RecordAnalysis(APIView):
    """The analysis of a record."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="submissions_analysis",
        summary="How well both sides of a record played",
        description="The same for a record, also one that was sent for no match.",
        parameters=[shapes.OriginQuery],
        responses={200: shapes.AnalysisSerializer, 404: PROBLEM, 422: PROBLEM},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Return the totals and decisions that the reader may see."""
        return Response(analysis_data(_chosen(request, requested_record(request.user, public_id))))


class PlayerAnalysis(APIView):
    """How a player has played."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="players_analysis",
        summary="How well a player has played",
        description="404 if the player does not share it with the reader.",
        responses={200: shapes.PlayerAnalysisSerializer, 404: PROBLEM},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Return the performance rating, in all and by match."""
        shown = quality(people.player(public_id), Viewer.of(request.user))
        if shown is None:
            raise Http404
        data = {
            "decisions": shown.total.decisions,
            "pr": shown.total.pr,
            "sampling_error": shown.total.sampling_error,
            "matches": [
                {
                    "match": row.match.public_id,
                    "finished_at": row.at,
                    "length": row.match.length,
                    "decisions": row.total.decisions,
                    "pr": row.total.pr,
                    "sampling_error": row.total.sampling_error,
                }
                for row in shown.matches
            ],
            "by_length": shown.by_length,
            "by_phase": {row.phase.value: row.total for row in shown.by_kind},
            "worst": shown.worst,
            "best": shown.best,
        }
        return Response(shapes.PlayerAnalysisSerializer(data).data)


class ClubAnalysis(APIView):
    """The report of an evening of a club."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="clubs_analysis",
        summary="How well an evening of a club was played",
        description=(
            "Only matches that the reader may see, and only players who share how they play with the reader. "
            "The players as CSV: `/clubs/<slug>/analysis.csv?day=2026-11-20`."
        ),
        parameters=[shapes.DayQuery],
        responses={200: shapes.ClubNightSerializer, 404: PROBLEM, 422: PROBLEM},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return the report of a day, by default of the latest with an analysed match."""
        club, query = people.club(slug), shapes.DayQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        report = club_night(club, Viewer.of(request.user), query.validated_data.get("day"))
        return Response(shapes.ClubNightSerializer(report).data)


def _chosen(request: Request, requested: Requested) -> SeenAnalysis | None:
    """Return the analysis whose origin the request names; by default the one computed here."""
    query = shapes.OriginQuery(data=request.query_params)
    query.is_valid(raise_exception=True)
    is_senders = query.validated_data["origin"] == Analysis.Origin.SENDER
    return requested.senders if is_senders else requested.seen


def analysis_data(seen: SeenAnalysis | None) -> dict[str, Any]:
    """Data of AnalysisSerializer. Raise Http404 without an analysis that may be shown."""
    if seen is None:
        raise Http404
    analysis, totals = seen.analysis, seen.summary.sides
    return {
        "state": analysis.state,
        "origin": analysis.origin,
        "backend": analysis.backend,
        "version": analysis.version,
        "depth": str(analysis.settings.get("plays", "")),
        "finished_at": analysis.finished_at,
        "swapped": analysis.swapped,
        "sides": [_side(side, totals[side]) for side, is_shown in enumerate(seen.shown) if is_shown and seen.is_done],
        "decisions": shapes.DecisionSerializer(seen.decisions, many=True).data,
    }


def _side(side: int, totals: SideSummary) -> dict[str, Any]:
    return {
        "side": side,
        "decisions": totals.decisions,
        "pr": totals.pr,
        "sampling_error": totals.sampling_error,
        "errors": totals.errors,
        "blunders": totals.blunders,
        "error_winning": totals.error_winning,
        "luck": totals.luck,
        "luck_winning": totals.luck_winning,
        "by_phase": {
            phase.value: {"decisions": total.decisions, "error": total.error}
            for phase, total in totals.by_phase.items()
        },
    }
