from django.apps import AppConfig


class PlayersConfig(AppConfig):
    name = "players"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the messages of this app, the topic of notifications, and where people write freely."""
        from core import messages
        from core.live import publishing
        from players import refusals
        from players.accounts.security import SECURITY
        from players.clubs.owners import CLUB_OWNER, Ownership
        from players.joining.services import ANSWERED, ASKED
        from players.models import Club, JoinRequest, KeptAct, LogEntry, OwnerOffer
        from players.notifications import kinds
        from players.notifications.expiring_tokens import TOKEN_EXPIRES
        from players.notifications.services import notifications_number
        from players.people import mentions, stored_elsewhere
        from players.privacy import retention, sections

        messages.register(refusals.MESSAGES, refusals.STATUS)
        messages.register(refusals.FOR_PROGRAMS)
        publishing.register("notifications", notifications_number)
        mentions.register(Club, "about", "tagline", "meets", "contact", "imprint", "year_fee", club="pk")
        mentions.register(LogEntry, "params", club="club")
        mentions.register(KeptAct, "label", "content", club="outbox__club", sentences=("params",))
        mentions.register(JoinRequest, "reason", club="club")
        mentions.register(OwnerOffer, "reason", "answer", club="club")
        kinds.register(TOKEN_EXPIRES, SECURITY, ASKED, ANSWERED, CLUB_OWNER)
        stored_elsewhere.register(Ownership())
        retention.connect()
        sections.register(*sections.SECTIONS)
