"""API: the stages of a division, and a preview of what they mean for an evening."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.access import Who, open_to
from core.api import validated_query
from core.messages import sentence
from core.repeats import Repeat, repeated
from formats.elimination.byes import LowerByes
from formats.elimination.patterns import PatternProposal
from formats.elimination.places import MAX_FIELD
from formats.forecast.brackets import BracketForecast, RoundForecast
from formats.forecast.finish_times import Finish, Pace
from formats.forecast.forecasts import Forecast, Remark, RemarkKind, StageForecast, forecast_stages
from formats.forecast.waits import Waits, waits_of_stage
from formats.plans import MAX_STAGES, with_places
from formats.settings import (
    GROUP_DRAWS,
    MAX_COUNTDOWN,
    MAX_GROUPS,
    MAX_LATE_FIELD,
    MAX_LEAD,
    MAX_LIVES,
    MAX_ROUNDS,
    MAX_STARTS,
    MAX_TABLE_POINTS,
    MAX_WINDOW,
    MIN_LIVES,
    SHARED_BY,
    Leader,
    NextRound,
    PairingMode,
    StageSettings,
)
from formats.swiss.event import Order
from formats.tables.records import Edition
from formats.tables.round_robin import LeaverRule, Unplayed
from formats.tables.tiebreaks import TIEBREAKS
from matches.models.matches import MAX_MATCH
from players.access import Role
from tournaments.draws.designer.forms import MAX_QUALIFIERS
from tournaments.draws.evenings import divisions_beside, rest_of
from tournaments.events.api import DivisionView
from tournaments.events.forms import MAX_TABLES
from tournaments.models import Division, Stage
from tournaments.models.events import MAX_ENTRIES
from tournaments.state.api import AFTER, READ, WRITE, by, read_after, validated, with_etag
from tournaments.state.places import entries_in
from tournaments.state.stages import set_stages, stage_settings

MAX_LENGTHS = 30
MAX_PATTERN_LENGTH = 80
USUAL = StageSettings()


def _lengths(help_text: str) -> serializers.ListField:
    return serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=MAX_MATCH),
        max_length=MAX_LENGTHS,
        required=False,
        help_text=help_text,
    )


def _whole(least: int, most: int, help_text: str, **options: Any) -> serializers.IntegerField:
    return serializers.IntegerField(min_value=least, max_value=most, required=False, help_text=help_text, **options)


def _switch(help_text: str) -> serializers.BooleanField:
    return serializers.BooleanField(required=False, help_text=help_text)


def _pattern(help_text: str, **options: Any) -> serializers.CharField:
    return serializers.CharField(
        max_length=MAX_PATTERN_LENGTH, required=False, allow_blank=True, help_text=help_text, **options
    )


class StageFieldsSerializer(serializers.Serializer[Any]):
    """The settings of a stage. Missing ones get their default; those its format does not use are refused."""

    format = serializers.ChoiceField(Stage.Format.choices, help_text="How opponents are found.")
    lengths = _lengths(
        "Match lengths by round, in points; the last one applies to all later rounds. Empty: those of the division."
    )
    lower_lengths = _lengths(
        "Lengths in the consolation or the lower bracket, or of those who have lost. Empty: as in the main draw."
    )
    last_lengths = _lengths("Lengths in the last chance. Empty: as in the consolation.")
    final_lengths = _lengths("Length of the final of a double elimination. Empty: the last of `lengths`.")
    starts = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=MAX_ENTRIES),
        max_length=MAX_STARTS,
        required=False,
        help_text=(
            "knockout: how many of the best seeded start in the final, the semi-finals, the quarter-finals and so on; "
            "all others play for the places that are left. Empty: all start together."
        ),
    )
    pattern = _pattern(
        "progressive, double: when losers enter, such as `A.B.|.C.`. Empty: in a double elimination the standard one, "
        "in which the loser of the upper final plays the lower final; in a consolation the one with the fewest byes."
    )
    last_chance = _pattern(
        "progressive: pattern of the bracket for losers of the consolation. Empty: of its first half; null: none.",
        allow_null=True,
    )
    lower_byes = serializers.ChoiceField(
        [choice.value for choice in LowerByes],
        required=False,
        help_text=(
            "progressive, double: whether byes of lower brackets stand on fixed `lines`, or rounds whose bye depends "
            "on results are drawn by `lots` when all their players are known."
        ),
    )
    second_final = _switch("double: whether a second final is played if the upper bracket winner loses the first.")
    played_to = _whole(0, MAX_FIELD, "places: the last place that is played for; 0: all are.")
    shared_by = serializers.ChoiceField(
        SHARED_BY, required=False, help_text="places: by how many entries at most the places behind it are shared."
    )
    rounds = _whole(1, MAX_ROUNDS, "swiss: number of rounds. Null: until one player is unbeaten.", allow_null=True)
    lives = _whole(MIN_LIVES, MAX_LIVES, "lives: number of losses after which a player is out.")
    order = serializers.ChoiceField(
        [order.value for order in Order], required=False, help_text="swiss: how players with equal scores are paired."
    )
    next_round = serializers.ChoiceField(
        [choice.value for choice in NextRound],
        required=False,
        help_text=(
            "swiss, lives: when a round is complete, the next one waits for a request, becomes a draft for a director "
            "to publish, or is published automatically after `countdown`."
        ),
    )
    countdown = _whole(0, MAX_COUNTDOWN, "swiss, lives: seconds until a round is published automatically.")
    pairing = serializers.ChoiceField(
        [choice.value for choice in PairingMode],
        required=False,
        help_text=(
            "swiss, lives: `rounds`, or `continuous`: whoever is free plays as soon as there is a suitable opponent. A "
            "swiss then has as many matches for everybody as it has `rounds`."
        ),
    )
    window = _whole(0, MAX_WINDOW, "continuous: minutes between the first possible pair and its pairing.")
    lead = _whole(
        0, MAX_LEAD, "continuous: how many matches a player may be ahead of a match in progress; 0: no limit."
    )
    leader = serializers.ChoiceField(
        [choice.value for choice in Leader],
        required=False,
        help_text=(
            "continuous lives: unequal lives meet if one of the two has nobody to wait for (`plays`), or only if both "
            "have (`waits`)."
        ),
    )
    switch_time = serializers.TimeField(
        required=False,
        allow_null=True,
        format="%H:%M",
        help_text="continuous lives before a bracket: the time at the event when it is drawn at the latest.",
    )
    late_from = _whole(
        0,
        MAX_LATE_FIELD,
        "continuous lives: from so many players still in new matches go to `late_length`; 0: never.",
    )
    late_length = _whole(0, MAX_MATCH, "continuous lives: the length of these matches, in points.")
    late_until = serializers.TimeField(
        required=False,
        allow_null=True,
        format="%H:%M",
        help_text="continuous: the time at the event until which late entries are possible.",
    )
    missed_points = serializers.ChoiceField(
        [0.0, 0.5], required=False, help_text="swiss: points that a late entry gets for each missed round."
    )
    allow_rematches = _switch("swiss: whether rematches are allowed, as few as possible, if they cannot be avoided.")
    twice = _switch("Tables: whether opponents meet twice.")
    groups = _whole(1, MAX_GROUPS, "groups: number of groups.")
    group_draw = serializers.ChoiceField(
        GROUP_DRAWS, required=False, help_text="groups: `drawn`: by lot behind the seeds; `snake`: by rating."
    )
    qualifiers = _whole(
        1,
        MAX_QUALIFIERS,
        "Qualifiers for the next stage, per group or in all; null in the last stage. Of continuous lives: the places "
        "of the bracket that follows, 8, 16, 32 or 64; each life left takes one; null if only `switch_time` draws it.",
        allow_null=True,
    )
    tiebreaks = serializers.ListField(
        child=serializers.ChoiceField(list(TIEBREAKS)),
        max_length=len(TIEBREAKS),
        required=False,
        help_text="In order; lots always come last. Empty: the defaults of the format.",
    )
    win = serializers.FloatField(
        min_value=0, max_value=MAX_TABLE_POINTS, required=False, help_text="Tables: points for a win."
    )
    loss = serializers.FloatField(
        min_value=0, max_value=MAX_TABLE_POINTS, required=False, help_text="Tables: points for a loss."
    )
    leaver_rule = serializers.ChoiceField(
        [rule.value for rule in LeaverRule],
        required=False,
        help_text="Tables: what the results of a player who withdraws count.",
    )
    until = serializers.DateField(required=False, allow_null=True, help_text="league: the last day.")
    join_until = serializers.DateField(required=False, allow_null=True, help_text="league: the last day to join.")
    unplayed = serializers.ChoiceField(
        [rule.value for rule in Unplayed],
        required=False,
        help_text="league: what a match counts that was not played by `until`: nothing, half a win, or by ruling.",
    )
    moving = _whole(0, 12, "league: number of players promoted and relegated.")
    edition = serializers.ChoiceField(
        [edition.value for edition in Edition],
        required=False,
        help_text="swiss: date of the edition of the FIDE Tie-Break Regulations that unplayed rounds follow.",
    )


class SetStageSerializer(StageFieldsSerializer):
    """A stage with all its settings."""

    number = serializers.IntegerField(help_text="From 1.")


class NewStagesSerializer(serializers.Serializer[Any]):
    """All stages of a division."""

    stages = serializers.ListField(child=StageFieldsSerializer(), min_length=1, max_length=MAX_STAGES)
    tables = serializers.IntegerField(
        min_value=1, max_value=MAX_TABLES, required=False, help_text="Tables of the whole event; unchanged if missing."
    )
    after = serializers.IntegerField(min_value=0, required=False, help_text="The `seq` of the division that you saw.")


class EveningSerializer(serializers.Serializer[Any]):
    """The assumptions of a preview."""

    entries = serializers.IntegerField(min_value=0, max_value=MAX_ENTRIES, required=False)
    tables = serializers.IntegerField(min_value=1, max_value=MAX_TABLES, required=False)
    starts_at = serializers.DateTimeField(required=False)
    closes_at = serializers.DateTimeField(required=False)
    minutes_per_point = serializers.FloatField(min_value=1, max_value=60, required=False)


class WantedOutlineSerializer(EveningSerializer):
    """Stages to preview, and the assumptions."""

    stages = serializers.ListField(child=StageFieldsSerializer(), min_length=1, max_length=MAX_STAGES)


class CountSerializer(serializers.Serializer[Any]):
    """A range; both ends are equal if it does not depend on results."""

    least = serializers.IntegerField()
    most = serializers.IntegerField()


class FinishSerializer(serializers.Serializer[Any]):
    """The expected end, from many simulated evenings."""

    minutes = serializers.FloatField(help_text="Minutes after the start in half of the evenings.")
    late_minutes = serializers.FloatField(help_text="Minutes after the start in nine of ten evenings.")
    at = serializers.DateTimeField()
    late_at = serializers.DateTimeField()


class OutlinedRoundSerializer(serializers.Serializer[Any]):
    """A round; one that may not be needed has counts with a `least` of 0."""

    number = serializers.IntegerField()
    entrants = CountSerializer()
    matches = CountSerializer()
    byes = CountSerializer()
    length = serializers.IntegerField()
    drops = serializers.ListField(child=serializers.CharField(), help_text="Rounds whose losers enter here.")
    finish = FinishSerializer(allow_null=True)


class OutlinedBracketSerializer(serializers.Serializer[Any]):
    """A bracket, or all groups together."""

    key = serializers.CharField()
    pattern = serializers.CharField(allow_blank=True)
    matches = CountSerializer()
    byes = CountSerializer()
    rounds = OutlinedRoundSerializer(many=True)


class ProposedPatternSerializer(serializers.Serializer[Any]):
    """A pattern that suits the field."""

    name = serializers.CharField()
    pattern = serializers.CharField()
    rounds = serializers.IntegerField()
    matches = serializers.IntegerField()
    byes = serializers.IntegerField()


class WaitsSerializer(serializers.Serializer[Any]):
    """What a way to decide the byes of lower brackets costs, by simulation."""

    lower_byes = serializers.ChoiceField([choice.value for choice in LowerByes])
    mean_minutes = serializers.FloatField(help_text="Mean wait of first-round losers for a match of a lower bracket.")
    longest_minutes = serializers.FloatField(help_text="The longest of these waits in an event, on average.")
    rematches = serializers.FloatField(help_text="Expected rematches before the final.")


class OutlinedStageSerializer(serializers.Serializer[Any]):
    """A stage."""

    number = serializers.IntegerField()
    format = serializers.ChoiceField(Stage.Format.choices)
    entrants = serializers.IntegerField()
    matches = CountSerializer()
    byes = CountSerializer()
    rounds = CountSerializer(help_text="Rounds of the main bracket, one after the other.")
    matches_each = CountSerializer(help_text="Matches of one player.")
    groups = serializers.ListField(child=serializers.IntegerField(), help_text="Sizes of the groups.")
    going_on = serializers.IntegerField(help_text="Players who qualify for the next stage.")
    finish = FinishSerializer(allow_null=True)
    patterns = ProposedPatternSerializer(many=True)
    last_chance_patterns = ProposedPatternSerializer(many=True)
    waits = WaitsSerializer(many=True, help_text="For each value of `lower_byes`; empty without a lower bracket.")
    brackets = OutlinedBracketSerializer(many=True)


class RemarkSerializer(serializers.Serializer[Any]):
    """A remark for the director."""

    kind = serializers.ChoiceField([(kind.value, kind.name) for kind in RemarkKind])
    code = serializers.CharField()
    params = serializers.SerializerMethodField()
    stage = serializers.IntegerField(allow_null=True)
    detail = serializers.CharField(help_text="The remark in words.")

    @extend_schema_field(serializers.DictField())
    def get_params(self, remark: dict[str, Any]) -> dict[str, Any]:
        return {
            name: value if isinstance(value, int | float) else str(value) for name, value in remark["params"].items()
        }


class OutlineSerializer(serializers.Serializer[Any]):
    """The preview of a format for a field."""

    possible = serializers.BooleanField(help_text="Whether no remark is an error.")
    entries = serializers.IntegerField()
    matches = CountSerializer()
    byes = CountSerializer()
    rounds = CountSerializer(help_text="Rounds of the main brackets of all stages, one after the other.")
    matches_each = CountSerializer(help_text="Matches of one player.")
    tables = serializers.IntegerField(help_text="Most tables in use at the same time.")
    finish = FinishSerializer(allow_null=True, help_text="Null for a league and for an impossible format.")
    remarks = RemarkSerializer(many=True)
    stages = OutlinedStageSerializer(many=True)


def preview_data(division: Division, stages: Sequence[StageSettings], evening: dict[str, Any]) -> dict[str, Any]:
    """Return the preview of these stages; values missing from `evening` are those of the event."""
    event = division.tournament
    count = evening.get("entries")
    entries = entries_in(division) if count is None else count
    beside = divisions_beside(division)
    everybody = entries + sum(row.entries for row in beside)
    pace = Pace(evening.get("tables") or event.tables_for(everybody), rest=rest_of(event))
    if "minutes_per_point" in evening:
        pace = replace(pace, minutes_per_point=evening["minutes_per_point"])
    starts = evening.get("starts_at") or event.starts_at
    forecast = forecast_stages(
        stages,
        entries,
        default_lengths=division.lengths,
        pace=pace,
        starts=starts.astimezone(ZoneInfo(event.time_zone)),
        closes=evening.get("closes_at"),
        beside=beside,
    )
    data = _forecast(forecast, starts)
    for outlined, stage in zip(data["stages"], forecast.stages, strict=True):
        waits = waits_of_stage(
            stages,
            stage.number,
            stage.entrants,
            default_lengths=division.lengths,
            minutes_per_point=pace.minutes_per_point,
        )
        outlined["waits"] = [_waits_data(byes, own) for byes, own in waits.items()]
    return OutlineSerializer(data).data


def _forecast(forecast: Forecast, starts: datetime) -> dict[str, Any]:
    return {
        "possible": forecast.possible,
        "entries": forecast.entries,
        "matches": forecast.matches,
        "byes": forecast.byes,
        "rounds": forecast.rounds,
        "matches_each": forecast.matches_each,
        "tables": forecast.tables,
        "finish": _finish(forecast.finish, starts),
        "remarks": [_remark(remark) for remark in forecast.remarks],
        "stages": [_stage_data(stage, starts) for stage in forecast.stages],
    }


def _finish(finish: Finish | None, starts: datetime) -> dict[str, Any] | None:
    if finish is None:
        return None
    at, late_at = (starts + timedelta(minutes=minutes) for minutes in (finish.median, finish.late))
    return {"minutes": finish.median, "late_minutes": finish.late, "at": at, "late_at": late_at}


def _remark(remark: Remark) -> dict[str, Any]:
    return {
        "kind": remark.kind.value,
        "code": remark.code,
        "params": remark.params,
        "stage": remark.stage,
        "detail": sentence(remark.code, remark.params),
    }


def _stage_data(stage: StageForecast, starts: datetime) -> dict[str, Any]:
    return {
        "number": stage.number,
        "format": stage.format,
        "entrants": stage.entrants,
        "matches": stage.matches,
        "byes": stage.byes,
        "rounds": stage.rounds,
        "matches_each": stage.matches_each,
        "groups": stage.groups,
        "going_on": stage.going_on,
        "finish": _finish(stage.finish, starts),
        "patterns": [_pattern_data(proposal) for proposal in stage.choices.lower],
        "last_chance_patterns": [_pattern_data(proposal) for proposal in stage.choices.last_chance],
        "brackets": [_bracket(bracket, starts) for bracket in stage.brackets],
    }


def _waits_data(byes: LowerByes, waits: Waits) -> dict[str, Any]:
    return {
        "lower_byes": byes.value,
        "mean_minutes": waits.mean,
        "longest_minutes": waits.longest,
        "rematches": waits.rematches,
    }


def _pattern_data(proposal: PatternProposal) -> dict[str, Any]:
    return {
        "name": proposal.name,
        "pattern": str(proposal.pattern),
        "rounds": len(proposal.rounds),
        "matches": sum(round_.matches for round_ in proposal.rounds),
        "byes": proposal.byes,
    }


def _bracket(bracket: BracketForecast, starts: datetime) -> dict[str, Any]:
    return {
        "key": bracket.key,
        "pattern": bracket.pattern,
        "matches": bracket.matches,
        "byes": bracket.byes,
        "rounds": [_round(round_, starts) for round_ in bracket.rounds],
    }


def _round(round_: RoundForecast, starts: datetime) -> dict[str, Any]:
    return {
        "number": round_.number,
        "entrants": round_.entrants,
        "matches": round_.matches,
        "byes": round_.byes,
        "length": round_.length,
        "drops": round_.drops,
        "finish": _finish(round_.finish, starts),
    }


GROUPS_THEN_KNOCKOUT = [
    {"format": "groups", "groups": 4, "qualifiers": 2, "lengths": [5]},
    {"format": "knockout", "lengths": [7, 9]},
]
EVENING = {
    "entries": 17,
    "tables": 6,
    "starts_at": "2026-11-27T19:00:00+01:00",
    "closes_at": "2026-11-27T23:30:00+01:00",
}


def stages_response(division: Division) -> Response:
    stages = [{"number": number, **_stage(stage)} for number, stage in enumerate(stage_settings(division), start=1)]
    return with_etag(SetStageSerializer(stages, many=True).data, division.seq)


def _stage(settings: StageSettings) -> dict[str, Any]:
    times = {name: getattr(settings, name) or None for name in ("until", "join_until", "switch_time", "late_until")}
    return {**asdict(settings), **times}


def _settings(stages: list[dict[str, Any]]) -> list[StageSettings]:
    result = []
    for stage in stages:
        values = {name: value for name, value in stage.items() if name != "number"}
        for day in ("until", "join_until"):
            if day in values:
                values[day] = values[day].isoformat() if values[day] else ""
        for time_of_day in ("switch_time", "late_until"):
            if time_of_day in values:
                values[time_of_day] = f"{values[time_of_day]:%H:%M}" if values[time_of_day] else ""
        result.append(StageSettings.of(values.pop("format"), values))
    return [*map(with_places, result[:-1]), *result[-1:]]


@open_to(get=Who.EVERYBODY, put=Who.DIRECTORS)
class Stages(DivisionView):
    @extend_schema(
        operation_id="stages_list",
        summary="Get the format of a division",
        responses={200: SetStageSerializer(many=True), **READ},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """Return every setting, including those that the format does not use."""
        return stages_response(self.get_division())

    @extend_schema(
        operation_id="stages_set",
        summary="Set the format of a division",
        description=(
            "Replaces all stages. Only before the draw (else `division_drawn`). Missing settings get their default. "
            "A draft of the draw is discarded. Refused with `stage_qualifiers` if a stage with a successor has no "
            "number of qualifiers, and with the code of whatever is wrong in a stage."
        ),
        parameters=[AFTER],
        request=NewStagesSerializer,
        examples=[
            OpenApiExample(
                "Groups, then a knockout",
                value={"stages": GROUPS_THEN_KNOCKOUT, "tables": 6, "after": 3},
                request_only=True,
            ),
            OpenApiExample(
                "Swiss",
                value={"stages": [{"format": "swiss", "rounds": 5, "tiebreaks": ["buchholz", "wins"]}], "after": 3},
                request_only=True,
            ),
        ],
        responses={200: SetStageSerializer(many=True), **WRITE},
    )
    def put(self, request: Request, **kwargs: str) -> Response:
        division = self.get_division(Role.DIRECTOR)
        fields = validated(NewStagesSerializer, request)
        after = read_after(request, fields)
        set_stages(
            division=division,
            stages=_settings(fields["stages"]),
            tables=fields.get("tables"),
            after=after or 0,
            by=by(request),
            now=timezone.now(),
        )
        division.refresh_from_db()
        return stages_response(division)


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
class OutlineView(DivisionView):
    @extend_schema(
        operation_id="outline_retrieve",
        summary="Preview the format",
        description=(
            "Rounds, matches, byes and the expected finish, for directors. A format that is impossible for this number "
            "of entries is not an error: `possible` is false, and `remarks` give the reasons."
        ),
        parameters=[
            OpenApiParameter("entries", OpenApiTypes.INT, description="Default: the current number of entries."),
            OpenApiParameter("tables", OpenApiTypes.INT, description="Default: the tables of the event."),
            OpenApiParameter("starts_at", OpenApiTypes.DATETIME, description="Default: the start of the event."),
            OpenApiParameter("closes_at", OpenApiTypes.DATETIME, description="When the venue closes."),
            OpenApiParameter("minutes_per_point", OpenApiTypes.FLOAT, description="Speed of play. Default: 11."),
        ],
        responses={200: OutlineSerializer, **WRITE},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        division = self.get_division(Role.DIRECTOR)
        evening = validated_query(EveningSerializer, request)
        return Response(preview_data(division, stage_settings(division), evening))

    @extend_schema(
        operation_id="outline_create",
        summary="Preview another format",
        description="The same for the stages in the body. Nothing is stored.",
        request=WantedOutlineSerializer,
        examples=[
            OpenApiExample("Tonight", value={"stages": GROUPS_THEN_KNOCKOUT, **EVENING}, request_only=True),
        ],
        responses={200: OutlineSerializer, **WRITE},
    )
    @repeated(Repeat.HARMLESS)
    def post(self, request: Request, **kwargs: str) -> Response:
        division = self.get_division(Role.DIRECTOR)
        fields = validated(WantedOutlineSerializer, request)
        return Response(preview_data(division, _settings(fields["stages"]), fields))
