"""The log of who did what."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone


class LogEntry(models.Model):
    """A change somebody made; written in the transaction that makes it, and never changed.

    `topic` is the changed object as a string (`division:ab12…`, `match:…`), so that no foreign keys into other apps
    are needed.
    """

    class By(models.TextChoices):
        USER = "user", "user"
        LINK = "link", "personal link"
        SYSTEM = "system", "system"

    at = models.DateTimeField(default=timezone.now, editable=False)
    by = models.CharField(max_length=6, choices=By)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    club = models.ForeignKey("players.Club", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    topic = models.CharField(max_length=60)
    verb = models.CharField(max_length=40, help_text="A stable code, such as result_entered.")
    params = models.JSONField(default=dict, help_text="What changed, from what to what.")

    class Meta:
        ordering = ("-at", "-pk")
        verbose_name = "log entry"
        verbose_name_plural = "log"
        indexes: ClassVar = [
            models.Index(fields=["topic", "-at"], name="log_topic"),
            models.Index(fields=["club", "-at"], name="log_club"),
        ]

    def __str__(self) -> str:
        return f"{self.verb} · {self.topic}"
