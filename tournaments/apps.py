from django.apps import AppConfig

from core import messages
from matches.presentation import context


class TournamentsConfig(AppConfig):
    name = "tournaments"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect signals, register what other apps need to know about events, and register messages."""
        from matches.presentation import consequences
        from players.people.services import merging
        from tournaments.entries.services.entries import refuse_two_entries
        from tournaments.formats.errors import MESSAGES as FORMAT_MESSAGES
        from tournaments.formats.forecast.forecasts import REMARKS
        from tournaments.results import receivers  # noqa: F401, it connects itself
        from tournaments.results.consequences import consequences_of
        from tournaments.standings.context import entries_of, match_contexts, places_of
        from tournaments.state.refusals import MESSAGES, STATUS

        context.register_contexts(match_contexts)
        consequences.register(consequences_of)
        context.register_places(places_of)
        context.register_entries(entries_of)
        merging.also_check(refuse_two_entries)
        messages.register(MESSAGES, STATUS)
        messages.register(FORMAT_MESSAGES)
        messages.register(REMARKS)
