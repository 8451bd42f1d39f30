"""What the rows of acts have in common."""

from django.conf import settings
from django.db import models
from django.utils import timezone


class Recorded(models.Model):
    """A row that says when something was done, and by whom: nobody, if the site did it or the account is deleted."""

    at = models.DateTimeField(default=timezone.now, editable=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        abstract = True
        ordering = ("at", "pk")
