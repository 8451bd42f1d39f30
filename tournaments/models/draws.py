"""Draws, and the commitments made before them, as facts."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from core.text_lengths import MAX_NOTE_LENGTH


class Commitment(models.Model):
    """An item of a club's public list: the hashes of a stage's seeds, published before anything is drawn from them.

    The list is numbered without gaps and its items are never changed or removed, so that no draw can be concealed. The
    status of a commitment follows from its draws, its stage and its end.
    """

    class End(models.TextChoices):
        """Why a commitment ended before its stage did."""

        RETIRED = "retired", "retired"
        ABANDONED = "abandoned", "abandoned"

    club = models.ForeignKey("players.Club", on_delete=models.PROTECT, related_name="+")
    number = models.PositiveIntegerField(help_text="Number in the list of the club, from 1.")
    division = models.ForeignKey("tournaments.Division", on_delete=models.PROTECT, related_name="commitments")
    stage = models.ForeignKey(
        "tournaments.Stage", on_delete=models.SET_NULL, null=True, blank=True, related_name="commitments"
    )
    stage_number = models.PositiveSmallIntegerField()
    seed_hash = models.CharField(max_length=64, help_text="SHA-256 of the seed of the draw.")
    lots_hash = models.CharField(max_length=64, help_text="SHA-256 of the seed of lots drawn after the draw.")
    at = models.DateTimeField(default=timezone.now, editable=False)
    end = models.CharField(max_length=9, choices=End, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(max_length=MAX_NOTE_LENGTH, blank=True)
    seed = models.CharField(max_length=64, blank=True, help_text="Public seed of a retired commitment.")

    class Meta:
        ordering = ("club", "number")
        verbose_name = "commitment"
        verbose_name_plural = "commitments"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["club", "number"], name="commitment_number_of_club"),
            models.UniqueConstraint(fields=["stage"], condition=Q(end=""), name="commitment_once_per_stage"),
        ]

    def __str__(self) -> str:
        return f"{self.club} {self.number}"


class Draw(models.Model):
    """A draft of the draw of a stage or, if rounds are paired one by one, of a round; or the published draw.

    All drafts of a stage share a secret seed, whose hash is public. Each redraw takes the next number, so that
    redrawing until the result is convenient would be visible to everybody.
    """

    class State(models.TextChoices):
        """The state of a draft; a requested one waits for a worker."""

        REQUESTED = "requested", "being drawn"
        DRAFT = "draft", "draft"
        DISCARDED = "discarded", "discarded"
        PUBLISHED = "published", "published"
        TAKEN_BACK = "taken_back", "taken back"

    stage = models.ForeignKey("tournaments.Stage", on_delete=models.PROTECT, related_name="draws")
    number = models.PositiveSmallIntegerField()
    round = models.PositiveSmallIntegerField(default=0, help_text="The round that is paired; 0 for a whole stage.")
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT)
    commitment = models.ForeignKey(
        "tournaments.Commitment", on_delete=models.PROTECT, null=True, blank=True, related_name="draws"
    )
    at_once = models.BooleanField(default=False, help_text="Whether it is published when its countdown is over.")
    publish_at = models.DateTimeField(null=True, blank=True, help_text="When the countdown ends.")
    algorithm = models.CharField(max_length=120, blank=True)
    places = models.JSONField(
        default=list, help_text="Entry ids in bracket order, or pair by pair for a round; null is a bye."
    )
    byes = models.JSONField(default=dict, help_text="For a round: entry id -> kind of bye.")
    basis = models.CharField(max_length=64, blank=True, help_text="Digest of what the pairing of a round depends on.")
    manual = models.JSONField(default=list, help_text="Pairs that a director fixed.")
    left_out = models.JSONField(
        default=list, help_text="Ids of entries that were not here and go on the waiting list; only of a first draw."
    )
    remarks = models.JSONField(default=list, help_text="Players who could not be kept apart, as (code, params).")
    reason = models.CharField(max_length=MAX_NOTE_LENGTH, blank=True, help_text="Reason for a redraw.")
    made_at = models.DateTimeField(default=timezone.now, editable=False)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    claimed_at = models.DateTimeField(null=True, blank=True)
    refusal = models.JSONField(null=True, blank=True, help_text="Code and params, if it could not be drawn.")
    published_at = models.DateTimeField(null=True, blank=True)
    taken_back_at = models.DateTimeField(null=True, blank=True)
    taken_back_reason = models.CharField(
        max_length=MAX_NOTE_LENGTH, blank=True, help_text="Public, like the reason for a redraw."
    )

    class Meta:
        ordering = ("stage", "number")
        verbose_name = "draw"
        verbose_name_plural = "draws"
        indexes: ClassVar = [
            models.Index(fields=["publish_at"], name="draw_to_publish", condition=Q(state="draft")),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["stage", "number"], name="draw_number_of_stage"),
            models.UniqueConstraint(
                fields=["stage", "round"], condition=Q(state="published"), name="draw_published_once"
            ),
            models.UniqueConstraint(
                fields=["stage"], condition=Q(state__in=["requested", "draft"]), name="draw_draft_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.stage} · {self.number}"
