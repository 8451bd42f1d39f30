"""Pictures that are shown where a page of the site is shared."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone


class SharePicture(models.Model):
    """The picture of a page for links that are shared, drawn by a worker; without `data` it waits for one.

    It is a cache, with one row for each page: all rows may be deleted at any time. A picture is shown only as long as
    `digest` is that of what the page shows to everybody now.
    """

    kind = models.CharField(max_length=8)
    key = models.CharField(max_length=200, help_text="The slugs or public ids in the URL of the page.")
    digest = models.CharField(max_length=32, help_text="Of what the picture shows.")
    data = models.BinaryField(null=True, help_text="PNG; empty until a worker has drawn it.")
    sent_at = models.DateTimeField(default=timezone.now, help_text="When a worker was last notified.")
    claimed_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    used_at = models.DateTimeField(default=timezone.now, help_text="When it was last requested, to the hour.")

    class Meta:
        ordering = ("-used_at", "-pk")
        verbose_name = "picture of a shared page"
        verbose_name_plural = "pictures of shared pages"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["kind", "key"], name="one_share_picture_per_page"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["used_at"], name="share_picture_used"),
            models.Index(fields=["sent_at"], name="share_picture_open", condition=Q(data=None)),
        ]

    def __str__(self) -> str:
        return f"{self.kind}:{self.key}"
