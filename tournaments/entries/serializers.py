"""Serializers of entries, lists of names, withdrawals and check-in, and of the previews of what they change."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from core.text_lengths import LONGEST_NAME
from players.accounts.serializers import PersonSerializer
from players.people.services import MOST_NAMES
from tournaments.entries.forms import DIVISION
from tournaments.models import CheckIn, Entry
from tournaments.state.serializers import ReasonSerializer

SCOPES = ["division", "event"]
"""The scopes of a withdrawal or a return."""


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


class WithdrawalSerializer(ReasonSerializer):
    """From what somebody withdraws."""

    scope = serializers.ChoiceField(SCOPES)


class ScopeSerializer(serializers.Serializer[Any]):
    """Whether a player returns to one division or to the whole event."""

    scope = serializers.ChoiceField(SCOPES, default=DIVISION)


class PresentSerializer(serializers.Serializer[Any]):
    """Whether a player is here, missing, or away until a time: `present`, or `state`."""

    present = serializers.BooleanField(required=False, help_text="True is the state `here`, false is `missing`.")
    state = serializers.ChoiceField(CheckIn.State.choices, required=False)
    until = serializers.DateTimeField(required=False, help_text="When a player who is `away` comes back.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Replace `present` with the `state`; require `until` for a player who is away, and for nobody else."""
        if ("present" in attrs) == ("state" in attrs):
            raise serializers.ValidationError({"state": _("Send either `present` or `state`.")})
        if "present" in attrs:
            attrs["state"] = CheckIn.State.HERE if attrs.pop("present") else CheckIn.State.MISSING
        if (attrs["state"] == CheckIn.State.AWAY) != ("until" in attrs):
            raise serializers.ValidationError({"until": _("Send `until` with `away`, and only then.")})
        return attrs


class AffectedFixtureSerializer(serializers.Serializer[Any]):
    """A match whose players change, or that is played again."""

    number = serializers.IntegerField(help_text="13 is M13.")
    public_id = serializers.CharField()
    before = serializers.CharField()
    after = serializers.CharField()
    remarks = serializers.ListField(child=serializers.CharField())


class EntryPreviewSerializer(serializers.Serializer[Any]):
    """The effects in one division."""

    division = serializers.CharField()
    notes = serializers.ListField(child=serializers.CharField())
    changes = AffectedFixtureSerializer(many=True)


class ReturnPreviewSerializer(serializers.Serializer[Any]):
    """The effects of a return."""

    seen = serializers.CharField(help_text="Send it with the return, which is `stale` if anything has changed.")
    divisions = EntryPreviewSerializer(many=True)


class ReturnSerializer(ReasonSerializer):
    """A return after a withdrawal."""

    scope = serializers.ChoiceField(SCOPES)
    seen = serializers.CharField(max_length=64, help_text="The value from the preview.")


class UndoPreviewSerializer(serializers.Serializer[Any]):
    """The effects of a late entry, or of undoing one."""

    after = serializers.IntegerField(help_text="Send it with the change, which is `stale` if anything has changed.")
    divisions = EntryPreviewSerializer(many=True)


class UndoSerializer(ReasonSerializer):
    """A late entry to undo."""

    after = serializers.IntegerField(min_value=0, help_text="The value from the preview.")


class EventLinkSerializer(serializers.Serializer[Any]):
    """A player's personal link for an event."""

    url = serializers.URLField()
    generation = serializers.IntegerField(help_text="How often the link was revoked.")
