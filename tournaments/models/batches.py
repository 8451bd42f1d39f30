"""Stages without rounds: what was paired, taken back and missed, as facts.

Everything else is derived from these and the results: lives left, who is free, who waits why.
"""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core.text_lengths import MAX_NOTE_LENGTH
from players.models import LogEntry

ON_PAPER = "on_paper"
"""The reason of a pair that directors made with cards while the site could not be reached."""


class Batch(models.Model):
    """One decision of the rule: the pairs that were made at one moment. Never changed or deleted."""

    stage = models.ForeignKey("tournaments.Stage", on_delete=models.PROTECT, related_name="batches")
    number = models.PositiveIntegerField(help_text="Number in the stage, from 1.")
    at = models.DateTimeField(default=timezone.now, editable=False)
    by = models.CharField(max_length=6, choices=LogEntry.By)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    forced = models.BooleanField(default=False, help_text="Made by a director before it was due.")
    reason = models.CharField(max_length=MAX_NOTE_LENGTH, blank=True, help_text="Why it was forced. Public.")
    algorithm = models.CharField(max_length=40)
    rule = models.JSONField(default=dict, help_text="The settings of the stage that it was made with.")
    room = models.PositiveSmallIntegerField(help_text="The most pairs that could be made.")
    pool = models.JSONField(default=list, help_text="Who was free, as [entry, lives or matches left, begun, since].")
    playing = models.JSONField(default=list, help_text="The numbers of the matches that were going on.")
    left_out = models.JSONField(default=list, help_text="Who was in and not free, as [entry, reason].")
    private = models.BooleanField(
        default=False, help_text="Whether a pair was not allowed for a reason that is not public."
    )

    class Meta:
        ordering = ("stage", "number")
        verbose_name = "batch"
        verbose_name_plural = "batches"
        constraints: ClassVar = [models.UniqueConstraint(fields=["stage", "number"], name="batch_number_of_stage")]

    def __str__(self) -> str:
        return f"{self.stage} · {self.number}"


class Pairing(models.Model):
    """Two entries that a batch paired. A pairing that was taken back keeps its match number, which is not used again.

    `fixture` is empty once the draw that it began with was taken back.
    """

    class TakenBack(models.TextChoices):
        """Why a pairing was taken back, before its match began but for REPLACED.

        That one stands again when both have their places in the stage again.
        """

        MISSING = "missing", _("a player is missing")
        WRONG_CALL = "wrong_call", _("called by mistake")
        NOT_THESE_TWO = "not_these_two", _("these two are not to meet")
        CORRECTION = "correction", _("an earlier result was corrected")
        WITHDRAWAL = "withdrawal", _("a player has withdrawn")
        DRAW = "draw", _("the draw was taken back")
        TYPED = "typed", _("a slip was typed wrongly")
        GOES_ON = "goes_on", _("a stopped match goes on")
        ENDED = "ended", _("a director ended the stage")
        REPLACED = "replaced", _("another player has the place of one of the two")

    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, related_name="pairings")
    fixture = models.OneToOneField(
        "tournaments.Fixture", on_delete=models.SET_NULL, null=True, blank=True, related_name="pairing"
    )
    number = models.PositiveIntegerField(help_text="The match number.")
    first = models.ForeignKey("tournaments.Entry", on_delete=models.PROTECT, related_name="+")
    second = models.ForeignKey("tournaments.Entry", on_delete=models.PROTECT, related_name="+")
    costs = models.JSONField(default=list, help_text="What the pair cost, the most important first.")
    why = models.JSONField(default=list, help_text="Why these two, as [code, params].")
    reason = models.CharField(max_length=MAX_NOTE_LENGTH, blank=True, help_text="Of a director who set the pair.")
    taken_back = models.CharField(max_length=13, choices=TakenBack, blank=True)
    taken_back_at = models.DateTimeField(null=True, blank=True)
    taken_back_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ("batch", "number")
        verbose_name = "pairing"
        verbose_name_plural = "pairings"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["batch", "number"], name="pairing_number"),
            models.CheckConstraint(
                condition=Q(taken_back="", taken_back_at=None) | (~Q(taken_back="") & Q(taken_back_at__isnull=False)),
                name="pairing_taken_back_at",
            ),
        ]

    def __str__(self) -> str:
        return f"M{self.number}"

    @property
    def pair(self) -> tuple[int, int]:
        """The ids of the two entries."""
        return self.first_id, self.second_id

    @property
    def is_on_paper(self) -> bool:
        """Whether it was made on paper, and not checked against the rule."""
        return any(code == ON_PAPER for code, _params in self.why)


class OpenPairing(models.Model):
    """An entry of a pairing that stands and is not decided. The database refuses a second one of the same entry."""

    entry = models.OneToOneField("tournaments.Entry", on_delete=models.PROTECT, primary_key=True, related_name="+")
    pairing = models.ForeignKey(Pairing, on_delete=models.PROTECT, related_name="+")

    class Meta:
        verbose_name = "open pairing"
        verbose_name_plural = "open pairings"

    def __str__(self) -> str:
        return f"{self.entry} · {self.pairing}"


class MissedMatch(models.Model):
    """Matches that an entry missed: all before it came late, or one while it was away.

    Two of them cost a life or, in a strict stage, each costs one or not by lot.
    """

    stage = models.ForeignKey("tournaments.Stage", on_delete=models.PROTECT, related_name="missed")
    entry = models.ForeignKey("tournaments.Entry", on_delete=models.PROTECT, related_name="missed")
    batch = models.ForeignKey(
        Batch,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="missed",
        help_text="The batch that was made without it; empty for a late entry.",
    )
    count = models.PositiveSmallIntegerField(default=1)
    by_lot = models.BooleanField(
        default=False, help_text="Whether each costs a life or not by lot; otherwise every second one does."
    )
    at = models.DateTimeField(default=timezone.now, editable=False)
    taken_back_at = models.DateTimeField(null=True, blank=True)
    taken_back_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    reason = models.CharField(max_length=MAX_NOTE_LENGTH, blank=True, help_text="Why it was taken back. Public.")

    class Meta:
        ordering = ("stage", "at", "pk")
        verbose_name = "missed match"
        verbose_name_plural = "missed matches"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["batch", "entry"], condition=Q(batch__isnull=False), name="missed_once_per_batch"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.entry} · {self.count}"


class PendingBatch(models.Model):
    """When the next batch of a stage may be due, as it was derived last. Deleting it changes nothing."""

    stage = models.OneToOneField("tournaments.Stage", on_delete=models.CASCADE, related_name="pending_batch")
    due_at = models.DateTimeField(null=True, blank=True, help_text="Empty if only an event can make it due.")
    for_seq = models.PositiveBigIntegerField(help_text="The changes of the event that it was derived from.")

    class Meta:
        verbose_name = "pending batch"
        verbose_name_plural = "pending batches"

    def __str__(self) -> str:
        return f"{self.stage}"
