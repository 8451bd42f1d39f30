"""Submitted match records and the engine's verdicts on them."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core.name_field import NameField
from core.public_ids import LENGTH, new_public_id
from core.text_lengths import MAX_KEY_LENGTH

MAX_MEBIBYTES = 8
MAX_BYTES = MAX_MEBIBYTES * 1024 * 1024
"""Largest size of a record."""
MAX_FILE_NAME_LENGTH = 200


class Submission(models.Model):
    """A match record as it was sent, and the state of its adjudication.

    The bytes never change. The state is the work queue: the sweep finds every row that is neither done nor failed.
    """

    class Source(models.TextChoices):
        UPLOAD = "upload", "file"
        PASTE = "paste", "pasted text"
        API = "api", "API"

    class State(models.TextChoices):
        QUEUED = "queued", "waiting"
        WORKING = "working", "being checked"
        DONE = "done", "checked"
        FAILED = "failed", "could not be checked"

    class Standing(models.TextChoices):
        """What the record means for its match."""

        NONE = "none", "not sent for a match"
        WAITING = "waiting", _("being checked")
        NAMES = "names", _("names unclear")
        REPORT = "report", _("waiting for the other player")
        STANDS = "stands", _("its result stands")
        REFUSED = "refused", _("not accepted as the result")

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    source = models.CharField(max_length=6, choices=Source)
    file_name = NameField(max_length=MAX_FILE_NAME_LENGTH, blank=True)
    data = models.BinaryField()
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    submitter = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    key = models.CharField(max_length=MAX_KEY_LENGTH, blank=True, help_text="The Idempotency-Key of the request.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    state = models.CharField(max_length=7, choices=State, default=State.QUEUED)
    sent_at = models.DateTimeField(default=timezone.now, help_text="When a worker was last notified.")
    claimed_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    failure = models.CharField(max_length=40, blank=True, help_text="The code of the limit that was exceeded.")

    # Set if the record was sent for a match.
    match = models.ForeignKey(
        "matches.Match", on_delete=models.PROTECT, null=True, blank=True, related_name="submissions"
    )
    side = models.PositiveSmallIntegerField(null=True, blank=True, help_text="The side that sent the record.")
    standing = models.CharField(max_length=7, choices=Standing, default=Standing.NONE)
    swapped = models.BooleanField(null=True, blank=True, help_text="Whether the record's left player is side 1.")
    refusal = models.JSONField(
        null=True, blank=True, help_text="Why it is not accepted as the result: code and params."
    )

    # Set once the record is checked; empty if nothing could be read.
    format = models.CharField(max_length=10, blank=True)
    dialect = models.CharField(max_length=20, blank=True)
    transcript = models.JSONField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at", "-pk")
        verbose_name = "submission"
        verbose_name_plural = "submissions"
        indexes: ClassVar = [
            models.Index(fields=["sha256"], name="submission_sha256"),
            models.Index(fields=["sent_at"], name="submission_open", condition=Q(state__in=["queued", "working"])),
            models.Index(fields=["id"], name="submission_waiting", condition=Q(standing="waiting")),
        ]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(size__lte=MAX_BYTES), name="submission_size"),
            models.UniqueConstraint(
                fields=["match", "sha256"], condition=Q(match__isnull=False), name="submission_once_per_match"
            ),
            models.UniqueConstraint(
                fields=["submitter", "key"],
                condition=Q(submitter__isnull=False) & ~Q(key=""),
                name="submission_key_of_user",
            ),
            models.UniqueConstraint(
                fields=["key"], condition=Q(submitter__isnull=True) & ~Q(key=""), name="submission_key_of_nobody"
            ),
        ]

    def __str__(self) -> str:
        return self.public_id

    @property
    def is_open(self) -> bool:
        """Whether the record still has to be checked."""
        return self.state in (self.State.QUEUED, self.State.WORKING)


class Verdict(models.Model):
    """The verdict of one engine version on one submission; written once, never changed."""

    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="verdicts")
    engine_version = models.CharField(max_length=20)
    outcome = models.CharField(max_length=25)
    content = models.JSONField(help_text="As written by matches.records.submissions.as_json.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("created_at", "pk")
        verbose_name = "verdict"
        verbose_name_plural = "verdicts"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["submission", "engine_version"], name="verdict_once_per_engine"),
        ]

    def __str__(self) -> str:
        return f"{self.submission_id}: {self.outcome}"
