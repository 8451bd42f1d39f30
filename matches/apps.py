from django.apps import AppConfig

from core import messages


class MatchesConfig(AppConfig):
    name = "matches"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Make known what this room refuses, and what it forgets of an erased person."""
        from matches.records import erasure, refusals

        messages.register(refusals.MESSAGES, refusals.STATUS)
        erasure.connect()
