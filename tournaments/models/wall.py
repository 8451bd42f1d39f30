"""What a director shows on the wall screen of an event."""

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

LONGEST_MESSAGE = 160


class Wall(models.Model):
    """The settings of an event's wall screen; an event without a row has the usual ones."""

    tournament = models.OneToOneField("tournaments.Tournament", on_delete=models.PROTECT, related_name="wall")
    message = models.CharField(_("message"), max_length=LONGEST_MESSAGE, blank=True)
    hidden = models.JSONField(default=list, help_text=_("The parts that are not shown."))
    seconds = models.PositiveSmallIntegerField(
        _("seconds per screen"), default=15, validators=[MinValueValidator(5), MaxValueValidator(120)]
    )

    class Meta:
        verbose_name = _("wall screen")
        verbose_name_plural = _("wall screens")
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(seconds__gte=5, seconds__lte=120), name="wall_seconds"),
        ]

    def __str__(self) -> str:
        return str(self.tournament)
