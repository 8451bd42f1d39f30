from django.apps import AppConfig


class PlayersConfig(AppConfig):
    name = "players"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the messages of this app, the topic of notifications, and where people write freely."""
        from core import messages
        from core.live import publishing as topics
        from players import refusals
        from players.models import Club, LogEntry
        from players.notifications.services import notifications_number
        from players.people import mentions
        from players.privacy import retention
        from players.privacy import sections as own_sections

        messages.register(refusals.MESSAGES, refusals.STATUS)
        topics.register("notifications", notifications_number)
        mentions.register(Club, "about", club="pk")
        mentions.register(LogEntry, "params", club="club")
        retention.connect()
        own_sections.register(*own_sections.SECTIONS)
