"""A player's objection to a result that stands although they never answered."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core.public_ids import LENGTH, new_public_id
from core.text_lengths import LONGEST_KEY, LONGEST_NOTE
from players.models import LogEntry


class Objection(models.Model):
    """Raised once, by a side that a provisional result or an unanswered report goes against; a director answers it.

    The result stands until a director changes it.
    """

    class State(models.TextChoices):
        OPEN = "open", _("waiting for a director")
        UPHELD = "upheld", _("upheld")
        DISMISSED = "dismissed", _("dismissed")

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    match = models.ForeignKey("matches.Match", on_delete=models.PROTECT, related_name="objections")
    claim = models.OneToOneField(
        "matches.Claim",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="objection",
        help_text=_("The unanswered report, if the result is based on one."),
    )
    result = models.ForeignKey(
        "matches.Result", on_delete=models.PROTECT, null=True, blank=True, related_name="objections"
    )
    side = models.PositiveSmallIntegerField(help_text=_("The side that objects."))
    reason = models.CharField(max_length=LONGEST_NOTE)
    by = models.CharField(max_length=6, choices=LogEntry.By)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    key = models.CharField(max_length=LONGEST_KEY, blank=True, help_text=_("The Idempotency-Key of the request."))
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    state = models.CharField(max_length=9, choices=State, default=State.OPEN)
    answer = models.CharField(max_length=LONGEST_NOTE, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ("created_at", "pk")
        verbose_name = _("objection")
        verbose_name_plural = _("objections")
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(side__lte=1), name="objection_side"),
            models.UniqueConstraint(fields=["result", "side"], name="objection_once"),
        ]

    def __str__(self) -> str:
        return f"{self.match_id}: {self.state}"
