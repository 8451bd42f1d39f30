"""What the API views of tournaments share, and their common serializers."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import exceptions, serializers
from rest_framework.response import Response

from core.api import read_after, validated
from matches.models import Match, Result
from matches.reporting.serializers import WhereSerializer
from players.accounts.api import by, me
from players.accounts.serializers import LOCATION, PROBLEM, example
from players.actions import FormSerializer
from tournaments.models import Division, Draw, Entry, Fixture, Slot, Stage
from tournaments.state.forms import AfterForm, ReasonForm, UndoPublishedForm


class ReasonSerializer(FormSerializer):
    """Why something is done."""

    class Meta:
        form = ReasonForm


class AfterSerializer(FormSerializer):
    """What was seen."""

    class Meta:
        form = AfterForm


class TakeBackSerializer(FormSerializer):
    """Why something published is taken back; everybody can read it."""

    class Meta:
        form = UndoPublishedForm


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
    groups = serializers.IntegerField(help_text="Number of groups into which the places are divided, in order.")
    apart = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()),
        allow_null=True,
        help_text="Numbers of entries that the draw keeps apart; for directors only.",
    )
    pairing = serializers.DictField(
        allow_null=True,
        help_text="What a round was paired from, once its seed is public; null if that was changed since.",
    )
    pairing_state = serializers.ChoiceField(
        ["secret", "public", "changed"],
        allow_null=True,
        help_text="`secret`: `pairing` is not public yet; `changed`: what the round was paired from was changed since. "
        "Null if the draw is no published round.",
    )
    later_lots = serializers.ListField(
        child=serializers.DictField(), help_text="Lots drawn after the draw, once their seed is public: key, order."
    )


class StandingResultSerializer(serializers.Serializer[Any]):
    """How a match ended."""

    winner = serializers.IntegerField(allow_null=True, help_text="0, 1, or null: nobody.")
    score = serializers.ListField(
        child=serializers.IntegerField(), allow_null=True, help_text="Points of side 0 and side 1."
    )
    kind = serializers.ChoiceField(Result.Kind.choices)


class FixtureResultSerializer(StandingResultSerializer):
    """How the match of a fixture ended."""

    provisional = serializers.BooleanField(help_text="Whether it may still be objected to; it is not rated yet.")


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
    where = WhereSerializer(allow_null=True, help_text="Where the match is; null before and after it.")
    seq = serializers.IntegerField(allow_null=True, help_text="Of the match; what writes take as `after`.")
    due_at = serializers.DateTimeField(allow_null=True)
    result = FixtureResultSerializer(allow_null=True)
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


__all__ = [
    "AFTER",
    "LOCATION",
    "PROBLEM",
    "READ",
    "WRITE",
    "by",
    "example",
    "me",
    "read_after",
    "validated",
    "with_etag",
]

READ = {404: PROBLEM}
"""Error responses of read operations."""
WRITE = {400: PROBLEM, 401: PROBLEM, 403: PROBLEM, 404: PROBLEM, 409: PROBLEM, 422: PROBLEM}
"""Error responses of write operations."""
AFTER = OpenApiParameter(
    "If-Match",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description=(
        "The ETag of the version you saw, which is its `seq` in quotation marks. You can send `after` in the body "
        "instead. If it has changed since, the response is 409 with the code `stale`."
    ),
)


def with_etag(body: Any, seq: int | None, status: int = 200, **headers: str) -> Response:
    """Return a response whose ETag is `seq`."""
    etag = {} if seq is None else {"ETag": f'"{seq}"'}
    return Response(body, status=status, headers={**etag, **headers})


def entry_by_public_id(division: Division, public_id: str, field: str = "entry") -> Entry:
    """Return the entry of this division with this public id; 422 for `field` if there is none."""
    entry = division.entries.select_related("player", "division").filter(public_id=public_id).first()
    if entry is None:
        raise exceptions.ValidationError({field: [_("This division has no such entry.")]}, code="unknown")
    return entry
