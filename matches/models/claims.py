"""What a player says about his match before anything proves it."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from players.models import LogEntry
from players.public_ids import LENGTH, new_public_id


class Claim(models.Model):
    """A score told by one side.

    The loser's own claim stands at once. The winner's waits for the other side, and stands by itself at
    `stands_at` only if that side was notified. Two different claims, or one that is contested, are a dispute.
    """

    class State(models.TextChoices):
        """What became of it."""

        OPEN = "open", _("waits for an answer")
        STANDS = "stands", _("stands")
        CONTESTED = "contested", _("contested")
        OVERRULED = "overruled", _("overruled")
        WITHDRAWN = "withdrawn", _("withdrawn")

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    match = models.ForeignKey("matches.Match", on_delete=models.PROTECT, related_name="claims")
    side = models.PositiveSmallIntegerField(help_text=_("Who says so."))
    winner = models.PositiveSmallIntegerField()
    score_0 = models.PositiveSmallIntegerField()
    score_1 = models.PositiveSmallIntegerField()
    note = models.CharField(max_length=300, blank=True)
    by = models.CharField(max_length=6, choices=LogEntry.By)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    key = models.CharField(max_length=100, blank=True, help_text=_("The Idempotency-Key it came with."))
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    state = models.CharField(max_length=9, choices=State, default=State.OPEN)
    notified_at = models.DateTimeField(null=True, blank=True, help_text=_("When the other side was told."))
    stands_at = models.DateTimeField(null=True, blank=True, help_text=_("When it stands unanswered."))
    answered_at = models.DateTimeField(null=True, blank=True)
    answer_note = models.CharField(max_length=300, blank=True)
    answer_key = models.CharField(max_length=100, blank=True, help_text=_("The Idempotency-Key the answer came with."))

    class Meta:
        ordering = ("created_at", "pk")
        verbose_name = _("claim")
        verbose_name_plural = _("claims")
        indexes: ClassVar = [
            models.Index(fields=["stands_at"], name="claim_due", condition=Q(state="open")),
            models.Index(fields=["id"], name="claim_untold", condition=Q(state="open", notified_at__isnull=True)),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["match", "side"], condition=Q(state="open"), name="claim_open_once_per_side"
            ),
            models.UniqueConstraint(fields=["match", "key"], condition=~Q(key=""), name="claim_key_of_match"),
            models.CheckConstraint(condition=Q(side__lte=1, winner__lte=1), name="claim_sides"),
            models.CheckConstraint(
                condition=Q(winner=0, score_0__gt=F("score_1")) | Q(winner=1, score_1__gt=F("score_0")),
                name="claim_winner_leads",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.match_id}: {self.score_0}–{self.score_1}"

    @property
    def score(self) -> tuple[int, int]:
        """Points of side 0 and side 1."""
        return self.score_0, self.score_1
