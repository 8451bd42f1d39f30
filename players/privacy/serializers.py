"""Serializers of a person's data."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from core.text_lengths import LONGEST_NAME
from players.models import DataExport


class DataExportSerializer(serializers.ModelSerializer[DataExport]):
    """A copy of everything that is known about a person; a ZIP file with JSON."""

    player = serializers.CharField(source="player.public_id", read_only=True)
    archive = serializers.SerializerMethodField(help_text="Path of the ZIP file; null until the state is `done`.")

    class Meta:
        model = DataExport
        fields = ("public_id", "player", "state", "requested_at", "finished_at", "expires_at", "size", "archive")
        read_only_fields = fields

    @extend_schema_field({"type": "string", "nullable": True})
    def get_archive(self, row: DataExport) -> str | None:
        """Return the path of the file once there is one."""
        return reverse("api-export-archive", args=[row.public_id]) if row.state == DataExport.State.DONE else None


class ErasePersonSerializer(serializers.Serializer[Any]):
    """The password of the account that is to be erased."""

    password = serializers.CharField(trim_whitespace=False, max_length=128, style={"input_type": "password"})


class EraseMemberSerializer(serializers.Serializer[Any]):
    """The name of the player, so that nobody is erased by mistake."""

    name = serializers.CharField(max_length=LONGEST_NAME, help_text="The player's full name, as the club sees it.")
