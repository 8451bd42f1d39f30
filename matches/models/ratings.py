"""Rating pools, and the ratings derived from the rated matches of each pool."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core.name_field import NameField
from core.text_lengths import MAX_NAME_LENGTH
from formats.ratings import DIGITS, Ramp, Settings, Standing
from matches.models.pool_settings import ENOUGH_EVENT_MATCHES, GLICKO2, IN_COLUMNS, OF_SITE, PoolSettings


class RatingPool(models.Model):
    """Settings of the rating formula. The task that replays the pool locks this row.

    A change of history adds a RatingMark at the first match it affects, in the order (finished_at, match). A replay
    takes over the marks as `claimed_…`, so that later changes add marks of their own.
    """

    RAMPS = (
        (Ramp.BEFORE.value, _("experience before the match (FIBS manual)")),
        (Ramp.INCLUDING.value, _("experience including the match (later clients)")),
        (Ramp.SLOW.value, _("experience before the match, slowly: from 2")),
        (Ramp.NONE.value, _("none: always 1")),
    )
    """How a newcomer's K falls: 5 − experience/100, at least 1, in the two published variants; 2 − experience/400; or
    no ramp."""

    name = NameField("name", max_length=MAX_NAME_LENGTH)
    club = models.ForeignKey(
        "players.Club",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Empty for the pools of the site.",
    )
    is_default = models.BooleanField(default=False)
    is_own = models.BooleanField(
        default=False,
        db_default=False,
        editable=False,
        help_text="Counts the matches of its club that the site’s pool does not, from before the club was accepted.",
    )
    start_rating = models.FloatField("first rating", default=1500.0)
    start_experience = models.PositiveIntegerField("first experience", default=0)
    ramp = models.CharField("ramp", max_length=9, choices=RAMPS, default=Ramp.BEFORE.value)
    k_scale = models.FloatField("scale of K", default=1.0)
    options = models.JSONField(
        default=dict, blank=True, editable=False, help_text="Settings of `PoolSettings` that are not the usual ones."
    )
    seq = models.PositiveIntegerField(default=0, editable=False, help_text="Grows with each change of the settings.")
    claimed_at = models.DateTimeField(null=True, blank=True)
    claimed_from = models.DateTimeField(null=True, blank=True)
    claimed_match = models.BigIntegerField(null=True, blank=True)
    basis = models.JSONField(
        default=dict,
        blank=True,
        help_text="Settings and merged players of the last replay; if they differ from today's, the pool is replayed.",
    )

    class Meta:
        verbose_name = "rating pool"
        verbose_name_plural = "rating pools"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["club", "name"], condition=Q(is_own=False), name="pool_name_of_club"),
            models.UniqueConstraint(fields=["club"], condition=Q(is_own=True), name="one_own_pool"),
            models.UniqueConstraint(fields=["name"], condition=Q(club=None), name="pool_name_of_site"),
            models.UniqueConstraint(fields=["is_default"], condition=Q(is_default=True), name="one_default_pool"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def chosen(self) -> PoolSettings:
        """The settings as they were chosen; the site's pool has rules of its own for provisional ratings."""
        columns = {name: getattr(self, name) for name in IN_COLUMNS}
        return PoolSettings.of({**columns, **(OF_SITE if self.is_default else {}), **self.options})

    @property
    def settings(self) -> Settings:
        """The settings as the formula takes them; weeks are those of the club."""
        chosen = self.chosen
        if chosen.family != GLICKO2 or self.club is None:
            return chosen.formula()
        return chosen.formula(self.club.time_zone)


class RatingPoolVersion(models.Model):
    """Settings that a pool has had from some time on. The newest version holds; going back makes a version, too."""

    pool = models.ForeignKey(RatingPool, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    values = models.JSONField()
    restores = models.PositiveIntegerField(null=True, blank=True, help_text="The number of the version it repeats.")
    at = models.DateTimeField(default=timezone.now, editable=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ("-number",)
        verbose_name = "settings of a rating pool"
        verbose_name_plural = "settings of rating pools"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["pool", "number"], name="pool_version_once"),
        ]

    def __str__(self) -> str:
        return f"{self.pool_id}: {self.number}"

    @property
    def chosen(self) -> PoolSettings:
        return PoolSettings.of(self.values)


class FormulaComparison(models.Model):
    """Which formula predicts the matches of a pool best: asked for by a director, computed by a worker."""

    pool = models.ForeignKey(RatingPool, on_delete=models.CASCADE, related_name="comparisons")
    at = models.DateTimeField(default=timezone.now, editable=False)
    claimed_at = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)
    result = models.JSONField(default=dict, blank=True, help_text="Number of matches and predictions.")

    class Meta:
        ordering = ("-at", "-pk")
        verbose_name = "comparison of formulas"
        verbose_name_plural = "comparisons of formulas"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["pool"], condition=Q(done_at=None), name="one_open_comparison"),
        ]

    def __str__(self) -> str:
        return f"{self.pool_id}: {self.at:%Y-%m-%d %H:%M}"


class RatingMark(models.Model):
    """The first match that a change of history affects. Each change adds a row, so adding a mark locks nothing.

    A replay takes the marks it sees; a mark that is committed later is left for the next replay.
    """

    pool = models.ForeignKey(RatingPool, on_delete=models.CASCADE, related_name="marks")
    finished_at = models.DateTimeField()
    match = models.BigIntegerField(
        help_text="The id of the match, not a relation; orders matches that finished at the same time."
    )

    class Meta:
        verbose_name = "rating mark"
        verbose_name_plural = "rating marks"

    def __str__(self) -> str:
        return f"{self.pool_id}: {self.finished_at:%Y-%m-%d %H:%M}"


class RatingChange(models.Model):
    """How one rated match changed one player's rating; derived, written only by the replay of its pool."""

    pool = models.ForeignKey(RatingPool, on_delete=models.CASCADE, related_name="changes")
    match = models.ForeignKey("matches.Match", on_delete=models.CASCADE, related_name="rating_changes")
    player = models.ForeignKey("players.Player", on_delete=models.PROTECT, related_name="+")
    opponent = models.ForeignKey("players.Player", on_delete=models.PROTECT, related_name="+")
    finished_at = models.DateTimeField()
    won = models.BooleanField()
    length = models.PositiveSmallIntegerField()
    rating_before = models.FloatField()
    rating_after = models.FloatField()
    opponent_before = models.FloatField()
    experience_before = models.PositiveIntegerField()
    deviation = models.FloatField(null=True, blank=True, help_text="Of Glicko-2, at the end of the week.")
    volatility = models.FloatField(null=True, blank=True)
    expected = models.FloatField(null=True, blank=True, help_text="The score that Glicko-2 expected.")

    class Meta:
        ordering = ("finished_at", "match_id")
        verbose_name = "rating change"
        verbose_name_plural = "rating changes"
        indexes: ClassVar = [
            models.Index(fields=["pool", "player", "finished_at", "match"], name="change_of_player"),
            models.Index(fields=["pool", "finished_at", "match"], name="change_in_order"),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["pool", "match", "player"], name="change_once"),
        ]

    def __str__(self) -> str:
        return f"{self.player_id}: {self.rating_before:.2f} → {self.rating_after:.2f}"

    @property
    def change(self) -> float:
        """Rating points won; negative if lost."""
        return round(self.rating_after - self.rating_before, DIGITS)


class PlayerRating(models.Model):
    """A player's current rating in a pool; derived together with the changes."""

    pool = models.ForeignKey(RatingPool, on_delete=models.CASCADE, related_name="ratings")
    player = models.ForeignKey("players.Player", on_delete=models.PROTECT, related_name="+")
    rating = models.FloatField()
    experience = models.PositiveIntegerField()
    matches = models.PositiveIntegerField()
    wins = models.PositiveIntegerField()
    last_played_at = models.DateTimeField()
    last_change = models.FloatField()
    deviation = models.FloatField(null=True, blank=True, help_text="Of Glicko-2, at the end of the last week.")
    volatility = models.FloatField(null=True, blank=True)
    event_matches = models.PositiveIntegerField(
        db_default=0, default=0, help_text="How many of the rated matches were played in events."
    )
    event_opponents = models.PositiveIntegerField(
        db_default=0, default=0, help_text="Different opponents who have enough rated matches in events themselves."
    )

    class Meta:
        ordering = ("-rating", "player")
        verbose_name = "player's rating"
        verbose_name_plural = "players' ratings"
        indexes: ClassVar = [models.Index(fields=["pool", "-rating"], name="rating_table")]
        constraints: ClassVar = [models.UniqueConstraint(fields=["pool", "player"], name="rating_once")]

    def __str__(self) -> str:
        return f"{self.player_id}: {self.rating:.1f}"

    @property
    def as_standing(self) -> Standing:
        """The same as the formulas take it."""
        return Standing(*(getattr(self, name) for name in Standing._fields))

    @property
    def is_provisional(self) -> bool:
        """Whether it is shown with “?”, by the settings of its pool; queries should fetch the pool as well."""
        return self.pool.chosen.is_provisional(self.as_standing)

    @property
    def missing_opponents(self) -> int:
        """Matches against how many more people known from events a provisional rating of the site needs; else 0."""
        return max(0, self.pool.chosen.least_event_opponents - self.event_opponents) if self.is_provisional else 0

    @property
    def missing_event_matches(self) -> int:
        """How many rated matches in events it needs instead."""
        return ENOUGH_EVENT_MATCHES - self.event_matches


class RatingImport(models.Model):
    """Starting ratings or past matches that a club has imported; without effect once `undone_at` is set."""

    class Kind(models.TextChoices):
        STARTS = "starts", _("starting ratings")
        MATCHES = "matches", _("past matches")

    pool = models.ForeignKey(RatingPool, on_delete=models.PROTECT, related_name="imports")
    kind = models.CharField(max_length=7, choices=Kind)
    matches = models.ManyToManyField("matches.Match", related_name="+", blank=True)
    at = models.DateTimeField(default=timezone.now, editable=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-at", "-pk")
        verbose_name = "rating import"
        verbose_name_plural = "rating imports"

    def __str__(self) -> str:
        return f"{self.pool} · {self.kind} · {self.at:%Y-%m-%d}"


class RatingStart(models.Model):
    """A player's starting rating and experience in a pool; the newest import that was not undone counts."""

    source = models.ForeignKey(RatingImport, on_delete=models.CASCADE, related_name="starts")
    player = models.ForeignKey("players.Player", on_delete=models.PROTECT, related_name="+")
    rating = models.FloatField()
    experience = models.PositiveIntegerField(default=0)

    class Meta:
        verbose_name = "starting rating"
        verbose_name_plural = "starting ratings"
        constraints: ClassVar = [models.UniqueConstraint(fields=["source", "player"], name="start_once_per_import")]

    def __str__(self) -> str:
        return f"{self.player_id}: {self.rating:.1f}"


class Unrating(models.Model):
    """An officer's decision that a friendly match does not count for the ratings; without effect once undone.

    `Match.rated` follows from it.
    """

    match = models.ForeignKey("matches.Match", on_delete=models.PROTECT, related_name="unratings")
    at = models.DateTimeField(default=timezone.now, editable=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-at", "-pk")
        verbose_name = "unrating"
        verbose_name_plural = "unratings"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["match"], condition=Q(undone_at=None), name="unrated_once"),
        ]

    def __str__(self) -> str:
        return f"{self.match_id} · {self.at:%Y-%m-%d}"
