from django.apps import AppConfig

from players import messages as sentences


class TournamentsConfig(AppConfig):
    name = "tournaments"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Listen to the matches below, and make what this room refuses known to pages, API and command line."""
        from tournaments import receivers  # noqa: F401, it connects itself
        from tournaments.formats.errors import MESSAGES as FORMAT_MESSAGES
        from tournaments.refusals import MESSAGES

        sentences.add(MESSAGES)
        sentences.add(FORMAT_MESSAGES)
