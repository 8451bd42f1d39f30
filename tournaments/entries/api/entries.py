"""Who takes part, for programs."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import generics, status
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from players.access import Role, my_player, require
from players.accounts.services import ensure_player
from tournaments import access
from tournaments.entries.api.returns import UndoPreviewSerializer, parts_as_answer
from tournaments.entries.selectors.previews import late_view
from tournaments.entries.services import entries as services
from tournaments.entries.services import lists
from tournaments.models import Entry
from tournaments.state import serializers as shapes
from tournaments.state.api import READ, WRITE, by, example, me, validated


class Entries(generics.ListAPIView[Entry]):
    """The entries of a division."""

    permission_classes = (IsAuthenticatedOrReadOnly,)
    serializer_class = shapes.EntrySerializer
    filter_backends = ()

    def get_queryset(self) -> Any:
        """In the order they came, of one status if that is asked for."""
        if getattr(self, "swagger_fake_view", False):
            return Entry.objects.none()
        found = access.division(self.request.user, self.kwargs["division"]).entries.select_related("player", "division")
        wanted = self.request.query_params.get("status")
        return found.filter(status=wanted) if wanted in Entry.Status.values else found

    @extend_schema(
        operation_id="entries_list",
        summary="Who takes part",
        parameters=[OpenApiParameter("status", str, enum=Entry.Status.values)],
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """A page of them."""
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="entries_create",
        summary="Enter somebody by name",
        description=(
            "A member is found in any capitals, with or without accents; an unknown name becomes a member. Where "
            "several are called so the answer is 422 `name_ambiguous`, where the member is spelled differently "
            "`name_of_member`, both with `candidates`; send one of them, or `new`, as `player`. While the division is "
            "played this is a late entry: into the next round of a Swiss, by a bye of a knockout, against everybody of "
            "a league; `status` is `waiting` where nothing is free."
        ),
        request=shapes.NewEntrySerializer,
        examples=[OpenApiExample("By name", value={"name": "Elif Ristic"}, request_only=True)],
        responses={201: shapes.EntrySerializer, 200: UndoPreviewSerializer, **WRITE},
    )
    def post(self, request: Request, division: str) -> Response:
        """409 `already_entered` where he is in already."""
        found = access.division_as(request.user, division, Role.DIRECTOR)
        fields = validated(shapes.NewEntrySerializer, request)
        named = {"name": fields["name"], "player": fields.get("player", "")}
        if fields["preview"]:
            preview = lists.preview_late_name(division=found, now=timezone.now(), **named)
            return Response({"after": preview.seq, "divisions": parts_as_answer([late_view(preview)])})
        entry = lists.enter_name(division=found, by=by(request), now=timezone.now(), after=fields.get("after"), **named)
        return Response(shapes.EntrySerializer(entry).data, status=status.HTTP_201_CREATED)


class Paste(APIView):
    """Entering many at once."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="entries_paste",
        summary="Enter a list of names",
        description="With `preview` nothing is done. Whoever is in already is passed over: sending twice is harmless.",
        request=shapes.NameListSerializer,
        examples=[
            OpenApiExample(
                "A list", value={"names": ["Elif Ristic", "Omar Kageyama"], "preview": True}, request_only=True
            )
        ],
        responses={200: shapes.EnteredSerializer, **WRITE},
    )
    def post(self, request: Request, division: str) -> Response:
        """Who each name means, and who was entered."""
        found = access.division_as(request.user, division, Role.DIRECTOR)
        fields = validated(shapes.NameListSerializer, request)
        lines = lists.preview(division=found, names=fields["names"])
        made = lists.Entered([], [])
        if not fields["preview"]:
            choices = {int(place): who for place, who in fields.get("choices", {}).items() if place.isdecimal()}
            made = lists.enter_list(
                division=found,
                names=fields["names"],
                choices=choices,
                by=by(request),
                now=timezone.now(),
            )
        body = {"lines": [_line(line) for line in lines], "entries": made.entries, "left_out": made.left_out}
        return Response(shapes.EnteredSerializer(body).data)


def _line(line: lists.Line) -> dict[str, Any]:
    found = line.found
    return {
        "name": found.name,
        "what": line.what,
        "asks": line.asks,
        "player": found.player,
        "candidates": found.candidates,
    }


class Register(APIView):
    """Entering oneself."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="entries_register",
        summary="Enter myself",
        description="`status` of the answer is `waiting` where all places are taken.",
        request=None,
        responses={201: shapes.EntrySerializer, **WRITE},
    )
    def post(self, request: Request, division: str) -> Response:
        """409 `registration_closed` or `already_entered`."""
        found = access.division(request.user, division)
        player = ensure_player(user=me(request), by=by(request))
        entry = services.register(division=found, player=player, by=by(request), now=timezone.now())
        return Response(shapes.EntrySerializer(entry).data, status=status.HTTP_201_CREATED)


class OneEntry(APIView):
    """An entry."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(operation_id="entries_retrieve", summary="An entry", responses={200: shapes.EntrySerializer, **READ})
    def get(self, request: Request, entry: str) -> Response:
        """As everybody sees it."""
        return Response(shapes.EntrySerializer(access.entry(request.user, entry)).data)


class Withdraw(APIView):
    """Withdrawing an entry."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="entries_withdraw",
        summary="Withdraw an entry from the division, or its player from the whole event",
        description="For directors, and for the player himself.",
        request=shapes.WithdrawalSerializer,
        examples=example(scope="event", reason="I am ill."),
        responses={200: shapes.EntrySerializer, **WRITE},
    )
    def post(self, request: Request, entry: str) -> Response:
        """409 `not_entered` where it is out already."""
        found = access.entry_as(request.user, entry, Role.DIRECTOR)
        fields = validated(shapes.WithdrawalSerializer, request)
        what: dict[str, Any] = {"by": by(request), "now": timezone.now(), "reason": fields.get("reason", "")}
        if fields["scope"] == "event":
            services.withdraw_from_event(tournament=found.division.tournament, player=found.player, **what)
        else:
            services.withdraw(entry=found, **what)
        found.refresh_from_db()
        return Response(shapes.EntrySerializer(found).data)


class CheckIn(APIView):
    """Whether somebody is here."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="entries_check_in",
        summary="Check somebody in, or take it back",
        request=shapes.PresentSerializer,
        examples=example(present=True),
        responses={200: shapes.EntrySerializer, **WRITE},
    )
    def post(self, request: Request, entry: str) -> Response:
        """For assistants."""
        found = access.entry_as(request.user, entry, Role.ASSISTANT)
        require(request.user, found.division.tournament.club, Role.ASSISTANT)
        fields = validated(shapes.PresentSerializer, request)
        services.check_in(entry=found, present=fields["present"], by=by(request), now=timezone.now())
        return Response(shapes.EntrySerializer(found).data)


class Leave(APIView):
    """Withdrawing oneself from an event."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="tournaments_leave",
        summary="Withdraw myself from every division",
        request=shapes.ReasonSerializer,
        examples=example(reason="I am ill."),
        responses={204: None, **WRITE},
    )
    def post(self, request: Request, tournament: str) -> Response:
        """Harmless where one is not entered."""
        found = access.tournament_by_id(request.user, tournament)
        player = my_player(me(request))
        fields = validated(shapes.ReasonSerializer, request)
        services.withdraw_from_event(tournament=found, player=player, by=by(request), now=timezone.now(), **fields)
        return Response(status=status.HTTP_204_NO_CONTENT)
