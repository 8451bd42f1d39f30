"""The kept acts of an event that wait for a decision, through the API."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.access import Who, open_to
from core.api import APIView
from players.models import KeptAct
from tournaments import access
from tournaments.floor.kept.needs import KeptNeed, kept_needs
from tournaments.state.api import READ


class UndecidedActSerializer(serializers.Serializer[Any]):
    """A kept act that waits for a decision."""

    act = serializers.IntegerField(help_text="Its number, to decide it.")
    action = serializers.CharField()
    fixture = serializers.CharField(allow_null=True, help_text="The match that it is about, if it is still there.")
    text = serializers.CharField(help_text="What was done.")
    sender = serializers.CharField(help_text="Who did it, and in which browser.")
    typed_at = serializers.DateTimeField(allow_null=True)
    arrived_at = serializers.DateTimeField()
    outcome = serializers.ChoiceField(KeptAct.Outcome.choices)
    code = serializers.CharField(allow_blank=True)
    why = serializers.CharField(allow_blank=True)


@open_to(get=Who.HELPERS)
class UndecidedActs(APIView):
    @extend_schema(
        operation_id="tournaments_undecided_kept",
        summary="List what was kept without a connection and waits for a decision",
        description="For assistants and helpers; in the order in which it is decided.",
        responses={200: UndecidedActSerializer(many=True), **READ},
    )
    def get(self, request: Request, tournament: str) -> Response:
        """Acts that differ or were refused, and notes."""
        event = access.tournament_by_id(request.user, tournament, access.HELPER)
        needs, _not_back = kept_needs(event, timezone.now())
        return Response(UndecidedActSerializer([_body(need) for need in needs], many=True).data)


def _body(need: KeptNeed) -> dict[str, Any]:
    act = need.act
    return {
        "act": act.pk,
        "action": act.action,
        "fixture": need.fixture.public_id if need.fixture is not None else None,
        "text": need.text,
        "sender": need.sender,
        "typed_at": act.typed_at,
        "arrived_at": act.arrived_at,
        "outcome": act.outcome,
        "code": act.code,
        "why": need.why,
    }
