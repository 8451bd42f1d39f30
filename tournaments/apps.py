from django.apps import AppConfig

from core import messages
from core.live import publishing


class TournamentsConfig(AppConfig):
    name = "tournaments"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect the signal of results, answer what matches ask about events, and register messages."""
        from formats.errors import MESSAGES as FORMAT_MESSAGES
        from formats.forecast.forecasts import REMARKS
        from matches.lifecycle.events import set_events
        from players.notifications import kinds
        from tournaments import refusals
        from tournaments.floor import notifications as of_floor
        from tournaments.match_events import TournamentEvents
        from tournaments.state import changes, notifications
        from tournaments.state.topics import division_number, event_number, matches_number

        kinds.register(*of_floor.KINDS, *notifications.KINDS, *changes.KINDS)
        publishing.register("division", division_number)
        publishing.register("tournament", event_number)
        publishing.register("matches", matches_number)
        set_events(TournamentEvents())
        messages.register(refusals.MESSAGES, refusals.STATUS)
        messages.register(FORMAT_MESSAGES)
        messages.register(REMARKS)
