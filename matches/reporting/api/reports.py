"""What programs do about reports of a match: report, preview, answer, concede, object."""

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
from matches.lifecycle.finish import check_report
from matches.reporting.api.seats import LINK, MAKES, WRITES, after, answer, common, seat, side_of
from matches.reporting.preview import preview_of
from matches.reporting.serializers import (
    ClaimSerializer,
    ContestSerializer,
    ObjectingSerializer,
    ReportPreviewSerializer,
)
from matches.reporting.services import objections, reports, sheet_reports
from players.accounts.api import validated
from players.accounts.serializers import PROBLEM


class Claims(APIView):
    """Where a score is claimed."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_claim",
        summary="Report a score",
        description=(
            "The loser's report is pending for two minutes and then stands. The winner's waits until the other side "
            "confirms, or until its time has run out, which runs once that side has acted on having seen it. Two "
            "reports that differ are a dispute. The sheet's link needs `i_am`; such a report only asks."
        ),
        request=ClaimSerializer,
        examples=[OpenApiExample("Bob won", value={"score": [7, 5], "after": 0}, request_only=True)],
        **MAKES,
    )
    def post(self, request: Request, public_id: str) -> Response:
        """201 with the match as it is then."""
        acting = seat(request, public_id, sheet=True)
        form = validated(ClaimSerializer, request)
        winner, score = _score(form)
        report = {
            "match": acting.match,
            "winner": winner,
            "score": score,
            "by": acting.by,
            "note": form["note"],
            **common(request),
        }
        if acting.side is not None:
            reports.report_score(side=acting.side, **report)
        elif "i_am" in form:
            sheet_reports.report_from_sheet(says_side=form["i_am"], **report)
        else:
            raise Refused("sheet_sender_missing")
        return answer(request, acting, status.HTTP_201_CREATED)


def _score(form: dict[str, Any]) -> tuple[int, tuple[int, int]]:
    """The winner and the score that a report names."""
    left, right = form["score"]
    return form.get("winner", 0 if left > right else 1), (left, right)


class PreviewClaim(APIView):
    """What a report would do."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_preview_claim",
        summary="See what a report would do; nothing is written",
        request=ClaimSerializer,
        examples=[OpenApiExample("Bob won", value={"score": [7, 5]}, request_only=True)],
        parameters=[LINK],
        responses={200: ReportPreviewSerializer, 401: PROBLEM, 404: PROBLEM, 409: PROBLEM, 422: PROBLEM},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """The sentences that the page shows."""
        acting = seat(request, public_id, sheet=True)
        winner, score = _score(validated(ClaimSerializer, request))
        match = acting.match
        reports.refuse_settled_or_disputed(match)
        check_report(length=match.length, start=match.start_score, winner=winner, score=score)
        preview = preview_of(acting, winner, score)
        return Response({"message": preview.words, "follows": preview.follows, "next_step": preview.next_step})


class _ClaimAnswer(APIView):
    """One answer to the claim that is open."""

    permission_classes = (AllowAny,)
    act: Callable[..., object]

    def done(self, request: Request, public_id: str, **more: Any) -> Response:
        """Do it, and show the match."""
        acting = seat(request, public_id)
        type(self).act(match=acting.match, side=side_of(acting), by=acting.by, **common(request), **more)
        return answer(request, acting)


AFTER_ONLY = OpenApiExample("Seen at 1", value={"after": 1}, request_only=True)


class Confirm(_ClaimAnswer):
    """Agree to the other side's claim."""

    act = staticmethod(reports.confirm)

    @extend_schema(
        operation_id="matches_confirm",
        summary="Confirm what is claimed",
        request=ContestSerializer,
        examples=[AFTER_ONLY],
        **WRITES,
    )
    def post(self, request: Request, public_id: str) -> Response:
        """It stands."""
        return self.done(request, public_id)


class Contest(_ClaimAnswer):
    """Say that the other side's claim is wrong."""

    act = staticmethod(reports.contest)

    @extend_schema(
        operation_id="matches_contest",
        summary="Contest what is claimed",
        request=ContestSerializer,
        examples=[OpenApiExample("Not over", value={"after": 1, "note": "We are still playing."}, request_only=True)],
        **WRITES,
    )
    def post(self, request: Request, public_id: str) -> Response:
        """A dispute: the director rules."""
        return self.done(request, public_id, note=validated(ContestSerializer, request)["note"])


class Withdraw(_ClaimAnswer):
    """Take one's own claim back."""

    act = staticmethod(reports.withdraw_report)

    @extend_schema(
        operation_id="matches_withdraw_claim",
        summary="Take one's own claim back",
        request=ContestSerializer,
        examples=[AFTER_ONLY],
        **WRITES,
    )
    def post(self, request: Request, public_id: str) -> Response:
        """While nobody has answered it."""
        return self.done(request, public_id)


class Concede(_ClaimAnswer):
    """Give in to the other side in a dispute."""

    act = staticmethod(reports.concede)

    @extend_schema(
        operation_id="matches_concede",
        summary="Agree to the other side's report in a dispute",
        request=ContestSerializer,
        examples=[AFTER_ONLY],
        **WRITES,
    )
    def post(self, request: Request, public_id: str) -> Response:
        """It stands."""
        return self.done(request, public_id)


class Seen(APIView):
    """The other side's report is seen."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_acknowledge",
        summary="Say that you have seen the other side's report; its waiting time then runs",
        request=ContestSerializer,
        examples=[AFTER_ONLY],
        **WRITES,
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Reading the match is not enough: that may be a preview."""
        acting = seat(request, public_id)
        reports.acknowledge(
            match=acting.match, side=side_of(acting), by=acting.by, after=after(request), now=timezone.now()
        )
        return answer(request, acting)


class Objections(APIView):
    """Objections to the result."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_object",
        summary="Object, once, to a result that came to stand without your answer",
        request=ObjectingSerializer,
        examples=[OpenApiExample("Never played", value={"reason": "We did not play.", "after": 3}, request_only=True)],
        **MAKES,
    )
    def post(self, request: Request, public_id: str) -> Response:
        """A director decides; meanwhile the result stands."""
        acting = seat(request, public_id)
        reason = validated(ObjectingSerializer, request)["reason"]
        objections.object_to_result(
            match=acting.match, side=side_of(acting), reason=reason, by=acting.by, **common(request)
        )
        return answer(request, acting, status.HTTP_201_CREATED)
