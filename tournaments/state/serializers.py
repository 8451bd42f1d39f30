"""Serializers that several packages of the tournaments API use."""

from datetime import datetime
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from matches.lifecycle.play_rules import LONGEST_DAYS, LONGEST_DELAY, LONGEST_OVERTIME
from matches.models import ClockPreset, LiveMatch, Match, PlayMode, Result
from matches.models.matches import LONGEST_MATCH
from players.accounts.serializers import PersonSerializer, ZoneField
from players.people.services.lists import MOST_NAMES
from tournaments.models import Division, Draw, Entry, Fixture, Slot, Stage, Tournament
from tournaments.models.events import LONGEST_NAME, MOST_ENTRIES, MOST_MINOR_UNITS, MOST_ROUNDS
from tournaments.state.forms import LONGEST_REASON
from tournaments.state.stages import round_deadlines

SCOPES = ["division", "event"]
"""The scopes of a withdrawal or a return."""


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
            "deadline_rule", "no_show_loses", "extension_hours", "claim_wait", "records_stand", "play_mode", "clock",
            "overtime_minutes", "turn_days", "bank_days", "flag_rule", "spectators_delay", "deadlines", "seed_hash",
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
        help_text="A player who is 15 minutes late for an appointment loses the match if the opponent claims it.",
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


class EntrySerializer(serializers.ModelSerializer[Entry]):
    """Somebody who takes part."""

    player = PersonSerializer()
    division = serializers.CharField(source="division.public_id")

    class Meta:
        model = Entry
        fields = (
            "public_id", "division", "player", "number", "status", "rating", "checked_in_at", "away_until",
            "entered_at", "withdrawn_at",
        )  # fmt: skip


class NewEntrySerializer(serializers.Serializer[Any]):
    """Somebody to be entered, by name."""

    name = serializers.CharField(max_length=LONGEST_NAME)
    player = serializers.CharField(
        max_length=10,
        required=False,
        allow_blank=True,
        help_text="Public id of a member, or `new` for another player with that name.",
    )
    preview = serializers.BooleanField(
        default=False, help_text="Only preview what a late entry would change, in a division that is being played."
    )
    after = serializers.IntegerField(
        min_value=0, required=False, help_text="Of the preview: refused as `stale` if anything has changed since."
    )


class NameListSerializer(serializers.Serializer[Any]):
    """A list of names."""

    names = serializers.ListField(child=serializers.CharField(max_length=200), min_length=1, max_length=MOST_NAMES)
    choices = serializers.DictField(
        child=serializers.CharField(max_length=10, allow_blank=True),
        required=False,
        help_text=(
            "Place in the list (from 0) -> public id of the player meant, or `new`: somebody else of that name; "
            "empty: leave this name out."
        ),
    )
    preview = serializers.BooleanField(default=False, help_text="Only preview which players the names match.")


class NamedPersonSerializer(serializers.Serializer[Any]):
    """What became of a name."""

    name = serializers.CharField()
    what = serializers.ChoiceField(["member", "new", "returned", "ambiguous", "repeated", "entered"])
    asks = serializers.BooleanField(help_text="Whether it should be looked at: several members, or another spelling.")
    player = PersonSerializer(allow_null=True)
    candidates = PersonSerializer(many=True)


class EnteredSerializer(serializers.Serializer[Any]):
    """What became of a list."""

    lines = NamedPersonSerializer(many=True)
    entries = EntrySerializer(many=True)
    left_out = serializers.ListField(child=serializers.CharField())


class ReasonSerializer(serializers.Serializer[Any]):
    """Why something is done."""

    reason = serializers.CharField(max_length=LONGEST_REASON, required=False, allow_blank=True)


class WithdrawalSerializer(ReasonSerializer):
    """From what somebody withdraws."""

    scope = serializers.ChoiceField(SCOPES)


class AfterSerializer(serializers.Serializer[Any]):
    """What was seen."""

    after = serializers.IntegerField(min_value=0, required=False, help_text="The `seq` you saw.")


class TakeBackSerializer(AfterSerializer):
    """Why something published is taken back; everybody can read it."""

    reason = serializers.CharField(max_length=LONGEST_REASON)


class PlaceSerializer(serializers.Serializer[Any]):
    """A place of the draw."""

    entry = serializers.CharField(allow_null=True, help_text="Public id; null is a bye.")
    number = serializers.IntegerField(allow_null=True, help_text="What the algorithm sorts entries by.")
    name = serializers.CharField(allow_null=True)
    seed = serializers.IntegerField(allow_null=True)


class DrawSerializer(serializers.Serializer[Any]):
    """A draft of the draw, or the published one; the seed is shown when nothing more is drawn from it."""

    stage = serializers.IntegerField(help_text="The stage it is of, from 1.")
    number = serializers.IntegerField()
    round = serializers.IntegerField(help_text="The round that is paired; 0: the whole stage.")
    state = serializers.ChoiceField(Draw.State.choices)
    algorithm = serializers.CharField()
    reason = serializers.CharField()
    made_at = serializers.DateTimeField()
    publish_at = serializers.DateTimeField(allow_null=True, help_text="When the countdown of a draft is over.")
    published_at = serializers.DateTimeField(allow_null=True)
    taken_back_at = serializers.DateTimeField(allow_null=True)
    taken_back_reason = serializers.CharField(allow_blank=True)
    commitment = serializers.IntegerField(allow_null=True, help_text="Its number in the club's list of commitments.")
    seed_hash = serializers.CharField(help_text="SHA-256 of the seed, public since the event was published.")
    seed = serializers.CharField(allow_null=True)
    lots_hash = serializers.CharField(help_text="SHA-256 of the seed of the lots drawn after the draw.")
    lots_seed = serializers.CharField(allow_null=True, help_text="Shown when the stage is over.")
    refusal = serializers.DictField(allow_null=True)
    kept_apart = serializers.BooleanField(help_text="Whether club-mates or pairs were exchanged after the lots.")
    left_out = serializers.ListField(
        child=serializers.CharField(), help_text="Public ids of entries that were left out because they were not here."
    )
    places = PlaceSerializer(many=True)


class StandingResultSerializer(serializers.Serializer[Any]):
    """How a match ended."""

    winner = serializers.IntegerField(allow_null=True, help_text="0, 1, or null: nobody.")
    score = serializers.ListField(
        child=serializers.IntegerField(), allow_null=True, help_text="Points of side 0 and side 1."
    )
    kind = serializers.ChoiceField(Result.Kind.choices)


class SlotSerializer(serializers.Serializer[Any]):
    """One side of a fixture: where its entrant comes from, and who stands there."""

    # DRF's fields have a `source` too, but a field of that name is legal.
    source = serializers.ChoiceField(Slot.Source.choices)  # type: ignore[assignment]
    source_fixture = serializers.IntegerField(allow_null=True, help_text="13 is M13.")
    source_stage = serializers.CharField(
        allow_null=True,
        help_text="`1`, or `1:A` for group A of stage 1; a round that is drawn late: `consolation:3`.",
    )
    source_place = serializers.IntegerField(allow_null=True, help_text="The place, or the seat, there, from 1.")
    status = serializers.ChoiceField(Slot.Status.choices)
    entry = serializers.CharField(allow_null=True)
    absent = serializers.CharField(allow_null=True, help_text="In a walkover: the entry that should have come.")
    name = serializers.CharField(allow_null=True)


class FixtureSerializer(serializers.Serializer[Any]):
    """A fixture as it stands."""

    public_id = serializers.CharField()
    number = serializers.IntegerField()
    status = serializers.ChoiceField(Fixture.Status.choices)
    slots = SlotSerializer(many=True)
    match = serializers.CharField(allow_null=True)
    match_state = serializers.ChoiceField(Match.State.choices, allow_null=True)
    seq = serializers.IntegerField(allow_null=True, help_text="Of the match; what writes take as `after`.")
    due_at = serializers.DateTimeField(allow_null=True)
    result = StandingResultSerializer(allow_null=True)
    bracket_kept = serializers.BooleanField(
        help_text="Whether the result was corrected with the bracket kept, so that it is not the winner who goes on."
    )
    winner_to = serializers.IntegerField(allow_null=True)
    loser_to = serializers.IntegerField(allow_null=True)


class RoundSerializer(serializers.Serializer[Any]):
    """A round."""

    number = serializers.IntegerField()
    name = serializers.CharField()
    length = serializers.IntegerField()
    deadline = serializers.DateTimeField(allow_null=True)
    fixtures = FixtureSerializer(many=True)


class StageSerializer(serializers.Serializer[Any]):
    """A stage of a division."""

    number = serializers.IntegerField()
    format = serializers.ChoiceField(Stage.Format.choices)
    status = serializers.ChoiceField(Stage.Status.choices)


class TreeSerializer(serializers.Serializer[Any]):
    """A bracket."""

    stage = serializers.IntegerField()
    key = serializers.CharField()
    name = serializers.CharField()
    rounds = RoundSerializer(many=True)


class BracketSerializer(serializers.Serializer[Any]):
    """The whole graph of a division."""

    division = serializers.CharField()
    seq = serializers.IntegerField()
    status = serializers.ChoiceField(Division.Status.choices)
    stages = StageSerializer(many=True)
    brackets = TreeSerializer(many=True)


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
