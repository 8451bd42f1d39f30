"""The API of appointments: coming to one, and the calendar feed of an account."""

from typing import Any

from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import AllowAny, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.links import absolute_url
from matches.access import side_of
from matches.api_access import LINK, seat_of
from matches.lifecycle import arrivals
from matches.models import CalendarFeed
from matches.reporting import calendars
from matches.reporting.api.base import match_response
from matches.reporting.serializers import MatchSerializer
from matches.reporting.services import feeds
from players.accounts.api import me
from players.accounts.serializers import PROBLEM

TAP: dict[str, Any] = {
    "request": None,
    "parameters": [LINK],
    "responses": {200: MatchSerializer, 401: PROBLEM, 403: PROBLEM, 404: PROBLEM, 409: PROBLEM},
}


class CalendarFeedSerializer(serializers.Serializer[CalendarFeed]):
    """The secret URL of an account's calendar."""

    url = serializers.URLField(allow_null=True, help_text="Null: there is none.")


class Arrival(APIView):
    """Coming to an appointment."""

    permission_classes = (AllowAny,)

    @extend_schema(operation_id="matches_arrive", summary="Say that I am here for the appointment", **TAP)
    def post(self, request: Request, public_id: str) -> Response:
        """From 15 minutes before the time; saying it again changes nothing."""
        seat = seat_of(request, public_id)
        arrivals.arrive(match=seat.match, side=side_of(seat), by=seat.by, now=timezone.now())
        return match_response(request, seat)


class NoShow(APIView):
    """Claiming a match because the opponent has not come."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_claim_no_show",
        summary="Win by forfeit because the opponent did not come",
        description="`no_show_minutes` after the time, by whoever was there, where the division has `no_show_loses`.",
        **TAP,
    )
    def post(self, request: Request, public_id: str) -> Response:
        """The match with its result."""
        seat = seat_of(request, public_id)
        arrivals.claim_no_show(match=seat.match, side=side_of(seat), by=seat.by, now=timezone.now())
        return match_response(request, seat)


class MyCalendar(APIView):
    """The calendar feed of the signed-in user."""

    permission_classes = (IsAuthenticated,)

    def answer(self, code: int = status.HTTP_200_OK) -> Response:
        """The URL of the feed, if there is one."""
        row = CalendarFeed.objects.filter(user=me(self.request)).first()
        path = reverse("calendar-feed", args=[calendars.token_of(row)]) if row is not None else None
        return Response({"url": absolute_url(self.request, path) if path else None}, status=code)

    @extend_schema(
        operation_id="me_calendar",
        summary="The secret URL of my calendar",
        responses={200: CalendarFeedSerializer, 401: PROBLEM},
    )
    def get(self, request: Request) -> Response:
        """An iCalendar feed of my appointments and deadlines."""
        return self.answer()

    @extend_schema(
        operation_id="me_calendar_renew",
        summary="Make a secret URL for my calendar",
        description="An earlier one stops working.",
        request=None,
        responses={201: CalendarFeedSerializer, 401: PROBLEM},
    )
    def post(self, request: Request) -> Response:
        """201 with the URL."""
        feeds.renew(user=me(request), now=timezone.now())
        return self.answer(status.HTTP_201_CREATED)

    @extend_schema(
        operation_id="me_calendar_revoke",
        summary="Stop the secret URL of my calendar",
        responses={204: None, 401: PROBLEM},
    )
    def delete(self, request: Request) -> Response:
        """204, also if there was none."""
        feeds.revoke(user=me(request))
        return Response(status=status.HTTP_204_NO_CONTENT)
