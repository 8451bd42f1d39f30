"""API of quick entry: several results typed as lines, and `undo`."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tournaments import access
from tournaments.floor.services.lines import enter_lines
from tournaments.results.api.fixtures import division_on_screen
from tournaments.results.line_parser import LONGEST_TEXT
from tournaments.results.selectors.quick_entry import outcome_text
from tournaments.results.services.quick_entry import LineOutcome, OutcomeKind
from tournaments.state.api import WRITE, by, example, validated


class LinesSerializer(serializers.Serializer[Any]):
    """Results typed as lines."""

    lines = serializers.CharField(
        max_length=LONGEST_TEXT,
        trim_whitespace=False,
        help_text=(
            "Separated by `;` or line breaks: `m22 11-7`, `bob 7-4`, `m3 forfeit smith`, `undo`; on the floor of an "
            "event also `t5 call m30`, `m30 start`, `m30 run 5-3`, `t5 free`, `late smith 10`, `pause 20:00`."
        ),
    )
    division = serializers.CharField(max_length=10, required=False, help_text="Used for lines that name no division.")


class OutcomeSerializer(serializers.Serializer[Any]):
    """What happened to one line."""

    line = serializers.CharField()
    what = serializers.ChoiceField([(kind.value, kind.value) for kind in OutcomeKind])
    fixture = serializers.CharField(allow_null=True)
    number = serializers.IntegerField(allow_null=True)
    code = serializers.CharField(allow_null=True, help_text="Why it was refused.")
    message = serializers.CharField(allow_blank=True)


def _body(outcome: LineOutcome) -> dict[str, Any]:
    return {
        "line": outcome.line,
        "what": outcome.what,
        "fixture": outcome.fixture.public_id if outcome.fixture else None,
        "number": outcome.fixture.number if outcome.fixture else None,
        "code": outcome.refused.code if outcome.refused else None,
        "message": outcome_text(outcome),
    }


class Lines(APIView):
    """Several results, one per line."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="tournaments_lines",
        summary="Enter several results, one per line",
        description=(
            "For assistants and helpers. A refused line does not stop the others; `undo` takes back your last line."
        ),
        request=LinesSerializer,
        examples=example(lines="m22 11-7; bob 7-4"),
        responses={200: OutcomeSerializer(many=True), **WRITE},
    )
    def post(self, request: Request, tournament: str) -> Response:
        """What happened to each line, in order; 422 `line_empty`, `too_many_results`."""
        event = access.tournament_by_id(request.user, tournament, access.HELPER)
        fields = validated(LinesSerializer, request)
        division = division_on_screen(event, fields.get("division"))
        outcomes = enter_lines(
            tournament=event, text=fields["lines"], division=division, by=by(request), now=timezone.now()
        )
        return Response(OutcomeSerializer([_body(outcome) for outcome in outcomes], many=True).data)
