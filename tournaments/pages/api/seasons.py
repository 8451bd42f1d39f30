"""The next season of a league, for programs."""

from typing import Any

from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from players.access import Role
from tournaments import access
from tournaments.events.api.events import KEY, key_of
from tournaments.models.events import LONGEST_NAME
from tournaments.pages import services as seasons
from tournaments.state import serializers as shapes
from tournaments.state.api import READ, WRITE, by, example, validated


class SeasonSerializer(serializers.Serializer[Any]):
    """The event to be made."""

    name = serializers.CharField(max_length=LONGEST_NAME)
    starts_at = serializers.DateTimeField()


class MovedPlayerSerializer(serializers.Serializer[Any]):
    """A player of a division to come."""

    player = serializers.CharField(help_text="Public id.")
    name = serializers.CharField()
    before = serializers.CharField(help_text="Public id of the division played in now.")


class DraftedDivisionSerializer(serializers.Serializer[Any]):
    """A division of the season to come, the highest first."""

    name = serializers.CharField()
    before = serializers.CharField(help_text="Public id of the division it follows.")
    players = MovedPlayerSerializer(many=True)


class NextSeason(APIView):
    """Who would play where, and the draft of it."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="tournaments_season",
        summary="Who goes up and down after a league",
        responses={200: DraftedDivisionSerializer(many=True), **READ},
    )
    def get(self, request: Request, tournament: str) -> Response:
        """Nothing is written. 409 `season_not_over`."""
        found = access.tournament_by_id(request.user, tournament, Role.DIRECTOR)
        drafted = seasons.foresee_season(found)
        ids = [one.before.public_id for one in drafted]
        body = [
            {
                "name": one.before.name,
                "before": one.before.public_id,
                "players": [
                    {"player": player.public_id, "name": player.name, "before": ids[before]}
                    for player, before in one.players
                ],
            }
            for one in drafted
        ]
        return Response(DraftedDivisionSerializer(body, many=True).data)

    @extend_schema(
        operation_id="tournaments_draft_season",
        summary="Draft the next season of a league",
        parameters=[KEY],
        request=SeasonSerializer,
        examples=example(name="Monday League, spring", starts_at="2027-01-11T19:00:00+01:00"),
        responses={201: shapes.EventSerializer, **WRITE},
    )
    def post(self, request: Request, tournament: str) -> Response:
        """A draft event with the same divisions. 409 `season_not_over`."""
        found = access.tournament_by_id(request.user, tournament, Role.DIRECTOR)
        fields = validated(SeasonSerializer, request)
        made = seasons.draft_next_season(
            tournament=found, by=by(request), now=timezone.now(), key=key_of(request), **fields
        )
        here = request.build_absolute_uri(reverse("api-tournament", args=[made.public_id]))
        return Response(shapes.EventSerializer(made).data, status=status.HTTP_201_CREATED, headers={"Location": here})
