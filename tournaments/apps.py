from django.apps import AppConfig

from matches import occasions
from players import messages as sentences


class TournamentsConfig(AppConfig):
    name = "tournaments"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Listen to the matches below, tell what they are for, and make known what this room refuses."""
        from matches import consequences
        from players.services import merging
        from tournaments import receivers  # noqa: F401, it connects itself
        from tournaments.consequences import tell as tell_consequences
        from tournaments.formats.errors import MESSAGES as FORMAT_MESSAGES
        from tournaments.formats.outline import REMARKS
        from tournaments.occasions import entries_of, places_of, tell
        from tournaments.refusals import MESSAGES
        from tournaments.services.entries import refuse_two_entries

        occasions.add(tell)
        consequences.add(tell_consequences)
        occasions.add_places(places_of)
        occasions.add_entries(entries_of)
        merging.also_check(refuse_two_entries)
        sentences.add(MESSAGES)
        sentences.add(FORMAT_MESSAGES)
        sentences.add(REMARKS)
