"""Serializers of analyses; they describe the data of `matches.analysis.api`."""

from typing import Any

from rest_framework import serializers

from matches.models import Analysis, Decision


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


class PlayedMatchSerializer(serializers.Serializer[Any]):
    """An analysed match of a player."""

    match = serializers.CharField(help_text="Its id.")
    finished_at = serializers.DateTimeField(allow_null=True)
    length = serializers.IntegerField()
    decisions = serializers.IntegerField()
    pr = serializers.FloatField()
    sampling_error = serializers.FloatField()


class PlayerAnalysisSerializer(serializers.Serializer[Any]):
    """How a player has played."""

    decisions = serializers.IntegerField()
    pr = serializers.FloatField()
    sampling_error = serializers.FloatField()
    matches = PlayedMatchSerializer(many=True, help_text="Oldest first; the latest 200.")
