from django.apps import AppConfig

from core import messages as sentences


class MatchesConfig(AppConfig):
    name = "matches"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Make known what this room refuses, and what it forgets of an erased person."""
        from matches.records import erasure
        from matches.records.refusals import MESSAGES

        sentences.add(MESSAGES)
        erasure.connect()
