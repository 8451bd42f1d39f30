"""Reports of the result of a match, objections to results, and times that players propose."""

from datetime import datetime
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core.public_ids import LENGTH, new_public_id
from core.text_lengths import MAX_KEY_LENGTH, MAX_NOTE_LENGTH
from matches.models.matches import Result
from players.models import LogEntry

# Reports of the result of a match, before a result stands.


class Claim(models.Model):
    """A report of how a match ended, with a game record if `submission` is set.

    The losing player's report is pending until `stands_at` and then stands. The winner's report waits for the other
    side; `stands_at` is set, and the report stands by itself, only once that side has acted on having seen it. Two
    reports that differ, or one that is contested, make a dispute. A report from the score sheet is unsigned and has no
    `side`: it never stands by itself, never makes a dispute, and is overruled by any signed report. A report that was
    typed without a connection and arrives after the match has changed is late: it is only evidence.
    """

    class State(models.TextChoices):
        OPEN = "open", "waiting for an answer"
        STANDS = "stands", "stands"
        CONTESTED = "contested", "contested"
        OVERRULED = "overruled", "overruled"
        WITHDRAWN = "withdrawn", "withdrawn"
        LATE = "late", "arrived too late"

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    match = models.ForeignKey("matches.Match", on_delete=models.PROTECT, related_name="claims")
    side = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="The side that reports; empty for a report from the score sheet."
    )
    says_side = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="For a report from the score sheet: the player the sender says they are."
    )
    winner = models.PositiveSmallIntegerField()
    score_0 = models.PositiveSmallIntegerField()
    score_1 = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=14, choices=Result.Kind, default=Result.Kind.PLAYED)
    submission = models.ForeignKey(
        "matches.Submission", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    note = models.CharField(max_length=MAX_NOTE_LENGTH, blank=True)
    by = models.CharField(max_length=6, choices=LogEntry.By)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    key = models.CharField(max_length=MAX_KEY_LENGTH, blank=True, help_text="The Idempotency-Key of the request.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    state = models.CharField(max_length=9, choices=State, default=State.OPEN)
    emailed_at = models.DateTimeField(null=True, blank=True, help_text="When an e-mail was sent to the other side.")
    seen_at = models.DateTimeField(
        null=True, blank=True, help_text="When the other side first acted on having seen it."
    )
    stands_at = models.DateTimeField(null=True, blank=True, help_text="When the report stands if it is not answered.")
    stood_unanswered = models.BooleanField(
        default=False, help_text="The report stands although the other side never answered, so they may object."
    )
    answered_at = models.DateTimeField(null=True, blank=True)
    answer_note = models.CharField(max_length=MAX_NOTE_LENGTH, blank=True)
    answer_key = models.CharField(max_length=MAX_KEY_LENGTH, blank=True, help_text="The Idempotency-Key of the answer.")

    class Meta:
        ordering = ("created_at", "pk")
        verbose_name = "report"
        verbose_name_plural = "reports"
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
        """Whether it came from a player's account or personal link rather than from the score sheet."""
        return self.side is not None

    @property
    def is_own_loss(self) -> bool:
        return self.side is not None and self.side != self.winner

    @property
    def score(self) -> tuple[int, int]:
        """Points of side 0 and side 1."""
        return self.score_0, self.score_1


# A player's objection to a result that stands although they never answered.


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
        help_text="The unanswered report, if the result is based on one.",
    )
    result = models.ForeignKey(
        "matches.Result", on_delete=models.PROTECT, null=True, blank=True, related_name="objections"
    )
    side = models.PositiveSmallIntegerField(help_text="The side that objects.")
    reason = models.CharField(max_length=MAX_NOTE_LENGTH)
    by = models.CharField(max_length=6, choices=LogEntry.By)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    key = models.CharField(max_length=MAX_KEY_LENGTH, blank=True, help_text="The Idempotency-Key of the request.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    state = models.CharField(max_length=9, choices=State, default=State.OPEN)
    answer = models.CharField(max_length=MAX_NOTE_LENGTH, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ("created_at", "pk")
        verbose_name = "objection"
        verbose_name_plural = "objections"
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(side__lte=1), name="objection_side"),
            models.UniqueConstraint(fields=["result", "side"], name="objection_once"),
        ]

    def __str__(self) -> str:
        return f"{self.match_id}: {self.state}"


# Times that a player proposes for a match.


MAX_TIMES = 5

NO_SHOW_MINUTES = 15
"""After so many minutes a player has not come to an appointment, where the event says nothing else."""


class Proposal(models.Model):
    """Up to five times that one side proposes; if the other side accepts one, it is binding for both."""

    class State(models.TextChoices):
        OPEN = "open", "waiting for an answer"
        ACCEPTED = "accepted", "accepted"
        COUNTERED = "countered", "answered with other times"
        WITHDRAWN = "withdrawn", "withdrawn"
        REPLACED = "replaced", "replaced by a later appointment"

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    match = models.ForeignKey("matches.Match", on_delete=models.PROTECT, related_name="proposals")
    side = models.PositiveSmallIntegerField(help_text="The side that proposes.")
    times = models.JSONField(help_text="The proposed times in UTC (ISO 8601), earliest first.")
    note = models.CharField(max_length=MAX_NOTE_LENGTH, blank=True)
    by = models.CharField(max_length=6, choices=LogEntry.By)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    key = models.CharField(max_length=MAX_KEY_LENGTH, blank=True, help_text="The Idempotency-Key of the request.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    shown_at = models.DateTimeField(
        null=True, blank=True, help_text="When the other side, signed in, first saw it on a page."
    )

    state = models.CharField(max_length=9, choices=State, default=State.OPEN)
    agreed_at = models.DateTimeField(null=True, blank=True, help_text="The time that was accepted.")
    answered_at = models.DateTimeField(null=True, blank=True)
    answer_key = models.CharField(max_length=MAX_KEY_LENGTH, blank=True, help_text="The Idempotency-Key of the answer.")
    here_0 = models.DateTimeField(null=True, blank=True, help_text="When side 0 came to the appointment.")
    here_1 = models.DateTimeField(null=True, blank=True, help_text="When side 1 came to the appointment.")
    reminded_at = models.DateTimeField(null=True, blank=True, help_text="When the players were reminded last.")

    class Meta:
        ordering = ("created_at", "pk")
        verbose_name = "proposed times"
        verbose_name_plural = "proposed times"
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(side__lte=1), name="proposal_side"),
            models.UniqueConstraint(fields=["match"], condition=Q(state="open"), name="proposal_open_once"),
            models.UniqueConstraint(fields=["match"], condition=Q(state="accepted"), name="proposal_accepted_once"),
            models.UniqueConstraint(fields=["match", "key"], condition=~Q(key=""), name="proposal_key_of_match"),
        ]

    def __str__(self) -> str:
        return f"{self.match_id}: {len(self.times)}"

    @property
    def here(self) -> tuple[datetime | None, datetime | None]:
        """When each side came to the appointment; None for a side that has not."""
        return self.here_0, self.here_1

    @property
    def instants(self) -> list[datetime]:
        """The proposed times, earliest first."""
        return [datetime.fromisoformat(time) for time in self.times]


class CalendarFeed(models.Model):
    """The secret URL under which an account's calendar shows its appointments. Another key revokes the URL."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+")
    key = models.CharField(max_length=LENGTH, unique=True, default=new_public_id)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name = "calendar feed"
        verbose_name_plural = "calendar feeds"

    def __str__(self) -> str:
        return str(self.user)
