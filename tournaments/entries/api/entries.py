"""API: who takes part in a division."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import generics, status
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response

from core.requests import parse_int
from players.access import Role, my_player
from players.accounts.services import ensure_player
from tournaments import access
from tournaments.entries.selectors.previews import late_view
from tournaments.entries.serializers import (
    EnteredSerializer,
    EntrySerializer,
    NameListSerializer,
    NewEntrySerializer,
    PresentSerializer,
    UndoPreviewSerializer,
    WithdrawalSerializer,
)
from tournaments.entries.services import check_in, lists
from tournaments.entries.services import entries as services
from tournaments.events.api.base import DivisionView, EntryView, TournamentView
from tournaments.models import Entry
from tournaments.state.api import READ, WRITE, by, example, me, validated
from tournaments.state.serializers import ReasonSerializer


class Entries(DivisionView, generics.ListAPIView[Entry]):
    """The entries of a division."""

    permission_classes = (IsAuthenticatedOrReadOnly,)
    serializer_class = EntrySerializer
    filter_backends = ()

    def get_queryset(self) -> Any:
        """Return the entries in the order they were made, with the status in the query if there is one."""
        if getattr(self, "swagger_fake_view", False):
            return Entry.objects.none()
        entries = self.get_division().entries.select_related("player", "division")
        status_ = self.request.query_params.get("status")
        return entries.filter(status=status_) if status_ in Entry.Status.values else entries

    @extend_schema(
        operation_id="entries_list",
        summary="List the entries of a division",
        parameters=[OpenApiParameter("status", str, enum=Entry.Status.values)],
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """One page of entries."""
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="entries_create",
        summary="Enter a player by name",
        description=(
            "Members are matched regardless of capitals and accents; an unknown name becomes a member. If several "
            "members match, the answer is 422 `name_ambiguous`; if one matches with another spelling, "
            "`name_of_member`. Both have `candidates`: send one of them, or `new`, as `player`. In a running division "
            "this is a late entry: into the next round of a Swiss, with a bye of a knockout, against everybody in a "
            "league. If nothing is free, `status` is `waiting`."
        ),
        request=NewEntrySerializer,
        examples=[OpenApiExample("By name", value={"name": "Elif Ristic"}, request_only=True)],
        responses={201: EntrySerializer, 200: UndoPreviewSerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """409 `already_entered` if the player is already in."""
        division = self.get_division(Role.DIRECTOR)
        fields = validated(NewEntrySerializer, request)
        named = {"name": fields["name"], "player": fields.get("player", "")}
        if fields["preview"]:
            preview = lists.preview_late_name(division=division, now=self.acting()["now"], **named)
            return Response(UndoPreviewSerializer({"after": preview.seq, "divisions": [late_view(preview)]}).data)
        entry = lists.enter_name(division=division, after=fields.get("after"), **self.acting(), **named)
        return Response(EntrySerializer(entry).data, status=status.HTTP_201_CREATED)


class Paste(DivisionView):
    """Entering many players at once."""

    @extend_schema(
        operation_id="entries_paste",
        summary="Enter a list of names",
        description="With `preview` nothing is written. Players who are already in are skipped, so it can be repeated.",
        request=NameListSerializer,
        examples=[
            OpenApiExample(
                "A list", value={"names": ["Elif Ristic", "Omar Kageyama"], "preview": True}, request_only=True
            )
        ],
        responses={200: EnteredSerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """Whom each name matches, and who was entered."""
        division = self.get_division(Role.DIRECTOR)
        fields = validated(NameListSerializer, request)
        lines = lists.preview(division=division, names=fields["names"])
        result = lists.ListResult([], [])
        if not fields["preview"]:
            numbered = ((parse_int(place), player) for place, player in fields.get("choices", {}).items())
            choices = {place: player for place, player in numbered if place is not None}
            result = lists.enter_list(division=division, names=fields["names"], choices=choices, **self.acting())
        data = {"lines": [_line(line) for line in lines], "entries": result.entries, "left_out": result.left_out}
        return Response(EnteredSerializer(data).data)


def _line(line: lists.ListedName) -> dict[str, Any]:
    return {
        "name": line.match.name,
        "what": line.status,
        "asks": line.needs_choice,
        "player": line.match.player,
        "candidates": line.match.candidates,
    }


class Register(DivisionView):
    """Registering oneself."""

    @extend_schema(
        operation_id="entries_register",
        summary="Enter myself",
        description="If all places are taken, `status` of the answer is `waiting`.",
        request=None,
        responses={201: EntrySerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """409 `registration_closed` or `already_entered`."""
        division = self.get_division()
        player = ensure_player(user=me(request), by=by(request))
        entry = services.register(division=division, player=player, **self.acting())
        return Response(EntrySerializer(entry).data, status=status.HTTP_201_CREATED)


class OneEntry(EntryView):
    """An entry."""

    @extend_schema(operation_id="entries_retrieve", summary="Get an entry", responses={200: EntrySerializer, **READ})
    def get(self, request: Request, **kwargs: str) -> Response:
        """The entry as shown to everybody."""
        return Response(EntrySerializer(self.get_entry()).data)


class Withdraw(EntryView):
    """Withdrawing an entry."""

    @extend_schema(
        operation_id="entries_withdraw",
        summary="Withdraw an entry from its division, or its player from the whole event",
        description="For directors and the player.",
        request=WithdrawalSerializer,
        examples=example(scope="event", reason="I am ill."),
        responses={200: EntrySerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """409 `not_entered` if it is already withdrawn."""
        entry = self.get_entry(Role.DIRECTOR)
        fields = validated(WithdrawalSerializer, request)
        reason = fields.get("reason", "")
        if fields["scope"] == "event":
            event = entry.division.tournament
            services.withdraw_from_event(tournament=event, player=entry.player, reason=reason, **self.acting())
        else:
            services.withdraw(entry=entry, reason=reason, **self.acting())
        entry.refresh_from_db()
        return Response(EntrySerializer(entry).data)


class CheckIn(EntryView):
    """Checking a player in."""

    @extend_schema(
        operation_id="entries_check_in",
        summary="Check a player in or out, or record until when they are away",
        request=PresentSerializer,
        examples=[
            OpenApiExample("Here", value={"present": True}, request_only=True),
            OpenApiExample("Away", value={"state": "away", "until": "2026-11-20T21:10:00+01:00"}, request_only=True),
        ],
        responses={200: EntrySerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """For assistants and helpers."""
        entry = self.get_entry(access.HELPER)
        access.require_in(request.user, entry.division.tournament, access.HELPER)
        entry = check_in.mark(entry=entry, **validated(PresentSerializer, request), **self.acting())
        return Response(EntrySerializer(entry).data)


class Leave(TournamentView):
    """Withdrawing oneself from an event."""

    @extend_schema(
        operation_id="tournaments_leave",
        summary="Withdraw myself from every division",
        request=ReasonSerializer,
        examples=example(reason="I am ill."),
        responses={204: None, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """Does nothing if I am not entered."""
        tournament = self.get_tournament()
        player = my_player(me(request))
        fields = validated(ReasonSerializer, request)
        services.withdraw_from_event(tournament=tournament, player=player, **self.acting(), **fields)
        return Response(status=status.HTTP_204_NO_CONTENT)
