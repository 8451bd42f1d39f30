from django.apps import AppConfig


class PlayersConfig(AppConfig):
    name = "players"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the messages of this app."""
        from core import messages
        from players import refusals

        messages.register(refusals.MESSAGES, refusals.STATUS)
