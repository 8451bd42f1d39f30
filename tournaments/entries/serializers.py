"""Serializers of previews of entries: a return, a late entry, undoing a late entry."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from tournaments.entries.forms import DIVISION
from tournaments.models import CheckIn
from tournaments.state.serializers import SCOPES, ReasonSerializer


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
