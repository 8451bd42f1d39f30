"""Brackets, rounds, fixtures and slots, and corrections of results."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core.public_ids import LENGTH, new_public_id
from core.text_lengths import MAX_NOTE_LENGTH
from tournaments.models.recorded import Recorded

# The plan of a stage (brackets, rounds, fixtures and the sources of their slots), and the state of each slot.
#
# The plan is written when a draw is published; the states of slots and fixtures are derived by
# `formats.progress` from the plan, the results and the withdrawals.


class Stage(models.Model):
    """A part of a division that is played in one format."""

    class Format(models.TextChoices):
        """The format; see `formats.settings`."""

        KNOCKOUT = "knockout", "knockout"
        PROGRESSIVE = "progressive", "knockout with consolation"
        DOUBLE = "double", "double elimination"
        PLACES = "places", "everybody plays to the end"
        SWISS = "swiss", "Swiss"
        LIVES = "lives", "lives"
        ROUND_ROBIN = "roundrobin", "round robin"
        GROUPS = "groups", "groups"
        LEAGUE = "league", "league"

    class Status(models.TextChoices):
        """Planned, running or finished."""

        PLANNED = "planned", "planned"
        RUNNING = "running", "running"
        FINISHED = "finished", "finished"

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    division = models.ForeignKey("tournaments.Division", on_delete=models.PROTECT, related_name="stages")
    number = models.PositiveSmallIntegerField(default=1)
    format = models.CharField(max_length=11, choices=Format, default=Format.KNOCKOUT)
    settings = models.JSONField(default=dict, help_text="Settings of the format, such as its pattern.")
    status = models.CharField(max_length=8, choices=Status, default=Status.PLANNED)
    seed = models.CharField(max_length=64, help_text="Hexadecimal. Secret until the draw is published.")
    seed_hash = models.CharField(max_length=64, help_text="SHA-256 of the bytes of the seed. Always public.")
    lots_seed = models.CharField(
        max_length=64,
        help_text="Hexadecimal. Seed for byes of late entries and ties. Secret until the stage is over.",
    )
    lots_hash = models.CharField(
        max_length=64, help_text="SHA-256 of the bytes of the seed of the lots. Always public."
    )
    apart = models.JSONField(
        default=list, help_text="Groups of entries that were kept apart when the draw was published."
    )

    class Meta:
        ordering = ("division", "number")
        verbose_name = "stage"
        verbose_name_plural = "stages"
        constraints: ClassVar = [models.UniqueConstraint(fields=["division", "number"], name="stage_number")]

    def __str__(self) -> str:
        return f"{self.division} · {self.number}"

    @property
    def is_drawn(self) -> bool:
        """Whether the stage was started, by its draw or by asking for its first round."""
        return self.status != self.Status.PLANNED

    @property
    def seed_is_public(self) -> bool:
        """Whether the seed may be shown, because nothing more will be drawn from it.

        A Swiss or lives stage pairs later rounds from it. Stages drawn before lots had a separate seed also use it for
        lots. While the start of the evening can be undone, another draw can still be made from it.
        """
        if self.division.tournament.can_undo_start(timezone.now()):
            return False
        if self.format in (self.Format.SWISS, self.Format.LIVES) or self.seed == self.lots_seed:
            return self.lots_seed_is_public
        return self.status != self.Status.PLANNED or self.division.is_over

    @property
    def lots_seed_is_public(self) -> bool:
        """Whether the seed of the lots may be shown, because no more lots will be drawn: the stage or event is over."""
        return self.status == self.Status.FINISHED or self.division.is_over


class Bracket(models.Model):
    """A bracket of a stage: main, consolation, last chance, lower, final, a group, or `p9` for the places from 9 on."""

    stage = models.ForeignKey(Stage, on_delete=models.PROTECT, related_name="brackets")
    key = models.CharField(max_length=20)
    order = models.PositiveSmallIntegerField(default=0)
    fed_by = models.CharField(max_length=20, blank=True)

    class Meta:
        ordering = ("stage", "order")
        verbose_name = "bracket"
        verbose_name_plural = "brackets"
        constraints: ClassVar = [models.UniqueConstraint(fields=["stage", "key"], name="bracket_key")]

    def __str__(self) -> str:
        return self.key


class Round(models.Model):
    """A round of a bracket, with its match length and deadline."""

    bracket = models.ForeignKey(Bracket, on_delete=models.PROTECT, related_name="rounds")
    number = models.PositiveSmallIntegerField()
    length = models.PositiveSmallIntegerField("match length")
    deadline = models.DateTimeField("deadline", null=True, blank=True)
    drops = models.JSONField(default=list, help_text="Letters of the rounds whose losers enter this round.")
    entrants = models.JSONField(
        default=list,
        help_text="Entrants of a round that is drawn once they are known, as (winner or loser, match number).",
    )

    class Meta:
        ordering = ("bracket", "number")
        verbose_name = "round"
        verbose_name_plural = "rounds"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["bracket", "number"], name="round_number"),
            models.CheckConstraint(condition=Q(length__gte=1, length__lte=25), name="round_length"),
        ]

    def __str__(self) -> str:
        return f"{self.bracket} {self.number}"


class Fixture(models.Model):
    """Two slots. A fixture with two entrants always has a match, even for a walkover; voided matches are kept."""

    class Status(models.TextChoices):
        """The values of `formats.progress.FixtureStatus`."""

        WAITING = "waiting", "to be decided"
        READY = "ready", "ready"
        DECIDED = "decided", "decided"
        BYE = "bye", "bye"
        WALKOVER = "walkover", "walkover"
        EMPTY = "empty", "empty"
        NOT_NEEDED = "not_needed", "not needed"

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    stage = models.ForeignKey(Stage, on_delete=models.PROTECT, related_name="fixtures")
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="fixtures")
    number = models.PositiveIntegerField(help_text="Unique in the event and never reused. 13 is shown as M13.")
    needed_if_fixture = models.PositiveIntegerField(null=True, blank=True)
    needed_if_slot = models.PositiveSmallIntegerField(null=True, blank=True)

    status = models.CharField(max_length=10, choices=Status, default=Status.WAITING)
    match = models.OneToOneField("matches.Match", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    former = models.ManyToManyField(
        "matches.Match",
        related_name="+",
        blank=True,
        help_text="Earlier matches of this fixture, voided when its players changed.",
    )
    due_at = models.DateTimeField(null=True, blank=True, help_text="The deadline of the round, unless extended.")
    extended = models.BooleanField(default=False)
    deadline_done = models.BooleanField(default=False, help_text="The deadline rule has been applied.")

    class Meta:
        ordering = ("stage", "number")
        verbose_name = "fixture"
        verbose_name_plural = "fixtures"
        indexes: ClassVar = [
            models.Index(fields=["due_at"], name="fixture_due", condition=Q(status="ready", deadline_done=False)),
        ]
        constraints: ClassVar = [models.UniqueConstraint(fields=["stage", "number"], name="fixture_number")]

    def __str__(self) -> str:
        return f"M{self.number}"


class Slot(models.Model):
    """One side of a fixture: the source of its entrant (part of the plan) and the current entrant (derived).

    On a line that is drawn once the entrants of all such lines of its round are known, a slot is a seat: `source_stage`
    names the round, as in `consolation:3`, and `source_place` is the number of the seat. Its source is `drawn` until
    then and is derived, too.
    """

    class Source(models.TextChoices):
        ENTRY = "entry", "entry"
        WINNER = "winner", "winner"
        LOSER = "loser", "loser"
        PLACE = "place", "place"
        BYE = "bye", "bye"
        DRAWN = "drawn", "drawn by lot"

    class Status(models.TextChoices):
        """The values of `formats.progress.SlotStatus`."""

        ENTRY = "entry", "entry"
        BYE = "bye", _("bye")
        WALKOVER = "walkover", _("walkover")
        TO_BE_DECIDED = "to_be_decided", _("to be decided")

    fixture = models.ForeignKey(Fixture, on_delete=models.PROTECT, related_name="slots")
    side = models.PositiveSmallIntegerField()
    source = models.CharField(max_length=6, choices=Source)
    source_entry = models.ForeignKey(
        "tournaments.Entry", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    source_fixture = models.PositiveIntegerField(null=True, blank=True, help_text="Match number of the source.")
    source_stage = models.CharField(max_length=40, blank=True)
    source_place = models.PositiveSmallIntegerField(null=True, blank=True)

    status = models.CharField(max_length=13, choices=Status, default=Status.TO_BE_DECIDED)
    entry = models.ForeignKey("tournaments.Entry", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    absent = models.ForeignKey("tournaments.Entry", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="+")
    live = models.BooleanField(default=True, help_text="Whether nobody may stand in two slots of this round.")

    class Meta:
        ordering = ("fixture_id", "side")
        verbose_name = "slot"
        verbose_name_plural = "slots"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["fixture", "side"], name="slot_side"),
            models.UniqueConstraint(
                fields=["round", "entry"], condition=Q(live=True, entry__isnull=False), name="slot_once_per_round"
            ),
            models.CheckConstraint(condition=Q(side__lte=1), name="slot_sides"),
            models.CheckConstraint(
                condition=Q(status="entry", entry__isnull=False) | (~Q(status="entry") & Q(entry__isnull=True)),
                name="slot_entry_where_one_stands",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.fixture} · {self.side}"

    @property
    def is_seat(self) -> bool:
        """Whether the entrant of this slot is drawn once those of all such slots of its round are known."""
        return self.source_place is not None and self.source != Slot.Source.PLACE


# Corrections of results after others had been built on them, as facts: what was chosen, by whom, and why.


class Advance(models.Model):
    """Who advances from a fixture whose result was corrected while keeping the bracket.

    It applies to one version of the result only. In a stage with tables, `places` are the qualifying places that are
    kept for the next stage.
    """

    result = models.OneToOneField("matches.Result", on_delete=models.PROTECT, related_name="+")
    fixture = models.ForeignKey("tournaments.Fixture", on_delete=models.PROTECT, related_name="advances")
    side = models.PositiveSmallIntegerField(null=True, blank=True, help_text="0 or 1; empty if nobody advances.")
    places = models.JSONField(default=list, help_text="Places that are kept, as (stage, place, entry).")

    class Meta:
        verbose_name = "kept bracket"
        verbose_name_plural = "kept brackets"
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(side__isnull=True) | Q(side__lte=1), name="advance_side"),
        ]

    def __str__(self) -> str:
        return f"{self.fixture} · {self.side}"


class Correction(Recorded):
    """A corrected result. Undoing it is a correction as well."""

    class Choice(models.TextChoices):
        LET_STAND = "let_stand", _("let the result stand")
        KEEP_BRACKET = "keep_bracket", _("correct score, standings and ratings, but keep the bracket")
        CORRECT_ALL = "correct_all", _("correct everything")

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    fixture = models.ForeignKey("tournaments.Fixture", on_delete=models.PROTECT, related_name="corrections")
    before = models.ForeignKey("matches.Result", on_delete=models.PROTECT, related_name="+")
    after = models.OneToOneField("matches.Result", on_delete=models.PROTECT, related_name="+")
    choice = models.CharField(max_length=12, choices=Choice)
    voided_rated = models.BooleanField(default=True, help_text="Whether played matches that it voided stay rated.")
    changed = models.JSONField(default=list, help_text="Numbers of the fixtures whose players changed.")
    reason = models.CharField(max_length=MAX_NOTE_LENGTH, blank=True)
    undoes = models.OneToOneField("self", on_delete=models.PROTECT, null=True, blank=True, related_name="undone_by")

    class Meta:
        ordering = ("-at", "-pk")
        verbose_name = "correction"
        verbose_name_plural = "corrections"

    def __str__(self) -> str:
        return f"{self.fixture} · {self.at:%Y-%m-%d}"
