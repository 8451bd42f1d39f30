"""API of brackets, fixtures, standings and pairings."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import generics
from rest_framework import serializers as drf_serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.access import Who, open_to
from core.api import APIView
from core.pagination import NumberedPages
from core.requests import parse_int
from matches.models import Match
from matches.reporting.serializers import WhereSerializer, where_data
from tournaments import access
from tournaments.models import Division, Fixture
from tournaments.standings import brackets, exports
from tournaments.standings.brackets import FixtureRow, RoundRow, SlotRow, bracket_name
from tournaments.standings.pairings import pairings_of
from tournaments.standings.standings import standings_of
from tournaments.state import api as state_api
from tournaments.state.api import PROBLEM, READ, with_etag
from tournaments.state.names import Names, names_for

EXAMPLE = OpenApiExample(
    "A final to be decided",
    value={
        "division": "k7m2q9x4ab",
        "seq": 12,
        "status": "running",
        "stages": [{"number": 1, "format": "knockout", "status": "running"}],
        "brackets": [
            {
                "stage": 1,
                "key": "main",
                "name": "Main draw",
                "rounds": [
                    {
                        "number": 2,
                        "name": "Final",
                        "length": 11,
                        "deadline": None,
                        "fixtures": [
                            {
                                "public_id": "p3m2q9x4ab",
                                "number": 3,
                                "status": "waiting",
                                "slots": [
                                    {"source": "winner", "source_fixture": 1, "source_stage": None,
                                     "source_place": None, "status": "to_be_decided", "entry": None,
                                     "absent": None, "name": None},
                                    {"source": "winner", "source_fixture": 2, "source_stage": None,
                                     "source_place": None, "status": "to_be_decided", "entry": None,
                                     "absent": None, "name": None},
                                ],
                                "match": None, "match_state": None, "where": None, "seq": None, "due_at": None,
                                "result": None,
                                "bracket_kept": False,
                                "winner_to": None, "loser_to": None,
                            }
                        ],
                    }
                ],
            }
        ],
    },
    response_only=True,
)  # fmt: skip


def fixture_body(row: FixtureRow, names: Names, targets: tuple[dict[int, int], dict[int, int]]) -> dict[str, Any]:
    played = row.played
    fields = ("winner", "score", "kind", "provisional")
    result = {name: getattr(played, name) for name in fields} if played.kind else None
    return {
        "public_id": row.public_id,
        "number": row.number,
        "status": row.status,
        "slots": [_slot(slot, names) for slot in row.slots],
        "match": played.public_id or None,
        "match_state": played.state or None,
        "where": where_data(played.where) if played.where is not None else None,
        "seq": seq_of(row, names),
        "due_at": row.due_at,
        "result": result,
        "bracket_kept": played.kept and played.onward != played.winner,
        "winner_to": targets[0].get(row.number),
        "loser_to": targets[1].get(row.number),
    }


def seq_of(row: FixtureRow, names: Names) -> int | None:
    """Return the `seq` of a fixture's match; of one that is being played here only for those who run the event.

    It would show spectators who are behind when somebody acts.
    """
    played = row.played
    is_hidden = played.state == Match.State.LIVE and not names.staff
    return played.seq if played.public_id and not is_hidden else None


def _slot(slot: SlotRow, names: Names) -> dict[str, Any]:
    def public_id(entry: int | None) -> str | None:
        return names.entries[entry].public_id if entry is not None and entry in names.entries else None

    return {
        "source": slot.source,
        "source_fixture": slot.source_fixture,
        "source_stage": slot.source_stage or None,
        "source_place": slot.source_place,
        "status": slot.status,
        "entry": public_id(slot.entry),
        "absent": public_id(slot.absent),
        "name": names.of(slot.entrant) or None,
    }


def rows_and_names(request: Request, division: Division) -> tuple[list[RoundRow], Names]:
    """Return the rounds of a division and the names of its entries as this user may see them."""
    return brackets.rounds_of(division), names_for(request.user, division)


@open_to(get=Who.EVERYBODY)
class BracketView(APIView):
    @extend_schema(
        operation_id="divisions_bracket",
        summary="The whole bracket",
        description=(
            "Every fixture with the sources of its slots and their entrants now. A slot is an entry, a bye, a "
            "walkover or to be decided. Stages follow each other: a slot with `source` `place` waits for that place of "
            "`source_stage` (`1`, or `1:A` for group A of stage 1); one with `source` `drawn` is drawn by lot once all "
            "players of the round are known, and then has the winner or loser it went to as its source. "
            "Writes to a fixture take its match's `seq` as `after`."
        ),
        examples=[EXAMPLE],
        responses={200: state_api.BracketSerializer, **READ},
    )
    def get(self, request: Request, division: str) -> Response:
        requested = access.division(request.user, division)
        rounds, names = rows_and_names(request, requested)
        body = {
            "division": requested.public_id,
            "seq": requested.seq,
            "status": requested.status,
            "stages": list(requested.stages.order_by("number").values("number", "format", "status")),
            "brackets": _brackets(rounds, names),
        }
        return with_etag(state_api.BracketSerializer(body).data, requested.seq)


def _brackets(rounds: list[RoundRow], names: Names) -> list[dict[str, Any]]:
    targets = brackets.targets(rounds)
    by_key: dict[tuple[int, str], list[RoundRow]] = {}
    for row in rounds:
        by_key.setdefault((row.stage, row.bracket), []).append(row)
    return [
        {
            "stage": stage,
            "key": key,
            "name": bracket_name(key, upper=own[0].upper),
            "rounds": [
                {
                    "number": row.number,
                    "name": row.name(len(own)),
                    "length": row.length,
                    "deadline": row.deadline,
                    "fixtures": [fixture_body(fixture, names, targets) for fixture in row.fixtures],
                }
                for row in own
            ],
        }
        for (stage, key), own in by_key.items()
    ]


@open_to(get=Who.EVERYBODY)
class Fixtures(APIView, generics.GenericAPIView[Any]):
    pagination_class = NumberedPages
    serializer_class = state_api.FixtureSerializer
    filter_backends = ()

    @extend_schema(
        operation_id="fixtures_list",
        summary="The fixtures of a division",
        parameters=[
            OpenApiParameter("status", str, enum=Fixture.Status.values),
            OpenApiParameter("player", str, description="Public id of a player: only their fixtures."),
        ],
        responses={200: state_api.FixtureSerializer(many=True), **READ, 422: PROBLEM},
    )
    def get(self, request: Request, division: str) -> Response:
        """By number."""
        requested = access.division(request.user, division)
        rounds, names = rows_and_names(request, requested)
        targets = brackets.targets(rounds)
        rows = [row for round_ in rounds for row in round_.fixtures]
        status, player = request.query_params.get("status"), request.query_params.get("player")
        if status:
            rows = [row for row in rows if row.status == status]
        if player:
            own = {pk for pk, entry in names.entries.items() if entry.player.public_id == player}
            rows = [row for row in rows if own & {entry for slot in row.slots for entry in (slot.entry, slot.absent)}]
        bodies = [fixture_body(row, names, targets) for row in self.paginate_queryset(rows) or []]
        return self.get_paginated_response(state_api.FixtureSerializer(bodies, many=True).data)


class WhySerializer(drf_serializers.Serializer[Any]):
    """The reason for an entry's place: `code` is stable, the sentence is in the user's language."""

    code = drf_serializers.CharField()
    params = drf_serializers.DictField()
    sentence = drf_serializers.CharField()


class SpentRoundSerializer(drf_serializers.Serializer[Any]):
    """A round of one entry."""

    round = drf_serializers.IntegerField()
    kind = drf_serializers.CharField(help_text="won, lost, drawn, forfeit_…, walkover_…, empty, bye_…, absent, open, …")
    opponent = drf_serializers.CharField(allow_null=True, help_text="Public id of the opponent's entry.")
    score = drf_serializers.ListField(
        child=drf_serializers.IntegerField(), allow_null=True, help_text="The entry's own points first."
    )
    match = drf_serializers.CharField(allow_null=True)
    counted = drf_serializers.BooleanField(help_text="False if the result was deleted because one of the two left.")


class StandingPersonSerializer(drf_serializers.Serializer[Any]):
    """An entry as the user may see it."""

    entry = drf_serializers.CharField()
    player = drf_serializers.CharField()
    name = drf_serializers.CharField()
    withdrawn = drf_serializers.BooleanField()
    goes_on = drf_serializers.BooleanField(help_text="Whether the entry would advance to the next stage.")


class StandingRowSerializer(StandingPersonSerializer):
    """A row of a table."""

    place = drf_serializers.IntegerField()
    points = drf_serializers.FloatField(help_text="Lives left, if lives are counted.")
    played = drf_serializers.IntegerField(
        help_text="Matches played at the board; `won`, `lost` and `drawn` count these."
    )
    won = drf_serializers.IntegerField()
    lost = drf_serializers.IntegerField()
    drawn = drf_serializers.IntegerField()
    unplayed_won = drf_serializers.IntegerField(help_text="Forfeits and walkovers won.")
    unplayed_lost = drf_serializers.IntegerField()
    byes = drf_serializers.IntegerField()
    lives_left = drf_serializers.IntegerField(allow_null=True)
    out_in_round = drf_serializers.IntegerField(allow_null=True)
    joined_round = drf_serializers.IntegerField()
    left_after_round = drf_serializers.IntegerField(allow_null=True)
    decided_by = drf_serializers.CharField(
        allow_null=True, help_text="What separates it from the row above: points, a tie-break, shared; null if first."
    )
    tiebreaks = drf_serializers.DictField(
        child=drf_serializers.FloatField(allow_null=True),
        help_text="null: it applies only to tied entries, and the tie was broken before.",
    )
    rounds = SpentRoundSerializer(many=True)
    why = WhySerializer(many=True)


class TiebreakSerializer(drf_serializers.Serializer[Any]):
    """A tie-break and its definition."""

    code = drf_serializers.CharField()
    name = drf_serializers.CharField()
    short = drf_serializers.CharField()
    definition = drf_serializers.CharField()
    reference = drf_serializers.CharField(help_text="An article of the regulations, or “this site”.")


class TableSerializer(drf_serializers.Serializer[Any]):
    """A table, best first."""

    key = drf_serializers.CharField()
    over = drf_serializers.BooleanField()
    after_round = drf_serializers.IntegerField(allow_null=True)
    regulations = drf_serializers.CharField(
        help_text="The regulations and edition that the tie-breaks follow; empty if there are none."
    )
    tiebreaks = TiebreakSerializer(many=True)
    rows = StandingRowSerializer(many=True)


class SharedPlaceSerializer(drf_serializers.Serializer[Any]):
    """A place, shared by the entries that were eliminated in the same round."""

    first = drf_serializers.IntegerField()
    last = drf_serializers.IntegerField()
    entries = StandingPersonSerializer(many=True)


class PlacesSerializer(drf_serializers.Serializer[Any]):
    """The decided places of a bracket."""

    key = drf_serializers.CharField()
    name = drf_serializers.CharField()
    over = drf_serializers.BooleanField()
    places = SharedPlaceSerializer(many=True)


class TeamScoreSerializer(drf_serializers.Serializer[Any]):
    """What a team has won against others."""

    team = drf_serializers.CharField()
    boards = drf_serializers.IntegerField(help_text="Matches won.")
    points = drf_serializers.IntegerField(help_text="Of its members, none more than the length of a match.")


class StageStandingsSerializer(drf_serializers.Serializer[Any]):
    """A stage: tables if points or lives are counted, brackets otherwise."""

    number = drf_serializers.IntegerField()
    format = drf_serializers.CharField()
    status = drf_serializers.CharField()
    over = drf_serializers.BooleanField()
    rounds_complete = drf_serializers.IntegerField(allow_null=True)
    rounds_paired = drf_serializers.IntegerField(allow_null=True)
    lives = drf_serializers.IntegerField(allow_null=True)
    teams = TeamScoreSerializer(many=True, help_text="Best first; empty unless two or more teams are named.")
    open_boards = drf_serializers.IntegerField(
        allow_null=True, help_text="Matches between two teams that are not over; null without teams."
    )
    tables = TableSerializer(many=True)
    brackets = PlacesSerializer(many=True)


class StandingsSerializer(drf_serializers.Serializer[Any]):
    """Standings of a division."""

    division = drf_serializers.CharField()
    seq = drf_serializers.IntegerField()
    status = drf_serializers.CharField()
    stages = StageStandingsSerializer(many=True)


class PairingSideSerializer(drf_serializers.Serializer[Any]):
    """A side of a pairing. In a walkover the absent entry is named, too."""

    stands = drf_serializers.ChoiceField(choices=["entry", "bye", "walkover", "to_be_decided"])
    entry = drf_serializers.CharField(allow_null=True)
    player = drf_serializers.CharField(allow_null=True)
    name = drf_serializers.CharField(allow_null=True)
    points = drf_serializers.FloatField(allow_null=True, help_text="Before the round, in a Swiss.")
    score = drf_serializers.IntegerField(allow_null=True)


class PairingSerializer(drf_serializers.Serializer[Any]):
    """A pairing."""

    bracket = drf_serializers.CharField()
    round = drf_serializers.IntegerField()
    board = drf_serializers.IntegerField(
        allow_null=True, help_text="Its number in the round; null in brackets, and while the floor is open."
    )
    where = WhereSerializer(allow_null=True, help_text="Where the match is; null before and after it.")
    match_number = drf_serializers.IntegerField()
    match = drf_serializers.CharField(allow_null=True)
    fixture = drf_serializers.CharField()
    length = drf_serializers.IntegerField()
    start = drf_serializers.ListField(
        child=drf_serializers.IntegerField(), help_text="The score at which its match begins."
    )
    status = drf_serializers.CharField(help_text="ready, decided, bye, walkover, empty, waiting or not_needed.")
    bye_kind = drf_serializers.CharField(
        allow_null=True, help_text="full, sit_out, half, requested, drawn or advances."
    )
    sides = PairingSideSerializer(many=True)
    winner = drf_serializers.IntegerField(allow_null=True, help_text="0 or 1.")
    result_kind = drf_serializers.CharField(allow_null=True)


class PairingsSerializer(drf_serializers.Serializer[Any]):
    """Pairings of a stage: of `round`, or (null) those that can be played now."""

    division = drf_serializers.CharField()
    seq = drf_serializers.IntegerField()
    status = drf_serializers.CharField()
    stage = drf_serializers.IntegerField(allow_null=True)
    format = drf_serializers.CharField(allow_null=True)
    round = drf_serializers.IntegerField(allow_null=True)
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
                "fixture": "f7m2q9x4ab", "length": 7, "start": [0, 0], "status": "ready", "bye_kind": None,
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


@open_to(get=Who.EVERYBODY)
class Standings(APIView):
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


@open_to(get=Who.EVERYBODY)
class Pairings(APIView):
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
