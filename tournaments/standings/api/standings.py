"""API of standings and pairings: every figure with its explanation."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.requests import parse_int
from matches.reporting.serializers import WhereSerializer
from tournaments import access
from tournaments.standings import exports
from tournaments.standings.selectors.pairings import pairings_of
from tournaments.standings.selectors.standings import standings_of
from tournaments.state.api import READ, with_etag
from tournaments.state.names import names_for


class WhySerializer(serializers.Serializer[Any]):
    """The reason for an entry's place: `code` is stable, the sentence is in the user's language."""

    code = serializers.CharField()
    params = serializers.DictField()
    sentence = serializers.CharField()


class SpentRoundSerializer(serializers.Serializer[Any]):
    """A round of one entry."""

    round = serializers.IntegerField()
    kind = serializers.CharField(help_text="won, lost, drawn, forfeit_…, walkover_…, empty, bye_…, absent, open, …")
    opponent = serializers.CharField(allow_null=True, help_text="Public id of the opponent's entry.")
    score = serializers.ListField(
        child=serializers.IntegerField(), allow_null=True, help_text="The entry's own points first."
    )
    match = serializers.CharField(allow_null=True)
    counted = serializers.BooleanField(help_text="False if the result was deleted because one of the two left.")


class StandingPersonSerializer(serializers.Serializer[Any]):
    """An entry as the user may see it."""

    entry = serializers.CharField()
    player = serializers.CharField()
    name = serializers.CharField()
    withdrawn = serializers.BooleanField()
    goes_on = serializers.BooleanField(help_text="Whether the entry would advance to the next stage.")


class StandingRowSerializer(StandingPersonSerializer):
    """A row of a table."""

    place = serializers.IntegerField()
    points = serializers.FloatField(help_text="Lives left, if lives are counted.")
    played = serializers.IntegerField(help_text="Matches played at the board; `won`, `lost` and `drawn` count these.")
    won = serializers.IntegerField()
    lost = serializers.IntegerField()
    drawn = serializers.IntegerField()
    unplayed_won = serializers.IntegerField(help_text="Forfeits and walkovers won.")
    unplayed_lost = serializers.IntegerField()
    byes = serializers.IntegerField()
    lives_left = serializers.IntegerField(allow_null=True)
    out_in_round = serializers.IntegerField(allow_null=True)
    joined_round = serializers.IntegerField()
    left_after_round = serializers.IntegerField(allow_null=True)
    decided_by = serializers.CharField(
        allow_null=True, help_text="What separates it from the row above: points, a tie-break, shared; null if first."
    )
    tiebreaks = serializers.DictField(
        child=serializers.FloatField(allow_null=True),
        help_text="null: it applies only to tied entries, and the tie was broken before.",
    )
    rounds = SpentRoundSerializer(many=True)
    why = WhySerializer(many=True)


class TiebreakSerializer(serializers.Serializer[Any]):
    """A tie-break and its definition."""

    code = serializers.CharField()
    name = serializers.CharField()
    short = serializers.CharField()
    definition = serializers.CharField()
    reference = serializers.CharField(help_text="An article of the regulations, or “this site”.")


class TableSerializer(serializers.Serializer[Any]):
    """A table, best first."""

    key = serializers.CharField()
    over = serializers.BooleanField()
    after_round = serializers.IntegerField(allow_null=True)
    regulations = serializers.CharField(
        help_text="The regulations and edition that the tie-breaks follow; empty if there are none."
    )
    tiebreaks = TiebreakSerializer(many=True)
    rows = StandingRowSerializer(many=True)


class SharedPlaceSerializer(serializers.Serializer[Any]):
    """A place, shared by the entries that were eliminated in the same round."""

    first = serializers.IntegerField()
    last = serializers.IntegerField()
    entries = StandingPersonSerializer(many=True)


class PlacesSerializer(serializers.Serializer[Any]):
    """The decided places of a bracket."""

    key = serializers.CharField()
    name = serializers.CharField()
    over = serializers.BooleanField()
    places = SharedPlaceSerializer(many=True)


class StageStandingsSerializer(serializers.Serializer[Any]):
    """A stage: tables if points or lives are counted, brackets otherwise."""

    number = serializers.IntegerField()
    format = serializers.CharField()
    status = serializers.CharField()
    over = serializers.BooleanField()
    rounds_complete = serializers.IntegerField(allow_null=True)
    rounds_paired = serializers.IntegerField(allow_null=True)
    lives = serializers.IntegerField(allow_null=True)
    tables = TableSerializer(many=True)
    brackets = PlacesSerializer(many=True)


class StandingsSerializer(serializers.Serializer[Any]):
    """Standings of a division."""

    division = serializers.CharField()
    seq = serializers.IntegerField()
    status = serializers.CharField()
    stages = StageStandingsSerializer(many=True)


class PairingSideSerializer(serializers.Serializer[Any]):
    """A side of a pairing. In a walkover the absent entry is named, too."""

    stands = serializers.ChoiceField(choices=["entry", "bye", "walkover", "to_be_decided"])
    entry = serializers.CharField(allow_null=True)
    player = serializers.CharField(allow_null=True)
    name = serializers.CharField(allow_null=True)
    points = serializers.FloatField(allow_null=True, help_text="Before the round, in a Swiss.")
    score = serializers.IntegerField(allow_null=True)


class PairingSerializer(serializers.Serializer[Any]):
    """A pairing."""

    bracket = serializers.CharField()
    round = serializers.IntegerField()
    board = serializers.IntegerField(
        allow_null=True, help_text="Its number in the round; null in brackets, and while the floor is open."
    )
    where = WhereSerializer(allow_null=True, help_text="Where the match is; null before and after it.")
    match_number = serializers.IntegerField()
    match = serializers.CharField(allow_null=True)
    fixture = serializers.CharField()
    length = serializers.IntegerField()
    status = serializers.CharField(help_text="ready, decided, bye, walkover, empty, waiting or not_needed.")
    bye_kind = serializers.CharField(allow_null=True, help_text="full, sit_out, half, requested, drawn or advances.")
    sides = PairingSideSerializer(many=True)
    winner = serializers.IntegerField(allow_null=True, help_text="0 or 1.")
    result_kind = serializers.CharField(allow_null=True)


class PairingsSerializer(serializers.Serializer[Any]):
    """Pairings of a stage: of `round`, or (null) those that can be played now."""

    division = serializers.CharField()
    seq = serializers.IntegerField()
    status = serializers.CharField()
    stage = serializers.IntegerField(allow_null=True)
    format = serializers.CharField(allow_null=True)
    round = serializers.IntegerField(allow_null=True)
    pairings = PairingSerializer(many=True)


STAGE = OpenApiParameter("stage", int, description="The number of a stage.")
ROUND = OpenApiParameter("round", int, description="The number of a round.")
SIDE = {"stands": "entry", "entry": "k7m2q9x4ab", "player": "p3m2q9x4ab", "name": "Bob", "points": 2.0, "score": None}
PAIRINGS_EXAMPLE = OpenApiExample(
    "The first board of round 3",
    value={
        "division": "d7m2q9x4ab", "seq": 41, "status": "running", "stage": 1, "format": "swiss", "round": 3,
        "pairings": [
            {
                "bracket": "rounds", "round": 3, "board": 1, "match_number": 9, "match": "m7m2q9x4ab",
                "fixture": "f7m2q9x4ab", "length": 7, "status": "ready", "bye_kind": None,
                "where": {
                    "state": "ready", "table": None, "since": None, "score": None, "side": None, "waits_for": [],
                },
                "sides": [SIDE, {**SIDE, "entry": "e9m2q9x4ab", "player": "q3m2q9x4ab", "name": "Carol"}],
                "winner": None, "result_kind": None,
            }
        ],
    },
    response_only=True,
)  # fmt: skip


def _stage_and_round(request: Request) -> tuple[int | None, int | None]:
    """Return the stage and round numbers of the query string; None means the latest."""
    query = request.query_params
    return parse_int(query.get("stage")), parse_int(query.get("round"))


class Standings(APIView):
    """Standings of a division."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="divisions_standings",
        summary="Standings of all stages",
        description=(
            "Every figure with its explanation (`why`: code, params, sentence). `round` shows a Swiss or lives after "
            "that round, by default after the last complete one. The ETag is the division's `seq`."
        ),
        parameters=[STAGE, ROUND],
        responses={200: StandingsSerializer, **READ},
    )
    def get(self, request: Request, division: str) -> Response:
        """Best first."""
        requested = access.division(request.user, division)
        stage, round_number = _stage_and_round(request)
        views = standings_of(requested, names_for(request.user, requested), stage=stage, round_number=round_number)
        return with_etag(StandingsSerializer(exports.standings_body(requested, views)).data, requested.seq)


class Pairings(APIView):
    """Pairings of a division."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="divisions_pairings",
        summary="Pairings of a stage",
        description=(
            "The pairings of the stage that is being played, or of `stage`: of `round`, else of the current one; in "
            "brackets, what can be played now."
        ),
        parameters=[STAGE, ROUND],
        examples=[PAIRINGS_EXAMPLE],
        responses={200: PairingsSerializer, **READ},
    )
    def get(self, request: Request, division: str) -> Response:
        """By board."""
        requested = access.division(request.user, division)
        stage, round_number = _stage_and_round(request)
        view = pairings_of(requested, names_for(request.user, requested), stage=stage, round_number=round_number)
        return with_etag(PairingsSerializer(exports.pairings_body(requested, view)).data, requested.seq)
