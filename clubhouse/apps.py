from django.apps import AppConfig


class ClubhouseConfig(AppConfig):
    name = "clubhouse"

    def ready(self) -> None:
        """Connect what becomes of somebody's data when they leave, and register messages."""
        from clubhouse import privacy, refusals
        from core import messages

        privacy.connect_erasure()
        privacy.connect_exports()
        privacy.connect_retention()
        messages.register(refusals.MESSAGES, refusals.STATUS)
