"""API of the summary of an event."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from matches.analysis.api import NightSerializer
from tournaments.events.api.base import TournamentView
from tournaments.pages.selectors.summary import event_night, event_summary
from tournaments.prizes.api.serializers import PrizeLineSerializer
from tournaments.state.api import READ


class SummaryPlaceSerializer(serializers.Serializer[Any]):
    """A place of a bracket."""

    place = serializers.CharField(help_text="Such as 1 or 3–4.")
    names = serializers.ListField(child=serializers.CharField())


class SummaryBracketSerializer(serializers.Serializer[Any]):
    """The best places of a bracket or table."""

    key = serializers.CharField()
    title = serializers.CharField()
    is_over = serializers.BooleanField()
    places = SummaryPlaceSerializer(many=True)


class SummaryDivisionSerializer(serializers.Serializer[Any]):
    """A division with its winners and its published prizes."""

    division = serializers.CharField(source="division.public_id")
    name = serializers.CharField(source="division.name")
    entries = serializers.IntegerField()
    champion = serializers.CharField(allow_blank=True)
    brackets = SummaryBracketSerializer(many=True)
    prizes = serializers.SerializerMethodField()

    def get_prizes(self, row: Any) -> list[dict[str, Any]]:
        """Return the published prizes; empty before."""
        if row.prizes is None:
            return []
        lines = [line for section in row.prizes.sections for line in section.lines]
        return [dict(PrizeLineSerializer(line).data) for line in lines]


class SummaryFiguresSerializer(serializers.Serializer[Any]):
    """How large the event was."""

    players = serializers.IntegerField(source="figures.players", help_text="Different players, those who left too.")
    entries = serializers.IntegerField(source="figures.entries", help_text="Of all divisions, re-entries included.")
    matches = serializers.IntegerField(
        source="figures.matches.total",
        allow_null=True,
        help_text="All matches, walkovers and forfeits included; null while their number depends on results.",
    )
    played = serializers.IntegerField(source="figures.matches.played", help_text="Without walkovers and forfeits.")
    walkovers = serializers.IntegerField(source="figures.matches.walkovers", help_text="Walkovers and forfeits.")
    points = serializers.IntegerField(help_text="Of both sides of every score.")


class SummaryUpsetSerializer(serializers.Serializer[Any]):
    """A win of the player with the lower rating."""

    match = serializers.CharField()
    winner = serializers.CharField()
    loser = serializers.CharField()
    score = serializers.CharField(allow_blank=True)
    winner_rating = serializers.FloatField()
    loser_rating = serializers.FloatField()


class SummaryRatingSerializer(serializers.Serializer[Any]):
    """A player's rating before and after the event."""

    player = serializers.CharField()
    name = serializers.CharField()
    before = serializers.FloatField()
    after = serializers.FloatField()
    matches = serializers.IntegerField()


class EventSummarySerializer(serializers.Serializer[Any]):
    """The summary of an event."""

    tournament = serializers.CharField(source="tournament.public_id")
    name = serializers.CharField(source="tournament.name")
    currency = serializers.CharField(source="tournament.currency")
    divisions = SummaryDivisionSerializer(many=True)
    figures = SummaryFiguresSerializer(source="*")
    upsets = SummaryUpsetSerializer(many=True)
    ratings = SummaryRatingSerializer(many=True)


class Summary(TournamentView):
    """The summary of an event."""

    @extend_schema(
        operation_id="tournaments_report",
        summary="Get the summary of an event",
        description="Winners of each bracket, published prizes, figures, upsets by rating and rating changes.",
        responses={200: EventSummarySerializer, **READ},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """The summary as it is now; it is complete once the event is finished."""
        return Response(EventSummarySerializer(event_summary(request.user, self.get_tournament())).data)


class EventAnalysis(TournamentView):
    """How well an event was played."""

    @extend_schema(
        operation_id="tournaments_analysis",
        summary="How well an event was played",
        description=(
            "Only matches that the reader may see, and only players who share how they play with the reader. "
            "The players as CSV: `/events/<club>/<event>/analysis.csv`."
        ),
        responses={200: NightSerializer, **READ},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """Return what is analysed by now."""
        return Response(NightSerializer(event_night(request.user, self.get_tournament())).data)
