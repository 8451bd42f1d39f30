from django.apps import AppConfig


class PrizesConfig(AppConfig):
    name = "prizes"

    def ready(self) -> None:
        """Say what a correction changes in prizes, and register messages."""
        from dataclasses import asdict

        from core import messages
        from prizes import refusals
        from prizes.prizes import prize_changes
        from tournaments import consequences

        consequences.register("prizes", consequences.Consequence(prize_changes, asdict))
        messages.register(refusals.MESSAGES, refusals.STATUS)
