"""Serializers of events, divisions and their log."""

from datetime import datetime
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from core.text_lengths import LONGEST_NAME
from matches.lifecycle.play_rules import LONGEST_DAYS, LONGEST_DELAY, LONGEST_NO_SHOW, LONGEST_OVERTIME
from matches.models import ClockPreset, LiveMatch, PlayMode
from matches.models.matches import LONGEST_MATCH
from players.accounts.serializers import ZoneField
from tournaments.models import Division, Tournament
from tournaments.models.events import MOST_ENTRIES, MOST_MINOR_UNITS, MOST_ROUNDS
from tournaments.state.stages import round_deadlines


class EventSerializer(serializers.ModelSerializer[Tournament]):
    """An event."""

    club = serializers.CharField(source="club.slug")

    class Meta:
        model = Tournament
        fields = (
            "public_id", "club", "slug", "name", "status", "starts_at", "ends_at", "closing_rule",
            "check_in_opens_at", "check_in_closes_at", "time_zone", "venue", "about", "currency", "currency_exponent",
            "created_at",
        )  # fmt: skip


class EventFieldsSerializer(serializers.Serializer[Any]):
    """The editable fields of an event."""

    name = serializers.CharField(max_length=LONGEST_NAME)
    starts_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField(required=False, allow_null=True)
    closing_rule = serializers.ChoiceField(
        Tournament.ClosingRule.choices, required=False, help_text="For matches that still run at `ends_at`."
    )
    check_in_opens_at = serializers.DateTimeField(
        required=False, allow_null=True, help_text="For players themselves; null: two hours before the start."
    )
    check_in_closes_at = serializers.DateTimeField(
        required=False, allow_null=True, help_text="Null: when the draw is published."
    )
    time_zone = ZoneField(required=False)
    venue = serializers.CharField(max_length=200, required=False, allow_blank=True)
    about = serializers.CharField(max_length=4000, required=False, allow_blank=True)
    currency = serializers.RegexField(
        r"^(ticket|[A-Z]{3})$", required=False, help_text="`ticket`, or an ISO 4217 code."
    )
    currency_exponent = serializers.IntegerField(min_value=0, max_value=4, required=False)


class NewEventSerializer(EventFieldsSerializer):
    """A new event of a club."""

    club = serializers.CharField(max_length=60, help_text="The slug of the club.")


class DivisionSerializer(serializers.ModelSerializer[Division]):
    """A division and its settings."""

    tournament = serializers.CharField(source="tournament.public_id")
    pool_id = serializers.IntegerField(
        allow_null=True, help_text="A rating pool of the club, or null for that of the site."
    )
    deadlines = serializers.SerializerMethodField(help_text="The deadline of each round, or null.")
    seed_hash = serializers.SerializerMethodField(help_text="SHA-256 of the secret seed of the draw.")

    class Meta:
        model = Division
        fields = (
            "public_id", "tournament", "name", "status", "seq", "self_registration", "closes_at", "capacity", "fee",
            "reentry_until", "reentry_keeps",
            "match_length", "round_lengths", "crawford", "rated", "pool_id", "draw_method", "apart",
            "deadline_rule", "no_show_loses", "no_show_minutes", "extension_hours", "claim_wait", "records_stand",
            "play_mode", "clock", "overtime_minutes", "turn_days", "bank_days", "flag_rule", "spectators_delay",
            "deadlines", "seed_hash",
        )  # fmt: skip

    @extend_schema_field(serializers.ListField(child=serializers.DateTimeField(allow_null=True)))
    def get_deadlines(self, division: Division) -> list[datetime | None]:
        """As set for the first stage."""
        stage = division.stages.order_by("number").first()
        return round_deadlines(stage) if stage else []

    @extend_schema_field(OpenApiTypes.STR)
    def get_seed_hash(self, division: Division) -> str | None:
        """Of the first stage."""
        stage = division.stages.order_by("number").first()
        return stage.seed_hash if stage else None


class DivisionFieldsSerializer(serializers.Serializer[Any]):
    """The settings of a division."""

    name = serializers.CharField(max_length=LONGEST_NAME)
    self_registration = serializers.BooleanField(required=False)
    closes_at = serializers.DateTimeField(required=False, allow_null=True)
    capacity = serializers.IntegerField(min_value=2, max_value=MOST_ENTRIES, required=False, allow_null=True)
    fee = serializers.IntegerField(
        min_value=0, max_value=MOST_MINOR_UNITS, required=False, help_text="In whole minor units."
    )
    reentry_until = serializers.DateTimeField(
        required=False,
        allow_null=True,
        help_text="Until when a player who is out of the main bracket can enter again; null: not at all.",
    )
    reentry_keeps = serializers.BooleanField(
        required=False, help_text="After a re-entry the previous entry plays on in the consolation."
    )
    match_length = serializers.IntegerField(min_value=1, max_value=LONGEST_MATCH, required=False)
    round_lengths = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LONGEST_MATCH),
        max_length=MOST_ROUNDS,
        required=False,
        help_text="By round; the last length applies to all later rounds. Empty: `match_length` for all rounds.",
    )
    crawford = serializers.BooleanField(required=False)
    rated = serializers.BooleanField(required=False)
    pool_id = serializers.IntegerField(
        required=False, allow_null=True, help_text="A rating pool of the club, or null for that of the site."
    )
    draw_method = serializers.ChoiceField(Division.DrawMethod.choices, required=False)
    apart = serializers.BooleanField(required=False)
    deadline_rule = serializers.ChoiceField(Division.DeadlineRule.choices, required=False)
    no_show_loses = serializers.BooleanField(
        required=False,
        help_text="A player who is late for an appointment loses the match if the opponent claims it.",
    )
    no_show_minutes = serializers.IntegerField(
        min_value=1, max_value=LONGEST_NO_SHOW, required=False, help_text="After so many minutes a player is late."
    )
    extension_hours = serializers.IntegerField(min_value=1, max_value=2000, required=False)
    claim_wait = serializers.IntegerField(min_value=60, max_value=2_000_000, required=False, help_text="Seconds.")
    records_stand = serializers.BooleanField(
        required=False, help_text="An accepted record stands at once, whoever sends it; for matches opened from now on."
    )
    play_mode = serializers.ChoiceField(
        PlayMode.choices,
        required=False,
        help_text="Where matches are played: `table` (over the board), `here`, or `either`. Where it is not `table`, "
        "each of the two players may open their match here.",
    )
    clock = serializers.ChoiceField(
        ClockPreset.choices,
        required=False,
        help_text="Of matches played here; like the other settings of play here, for matches opened from now on.",
    )
    overtime_minutes = serializers.IntegerField(min_value=0, max_value=LONGEST_OVERTIME, required=False)
    turn_days = serializers.IntegerField(
        min_value=1, max_value=LONGEST_DAYS, required=False, help_text="Correspondence: days for each turn."
    )
    bank_days = serializers.IntegerField(
        min_value=0, max_value=LONGEST_DAYS, required=False, help_text="Correspondence: days more for the whole match."
    )
    flag_rule = serializers.ChoiceField(LiveMatch.FlagRule.choices, required=False)
    spectators_delay = serializers.IntegerField(
        min_value=0,
        max_value=LONGEST_DELAY,
        required=False,
        allow_null=True,
        help_text="Minutes by which spectators are behind; 0: none; null: they see a match once it is over.",
    )


class ChangedDivisionSerializer(DivisionFieldsSerializer):
    """Settings to be changed, and what was seen."""

    name = serializers.CharField(max_length=LONGEST_NAME, required=False)
    after = serializers.IntegerField(min_value=0, required=False, help_text="The `seq` you saw.")


class DeadlinesSerializer(serializers.Serializer[Any]):
    """When each round ends."""

    deadlines = serializers.ListField(child=serializers.DateTimeField(allow_null=True), max_length=MOST_ROUNDS)
    after = serializers.IntegerField(min_value=0, required=False, help_text="The `seq` you saw.")


class LogSerializer(serializers.Serializer[Any]):
    """One thing that was done."""

    at = serializers.DateTimeField()
    by = serializers.CharField(source="who")
    verb = serializers.CharField()
    topic = serializers.CharField()
    params = serializers.DictField()
    sentence = serializers.SerializerMethodField()

    @extend_schema_field(OpenApiTypes.STR)
    def get_sentence(self, line: Any) -> str:
        """In the language asked for."""
        return " · ".join([f"{line.who} {line.what}", *([line.where] if line.where else []), *line.details])
