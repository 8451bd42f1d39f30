"""API of players' open reports, and of confirming all unopposed ones at once."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.messages import sentence
from matches.models import Provisional
from tournaments import access
from tournaments.results.api.fixtures import division_on_screen
from tournaments.results.services.confirmations import OpenReport, confirm_all, open_reports, provisional_results
from tournaments.state.api import READ, WRITE, by, example, validated


class WaitingReportSerializer(serializers.Serializer[Any]):
    """A match with open reports or a provisional result: `report` can be confirmed, or `code` says why none can."""

    fixture = serializers.CharField()
    number = serializers.IntegerField()
    report = serializers.CharField(allow_null=True)
    score = serializers.ListField(child=serializers.IntegerField(), allow_null=True)
    is_provisional = serializers.BooleanField(help_text="Whether it is a provisional result that would become final.")
    code = serializers.CharField(allow_null=True)
    message = serializers.CharField(allow_blank=True)


class ConfirmSerializer(serializers.Serializer[Any]):
    """The reports and provisional results to confirm, of one division if it is named."""

    reports = serializers.ListField(child=serializers.CharField(max_length=10), allow_empty=False, max_length=5000)
    division = serializers.CharField(max_length=10, required=False)


def _body(row: OpenReport) -> dict[str, Any]:
    report = row.report
    score = report.result.score if isinstance(report, Provisional) else report.score if report else None
    return {
        "fixture": row.fixture.public_id,
        "number": row.fixture.number,
        "report": report.public_id if report else None,
        "score": list(score) if score else None,
        "is_provisional": isinstance(report, Provisional),
        "code": row.code or None,
        "message": sentence(row.code, {}) if row.code else "",
    }


class Reports(APIView):
    """The open reports of an event."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="tournaments_reports",
        summary="Players' reports and provisional results that need an answer or a ruling",
        responses={200: WaitingReportSerializer(many=True), 403: WRITE[403], **READ},
    )
    def get(self, request: Request, tournament: str) -> Response:
        """For assistants and helpers."""
        event = access.tournament_by_id(request.user, tournament, access.HELPER)
        rows = [*open_reports(event, by(request)), *provisional_results(event, by(request))]
        return Response(WaitingReportSerializer([_body(row) for row in rows], many=True).data)

    @extend_schema(
        operation_id="tournaments_confirm_reports",
        summary="Confirm several unopposed reports and provisional results at once",
        description="Each in its own transaction; `code` is null for those that are results now.",
        request=ConfirmSerializer,
        examples=example(reports=["k7m2q9x4ab"]),
        responses={200: WaitingReportSerializer(many=True), **WRITE},
    )
    def post(self, request: Request, tournament: str) -> Response:
        """For assistants and helpers; the sender's own matches are left out."""
        event = access.tournament_by_id(request.user, tournament, access.HELPER)
        fields = validated(ConfirmSerializer, request)
        division = division_on_screen(event, fields.get("division"))
        confirmations = confirm_all(
            tournament=event, reports=fields["reports"], division=division, by=by(request), now=timezone.now()
        )
        bodies = [_body(confirmation.open_report) for confirmation in confirmations]
        return Response(WaitingReportSerializer(bodies, many=True).data)
