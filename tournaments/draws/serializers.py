"""Serializers of draws: rounds, byes, pairs that are kept apart, commitments."""

from typing import Any

from rest_framework import serializers

from core.public_ids import LENGTH
from core.text_lengths import LONGEST_NOTE
from tournaments.draws.selectors.commitments import FATES
from tournaments.formats.settings import BY_ROUND, LONGEST_COUNTDOWN, MOST_ROUNDS, NextRound
from tournaments.formats.swiss.event import ByeKind
from tournaments.models import ByeRequest, Draw, Stage
from tournaments.state.serializers import AfterSerializer, ReasonSerializer, TakeBackSerializer

MOST_PAIRS = 2048


class RequestDrawSerializer(ReasonSerializer):
    """A request for a draft."""

    here_only = serializers.BooleanField(
        default=False, help_text="Leave out whoever is not checked in. Publishing puts them on the waiting list."
    )


class GivenByeSerializer(serializers.Serializer[Any]):
    """An entry without a match in a round: by the pairing (full, sit_out) or requested (half, requested)."""

    entry = serializers.CharField()
    kind = serializers.CharField(help_text=", ".join(kind.value for kind in ByeKind))


class PairedRoundSerializer(serializers.Serializer[Any]):
    """A round as it was paired, in the order of tables; later corrections do not change it."""

    round = serializers.IntegerField()
    draft = serializers.IntegerField(help_text="Number of its draft.")
    published_at = serializers.DateTimeField()
    pairs = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))
    byes = GivenByeSerializer(many=True)


class AskedByeSerializer(serializers.Serializer[Any]):
    """A requested bye."""

    entry = serializers.CharField()
    round = serializers.IntegerField()
    kind = serializers.ChoiceField(ByeRequest.Kind.choices)


class NextRoundSerializer(serializers.Serializer[Any]):
    """The next round; values that only directors may see are null for others."""

    round = serializers.IntegerField()
    state = serializers.ChoiceField(
        ["before_draw", "open", "complete", "requested", "draft", "refused", "over"],
        help_text="`open`: the last round still has open matches; `complete`: the next round can be requested.",
    )
    draft = serializers.IntegerField(allow_null=True)
    publish_at = serializers.DateTimeField(
        allow_null=True, help_text="When the draft is published automatically; shown to everybody."
    )
    outdated = serializers.BooleanField(help_text="Entries, byes or scores have changed since the draft was made.")
    refusal = serializers.DictField(allow_null=True, help_text="Why the round could not be paired: code, params.")
    remarks = serializers.ListField(
        child=serializers.DictField(),
        help_text="`later_round_impossible`: a later round would have no pairing.",
    )


class RoundsSerializer(serializers.Serializer[Any]):
    """A stage that is paired round by round."""

    stage = serializers.IntegerField()
    format = serializers.ChoiceField([(value, label) for value, label in Stage.Format.choices if value in BY_ROUND])
    rounds = serializers.IntegerField(
        allow_null=True, help_text="Planned number; null: until one player is unbeaten, or left."
    )
    allow_rematches = serializers.BooleanField()
    next_round = serializers.ChoiceField(
        [choice.value for choice in NextRound],
        help_text="What happens when a round is complete: `publish` is a draft that is published automatically.",
    )
    countdown = serializers.IntegerField(help_text="Seconds until such a draft is published.")
    paired = PairedRoundSerializer(many=True)
    next = NextRoundSerializer()
    byes = AskedByeSerializer(many=True)


class PairRoundSerializer(AfterSerializer):
    """A request for the next round."""

    reason = serializers.CharField(max_length=LONGEST_NOTE, required=False, allow_blank=True)
    pairs = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField(max_length=LENGTH), min_length=2, max_length=2),
        required=False,
        max_length=MOST_PAIRS,
        help_text="Pairs of entries that are fixed beforehand.",
    )


class TakeBackRoundSerializer(TakeBackSerializer):
    """The round to take back, and the reason."""

    round = serializers.IntegerField(min_value=1, max_value=MOST_ROUNDS)


class ChangeRoundsSerializer(AfterSerializer):
    """New settings; those missing stay as they are."""

    rounds = serializers.IntegerField(min_value=1, max_value=MOST_ROUNDS, required=False)
    allow_rematches = serializers.BooleanField(required=False)
    next_round = serializers.ChoiceField([choice.value for choice in NextRound], required=False)
    countdown = serializers.IntegerField(min_value=0, max_value=LONGEST_COUNTDOWN, required=False)


class TakeBackByeSerializer(serializers.Serializer[Any]):
    """The entry and round of a bye."""

    entry = serializers.CharField(max_length=LENGTH)
    round = serializers.IntegerField(min_value=1, max_value=MOST_ROUNDS)


class AskByeSerializer(TakeBackByeSerializer):
    """A bye to request, and what it is worth."""

    kind = serializers.ChoiceField(ByeRequest.Kind.choices, default=ByeRequest.Kind.HALF.value)


class ApartSerializer(serializers.Serializer[Any]):
    """Two entries, by their public ids."""

    first = serializers.CharField(max_length=LENGTH)
    second = serializers.CharField(max_length=LENGTH)


class CommittedDraftSerializer(serializers.Serializer[Any]):
    """A draft drawn from the seed of a commitment."""

    number = serializers.IntegerField()
    round = serializers.IntegerField(help_text="The round it pairs; 0: the whole stage.")
    state = serializers.ChoiceField(Draw.State.choices)
    seen = serializers.BooleanField(help_text="Whether it was made, so that directors could see it.")
    reason = serializers.CharField(help_text="Why it was drawn again; empty for the first draft.")
    made_at = serializers.DateTimeField()
    published_at = serializers.DateTimeField(allow_null=True)
    taken_back_at = serializers.DateTimeField(allow_null=True)
    taken_back_reason = serializers.CharField()


class CommitmentSerializer(serializers.Serializer[Any]):
    """A commitment of a club. Commitments are never removed; only their fate changes."""

    number = serializers.IntegerField(help_text="Counts the commitments of the club from 1, without gaps.")
    at = serializers.DateTimeField()
    tournament = serializers.CharField(help_text="Public id of the event.")
    tournament_name = serializers.CharField()
    division = serializers.CharField(help_text="Public id of the division.")
    division_name = serializers.CharField()
    stage = serializers.IntegerField()
    seed_hash = serializers.CharField(help_text="SHA-256 of the bytes of the seed for drafts.")
    lots_hash = serializers.CharField(help_text="SHA-256 of the bytes of the seed for lots after the draw.")
    fate = serializers.ChoiceField(list(FATES))
    ended_at = serializers.DateTimeField(allow_null=True)
    reason = serializers.CharField(help_text="Why the draw was taken back.")
    seed = serializers.CharField(allow_null=True, help_text="Null while it is secret.")
    lots_seed = serializers.CharField(allow_null=True, help_text="Null while it is secret.")
    drafts = CommittedDraftSerializer(many=True)
    draws = serializers.CharField(help_text="URL of the division's published draws.")
