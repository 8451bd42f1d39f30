from dataclasses import replace

from django.apps import AppConfig

from core import messages
from core.live import publishing


class MatchesConfig(AppConfig):
    name = "matches"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register messages, topics and notifications, and what is erased with a person."""
        from matches import privacy, refusals
        from matches.analysis.access import analysis_number, record_analysis_number
        from matches.lifecycle.notices import worded_contexts
        from matches.play import notifications
        from matches.play.topics import chat_number, lobby_number, match_number, user_number, watch_number
        from matches.ratings import services as ratings
        from matches.reporting.notifications import KINDS
        from players.notifications import kinds

        messages.register(refusals.MESSAGES, refusals.STATUS)
        publishing.register("match", match_number)
        publishing.register("watch", watch_number)
        publishing.register("analysis", analysis_number)
        publishing.register("record-analysis", record_analysis_number)
        publishing.register("chat", chat_number)
        publishing.register("user", user_number)
        publishing.register("lobby", lobby_number)
        of_matches = (*KINDS, *notifications.KINDS)
        kinds.register(*(replace(kind, values=worded_contexts) for kind in of_matches), ratings.KIND)
        privacy.connect_erasure()
        privacy.connect_exports()
        privacy.connect_retention()
