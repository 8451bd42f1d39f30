"""API: events."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import generics, status
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response

from core.text_lengths import LONGEST_KEY
from players import access as people
from players.access import Role
from tournaments.events.api.base import PublicView, TournamentView
from tournaments.events.selectors import events as selectors
from tournaments.events.serializers import EventFieldsSerializer, EventSerializer, LogSerializer, NewEventSerializer
from tournaments.events.services import events as services
from tournaments.models import Tournament
from tournaments.state import log
from tournaments.state.api import READ, WRITE, example, validated
from tournaments.state.serializers import ReasonSerializer

KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="Up to 100 characters. Repeating a key from the same account returns what the first request created.",
)
EXAMPLE = OpenApiExample(
    "A club night",
    value={"club": "harbour", "name": "Club Open 2026", "starts_at": "2026-11-20T18:00:00+01:00", "venue": "Café"},
    request_only=True,
)


def key_of(request: Request) -> str:
    """Return the Idempotency-Key, cut to the stored length."""
    return request.headers.get("Idempotency-Key", "")[:LONGEST_KEY]


class Events(PublicView, generics.ListAPIView[Tournament]):
    """Events of all clubs."""

    permission_classes = (IsAuthenticatedOrReadOnly,)
    serializer_class = EventSerializer
    filter_backends = ()

    def get_queryset(self) -> Any:
        """Return visible events, newest first."""
        query = self.request.query_params
        events = selectors.listed(self.request.user, query.get("club", ""), query.get("status", ""))
        return events.order_by("-starts_at", "-pk")

    @extend_schema(
        operation_id="tournaments_list",
        summary="List events",
        parameters=[
            OpenApiParameter("club", str, description="A club's slug."),
            OpenApiParameter("status", str, enum=Tournament.Status.values),
        ],
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """One page of events; drafts only for the staff of their club."""
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="tournaments_create",
        summary="Create an event",
        description="For directors of the club. The event is a draft until it is published.",
        parameters=[KEY],
        request=NewEventSerializer,
        examples=[EXAMPLE],
        responses={201: EventSerializer, **WRITE},
    )
    def post(self, request: Request) -> Response:
        """201 with the URL of the event."""
        fields = validated(NewEventSerializer, request)
        club = people.club_for_director(request.user, fields.pop("club"))
        event = services.create_tournament(club=club, key=key_of(request), **self.acting(), **fields)
        url = request.build_absolute_uri(reverse("api-tournament", args=[event.public_id]))
        return Response(EventSerializer(event).data, status=status.HTTP_201_CREATED, headers={"Location": url})


class OneEvent(TournamentView):
    """An event."""

    @extend_schema(
        operation_id="tournaments_retrieve", summary="Get an event", responses={200: EventSerializer, **READ}
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """The event as shown to everybody."""
        return Response(EventSerializer(self.get_tournament()).data)

    @extend_schema(
        operation_id="tournaments_update",
        summary="Change the settings of an event",
        request=EventFieldsSerializer,
        examples=example(venue="Café Central"),
        responses={200: EventSerializer, **WRITE},
    )
    def patch(self, request: Request, **kwargs: str) -> Response:
        """Missing fields stay as they are."""
        tournament = self.get_tournament(Role.DIRECTOR)
        fields = validated(EventFieldsSerializer, request, partial=True)
        return Response(
            EventSerializer(services.update_tournament(tournament=tournament, **self.acting(), **fields)).data
        )


class Publish(TournamentView):
    """Publishing an event."""

    @extend_schema(
        operation_id="tournaments_publish",
        summary="Publish an event",
        request=None,
        responses={200: EventSerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """409 `tournament_not_draft` if it is already published."""
        tournament = self.get_tournament(Role.DIRECTOR)
        return Response(EventSerializer(services.publish_tournament(tournament=tournament, **self.acting())).data)


class Cancel(TournamentView):
    """Cancelling an event."""

    @extend_schema(
        operation_id="tournaments_cancel",
        summary="Cancel an event",
        description="Nothing is deleted; open matches become void.",
        request=ReasonSerializer,
        examples=example(reason="The café is closed."),
        responses={200: EventSerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """This cannot be undone."""
        tournament = self.get_tournament(Role.DIRECTOR)
        fields = validated(ReasonSerializer, request)
        return Response(
            EventSerializer(services.cancel_tournament(tournament=tournament, **self.acting(), **fields)).data
        )


class Log(TournamentView, generics.GenericAPIView[Any]):
    """The log of an event: who changed what, and when."""

    permission_classes = (IsAuthenticatedOrReadOnly,)
    serializer_class = LogSerializer
    filter_backends = ()

    @extend_schema(
        operation_id="tournaments_log",
        summary="Get the log of an event",
        description="For the staff of the club; newest first. Who is kept apart and money: for directors only.",
        parameters=[
            OpenApiParameter("kind", str, enum=list(log.KINDS)),
        ],
        responses={200: LogSerializer(many=True), 401: WRITE[401], 403: WRITE[403], **READ},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """One page of the log."""
        tournament = self.get_tournament(Role.ASSISTANT)
        directs = people.is_at_least(people.role_in(request.user, tournament.club), Role.DIRECTOR)
        rows = log.of_kind(log.entries_of(tournament, directs=directs), request.query_params.get("kind", ""))
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(LogSerializer(log.log_lines(page or [], tournament), many=True).data)
