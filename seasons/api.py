"""Reading seasons through the API; what directors change is in `actions`."""

from typing import Any
from zoneinfo import ZoneInfo

from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.access import Who, open_to
from core.api import APIView
from formats.series.numbers import written
from formats.series.outlook import Range
from players import access
from players.access import Visitor
from seasons.actions import SeriesSerializer, SeriesSummarySerializer, season_data, series_by_id
from seasons.chances import FIRST, Race, RaceStep, Requirement, answer_of, bounds_of, race_of
from seasons.changes import qualifying_places
from seasons.season_views import find_view
from seasons.tables import closing_of, names_of_table, season_table, table_of
from tournaments.models import Series
from tournaments.state.api import READ


@open_to(get=Who.EVERYBODY)
class Seasons(APIView):
    @extend_schema(
        operation_id="clubs_seasons",
        summary="List the seasons of a club",
        responses={200: SeriesSummarySerializer(many=True), **READ},
    )
    def get(self, request: Request, slug: str) -> Response:
        """The newest first."""
        rows = Series.objects.filter(club=access.club(slug))
        return Response(SeriesSummarySerializer(rows, many=True).data)


@open_to(get=Who.EVERYBODY)
class OneSeason(APIView):
    @extend_schema(
        operation_id="seasons_retrieve",
        summary="Get the table of a season",
        parameters=[OpenApiParameter("view", str, description="Public id of one of its views, whose rows are ranked.")],
        responses={200: SeriesSerializer, **READ},
    )
    def get(self, request: Request, series: str) -> Response:
        """With its plan. Once a season is closed, this is the table that was announced."""
        row = series_by_id(series)
        view = find_view(row, request.query_params.get("view"))
        return Response(SeriesSerializer(season_data(request.user, row, view)).data)


class RanksSerializer(serializers.Serializer[Any]):
    """The ranks that are still possible. One that is not exact is a bound that is proven."""

    best = serializers.IntegerField(allow_null=True, help_text="Null: no rank.")
    worst = serializers.IntegerField(allow_null=True, help_text="Null: no rank.")
    best_is_exact = serializers.BooleanField()
    worst_is_exact = serializers.BooleanField()


class RacingPlayerSerializer(serializers.Serializer[Any]):
    """A player of the table, with what is still possible."""

    player = serializers.CharField(help_text="Public id.")
    name = serializers.CharField()
    total = serializers.CharField(help_text="Exact: 12, 25/2 or nine decimals.")
    can_reach = serializers.CharField(help_text="With the best result in every evening left.")
    ranks = RanksSerializer()


class RaceSerializer(serializers.Serializer[Any]):
    """What is still open in a season; without evenings to come there are no players."""

    evenings = serializers.ListField(child=serializers.CharField(), help_text="Public ids of those to come.")
    points_of = serializers.CharField(
        allow_null=True, help_text="Public id of the evening whose points stand for those to come."
    )
    all_endings_tried = serializers.BooleanField(
        help_text="Whether every way in which the last evening can end was tried, instead of taking its points."
    )
    final_places = serializers.IntegerField(help_text="How many ranks qualify for a final; 0 without one.")
    players = RacingPlayerSerializer(many=True)


class StepSerializer(serializers.Serializer[Any]):
    """A result of the next evening."""

    place = serializers.IntegerField(help_text="One of so many best results.")
    points = serializers.CharField()
    total = serializers.CharField(help_text="The player's total with it.")


class AnswerSerializer(serializers.Serializer[Any]):
    """What it would take to end at a rank or better; null: not decided yet, or none."""

    rank = serializers.IntegerField()
    secured = serializers.BooleanField(allow_null=True, help_text="Whatever tie rules say.")
    secured_before_tie_rules = serializers.BooleanField(allow_null=True)
    can_still = serializers.BooleanField(allow_null=True)
    ranks = RanksSerializer()
    enough = StepSerializer(allow_null=True, help_text="The least that settles it whatever the others do.")
    possible = StepSerializer(allow_null=True, help_text="The least with which it is still possible.")
    possible_if_absent = serializers.BooleanField(allow_null=True)
    wins_enough = serializers.IntegerField(
        allow_null=True, help_text="So many next matches won in a row settle it, of an evening that is being played."
    )
    possible_after_a_loss = serializers.BooleanField(allow_null=True)
    more_events = serializers.IntegerField(help_text="Evenings missing for a rank.")


def _race(series: Series) -> Race | None:
    """Return what is open in a season; None once it is closed or over."""
    if closing_of(series) is not None:
        return None
    return race_of(season_table(series), timezone.localdate(timezone=ZoneInfo(series.club.time_zone)))


def _ranks(ranks: Range) -> dict[str, Any]:
    return {
        "best": ranks.best, "worst": ranks.worst,
        "best_is_exact": ranks.best_is_exact, "worst_is_exact": ranks.worst_is_exact,
    }  # fmt: skip


def _step(step: RaceStep | None) -> dict[str, Any] | None:
    if step is None:
        return None
    return {"place": step.place, "points": written(step.points), "total": written(step.total)}


def _answer(answer: Requirement) -> dict[str, Any]:
    return {
        "rank": answer.rank, "secured": answer.secured, "secured_before_tie_rules": answer.level_secured,
        "can_still": answer.can_still, "ranks": _ranks(answer.ranks), "enough": _step(answer.enough),
        "possible": _step(answer.possible), "possible_if_absent": answer.if_absent,
        "wins_enough": answer.enough_wins, "possible_after_a_loss": answer.lost_is_possible,
        "more_events": answer.more_events,
    }  # fmt: skip


def race_data(user: Visitor, series: Series) -> dict[str, Any]:
    """Return what is open in a season as the API shows it to a reader."""
    race = _race(series)
    if race is None:
        return {"evenings": [], "points_of": None, "all_endings_tried": False, "final_places": 0, "players": []}
    names, bounds = names_of_table(user, series.club, table_of(race.standing)), bounds_of(race)
    return {
        "evenings": [night.event.public_id for night in race.nights],
        "points_of": race.model.facts.id,
        "all_endings_tried": bool(race.endings),
        "final_places": qualifying_places(race.standing.plan),
        "players": [
            {
                "player": row.player, "name": names.get(row.player, ""), "total": written(row.total),
                "can_reach": written(race.can_reach(row.player)), "ranks": _ranks(bounds[row.player]),
            }
            for row in race.standing.season.rows
        ],
    }  # fmt: skip


@open_to(get=Who.EVERYBODY)
class SeasonRace(APIView):
    @extend_schema(
        operation_id="seasons_race",
        summary="Get who can still win a season",
        responses={200: RaceSerializer, **READ},
    )
    def get(self, request: Request, series: str) -> Response:
        """The ranks that everybody can still end at. 409 `series_outlook_limits`."""
        return Response(RaceSerializer(race_data(request.user, series_by_id(series))).data)


@open_to(get=Who.EVERYBODY)
class PlayerRace(APIView):
    @extend_schema(
        operation_id="seasons_race_of_player",
        summary="Get what a player needs in a season",
        responses={200: AnswerSerializer(many=True), **READ},
    )
    def get(self, request: Request, series: str, player: str) -> Response:
        """To come first, and to reach the final if there is one. Empty without an evening to come."""
        race = _race(series_by_id(series))
        if race is None:
            return Response([])
        if player not in race.contest.results:
            raise Http404
        ranks = sorted({FIRST, max(FIRST, qualifying_places(race.standing.plan))})
        answers = [_answer(answer_of(race, player, rank)) for rank in ranks]
        return Response(AnswerSerializer(answers, many=True).data)
