"""What programs send of a single fixture: its result, a ruling, a later end."""

from typing import Any

from rest_framework import serializers

from matches.lifecycle.finish import MOST_POINTS
from tournaments.results.line_parser import LONGEST_LINE
from tournaments.state.forms import LONGEST_REASON
from tournaments.state.serializers import ReasonSerializer


class PlayedScoreSerializer(serializers.Serializer[Any]):
    """The score of a match that was played."""

    score = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=MOST_POINTS), min_length=2, max_length=2
    )
    reason = serializers.CharField(max_length=LONGEST_REASON, required=False, allow_blank=True)
    after = serializers.IntegerField(min_value=0, required=False, help_text="The match's `seq` you saw.")

    def validate_score(self, score: list[int]) -> list[int]:
        """Somebody has won."""
        if score[0] == score[1]:
            raise serializers.ValidationError("Nobody has won.", code="draw")
        return score


class ForfeitSerializer(ReasonSerializer):
    """Who gives up a match."""

    side = serializers.ChoiceField(["0", "1", "both"])
    after = serializers.IntegerField(min_value=0, required=False)


class ObjectionAnswerSerializer(serializers.Serializer[Any]):
    """A decision on a player's objection."""

    objection = serializers.CharField(max_length=10, help_text="Its public id, as the match shows it.")
    upheld = serializers.BooleanField(help_text="Upheld, the result is still to be corrected.")
    reason = serializers.CharField(max_length=LONGEST_REASON, help_text="Both players see it.")
    after = serializers.IntegerField(min_value=0, required=False)


class RulingSerializer(serializers.Serializer[Any]):
    """What the director decides."""

    winner = serializers.IntegerField(min_value=0, max_value=1, allow_null=True)
    score = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=MOST_POINTS),
        min_length=2,
        max_length=2,
        required=False,
        allow_null=True,
    )
    reason = serializers.CharField(max_length=LONGEST_REASON)
    after = serializers.IntegerField(min_value=0, required=False)


class DueSerializer(serializers.Serializer[Any]):
    """A later end for one match."""

    due_at = serializers.DateTimeField()
    after = serializers.IntegerField(min_value=0, required=False)


class SideSerializer(ReasonSerializer):
    """Which of two players comes no more, and from what."""

    side = serializers.IntegerField(min_value=0, max_value=1)
    scope = serializers.ChoiceField(["bracket", "division", "event"], default="bracket")


class WaivedSerializer(serializers.Serializer[Any]):
    """A finding that is waived."""

    code = serializers.CharField(max_length=60)
    game = serializers.IntegerField(allow_null=True, required=False, default=None)
    ply = serializers.IntegerField(allow_null=True, required=False, default=None)


class AcceptRecordSerializer(ReasonSerializer):
    """A rejected record, let stand by ruling."""

    submission = serializers.CharField(max_length=10)
    waived = WaivedSerializer(many=True)
    swapped = serializers.BooleanField(required=False, allow_null=True, default=None)
    winner = serializers.IntegerField(
        min_value=0,
        max_value=1,
        required=False,
        allow_null=True,
        default=None,
        help_text="With `score`, where the record comes to no end.",
    )
    score = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=MOST_POINTS),
        min_length=2,
        max_length=2,
        required=False,
        allow_null=True,
        default=None,
    )
    after = serializers.IntegerField(min_value=0, required=False)


class LineSerializer(serializers.Serializer[Any]):
    """A result in one line."""

    line = serializers.CharField(max_length=LONGEST_LINE, help_text="`m22 11-7`, `bob 7-4`, `m22 forfeit smith`.")
    division = serializers.CharField(
        max_length=10, required=False, help_text="The one meant where the line names none."
    )
