from django.apps import AppConfig

from core import messages
from core.live import topics


class MatchesConfig(AppConfig):
    name = "matches"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the messages of refusals and what is erased with a person."""
        from matches.play import refusals as play_refusals
        from matches.play.topics import match_number
        from matches.records import erasure, refusals

        messages.register(refusals.MESSAGES, refusals.STATUS)
        messages.register(play_refusals.MESSAGES, play_refusals.STATUS)
        topics.register("match", match_number)
        erasure.connect()
