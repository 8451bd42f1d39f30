"""What the API of the lobby takes and gives."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext
from rest_framework import serializers
from rest_framework.request import Request

from core.public_ids import LENGTH
from matches.lifecycle.play_rules import LONGEST_DAYS
from matches.models import LONGEST_FRIENDLY, BotPlayer, Challenge, ClockPreset, Match, PracticeLevel
from players.accounts.serializers import PersonSerializer

Json = dict[str, Any]
BOTS = [choice for choice in BotPlayer.Style.choices if choice[0] != BotPlayer.Style.LEVEL]


class StartedMatchSerializer(serializers.Serializer[Any]):
    """The match that a request led to."""

    match = serializers.CharField(allow_null=True, help_text="Public id; null while the other player has not agreed.")
    page = serializers.URLField(allow_null=True)


class NewPracticeSerializer(serializers.Serializer[Any]):
    """A practice match."""

    opponent = serializers.ChoiceField(BOTS, default=BotPlayer.Style.CLUB, source="style")
    level = serializers.ChoiceField(
        PracticeLevel.choices,
        default=None,
        allow_null=True,
        help_text="Instead of `opponent`: the analysis program of the site plays at this level.",
    )
    length = serializers.IntegerField(min_value=1, max_value=LONGEST_FRIENDLY)

    def validate(self, attrs: Json) -> Json:
        """Refuse a bot and a level at once."""
        if attrs["level"] and "opponent" in self.initial_data:
            raise serializers.ValidationError({"opponent": gettext("Choose either an opponent or a level.")})
        return attrs


class NewChallengeSerializer(serializers.Serializer[Any]):
    """The friendly match that is wished for."""

    opponent = serializers.CharField(
        required=False,
        allow_null=True,
        default=None,
        max_length=LENGTH,
        help_text="Public id of a player; null: anybody may accept.",
    )
    length = serializers.IntegerField(min_value=1, max_value=LONGEST_FRIENDLY)
    clock = serializers.ChoiceField(ClockPreset.choices, default=ClockPreset.TABLE)
    turn_days = serializers.IntegerField(
        default=2, min_value=1, max_value=LONGEST_DAYS, help_text="Correspondence: days for each turn."
    )
    rated = serializers.BooleanField(default=False, help_text="Accepting the challenge means accepting this, too.")
    pool_id = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        min_value=1,
        help_text="Of a rated match: a rating pool of a club of both players; null: that of the site.",
    )


class ChallengeSerializer(serializers.Serializer[Any]):
    """A challenge."""

    public_id = serializers.CharField()
    challenger = PersonSerializer()
    opponent = PersonSerializer(allow_null=True, help_text="Null: anybody may accept.")
    length = serializers.IntegerField()
    clock = serializers.ChoiceField(ClockPreset.choices)
    turn_days = serializers.IntegerField()
    rated = serializers.BooleanField()
    not_rated = serializers.ChoiceField(
        Challenge.NotRated.choices,
        allow_blank=True,
        help_text="Why its match is not rated although that is wished, or, until it is accepted, would not be if you "
        "played it now: `address`, `day` (the 4th of you two) or `week` (the 11th).",
    )
    pool_id = serializers.IntegerField(allow_null=True)
    state = serializers.ChoiceField(Challenge.State.choices)
    expires_at = serializers.DateTimeField()


class AcceptChallengeSerializer(serializers.Serializer[Any]):
    """What you have read about the match."""

    not_rated = serializers.ChoiceField(
        Challenge.NotRated.choices,
        required=False,
        allow_blank=True,
        default="",
        help_text="As the challenge has it; 409 `rating_changed` where that has changed since.",
    )


class BlockedSerializer(serializers.Serializer[Any]):
    """A player to block."""

    player = serializers.CharField(max_length=LENGTH, help_text="Public id.")


class ReviewedSerializer(serializers.Serializer[Any]):
    """A friendly match of two players who are listed."""

    match = serializers.CharField(source="match.public_id")
    finished_at = serializers.DateTimeField(source="match.finished_at")
    winner = PersonSerializer(allow_null=True)
    ended_early = serializers.BooleanField(help_text="Conceded or lost on time before the 10th play.")
    rated = serializers.BooleanField(source="is_rated")


class PairSerializer(serializers.Serializer[Any]):
    """Two players whose friendlies of the last 30 days an officer should look at."""

    players = PersonSerializer(many=True)
    matches = ReviewedSerializer(many=True, help_text="The newest first.")


class ReviewSerializer(serializers.Serializer[Any]):
    """Whether a friendly match counts for the ratings, as an officer decides."""

    match = serializers.CharField(max_length=LENGTH, help_text="Public id.")
    rated = serializers.BooleanField()


def started(match: Match | None, request: Request | HttpRequest) -> Json:
    """Data of StartedMatchSerializer."""
    if match is None:
        return {"match": None, "page": None}
    return {
        "match": match.public_id,
        "page": request.build_absolute_uri(reverse("match-play", args=[match.public_id])),
    }
