from django.apps import AppConfig

from players import messages as sentences


class MatchesConfig(AppConfig):
    name = "matches"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Make known what this room refuses, and what it forgets of an erased person."""
        from matches import erasure
        from matches.messages import MESSAGES

        sentences.add(MESSAGES)
        erasure.connect()
