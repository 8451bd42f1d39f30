"""Codes for signing in without the device of the second factor."""

from typing import ClassVar

from django.conf import settings
from django.db import models


class RecoveryCode(models.Model):
    """One code, of which only the keyed hash is stored; deleted once it was used."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="recovery_codes")
    code_hash = models.CharField(max_length=64)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "code_hash"], name="recovery_code_once")]

    def __str__(self) -> str:
        return f"{self.user_id}"
