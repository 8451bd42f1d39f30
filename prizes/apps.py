from django.apps import AppConfig


class PrizesConfig(AppConfig):
    name = "prizes"

    def ready(self) -> None:
        """Say what a correction changes in prizes."""
        from dataclasses import asdict

        from prizes.prizes import prize_changes
        from tournaments import consequences

        consequences.register("prizes", consequences.Consequence(prize_changes, asdict))
