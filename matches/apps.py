from django.apps import AppConfig

from core import messages


class MatchesConfig(AppConfig):
    name = "matches"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Make known what this room refuses, and what it forgets of an erased person."""
        from matches.play import refusals as play_refusals
        from matches.records import erasure, refusals

        messages.register(refusals.MESSAGES, refusals.STATUS)
        messages.register(play_refusals.MESSAGES, play_refusals.STATUS)
        erasure.connect()
