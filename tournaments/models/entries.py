"""Who takes part, who went, and how the places were drawn: facts."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from players.public_ids import LENGTH, new_public_id


class Entry(models.Model):
    """A player in a division. One who is withdrawn stays; entering again is a new entry."""

    class Status(models.TextChoices):
        """Where it stands."""

        IN = "in", _("entered")
        WAITING = "waiting", _("waiting list")
        OUT = "out", _("withdrawn")

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    division = models.ForeignKey("tournaments.Division", on_delete=models.PROTECT, related_name="entries")
    player = models.ForeignKey("players.Player", on_delete=models.PROTECT, related_name="+")
    status = models.CharField(max_length=7, choices=Status, default=Status.IN)
    rating = models.FloatField(null=True, blank=True, help_text=_("When the draw was made."))
    checked_in_at = models.DateTimeField(null=True, blank=True)
    entered_at = models.DateTimeField(default=timezone.now, editable=False)
    entered_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("entered_at", "pk")
        verbose_name = _("entry")
        verbose_name_plural = _("entries")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["division", "player"], condition=~Q(status="out"), name="entry_once_per_player"
            ),
        ]

    def __str__(self) -> str:
        return str(self.player)


class Withdrawal(models.Model):
    """An entry that comes no more, to one bracket or (`bracket` empty) to the whole division."""

    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="withdrawals")
    bracket = models.ForeignKey(
        "tournaments.Bracket", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    reason = models.CharField(max_length=300, blank=True)
    at = models.DateTimeField(default=timezone.now, editable=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    taken_back_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("at", "pk")
        verbose_name = _("withdrawal")
        verbose_name_plural = _("withdrawals")

    def __str__(self) -> str:
        return f"{self.entry} · {self.at:%Y-%m-%d}"


class ByeRequest(models.Model):
    """A round of a Swiss that an entry asked to miss, for half a point or none."""

    class Kind(models.TextChoices):
        """As `tournaments.formats.swiss_event.ByeKind`; full byes are never asked for."""

        HALF = "half", _("half-point bye")
        REQUESTED = "requested", _("bye without points")

    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="bye_requests")
    stage = models.ForeignKey("tournaments.Stage", on_delete=models.PROTECT, related_name="bye_requests")
    round = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=9, choices=Kind, default=Kind.HALF)
    at = models.DateTimeField(default=timezone.now, editable=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    taken_back_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("stage", "round", "pk")
        verbose_name = _("requested bye")
        verbose_name_plural = _("requested byes")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["entry", "stage", "round"], condition=Q(taken_back_at=None), name="bye_requested_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.entry} · {self.round}"


class KeptApart(models.Model):
    """Two entries that are not to meet: never paired in a round, as far apart as can be in a bracket or in groups.

    The one that was entered first comes first. Pairs are for the eyes of those who run the event.
    """

    division = models.ForeignKey("tournaments.Division", on_delete=models.PROTECT, related_name="kept_apart")
    first = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="+")
    second = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now, editable=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    taken_back_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("at", "pk")
        verbose_name = _("pair kept apart")
        verbose_name_plural = _("pairs kept apart")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["first", "second"], condition=Q(taken_back_at=None), name="kept_apart_once"
            ),
            models.CheckConstraint(condition=Q(first__lt=models.F("second")), name="kept_apart_in_order"),
        ]

    def __str__(self) -> str:
        return f"{self.first} · {self.second}"


class Draw(models.Model):
    """One draft of the draw of a stage, or the published one; of one round where rounds are paired one by one.

    All drafts of a stage share one secret seed, whose hash is shown when entries close; each redraw takes the next
    number, so that nobody can redraw until it pleases without its showing.
    """

    class State(models.TextChoices):
        """What became of it; a requested one waits for a worker."""

        REQUESTED = "requested", _("being drawn")
        DRAFT = "draft", _("draft")
        DISCARDED = "discarded", _("discarded")
        PUBLISHED = "published", _("published")

    stage = models.ForeignKey("tournaments.Stage", on_delete=models.PROTECT, related_name="draws")
    number = models.PositiveSmallIntegerField()
    round = models.PositiveSmallIntegerField(default=0, help_text=_("The round that is paired; 0: the whole stage."))
    state = models.CharField(max_length=9, choices=State, default=State.DRAFT)
    at_once = models.BooleanField(default=False, help_text=_("Published as soon as it is made."))
    algorithm = models.CharField(max_length=120, blank=True)
    places = models.JSONField(
        default=list, help_text=_("Entry ids in bracket order, of a round pair after pair; null is a bye.")
    )
    byes = models.JSONField(default=dict, help_text=_("Of a round: entry id -> kind of its bye."))
    basis = models.CharField(max_length=64, blank=True, help_text=_("Digest of the scores a round was paired from."))
    manual = models.JSONField(default=list, help_text=_("Pairs fixed before the rest of a round was paired."))
    remarks = models.JSONField(default=list, help_text=_("Who could not be kept apart, as (code, params)."))
    reason = models.CharField(max_length=300, blank=True, help_text=_("Why it was drawn again."))
    made_at = models.DateTimeField(default=timezone.now, editable=False)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    claimed_at = models.DateTimeField(null=True, blank=True)
    refusal = models.JSONField(null=True, blank=True, help_text=_("Why it could not be drawn: code, params."))
    published_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("stage", "number")
        verbose_name = _("draw")
        verbose_name_plural = _("draws")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["stage", "number"], name="draw_number_of_stage"),
            models.UniqueConstraint(
                fields=["stage", "round"], condition=Q(state="published"), name="draw_published_once"
            ),
            models.UniqueConstraint(
                fields=["stage"], condition=Q(state__in=["requested", "draft"]), name="draw_draft_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.stage} · {self.number}"
