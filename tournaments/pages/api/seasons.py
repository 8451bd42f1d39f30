"""API of the next season of a league."""

from typing import Any

from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.text_lengths import LONGEST_NAME
from players.access import Role
from tournaments import access
from tournaments.events import serializers as event_serializers
from tournaments.events.api.events import KEY, key_of
from tournaments.pages import services as seasons
from tournaments.state.api import READ, WRITE, by, example, validated


class SeasonSerializer(serializers.Serializer[Any]):
    """The event to create."""

    name = serializers.CharField(max_length=LONGEST_NAME)
    starts_at = serializers.DateTimeField()


class MovedPlayerSerializer(serializers.Serializer[Any]):
    """A player of a drafted division."""

    player = serializers.CharField(help_text="Public id.")
    name = serializers.CharField()
    before = serializers.CharField(help_text="Public id of the current division.")


class DraftedDivisionSerializer(serializers.Serializer[Any]):
    """A division of the next season, the highest first."""

    name = serializers.CharField()
    before = serializers.CharField(help_text="Public id of the division it follows.")
    players = MovedPlayerSerializer(many=True)


class NextSeason(APIView):
    """The preview of the next season, and its draft event."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="tournaments_season",
        summary="Preview promotion and relegation after a league",
        responses={200: DraftedDivisionSerializer(many=True), **READ},
    )
    def get(self, request: Request, tournament: str) -> Response:
        """Writes nothing. 409 `season_not_over`."""
        event = access.tournament_by_id(request.user, tournament, Role.DIRECTOR)
        drafted = seasons.preview_season(event)
        ids = [division.before.public_id for division in drafted]
        body = [
            {
                "name": division.before.name,
                "before": division.before.public_id,
                "players": [
                    {"player": player.public_id, "name": player.name, "before": ids[before]}
                    for player, before in division.players
                ],
            }
            for division in drafted
        ]
        return Response(DraftedDivisionSerializer(body, many=True).data)

    @extend_schema(
        operation_id="tournaments_draft_season",
        summary="Draft the next season of a league",
        parameters=[KEY],
        request=SeasonSerializer,
        examples=example(name="Monday League, spring", starts_at="2027-01-11T19:00:00+01:00"),
        responses={201: event_serializers.EventSerializer, **WRITE},
    )
    def post(self, request: Request, tournament: str) -> Response:
        """Creates a draft event with the same divisions. 409 `season_not_over`."""
        event = access.tournament_by_id(request.user, tournament, Role.DIRECTOR)
        fields = validated(SeasonSerializer, request)
        season = seasons.draft_next_season(
            tournament=event, by=by(request), now=timezone.now(), key=key_of(request), **fields
        )
        here = request.build_absolute_uri(reverse("api-tournament", args=[season.public_id]))
        return Response(
            event_serializers.EventSerializer(season).data, status=status.HTTP_201_CREATED, headers={"Location": here}
        )
