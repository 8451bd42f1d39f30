"""Serializers of corrections."""

from typing import Any

from rest_framework import serializers

from core.text_lengths import LONGEST_NOTE
from matches.lifecycle.finish import ENDINGS
from matches.models import Result
from tournaments.models import Correction
from tournaments.results.api.fixture_serializers import ScoreField
from tournaments.results.forms.corrections import LONGEST_MARK
from tournaments.state.serializers import StandingResultSerializer


class NewResultSerializer(serializers.Serializer[Any]):
    """The corrected result."""

    winner = serializers.IntegerField(min_value=0, max_value=1, allow_null=True, help_text="null: nobody.")
    score = ScoreField(required=False, allow_null=True)
    kind = serializers.ChoiceField(ENDINGS, default=Result.Kind.PLAYED)
    voided_rated = serializers.BooleanField(
        default=True, help_text="Whether played matches that become void stay rated."
    )


class SeenSerializer(serializers.Serializer[Any]):
    """The state of the preview that a decision is based on."""

    after = serializers.IntegerField(min_value=0, required=False, help_text="The division's `seq` in the preview.")
    mark = serializers.CharField(
        max_length=LONGEST_MARK,
        required=False,
        allow_blank=True,
        help_text="The `mark` of the preview; if it is sent, a match that has begun since makes this `stale`.",
    )
    reason = serializers.CharField(max_length=LONGEST_NOTE, required=False, allow_blank=True)


class NewCorrectionSerializer(NewResultSerializer, SeenSerializer):
    """A corrected result and what should follow from it."""

    choice = serializers.ChoiceField(Correction.Choice.choices)


class ChangedFixtureSerializer(serializers.Serializer[Any]):
    """A fixture that would change."""

    stage = serializers.IntegerField()
    number = serializers.IntegerField(help_text="13 is M13.")
    fixture = serializers.CharField(help_text="Public id.")
    before = serializers.CharField(help_text="The entrants now, as text.")
    after = serializers.CharField(help_text="The entrants afterwards, as text.")
    voided = StandingResultSerializer(allow_null=True, help_text="The result that would become void.")
    returns = StandingResultSerializer(allow_null=True, help_text="A void result that would count again.")
    stopped = serializers.BooleanField(help_text="Whether the match has begun or was reported, and would be stopped.")


class ChangedPlaceSerializer(serializers.Serializer[Any]):
    """An entry whose place or points would change; null: not placed."""

    stage = serializers.IntegerField()
    bracket = serializers.CharField()
    entry = serializers.CharField()
    name = serializers.CharField()
    place_before = serializers.IntegerField(allow_null=True)
    place_after = serializers.IntegerField(allow_null=True)
    points_before = serializers.FloatField(allow_null=True)
    points_after = serializers.FloatField(allow_null=True)


class ChangedRatingSerializer(serializers.Serializer[Any]):
    """A player whose rating would change, in FIBS points."""

    player = serializers.CharField()
    name = serializers.CharField()
    before = serializers.FloatField()
    after = serializers.FloatField()


class ChangedPrizeSerializer(serializers.Serializer[Any]):
    """A published prize that would change, in the currency of the event."""

    entry = serializers.CharField()
    name = serializers.CharField()
    prize = serializers.CharField(help_text="The bracket, table or side pool.")
    before = serializers.CharField(help_text="The amount due now, as text.")
    after = serializers.CharField(help_text="The amount due afterwards, as text.")


class FollowingSerializer(serializers.Serializer[Any]):
    """What follows from one choice."""

    choice = serializers.ChoiceField(Correction.Choice.choices)
    fixtures = ChangedFixtureSerializer(many=True)
    places = ChangedPlaceSerializer(many=True)
    ratings = ChangedRatingSerializer(many=True)
    prizes = ChangedPrizeSerializer(many=True)


class PreviewSerializer(serializers.Serializer[Any]):
    """A correction before it is applied."""

    fixture = serializers.CharField()
    seq = serializers.IntegerField(help_text="Of the division; send it as `after` when applying.")
    mark = serializers.CharField(help_text="Of the matches that would become void; send it as `mark` when applying.")
    standing = StandingResultSerializer()
    result = StandingResultSerializer()
    default = serializers.ChoiceField(Correction.Choice.choices)
    choices = FollowingSerializer(many=True)
    round_to_take_back = serializers.IntegerField(
        allow_null=True,
        help_text="A round paired from this result in which no match has begun: take it back first to pair it again.",
    )


class CorrectionSerializer(serializers.Serializer[Any]):
    """A correction that was applied."""

    public_id = serializers.CharField()
    fixture = serializers.CharField()
    number = serializers.IntegerField(help_text="Of the fixture: 13 is M13.")
    choice = serializers.ChoiceField(Correction.Choice.choices)
    before = StandingResultSerializer()
    after = StandingResultSerializer()
    voided_rated = serializers.BooleanField()
    changed = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()), help_text="[stage, number] of each fixture."
    )
    reason = serializers.CharField(allow_blank=True)
    at = serializers.DateTimeField()
    by = serializers.CharField(allow_null=True, help_text="The user's name.")
    undoes = serializers.CharField(allow_null=True, help_text="The correction that this one undid.")
    undone_by = serializers.CharField(allow_null=True)


class CorrectedSerializer(serializers.Serializer[Any]):
    """The applied correction."""

    correction = CorrectionSerializer(allow_null=True, help_text="null if the result was left unchanged.")
    seq = serializers.IntegerField(help_text="Of the division.")
