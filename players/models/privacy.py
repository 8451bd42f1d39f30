"""Copies of everything that is known about a person."""

from collections.abc import Generator
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from core.public_ids import LENGTH, new_public_id


class DataExport(models.Model):
    """A ZIP file with the data of a person, made by a worker; its state is the work queue.

    It is deleted when it expires. Only whoever requested it may download it: the person, or a director of the club that
    entered them.
    """

    class State(models.TextChoices):
        QUEUED = "queued", "waiting"
        WORKING = "working", "being made"
        DONE = "done", "ready"
        FAILED = "failed", "could not be made"

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    player = models.ForeignKey("players.Player", on_delete=models.CASCADE, related_name="+")
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    requested_at = models.DateTimeField(default=timezone.now, editable=False)
    state = models.CharField(max_length=7, choices=State, default=State.QUEUED)
    sent_at = models.DateTimeField(default=timezone.now, help_text="When a worker was last notified.")
    claimed_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    finished_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    size = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ("-requested_at", "-pk")
        verbose_name = "copy of a person's data"
        verbose_name_plural = "copies of people's data"
        indexes: ClassVar = [
            models.Index(fields=["requested_by", "player"], name="export_of"),
            models.Index(fields=["sent_at"], name="export_open", condition=Q(state__in=["queued", "working"])),
        ]

    def __str__(self) -> str:
        return self.public_id

    @property
    def is_open(self) -> bool:
        """Whether it still has to be made."""
        return self.state in (self.State.QUEUED, self.State.WORKING)

    def chunks(self) -> Generator[bytes, None, None]:
        """Yield the file, one part in memory at a time."""
        for data in self.parts.order_by("number").values_list("data", flat=True).iterator(chunk_size=1):
            yield bytes(data)


class DataExportPart(models.Model):
    """A piece of the ZIP file, so that no process has all of it in memory."""

    export = models.ForeignKey(DataExport, on_delete=models.CASCADE, related_name="parts")
    number = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        verbose_name = "part of a copy"
        verbose_name_plural = "parts of copies"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["export", "number"], name="one_part_per_number"),
        ]

    def __str__(self) -> str:
        return f"{self.export_id}/{self.number}"
