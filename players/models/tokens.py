"""Tokens by which API clients act for an account."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class ApiToken(models.Model):
    """A token of an account. Only the hash of its random key is stored, so it is shown once and never again."""

    class Scope(models.TextChoices):
        """What a token may do, within what its user may do. Every token may read."""

        READ = "read", _("read")
        PLAY = "play", _("play: report and play matches, register for events")
        DIRECT = "direct", _("direct: run events")
        CLUB = "club", _("club: change clubs and their members")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(_("name"), max_length=60)
    key_hash = models.CharField(max_length=64, unique=True, help_text=_("SHA-256 of the key, as hexadecimal digits."))
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_on = models.DateField(null=True, blank=True, help_text=_("A day is enough, and costs one write a day."))

    class Meta:
        ordering: ClassVar = ["-created_at", "-pk"]
        verbose_name = _("API token")
        verbose_name_plural = _("API tokens")

    def __str__(self) -> str:
        return self.name

    @property
    def scope_labels(self) -> list[str]:
        """The scopes as shown to the user."""
        return [str(self.Scope(scope).label) for scope in self.scopes]
