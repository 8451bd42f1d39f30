from django.apps import AppConfig


class SeasonsConfig(AppConfig):
    name = "seasons"

    def ready(self) -> None:
        """Count events that are published, say what a correction changes, show seasons elsewhere, register messages."""
        from dataclasses import asdict

        from core import messages
        from players.notifications import kinds
        from seasons import changes, places, refusals, titles
        from seasons.page.season import seasons_of_event
        from tournaments import consequences, panels
        from tournaments.consequences import Consequence

        kinds.register(places.KIND, places.GIVEN_UP)
        consequences.register("seasons", Consequence(changes.season_changes, changes.represented))
        consequences.register("titles", Consequence(titles.division_title_changes, asdict))
        panels.register(panels.Home.EVENT, "seasons", seasons_of_event)
        panels.register(panels.Home.PLAYER, "titles", titles.awarded_titles)
        messages.register(refusals.MESSAGES, refusals.STATUS)
