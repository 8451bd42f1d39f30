"""The stages of a division and what they would be like, for programs."""

from dataclasses import asdict
from typing import Any

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from players.access import Role
from tournaments import access
from tournaments.draws.design import serializers as shapes
from tournaments.draws.design.preview_api import told
from tournaments.formats.settings import StageSettings
from tournaments.models import Division
from tournaments.state.api import AFTER, READ, WRITE, after_of, by, given, tagged
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


def answer(division: Division) -> Response:
    """All stages with every setting, and the ETag of the division."""
    stages = [{"number": number, **_shown(one)} for number, one in enumerate(stage_settings(division), start=1)]
    return tagged(shapes.SetStageSerializer(stages, many=True).data, division.seq)


def _shown(settings: StageSettings) -> dict[str, Any]:
    return {**asdict(settings), "until": settings.until or None, "join_until": settings.join_until or None}


def _settings(stages: list[dict[str, Any]]) -> list[StageSettings]:
    """What was sent as settings."""
    made = []
    for stage in stages:
        values = {name: value for name, value in stage.items() if name != "number"}
        for day in ("until", "join_until"):
            if day in values:
                values[day] = values[day].isoformat() if values[day] else ""
        made.append(StageSettings.of(values.pop("format"), values))
    return made


class Stages(APIView):
    """The formats of a division, one after the other."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="stages_list",
        summary="What a division is played by",
        responses={200: shapes.SetStageSerializer(many=True), **READ},
    )
    def get(self, request: Request, division: str) -> Response:
        """Every setting, also those that no format here reads."""
        return answer(access.division(request.user, division))

    @extend_schema(
        operation_id="stages_set",
        summary="Set what a division is played by",
        description=(
            "All stages at once, before the draw (else `division_drawn`); a setting that is left out is as by default. "
            "A draft of the draw is discarded. Refused with `stage_qualifiers` where a stage does not say how many go "
            "on, and with the code of whatever is wrong in a stage."
        ),
        parameters=[AFTER],
        request=shapes.NewStagesSerializer,
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
        responses={200: shapes.SetStageSerializer(many=True), **WRITE},
    )
    def put(self, request: Request, division: str) -> Response:
        """The stages as they are then."""
        found = access.division_as(request.user, division, Role.DIRECTOR)
        fields = given(shapes.NewStagesSerializer, request)
        after = after_of(request, fields)
        set_stages(
            division=found,
            stages=_settings(fields["stages"]),
            tables=fields.get("tables"),
            after=after or 0,
            by=by(request),
            now=timezone.now(),
        )
        found.refresh_from_db()
        return answer(found)


class OutlineView(APIView):
    """What the stages would be like for so many entries."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="outline_retrieve",
        summary="What the format means for tonight",
        description=(
            "Rounds, matches, byes and the expected finish, for directors. A format that is impossible for this field "
            "is no error: `possible` is false, and `remarks` say why."
        ),
        parameters=[
            OpenApiParameter("entries", OpenApiTypes.INT, description="By default those who are entered."),
            OpenApiParameter("tables", OpenApiTypes.INT, description="By default those of the event."),
            OpenApiParameter("starts_at", OpenApiTypes.DATETIME, description="By default when the event starts."),
            OpenApiParameter("closes_at", OpenApiTypes.DATETIME, description="When the room closes."),
            OpenApiParameter("minutes_per_point", OpenApiTypes.FLOAT, description="How fast is played; 11 by default."),
        ],
        responses={200: shapes.OutlineSerializer, **WRITE},
    )
    def get(self, request: Request, division: str) -> Response:
        """Of the stages as they are set."""
        found = access.division_as(request.user, division, Role.DIRECTOR)
        wanted = shapes.EveningSerializer(data=request.query_params)
        wanted.is_valid(raise_exception=True)
        return Response(told(found, stage_settings(found), wanted.validated_data))

    @extend_schema(
        operation_id="outline_create",
        summary="What another format would mean for tonight",
        description="As the reading of it, for stages that are not stored, and nothing is.",
        request=shapes.WantedOutlineSerializer,
        examples=[
            OpenApiExample("Tonight", value={"stages": GROUPS_THEN_KNOCKOUT, **EVENING}, request_only=True),
        ],
        responses={200: shapes.OutlineSerializer, **WRITE},
    )
    def post(self, request: Request, division: str) -> Response:
        """Of the stages that are sent."""
        found = access.division_as(request.user, division, Role.DIRECTOR)
        fields = given(shapes.WantedOutlineSerializer, request)
        return Response(told(found, _settings(fields["stages"]), fields))
