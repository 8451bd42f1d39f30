"""API of the report of an event."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from matches.analysis.serializers import NightSerializer
from tournaments.events.api.base import TournamentView
from tournaments.pages.selectors.report import event_night, event_report
from tournaments.prizes.api.serializers import PrizeLineSerializer
from tournaments.state.api import READ


class ReportPlaceSerializer(serializers.Serializer[Any]):
    """A place of a bracket."""

    place = serializers.CharField(help_text="Such as 1 or 3–4.")
    names = serializers.ListField(child=serializers.CharField())


class ReportBracketSerializer(serializers.Serializer[Any]):
    """The best places of a bracket or table."""

    key = serializers.CharField()
    title = serializers.CharField()
    is_over = serializers.BooleanField()
    places = ReportPlaceSerializer(many=True)


class ReportDivisionSerializer(serializers.Serializer[Any]):
    """A division with its winners and its published prizes."""

    division = serializers.CharField(source="division.public_id")
    name = serializers.CharField(source="division.name")
    entries = serializers.IntegerField()
    champion = serializers.CharField(allow_blank=True)
    brackets = ReportBracketSerializer(many=True)
    prizes = serializers.SerializerMethodField()

    def get_prizes(self, row: Any) -> list[dict[str, Any]]:
        """Return the published prizes; empty before."""
        if row.prizes is None:
            return []
        lines = [line for section in row.prizes.sections for line in section.lines]
        return [dict(PrizeLineSerializer(line).data) for line in lines]


class ReportFiguresSerializer(serializers.Serializer[Any]):
    """How large the event was."""

    players = serializers.IntegerField()
    entries = serializers.IntegerField()
    matches = serializers.IntegerField(help_text="Without walkovers and forfeits.")
    walkovers = serializers.IntegerField()
    points = serializers.IntegerField(help_text="Of both sides of every score.")


class ReportUpsetSerializer(serializers.Serializer[Any]):
    """A win of the player with the lower rating."""

    match = serializers.CharField()
    winner = serializers.CharField()
    loser = serializers.CharField()
    score = serializers.CharField(allow_blank=True)
    winner_rating = serializers.FloatField()
    loser_rating = serializers.FloatField()


class ReportRatingSerializer(serializers.Serializer[Any]):
    """A player's rating before and after the event."""

    player = serializers.CharField()
    name = serializers.CharField()
    before = serializers.FloatField()
    after = serializers.FloatField()
    matches = serializers.IntegerField()


class EventReportSerializer(serializers.Serializer[Any]):
    """The report of an event."""

    tournament = serializers.CharField(source="tournament.public_id")
    name = serializers.CharField(source="tournament.name")
    currency = serializers.CharField(source="tournament.currency")
    divisions = ReportDivisionSerializer(many=True)
    figures = ReportFiguresSerializer()
    upsets = ReportUpsetSerializer(many=True)
    ratings = ReportRatingSerializer(many=True)


class Report(TournamentView):
    """The report of an event."""

    @extend_schema(
        operation_id="tournaments_report",
        summary="Get the report of an event",
        description="Winners of each bracket, published prizes, figures, upsets by rating and rating changes.",
        responses={200: EventReportSerializer, **READ},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """The report as it is now; it is complete once the event is finished."""
        return Response(EventReportSerializer(event_report(request.user, self.get_tournament())).data)


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
