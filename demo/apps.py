from django.apps import AppConfig


class DemoConfig(AppConfig):
    name = "demo"

    def ready(self) -> None:
        from core import messages
        from demo import refusals

        messages.register(refusals.MESSAGES, refusals.STATUS)
