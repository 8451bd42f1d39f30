"""API of the floor: its tables, matches and queue. Directors act on it by lines (`results/api/lines.py`)."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from players.access import Role, is_at_least, role_in
from tournaments import access
from tournaments.floor import selectors
from tournaments.floor.facts import Autopilot, Category
from tournaments.floor.selectors import FloorView, MatchView
from tournaments.floor.state import MatchState, TableState
from tournaments.state.api import READ


class FloorTableSerializer(serializers.Serializer[Any]):
    """A table of an event."""

    public_id = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # A serializer has a label of its own.
    category = serializers.ChoiceField([(category.value, category.value) for category in Category])
    state = serializers.ChoiceField([(state.value, state.value) for state in TableState])
    fixture = serializers.CharField(allow_null=True, help_text="The match that is played at it.")
    suggested = serializers.CharField(allow_null=True, help_text="A match to call to it.")
    reason = serializers.CharField(allow_blank=True, help_text="Why it is out of use.")


class FloorMatchSerializer(serializers.Serializer[Any]):
    """A match as it stands on the floor."""

    fixture = serializers.CharField()
    number = serializers.IntegerField()
    state = serializers.ChoiceField([(state.value, state.value) for state in MatchState])
    players = serializers.ListField(child=serializers.CharField(allow_blank=True), help_text="Empty: to be decided.")
    table = serializers.CharField(allow_null=True, help_text="The label of its table.")
    score = serializers.ListField(child=serializers.IntegerField(), allow_null=True, help_text="Running score.")
    called_at = serializers.DateTimeField(allow_null=True)
    started_at = serializers.DateTimeField(allow_null=True)
    position = serializers.IntegerField(allow_null=True, help_text="Place in the queue, from 1.")
    reasons = serializers.ListField(child=serializers.CharField(), help_text="Why it waits.")


class FloorSerializer(serializers.Serializer[Any]):
    """The floor of an event."""

    autopilot = serializers.ChoiceField([(mode.value, mode.value) for mode in Autopilot])
    paused = serializers.BooleanField()
    paused_until = serializers.DateTimeField(allow_null=True)
    tables = FloorTableSerializer(many=True)
    matches = FloorMatchSerializer(many=True)


class FloorOfEvent(APIView):
    """The floor of an event."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="tournaments_floor",
        summary="Tables, calls and queue of an event",
        description="Matches are called and started, and tables freed, by lines (`/lines/`).",
        responses={200: FloorSerializer, **READ},
    )
    def get(self, request: Request, tournament: str) -> Response:
        """The state now; only staff see in full the names of players who show initials."""
        event = access.tournament_by_id(request.user, tournament)
        staff = is_at_least(role_in(request.user, event.club), Role.ASSISTANT)
        view = selectors.floor(event, timezone.now(), staff=staff)
        return Response(FloorSerializer(_body(view)).data)


def _body(view: FloorView) -> dict[str, Any]:
    pause = view.state.pause
    return {
        "autopilot": view.state.autopilot.value,
        "paused": pause is not None,
        "paused_until": pause.until if pause is not None else None,
        "tables": [
            {
                "public_id": table.public_id,
                "label": table.row.label,
                "category": table.row.category.value,
                "state": table.row.state.value,
                "fixture": table.match.public_id if table.match else None,
                "suggested": table.suggested.public_id if table.suggested else None,
                "reason": table.row.reason,
            }
            for table in view.tables.values()
        ],
        "matches": [_match(match) for match in view.matches.values()],
    }


def _match(match: MatchView) -> dict[str, Any]:
    row = match.row
    return {
        "fixture": match.public_id,
        "number": match.number,
        "state": match.state.value,
        "players": [side.name for side in match.sides],
        "table": match.table or None,
        "score": row.score,
        "called_at": row.called_at,
        "started_at": row.started_at,
        "position": row.position,
        "reasons": match.reasons,
    }
