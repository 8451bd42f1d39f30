"""Corrections of results after others had been built on them, as facts: what was chosen, by whom, and why."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core.public_ids import LENGTH, new_public_id
from core.text_lengths import LONGEST_NOTE


class Advance(models.Model):
    """Who advances from a fixture whose result was corrected while keeping the bracket.

    It applies to one version of the result only. In a stage with tables, `places` are the qualifying places that are
    kept for the next stage.
    """

    result = models.OneToOneField("matches.Result", on_delete=models.PROTECT, related_name="+")
    fixture = models.ForeignKey("tournaments.Fixture", on_delete=models.PROTECT, related_name="advances")
    side = models.PositiveSmallIntegerField(null=True, blank=True, help_text=_("0 or 1; empty if nobody advances."))
    places = models.JSONField(default=list, help_text=_("Places that are kept, as (stage, place, entry)."))

    class Meta:
        verbose_name = _("kept bracket")
        verbose_name_plural = _("kept brackets")
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(side__isnull=True) | Q(side__lte=1), name="advance_side"),
        ]

    def __str__(self) -> str:
        return f"{self.fixture} · {self.side}"


class Correction(models.Model):
    """A corrected result. Undoing it is a correction as well."""

    class Choice(models.TextChoices):
        """What follows from the correction."""

        LET_STAND = "let_stand", _("let the result stand")
        KEEP_BRACKET = "keep_bracket", _("correct score, standings and ratings, but keep the bracket")
        CORRECT_ALL = "correct_all", _("correct everything")

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    fixture = models.ForeignKey("tournaments.Fixture", on_delete=models.PROTECT, related_name="corrections")
    before = models.ForeignKey("matches.Result", on_delete=models.PROTECT, related_name="+")
    after = models.OneToOneField("matches.Result", on_delete=models.PROTECT, related_name="+")
    choice = models.CharField(max_length=12, choices=Choice)
    voided_rated = models.BooleanField(default=True, help_text=_("Whether played matches that it voided stay rated."))
    changed = models.JSONField(default=list, help_text=_("Numbers of the fixtures whose players changed."))
    reason = models.CharField(max_length=LONGEST_NOTE, blank=True)
    undoes = models.OneToOneField("self", on_delete=models.PROTECT, null=True, blank=True, related_name="undone_by")
    at = models.DateTimeField(default=timezone.now, editable=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ("-at", "-pk")
        verbose_name = _("correction")
        verbose_name_plural = _("corrections")

    def __str__(self) -> str:
        return f"{self.fixture} · {self.at:%Y-%m-%d}"
