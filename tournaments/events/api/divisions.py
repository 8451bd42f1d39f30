"""API: divisions and their settings."""

from django.urls import reverse
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from players.access import Role
from tournaments.events.api.base import DivisionView, TournamentView
from tournaments.events.api.events import KEY, key_of
from tournaments.events.serializers import (
    ChangedDivisionSerializer,
    DeadlinesSerializer,
    DivisionFieldsSerializer,
    DivisionSerializer,
)
from tournaments.events.services import deadlines, events
from tournaments.models import Division
from tournaments.state.api import AFTER, READ, WRITE, read_after, validated, with_etag


def division_response(division: Division, code: int = status.HTTP_200_OK, **headers: str) -> Response:
    """Return a division with its ETag."""
    return with_etag(DivisionSerializer(division).data, division.seq, code, **headers)


class Divisions(TournamentView):
    """The divisions of an event."""

    @extend_schema(
        operation_id="divisions_list",
        summary="List the divisions of an event",
        responses={200: DivisionSerializer(many=True), **READ},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """All divisions, without pages."""
        rows = self.get_tournament().divisions.select_related("tournament").prefetch_related("stages")
        return Response(DivisionSerializer(rows, many=True).data)

    @extend_schema(
        operation_id="divisions_create",
        summary="Add a division",
        parameters=[KEY],
        request=DivisionFieldsSerializer,
        examples=[
            OpenApiExample("Knockout", value={"name": "Open", "round_lengths": [5, 5, 7, 9, 11]}, request_only=True)
        ],
        responses={201: DivisionSerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """201 with the URL of the division."""
        tournament = self.get_tournament(Role.DIRECTOR)
        fields = validated(DivisionFieldsSerializer, request)
        division = events.create_division(tournament=tournament, key=key_of(request), **self.acting(), **fields)
        url = request.build_absolute_uri(reverse("api-division", args=[division.public_id]))
        return division_response(division, status.HTTP_201_CREATED, Location=url)


class OneDivision(DivisionView):
    """A division."""

    @extend_schema(
        operation_id="divisions_retrieve", summary="Get a division", responses={200: DivisionSerializer, **READ}
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """Its settings; its `seq` is the ETag."""
        return division_response(self.get_division())

    @extend_schema(
        operation_id="divisions_update",
        summary="Change the settings of a division",
        description="After the draw only name, fee, deadline rule and waiting times (else `division_drawn`).",
        parameters=[AFTER],
        request=ChangedDivisionSerializer,
        examples=[OpenApiExample("Longer final", value={"round_lengths": [5, 7, 11], "after": 3}, request_only=True)],
        responses={200: DivisionSerializer, **WRITE},
    )
    def patch(self, request: Request, **kwargs: str) -> Response:
        """Missing fields stay as they are."""
        division = self.get_division(Role.DIRECTOR)
        fields = validated(ChangedDivisionSerializer, request, partial=True)
        after = read_after(request, fields)
        return division_response(events.update_division(division=division, after=after or 0, **self.acting(), **fields))


class Deadlines(DivisionView):
    """The deadlines of a division's rounds."""

    @extend_schema(
        operation_id="divisions_deadlines",
        summary="Set the deadlines of all rounds",
        description="Open matches of a round get its deadline, except those that were extended.",
        parameters=[AFTER],
        request=DeadlinesSerializer,
        examples=[
            OpenApiExample(
                "A week each",
                value={"deadlines": ["2026-11-27T20:00:00+01:00", "2026-12-04T20:00:00+01:00"], "after": 4},
                request_only=True,
            )
        ],
        responses={200: DivisionSerializer, **WRITE},
    )
    def put(self, request: Request, **kwargs: str) -> Response:
        """Replaces all deadlines at once."""
        division = self.get_division(Role.DIRECTOR)
        fields = validated(DeadlinesSerializer, request)
        after = read_after(request, fields)
        return division_response(
            deadlines.set_deadlines(division=division, after=after or 0, **self.acting(), **fields)
        )
