"""Divisions and their settings, for programs."""

from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import status
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from players.access import Role
from tournaments import access
from tournaments.events.api.events import KEY, key_of
from tournaments.events.services import deadlines, events
from tournaments.models import Division
from tournaments.state import serializers as shapes
from tournaments.state.api import AFTER, READ, WRITE, by, read_after, validated, with_etag


def answer(division: Division, code: int = status.HTTP_200_OK, **headers: str) -> Response:
    """A division with its ETag."""
    return with_etag(shapes.DivisionSerializer(division).data, division.seq, code, **headers)


class Divisions(APIView):
    """The divisions of an event."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="divisions_list",
        summary="The divisions of an event",
        responses={200: shapes.DivisionSerializer(many=True), **READ},
    )
    def get(self, request: Request, tournament: str) -> Response:
        """All of them; an event has a handful."""
        found = access.tournament_by_id(request.user, tournament)
        rows = found.divisions.select_related("tournament").prefetch_related("stages")
        return Response(shapes.DivisionSerializer(rows, many=True).data)

    @extend_schema(
        operation_id="divisions_create",
        summary="Add a division",
        parameters=[KEY],
        request=shapes.DivisionFieldsSerializer,
        examples=[
            OpenApiExample("Knockout", value={"name": "Open", "round_lengths": [5, 5, 7, 9, 11]}, request_only=True)
        ],
        responses={201: shapes.DivisionSerializer, **WRITE},
    )
    def post(self, request: Request, tournament: str) -> Response:
        """201 and its address."""
        found = access.tournament_by_id(request.user, tournament, Role.DIRECTOR)
        fields = validated(shapes.DivisionFieldsSerializer, request)
        made = events.create_division(
            tournament=found, by=by(request), now=timezone.now(), key=key_of(request), **fields
        )
        here = request.build_absolute_uri(reverse("api-division", args=[made.public_id]))
        return answer(made, status.HTTP_201_CREATED, Location=here)


class OneDivision(APIView):
    """A division."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="divisions_retrieve", summary="A division", responses={200: shapes.DivisionSerializer, **READ}
    )
    def get(self, request: Request, division: str) -> Response:
        """Its settings; its `seq` is the ETag."""
        return answer(access.division(request.user, division))

    @extend_schema(
        operation_id="divisions_update",
        summary="Change settings",
        description="After the draw only name, fee, deadline rule and waiting times (else `division_drawn`).",
        parameters=[AFTER],
        request=shapes.ChangedDivisionSerializer,
        examples=[OpenApiExample("Longer final", value={"round_lengths": [5, 7, 11], "after": 3}, request_only=True)],
        responses={200: shapes.DivisionSerializer, **WRITE},
    )
    def patch(self, request: Request, division: str) -> Response:
        """What is not named stays as it is."""
        found = access.division_as(request.user, division, Role.DIRECTOR)
        fields = validated(shapes.ChangedDivisionSerializer, request, partial=True)
        after = read_after(request, fields)
        changed = events.update_division(division=found, after=after or 0, by=by(request), now=timezone.now(), **fields)
        return answer(changed)


class Deadlines(APIView):
    """When the rounds of a division end."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="divisions_deadlines",
        summary="Set the deadlines of all rounds",
        description="Open matches of a round move with it, save those that were extended on their own.",
        parameters=[AFTER],
        request=shapes.DeadlinesSerializer,
        examples=[
            OpenApiExample(
                "A week each",
                value={"deadlines": ["2026-11-27T20:00:00+01:00", "2026-12-04T20:00:00+01:00"], "after": 4},
                request_only=True,
            )
        ],
        responses={200: shapes.DivisionSerializer, **WRITE},
    )
    def put(self, request: Request, division: str) -> Response:
        """All of them at once."""
        found = access.division_as(request.user, division, Role.DIRECTOR)
        fields = validated(shapes.DeadlinesSerializer, request)
        after = read_after(request, fields)
        return answer(
            deadlines.set_deadlines(division=found, after=after or 0, by=by(request), now=timezone.now(), **fields)
        )
