"""Events, for programs."""

from typing import Any

from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import generics, status
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from players import access as people
from players.access import Role
from tournaments import access
from tournaments.events.selectors import events as selectors
from tournaments.events.services import events as services
from tournaments.models import Tournament
from tournaments.state import log
from tournaments.state import serializers as shapes
from tournaments.state.api import READ, WRITE, by, example, validated

KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="Up to 100 characters. The same key from the same account gives what the first request made.",
)
LONGEST_KEY = 100
EXAMPLE = OpenApiExample(
    "A club night",
    value={"club": "harbour", "name": "Club Open 2026", "starts_at": "2026-11-20T18:00:00+01:00", "venue": "Café"},
    request_only=True,
)


def key_of(request: Request) -> str:
    """The Idempotency-Key, cut to what is kept."""
    return request.headers.get("Idempotency-Key", "")[:LONGEST_KEY]


class Events(generics.ListAPIView[Tournament]):
    """Events of all clubs."""

    permission_classes = (IsAuthenticatedOrReadOnly,)
    serializer_class = shapes.EventSerializer
    filter_backends = ()

    def get_queryset(self) -> Any:
        """The newest first."""
        query = self.request.query_params
        found = selectors.listed(self.request.user, query.get("club", ""), query.get("status", ""))
        return found.order_by("-starts_at", "-pk")

    @extend_schema(
        operation_id="tournaments_list",
        summary="Find events",
        parameters=[
            OpenApiParameter("club", str, description="A club's slug."),
            OpenApiParameter("status", str, enum=Tournament.Status.values),
        ],
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """A page of them; drafts only for those who help to run them."""
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="tournaments_create",
        summary="Make an event",
        description="For directors of the club. It is a draft until it is published.",
        parameters=[KEY],
        request=shapes.NewEventSerializer,
        examples=[EXAMPLE],
        responses={201: shapes.EventSerializer, **WRITE},
    )
    def post(self, request: Request) -> Response:
        """201 and its address."""
        fields = validated(shapes.NewEventSerializer, request)
        club = people.club_for_director(request.user, fields.pop("club"))
        made = services.create_tournament(club=club, by=by(request), now=timezone.now(), key=key_of(request), **fields)
        here = request.build_absolute_uri(reverse("api-tournament", args=[made.public_id]))
        return Response(shapes.EventSerializer(made).data, status=status.HTTP_201_CREATED, headers={"Location": here})


class OneEvent(APIView):
    """An event."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="tournaments_retrieve", summary="An event", responses={200: shapes.EventSerializer, **READ}
    )
    def get(self, request: Request, tournament: str) -> Response:
        """As everybody sees it."""
        return Response(shapes.EventSerializer(access.tournament_by_id(request.user, tournament)).data)

    @extend_schema(
        operation_id="tournaments_update",
        summary="Change what is told of an event",
        request=shapes.EventFieldsSerializer,
        examples=example(venue="Café Central"),
        responses={200: shapes.EventSerializer, **WRITE},
    )
    def patch(self, request: Request, tournament: str) -> Response:
        """What is not named stays as it is."""
        found = access.tournament_by_id(request.user, tournament, Role.DIRECTOR)
        fields = validated(shapes.EventFieldsSerializer, request, partial=True)
        changed = services.update_tournament(tournament=found, by=by(request), now=timezone.now(), **fields)
        return Response(shapes.EventSerializer(changed).data)


class Publish(APIView):
    """Showing an event to everybody."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="tournaments_publish",
        summary="Publish an event",
        request=None,
        responses={200: shapes.EventSerializer, **WRITE},
    )
    def post(self, request: Request, tournament: str) -> Response:
        """409 `tournament_not_draft` where it is published already."""
        found = access.tournament_by_id(request.user, tournament, Role.DIRECTOR)
        changed = services.publish_tournament(tournament=found, by=by(request), now=timezone.now())
        return Response(shapes.EventSerializer(changed).data)


class Cancel(APIView):
    """Calling an event off."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="tournaments_cancel",
        summary="Call an event off",
        description="Nothing is deleted; open matches become void.",
        request=shapes.ReasonSerializer,
        examples=example(reason="The café is closed."),
        responses={200: shapes.EventSerializer, **WRITE},
    )
    def post(self, request: Request, tournament: str) -> Response:
        """It cannot be taken back."""
        found = access.tournament_by_id(request.user, tournament, Role.DIRECTOR)
        fields = validated(shapes.ReasonSerializer, request)
        changed = services.cancel_tournament(tournament=found, by=by(request), now=timezone.now(), **fields)
        return Response(shapes.EventSerializer(changed).data)


class Log(generics.GenericAPIView[Any]):
    """Who did what, when, from what to what."""

    permission_classes = (IsAuthenticatedOrReadOnly,)
    serializer_class = shapes.LogSerializer
    filter_backends = ()

    @extend_schema(
        operation_id="tournaments_log",
        summary="The log of an event",
        description="For those who run it; the newest first.",
        parameters=[
            OpenApiParameter("kind", str, enum=list(log.KINDS)),
            OpenApiParameter("page", int),
            OpenApiParameter("page_size", int),
        ],
        responses={200: shapes.LogSerializer(many=True), 401: WRITE[401], 403: WRITE[403], **READ},
    )
    def get(self, request: Request, tournament: str) -> Response:
        """A page of it."""
        found = access.tournament_by_id(request.user, tournament, Role.ASSISTANT)
        rows = log.of_kind(log.entries_of(found), request.query_params.get("kind", ""))
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(shapes.LogSerializer(log.log_lines(page or [], found), many=True).data)
