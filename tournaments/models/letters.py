"""The letters that members get on the morning after an event (docs/morning.md)."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q


class Letter(models.Model):
    """What one user was sent about one event, so that it is sent once and later changes can be named.

    The page of the letter is computed from the event whenever it is looked at.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    event = models.ForeignKey("tournaments.Tournament", on_delete=models.CASCADE, related_name="letters")
    facts = models.JSONField(
        default=dict, help_text="As sent: results, place, rating and codes of lines, with ids and never names."
    )
    sent_at = models.DateTimeField(null=True, blank=True, help_text="Empty if it was only looked at.")
    corrected_at = models.DateTimeField(null=True, blank=True, help_text="When a correction was sent.")
    dismissed_at = models.DateTimeField(null=True, blank=True, help_text="When its card at home was put away.")

    class Meta:
        ordering = ("pk",)
        verbose_name = "morning letter"
        verbose_name_plural = "morning letters"
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "event"], name="letter_once_per_event")]
        indexes: ClassVar = [
            models.Index(fields=["event"], name="letter_to_correct", condition=Q(corrected_at=None)),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} · {self.event_id}"
