"""Reading seasons through the API; what directors change is in `actions`."""

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response

from core.api import APIView
from players import access
from tournaments.models import Series
from tournaments.seasons.actions import SeriesSerializer, SeriesSummarySerializer, season_data, series_by_id
from tournaments.state.api import READ


class Seasons(APIView):
    """The seasons of a club."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="clubs_seasons",
        summary="List the seasons of a club",
        responses={200: SeriesSummarySerializer(many=True), **READ},
    )
    def get(self, request: Request, slug: str) -> Response:
        """The newest first."""
        rows = Series.objects.filter(club=access.club(slug))
        return Response(SeriesSummarySerializer(rows, many=True).data)


class OneSeason(APIView):
    """A season."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="seasons_retrieve",
        summary="Get the table of a season",
        responses={200: SeriesSerializer, **READ},
    )
    def get(self, request: Request, series: str) -> Response:
        """With its plan. Once a season is closed, this is the table that was announced."""
        return Response(SeriesSerializer(season_data(request.user, series_by_id(series))).data)
