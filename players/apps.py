from django.apps import AppConfig


class PlayersConfig(AppConfig):
    name = "players"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Make what this room refuses known to pages, API and command line."""
        from core import messages
        from players import refusals

        messages.register(refusals.MESSAGES, refusals.STATUS)
