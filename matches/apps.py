from django.apps import AppConfig

from players import messages as sentences


class MatchesConfig(AppConfig):
    name = "matches"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Make what this room refuses known to pages, API and command line."""
        from matches.messages import MESSAGES

        sentences.add(MESSAGES)
