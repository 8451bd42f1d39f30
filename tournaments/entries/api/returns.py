"""API: re-entry, and undoing a withdrawal or a late entry, each with a preview."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from players.access import Role, require
from tournaments.entries.forms import EVENT
from tournaments.entries.selectors.previews import reentry_view, return_view, undo_view
from tournaments.entries.serializers import (
    SCOPES,
    EntrySerializer,
    ReturnPreviewSerializer,
    ReturnSerializer,
    ScopeSerializer,
    UndoPreviewSerializer,
    UndoSerializer,
)
from tournaments.entries.services.late_previews import preview_undo, undo_late
from tournaments.entries.services.reentries import preview_reentry, reenter
from tournaments.entries.services.returns import bring_back, preview_return
from tournaments.events.api.base import EntryView
from tournaments.models import Entry
from tournaments.state.api import READ, WRITE, example, validated


class DirectedEntryView(EntryView):
    """Base of the endpoints about an entry that only directors may use."""

    permission_classes = (IsAuthenticated,)

    def get_directed_entry(self) -> Entry:
        """Return the entry of the URL for a director; unlike elsewhere, its player is refused."""
        entry = self.get_entry()
        require(self.request.user, entry.division.tournament.club, Role.DIRECTOR)
        return entry


class ReturnView(DirectedEntryView):
    """The return of a player who has withdrawn."""

    @extend_schema(
        operation_id="entries_return_preview",
        summary="Preview the return of a withdrawn player",
        parameters=[OpenApiParameter("scope", str, enum=SCOPES)],
        responses={200: ReturnPreviewSerializer, **READ, **WRITE},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """Nothing is written. 409 `not_withdrawn` or `return_too_late`."""
        entry = self.get_directed_entry()
        query = ScopeSerializer(data=request.query_params)
        query.is_valid(raise_exception=True)
        preview = preview_return(entry=entry, event=query.validated_data["scope"] == EVENT)
        return Response(ReturnPreviewSerializer({"seen": preview.mark, "divisions": return_view(preview)}).data)

    @extend_schema(
        operation_id="entries_return",
        summary="Let a withdrawn player return",
        description="Walkovers that followed from the withdrawal are opened again. Matches that have begun stay.",
        request=ReturnSerializer,
        examples=example(scope="division", seen="0f3c", reason="Was only stuck in traffic."),
        responses={200: EntrySerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """409 `stale` if something has changed since the preview."""
        entry = self.get_directed_entry()
        fields = validated(ReturnSerializer, request)
        bring_back(
            entry=entry,
            seen=fields["seen"],
            event=fields["scope"] == EVENT,
            reason=fields.get("reason", ""),
            **self.acting(),
        )
        entry.refresh_from_db()
        return Response(EntrySerializer(entry).data)


class UndoLateView(DirectedEntryView):
    """Undoing a late entry."""

    @extend_schema(
        operation_id="entries_undo_late_preview",
        summary="Preview undoing a late entry",
        responses={200: UndoPreviewSerializer, **READ, **WRITE},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """Nothing is written. 409 `not_late` or `late_entry_begun`."""
        preview = preview_undo(entry=self.get_directed_entry())
        return Response(UndoPreviewSerializer({"after": preview.seq, "divisions": [undo_view(preview)]}).data)

    @extend_schema(
        operation_id="entries_undo_late",
        summary="Undo a late entry",
        description="The byes that it took are byes again.",
        request=UndoSerializer,
        examples=example(after=12, reason="Typed into the wrong division."),
        responses={200: EntrySerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """409 `stale` if something has changed since the preview."""
        entry = self.get_directed_entry()
        fields = validated(UndoSerializer, request)
        undo_late(entry=entry, after=fields["after"], reason=fields.get("reason", ""), **self.acting())
        entry.refresh_from_db()
        return Response(EntrySerializer(entry).data)


class ReentryView(DirectedEntryView):
    """Another entry of a player who is out of the main bracket."""

    @extend_schema(
        operation_id="entries_re_enter_preview",
        summary="Preview a re-entry",
        responses={200: UndoPreviewSerializer, **READ, **WRITE},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """Nothing is written. 409 `reentry_still_in`, `reentry_without_bye` or `reentry_closed`."""
        preview = preview_reentry(entry=self.get_directed_entry(), now=self.acting()["now"])
        return Response(UndoPreviewSerializer({"after": preview.seq, "divisions": [reentry_view(preview)]}).data)

    @extend_schema(
        operation_id="entries_re_enter",
        summary="Let a player enter again",
        description="A player who is out of the main bracket takes a bye by lot. Returns the new entry; undoing it is "
        "undoing a late entry.",
        request=UndoSerializer,
        examples=example(after=12),
        responses={201: EntrySerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """409 `stale` if something has changed since the preview."""
        entry = self.get_directed_entry()
        fields = validated(UndoSerializer, request)
        again = reenter(entry=entry, after=fields["after"], reason=fields.get("reason", ""), **self.acting())
        return Response(EntrySerializer(again).data, status=status.HTTP_201_CREATED)
