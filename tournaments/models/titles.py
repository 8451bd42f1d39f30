"""Titles that directors award for a season or an event."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.public_ids import LENGTH, new_public_id
from core.text_lengths import MAX_NOTE_LENGTH
from tournaments.models.recorded import Recorded


class Title(Recorded):
    """A title that a player was awarded, of a season or of a division of an event. A withdrawn one is kept.

    Whether results still support it is derived; nothing but a director changes it.
    """

    class Kind(models.TextChoices):
        CHAMPION = "champion", _("Champion")
        SEASON = "season", _("Season winner")
        WINS = "wins", _("Most wins")
        STREAK = "streak", _("Longest winning streak")
        EVENINGS = "evenings", _("Most evenings")
        NEWCOMER = "newcomer", _("Best newcomer")
        CLASS = "class", _("Best of a class")
        EVENT = "event", _("Winner")

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    club = models.ForeignKey("players.Club", on_delete=models.PROTECT, related_name="+")
    player = models.ForeignKey("players.Player", on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=10, choices=Kind)
    series = models.ForeignKey(
        "tournaments.Series", on_delete=models.PROTECT, related_name="titles", null=True, blank=True
    )
    division = models.ForeignKey(
        "tournaments.Division", on_delete=models.PROTECT, related_name="titles", null=True, blank=True
    )
    day = models.DateField(help_text="The last day of the season, or the day of the event.")
    figure = models.CharField(
        max_length=40,
        blank=True,
        help_text="Points, wins, evenings or the bound of the class when it was awarded.",
    )
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    reason = models.CharField(max_length=MAX_NOTE_LENGTH, blank=True, help_text="Why it was withdrawn.")

    class Meta:
        ordering = ("-day", "kind", "pk")
        verbose_name = "title"
        verbose_name_plural = "titles"
        indexes: ClassVar = [models.Index(fields=["club", "-day"], name="title_of_club")]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(series=None, division__isnull=False) | Q(series__isnull=False, division=None),
                name="title_of_series_or_division",
            ),
            models.UniqueConstraint(
                fields=["series", "kind", "player"],
                condition=Q(withdrawn_at=None, division=None),
                name="title_of_series_once",
            ),
            models.UniqueConstraint(
                fields=["division", "kind", "player"],
                condition=Q(withdrawn_at=None, series=None),
                name="title_of_division_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} · {self.day:%Y}"
