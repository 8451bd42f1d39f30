"""Helpers: people who may help at one event without a role in its club."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core.public_ids import LENGTH, new_public_id


class Helper(models.Model):
    """An invitation to help at an event and, once an account has accepted it, a helper until they are removed.

    Of the secret of the link only the hash is stored; the e-mail address is kept only until the link is accepted.
    """

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    tournament = models.ForeignKey("tournaments.Tournament", on_delete=models.PROTECT, related_name="helpers")
    email = models.EmailField(blank=True)
    secret_hash = models.CharField(max_length=64, unique=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    added_at = models.DateTimeField(default=timezone.now, editable=False)
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    expires_at = models.DateTimeField(help_text=_("Until when the invitation can be accepted."))
    accepted_at = models.DateTimeField(null=True, blank=True)
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("added_at", "pk")
        verbose_name = _("helper")
        verbose_name_plural = _("helpers")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["tournament", "user"], condition=Q(removed_at=None), name="helper_once_per_event"
            ),
            models.UniqueConstraint(
                fields=["tournament", "email"], condition=Q(removed_at=None) & ~Q(email=""), name="helper_invited_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tournament} · {self.public_id}"
