"""Seasons from before a club used this site, as somebody recorded them: placings and points, imported at once."""

from typing import ClassVar

from django.db import models

from core.name_field import NameField
from core.public_ids import LENGTH, new_public_id
from core.text_lengths import MAX_NAME_LENGTH
from tournaments.models.recorded import Recorded


class PastSeason(Recorded):
    """An imported season. Undoing the import deletes its placings; the row stays and says so."""

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    club = models.ForeignKey("players.Club", on_delete=models.PROTECT, related_name="+")
    name = NameField("name", max_length=MAX_NAME_LENGTH)
    digest = models.CharField(max_length=64, help_text="Of the rows: the same ones are imported once.")
    added = models.ManyToManyField(
        "players.Player", related_name="+", help_text="New members of the import; after an undo, those who stayed."
    )
    counts_in = models.ForeignKey(
        "tournaments.Series",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="past_seasons",
        help_text="The season in which its evenings count.",
    )
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-at", "-pk")
        verbose_name = "imported season"
        verbose_name_plural = "imported seasons"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["club", "digest"], condition=models.Q(undone_at=None), name="past_season_once"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class PastPlacing(models.Model):
    """What an imported season says about one player in one event, or in the whole season if `event` is empty."""

    season = models.ForeignKey(PastSeason, on_delete=models.PROTECT, related_name="placings")
    player = models.ForeignKey("players.Player", on_delete=models.PROTECT, related_name="+")
    event = NameField("event", max_length=MAX_NAME_LENGTH, blank=True)
    day = models.DateField("day", null=True, blank=True)
    place = models.PositiveIntegerField("place", null=True, blank=True)
    points = models.DecimalField("points", max_digits=12, decimal_places=4, null=True, blank=True)

    class Meta:
        ordering = ("season", "day", "event", "place", "pk")
        verbose_name = "imported placing"
        verbose_name_plural = "imported placings"

    def __str__(self) -> str:
        return f"{self.season} · {self.event} · {self.player}"
