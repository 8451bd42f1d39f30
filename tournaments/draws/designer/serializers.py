"""Serializers of stages and of the preview of a format."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from matches.models.matches import LONGEST_MATCH
from tournaments.draws.designer.forms.stage import MOST_QUALIFIERS
from tournaments.events.forms import MOST_TABLES
from tournaments.formats.forecast.forecasts import RemarkKind
from tournaments.formats.plans import MOST_STAGES
from tournaments.formats.settings import (
    FEWEST_LIVES,
    GROUP_DRAWS,
    LONGEST_COUNTDOWN,
    MOST_GROUPS,
    MOST_LIVES,
    MOST_ROUNDS,
    MOST_TABLE_POINTS,
    NextRound,
    StageSettings,
)
from tournaments.formats.swiss.event import Order
from tournaments.formats.tables.records import Edition
from tournaments.formats.tables.round_robin import LeaverRule, Unplayed
from tournaments.formats.tables.tiebreaks import TIEBREAKS
from tournaments.models import Stage
from tournaments.models.events import MOST_ENTRIES

MOST_LENGTHS = 30
LONGEST_PATTERN = 80
USUAL = StageSettings()


def _lengths(help_text: str) -> serializers.ListField:
    return serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LONGEST_MATCH),
        max_length=MOST_LENGTHS,
        required=False,
        help_text=help_text,
    )


def _whole(least: int, most: int, help_text: str, **options: Any) -> serializers.IntegerField:
    return serializers.IntegerField(min_value=least, max_value=most, required=False, help_text=help_text, **options)


def _switch(help_text: str) -> serializers.BooleanField:
    return serializers.BooleanField(required=False, help_text=help_text)


def _pattern(help_text: str, **options: Any) -> serializers.CharField:
    return serializers.CharField(
        max_length=LONGEST_PATTERN, required=False, allow_blank=True, help_text=help_text, **options
    )


class StageFieldsSerializer(serializers.Serializer[Any]):
    """The settings of a stage. Missing ones get their default; those its format does not use are refused."""

    format = serializers.ChoiceField(Stage.Format.choices, help_text="How opponents are found.")
    lengths = _lengths(
        "Match lengths by round, in points; the last one applies to all later rounds. Empty: those of the division."
    )
    lower_lengths = _lengths("Lengths in the consolation or the lower bracket. Empty: as in the main draw.")
    last_lengths = _lengths("Lengths in the last chance. Empty: as in the consolation.")
    final_lengths = _lengths("Length of the final of a double elimination. Empty: the last of `lengths`.")
    pattern = _pattern(
        "progressive, double: when losers enter, such as `A.B.|.C.`. Empty: in a double elimination the standard one, "
        "in which the loser of the upper final plays the lower final; in a consolation the one with the fewest byes."
    )
    last_chance = _pattern(
        "progressive: pattern of the bracket for losers of the consolation. Empty: of its first half; null: none.",
        allow_null=True,
    )
    second_final = _switch("double: whether a second final is played if the upper bracket winner loses the first.")
    rounds = _whole(1, MOST_ROUNDS, "swiss: number of rounds. Null: until one player is unbeaten.", allow_null=True)
    lives = _whole(FEWEST_LIVES, MOST_LIVES, "lives: number of losses after which a player is out.")
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
    countdown = _whole(0, LONGEST_COUNTDOWN, "swiss, lives: seconds until a round is published automatically.")
    missed_points = serializers.ChoiceField(
        [0.0, 0.5], required=False, help_text="swiss: points that a late entry gets for each missed round."
    )
    allow_rematches = _switch("swiss: whether rematches are allowed, as few as possible, if they cannot be avoided.")
    twice = _switch("Tables: whether opponents meet twice.")
    groups = _whole(1, MOST_GROUPS, "groups: number of groups.")
    group_draw = serializers.ChoiceField(
        GROUP_DRAWS, required=False, help_text="groups: `drawn`: by lot behind the seeds; `snake`: by rating."
    )
    qualifiers = _whole(
        1, MOST_QUALIFIERS, "Qualifiers for the next stage, per group or in all; null in the last stage.",
        allow_null=True,
    )  # fmt: skip
    tiebreaks = serializers.ListField(
        child=serializers.ChoiceField(list(TIEBREAKS)),
        max_length=len(TIEBREAKS),
        required=False,
        help_text="In order; lots always come last. Empty: the defaults of the format.",
    )
    win = serializers.FloatField(
        min_value=0, max_value=MOST_TABLE_POINTS, required=False, help_text="Tables: points for a win."
    )
    loss = serializers.FloatField(
        min_value=0, max_value=MOST_TABLE_POINTS, required=False, help_text="Tables: points for a loss."
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

    stages = serializers.ListField(child=StageFieldsSerializer(), min_length=1, max_length=MOST_STAGES)
    tables = serializers.IntegerField(
        min_value=1, max_value=MOST_TABLES, required=False, help_text="Tables of the whole event; unchanged if missing."
    )
    after = serializers.IntegerField(min_value=0, required=False, help_text="The `seq` of the division that you saw.")


class EveningSerializer(serializers.Serializer[Any]):
    """The assumptions of a preview."""

    entries = serializers.IntegerField(min_value=0, max_value=MOST_ENTRIES, required=False)
    tables = serializers.IntegerField(min_value=1, max_value=MOST_TABLES, required=False)
    starts_at = serializers.DateTimeField(required=False)
    closes_at = serializers.DateTimeField(required=False)
    minutes_per_point = serializers.FloatField(min_value=1, max_value=60, required=False)


class WantedOutlineSerializer(EveningSerializer):
    """Stages to preview, and the assumptions."""

    stages = serializers.ListField(child=StageFieldsSerializer(), min_length=1, max_length=MOST_STAGES)


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
        """Return the values that the remark contains."""
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
