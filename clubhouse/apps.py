from django.apps import AppConfig


class ClubhouseConfig(AppConfig):
    name = "clubhouse"

    def ready(self) -> None:
        """Connect what becomes of somebody's data when they leave."""
        from clubhouse import privacy

        privacy.connect_erasure()
        privacy.connect_exports()
        privacy.connect_retention()
