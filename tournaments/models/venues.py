"""The venue of a club, where its events start from: tables, opening hours, and formats of evenings."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone

from core.name_field import NameField
from tournaments.models.floor import MAX_LABEL_LENGTH, Table


class Venue(models.Model):
    """Where a club plays. New events start with its tables and opening hours; later changes do not affect them."""

    club = models.OneToOneField("players.Club", on_delete=models.PROTECT, related_name="+")
    name = NameField("venue", max_length=200, blank=True)
    seq = models.PositiveIntegerField(default=0, help_text="Grows by one with every change.")

    class Meta:
        verbose_name = "venue"
        verbose_name_plural = "venues"

    def __str__(self) -> str:
        return self.name or str(self.club)


class VenueTable(models.Model):
    venue = models.ForeignKey(Venue, on_delete=models.CASCADE, related_name="tables")
    label = NameField("number or name", max_length=MAX_LABEL_LENGTH)
    order = models.PositiveSmallIntegerField(default=0)
    category = models.CharField(
        "category", max_length=10, choices=Table.Category.choices, default=Table.Category.NORMAL
    )

    class Meta:
        ordering = ("venue", "order", "pk")
        verbose_name = "table of a venue"
        verbose_name_plural = "tables of a venue"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["venue", "label"], name="table_label_of_venue"),
        ]

    def __str__(self) -> str:
        return self.label


class OpeningHours(models.Model):
    """When a venue is open on a day of the week. If it closes before it opens, it closes on the next day."""

    venue = models.ForeignKey(Venue, on_delete=models.CASCADE, related_name="hours")
    weekday = models.PositiveSmallIntegerField(help_text="Monday is 0.")
    opens = models.TimeField("opens")
    closes = models.TimeField("closes")

    class Meta:
        ordering = ("venue", "weekday")
        verbose_name = "opening hours"
        verbose_name_plural = "opening hours"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["venue", "weekday"], name="hours_once_per_weekday"),
            models.CheckConstraint(condition=Q(weekday__lte=6), name="hours_weekday"),
        ]

    def __str__(self) -> str:
        return f"{self.weekday} {self.opens:%H:%M}–{self.closes:%H:%M}"


class EveningTemplate(models.Model):
    """The format that a club plays with so many players and tables in so much time."""

    club = models.ForeignKey("players.Club", on_delete=models.PROTECT, related_name="+")
    players = models.PositiveSmallIntegerField()
    tables = models.PositiveSmallIntegerField()
    starts = models.TimeField()
    closes = models.TimeField()
    stages = models.JSONField(help_text="The settings of the stages, in order.")
    lengths = models.JSONField(help_text="The match lengths of the division by round.")
    used_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("-used_at", "-pk")
        verbose_name = "evening template"
        verbose_name_plural = "evening templates"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["club", "players", "tables", "starts", "closes"], name="evening_template_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.players} · {self.tables} · {self.starts:%H:%M}–{self.closes:%H:%M}"
