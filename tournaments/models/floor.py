"""The floor of an event: tables, calls, and the wall screen."""

from collections.abc import Sequence
from enum import StrEnum
from typing import ClassVar

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core.name_field import NameField
from core.public_ids import LENGTH, new_public_id
from players.models import LogEntry

# The floor of an event: its tables, its settings, and what directors and players did there, as facts.
#
# Which match is waiting, called or playing, and which table is free, is derived (`tournaments.floor.state`).


MAX_LABEL_LENGTH = 20


class Autopilot(StrEnum):
    """Whether matches are suggested for free tables or called by themselves."""

    SUGGEST = "suggest"
    CALL = "call"


class Floor(models.Model):
    """The floor of an event, with its settings. Its row is the lock for all changes to the floor (docs/locking.md)."""

    tournament = models.OneToOneField("tournaments.Tournament", on_delete=models.PROTECT, related_name="floor")
    seq = models.PositiveIntegerField(default=0, help_text="Grows by one with every change.")
    rest_minutes = models.PositiveSmallIntegerField("minutes of rest between matches", default=5)
    second_call_minutes = models.PositiveSmallIntegerField("minutes until the second call", default=5)
    no_show_minutes = models.PositiveSmallIntegerField("minutes until a player counts as a no-show", default=15)
    penalty_points = models.BooleanField("penalty points for lateness", default=False)
    penalty_first_minutes = models.PositiveSmallIntegerField("minutes until the first penalty point", default=5)
    penalty_each_minutes = models.PositiveSmallIntegerField("minutes for each further penalty point", default=5)
    hold_minutes = models.PositiveSmallIntegerField(
        "minutes for which a match waits for a better one",
        default=15,
        db_default=15,
        help_text="Before a match of a side event is suggested whose players are soon wanted elsewhere; 0: never.",
    )
    opened_at = models.DateTimeField(default=timezone.now, editable=False)
    beside: Sequence["Floor"] = ()
    """The floors that were locked with it (`floor.halls`)."""

    class Meta:
        verbose_name = "floor"
        verbose_name_plural = "floors"

    def __str__(self) -> str:
        return str(self.tournament)


class Table(models.Model):
    class Category(models.TextChoices):
        NORMAL = "normal", _("ordinary")
        STREAM = "stream", _("stream")
        ACCESSIBLE = "accessible", _("accessible")
        RESERVED = "reserved", _("reserved")

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    tournament = models.ForeignKey("tournaments.Tournament", on_delete=models.PROTECT, related_name="floor_tables")
    label = NameField("number or name", max_length=MAX_LABEL_LENGTH)
    order = models.PositiveSmallIntegerField(default=0)
    category = models.CharField("category", max_length=10, choices=Category, default=Category.NORMAL)

    class Meta:
        ordering = ("tournament_id", "order", "pk")
        verbose_name = "table"
        verbose_name_plural = "tables"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tournament", "label"], name="table_label_of_tournament"),
        ]

    def __str__(self) -> str:
        return self.label


class FloorKind(models.TextChoices):
    CALLED = "called", "called"
    CALLED_AGAIN = "called_again", "called again"
    STARTED = "started", "started"
    MOVED = "moved", "moved to another table"
    FREED = "freed", "table freed"
    RUNNING_SCORE = "running_score", "running score"
    LATE = "late", "late"
    REST_WAIVED = "rest_waived", "rest waived"
    PINNED = "pinned", "pinned"
    HELD = "held", "held"
    RELEASED = "released", "released"
    CLOCKS = "clocks", "clocks put on"
    ADJOURNED = "adjourned", "adjourned"
    CONTINUED = "continued", "continued"
    SHORTENED = "shortened", "shortened"
    LENGTH_OFFERED = "length_offered", "shorter length offered"
    LENGTH_ACCEPTED = "length_accepted", "shorter length accepted"
    LENGTH_DECLINED = "length_declined", "shorter length declined"
    LENGTH_WITHDRAWN = "length_withdrawn", "offered length withdrawn"
    PAUSED = "paused", "paused"
    RESUMED = "resumed", "resumed"
    TABLE_OUT = "table_out", "table out of use"
    TABLE_BACK = "table_back", "table back in use"
    AUTOPILOT = "autopilot", "autopilot"
    OWN_HALL = "own_hall", "has a hall of its own"
    NEEDS_ACCESSIBLE = "needs_accessible", "needs an accessible table"
    LEAD_WAIVED = "lead_waived", "nobody waits for it"
    STOPPED = "stopped", "stopped"
    ASKED = "asked", "players asked whether it is over"
    PAIRING_HELD = "pairing_held", "pairing held"
    PAIRING_GOES_ON = "pairing_goes_on", "pairing goes on"
    STAGE_ENDED = "stage_ended", "stage ended"
    START_SET = "start_set", "start score set"
    UNDONE = "undone", "undone"


TYPED_AT = "typed_at"
"""Among the params of a fact that was typed without a connection: when that was; None if it is not known."""


class FloorEvent(models.Model):
    """Something that happened on the floor. Never changed or deleted; another fact undoes it.

    Facts about a match name the fixture and the match with its two players: they apply for as long as these two meet in
    that fixture. Taking back a draw removes its fixtures; what happened on the floor then still names the void match.
    """

    tournament = models.ForeignKey("tournaments.Tournament", on_delete=models.PROTECT, related_name="floor_events")
    kind = models.CharField(max_length=16, choices=FloorKind)
    fixture = models.ForeignKey(
        "tournaments.Fixture", on_delete=models.SET_NULL, null=True, blank=True, related_name="floor_events"
    )
    match = models.ForeignKey("matches.Match", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    table = models.ForeignKey(Table, on_delete=models.PROTECT, null=True, blank=True, related_name="events")
    player = models.ForeignKey("players.Player", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    params = models.JSONField(default=dict)
    undoes = models.OneToOneField("self", on_delete=models.PROTECT, null=True, blank=True, related_name="undone_by")
    at = models.DateTimeField(default=timezone.now, editable=False)
    by = models.CharField(max_length=6, choices=LogEntry.By)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ("pk",)
        verbose_name = "floor event"
        verbose_name_plural = "floor events"
        indexes: ClassVar = [
            models.Index(fields=["match", "kind"], name="floor_event_of_match"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.at:%H:%M}"


class Wall(models.Model):
    """Settings of an event's wall screen; without a row the defaults apply."""

    tournament = models.OneToOneField("tournaments.Tournament", on_delete=models.PROTECT, related_name="wall")
    message = models.CharField("message", max_length=160, blank=True)
    hidden = models.JSONField(default=list, help_text="The parts that are not shown.")
    season_tables = models.JSONField(
        default=list,
        help_text="Public ids of seasons, or with that of a view, as in `k7m2x9q4ab:v3n8w5r2cd`; empty: all seasons.",
    )
    seconds = models.PositiveSmallIntegerField(
        "seconds per screen", default=15, validators=[MinValueValidator(5), MaxValueValidator(120)]
    )

    class Meta:
        verbose_name = "wall screen"
        verbose_name_plural = "wall screens"
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(seconds__gte=5, seconds__lte=120), name="wall_seconds"),
        ]

    def __str__(self) -> str:
        return str(self.tournament)
