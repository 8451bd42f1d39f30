"""What the API takes and gives of stages and their outline."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from matches.models.matches import LONGEST_MATCH
from tournaments.draws.design.evening_form import MOST_TABLES
from tournaments.draws.design.forms import MOST_QUALIFIERS
from tournaments.formats.blueprint import MOST_STAGES
from tournaments.formats.forecast.outline import Kind
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
    """A stage as it is set; what is left out is as by default, and what its format does not use is refused."""

    format = serializers.ChoiceField(Stage.Format.choices, help_text="Who meets whom.")
    lengths = _lengths("Match lengths by round, in points; the last one goes on. Empty: the division's.")
    lower_lengths = _lengths("In the consolation or the lower bracket. Empty: as in the main draw.")
    last_lengths = _lengths("In the last chance. Empty: as in the consolation.")
    final_lengths = _lengths("In the final of a double elimination. Empty: the last of `lengths`.")
    pattern = _pattern(
        "progressive, double: who drops when, such as `A.B.|.C.`. Empty: for a double elimination the usual one, in "
        "which the loser of the upper final plays the lower final; for a consolation the one with the fewest byes."
    )
    last_chance = _pattern(
        "progressive: pattern of the bracket fed by the consolation. Empty: its first half of rounds; null: none.",
        allow_null=True,
    )
    second_final = _switch("double: whether the upper winner may lose the first final.")
    rounds = _whole(1, MOST_ROUNDS, "swiss: how many. Null: until only one is unbeaten.", allow_null=True)
    lives = _whole(FEWEST_LIVES, MOST_LIVES, "lives: out after so many losses.")
    order = serializers.ChoiceField(
        [order.value for order in Order], required=False, help_text="swiss: who meets whom among equals."
    )
    next_round = serializers.ChoiceField(
        [choice.value for choice in NextRound],
        required=False,
        help_text=(
            "swiss, lives: when a round is complete the next one waits until it is asked for, becomes a draft for a "
            "director to publish, or publishes itself after `countdown`."
        ),
    )
    countdown = _whole(0, LONGEST_COUNTDOWN, "swiss, lives: seconds until a round publishes itself.")
    missed_points = serializers.ChoiceField(
        [0.0, 0.5], required=False, help_text="swiss: what a late entrant gets for each round he missed."
    )
    allow_rematches = _switch("swiss: whether as few rematches as can be are allowed where none cannot be avoided.")
    twice = _switch("Tables: whether everybody meets everybody twice.")
    groups = _whole(1, MOST_GROUPS, "groups: how many.")
    group_draw = serializers.ChoiceField(
        GROUP_DRAWS, required=False, help_text="groups: filled by lot behind the seeded, or by rating to and fro."
    )
    qualifiers = _whole(
        1, MOST_QUALIFIERS, "How many go on to the next stage, of each group or of all; null in the last stage.",
        allow_null=True,
    )  # fmt: skip
    tiebreaks = serializers.ListField(
        child=serializers.ChoiceField(list(TIEBREAKS)),
        max_length=len(TIEBREAKS),
        required=False,
        help_text="In order; lots are always drawn last. Empty: the usual ones of the format.",
    )
    win = serializers.FloatField(
        min_value=0, max_value=MOST_TABLE_POINTS, required=False, help_text="Tables: points for a win."
    )
    loss = serializers.FloatField(
        min_value=0, max_value=MOST_TABLE_POINTS, required=False, help_text="Tables: points for a loss."
    )
    leaver_rule = serializers.ChoiceField(
        [rule.value for rule in LeaverRule], required=False, help_text="Tables: what results of a leaver count."
    )
    until = serializers.DateField(required=False, allow_null=True, help_text="league: the last day.")
    join_until = serializers.DateField(required=False, allow_null=True, help_text="league: the last day to join.")
    unplayed = serializers.ChoiceField(
        [rule.value for rule in Unplayed],
        required=False,
        help_text="league: what a match counts that was not played `until` then: nothing, half a win, or by ruling.",
    )
    moving = _whole(0, 12, "league: how many go up and down between divisions.")
    edition = serializers.ChoiceField(
        [edition.value for edition in Edition],
        required=False,
        help_text="swiss: the edition of the FIDE Tie-Break Regulations that unplayed rounds follow, by its day.",
    )


class SetStageSerializer(StageFieldsSerializer):
    """A stage with all its settings."""

    number = serializers.IntegerField(help_text="From 1.")


class NewStagesSerializer(serializers.Serializer[Any]):
    """All stages of a division."""

    stages = serializers.ListField(child=StageFieldsSerializer(), min_length=1, max_length=MOST_STAGES)
    tables = serializers.IntegerField(
        min_value=1, max_value=MOST_TABLES, required=False, help_text="Of the whole event; left out: as it is."
    )
    after = serializers.IntegerField(min_value=0, required=False, help_text="The division's `seq` you saw.")


class EveningSerializer(serializers.Serializer[Any]):
    """For whom, where and when."""

    entries = serializers.IntegerField(min_value=0, max_value=MOST_ENTRIES, required=False)
    tables = serializers.IntegerField(min_value=1, max_value=MOST_TABLES, required=False)
    starts_at = serializers.DateTimeField(required=False)
    closes_at = serializers.DateTimeField(required=False)
    minutes_per_point = serializers.FloatField(min_value=1, max_value=60, required=False)


class WantedOutlineSerializer(EveningSerializer):
    """Stages that are not stored, and the evening."""

    stages = serializers.ListField(child=StageFieldsSerializer(), min_length=1, max_length=MOST_STAGES)


class CountSerializer(serializers.Serializer[Any]):
    """How many: equal where it does not depend on results."""

    least = serializers.IntegerField()
    most = serializers.IntegerField()


class FinishSerializer(serializers.Serializer[Any]):
    """When something is over, from many simulated evenings."""

    minutes = serializers.FloatField(help_text="After the start, in half of the evenings.")
    late_minutes = serializers.FloatField(help_text="After the start, in nine of ten.")
    at = serializers.DateTimeField()
    late_at = serializers.DateTimeField()


class OutlinedRoundSerializer(serializers.Serializer[Any]):
    """A round; counts whose least is 0 belong to one that may not be needed."""

    number = serializers.IntegerField()
    entrants = CountSerializer()
    matches = CountSerializer()
    byes = CountSerializer()
    length = serializers.IntegerField()
    drops = serializers.ListField(child=serializers.CharField(), help_text="Whose losers enter here.")
    finish = FinishSerializer(allow_null=True)


class OutlinedBracketSerializer(serializers.Serializer[Any]):
    """A bracket, or all groups together."""

    key = serializers.CharField()
    pattern = serializers.CharField(allow_blank=True)
    matches = CountSerializer()
    byes = CountSerializer()
    rounds = OutlinedRoundSerializer(many=True)


class ProposedPatternSerializer(serializers.Serializer[Any]):
    """A pattern that works for the field."""

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
    rounds = CountSerializer(help_text="One after the other, of the main bracket.")
    matches_each = CountSerializer(help_text="Of one player.")
    groups = serializers.ListField(child=serializers.IntegerField(), help_text="Sizes of groups.")
    going_on = serializers.IntegerField(help_text="To the next stage.")
    finish = FinishSerializer(allow_null=True)
    patterns = ProposedPatternSerializer(many=True)
    last_chance_patterns = ProposedPatternSerializer(many=True)
    brackets = OutlinedBracketSerializer(many=True)


class RemarkSerializer(serializers.Serializer[Any]):
    """What a director should know."""

    kind = serializers.ChoiceField([(kind.value, kind.name) for kind in Kind])
    code = serializers.CharField()
    params = serializers.SerializerMethodField()
    stage = serializers.IntegerField(allow_null=True)
    detail = serializers.CharField(help_text="The sentence.")

    @extend_schema_field(serializers.DictField())
    def get_params(self, remark: dict[str, Any]) -> dict[str, Any]:
        """What the sentence is filled with."""
        return {
            name: value if isinstance(value, int | float) else str(value) for name, value in remark["params"].items()
        }


class OutlineSerializer(serializers.Serializer[Any]):
    """What stages are like for a field."""

    possible = serializers.BooleanField(help_text="Whether no remark is a fault.")
    entries = serializers.IntegerField()
    matches = CountSerializer()
    byes = CountSerializer()
    rounds = CountSerializer(help_text="Of the main brackets of all stages, one after the other.")
    matches_each = CountSerializer(help_text="Of one player.")
    tables = serializers.IntegerField(help_text="Those in use at once at the most.")
    finish = FinishSerializer(allow_null=True, help_text="Null for a league, and where it is not possible.")
    remarks = RemarkSerializer(many=True)
    stages = OutlinedStageSerializer(many=True)
