"""API views of analyses."""

from datetime import date
from typing import Any

from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from core.access import Who, open_to
from core.api import APIView, validated_query
from matches.analysis.access import Requested, SeenAnalysis, requested_match, requested_record
from matches.analysis.arithmetic import SideSummary
from matches.analysis.classes import ClassRow, ClubClasses, club_classes
from matches.analysis.event_report import ENOUGH_DECISIONS, FIRST_DAY, LAST_DAY, EventReport, club_night
from matches.analysis.profile import quality
from matches.models import Analysis, Decision
from matches.presentation.visibility import Viewer
from players import access as people
from players.accounts.serializers import PROBLEM


class PhaseSerializer(serializers.Serializer[Any]):
    """The counted decisions of one kind."""

    decisions = serializers.IntegerField()
    error = serializers.FloatField(help_text="Sum of the errors, in equity.")


class AnalysedSideSerializer(serializers.Serializer[Any]):
    """How one side played."""

    side = serializers.IntegerField(help_text="0 or 1, of the record.")
    decisions = serializers.IntegerField(help_text="Those that count.")
    pr = serializers.FloatField(allow_null=True, help_text="500 × mean error; null without counted decisions.")
    sampling_error = serializers.FloatField(allow_null=True, help_text="One standard error of the PR.")
    # The name of a property of every serializer, which this one, only ever written, does not use.
    errors = serializers.IntegerField(  # type: ignore[assignment]
        help_text="Decisions that lost at least 0.02 and less than 0.08."
    )
    blunders = serializers.IntegerField(help_text="Decisions that lost at least 0.08.")
    error_winning = serializers.FloatField(help_text="Chances of winning the match that were lost.")
    luck = serializers.FloatField(help_text="In equity.")
    luck_winning = serializers.FloatField(help_text="In chances of winning the match.")
    by_phase = serializers.DictField(child=PhaseSerializer(), help_text="opening, contact, race, bear_off, cube.")


class CandidateSerializer(serializers.Serializer[Any]):
    """A play that was considered."""

    play = serializers.CharField()
    equity = serializers.FloatField()
    winning = serializers.FloatField(allow_null=True)
    depth = serializers.CharField()
    played = serializers.BooleanField()


class DecisionSerializer(serializers.ModelSerializer[Decision]):
    """A judged decision."""

    candidates = CandidateSerializer(many=True)

    class Meta:
        model = Decision
        fields = (
            "game", "event", "side", "kind", "phase", "xgid", "cube", "own_away", "opposing_away", "played", "best",
            "candidates", "no_double", "double_take", "double_pass", "error", "error_winning", "winning", "luck",
            "luck_winning", "counted",
        )  # fmt: skip
        read_only_fields = fields


class AnalysisSerializer(serializers.Serializer[Any]):
    """The analysis of a match or a record, as far as the reader may see it."""

    state = serializers.ChoiceField(Analysis.State.choices)
    origin = serializers.ChoiceField(Analysis.Origin.choices)
    backend = serializers.CharField(help_text="The program; empty until it is done.")
    version = serializers.CharField()
    depth = serializers.CharField()
    finished_at = serializers.DateTimeField(allow_null=True)
    swapped = serializers.BooleanField(help_text="Whether side 0 of the record is side 1 of the match.")
    sides = serializers.ListField(
        child=AnalysedSideSerializer(),
        max_length=2,
        help_text="Empty until it is done, and without a player who does not share how they play.",
    )
    decisions = DecisionSerializer(many=True)


class OriginQuery(serializers.Serializer[Any]):
    """Query parameter of the analysis of a match or a record."""

    origin = serializers.ChoiceField(
        Analysis.Origin.choices,
        default=Analysis.Origin.COMPUTED,
        help_text="`sender`: the analysis that came with the record; it is never mixed with the one computed here.",
    )


class PlayedMatchSerializer(serializers.Serializer[Any]):
    """An analysed match of a player."""

    match = serializers.CharField(help_text="Its id.")
    finished_at = serializers.DateTimeField(allow_null=True)
    length = serializers.IntegerField()
    decisions = serializers.IntegerField()
    pr = serializers.FloatField()
    sampling_error = serializers.FloatField()


class PlayedLengthSerializer(serializers.Serializer[Any]):
    """The analysed matches of one length."""

    length = serializers.IntegerField(help_text="In points; 0 for money sessions.")
    matches = serializers.IntegerField()
    decisions = serializers.IntegerField(source="total.decisions")
    pr = serializers.FloatField(source="total.pr")
    sampling_error = serializers.FloatField(source="total.sampling_error")


class PlayersDecisionSerializer(serializers.Serializer[Any]):
    """One of the worst or best decisions of a player."""

    match = serializers.CharField(source="match.public_id", help_text="Its id.")
    game = serializers.IntegerField(source="decision.game", help_text="From 1.")
    event = serializers.IntegerField(source="decision.event", help_text="As in the decisions of the match.")
    kind = serializers.ChoiceField(Decision.Kind.choices, source="decision.kind")
    xgid = serializers.CharField(source="decision.xgid")
    played = serializers.CharField(source="decision.played")
    best = serializers.CharField(source="decision.best")
    difference = serializers.FloatField(
        help_text="Equity that was lost; for the best, what the second best play would have lost."
    )


class PlayerAnalysisSerializer(serializers.Serializer[Any]):
    """How a player has played."""

    decisions = serializers.IntegerField()
    pr = serializers.FloatField()
    sampling_error = serializers.FloatField()
    matches = PlayedMatchSerializer(many=True, help_text="Oldest first; the latest 200.")
    by_length = PlayedLengthSerializer(many=True, help_text="The shortest first.")
    by_phase = serializers.DictField(
        child=PhaseSerializer(), help_text="Those of opening, contact, race, bear_off and cube with decisions."
    )
    worst = PlayersDecisionSerializer(many=True, help_text="Those that lost most, at most three.")
    best = PlayersDecisionSerializer(
        many=True, help_text="Right plays where the second best would have lost most, at most three."
    )


class NightPlayerSerializer(serializers.Serializer[Any]):
    """How one player did in all matches of the report."""

    player = serializers.CharField(source="public_id", help_text="Their id.")
    name = serializers.CharField()
    matches = serializers.IntegerField()
    decisions = serializers.IntegerField(source="total.decisions", help_text="Those that count.")
    pr = serializers.FloatField(allow_null=True, help_text="500 × mean error; null without counted decisions.")
    sampling_error = serializers.FloatField(
        allow_null=True, help_text="One standard error of the PR; null with fewer than two counted decisions."
    )
    luck_winning = serializers.FloatField(help_text="Sum of the luck, in chances of winning the match.")
    has_enough = serializers.BooleanField(
        help_text=f"Whether {ENOUGH_DECISIONS} decisions count, so that the PR is compared with others."
    )


class SwingSerializer(serializers.Serializer[Any]):
    """The roll that changed the chances most."""

    player = serializers.CharField(source="public_id", help_text="The id of the player who rolled.")
    name = serializers.CharField()
    match = serializers.CharField(help_text="Its id.")
    game = serializers.IntegerField(source="decision.game", help_text="From 1.")
    event = serializers.IntegerField(source="decision.event", help_text="As in the decisions of the match.")
    xgid = serializers.CharField(source="decision.xgid", help_text="The position with the roll.")
    played = serializers.CharField(source="decision.played")
    luck_winning = serializers.FloatField(help_text="In chances of winning the match; below 0 for an unlucky roll.")


class NightSerializer(serializers.Serializer[EventReport]):
    """How well matches were played, as far as the reader may see them and their players."""

    matches = serializers.IntegerField(help_text="Analysed matches in the report.")
    pending = serializers.IntegerField(help_text="Matches that are still to be analysed.")
    players = NightPlayerSerializer(
        source="rows", many=True, help_text="The best PR first; those with few decisions after all others."
    )
    luckiest = NightPlayerSerializer(many=True, help_text="At most three, all with luck above 0; the luckiest first.")
    swing = SwingSerializer(allow_null=True, help_text="Null if no roll was lucky or unlucky.")


class ClubNightSerializer(serializers.Serializer[Any]):
    """The report of an evening of a club."""

    day = serializers.DateField(allow_null=True, help_text="In the club's time zone; null without an analysed match.")
    earlier = serializers.DateField(
        allow_null=True, help_text="The latest day before with an analysed match; null if there is none."
    )
    night = NightSerializer(allow_null=True, help_text="Null where `day` is.")


class DayQuery(serializers.Serializer[Any]):
    """Query parameter of the report of an evening."""

    day = serializers.DateField(
        required=False, help_text="In the club's time zone; without it the latest day with an analysed match."
    )

    def validate_day(self, day: date) -> date:
        """Refuse days that no match can have."""
        if not FIRST_DAY <= day <= LAST_DAY:
            raise serializers.ValidationError(gettext("Enter a date from 1900 to 2999."))
        return day


@open_to(get=Who.EVERYBODY)
class MatchAnalysisView(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_analysis",
        summary="How well both sides played",
        description=(
            "404 if the match is not over or not analysed. A player who does not share how they play has no totals "
            "and no decisions here."
        ),
        parameters=[OriginQuery],
        responses={200: AnalysisSerializer, 404: PROBLEM, 422: PROBLEM},
    )
    def get(self, request: Request, public_id: str) -> Response:
        return Response(analysis_data(_chosen(request, requested_match(request.user, public_id))))


@open_to(get=Who.EVERYBODY)
class RecordAnalysis(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="submissions_analysis",
        summary="How well both sides of a record played",
        description="The same for a record, also one that was sent for no match.",
        parameters=[OriginQuery],
        responses={200: AnalysisSerializer, 404: PROBLEM, 422: PROBLEM},
    )
    def get(self, request: Request, public_id: str) -> Response:
        return Response(analysis_data(_chosen(request, requested_record(request.user, public_id))))


@open_to(get=Who.EVERYBODY)
class PlayerAnalysis(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="players_analysis",
        summary="How well a player has played",
        description="404 if the player does not share it with the reader.",
        responses={200: PlayerAnalysisSerializer, 404: PROBLEM},
    )
    def get(self, request: Request, public_id: str) -> Response:
        shown = quality(people.player(public_id), Viewer.of(request.user))
        if shown is None:
            raise Http404
        data = {
            "decisions": shown.total.decisions,
            "pr": shown.total.pr,
            "sampling_error": shown.total.sampling_error,
            "matches": [
                {
                    "match": row.match.public_id,
                    "finished_at": row.at,
                    "length": row.match.length,
                    "decisions": row.total.decisions,
                    "pr": row.total.pr,
                    "sampling_error": row.total.sampling_error,
                }
                for row in shown.matches
            ],
            "by_length": shown.by_length,
            "by_phase": {row.phase.value: row.total for row in shown.by_kind},
            "worst": shown.worst,
            "best": shown.best,
        }
        return Response(PlayerAnalysisSerializer(data).data)


@open_to(get=Who.EVERYBODY)
class ClubAnalysis(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="clubs_analysis",
        summary="How well an evening of a club was played",
        description=(
            "Only matches that the reader may see, and only players who share how they play with the reader. "
            "The players as CSV: `/clubs/<slug>/analysis.csv?day=2026-11-20`."
        ),
        parameters=[DayQuery],
        responses={200: ClubNightSerializer, 404: PROBLEM, 422: PROBLEM},
    )
    def get(self, request: Request, slug: str) -> Response:
        club, query = people.club(slug), validated_query(DayQuery, request)
        report = club_night(club, Viewer.of(request.user), query.get("day"))
        return Response(ClubNightSerializer(report).data)


class ClassRowSerializer(serializers.Serializer[ClassRow]):
    """A member who lets the reader see how well they play."""

    player = serializers.CharField(help_text="Public id.")
    name = serializers.CharField()
    performance_rating = serializers.FloatField(source="total.pr", help_text="Over all counted decisions.")
    decisions = serializers.IntegerField(source="total.decisions")
    points = serializers.IntegerField(help_text="Added up lengths of the matches.")
    matches = serializers.IntegerField()
    title = serializers.CharField(help_text="The class; empty with too few points, or above the last bound.")


class ClubClassesSerializer(serializers.Serializer[ClubClasses]):
    """The classes of a club."""

    program = serializers.CharField(help_text="The program and its depth; empty without an analysed match.")
    points_needed = serializers.IntegerField(source="needed")
    years = serializers.IntegerField(help_text="Years whose matches count.")
    members = ClassRowSerializer(source="rows", many=True)


@open_to(get=Who.EVERYBODY)
class ClubClassesView(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="clubs_classes",
        summary="Get the classes of a club's members by performance rating",
        responses={200: ClubClassesSerializer, 404: PROBLEM},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Only of members who let the reader see how well they play, over matches that the reader may see."""
        club = people.club(slug)
        classes = club_classes(club, Viewer.of(request.user), timezone.now())
        return Response(ClubClassesSerializer(classes).data)


def _chosen(request: Request, requested: Requested) -> SeenAnalysis | None:
    """Return the analysis whose origin the request names; by default the one computed here."""
    is_senders = validated_query(OriginQuery, request)["origin"] == Analysis.Origin.SENDER
    return requested.senders if is_senders else requested.seen


def analysis_data(seen: SeenAnalysis | None) -> dict[str, Any]:
    """Data of AnalysisSerializer. Raise Http404 without an analysis that may be shown."""
    if seen is None:
        raise Http404
    analysis, totals = seen.analysis, seen.summary.sides
    return {
        "state": analysis.state,
        "origin": analysis.origin,
        "backend": analysis.backend,
        "version": analysis.version,
        "depth": str(analysis.settings.get("plays", "")),
        "finished_at": analysis.finished_at,
        "swapped": analysis.swapped,
        "sides": [_side(side, totals[side]) for side, is_shown in enumerate(seen.shown) if is_shown and seen.is_done],
        "decisions": DecisionSerializer(seen.decisions, many=True).data,
    }


def _side(side: int, totals: SideSummary) -> dict[str, Any]:
    return {
        "side": side,
        "decisions": totals.decisions,
        "pr": totals.pr,
        "sampling_error": totals.sampling_error,
        "errors": totals.errors,
        "blunders": totals.blunders,
        "error_winning": totals.error_winning,
        "luck": totals.luck,
        "luck_winning": totals.luck_winning,
        "by_phase": {
            phase.value: {"decisions": total.decisions, "error": total.error}
            for phase, total in totals.by_phase.items()
        },
    }
