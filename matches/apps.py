from django.apps import AppConfig

from core import messages
from core.live import publishing as topics


class MatchesConfig(AppConfig):
    name = "matches"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register messages, topics and notifications, and what is erased with a person."""
        from matches import privacy as erasure
        from matches import refusals
        from matches.analysis.access import analysis_number, record_analysis_number
        from matches.play import notifications as of_play
        from matches.play.topics import chat_number, lobby_number, match_number, user_number, watch_number
        from matches.ratings import services as of_ratings
        from matches.reporting.notifications import KINDS
        from players.notifications import kinds

        messages.register(refusals.MESSAGES, refusals.STATUS)
        topics.register("match", match_number)
        topics.register("watch", watch_number)
        topics.register("analysis", analysis_number)
        topics.register("record-analysis", record_analysis_number)
        topics.register("chat", chat_number)
        topics.register("user", user_number)
        topics.register("lobby", lobby_number)
        kinds.register(*KINDS, *of_play.KINDS, of_ratings.KIND)
        erasure.connect_erasure()
        erasure.connect_exports()
        erasure.connect_retention()
