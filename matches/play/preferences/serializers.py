"""What the API of play preferences takes and returns."""

from rest_framework import serializers

from matches.models import PlayPreferences


class PlayPreferencesSerializer(serializers.ModelSerializer[PlayPreferences]):
    """What happens by itself when you play, what is confirmed, and how the board looks."""

    class Meta:
        model = PlayPreferences
        fields = PlayPreferences.FIELDS
        extra_kwargs = {
            "autoroll": {"help_text": "`no_double`: your page rolls when you may not double."},
            "speed": {"help_text": "Milliseconds in which a checker moves."},
        }
