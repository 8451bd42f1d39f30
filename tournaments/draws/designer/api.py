"""API: the stages of a division, and a preview of what they mean for an evening."""

from dataclasses import asdict
from typing import Any

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from players.access import Role
from tournaments.draws.designer.preview_data import preview_data
from tournaments.draws.designer.serializers import (
    EveningSerializer,
    NewStagesSerializer,
    OutlineSerializer,
    SetStageSerializer,
    WantedOutlineSerializer,
)
from tournaments.events.api.base import DivisionView
from tournaments.formats.settings import StageSettings
from tournaments.models import Division
from tournaments.state.api import AFTER, READ, WRITE, by, read_after, validated, with_etag
from tournaments.state.stages import set_stages, stage_settings

GROUPS_THEN_KNOCKOUT = [
    {"format": "groups", "groups": 4, "qualifiers": 2, "lengths": [5]},
    {"format": "knockout", "lengths": [7, 9]},
]
EVENING = {
    "entries": 17,
    "tables": 6,
    "starts_at": "2026-11-27T19:00:00+01:00",
    "closes_at": "2026-11-27T23:30:00+01:00",
}


def stages_response(division: Division) -> Response:
    """Return all stages with every setting, and the ETag of the division."""
    stages = [{"number": number, **_stage(stage)} for number, stage in enumerate(stage_settings(division), start=1)]
    return with_etag(SetStageSerializer(stages, many=True).data, division.seq)


def _stage(settings: StageSettings) -> dict[str, Any]:
    return {**asdict(settings), "until": settings.until or None, "join_until": settings.join_until or None}


def _settings(stages: list[dict[str, Any]]) -> list[StageSettings]:
    """Convert validated stages to settings."""
    result = []
    for stage in stages:
        values = {name: value for name, value in stage.items() if name != "number"}
        for day in ("until", "join_until"):
            if day in values:
                values[day] = values[day].isoformat() if values[day] else ""
        result.append(StageSettings.of(values.pop("format"), values))
    return result


class Stages(DivisionView):
    """The stages of a division, in the order they are played."""

    @extend_schema(
        operation_id="stages_list",
        summary="Get the format of a division",
        responses={200: SetStageSerializer(many=True), **READ},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """Return every setting, including those that the format does not use."""
        return stages_response(self.get_division())

    @extend_schema(
        operation_id="stages_set",
        summary="Set the format of a division",
        description=(
            "Replaces all stages. Only before the draw (else `division_drawn`). Missing settings get their default. "
            "A draft of the draw is discarded. Refused with `stage_qualifiers` if a stage with a successor has no "
            "number of qualifiers, and with the code of whatever is wrong in a stage."
        ),
        parameters=[AFTER],
        request=NewStagesSerializer,
        examples=[
            OpenApiExample(
                "Groups, then a knockout",
                value={"stages": GROUPS_THEN_KNOCKOUT, "tables": 6, "after": 3},
                request_only=True,
            ),
            OpenApiExample(
                "Swiss",
                value={"stages": [{"format": "swiss", "rounds": 5, "tiebreaks": ["buchholz", "wins"]}], "after": 3},
                request_only=True,
            ),
        ],
        responses={200: SetStageSerializer(many=True), **WRITE},
    )
    def put(self, request: Request, **kwargs: str) -> Response:
        """Return the new stages."""
        division = self.get_division(Role.DIRECTOR)
        fields = validated(NewStagesSerializer, request)
        after = read_after(request, fields)
        set_stages(
            division=division,
            stages=_settings(fields["stages"]),
            tables=fields.get("tables"),
            after=after or 0,
            by=by(request),
            now=timezone.now(),
        )
        division.refresh_from_db()
        return stages_response(division)


class OutlineView(DivisionView):
    """A preview of a format for a number of entries."""

    @extend_schema(
        operation_id="outline_retrieve",
        summary="Preview the format",
        description=(
            "Rounds, matches, byes and the expected finish, for directors. A format that is impossible for this number "
            "of entries is not an error: `possible` is false, and `remarks` give the reasons."
        ),
        parameters=[
            OpenApiParameter("entries", OpenApiTypes.INT, description="Default: the current number of entries."),
            OpenApiParameter("tables", OpenApiTypes.INT, description="Default: the tables of the event."),
            OpenApiParameter("starts_at", OpenApiTypes.DATETIME, description="Default: the start of the event."),
            OpenApiParameter("closes_at", OpenApiTypes.DATETIME, description="When the venue closes."),
            OpenApiParameter("minutes_per_point", OpenApiTypes.FLOAT, description="Speed of play. Default: 11."),
        ],
        responses={200: OutlineSerializer, **WRITE},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """Return the preview of the stored stages."""
        division = self.get_division(Role.DIRECTOR)
        evening = EveningSerializer(data=request.query_params)
        evening.is_valid(raise_exception=True)
        return Response(preview_data(division, stage_settings(division), evening.validated_data))

    @extend_schema(
        operation_id="outline_create",
        summary="Preview another format",
        description="The same for the stages in the body. Nothing is stored.",
        request=WantedOutlineSerializer,
        examples=[
            OpenApiExample("Tonight", value={"stages": GROUPS_THEN_KNOCKOUT, **EVENING}, request_only=True),
        ],
        responses={200: OutlineSerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """Return the preview of the submitted stages."""
        division = self.get_division(Role.DIRECTOR)
        fields = validated(WantedOutlineSerializer, request)
        return Response(preview_data(division, _settings(fields["stages"]), fields))
