"""API views for reporting a match: report, preview, answer, concede, object."""

from collections.abc import Callable
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import status
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from engine.errors import Refused
from matches.access import side_of
from matches.api_access import LINK, seat_of
from matches.lifecycle.events import events
from matches.lifecycle.finish import check_report
from matches.lifecycle.running_scores import Entered
from matches.reporting.api.base import CREATE, UPDATE, match_response, parse_after, write_params
from matches.reporting.preview import preview_of
from matches.reporting.serializers import (
    ClaimSerializer,
    ContestSerializer,
    ObjectingSerializer,
    ReportPreviewSerializer,
    RunningScoreSerializer,
)
from matches.reporting.services import late_reports, objections, reports, sheet_reports
from players.accounts.api import validated
from players.accounts.serializers import PROBLEM


class Reports(APIView):
    """Reports of a match."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_claim",
        summary="Report a score",
        description=(
            "The loser's report is pending for two minutes and then stands. The winner's report waits until the other "
            "side confirms it, or until its waiting time is over, which starts once that side has acted on having "
            "seen it. Two reports that differ make a dispute. The sheet link needs `i_am`; such a report does not "
            "stand by itself."
        ),
        request=ClaimSerializer,
        examples=[OpenApiExample("Bob won", value={"score": [7, 5], "after": 0}, request_only=True)],
        **CREATE,
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Return 201 and the match."""
        seat = seat_of(request, public_id, sheet=True)
        data = validated(ClaimSerializer, request)
        winner, score = _score(data)
        report = {
            "match": seat.match,
            "report": reports.ScoreReport(winner, score, data["note"]),
            "by": seat.by,
            **write_params(request),
        }
        if seat.side is None and "i_am" not in data:
            raise Refused("sheet_sender_missing")
        if data["kept"]:
            late_reports.report_late(side=seat.side, says_side=data.get("i_am"), **report)
        elif seat.side is None:
            sheet_reports.report_from_sheet(says_side=data["i_am"], **report)
        else:
            reports.report_score(side=seat.side, **report)
        return match_response(request, seat, status.HTTP_201_CREATED)


def _score(data: dict[str, Any]) -> tuple[int, tuple[int, int]]:
    """The winner and the score of a report."""
    left, right = data["score"]
    return data.get("winner", 0 if left > right else 1), (left, right)


class PreviewReport(APIView):
    """Previewing a report."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_preview_claim",
        summary="Preview a report; nothing is stored",
        request=ClaimSerializer,
        examples=[OpenApiExample("Bob won", value={"score": [7, 5]}, request_only=True)],
        parameters=[LINK],
        responses={200: ReportPreviewSerializer, 401: PROBLEM, 404: PROBLEM, 409: PROBLEM, 422: PROBLEM},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Return the sentences that the page shows."""
        seat = seat_of(request, public_id, sheet=True)
        winner, score = _score(validated(ClaimSerializer, request))
        match = seat.match
        reports.refuse_settled_or_disputed(match)
        check_report(length=match.length, start=match.start_score, winner=winner, score=score)
        preview = preview_of(seat, winner, score)
        return Response({"message": preview.summary, "follows": preview.follows, "next_step": preview.next_step})


class RunningScore(APIView):
    """The score of a match at a table while it goes on."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_running_score",
        summary="Enter how a match at a table stands; never a result",
        description=(
            "For matches that are called to a table of an event or are played there. The last score stands, whoever "
            "enters it; the same score again changes nothing. The score that decides the match is reported as usual."
        ),
        request=RunningScoreSerializer,
        examples=[OpenApiExample("4–2", value={"score": [4, 2]}, request_only=True)],
        parameters=[LINK],
        responses={200: RunningScoreSerializer, 401: PROBLEM, 404: PROBLEM, 409: PROBLEM, 422: PROBLEM},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Return the score that stands."""
        seat = seat_of(request, public_id)
        left, right = validated(RunningScoreSerializer, request)["score"]
        entered = Entered(seat.match, side_of(seat), (left, right))
        events().record_score(entered, by=seat.by, now=timezone.now())
        return Response({"score": [left, right]})


class _ReportAction(APIView):
    """An action on an open or contested report; `service` performs it."""

    permission_classes = (AllowAny,)
    service: Callable[..., object]

    def perform(self, request: Request, public_id: str, **params: Any) -> Response:
        """Call the service and return the match."""
        seat = seat_of(request, public_id)
        type(self).service(match=seat.match, side=side_of(seat), by=seat.by, **write_params(request), **params)
        return match_response(request, seat)


AFTER_ONLY = OpenApiExample("Version 1", value={"after": 1}, request_only=True)


class Confirm(_ReportAction):
    """Confirming the other side's report."""

    service = staticmethod(reports.confirm)

    @extend_schema(
        operation_id="matches_confirm",
        summary="Confirm the other side's report, or a provisional result",
        request=ContestSerializer,
        examples=[AFTER_ONLY],
        **UPDATE,
    )
    def post(self, request: Request, public_id: str) -> Response:
        """The report then stands."""
        return self.perform(request, public_id)


class Contest(_ReportAction):
    """Contesting the other side's report."""

    service = staticmethod(reports.contest)

    @extend_schema(
        operation_id="matches_contest",
        summary="Contest the other side's report",
        request=ContestSerializer,
        examples=[OpenApiExample("Not over", value={"after": 1, "note": "We are still playing."}, request_only=True)],
        **UPDATE,
    )
    def post(self, request: Request, public_id: str) -> Response:
        """It makes a dispute, on which a director rules."""
        return self.perform(request, public_id, note=validated(ContestSerializer, request)["note"])


class Withdraw(_ReportAction):
    """Withdrawing a report."""

    service = staticmethod(reports.withdraw_report)

    @extend_schema(
        operation_id="matches_withdraw_claim",
        summary="Withdraw your own report",
        request=ContestSerializer,
        examples=[AFTER_ONLY],
        **UPDATE,
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Possible until the other side has answered it."""
        return self.perform(request, public_id)


class Concede(_ReportAction):
    """Conceding a dispute."""

    service = staticmethod(reports.concede)

    @extend_schema(
        operation_id="matches_concede",
        summary="Concede a dispute by agreeing to the other side's report",
        request=ContestSerializer,
        examples=[AFTER_ONLY],
        **UPDATE,
    )
    def post(self, request: Request, public_id: str) -> Response:
        """The report then stands."""
        return self.perform(request, public_id)


class Seen(APIView):
    """Acknowledging the other side's report."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_acknowledge",
        summary="Acknowledge the other side's report, or a provisional result, which starts its waiting time",
        request=ContestSerializer,
        examples=[AFTER_ONLY],
        **UPDATE,
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Reading the match does not start it, since a link preview might do that."""
        seat = seat_of(request, public_id)
        reports.acknowledge(
            match=seat.match, side=side_of(seat), by=seat.by, after=parse_after(request), now=timezone.now()
        )
        return match_response(request, seat)


class Objections(APIView):
    """Objections to a result."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_object",
        summary="Object to a result that was accepted without your answer",
        request=ObjectingSerializer,
        examples=[OpenApiExample("Never played", value={"reason": "We did not play.", "after": 3}, request_only=True)],
        **CREATE,
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Possible once. The result stands until a director decides."""
        seat = seat_of(request, public_id)
        reason = validated(ObjectingSerializer, request)["reason"]
        objections.object_to_result(
            match=seat.match, side=side_of(seat), reason=reason, by=seat.by, **write_params(request)
        )
        return match_response(request, seat, status.HTTP_201_CREATED)
