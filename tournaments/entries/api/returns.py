"""Letting somebody who has withdrawn back in, for API clients."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from players.access import Role, require
from tournaments import access
from tournaments.entries.forms import DIVISION, EVENT
from tournaments.entries.selectors.previews import PartView, return_view, undo_view
from tournaments.entries.services.late_previews import preview_undo, undo_late
from tournaments.entries.services.returns import bring_back, preview_return
from tournaments.models import Entry
from tournaments.state import serializers as shapes
from tournaments.state.api import READ, WRITE, by, example, validated


class ScopeSerializer(serializers.Serializer[Any]):
    """Where somebody comes back to."""

    scope = serializers.ChoiceField(shapes.SCOPES, default=DIVISION)


class AffectedFixtureSerializer(serializers.Serializer[Any]):
    """A match that others would play, or that would be played again."""

    number = serializers.IntegerField(help_text="13 is M13.")
    public_id = serializers.CharField()
    before = serializers.CharField()
    after = serializers.CharField()
    remarks = serializers.ListField(child=serializers.CharField())


class EntryPreviewSerializer(serializers.Serializer[Any]):
    """What follows in one division."""

    division = serializers.CharField()
    notes = serializers.ListField(child=serializers.CharField())
    changes = AffectedFixtureSerializer(many=True)


class ReturnPreviewSerializer(serializers.Serializer[Any]):
    """What follows if somebody comes back."""

    seen = serializers.CharField(help_text="Send it with the return: it is refused as `stale` if anything changed.")
    divisions = EntryPreviewSerializer(many=True)


class ReturnSerializer(shapes.ReasonSerializer):
    """A withdrawal that is taken back."""

    scope = serializers.ChoiceField(shapes.SCOPES)
    seen = serializers.CharField(max_length=64, help_text="Of the preview.")


def parts_as_answer(parts: list[PartView]) -> list[dict[str, Any]]:
    """The divisions of a preview."""
    return [
        {
            "division": part.division,
            "notes": part.notes,
            "changes": [
                {
                    "number": line.number,
                    "public_id": line.public_id,
                    "before": line.before,
                    "after": line.after,
                    "remarks": list(line.remarks),
                }
                for line in part.changes
            ],
        }
        for part in parts
    ]


class ReturnView(APIView):
    """Back in after a withdrawal."""

    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="entries_return_preview",
        summary="What follows if somebody who has withdrawn comes back",
        parameters=[OpenApiParameter("scope", str, enum=shapes.SCOPES)],
        responses={200: ReturnPreviewSerializer, **READ, **WRITE},
    )
    def get(self, request: Request, entry: str) -> Response:
        """Nothing is done. 409 `not_withdrawn` or `return_too_late`."""
        found = _entry(request, entry)
        asked = ScopeSerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        preview = preview_return(entry=found, event=asked.validated_data["scope"] == EVENT)
        return Response({"seen": preview.mark, "divisions": parts_as_answer(return_view(preview))})

    @extend_schema(
        operation_id="entries_return",
        summary="Let somebody who has withdrawn back in",
        description="Walkovers booked because of the withdrawal are opened again; nothing that has begun is touched.",
        request=ReturnSerializer,
        examples=example(scope="division", seen="0f3c", reason="Was only stuck in traffic."),
        responses={200: shapes.EntrySerializer, **WRITE},
    )
    def post(self, request: Request, entry: str) -> Response:
        """409 `stale` where something has changed since the preview."""
        found = _entry(request, entry)
        fields = validated(ReturnSerializer, request)
        bring_back(
            entry=found,
            seen=fields["seen"],
            by=by(request),
            now=timezone.now(),
            event=fields["scope"] == EVENT,
            reason=fields.get("reason", ""),
        )
        found.refresh_from_db()
        return Response(shapes.EntrySerializer(found).data)


class UndoPreviewSerializer(serializers.Serializer[Any]):
    """What follows if a late entry is undone."""

    after = serializers.IntegerField(help_text="Send it with the undo: it is refused as `stale` if anything changed.")
    divisions = EntryPreviewSerializer(many=True)


class UndoSerializer(shapes.ReasonSerializer):
    """A late entry that is undone."""

    after = serializers.IntegerField(min_value=0, help_text="Of the preview.")


class UndoLateView(APIView):
    """A late entry undone."""

    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="entries_undo_late_preview",
        summary="What follows if a late entry is undone",
        responses={200: UndoPreviewSerializer, **READ, **WRITE},
    )
    def get(self, request: Request, entry: str) -> Response:
        """Nothing is done. 409 `not_late` or `late_entry_begun`."""
        preview = preview_undo(entry=_entry(request, entry))
        return Response({"after": preview.seq, "divisions": parts_as_answer([undo_view(preview)])})

    @extend_schema(
        operation_id="entries_undo_late",
        summary="Undo a late entry",
        description="The byes that it took are byes again.",
        request=UndoSerializer,
        examples=example(after=12, reason="Typed into the wrong division."),
        responses={200: shapes.EntrySerializer, **WRITE},
    )
    def post(self, request: Request, entry: str) -> Response:
        """409 `stale` where something has changed since the preview."""
        found = _entry(request, entry)
        fields = validated(UndoSerializer, request)
        undo_late(
            entry=found,
            after=fields["after"],
            by=by(request),
            now=timezone.now(),
            reason=fields.get("reason", ""),
        )
        found.refresh_from_db()
        return Response(shapes.EntrySerializer(found).data)


def _entry(request: Request, public_id: str) -> Entry:
    found = access.entry_as(request.user, public_id, Role.DIRECTOR)
    require(request.user, found.division.tournament.club, Role.DIRECTOR)
    return found
