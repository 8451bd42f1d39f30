from django.apps import AppConfig


class ClubhouseConfig(AppConfig):
    name = "clubhouse"

    def ready(self) -> None:
        """Connect what becomes of somebody's data when they leave, and register messages."""
        from clubhouse import privacy, refusals
        from clubhouse.letters import sending
        from core import messages
        from players.notifications import kinds

        kinds.register(*sending.KINDS)
        privacy.connect_erasure()
        privacy.connect_exports()
        privacy.connect_retention()
        messages.register(refusals.MESSAGES, refusals.STATUS)
