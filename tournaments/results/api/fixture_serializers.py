"""Serializers of requests about a single fixture: its result, a ruling, a later deadline."""

from typing import Any

from django.utils.translation import gettext
from rest_framework import serializers

from core.text_lengths import LONGEST_NOTE
from matches.lifecycle.finish import MOST_POINTS
from tournaments.results.line_parser import LONGEST_LINE
from tournaments.state.serializers import ReasonSerializer


class ScoreField(serializers.ListField):
    """The points of both sides."""

    def __init__(self, **options: Any) -> None:
        child = serializers.IntegerField(min_value=0, max_value=MOST_POINTS)
        super().__init__(child=child, min_length=2, max_length=2, **options)


class PlayedScoreSerializer(serializers.Serializer[Any]):
    """The score of a match that was played."""

    score = ScoreField()
    reason = serializers.CharField(max_length=LONGEST_NOTE, required=False, allow_blank=True)
    after = serializers.IntegerField(min_value=0, required=False, help_text="The match's `seq` you saw.")

    def validate_score(self, score: list[int]) -> list[int]:
        """Refuse a draw."""
        if score[0] == score[1]:
            raise serializers.ValidationError(gettext("Nobody has won."), code="draw")
        return score


class ForfeitSerializer(ReasonSerializer):
    """The side that forfeits, or both."""

    side = serializers.ChoiceField(["0", "1", "both"])
    after = serializers.IntegerField(min_value=0, required=False)


class ObjectionAnswerSerializer(serializers.Serializer[Any]):
    """The answer to a player's objection."""

    objection = serializers.CharField(max_length=10, help_text="Its public id, as in the match.")
    upheld = serializers.BooleanField(help_text="If upheld, the result still has to be corrected.")
    reason = serializers.CharField(max_length=LONGEST_NOTE, help_text="Both players see it.")
    after = serializers.IntegerField(min_value=0, required=False)


class RulingSerializer(serializers.Serializer[Any]):
    """A director's ruling."""

    winner = serializers.IntegerField(min_value=0, max_value=1, allow_null=True)
    score = ScoreField(required=False, allow_null=True)
    reason = serializers.CharField(max_length=LONGEST_NOTE)
    after = serializers.IntegerField(min_value=0, required=False)


class DueSerializer(serializers.Serializer[Any]):
    """A later deadline for one match."""

    due_at = serializers.DateTimeField()
    after = serializers.IntegerField(min_value=0, required=False)


class SideSerializer(ReasonSerializer):
    """Which of the two players withdraws, and from what."""

    side = serializers.IntegerField(min_value=0, max_value=1)
    scope = serializers.ChoiceField(["bracket", "division", "event"], default="bracket")


class WaivedSerializer(serializers.Serializer[Any]):
    """A finding that is waived."""

    code = serializers.CharField(max_length=60)
    game = serializers.IntegerField(allow_null=True, required=False, default=None)
    ply = serializers.IntegerField(allow_null=True, required=False, default=None)


class AcceptRecordSerializer(ReasonSerializer):
    """A rejected record to accept by ruling."""

    submission = serializers.CharField(max_length=10)
    waived = WaivedSerializer(many=True)
    swapped = serializers.BooleanField(required=False, allow_null=True, default=None)
    winner = serializers.IntegerField(
        min_value=0,
        max_value=1,
        required=False,
        allow_null=True,
        default=None,
        help_text="With `score`, if the record is incomplete.",
    )
    score = ScoreField(required=False, allow_null=True, default=None)
    after = serializers.IntegerField(min_value=0, required=False)


class LineSerializer(serializers.Serializer[Any]):
    """A result typed as one line."""

    line = serializers.CharField(max_length=LONGEST_LINE, help_text="`m22 11-7`, `bob 7-4`, `m22 forfeit smith`.")
    division = serializers.CharField(max_length=10, required=False, help_text="Used if the line names no division.")
