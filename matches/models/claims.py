"""What is reported about a match before a result stands."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core.public_ids import LENGTH, new_public_id
from matches.models.matches import Result
from players.models import LogEntry


class Claim(models.Model):
    """A report of how a match ended, with a game record as its evidence if `submission` is set.

    The loser's report is pending for a short time (`stands_at`) and then stands. The winner's waits for the other side
    and stands by itself at `stands_at`, which is set only once that side acted on having seen it. Two different
    reports, or one that is contested, are a dispute. A report from the score sheet has no `side`: nobody signed it, so
    it never stands by itself, never makes a dispute and gives way to any signed report.
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
    side = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text=_("The side that signed the report; empty for one from the score sheet.")
    )
    says_side = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text=_("The side that whoever holds the score sheet says they are.")
    )
    winner = models.PositiveSmallIntegerField()
    score_0 = models.PositiveSmallIntegerField()
    score_1 = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=14, choices=Result.Kind, default=Result.Kind.PLAYED)
    submission = models.ForeignKey(
        "matches.Submission", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    note = models.CharField(max_length=300, blank=True)
    by = models.CharField(max_length=6, choices=LogEntry.By)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    key = models.CharField(max_length=100, blank=True, help_text=_("The Idempotency-Key it came with."))
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    state = models.CharField(max_length=9, choices=State, default=State.OPEN)
    emailed_at = models.DateTimeField(null=True, blank=True, help_text=_("When the other side was written to."))
    seen_at = models.DateTimeField(
        null=True, blank=True, help_text=_("When the other side first acted on having seen it.")
    )
    stands_at = models.DateTimeField(null=True, blank=True, help_text=_("When it stands unanswered."))
    stood_unanswered = models.BooleanField(
        default=False, help_text=_("It came to stand by itself, so the other side may object.")
    )
    answered_at = models.DateTimeField(null=True, blank=True)
    answer_note = models.CharField(max_length=300, blank=True)
    answer_key = models.CharField(max_length=100, blank=True, help_text=_("The Idempotency-Key the answer came with."))

    class Meta:
        ordering = ("created_at", "pk")
        verbose_name = _("claim")
        verbose_name_plural = _("claims")
        indexes: ClassVar = [
            models.Index(fields=["stands_at"], name="claim_due", condition=Q(state="open")),
            models.Index(fields=["id"], name="claim_untold", condition=Q(state="open", emailed_at__isnull=True)),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["match", "side"], condition=Q(state="open"), name="claim_open_once_per_side"
            ),
            models.UniqueConstraint(fields=["match", "key"], condition=~Q(key=""), name="claim_key_of_match"),
            models.CheckConstraint(
                condition=(Q(side__isnull=True) | Q(side__lte=1))
                & (Q(says_side__isnull=True) | Q(says_side__lte=1, side__isnull=True))
                & Q(winner__lte=1),
                name="claim_sides",
            ),
            models.CheckConstraint(
                condition=Q(winner=0, score_0__gt=F("score_1")) | Q(winner=1, score_1__gt=F("score_0")),
                name="claim_winner_leads",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.match_id}: {self.score_0}–{self.score_1}"

    @property
    def is_signed(self) -> bool:
        """Whether it came from a player's account or personal link, and not from the score sheet."""
        return self.side is not None

    @property
    def is_own_loss(self) -> bool:
        """Whether the side that reports it says that it lost."""
        return self.side is not None and self.side != self.winner

    @property
    def score(self) -> tuple[int, int]:
        """Points of side 0 and side 1."""
        return self.score_0, self.score_1
