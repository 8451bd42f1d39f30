from django.apps import AppConfig

from core import messages
from core.live import publishing as topics


class MatchesConfig(AppConfig):
    name = "matches"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register messages, topics and notifications, and what is erased with a person."""
        from matches.analysis import refusals as analysis_refusals
        from matches.analysis.topics import analysis_number, record_analysis_number
        from matches.play import notifications as of_play
        from matches.play import refusals as play_refusals
        from matches.play.lobby import refusals as lobby_refusals
        from matches.play.topics import chat_number, lobby_number, match_number, user_number, watch_number
        from matches.privacy import erasure, exports, retention
        from matches.ratings import notifications as of_ratings
        from matches.records import refusals
        from matches.reporting.notification_kinds import KINDS
        from players.notifications import kinds

        messages.register(refusals.MESSAGES, refusals.STATUS)
        messages.register(analysis_refusals.MESSAGES, {})
        messages.register(play_refusals.MESSAGES, play_refusals.STATUS)
        messages.register(lobby_refusals.MESSAGES, lobby_refusals.STATUS)
        topics.register("match", match_number)
        topics.register("watch", watch_number)
        topics.register("analysis", analysis_number)
        topics.register("record-analysis", record_analysis_number)
        topics.register("chat", chat_number)
        topics.register("user", user_number)
        topics.register("lobby", lobby_number)
        kinds.register(*KINDS, *of_play.KINDS, of_ratings.KIND)
        erasure.connect()
        exports.connect()
        retention.connect()
