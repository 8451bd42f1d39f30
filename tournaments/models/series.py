"""Series of a club: their plans, the events that count, and their closing. Points and tables are derived."""

from datetime import datetime
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core.name_field import NameField
from core.public_ids import LENGTH, new_public_id
from core.text_lengths import MAX_NAME_LENGTH, MAX_NOTE_LENGTH
from tournaments.models.recorded import Recorded

MAX_SHARES = 200


class Series(models.Model):
    """What a club plays for over several events. Its address is permanent; only an empty one can be removed."""

    class PairPoints(models.TextChoices):
        """What each of the two of a pair gets of the points of their side."""

        EACH = "each", _("each gets all points of the pair")
        HALF = "half", _("each gets half of them")
        NONE = "none", _("pairs get no points")

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    club = models.ForeignKey("players.Club", on_delete=models.PROTECT, related_name="+")
    name = NameField("name", max_length=MAX_NAME_LENGTH)
    slug = models.SlugField("URL name", max_length=60)
    first_day = models.DateField("first day")
    last_day = models.DateField("last day")
    seq = models.PositiveIntegerField(default=0, help_text="Grows by one with every change.")
    pairs = models.CharField(
        "points of pairs", max_length=4, choices=PairPoints, default=PairPoints.EACH, db_default=PairPoints.EACH
    )
    final = models.ForeignKey(
        "tournaments.Tournament", on_delete=models.SET_NULL, null=True, blank=True, related_name="final_of"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ("-last_day", "-pk")
        verbose_name = "season"
        verbose_name_plural = "seasons"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["club", "slug"], name="series_slug_of_club"),
            models.CheckConstraint(condition=Q(last_day__gte=F("first_day")), name="series_days_in_order"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def topic(self) -> str:
        return f"series:{self.public_id}"


class SeriesPlan(models.Model):
    """A version of the scoring plan of a series, in the exchange form; the highest number applies."""

    series = models.ForeignKey(Series, on_delete=models.PROTECT, related_name="plans")
    number = models.PositiveIntegerField()
    plan = models.JSONField(help_text="As in docs/series.md.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ("series", "number")
        verbose_name = "scoring plan"
        verbose_name_plural = "scoring plans"
        constraints: ClassVar = [models.UniqueConstraint(fields=["series", "number"], name="series_plan_number")]

    def __str__(self) -> str:
        return f"{self.series} · {self.number}"


class SeriesEvent(models.Model):
    """An event that counts in a series: as which class of night, and with which weight."""

    series = models.ForeignKey(Series, on_delete=models.PROTECT, related_name="counted")
    tournament = models.ForeignKey("tournaments.Tournament", on_delete=models.PROTECT, related_name="counts_in")
    kind = models.CharField(
        max_length=20,
        blank=True,
        default="",
        help_text="The class of the event in the plan; empty: by its month, or else normal.",
    )
    weight = models.CharField(max_length=20, default="1", help_text="A number such as 1.5 or 1/3.")
    shares = models.CharField(
        max_length=MAX_SHARES, blank=True, help_text="Of the first places, from the first: 4, 2, 1, 1."
    )

    class Meta:
        ordering = ("tournament__starts_at", "pk")
        verbose_name = "event of a season"
        verbose_name_plural = "events of a season"
        constraints: ClassVar = [models.UniqueConstraint(fields=["series", "tournament"], name="series_event_once")]

    def __str__(self) -> str:
        return f"{self.series} · {self.tournament}"


class SeriesPoints(Recorded):
    """Points that a director gives a player by hand in an event of a series, in addition to those of the plan."""

    series = models.ForeignKey(Series, on_delete=models.PROTECT, related_name="points_by_hand")
    tournament = models.ForeignKey("tournaments.Tournament", on_delete=models.PROTECT, related_name="+")
    player = models.ForeignKey("players.Player", on_delete=models.PROTECT, related_name="+")
    points = models.CharField(max_length=20, help_text="A number such as 2, -1.5 or 1/3.")
    reason = models.CharField(max_length=MAX_NOTE_LENGTH)

    class Meta(Recorded.Meta):
        verbose_name = "points by hand"
        verbose_name_plural = "points by hand"

    def __str__(self) -> str:
        return f"{self.player}: {self.points}"


class SeriesFeeShare(Recorded):
    """A version of the part of each entry fee that goes to the pool of a series; the highest number applies.

    The cash desk of an event keeps the version with which it was closed.
    """

    series = models.ForeignKey(Series, on_delete=models.PROTECT, related_name="fee_shares")
    number = models.PositiveIntegerField()
    percent = models.PositiveSmallIntegerField(default=0, help_text="Hundredths of a percent.")
    amount = models.PositiveIntegerField(default=0, help_text="In whole minor units, instead of a percentage.")
    currency = models.CharField(max_length=12, blank=True, help_text="Of the amount.")
    currency_exponent = models.PositiveSmallIntegerField(default=0, help_text="Decimal places of the currency.")
    shares = models.JSONField(
        default=list, help_text="Of the places in the final table, in hundredths of a percent of the pool."
    )

    class Meta:
        ordering = ("series", "number")
        verbose_name = "fee share of a season"
        verbose_name_plural = "fee shares of seasons"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["series", "number"], name="series_fee_share_number"),
            models.CheckConstraint(condition=Q(percent__lte=10_000), name="series_fee_share_percent"),
            models.CheckConstraint(condition=Q(percent=0) | Q(amount=0), name="series_fee_share_either"),
        ]

    def __str__(self) -> str:
        return f"{self.series} · {self.number}"


class SeriesEntry(Recorded):
    """A player who has entered a series, as some plans ask for before somebody is in the table."""

    series = models.ForeignKey(Series, on_delete=models.PROTECT, related_name="entries")
    player = models.ForeignKey("players.Player", on_delete=models.PROTECT, related_name="+")

    class Meta(Recorded.Meta):
        verbose_name = "entry of a season"
        verbose_name_plural = "entries of a season"
        constraints: ClassVar = [models.UniqueConstraint(fields=["series", "player"], name="series_entered_once")]

    def __str__(self) -> str:
        return f"{self.series} · {self.player}"


class SeriesView(models.Model):
    """A part of the players of a series who also have a table of their own, with the same points."""

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    series = models.ForeignKey(Series, on_delete=models.PROTECT, related_name="views")
    name = NameField("name", max_length=MAX_NAME_LENGTH)
    rule = models.CharField(
        max_length=20, help_text="Who belongs: `members`, `players`, or a club class such as `class-6.5`."
    )
    players = models.ManyToManyField(
        "players.Player", related_name="+", blank=True, help_text="Who was chosen, by the rule `players`."
    )

    class Meta:
        ordering = ("pk",)
        verbose_name = "view of a season"
        verbose_name_plural = "views of seasons"
        constraints: ClassVar = [models.UniqueConstraint(fields=["series", "name"], name="series_view_name")]

    def __str__(self) -> str:
        return f"{self.series} · {self.name}"


class SeriesClosing(Recorded):
    """The closing of a series with the table that was announced. A reopened one is kept."""

    series = models.ForeignKey(Series, on_delete=models.PROTECT, related_name="closings")
    plan = models.ForeignKey(SeriesPlan, on_delete=models.PROTECT, related_name="+")
    table = models.JSONField(help_text="Events and rows, with public ids of players and exact numbers.")
    reopened_at = models.DateTimeField(null=True, blank=True)
    reopened_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    reason = models.CharField(max_length=MAX_NOTE_LENGTH, blank=True, help_text="Why it was reopened.")

    class Meta(Recorded.Meta):
        verbose_name = "closing of a season"
        verbose_name_plural = "closings of a season"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["series"], condition=Q(reopened_at=None), name="series_closed_once"),
        ]

    def __str__(self) -> str:
        return f"{self.series} · {self.at:%Y-%m-%d}"


class FinalPlace(models.Model):
    """A place in the final of a series that was offered to a player, and the last answer.

    One that was taken back stays; offering the place again makes another one.
    """

    class Answer(models.TextChoices):
        """Whether the player comes."""

        COMES = "comes", "comes"
        DECLINED = "declined", "cannot come"

    class State(models.TextChoices):
        """How an offer stands at a moment."""

        OFFERED = "offered", "asked"
        COMES = "comes", "comes"
        DECLINED = "declined", "cannot come"
        EXPIRED = "expired", "has not answered in time"
        TAKEN_BACK = "taken_back", "taken back"

    series = models.ForeignKey(Series, on_delete=models.PROTECT, related_name="final_places")
    player = models.ForeignKey("players.Player", on_delete=models.PROTECT, related_name="+")
    rank = models.PositiveSmallIntegerField(help_text="In the table when the place was offered.")
    moved_up = models.BooleanField(default=False, help_text="Whether somebody better placed does not come.")
    offered_at = models.DateTimeField(default=timezone.now, editable=False)
    offered_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    answer_by = models.DateTimeField()
    answer = models.CharField(max_length=10, choices=Answer.choices, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    answered_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    taken_back_at = models.DateTimeField(null=True, blank=True)
    taken_back_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ("rank", "pk")
        verbose_name = "place in a final"
        verbose_name_plural = "places in a final"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["series", "player"], condition=Q(taken_back_at=None), name="final_place_offered_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.series} · {self.player}"

    def state(self, now: datetime) -> State:
        """Return how the offer stands."""
        if self.taken_back_at is not None:
            return self.State.TAKEN_BACK
        if self.answer:
            return self.State(self.answer)
        return self.State.OFFERED if now < self.answer_by else self.State.EXPIRED

    @property
    def notice_keys(self) -> tuple[str, str]:
        """The keys of the notifications about the place: of what its player is offered, and that it was taken back."""
        return f"final-place:{self.pk}", f"final-place:{self.pk}:{self.State.TAKEN_BACK}"

    def is_held(self, now: datetime) -> bool:
        """Whether the place is taken or may still be."""
        return self.state(now) in (self.State.OFFERED, self.State.COMES)
